//! What allocates: results of their own, and text of bytes.
//!
//! Its unsafe code is held by tests/bounds.rs and tests/guarded_heap.rs, where buffers touch pages that may not be touched, and by
//! tests/differential.rs, which has every form compared with the oracle on every level.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::many::{ManyDecoder, ManyEncoder};
use super::{
    SHORT, assume_init, checked_text, decode, decode_outcome, find_ill_formed, for_each_part, is_plain, measure_encode,
    run_encode, scan_decode,
};
use crate::byteset::ByteSet;
use crate::error::{DecodeError, DecodeIntoError};
use crate::hex::{LOWERCASE, UPPERCASE, first_triplet, triplets};
use crate::kernel::few::{Suspects, decode_triplet, encode_one, room_for_one};
use crate::kernel::op::{Measure, Scan, Write};
use crate::kernel::outcome::Stop;
use crate::kernel::scalar::encode::{FEW_OUTPUT, encode_few as encode_few_bytes};
use crate::kernel::tape::Tape;
use crate::kernel::{Kernels, SHORT_OUTPUT, word};
use crate::level::Level;
use crate::rules::{DecodeRules, EncodeRules};

/// With this much room behind a short result, kernels can store whole registers to the end.
pub(super) const SLACK: usize = 16;

/// Offset of the first byte that encoding changes.
#[inline]
pub(crate) fn scan_encode(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> Option<usize> {
    for_each_part(input, rules, level, |at, part, rules| {
        let progress = run_encode::<Scan>(Tape::source_only(part), rules, level);
        if progress.stop() == Stop::Change { Err(at + progress.read()) } else { Ok(()) }
    })
    .err()
}

// What callers get inlined stays small, and ends in calls that are the last thing to be done: then there is nothing to be kept for later.

#[inline(always)]
pub(crate) fn encode_to_cow<'a>(input: &'a [u8], rules: &EncodeRules, level: Option<Level>) -> Cow<'a, str> {
    if !rules.are_simple() || input.len() > SHORT {
        return encode_any(input, rules, level);
    }
    let is_plain = match *input {
        [] => true,
        [byte] if !rules.leaves(byte) => return Cow::Borrowed(encode_byte(byte, rules)),
        [_] => true,
        [a, b] => rules.leave([a, b, b]),
        [a, b, c] => rules.leave([a, b, c]),
        _ if input.len() <= WORD => return encode_words::<false>(input, rules, Kernels::of(Level::usable(level))),
        // Where there are vectors, they take no longer than a second word.
        _ if input.len() <= 2 * WORD && Level::usable(level).level() == Level::Scalar => {
            return encode_words::<true>(input, rules, Kernels::of(Level::usable(level)));
        }
        _ => return encode_short(input, rules, Kernels::of(Level::usable(level))),
    };
    if is_plain {
        // SAFETY: as `to_text` says.
        unsafe { to_text(None, input) }
    } else {
        encode_few(input, rules)
    }
}

/// What encoding made, or the input.
///
/// # Safety
///
/// Encoding made it, or would have made the same of the input.
#[inline(always)]
unsafe fn to_text<'a>(encoded: Option<Vec<u8>>, input: &'a [u8]) -> Cow<'a, str> {
    let bytes = encoded.map_or(Cow::Borrowed(input), Cow::Owned);
    // SAFETY: the rules leave no byte from 0x80 but, if told to, those of well-formed UTF-8, in their order: see
    // `EncodeRules::escape` and `for_each_part`. (tests/differential.rs)
    unsafe { into_text_unchecked(bytes) }
}

// Character by character is how much text gets encoded.

/// Encodes two to four bytes without a kernel.
#[inline(never)]
fn encode_few<'a>(input: &'a [u8], rules: &EncodeRules) -> Cow<'a, str> {
    let mut output = Vec::with_capacity(FEW_OUTPUT);
    let written = encode_few_bytes(input, output.spare_capacity_mut(), rules);
    // SAFETY: so many bytes were initialised. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: as `to_text` says.
    unsafe { to_text((written > input.len()).then_some(output), input) }
}

/// So many bytes, or twice as many, are looked at before a kernel is called.
const WORD: usize = 8;

/// Encodes four bytes or more, a [`WORD`] at most, or as `TWO`, more than one.
#[inline(never)]
fn encode_words<'a, const TWO: bool>(input: &'a [u8], rules: &EncodeRules, kernels: &Kernels) -> Cow<'a, str> {
    let suspects = Suspects::<TWO>::of(input);
    if suspects.are_none() && rules.escape().is_disjoint(&ByteSet::ALPHANUMERIC) {
        // SAFETY: as `to_text` says.
        return unsafe { to_text(None, input) };
    }
    match suspects.only_one(input.len()) {
        Some(at) if rules.escape().is_disjoint(&ByteSet::ALPHANUMERIC) => encode_around::<TWO>(input, at, rules),
        _ if input.len() == 4 => encode_few(input, rules),
        _ => encode_short(input, rules, kernels),
    }
}

/// The same where it is known that none but the byte at `at` may be escaped.
#[inline(never)]
fn encode_around<'a, const TWO: bool>(input: &'a [u8], at: usize, rules: &EncodeRules) -> Cow<'a, str> {
    if rules.leaves(input[at]) {
        // SAFETY: as `to_text` says.
        return unsafe { to_text(None, input) };
    }
    let mut output = Vec::with_capacity(const { room_for_one::<TWO>() });
    let written = encode_one::<TWO>(input, at, output.spare_capacity_mut(), rules);
    // SAFETY: so many bytes were initialised. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: as `to_text` says.
    unsafe { to_text(Some(output), input) }
}

/// Encodes at most 64 bytes to the stack, and copies from there to as much memory as is needed.
#[inline(never)]
fn encode_short<'a>(input: &'a [u8], rules: &EncodeRules, kernels: &Kernels) -> Cow<'a, str> {
    let mut buffer = [MaybeUninit::uninit(); SHORT_OUTPUT];
    // SAFETY: kernels are looked up for levels that the machine has. (tests/differential.rs, tests/bounds.rs)
    let Some(written) = (unsafe { (kernels.encode_short)(input, &mut buffer, rules) }) else {
        // SAFETY: as `to_text` says.
        return unsafe { to_text(None, input) };
    };
    let mut output = Vec::with_capacity(written.next_multiple_of(PIECE));
    copy_pieces(&buffer, output.spare_capacity_mut(), written);
    // SAFETY: the kernel initialised as much as it says. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: as `to_text` says.
    unsafe { to_text(Some(output), input) }
}

const PIECE: usize = 16;

/// Copies `length` bytes and the rest of the last [`PIECE`]: one or two of these take less than a call to copy.
#[inline(always)]
fn copy_pieces(from: &[MaybeUninit<u8>], to: &mut [MaybeUninit<u8>], length: usize) {
    let mut copy = |start: usize, end: usize| to[start..end].copy_from_slice(&from[start..end]);
    if length <= 2 * PIECE {
        copy(0, PIECE);
        if length > PIECE {
            copy(PIECE, 2 * PIECE);
        }
    } else {
        copy(0, length);
    }
}

/// What a byte that encoding changes becomes.
fn encode_byte(byte: u8, rules: &EncodeRules) -> &'static str {
    static UPPERCASE_TRIPLETS: [[u8; 3]; 256] = triplets(UPPERCASE);
    static LOWERCASE_TRIPLETS: [[u8; 3]; 256] = triplets(LOWERCASE);
    let triplets = if rules.is_lowercase() { &LOWERCASE_TRIPLETS } else { &UPPERCASE_TRIPLETS };
    // SAFETY: triplets are ASCII.
    unsafe { core::str::from_utf8_unchecked(&triplets[usize::from(byte)]) }
}

/// Inputs of up to this many bytes are encoded to the stack first: looking at them twice costs more than a copy.
const ONCE: usize = 1024;

/// Encodes to the stack, and copies from there to as much memory as is needed.
#[inline(never)]
fn encode_once<'a>(input: &'a [u8], rules: &EncodeRules, level: Option<Level>) -> Cow<'a, str> {
    let mut buffer = [MaybeUninit::uninit(); 3 * ONCE + 8];
    // The buffer has room for the worst case.
    let written = run_encode::<Write>(Tape::new(input, &mut buffer), rules, level).initialised();
    // SAFETY: the kernel initialised `written` bytes of it. (tests/bounds.rs)
    let output: &[u8] = unsafe { assume_init(&mut buffer, written) };
    let is_changed = written > input.len() || rules.plus() && output != input;
    // SAFETY: as `to_text` says.
    unsafe { to_text(is_changed.then(|| output.to_vec()), input) }
}

#[inline(never)]
fn encode_any<'a>(input: &'a [u8], rules: &EncodeRules, level: Option<Level>) -> Cow<'a, str> {
    if input.len() <= ONCE && !rules.keep_non_ascii {
        return encode_once(input, rules, level);
    }
    let encoded = scan_encode(input, rules, level).map(|first| {
        let (unchanged, rest) = input.split_at(first);
        let mut output = Vec::with_capacity(first.saturating_add(measure_encode(rest, rules, level)));
        output.extend_from_slice(unchanged);
        ManyEncoder::new(rules, level).fill(rest, &mut output);
        output
    });
    // SAFETY: as `to_text` says.
    unsafe { to_text(encoded, input) }
}

/// Appends the encoded form; allocates exactly what it needs, or nothing where there is room for the worst case.
#[inline]
pub(crate) fn append_encoded_text(input: &[u8], output: &mut String, rules: &EncodeRules, level: Option<Level>) {
    // SAFETY: what is appended is well-formed UTF-8, as in `encode_to_cow`.
    append_encoded(input, unsafe { output.as_mut_vec() }, rules, level);
}

#[inline]
pub(crate) fn append_encoded(input: &[u8], output: &mut Vec<u8>, rules: &EncodeRules, level: Option<Level>) {
    ManyEncoder::new(rules, level).append(input, output);
}

#[inline(always)]
pub(crate) fn decode_to_cow<'a>(
    input: &'a [u8],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    if is_plain(input, rules) {
        return Ok(Cow::Borrowed(input));
    }
    if input.len() > SHORT {
        return decode_long(input, rules, level);
    }
    if rules.are_simple() {
        let level = Level::usable(level);
        // Where there are masked loads, they take no longer than a word.
        if matches!(input.len(), 4 | 5) && level.level() != Level::Avx512 {
            return decode_few(input, rules.strict, Kernels::of(level));
        }
        return decode_short(input, rules.strict, Kernels::of(level));
    }
    decode_by_rules(input, rules, level)
}

/// Decodes more than 64 bytes.
#[inline(never)]
fn decode_long<'a>(input: &'a [u8], rules: &DecodeRules, level: Option<Level>) -> Result<Cow<'a, [u8]>, DecodeError> {
    // A '%' near the start is seen at a glance, and seldom malformed: then there is nothing to look for.
    let first = if word::contains(&input[..SHORT], b'%') { Some(0) } else { scan_decode(input, rules, level)? };
    let Some(first) = first else { return Ok(Cow::Borrowed(input)) };
    let (unchanged, rest) = input.split_at(first);
    let mut output = Vec::with_capacity(input.len());
    output.extend_from_slice(unchanged);
    append_decoded(rest, &mut output, rules, level)
        .map_err(|error| DecodeError::new(error.kind, first + error.position))?;
    Ok(output_or_input(output, input, rules))
}

/// What decoding made, unless that is the input.
#[inline(always)]
fn output_or_input<'a>(output: Vec<u8>, input: &'a [u8], rules: &DecodeRules) -> Cow<'a, [u8]> {
    // Where no triplet was decoded, a '+' may yet have become a space.
    let is_changed = output.len() < input.len() || rules.plus && output != input;
    if is_changed { Cow::Owned(output) } else { Cow::Borrowed(input) }
}

/// Decodes four or five bytes without policies: a triplet and what is around it, without a kernel.
#[inline(never)]
fn decode_few<'a>(input: &'a [u8], strict: bool, kernels: &Kernels) -> Result<Cow<'a, [u8]>, DecodeError> {
    let Some(bytes) = decode_triplet(input) else { return decode_short(input, strict, kernels) };
    let mut output = bytes.to_vec();
    output.truncate(input.len() - 2);
    Ok(Cow::Owned(output))
}

/// Decodes at most 64 bytes without policies.
#[inline(never)]
fn decode_short<'a>(input: &'a [u8], strict: bool, kernels: &Kernels) -> Result<Cow<'a, [u8]>, DecodeError> {
    // Much text is decoded character by character.
    if input.len() == 3
        && let Some(byte) = first_triplet(input)
    {
        return Ok(Cow::Owned(Vec::from([byte])));
    }
    let mut output = Vec::with_capacity(input.len() + SLACK);
    let (source, target) = Tape::new(input, output.spare_capacity_mut()).halves();
    // SAFETY: kernels are looked up for levels that the machine has; the tape keeps the rest. (tests/differential.rs, tests/bounds.rs)
    match unsafe { (kernels.decode_short)(source, target, strict) } {
        None => {
            let (source, target) = Tape::source_only(input).halves();
            // SAFETY: as above.
            let progress =
                unsafe { kernels.decode::<Measure>(&DecodeRules::STRICT)(source, target, &DecodeRules::STRICT) };
            decode_outcome(&progress).map(|()| Cow::Borrowed(input))
        }
        Some(written) if written == input.len() => Ok(Cow::Borrowed(input)),
        Some(written) => {
            // SAFETY: the kernel initialised `written` bytes of the capacity. (tests/bounds.rs)
            unsafe { output.set_len(written) }
            Ok(Cow::Owned(output))
        }
    }
}

/// Decodes by policies.
#[inline(never)]
fn decode_by_rules<'a>(
    input: &'a [u8],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    let mut output = Vec::with_capacity(input.len() + SLACK);
    append_decoded(input, &mut output, rules, level)?;
    Ok(output_or_input(output, input, rules))
}

/// Appends the decoded form, or nothing if there is an error. Allocates at most the input's length.
#[inline]
pub(crate) fn append_decoded(
    input: &[u8],
    output: &mut Vec<u8>,
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<(), DecodeError> {
    output.reserve(input.len());
    let length = output.len();
    match decode(input, output.spare_capacity_mut(), rules, level) {
        Ok(written) => {
            // SAFETY: the kernel initialised `written` bytes of the spare capacity. (tests/bounds.rs)
            unsafe { output.set_len(length + written) }
            Ok(())
        }
        Err(DecodeIntoError::Decode(error)) => Err(error),
        // Decoding never grows, and there is room for the whole input.
        Err(DecodeIntoError::BufferTooSmall(_)) => Ok(()),
    }
}

/// Appends the normal form; with `escape`, which takes strict rules, malformed '%' become `%25`.
pub(crate) fn append_normalized(
    input: &str,
    output: &mut String,
    rules: &DecodeRules,
    escape: bool,
    level: Option<Level>,
) -> Result<(), DecodeError> {
    let before = output.len();
    // SAFETY: only runs of ASCII are replaced, and only by ASCII, since the rules keep the triplets of other bytes; so what is
    // appended is text like the input. An error takes it back.
    let output = unsafe { output.as_mut_vec() };
    let result = ManyDecoder::new(rules, level).append_escaping(input.as_bytes(), output, escape);
    if result.is_err() {
        output.truncate(before);
    }
    result
}

/// The parts of a text in which a replacement stands for each maximal subpart of an ill-formed sequence (Unicode 3.9).
pub(crate) fn replacing<'t>(
    bytes: &'t [u8],
    replacement: &'t str,
    level: Option<Level>,
) -> impl Iterator<Item = &'t str> {
    characters(bytes).flat_map(move |piece| {
        let text = checked_text(piece, level);
        let ill_formed = if text.is_some() { b"" } else { piece };
        let parts = ill_formed.utf8_chunks().flat_map(move |chunk| {
            let end = if chunk.invalid().is_empty() { "" } else { replacement };
            [chunk.valid(), end]
        });
        text.into_iter().chain(parts)
    })
}

/// The bytes in pieces that no character reaches over: most of them are well-formed even where there are errors.
fn characters(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    const LONGEST: usize = 1024;
    let mut rest = bytes;
    core::iter::from_fn(move || {
        let mut length = rest.len().min(LONGEST);
        if length < rest.len() {
            // Before a byte that continues nothing, or behind four that do: then the last of them is in no character.
            let continues = |byte: &u8| matches!(byte, 0x80..=0xBF);
            length -= rest[length - 3..=length].iter().rev().take_while(|byte| continues(byte)).count() % 4;
        }
        let (piece, behind) = rest.split_at(length);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The text in which a replacement stands for each maximal subpart of an ill-formed sequence.
pub(crate) fn replace_ill_formed(bytes: &[u8], replacement: &str, level: Option<Level>) -> String {
    let mut text = String::with_capacity(bytes.len());
    text.extend(replacing(bytes, replacement, level));
    text
}

/// The text that these bytes are, or the bytes and the offset of the first one that is not well-formed UTF-8.
#[inline]
pub(crate) fn into_text(bytes: Cow<'_, [u8]>, level: Option<Level>) -> Result<Cow<'_, str>, (Cow<'_, [u8]>, usize)> {
    match find_ill_formed(&bytes, level) {
        // SAFETY: just checked.
        None => Ok(unsafe { into_text_unchecked(bytes) }),
        Some(offset) => Err((bytes, offset)),
    }
}

/// # Safety
///
/// The bytes are well-formed UTF-8.
#[inline]
pub(crate) unsafe fn into_text_unchecked(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        // SAFETY: the caller's promise.
        Cow::Borrowed(bytes) => Cow::Borrowed(unsafe { core::str::from_utf8_unchecked(bytes) }),
        // SAFETY: the caller's promise.
        Cow::Owned(bytes) => Cow::Owned(unsafe { String::from_utf8_unchecked(bytes) }),
    }
}

//! What allocates: results of their own, and text of bytes.
//!
//! Its unsafe code is held by tests/bounds.rs and tests/guarded_heap.rs, where buffers touch pages that may not be touched, and by
//! tests/differential.rs, which has every form compared with the oracle on every level.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::str::from_boxed_utf8_unchecked;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;

use super::many::{ManyDecoder, ManyEncoder};
use super::{
    SHORT, assume_init, checked_text, decode, find_ill_formed, for_each_part, is_plain,
    measure_encode, run_decode_short, run_encode, scan_decode,
};
use crate::error::{DecodeError, DecodeIntoError};
use crate::kernel::scalar::is_alphanumeric_and_plain;
use crate::kernel::tape::Tape;
use crate::kernel::{Kernels, SCAN, SHORT_OUTPUT, Stop, WRITE, word};
use crate::level::Level;
use crate::rules::{DecodeRules, EncodeRules, LOWERCASE, UPPERCASE};

/// With this much room behind a short result, kernels can store whole registers to the end.
pub(super) const SLACK: usize = 16;

/// Offset of the first byte that encoding changes.
#[inline]
pub(crate) fn scan_encode(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> Option<usize> {
    for_each_part(input, rules, level, |at, part, rules| {
        let progress = run_encode(Tape::source_only(part), rules, SCAN, level);
        if progress.stop() == Stop::Change { Err(at + progress.read()) } else { Ok(()) }
    })
    .err()
}

#[inline(always)]
pub(crate) fn encode_to_cow<'a>(input: &'a [u8], rules: &EncodeRules, level: Option<Level>) -> Cow<'a, str> {
    let encoded = if is_plain_to_encoder(input, rules, level) {
        None
    } else if input.len() > SHORT || !rules.are_simple() {
        encode_any(input, rules, level)
    } else if let [byte] = *input {
        // Character by character is how much text gets encoded.
        return Cow::Borrowed(encode_byte(byte, rules));
    } else {
        encode_short(input, rules, level)
    };
    match encoded {
        Some(text) => Cow::Owned(String::from(text)),
        // SAFETY: the rules leave no byte from 0x80 but, if told to, those of well-formed UTF-8: see `EncodeRules::escape` and
        // `for_each_part`. (tests/differential.rs)
        None => unsafe { into_text_unchecked(Cow::Borrowed(input)) },
    }
}

/// Whether a few bytes surely are their own encoded form: seen without calling a kernel. What is not escaped stays, whatever else
/// the rules say, but for spaces.
#[inline(always)]
fn is_plain_to_encoder(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> bool {
    if rules.plus() {
        return input.is_empty();
    }
    let is_escaped = |byte| rules.escape().contains(byte);
    match *input {
        [] => true,
        [a] => !is_escaped(a),
        [a, b] => !(is_escaped(a) | is_escaped(b)),
        [a, b, c] => !(is_escaped(a) | is_escaped(b) | is_escaped(c)),
        _ if input.len() <= 8 => is_alphanumeric_and_plain(input, rules.escape()),
        // Where there are vectors, they are as fast.
        _ => input.len() < 16 && is_scalar(level) && is_alphanumeric_and_plain(input, rules.escape()),
    }
}

fn is_scalar(level: Option<Level>) -> bool {
    Level::usable(level).level() == Level::Scalar
}

// What encodes returns its text, if it is not the input, in two registers. A `Cow` would be three words of memory: who frees it waits for
// them, and who moves it in other pieces than it was stored waits long.

/// Encodes at most 64 bytes to the stack, and copies from there to as much memory as is needed.
#[inline(never)]
fn encode_short(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> Option<Box<str>> {
    let mut output = [MaybeUninit::uninit(); SHORT_OUTPUT];
    let kernel = Kernels::of(Level::usable(level)).encode_short;
    // SAFETY: a usable level is one that the machine has. (tests/differential.rs, tests/bounds.rs)
    let written = unsafe { kernel(input, &mut output, rules) }?;
    // SAFETY: the kernel initialised as much as it says. (tests/bounds.rs)
    let encoded: &[u8] = unsafe { assume_init(&mut output, written) };
    // SAFETY: as in `encode_to_cow`.
    Some(unsafe { from_boxed_utf8_unchecked(Box::from(encoded)) })
}

/// What a byte that encoding changes becomes.
fn encode_byte(byte: u8, rules: &EncodeRules) -> &'static str {
    static UPPERCASE_TRIPLETS: [[u8; 3]; 256] = triplets(UPPERCASE);
    static LOWERCASE_TRIPLETS: [[u8; 3]; 256] = triplets(LOWERCASE);
    let triplets = if rules.digits == UPPERCASE { &UPPERCASE_TRIPLETS } else { &LOWERCASE_TRIPLETS };
    // SAFETY: triplets are ASCII.
    unsafe { core::str::from_utf8_unchecked(&triplets[usize::from(byte)]) }
}

const fn triplets(digits: &[u8; 16]) -> [[u8; 3]; 256] {
    let mut triplets = [[b'%', 0, 0]; 256];
    let mut byte = 0;
    while byte < 256 {
        triplets[byte][1] = digits[byte >> 4];
        triplets[byte][2] = digits[byte & 15];
        byte += 1;
    }
    triplets
}

/// Inputs of up to this many bytes are encoded to the stack first: looking at them twice costs more than a copy.
const ONCE: usize = 1024;

/// Encodes to the stack, and copies from there to as much memory as is needed.
#[inline(never)]
fn encode_once(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> Option<Box<str>> {
    let mut buffer = [MaybeUninit::uninit(); 3 * ONCE + 8];
    let written = run_encode(Tape::new(input, &mut buffer), rules, WRITE, level).written;
    // SAFETY: the buffer has room for the worst case, so the kernel initialised `written` bytes of it. (tests/bounds.rs)
    let output: &[u8] = unsafe { assume_init(&mut buffer, written) };
    let is_changed = written > input.len() || rules.plus() && output != input;
    // SAFETY: as in `encode_to_cow`.
    is_changed.then(|| unsafe { from_boxed_utf8_unchecked(Box::from(output)) })
}

// What callers get inlined stays small.
#[inline(never)]
fn encode_any(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> Option<Box<str>> {
    if input.len() <= ONCE && !rules.keep_non_ascii {
        return encode_once(input, rules, level);
    }
    let first = scan_encode(input, rules, level)?;
    let (unchanged, rest) = input.split_at(first);
    let mut output = Vec::with_capacity(first.saturating_add(measure_encode(rest, rules, level)));
    output.extend_from_slice(unchanged);
    ManyEncoder::new(rules, level).fill(rest, &mut output);
    // SAFETY: as in `encode_to_cow`; its parts keep their order.
    Some(unsafe { from_boxed_utf8_unchecked(output.into_boxed_slice()) })
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
    let decoded = if input.len() > SHORT {
        decode_long(input, rules, level)
    } else if rules.are_simple() {
        decode_short(input, rules.strict, level)
    } else {
        Decoded::OTHERWISE
    };
    match decoded.memory {
        // SAFETY: see `Decoded::new`. (tests/guarded_heap.rs)
        Some(memory) => Ok(Cow::Owned(unsafe {
            Vec::from_raw_parts(memory.as_ptr(), decoded.length, Decoded::capacity(input))
        })),
        None if decoded.length == input.len() => Ok(Cow::Borrowed(input)),
        None => decode_by_rules(input, rules, level),
    }
}

/// What decoding an input came to, in two registers, as when encoding.
struct Decoded {
    /// The memory of a vector, unless the input was right already, or something came between.
    memory: Option<NonNull<u8>>,
    length: usize,
}

impl Decoded {
    /// There is a policy or an error, so this is not the way.
    const OTHERWISE: Self = Self { memory: None, length: usize::MAX };

    /// The capacity of the vector: with room for the whole input, decoding never stops.
    #[inline(always)]
    fn capacity(input: &[u8]) -> usize {
        input.len() + SLACK
    }

    #[inline(always)]
    fn unchanged(input: &[u8]) -> Self {
        Self { memory: None, length: input.len() }
    }

    /// Takes a vector apart that was made with the [`capacity`](Self::capacity) for the input.
    #[inline(always)]
    fn new(input: &[u8], output: Vec<u8>) -> Self {
        // It is said of vectors that they have that much "at least", and whoever puts it together again takes it for exact.
        if output.capacity() != Self::capacity(input) {
            return Self::OTHERWISE;
        }
        let mut output = ManuallyDrop::new(output);
        Self { memory: NonNull::new(output.as_mut_ptr()), length: output.len() }
    }
}

/// Decodes more than 64 bytes.
#[inline(never)]
fn decode_long(input: &[u8], rules: &DecodeRules, level: Option<Level>) -> Decoded {
    // A '%' near the start is seen at a glance, and seldom malformed: then there is nothing to look for.
    let first = if word::contains(&input[..SHORT], b'%') { Ok(Some(0)) } else { scan_decode(input, rules, level) };
    let (unchanged, rest) = match first {
        Ok(Some(first)) => input.split_at(first),
        Ok(None) => return Decoded::unchanged(input),
        Err(_) => return Decoded::OTHERWISE,
    };
    let mut output = Vec::with_capacity(Decoded::capacity(input));
    output.extend_from_slice(unchanged);
    if append_decoded(rest, &mut output, rules, level).is_err() {
        return Decoded::OTHERWISE;
    }
    // Where no triplet was decoded, a '+' may yet have become a space.
    let is_changed = output.len() < input.len() || rules.plus && output != input;
    if is_changed { Decoded::new(input, output) } else { Decoded::unchanged(input) }
}

/// Decodes at most 64 bytes without policies.
#[inline(never)]
fn decode_short(input: &[u8], strict: bool, level: Option<Level>) -> Decoded {
    let mut output = Vec::with_capacity(Decoded::capacity(input));
    match run_decode_short(Tape::new(input, output.spare_capacity_mut()), strict, level) {
        None => Decoded::OTHERWISE,
        Some(written) if written == input.len() => Decoded::unchanged(input),
        Some(written) => {
            // SAFETY: the kernel initialised `written` bytes of the capacity. (tests/bounds.rs)
            unsafe { output.set_len(written) }
            Decoded::new(input, output)
        }
    }
}

/// Decodes whatever it is, and says what is wrong with it.
#[inline(never)]
fn decode_by_rules<'a>(
    input: &'a [u8],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    let mut output = Vec::with_capacity(Decoded::capacity(input));
    append_decoded(input, &mut output, rules, level)?;
    // As in `decode_long`.
    let is_changed = output.len() < input.len() || rules.plus && output != input;
    Ok(if is_changed { Cow::Owned(output) } else { Cow::Borrowed(input) })
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
pub(crate) fn into_text(
    bytes: Cow<'_, [u8]>,
    level: Option<Level>,
) -> Result<Cow<'_, str>, (Cow<'_, [u8]>, usize)> {
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

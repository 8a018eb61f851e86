//! What allocates: results of their own, and text of bytes.
//!
//! Its unsafe code is held by tests/bounds.rs and tests/guarded_heap.rs, where buffers touch pages that may not be touched, and by
//! tests/differential.rs, which has every form compared with the oracle on every level.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::batch::{BatchDecoder, BatchEncoder};
use super::text::into_text_unchecked;
use super::{SHORT, assume_init, decode, decode_outcome, for_each_part, measure_encode, run_encode, scan_decode};
use crate::error::{DecodeError, DecodeIntoError};
use crate::hex::first_triplet;
use crate::kernel::inout::InOut;
use crate::kernel::op::{Measure, Scan, Write};
use crate::kernel::outcome::Stop;
use crate::kernel::{Kernels, SHORT_OUTPUT, swar};
use crate::level::Level;
use crate::rules::{DecodeRules, EncodeRules};

/// With this much room behind a short result, kernels can store whole registers to the end.
pub(super) const SLACK: usize = 16;

/// Offset of the first byte that encoding changes.
#[inline]
pub(crate) fn scan_encode(input: &[u8], rules: &EncodeRules, level: Option<Level>) -> Option<usize> {
    for_each_part(input, rules, level, |at, part, rules| {
        let progress = run_encode::<Scan>(InOut::source_only(part), rules, level);
        if progress.stop() == Stop::Change { Err(at + progress.read()) } else { Ok(()) }
    })
    .err()
}

/// What encoding made, or the input.
///
/// # Safety
///
/// Encoding made it, or would have made the same of the input.
#[inline(always)]
pub(super) unsafe fn to_text<'a>(encoded: Option<Vec<u8>>, input: &'a [u8]) -> Cow<'a, str> {
    let bytes = encoded.map_or(Cow::Borrowed(input), Cow::Owned);
    // SAFETY: the rules leave no byte from 0x80 but, if told to, those of well-formed UTF-8, in their order: see
    // `EncodeRules::escape` and `for_each_part`. (tests/differential.rs)
    unsafe { into_text_unchecked(bytes) }
}

/// Encodes at most 64 bytes to the stack, and copies from there to as much memory as is needed.
#[inline(never)]
pub(super) fn encode_short<'a>(input: &'a [u8], rules: &EncodeRules, kernels: &Kernels) -> Cow<'a, str> {
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

/// Inputs of up to this many bytes are encoded to the stack first: looking at them twice costs more than a copy.
const ONCE: usize = 1024;

/// Encodes to the stack, and copies from there to as much memory as is needed.
#[inline(never)]
fn encode_once<'a>(input: &'a [u8], rules: &EncodeRules, level: Option<Level>) -> Cow<'a, str> {
    let mut buffer = [MaybeUninit::uninit(); 3 * ONCE + 8];
    // The buffer has room for the worst case.
    let written = run_encode::<Write>(InOut::new(input, &mut buffer), rules, level).initialised();
    // SAFETY: the kernel initialised `written` bytes of it. (tests/bounds.rs)
    let output: &[u8] = unsafe { assume_init(&mut buffer, written) };
    let is_changed = written > input.len() || rules.plus() && output != input;
    // SAFETY: as `to_text` says.
    unsafe { to_text(is_changed.then(|| output.to_vec()), input) }
}

#[inline(never)]
pub(super) fn encode_any<'a>(input: &'a [u8], rules: &EncodeRules, level: Option<Level>) -> Cow<'a, str> {
    if input.len() <= ONCE && !rules.keep_non_ascii {
        return encode_once(input, rules, level);
    }
    let encoded = scan_encode(input, rules, level).map(|first| {
        let (unchanged, rest) = input.split_at(first);
        let mut output = Vec::with_capacity(first.saturating_add(measure_encode(rest, rules, level)));
        output.extend_from_slice(unchanged);
        BatchEncoder::new(rules, level).fill(rest, &mut output);
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
    BatchEncoder::new(rules, level).append(input, output);
}

/// Decodes more than 64 bytes.
#[inline(never)]
pub(super) fn decode_long<'a>(
    input: &'a [u8],
    rules: &DecodeRules,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    // A '%' near the start is seen at a glance, and seldom malformed: then there is nothing to look for.
    let first = if swar::contains(&input[..SHORT], b'%') { Some(0) } else { scan_decode(input, rules, level)? };
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

/// Decodes at most 64 bytes without policies.
#[inline(never)]
pub(super) fn decode_short<'a>(input: &'a [u8], strict: bool, kernels: &Kernels) -> Result<Cow<'a, [u8]>, DecodeError> {
    // Much text is decoded character by character.
    if input.len() == 3
        && let Some(byte) = first_triplet(input)
    {
        return Ok(Cow::Owned(Vec::from([byte])));
    }
    let mut output = Vec::with_capacity(input.len() + SLACK);
    let (source, target) = InOut::new(input, output.spare_capacity_mut()).halves();
    // SAFETY: kernels are looked up for levels that the machine has; the io keeps the rest. (tests/differential.rs, tests/bounds.rs)
    match unsafe { (kernels.decode_short)(source, target, strict) } {
        None => {
            let (source, target) = InOut::source_only(input).halves();
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
pub(super) fn decode_by_rules<'a>(
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
    let result = BatchDecoder::new(rules, level).append_escaping(input.as_bytes(), output, escape);
    if result.is_err() {
        output.truncate(before);
    }
    result
}

//! Allocating operations: results as `Cow`, and appending to `Vec` and `String`.
//!
//! Its unsafe code is covered by tests/bounds.rs and tests/guarded_heap.rs, which place buffers
//! next to guard pages, and by tests/differential.rs, which compares every operation with the
//! reference implementation on every level.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::batch::{BatchDecoder, BatchEncoder};
use super::utf8::into_text_unchecked;
use super::{
    DecodePlan, EncodePlan, SHORT, assume_init, decode, decode_outcome, measure_encode, run_encode, scan_decode,
    scan_encode,
};
use crate::error::{DecodeError, DecodeIntoError};
use crate::hex::first_triplet;
use crate::kernel::dispatch::{DECODE_SHORT, ENCODE_SHORT};
use crate::kernel::inout::InOut;
use crate::kernel::op::{Measure, Write};
use crate::kernel::{SHORT_OUTPUT, swar};
use crate::level::{Level, Supported};

/// Spare capacity after a short result, so that kernels can store whole registers up to its end.
pub(super) const SLACK: usize = 16;

/// Returns the encoded output, or the input if there is none.
///
/// # Safety
///
/// `encoded` is the output of encoding `input`, or is `None` and encoding leaves `input` unchanged.
#[inline(always)]
pub(super) unsafe fn to_text<'a>(encoded: Option<Vec<u8>>, input: &'a [u8]) -> Cow<'a, str> {
    let bytes = encoded.map_or(Cow::Borrowed(input), Cow::Owned);
    // SAFETY: the output is well-formed UTF-8. Bytes from 0x80 are escaped, except those of
    // well-formed sequences, which are kept in order: see `EncodeRules::escape` and
    // `for_each_part`. (tests/differential.rs)
    unsafe { into_text_unchecked(bytes) }
}

/// Encodes at most 64 bytes to a stack buffer, then allocates exactly as much as is needed.
#[inline(never)]
pub(super) fn encode_short<'a>(input: &'a [u8], plan: &EncodePlan, level: Supported) -> Cow<'a, str> {
    let mut buffer = [MaybeUninit::uninit(); SHORT_OUTPUT];
    // SAFETY: `level` is supported: this CPU has it.
    // (tests/differential.rs, tests/bounds.rs)
    let Some(written) = (unsafe { ENCODE_SHORT.of(level)(input, &mut buffer, plan) }) else {
        // SAFETY: the kernel returned `None`: nothing is escaped.
        return unsafe { to_text(None, input) };
    };
    let mut output = Vec::with_capacity(written.next_multiple_of(PIECE));
    copy_pieces(&buffer, output.spare_capacity_mut(), written);
    // SAFETY: the kernel initialised `written` bytes. (tests/bounds.rs)
    unsafe { output.set_len(written) }
    // SAFETY: `output` is the kernel's encoding of `input`.
    unsafe { to_text(Some(output), input) }
}

const PIECE: usize = 16;

/// Copies `length` rounded up to [`PIECE`]; for one or two pieces cheaper than a `memcpy` call.
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

/// Up to this length, inputs are encoded to the stack first: scanning them twice costs more than
/// the copy.
const ONCE: usize = 1024;

/// Encodes to a stack buffer, then allocates exactly as much as is needed.
#[inline(never)]
fn encode_once<'a>(input: &'a [u8], plan: &EncodePlan, level: Option<Level>) -> Cow<'a, str> {
    let mut buffer = [MaybeUninit::uninit(); 3 * ONCE + 8];
    // The buffer holds the worst case.
    let written = run_encode::<Write>(InOut::new(input, &mut buffer), plan, level).initialised();
    // SAFETY: the kernel initialised `written` bytes of the buffer. (tests/bounds.rs)
    let output: &[u8] = unsafe { assume_init(&mut buffer, written) };
    let is_changed = written > input.len() || plan.plus() && output != input;
    // SAFETY: `output` is the encoding of `input`, and equal to it unless `is_changed`.
    unsafe { to_text(is_changed.then(|| output.to_vec()), input) }
}

#[inline(never)]
pub(super) fn encode_any<'a>(input: &'a [u8], plan: &EncodePlan, level: Option<Level>) -> Cow<'a, str> {
    if input.len() <= ONCE && !plan.keep_non_ascii {
        return encode_once(input, plan, level);
    }
    let encoded = scan_encode(input, plan, level).map(|first| {
        let (unchanged, rest) = input.split_at(first);
        let mut output = Vec::with_capacity(first.saturating_add(measure_encode(rest, plan, level)));
        output.extend_from_slice(unchanged);
        BatchEncoder::new(plan, level).fill(rest, &mut output);
        output
    });
    // SAFETY: see the condition of `to_text`; `encoded` is `None` only if encoding changes nothing.
    unsafe { to_text(encoded, input) }
}

/// Appends the encoded form. Reserves nothing if the worst case fits, else exactly what is needed.
#[inline]
pub(crate) fn append_encoded_text(input: &[u8], output: &mut String, plan: &EncodePlan, level: Option<Level>) {
    // SAFETY: only well-formed UTF-8 is appended (see `to_text`).
    append_encoded(input, unsafe { output.as_mut_vec() }, plan, level);
}

#[inline]
pub(crate) fn append_encoded(input: &[u8], output: &mut Vec<u8>, plan: &EncodePlan, level: Option<Level>) {
    BatchEncoder::new(plan, level).append(input, output);
}

/// Decodes more than 64 bytes.
#[inline(never)]
pub(super) fn decode_long<'a>(
    input: &'a [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    // If the first 64 bytes contain `%`, skip the scan: almost certainly something must be decoded.
    let first = if swar::contains(&input[..SHORT], b'%') { Some(0) } else { scan_decode(input, plan, level)? };
    let Some(first) = first else { return Ok(Cow::Borrowed(input)) };
    let (unchanged, rest) = input.split_at(first);
    let mut output = Vec::with_capacity(input.len());
    output.extend_from_slice(unchanged);
    append_decoded(rest, &mut output, plan, level)
        .map_err(|error| DecodeError::new(error.kind, first + error.position))?;
    Ok(output_or_input(output, input, plan))
}

/// Returns the decoded output, or the input if decoding changed nothing.
#[inline(always)]
fn output_or_input<'a>(output: Vec<u8>, input: &'a [u8], plan: &DecodePlan) -> Cow<'a, [u8]> {
    // With equal lengths no triplet was decoded, but a `+` may have become a space.
    let is_changed = output.len() < input.len() || plan.plus && output != input;
    if is_changed { Cow::Owned(output) } else { Cow::Borrowed(input) }
}

/// Decodes at most 64 bytes without policies.
#[inline(never)]
pub(super) fn decode_short<'a>(input: &'a [u8], strict: bool, level: Supported) -> Result<Cow<'a, [u8]>, DecodeError> {
    // Many callers decode one character at a time.
    if input.len() == 3
        && let Some(byte) = first_triplet(input)
    {
        return Ok(Cow::Owned(Vec::from([byte])));
    }
    let mut output = Vec::with_capacity(input.len() + SLACK);
    let (source, target) = InOut::new(input, output.spare_capacity_mut()).halves();
    // SAFETY: `level` is supported: this CPU has it. `InOut` guarantees
    // that source and target are valid. (tests/differential.rs, tests/bounds.rs)
    match unsafe { DECODE_SHORT.of(level)(source, target, strict) } {
        None => {
            let (source, target) = InOut::source_only(input).halves();
            // SAFETY: as above.
            let progress = unsafe { DecodePlan::STRICT.kernel::<Measure>(level)(source, target, &DecodePlan::STRICT) };
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

/// Decodes with policies.
#[inline(never)]
pub(super) fn decode_by_rules<'a>(
    input: &'a [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    let mut output = Vec::with_capacity(input.len() + SLACK);
    append_decoded(input, &mut output, plan, level)?;
    Ok(output_or_input(output, input, plan))
}

/// Appends the decoded form; appends nothing on error. Reserves at most the input's length.
#[inline]
pub(crate) fn append_decoded(
    input: &[u8],
    output: &mut Vec<u8>,
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<(), DecodeError> {
    output.reserve(input.len());
    let length = output.len();
    match decode(input, output.spare_capacity_mut(), plan, level) {
        Ok(written) => {
            // SAFETY: the kernel initialised `written` bytes of the spare capacity.
            // (tests/bounds.rs)
            unsafe { output.set_len(length + written) }
            Ok(())
        }
        Err(DecodeIntoError::Decode(error)) => Err(error),
        // Unreachable: the output is never longer than the input.
        Err(DecodeIntoError::BufferTooSmall(_)) => Ok(()),
    }
}

/// As [`append_normalized`], for text.
pub(crate) fn append_normalized_text(
    input: &str,
    output: &mut String,
    plan: &DecodePlan,
    escape: bool,
    level: Option<Level>,
) -> Result<(), DecodeError> {
    // SAFETY: the rules keep the triplets of non-ASCII bytes, so ASCII is replaced by ASCII and the
    // appended bytes are well-formed UTF-8 like the input. After an error they are truncated.
    // (tests/normalize.rs)
    append_normalized(input.as_bytes(), unsafe { output.as_mut_vec() }, plan, escape, level)
}

/// Appends the normal form; nothing on an error. With `escape`, a malformed `%` becomes `%25`; this
/// requires strict rules.
pub(crate) fn append_normalized(
    input: &[u8],
    output: &mut Vec<u8>,
    plan: &DecodePlan,
    escape: bool,
    level: Option<Level>,
) -> Result<(), DecodeError> {
    let before = output.len();
    let result = BatchDecoder::new(plan, level).append_escaping(input, output, escape);
    if result.is_err() {
        output.truncate(before);
    }
    result
}

//! Results as `Cow`: the input, or one allocation. [`small`](super::small) has the paths for inputs
//! of up to 64 bytes.
//!
//! The inlined part is kept small, and every slow path is an outlined tail call, so that it needs
//! no stack frame.
//!
//! Its unsafe code is covered by tests/bounds.rs and tests/guarded_heap.rs, which place buffers
//! next to guard pages, and by tests/differential.rs, which compares every operation with the
//! reference implementation on every level.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::append::{SLACK, append_decoded};
use super::batch::BatchEncoder;
use super::small::{WORD, decode_around, decode_short, encode_few, encode_short, encode_word};
use super::utf8::to_text;
use super::{
    DecodePlan, EncodePlan, SHORT, assume_init, is_plain, measure_encode, run_encode, scan_decode, scan_encode,
};
use crate::error::DecodeError;
use crate::kernel::inout::InOut;
use crate::kernel::op::Write;
use crate::kernel::swar;
use crate::level::Level;

#[inline(always)]
pub(crate) fn encode_to_cow<'a>(input: &'a [u8], plan: &EncodePlan, level: Option<Level>) -> Cow<'a, str> {
    if !plan.are_simple() || input.len() > SHORT {
        return encode_any(input, plan, level);
    }
    let is_plain = match *input {
        [] => true,
        [byte] => plan.leaves(byte),
        [a, b] => plan.leave([a, b, b]),
        [a, b, c] => plan.leave([a, b, c]),
        _ if input.len() <= WORD => return encode_word(input, plan, Level::supported(level)),
        _ => return encode_short(input, plan, Level::supported(level)),
    };
    if is_plain {
        // SAFETY: `is_plain`: encoding leaves the input unchanged.
        unsafe { to_text(None, input) }
    } else {
        encode_few(input, plan)
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
fn encode_any<'a>(input: &'a [u8], plan: &EncodePlan, level: Option<Level>) -> Cow<'a, str> {
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

#[inline(always)]
pub(crate) fn decode_to_cow<'a>(
    input: &'a [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    if is_plain(input, plan) {
        return Ok(Cow::Borrowed(input));
    }
    decode_not_plain(input, plan, level)
}

/// Decodes an input that was not found [plain](is_plain).
#[inline(always)]
pub(crate) fn decode_not_plain<'a>(
    input: &'a [u8],
    plan: &DecodePlan,
    level: Option<Level>,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    if input.len() > SHORT {
        return decode_long(input, plan, level);
    }
    if plan.are_simple() {
        let level = Level::supported(level);
        // AVX-512: a masked load is as fast as the SWAR path.
        if matches!(input.len(), 4 | 5) && level.level() != Level::Avx512 {
            return decode_around(input, plan.strict, level);
        }
        return decode_short(input, plan.strict, level);
    }
    decode_by_rules(input, plan, level)
}

/// Decodes more than 64 bytes.
#[inline(never)]
fn decode_long<'a>(input: &'a [u8], plan: &DecodePlan, level: Option<Level>) -> Result<Cow<'a, [u8]>, DecodeError> {
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

/// Decodes with policies.
#[inline(never)]
fn decode_by_rules<'a>(input: &'a [u8], plan: &DecodePlan, level: Option<Level>) -> Result<Cow<'a, [u8]>, DecodeError> {
    let mut output = Vec::with_capacity(input.len() + SLACK);
    append_decoded(input, &mut output, plan, level)?;
    Ok(output_or_input(output, input, plan))
}

/// Returns the decoded output, or the input if decoding changed nothing.
#[inline(always)]
fn output_or_input<'a>(output: Vec<u8>, input: &'a [u8], plan: &DecodePlan) -> Cow<'a, [u8]> {
    // With equal lengths no triplet was decoded, but a `+` may have become a space.
    let is_changed = output.len() < input.len() || plan.plus && output != input;
    if is_changed { Cow::Owned(output) } else { Cow::Borrowed(input) }
}

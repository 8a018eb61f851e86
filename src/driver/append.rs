//! Appending to `Vec` and `String`.
//!
//! Its unsafe code is covered by tests/bounds.rs, tests/guarded_heap.rs, tests/differential.rs and
//! tests/normalize.rs.

use alloc::string::String;
use alloc::vec::Vec;

use super::batch::{BatchDecoder, BatchEncoder};
use super::{DecodePlan, EncodePlan, decode};
use crate::error::{DecodeError, DecodeIntoError};
use crate::level::Level;

/// Spare capacity after a short result, so that kernels can store whole registers up to its end.
pub(super) const SLACK: usize = 16;

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

//! Decodes the names and values of forms (WHATWG URL 5.1).
//!
//! Its unsafe code is covered by tests/form.rs and tests/guarded_heap.rs.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::append::SLACK;
use super::form::Part;
use super::utf8::replace_ill_formed;
use super::utf8::{into_text_unchecked, is_well_formed};
use super::{DecodePlan, SHORT, run_decode};
use crate::kernel::inout::InOut;
use crate::kernel::op::Write;
use crate::kernel::swar;
use crate::level::Level;

/// The rules of the form parser: `+` is a space, a malformed `%` is kept (WHATWG URL 5.1, steps 3.4
/// and 3.5).
const LENIENT: DecodePlan = DecodePlan::LENIENT.with_plus();

/// Whether a part contains `%` or `+`. If so, it can be borrowed only if every `%` is malformed.
#[inline]
fn is_coded(part: &[u8]) -> bool {
    if part.len() <= SHORT {
        swar::contains(part, b'%') || swar::contains(part, b'+')
    } else {
        memchr::memchr2(b'%', b'+', part).is_some()
    }
}

/// Decodes a part to bytes, without scanning it first: callers have already handled
/// [plain](super::form::Part::is_plain) parts.
#[inline]
pub(crate) fn decode_part(part: &[u8], level: Option<Level>) -> Cow<'_, [u8]> {
    if !is_coded(part) {
        return Cow::Borrowed(part);
    }
    let mut output = Vec::with_capacity(part.len() + SLACK);
    // The output is never longer than the input, so it fits.
    let written = run_decode::<Write>(InOut::new(part, output.spare_capacity_mut()), &LENIENT, level).initialised();
    // SAFETY: the kernel initialised `written` bytes of the capacity. (tests/form.rs,
    // tests/guarded_heap.rs)
    unsafe { output.set_len(written) }
    // With equal lengths, a `+` may have become a space.
    if written < part.len() || output != part { Cow::Owned(output) } else { Cow::Borrowed(part) }
}

/// Decodes a part to text, with U+FFFD for each maximal subpart of an ill-formed sequence.
#[inline]
pub(crate) fn decode_part_lossy(part: Part<'_>, level: Option<Level>) -> Cow<'_, str> {
    let bytes = match (decode_part(part.bytes(), level), part.text()) {
        (Cow::Borrowed(_), Some(text)) => return Cow::Borrowed(text),
        (bytes, _) => bytes,
    };
    if swar::is_ascii(&bytes) || is_well_formed(&bytes, level) {
        // SAFETY: ASCII, or just validated. (tests/form.rs)
        unsafe { into_text_unchecked(bytes) }
    } else {
        Cow::Owned(replace_ill_formed(&bytes, "\u{FFFD}", level))
    }
}

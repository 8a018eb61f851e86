//! Decoding the names and values of forms to what allocates (WHATWG URL 5.1).
//!
//! Its unsafe code is covered by tests/form.rs and tests/guarded_heap.rs.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::alloc::SLACK;
use super::text::{into_text_unchecked, is_well_formed, replace_ill_formed};
use super::{SHORT, run_decode};
use crate::kernel::inout::InOut;
use crate::kernel::op::Write;
use crate::kernel::swar;
use crate::level::Level;
use crate::rules::DecodeRules;

/// What the standard decodes with: a '+' is a space, and a malformed '%' stays (WHATWG URL 5.1, steps 3.4 and 3.5).
const LENIENT: DecodeRules = DecodeRules { strict: false, plus: true, ..DecodeRules::STRICT };

/// Whether a part has a '%' or a '+', so that it cannot be borrowed but for malformed '%'.
#[inline]
fn is_coded(part: &[u8]) -> bool {
    if part.len() <= SHORT {
        swar::contains(part, b'%') || swar::contains(part, b'+')
    } else {
        memchr::memchr2(b'%', b'+', part).is_some()
    }
}

/// The decoded bytes of a part. It is decoded at once: those who ask know that it is not [plain](super::Part::is_plain), so
/// there is little use in looking at it first.
#[inline]
pub(crate) fn decode_part(part: &[u8], level: Option<Level>) -> Cow<'_, [u8]> {
    if !is_coded(part) {
        return Cow::Borrowed(part);
    }
    let mut output = Vec::with_capacity(part.len() + SLACK);
    // Decoding never grows.
    let written = run_decode::<Write>(InOut::new(part, output.spare_capacity_mut()), &LENIENT, level).initialised();
    // SAFETY: the kernel initialised `written` bytes of the capacity. (tests/form.rs, tests/guarded_heap.rs)
    unsafe { output.set_len(written) }
    // What is as long may have a space for a '+' yet.
    if written < part.len() || output != part { Cow::Owned(output) } else { Cow::Borrowed(part) }
}

/// The decoded text of a part, with U+FFFD for what is not well-formed UTF-8.
#[inline]
pub(crate) fn decode_part_lossy(part: &[u8], level: Option<Level>) -> Cow<'_, str> {
    let bytes = decode_part(part, level);
    if swar::is_ascii(&bytes) || is_well_formed(&bytes, level) {
        // SAFETY: it is. (tests/form.rs)
        unsafe { into_text_unchecked(bytes) }
    } else {
        Cow::Owned(replace_ill_formed(&bytes, "\u{FFFD}", level))
    }
}

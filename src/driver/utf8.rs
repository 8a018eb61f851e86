//! UTF-8 of bytes: well-formedness, the incomplete suffix, and text without copying.
//!
//! Its unsafe code is covered by tests/utf8.rs and tests/bounds.rs.

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use alloc::string::String;

use crate::kernel::dispatch::IS_WELL_FORMED;
use crate::level::Level;

/// Length of the incomplete suffix: the proper prefix of a well-formed sequence at the end of
/// `text` (Unicode 3.9, table 3-7). At most 3.
pub(crate) fn incomplete_suffix(text: &[u8]) -> usize {
    let end = &text[text.len().saturating_sub(3)..];
    let Some(lead) = end.iter().rposition(|&byte| byte >= 0xC0) else { return 0 };
    let sequence = &end[lead..];
    match core::str::from_utf8(sequence) {
        Err(error) if error.error_len().is_none() => sequence.len(),
        _ => 0,
    }
}

/// Whether `text` is well-formed UTF-8.
#[inline]
pub(crate) fn is_well_formed(text: &[u8], level: Option<Level>) -> bool {
    // SAFETY: the kernel is that of a supported level. (tests/utf8.rs)
    unsafe { IS_WELL_FORMED.of(Level::supported(level))(text) }
}

/// Offset of the first byte that is not part of well-formed UTF-8.
#[inline]
pub(crate) fn find_ill_formed(bytes: &[u8], level: Option<Level>) -> Option<usize> {
    if is_well_formed(bytes, level) {
        return None;
    }
    // Rare, so a second pass is acceptable.
    simdutf8::compat::from_utf8(bytes).err().map(|error| error.valid_up_to())
}

/// Returns `bytes` as text if they are well-formed UTF-8.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn checked_text(bytes: &[u8], level: Option<Level>) -> Option<&str> {
    // SAFETY: `is_well_formed` returned true. (tests/utf8.rs)
    is_well_formed(bytes, level).then(|| unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// Converts to text; on failure returns the bytes and the offset of the first one that is not part
/// of well-formed UTF-8.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn into_text(bytes: Cow<'_, [u8]>, level: Option<Level>) -> Result<Cow<'_, str>, (Cow<'_, [u8]>, usize)> {
    match find_ill_formed(&bytes, level) {
        // SAFETY: `find_ill_formed` found nothing.
        None => Ok(unsafe { into_text_unchecked(bytes) }),
        Some(offset) => Err((bytes, offset)),
    }
}

/// # Safety
///
/// The bytes are well-formed UTF-8.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) unsafe fn into_text_unchecked(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        // SAFETY: the caller guarantees well-formed UTF-8.
        Cow::Borrowed(bytes) => Cow::Borrowed(unsafe { core::str::from_utf8_unchecked(bytes) }),
        // SAFETY: as above.
        Cow::Owned(bytes) => Cow::Owned(unsafe { String::from_utf8_unchecked(bytes) }),
    }
}

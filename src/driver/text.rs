//! UTF-8 validation of decoded bytes, incomplete suffixes, and replacement of ill-formed sequences.
//!
//! Its unsafe code is covered by tests/utf8.rs and tests/bounds.rs.

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use alloc::string::String;

#[cfg(feature = "alloc")]
use super::DecodePlan;
#[cfg(feature = "alloc")]
use super::alloc::append_decoded;
#[cfg(feature = "alloc")]
use crate::error::DecodeError;
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

/// Length of the incomplete triplet at the end of `bytes` (RFC 3986 2.1). At most 2.
pub(crate) fn incomplete_triplet(bytes: &[u8]) -> usize {
    match bytes {
        [.., b'%'] => 1,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => 2,
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

#[cfg(feature = "alloc")]
/// Yields the text in parts, with `replacement` for each maximal subpart of an ill-formed sequence
/// (Unicode 3.9).
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

#[cfg(feature = "alloc")]
/// Splits `bytes` at character boundaries into pieces of about 1 KiB, so that most pieces are
/// well-formed even if the input has errors.
fn characters(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    const LONGEST: usize = 1024;
    let mut rest = bytes;
    core::iter::from_fn(move || {
        let mut length = rest.len().min(LONGEST);
        if length < rest.len() {
            // Cut before the last byte that is not a continuation byte. The last of four
            // continuation bytes is part of no character, so a cut before it is a boundary too.
            let continues = |byte: &u8| matches!(byte, 0x80..=0xBF);
            length -= rest[length - 3..=length].iter().rev().take_while(|byte| continues(byte)).count() % 4;
        }
        let (piece, after) = rest.split_at(length);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(feature = "alloc")]
/// Replaces each maximal subpart of an ill-formed sequence.
pub(crate) fn replace_ill_formed(bytes: &[u8], replacement: &str, level: Option<Level>) -> String {
    let mut text = String::with_capacity(bytes.len());
    text.extend(replacing(bytes, replacement, level));
    text
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

/// Why input cannot be decoded to text.
#[cfg(feature = "alloc")]
pub(crate) enum TextError {
    /// It cannot be decoded to bytes.
    Decode(DecodeError),
    /// The output is ill-formed at this offset.
    IllFormed(usize),
}

/// Appends the decoded text; appends nothing on error.
#[cfg(feature = "alloc")]
pub(crate) fn append_decoded_text(
    input: &[u8],
    output: &mut String,
    rules: &DecodePlan,
    level: Option<Level>,
) -> Result<(), TextError> {
    let before = output.len();
    // SAFETY: what is appended is truncated unless it is well-formed, and nothing in between panics.
    // (tests/utf8.rs)
    let output = unsafe { output.as_mut_vec() };
    append_decoded(input, output, rules, level).map_err(TextError::Decode)?;
    match find_ill_formed(&output[before..], level) {
        None => Ok(()),
        Some(offset) => {
            output.truncate(before);
            Err(TextError::IllFormed(offset))
        }
    }
}

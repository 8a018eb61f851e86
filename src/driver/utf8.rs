//! UTF-8 of bytes: well-formedness, the incomplete suffix, text without copying, and replacement of
//! ill-formed sequences.
//!
//! Its unsafe code is covered by tests/utf8.rs and tests/bounds.rs.

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

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

/// Returns the encoded output, or the input if there is none.
///
/// # Safety
///
/// `encoded` is the output of encoding `input`, or is `None` and encoding leaves `input` unchanged.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(super) unsafe fn to_text<'a>(encoded: Option<Vec<u8>>, input: &'a [u8]) -> Cow<'a, str> {
    let bytes = encoded.map_or(Cow::Borrowed(input), Cow::Owned);
    // SAFETY: the output is well-formed UTF-8. Bytes from 0x80 are escaped, except those of
    // well-formed sequences, which are kept in order: see `EncodeRules::escape` and
    // `for_each_part`. (tests/differential.rs)
    unsafe { into_text_unchecked(bytes) }
}

/// Yields the text in parts, with `replacement` for each maximal subpart of an ill-formed sequence
/// (Unicode 3.9).
#[cfg(feature = "alloc")]
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

/// Splits `bytes` at character boundaries into pieces of about 1 KiB, so that most pieces are
/// well-formed even if the input has errors.
#[cfg(feature = "alloc")]
pub(super) fn characters(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
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

/// Replaces each maximal subpart of an ill-formed sequence.
#[cfg(feature = "alloc")]
pub(crate) fn replace_ill_formed(bytes: &[u8], replacement: &str, level: Option<Level>) -> String {
    let mut text = String::with_capacity(bytes.len());
    text.extend(replacing(bytes, replacement, level));
    text
}

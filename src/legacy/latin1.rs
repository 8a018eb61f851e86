//! ISO-8859-1 escapes, as in RFC 1738 and the first versions of HTML: `%XX` is the character
//! U+00XX.
//!
//! In WHATWG's standards, `iso-8859-1` means windows-1252, which has other characters in 0x80 to
//! 0x9F; for that, see `charset`.
//!
//! All options of encoders and decoders (sets, `+` for a space, malformed escapes) apply to bytes
//! of ISO-8859-1. A decoder's rejected set also applies to the bytes of the output, which is UTF-8.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::Unencodable;
use crate::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder};

const ASCII: ByteSet = ByteSet::NON_ASCII.complement();

/// Encodes text in ISO-8859-1 for any component of a URI. Borrows the input if nothing is escaped.
///
/// Escapes all bytes except RFC 3986's unreserved characters. Equivalent to [`encode_with`] and
/// [`Encoder::COMPONENT`].
///
/// # Errors
///
/// Returns the first character above U+00FF.
///
/// ```
/// assert_eq!(simdpct::legacy::latin1::encode("à la carte")?, "%E0%20la%20carte");
/// # Ok::<(), simdpct::legacy::Unencodable>(())
/// ```
pub fn encode(text: &str) -> Result<Cow<'_, str>, Unencodable> {
    encode_with(text, const { &Encoder::COMPONENT })
}

/// Encodes text in ISO-8859-1 (RFC 1738 2.2) with the options of `encoder`. Borrows the input if
/// nothing is escaped.
///
/// [`keep_non_ascii`](Encoder::keep_non_ascii) is ignored, because the bytes are not UTF-8.
///
/// # Errors
///
/// Returns the first character above U+00FF.
///
/// ```
/// use simdpct::legacy::latin1;
/// use simdpct::{Encoder, sets};
///
/// const URL_PART: Encoder = Encoder::new(sets::rfc1738::COMPONENT);
/// assert_eq!(latin1::encode_with("Größe ~5", &URL_PART)?, "Gr%F6%DFe%20%7E5");
/// assert_eq!(latin1::encode_with("größer als 5 €", &URL_PART).unwrap_err().position, 15);
/// # Ok::<(), simdpct::legacy::Unencodable>(())
/// ```
pub fn encode_with<'a>(text: &'a str, encoder: &Encoder) -> Result<Cow<'a, str>, Unencodable> {
    let mut encoder = *encoder;
    encoder.plan = encoder.plan.with_non_ascii_kept(false);
    match to_bytes(text) {
        (_, Some(error)) => Err(error),
        (Cow::Borrowed(_), _) => Ok(encoder.encode(text)),
        (Cow::Owned(bytes), _) => Ok(Cow::Owned(encoder.encode(&bytes).into_owned())),
    }
}

/// Decodes triplets to the characters U+0000 to U+00FF, strictly. Borrows the input if nothing is
/// decoded.
///
/// A raw character up to U+00FF is kept. `+` is not decoded. Equivalent to [`decode_with`] and
/// [`Decoder::new`].
///
/// # Errors
///
/// Returns the first malformed `%`, or raw character above U+00FF.
///
/// ```
/// use simdpct::DecodeErrorKind;
/// use simdpct::legacy::latin1;
///
/// assert_eq!(latin1::decode("Gr%F6%DFe%20%7E5")?, "Größe ~5");
/// let error = latin1::decode("gr%F6ßer als 5 €").unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::Unencodable('€'), 16));
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    decode_with(text, const { &Decoder::new() })
}

/// Decodes triplets to the characters U+0000 to U+00FF, with the options of `decoder`. Borrows the
/// input if nothing is decoded.
///
/// A raw character up to U+00FF is kept.
///
/// # Errors
///
/// Same as [`Decoder::decode`], where rejected bytes are bytes of ISO-8859-1 and of the output, and
/// [`DecodeErrorKind::Unencodable`] for a raw character above U+00FF, which ISO-8859-1 does not
/// contain. Positions are byte offsets in `text`. If there are several errors, the first is
/// reported.
///
/// ```
/// use simdpct::Decoder;
/// use simdpct::legacy::latin1;
///
/// const FORM: Decoder = Decoder::new().lenient().plus_for_space();
/// assert_eq!(latin1::decode_with("100%+Gr%F6%DFe", &FORM)?, "100% Größe");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_with<'a>(text: &'a str, decoder: &Decoder) -> Result<Cow<'a, str>, DecodeError> {
    let (bytes, unencodable) = to_bytes(text);
    // A triplet cannot contain a non-ASCII character, so the text before the first unencodable one
    // is decoded separately.
    let rejecting = reject_output(decoder);
    let decoded = rejecting.decode(&bytes).map_err(|error| {
        // Each character of the text is one byte here.
        let position = text.char_indices().nth(error.position).map_or(text.len(), |(at, _)| at);
        let kind = match (error.kind, decoder.plan.reject) {
            (DecodeErrorKind::Rejected(byte), Some(set)) if !set.contains(byte) => {
                let output = char::from(byte).encode_utf8(&mut [0; 2]).bytes().find(|&byte| set.contains(byte));
                DecodeErrorKind::Rejected(output.unwrap_or(byte))
            }
            (kind, _) => kind,
        };
        DecodeError::new(kind, position)
    })?;
    match (unencodable, decoded) {
        (Some(error), _) => Err(DecodeError::new(DecodeErrorKind::Unencodable(error.character), error.position)),
        (None, Cow::Borrowed(_)) => Ok(Cow::Borrowed(text)),
        (None, Cow::Owned(decoded)) => {
            let mut output = String::with_capacity(decoded.len() + ByteSet::NON_ASCII.count(&decoded));
            push(&decoded, &mut output);
            Ok(Cow::Owned(output))
        }
    }
}

/// A decoder that also rejects the bytes whose characters contain a rejected byte in UTF-8.
fn reject_output(decoder: &Decoder) -> Decoder {
    let Some(set) = decoder.plan.reject.filter(|set| set.intersection(ByteSet::NON_ASCII) != ByteSet::EMPTY) else {
        return *decoder;
    };
    let is_rejected = |&byte: &u8| char::from(byte).encode_utf8(&mut [0; 2]).bytes().any(|byte| set.contains(byte));
    decoder.reject((0x80..=0xFF).filter(is_rejected).fold(set, ByteSet::with))
}

/// The text in ISO-8859-1, up to the first character that it cannot represent.
fn to_bytes(text: &str) -> (Cow<'_, [u8]>, Option<Unencodable>) {
    let Some(mut at) = ByteSet::NON_ASCII.find(text.as_bytes()) else {
        return (Cow::Borrowed(text.as_bytes()), None);
    };
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend_from_slice(&text.as_bytes()[..at]);
    while at < text.len() {
        let end = ASCII.find(&text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        for (offset, character) in text[at..end].char_indices() {
            let Ok(byte) = u8::try_from(character) else {
                return (Cow::Owned(bytes), Some(Unencodable { character, position: at + offset }));
            };
            bytes.push(byte);
        }
        at = ByteSet::NON_ASCII.find(&text.as_bytes()[end..]).map_or(text.len(), |length| end + length);
        bytes.extend_from_slice(&text.as_bytes()[end..at]);
    }
    (Cow::Owned(bytes), None)
}

/// Appends the characters U+00XX of the bytes.
pub(super) fn push(bytes: &[u8], output: &mut String) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (ascii, after) = rest.split_at(ByteSet::NON_ASCII.find(rest).unwrap_or(rest.len()));
        output.push_str(core::str::from_utf8(ascii).unwrap_or_default());
        // Short runs: most letters of words in Latin script are ASCII.
        let others = after.iter().take_while(|byte| !byte.is_ascii());
        let before = output.len();
        output.extend(others.copied().map(char::from));
        rest = &after[(output.len() - before) / 2..];
    }
}

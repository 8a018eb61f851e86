//! Any charset of the Encoding standard: "percent-encode after encoding" (WHATWG URL 1.3) and the way back.
//!
//! Browsers write the query of a link, and forms, in the charset of the page. The charsets are those of the crate
//! [`encoding_rs`], found by label:
//!
//! ```
//! use simdpct::legacy::charset::{self, encoding_rs::Encoding};
//! use simdpct::{Decoder, Encoder, sets};
//!
//! let shift_jis = Encoding::for_label(b"Shift_JIS").unwrap();
//! let query = charset::encode_with_references("表 ☃", shift_jis, &Encoder::new(sets::whatwg::SPECIAL_QUERY));
//! assert_eq!(query, "%95\\%20%26%239731%3B");
//! assert_eq!(charset::decode("%95%5C%20", shift_jis, &Decoder::new())?, "表 ");
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! UTF-16 and `replacement` have no encoder: text is encoded in UTF-8 for them (WHATWG Encoding 4.3, get an output encoding).
//! Byte order marks mean nothing here.
//!
//! Everything that the codec is told (sets, `+` for a space, what is malformed) is meant of bytes of the charset, among which
//! those of ASCII can be a part of a character: the second byte of 表 in Shift_JIS is a backslash, and in ISO-2022-JP, whose
//! bytes are all of ASCII, even `%` can be. Standards leave such bytes unescaped; a decoder then cannot know what was meant. What a
//! decoder rejects is rejected in the bytes of the charset and in the output, which is UTF-8.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt::Write;

use encoding_rs::{DecoderResult, EncoderResult, Encoding, ISO_2022_JP, UTF_8};

use super::Unencodable;
use crate::{DecodeError, DecodeErrorKind, Decoder, Encoder, driver};

pub use encoding_rs;

/// Percent-encodes after encoding, with `%26%23` and `%3B` around the number of a character that the charset does not have: the
/// reference `&#NNN;`, escaped (WHATWG URL 1.3, percent-encode after encoding).
///
/// This is lossy, since the text may hold the same as data. Borrows where there is nothing to encode.
///
/// [`Encoder::keep_non_ascii`] holds for UTF-8 alone, and [`Encoder::keep_triplets`] not for ISO-2022-JP, where `%` can be a
/// part of a character.
///
/// ```
/// use simdpct::legacy::charset::{self, encoding_rs::WINDOWS_1252};
/// use simdpct::Encoder;
///
/// assert_eq!(charset::encode_with_references("5 € ☃", WINDOWS_1252, &Encoder::FORM), "5+%80+%26%239731%3B");
/// ```
#[must_use]
pub fn encode_with_references<'a>(text: &'a str, charset: &'static Encoding, encoder: &Encoder) -> Cow<'a, str> {
    let encoded = encode_with(text, charset, encoder, |output, reported, _| {
        // Writing to a string does not fail.
        let _ = write!(output, "%26%23{}%3B", u32::from(reported));
        Ok::<_, Infallible>(())
    });
    match encoded {
        Ok(output) => output,
    }
}

/// Percent-encodes after encoding, and refuses a character that the charset does not have. Otherwise as
/// [`encode_with_references`].
///
/// # Errors
///
/// The first such character.
///
/// ```
/// use simdpct::legacy::charset::{self, encoding_rs::WINDOWS_1252};
/// use simdpct::Encoder;
///
/// assert_eq!(charset::encode("5 €", WINDOWS_1252, &Encoder::COMPONENT)?, "5%20%80");
/// assert_eq!(charset::encode("5 € ☃", WINDOWS_1252, &Encoder::COMPONENT).unwrap_err().position, 6);
/// # Ok::<(), simdpct::legacy::Unencodable>(())
/// ```
pub fn encode<'a>(text: &'a str, charset: &'static Encoding, encoder: &Encoder) -> Result<Cow<'a, str>, Unencodable> {
    encode_with(text, charset, encoder, |_, _, unencodable| Err(unencodable))
}

/// Hands `unencodable` the output, the character as the charset's encoder reports it, and as it stands in the text.
fn encode_with<'a, E>(
    text: &'a str,
    charset: &'static Encoding,
    encoder: &Encoder,
    mut unencodable: impl FnMut(&mut String, char, Unencodable) -> Result<(), E>,
) -> Result<Cow<'a, str>, E> {
    let charset = charset.output_encoding();
    if charset == UTF_8 {
        return Ok(encoder.encode(text));
    }
    let mut encoder = *encoder;
    encoder.rules.keep_non_ascii = false;
    if charset == ISO_2022_JP {
        encoder.rules.keep_triplets = false;
    } else if text.is_ascii() {
        return Ok(encoder.encode(text));
    }
    let mut converter = charset.new_encoder();
    let (mut bytes, mut output) = (Vec::new(), String::with_capacity(text.len()));
    let mut at = 0;
    loop {
        let slice = first_slice(&text[at..]);
        let end = at + slice.len();
        // Room for all of it: the codec must not see half a triplet.
        let longest = converter.max_buffer_length_from_utf8_without_replacement(slice.len());
        bytes.reserve(longest.unwrap_or(slice.len()));
        let is_last = end == text.len();
        let (result, read) = converter.encode_from_utf8_to_vec_without_replacement(slice, &mut bytes, is_last);
        at += read;
        encoder.encode_to(&bytes, &mut output);
        bytes.clear();
        match result {
            // In place of the control characters that switch its states, ISO-2022-JP reports U+FFFD.
            EncoderResult::Unmappable(reported) => {
                if let Some((position, character)) = text[..at].char_indices().next_back() {
                    unencodable(&mut output, reported, Unencodable { character, position })?;
                }
            }
            EncoderResult::InputEmpty if is_last => {
                return Ok(if output == text { Cow::Borrowed(text) } else { Cow::Owned(output) });
            }
            EncoderResult::InputEmpty | EncoderResult::OutputFull => {}
        }
    }
}

/// The first part of a text, to be converted at once: a call takes time by the length of its output buffer, so that calls on all of
/// the rest, each up to the next character that cannot be encoded, would take quadratic time. Ends between characters and triplets.
fn first_slice(text: &str) -> &str {
    const LENGTH: usize = 1024;
    let end = (0..=text.len().min(LENGTH)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let cut = if end < text.len() { driver::text::cut_triplet(&text.as_bytes()[..end]) } else { 0 };
    &text[..end - cut]
}

/// Decodes triplets to bytes, and those by the charset to text; borrows where there is nothing to decode.
///
/// # Errors
///
/// As [`Decoder::decode`], a byte being rejected in the charset and in the output, and [`DecodeErrorKind::IllFormed`] (for UTF-8,
/// [`DecodeErrorKind::InvalidUtf8`]) at the first byte or triplet that is no text of the charset. Of several errors, the first counts.
///
/// ```
/// use simdpct::legacy::charset::{self, encoding_rs::EUC_KR};
/// use simdpct::{DecodeErrorKind, Decoder};
///
/// assert_eq!(charset::decode("%C7%D1%B1%DB", EUC_KR, &Decoder::new())?, "한글");
/// let error = charset::decode("a%C7%D1%FF", EUC_KR, &Decoder::new()).unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::IllFormed, 7));
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode<'a, T: AsRef<[u8]> + ?Sized>(
    input: &'a T,
    charset: &'static Encoding,
    decoder: &Decoder,
) -> Result<Cow<'a, str>, DecodeError> {
    let input = input.as_ref();
    if charset == UTF_8 {
        return decoder.decode_utf8(input);
    }
    let errors = Errors { charset, decoder, is_lossy: false };
    let bytes = decoder.decode(input).map_err(|error| errors.before(input, error))?;
    to_text(bytes, |bytes| charset.decode_without_bom_handling_and_without_replacement(bytes))
        .map_err(|bytes| errors.of(input, &bytes).unwrap_or(DecodeError::new(DecodeErrorKind::IllFormed, 0)))
        .and_then(|text| errors.check(input, text))
}

/// Decodes triplets to bytes, and those by the charset to text, with U+FFFD for what is no text of it (WHATWG Encoding 4.1);
/// borrows where there is nothing to decode and to replace.
///
/// # Errors
///
/// As [`Decoder::decode`], a byte being rejected in the charset and in the output; a lenient decoder that rejects nothing has none.
///
/// ```
/// use simdpct::legacy::charset::{self, encoding_rs::EUC_KR};
/// use simdpct::Decoder;
///
/// assert_eq!(charset::decode_lossy("%C7%D1%FF 5%", EUC_KR, &Decoder::new().lenient())?, "한\u{FFFD} 5%");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_lossy<'a, T: AsRef<[u8]> + ?Sized>(
    input: &'a T,
    charset: &'static Encoding,
    decoder: &Decoder,
) -> Result<Cow<'a, str>, DecodeError> {
    if charset == UTF_8 {
        return decoder.decode_utf8_lossy(input);
    }
    let input = input.as_ref();
    let errors = Errors { charset, decoder, is_lossy: true };
    let bytes = decoder.decode(input).map_err(|error| errors.before(input, error))?;
    let text = to_text(bytes, |bytes| Some(charset.decode_without_bom_handling(bytes).0));
    errors.check(input, text.unwrap_or_default())
}

/// Finds the errors that decoding to bytes does not: what is no text of the charset, and rejected bytes that the charset makes.
struct Errors<'a> {
    charset: &'static Encoding,
    decoder: &'a Decoder,
    is_lossy: bool,
}

impl Errors<'_> {
    /// The text, unless it has a rejected byte.
    fn check<'t>(&self, input: &[u8], text: Cow<'t, str>) -> Result<Cow<'t, str>, DecodeError> {
        if self.decoder.rules.reject.is_none_or(|set| set.find(text.as_bytes()).is_none()) {
            return Ok(text);
        }
        // All can be decoded but for rejected bytes, and those are not in what was decoded.
        let bytes = self.decoder.decode(input)?;
        self.of(input, &bytes).map_or(Ok(text), Err)
    }

    /// The error to report where `error` stopped the decoding to bytes: there may be another one before it.
    #[cold]
    fn before(&self, input: &[u8], error: DecodeError) -> DecodeError {
        let (before, mut lenient) = (&input[..error.position], *self.decoder);
        (lenient.rules.strict, lenient.rules.reject) = (false, None);
        lenient.decode(before).ok().and_then(|bytes| self.of(before, &bytes)).unwrap_or(error)
    }

    /// The first error in what an input was decoded to.
    #[cold]
    fn of(&self, input: &[u8], bytes: &[u8]) -> Option<DecodeError> {
        let ill_formed = if self.is_lossy { None } else { find_ill_formed(bytes, self.charset) };
        let error = |kind, at| DecodeError::new(kind, driver::offset::input_offset(input, &self.decoder.rules, at));
        let bytes = &bytes[..ill_formed.unwrap_or(bytes.len())];
        match self.find_rejected(bytes) {
            Some((at, byte)) => Some(error(DecodeErrorKind::Rejected(byte), at)),
            None => ill_formed.map(|at| error(DecodeErrorKind::IllFormed, at)),
        }
    }

    /// The first rejected byte of the text that these bytes are, and the offset of the sequence that it comes from.
    fn find_rejected(&self, bytes: &[u8]) -> Option<(usize, u8)> {
        let mut converter = self.charset.new_decoder_without_bom_handling();
        // What one byte completes: a character, or U+FFFD for what precedes it, and then itself.
        let mut output = [0; 64];
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let is_last = at + 1 == bytes.len();
            let (_, _, written, _) = converter.decode_to_utf8(core::slice::from_ref(byte), &mut output, is_last);
            if let Some(byte) = self.decoder.rules.first_rejected(&output[..written]) {
                return Some((start, byte));
            }
            if written > 0 {
                start = at + 1;
            }
        }
        None
    }
}

/// The text, with no copy where the bytes are the text; or the bytes, if they are no text.
fn to_text<'a>(
    bytes: Cow<'a, [u8]>,
    convert: impl for<'b> Fn(&'b [u8]) -> Option<Cow<'b, str>>,
) -> Result<Cow<'a, str>, Cow<'a, [u8]>> {
    let bytes = match bytes {
        Cow::Borrowed(bytes) => return convert(bytes).ok_or(Cow::Borrowed(bytes)),
        Cow::Owned(bytes) => bytes,
    };
    match convert(&bytes) {
        Some(Cow::Owned(text)) => return Ok(Cow::Owned(text)),
        Some(Cow::Borrowed(_)) => {}
        None => return Err(Cow::Owned(bytes)),
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|error| Cow::Owned(error.into_bytes()))
}

/// Offset of the first byte that is no text of the charset.
fn find_ill_formed(bytes: &[u8], charset: &'static Encoding) -> Option<usize> {
    let mut converter = charset.new_decoder_without_bom_handling();
    let mut text = String::new();
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        text.clear();
        text.reserve(converter.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(rest.len()));
        let (result, read) = converter.decode_to_string_without_replacement(rest, &mut text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => return None,
            DecoderResult::OutputFull => {}
            // The malformed sequence, and what was read behind it before it was known to be one.
            DecoderResult::Malformed(length, behind) => return Some(at.saturating_sub(usize::from(length + behind))),
        }
    }
}

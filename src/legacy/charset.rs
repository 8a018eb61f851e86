//! The charsets of the WHATWG Encoding Standard: "percent-encode after encoding" (WHATWG URL 1.3)
//! and its inverse.
//!
//! Browsers encode the query of a link, and forms, in the charset of the page. The charsets are
//! the charsets of the crate [`encoding_rs`]; they and [`Encoding`] are re-exported here. A charset
//! is found by label:
//!
//! ```
//! use simdpct::legacy::charset::{self, Encoding};
//! use simdpct::{Decoder, Encoder, sets};
//!
//! let shift_jis = Encoding::for_label(b"Shift_JIS").unwrap();
//! let query = charset::encode_with_references("表 ☃", shift_jis, &Encoder::new(sets::whatwg::SPECIAL_QUERY));
//! assert_eq!(query, "%95\\%20%26%239731%3B");
//! assert_eq!(charset::decode("%95%5C%20", shift_jis, &Decoder::new())?, "表 ");
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! UTF-16 and `replacement` have no encoder: for these, text is encoded in UTF-8 (WHATWG Encoding
//! 4.3, get an output encoding). Byte order marks are not interpreted.
//!
//! All options of encoders and decoders (sets, `+` for a space, malformed escapes) apply to bytes
//! of the charset. Note that an ASCII byte can be part of a character: the second byte of 表 in
//! Shift_JIS is a backslash, and in ISO-2022-JP, whose bytes are all ASCII, even `%` can be. The
//! standards do not escape such bytes, so a decoder cannot distinguish them. A decoder's rejected
//! set applies to the bytes of the charset and to the bytes of the output, which is UTF-8.
//! [`Decoder::keep`] with `%` guarantees no new triplets in charsets in which each ASCII byte
//! outside of a longer sequence is a character: not in ISO-2022-JP and UTF-16.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt::Write;

use encoding_rs::{DecoderResult, EncoderResult};

use super::Unencodable;
use crate::input::Input;
use crate::{DecodeError, DecodeErrorKind, Decoder, Encoder, driver, hex};

pub use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5,
    ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16,
    KOI8_R, KOI8_U, MACINTOSH, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
    X_MAC_CYRILLIC, X_USER_DEFINED,
};

/// Percent-encodes after encoding. A character that the charset cannot represent becomes `%26%23`,
/// its number and `%3B`: the escaped reference `&#NNN;` (WHATWG URL 1.3, percent-encode after
/// encoding).
///
/// This is lossy, because the text may contain the same reference as data. Borrows the input if
/// nothing is encoded.
///
/// [`Encoder::keep_non_ascii`] has an effect for UTF-8 only. [`Encoder::keep_triplets`] has none
/// for ISO-2022-JP, where `%` can be part of a character.
///
/// ```
/// use simdpct::legacy::charset::{self, WINDOWS_1252};
/// use simdpct::Encoder;
///
/// assert_eq!(charset::encode_with_references("5 € ☃", WINDOWS_1252, &Encoder::FORM), "5+%80+%26%239731%3B");
/// ```
#[must_use]
pub fn encode_with_references<'a>(text: &'a str, charset: &'static Encoding, encoder: &Encoder) -> Cow<'a, str> {
    let encoded = encode_with(text, charset, encoder, |output, reported, _| {
        // Writing to a `String` never fails.
        let _ = write!(output, "%26%23{}%3B", u32::from(reported));
        Ok::<_, Infallible>(())
    });
    match encoded {
        Ok(output) => output,
    }
}

/// Percent-encodes after encoding, like [`encode_with_references`], but a character that the
/// charset cannot represent is an error.
///
/// # Errors
///
/// Returns the first such character.
///
/// ```
/// use simdpct::legacy::charset::{self, WINDOWS_1252};
/// use simdpct::Encoder;
///
/// assert_eq!(charset::encode("5 €", WINDOWS_1252, &Encoder::COMPONENT)?, "5%20%80");
/// assert_eq!(charset::encode("5 € ☃", WINDOWS_1252, &Encoder::COMPONENT).unwrap_err().position, 6);
/// # Ok::<(), simdpct::legacy::Unencodable>(())
/// ```
pub fn encode<'a>(text: &'a str, charset: &'static Encoding, encoder: &Encoder) -> Result<Cow<'a, str>, Unencodable> {
    encode_with(text, charset, encoder, |_, _, unencodable| Err(unencodable))
}

/// Calls `unencodable` with the output, the character as reported by the charset's encoder, and the
/// character in the text.
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
    encoder.plan = encoder.plan.with_non_ascii_kept(false);
    if charset == ISO_2022_JP {
        encoder.plan = encoder.plan.without_triplets_kept();
    } else if text.is_ascii() {
        return Ok(encoder.encode(text));
    }
    let mut converter = charset.new_encoder();
    let (mut bytes, mut output) = (Vec::new(), String::with_capacity(text.len()));
    let mut at = 0;
    loop {
        let slice = first_slice(&text[at..]);
        let end = at + slice.len();
        // Sufficient for the whole slice: a part passed to the codec must not end within a triplet.
        let longest = converter.max_buffer_length_from_utf8_without_replacement(slice.len());
        bytes.reserve(longest.unwrap_or(slice.len()));
        let is_last = end == text.len();
        let (result, read) = converter.encode_from_utf8_to_vec_without_replacement(slice, &mut bytes, is_last);
        at += read;
        encoder.encode_to(&bytes, &mut output);
        bytes.clear();
        match result {
            // ISO-2022-JP reports the control characters that switch its states as U+FFFD.
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

/// Splits off a part of a text to convert in one call. The time of a call depends on the length of
/// its output buffer, so calls on the whole rest, each stopping at the next unencodable character,
/// would take quadratic time. Ends between characters and triplets.
fn first_slice(text: &str) -> &str {
    const LENGTH: usize = 1024;
    let end = (0..=text.len().min(LENGTH)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let cut = if end < text.len() { hex::incomplete_triplet(&text.as_bytes()[..end]) } else { 0 };
    &text[..end - cut]
}

/// Decodes triplets to bytes, and the bytes to text by the charset. Borrows the input if nothing is
/// decoded.
///
/// # Errors
///
/// Same as [`Decoder::decode`], and [`DecodeErrorKind::IllFormed`] (for UTF-8,
/// [`DecodeErrorKind::InvalidUtf8`]) at the first byte or triplet that is invalid in the charset. A
/// rejected byte is an error in the bytes of the charset and in the output. If there are several
/// errors, the first is reported.
///
/// ```
/// use simdpct::legacy::charset::{self, EUC_KR};
/// use simdpct::{DecodeErrorKind, Decoder};
///
/// assert_eq!(charset::decode("%C7%D1%B1%DB", EUC_KR, &Decoder::new())?, "한글");
/// let error = charset::decode("a%C7%D1%FF", EUC_KR, &Decoder::new()).unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::IllFormed, 7));
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode<'a, T: Input + ?Sized>(
    input: &'a T,
    charset: &'static Encoding,
    decoder: &Decoder,
) -> Result<Cow<'a, str>, DecodeError> {
    if charset == UTF_8 {
        return decoder.decode_utf8(input);
    }
    let input = input.as_bytes();
    let errors = Errors { charset, decoder, is_lossy: false };
    let bytes = decoder.decode(input).map_err(|error| errors.before(input, error))?;
    to_text(bytes, |bytes| charset.decode_without_bom_handling_and_without_replacement(bytes))
        .map_err(|bytes| errors.of(input, &bytes).unwrap_or(DecodeError::new(DecodeErrorKind::IllFormed, 0)))
        .and_then(|text| errors.check(input, text))
}

/// Decodes triplets to bytes, and the bytes to text by the charset, with U+FFFD for invalid
/// sequences (WHATWG Encoding 4.1). Borrows the input if nothing is decoded or replaced.
///
/// # Errors
///
/// Same as [`Decoder::decode`]. A rejected byte is an error in the bytes of the charset and in the
/// output. A lenient decoder that rejects nothing never fails.
///
/// ```
/// use simdpct::legacy::charset::{self, EUC_KR};
/// use simdpct::Decoder;
///
/// assert_eq!(charset::decode_lossy("%C7%D1%FF 5%", EUC_KR, &Decoder::new().lenient())?, "한\u{FFFD} 5%");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_lossy<'a, T: Input + ?Sized>(
    input: &'a T,
    charset: &'static Encoding,
    decoder: &Decoder,
) -> Result<Cow<'a, str>, DecodeError> {
    if charset == UTF_8 {
        return decoder.decode_utf8_lossy(input);
    }
    let input = input.as_bytes();
    let errors = Errors { charset, decoder, is_lossy: true };
    let bytes = decoder.decode(input).map_err(|error| errors.before(input, error))?;
    let text = to_text(bytes, |bytes| Some(charset.decode_without_bom_handling(bytes).0));
    errors.check(input, text.unwrap_or_default())
}

/// Finds errors that decoding to bytes does not: bytes that are invalid in the charset, and
/// rejected bytes in the output.
struct Errors<'a> {
    charset: &'static Encoding,
    decoder: &'a Decoder,
    is_lossy: bool,
}

impl Errors<'_> {
    /// Returns the text, unless it contains a rejected byte.
    fn check<'t>(&self, input: &[u8], text: Cow<'t, str>) -> Result<Cow<'t, str>, DecodeError> {
        if self.decoder.plan.reject.is_none_or(|set| set.find(text.as_bytes()).is_none()) {
            return Ok(text);
        }
        // Not an error: the input can be decoded except for rejected bytes, and the output contains
        // none.
        let bytes = self.decoder.decode(input)?;
        self.of(input, &bytes).map_or(Ok(text), Err)
    }

    /// Returns the first error, given that decoding to bytes stopped at `error`: another one may
    /// precede it.
    #[cold]
    fn before(&self, input: &[u8], error: DecodeError) -> DecodeError {
        let (before, mut lenient) = (&input[..error.position], *self.decoder);
        lenient.plan = lenient.plan.strict(false).without_reject();
        lenient.decode(before).ok().and_then(|bytes| self.of(before, &bytes)).unwrap_or(error)
    }

    /// Returns the first error in the decoded bytes.
    #[cold]
    fn of(&self, input: &[u8], bytes: &[u8]) -> Option<DecodeError> {
        let ill_formed = if self.is_lossy { None } else { find_ill_formed(bytes, self.charset) };
        let error = |kind, at| DecodeError::new(kind, driver::offset::input_offset(input, &self.decoder.plan, at));
        let bytes = &bytes[..ill_formed.unwrap_or(bytes.len())];
        match self.find_rejected(bytes) {
            Some((at, byte)) => Some(error(DecodeErrorKind::Rejected(byte), at)),
            None => ill_formed.map(|at| error(DecodeErrorKind::IllFormed, at)),
        }
    }

    /// The first rejected byte of the converted text, and the offset in `bytes` of the sequence
    /// that it comes from.
    fn find_rejected(&self, bytes: &[u8]) -> Option<(usize, u8)> {
        let mut converter = self.charset.new_decoder_without_bom_handling();
        // Output of a single byte: a character, or U+FFFD for the preceding bytes and then its own.
        let mut output = [0; 64];
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let is_last = at + 1 == bytes.len();
            let (_, _, written, _) = converter.decode_to_utf8(core::slice::from_ref(byte), &mut output, is_last);
            if let Some(byte) = self.decoder.plan.first_rejected(&output[..written]) {
                return Some((start, byte));
            }
            if written > 0 {
                start = at + 1;
            }
        }
        None
    }
}

/// Converts the bytes to text, without a copy if the conversion is the identity. If it fails,
/// returns the bytes.
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

/// Offset of the first byte that is invalid in the charset.
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
            // `read` includes the malformed sequence, and bytes after it that the decoder looked
            // at.
            DecoderResult::Malformed(length, after) => return Some(at.saturating_sub(usize::from(length + after))),
        }
    }
}

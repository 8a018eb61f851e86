//! `java.net.URLDecoder` and `URLEncoder` with UTF-8, and so `url_decode` and `url_encode` of Spark
//! and Trino.
//!
//! They work as for forms, with two differences in decoding:
//!
//! * `URLDecoder` passes the two characters after a `%` to `Integer.parseInt`, which accepts a sign
//!   before a digit, and every digit known to `Character.digit`: digits of other scripts, and
//!   full-width letters. A negative result is rejected, but `-0` is 0.
//! * Java replaces the three bytes of an encoded surrogate by one U+FFFD, other decoders by three.
//!
//! Spark and Trino fail where `URLDecoder` throws an exception. `crates/pct/check-dialects`
//! compares with Java 17. For columns, see
//! [`Conversion::decode_java`](crate::columns::Conversion::decode_java).
//!
//! ```
//! use simdpct::legacy::java;
//!
//! assert_eq!(java::decode("%C3%A9+%+4")?, "é \u{4}");
//! assert_eq!(java::encode("é ~"), "%C3%A9+%7E");
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::hex::TRIPLETS;
use crate::{DecodeError, DecodeErrorKind, Decoder, Encoder, Input};

/// The decoder for all input except triplets that only Java accepts, and ill-formed UTF-8.
pub(crate) const DECODER: Decoder = Decoder::new().plus_for_space();

/// Encodes as `URLEncoder.encode(text, UTF_8)`. Borrows the input if nothing is escaped. Equivalent
/// to [`Encoder::FORM`].
#[must_use]
pub fn encode(text: &str) -> Cow<'_, str> {
    const { &Encoder::FORM }.encode(text)
}

/// Decodes as `URLDecoder.decode(text, UTF_8)`. Borrows the input if nothing is decoded.
///
/// Java decodes strings. Bytes that are not UTF-8 are treated as if they were encoded.
///
/// # Errors
///
/// Returns the first `%` for which `URLDecoder` throws an exception.
///
/// ```
/// use simdpct::DecodeErrorKind;
/// use simdpct::legacy::java;
///
/// assert_eq!(java::decode("%-0%１F%ED%A0%80")?, "\0\x1F\u{FFFD}");
/// let error = java::decode("a%-1").unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::Malformed, 1));
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode<T: Input + ?Sized>(input: &T) -> Result<Cow<'_, str>, DecodeError> {
    decode_on(&DECODER, input.as_bytes())
}

/// Like [`decode`], with a decoder that is [`DECODER`] on some level.
pub(crate) fn decode_on<'a>(decoder: &Decoder, bytes: &'a [u8]) -> Result<Cow<'a, str>, DecodeError> {
    Ok(match decode_with(bytes, decoder)? {
        Cow::Borrowed(bytes) => replaced(bytes),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(replaced(error.as_bytes()).into_owned()),
        },
    })
}

/// Decodes to bytes with any strict decoder. Triplets that only Java accepts are treated like other
/// triplets: a kept byte stays a triplet. [`text`] converts the result to Java's text. Borrows the
/// input if nothing is decoded. Linear.
///
/// # Errors
///
/// Returns the first `%` for which `URLDecoder` throws an exception, or the first byte that the
/// decoder rejects.
///
/// ```
/// use simdpct::legacy::java;
/// use simdpct::{ByteSet, Decoder};
///
/// let decoder = Decoder::new().keep(ByteSet::new(b"/"));
/// assert_eq!(&*java::decode_with("%+4%٢F%41", &decoder)?, b"\x04%2FA");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_with<'a, T: Input + ?Sized>(input: &'a T, decoder: &Decoder) -> Result<Cow<'a, [u8]>, DecodeError> {
    let input = input.as_bytes();
    match decoder.decode(input) {
        Err(DecodeError { kind: DecodeErrorKind::Malformed, .. }) => decode_slowly(decoder, input).map(Cow::Owned),
        result => result,
    }
}

/// Decodes input with triplets that only Java accepts. Linear.
#[cold]
fn decode_slowly(decoder: &Decoder, input: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let (mut output, mut at) = (Vec::with_capacity(input.len()), 0);
    loop {
        let rest = &input[at..];
        let Err(error) = decoder.decode_to(rest, &mut output) else { return Ok(output) };
        let error = DecodeError::new(error.kind, at + error.position);
        if error.kind != DecodeErrorKind::Malformed {
            return Err(error);
        }
        let (before, from) = input[at..].split_at(error.position - at);
        let (byte, length) = triplet(from).ok_or(error)?;
        decoder.decode_to(before, &mut output)?;
        // Passed as the triplet that every decoder knows, so that it is kept or rejected.
        let [percent, high, low, _] = TRIPLETS[usize::from(byte)].to_le_bytes();
        decoder
            .decode_to(&[percent, high, low], &mut output)
            .map_err(|rejected| DecodeError::new(rejected.kind, error.position))?;
        at = error.position + length;
    }
}

/// The byte and the length of the triplet at the start of `input`, if Java finds one there.
fn triplet(input: &[u8]) -> Option<(u8, usize)> {
    let characters = input.strip_prefix(b"%")?;
    let (first, first_length) = first_character(characters)?;
    let (second, second_length) = first_character(&characters[first_length..])?;
    let byte = match (first, digit(second)?) {
        ('+', value) => value,
        ('-', 0) => 0,
        (first, value) => digit(first)? << 4 | value,
    };
    Some((byte, 1 + first_length + second_length))
}

/// Converts bytes to text as `new String(bytes, UTF_8)`: replaces each ill-formed sequence by
/// U+FFFD. Borrows the input if there is none.
///
/// ```
/// use simdpct::legacy::java;
///
/// assert_eq!(java::text(b"\xED\xA0\x80"), "\u{FFFD}");
/// assert_eq!(String::from_utf8_lossy(b"\xED\xA0\x80"), "\u{FFFD}\u{FFFD}\u{FFFD}");
/// ```
#[must_use]
pub fn text<T: Input + ?Sized>(bytes: &T) -> Cow<'_, str> {
    replaced(bytes.as_bytes())
}

fn replaced(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for (valid, invalid) in utf8_chunks(bytes) {
        text.push_str(valid);
        if !invalid.is_empty() {
            text.push('\u{FFFD}');
        }
    }
    Cow::Owned(text)
}

/// Splits bytes into pairs of well-formed text and the ill-formed sequence after it, which is empty
/// only in the last pair: like `[u8]::utf8_chunks`, but the bytes of an encoded surrogate are one
/// sequence.
fn utf8_chunks(bytes: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let mut at = 0;
    let mut chunks = bytes.utf8_chunks().peekable();
    core::iter::from_fn(move || {
        let chunk = chunks.next()?;
        let start = at + chunk.valid().len();
        at = start + chunk.invalid().len();
        if chunk.invalid() == [0xED] {
            // Ill-formed bytes that follow immediately can only complete a surrogate.
            for _ in 0..2 {
                let continues = |next: &core::str::Utf8Chunk<'_>| {
                    next.valid().is_empty() && matches!(next.invalid(), [0x80..=0xBF])
                };
                let Some(next) = chunks.next_if(continues) else { break };
                at += next.invalid().len();
            }
        }
        Some((chunk.valid(), &bytes[start..at]))
    })
}

/// The first character, if it is well-formed, and its length.
fn first_character(text: &[u8]) -> Option<(char, usize)> {
    let chunk = text[..text.len().min(4)].utf8_chunks().next()?;
    chunk.valid().chars().next().map(|character| (character, character.len_utf8()))
}

/// `Character.digit(character, 16)`. Java passes UTF-16 code units, so no character above U+FFFF is
/// a digit.
pub(crate) fn digit(character: char) -> Option<u8> {
    let code = u32::from(character);
    let value = match character {
        '\0'..='\x7F' => character.to_digit(16),
        // The full-width forms of ASCII, in its order.
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(code - 0xFF01 + 0x21)?.to_digit(16),
        _ => ZEROS.iter().map(|&zero| code.wrapping_sub(u32::from(zero))).find(|&value| value < 10),
    };
    value.and_then(|value| u8::try_from(value).ok())
}

/// The zeros of all other runs of ten decimal digits (general category Nd) up to U+FFFF, per
/// Unicode 13, the version of Java 17.
#[rustfmt::skip]
const ZEROS: [char; 35] = [
    '\u{0660}', '\u{06F0}', '\u{07C0}', '\u{0966}', '\u{09E6}', '\u{0A66}', '\u{0AE6}', '\u{0B66}', '\u{0BE6}',
    '\u{0C66}', '\u{0CE6}', '\u{0D66}', '\u{0DE6}', '\u{0E50}', '\u{0ED0}', '\u{0F20}', '\u{1040}', '\u{1090}',
    '\u{17E0}', '\u{1810}', '\u{1946}', '\u{19D0}', '\u{1A80}', '\u{1A90}', '\u{1B50}', '\u{1BB0}', '\u{1C40}',
    '\u{1C50}', '\u{A620}', '\u{A8D0}', '\u{A900}', '\u{A9D0}', '\u{A9F0}', '\u{AA50}', '\u{ABF0}',
];

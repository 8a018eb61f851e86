//! ECMAScript's functions: `escape` and `unescape` (ECMA-262 B.2.1), `encodeURI`, `decodeURI` and theirs for a component (19.2.6).
//!
//! Each does what the function does, on text: a string of Rust cannot hold half of a surrogate pair, which a string of ECMAScript
//! can, so where `unescape` would make one, here is an error or U+FFFD. Where ECMAScript throws a `URIError`, here is an error
//! with its position.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;

use super::LoneSurrogates;
use super::latin1;
use super::unicode::Escapes;
use crate::hex::UPPERCASE;
use crate::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, sets};

/// What `decodeURI` leaves escaped, so that it stays apart from delimiters: the reserved characters of RFC 2396, and `#`
/// (ECMA-262 19.2.6.1).
pub const RESERVED: ByteSet = ByteSet::new(b";/?:@&=+$,#");

const ASCII: ByteSet = ByteSet::NON_ASCII.complement();

/// Encodes as `escape` does: `%XX` for a code unit up to 0xFF, which is not UTF-8, and `%uXXXX` for another (ECMA-262 B.2.1.1).
///
/// Letters, digits and `@*_+-./` stay. A character above U+FFFF becomes two escapes. Borrows where there is nothing to escape.
///
/// ```
/// use simdpct::legacy::js;
///
/// assert_eq!(js::escape("10 % é €"), "10%20%25%20%E9%20%u20AC");
/// assert_eq!(js::escape("😀"), "%uD83D%uDE00");
/// ```
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    const ESCAPE: Encoder = Encoder::new(sets::js::ESCAPE);
    if sets::js::ESCAPE.find(text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (ascii, behind) = split_at_first(rest, ByteSet::NON_ASCII);
        let (other, behind) = split_at_first(behind, ASCII);
        ESCAPE.encode_to(ascii, &mut output);
        for unit in other.encode_utf16() {
            push_unit(unit, &mut output);
        }
        rest = behind;
    }
    Cow::Owned(output)
}

fn push_unit(unit: u16, output: &mut String) {
    let digit = |shift: u16| UPPERCASE[usize::from(unit >> shift & 15)];
    let escape = [b'%', b'u', digit(12), digit(8), digit(4), digit(0)];
    let triplet = [b'%', digit(4), digit(0)];
    let written = if unit < 0x100 { &triplet[..] } else { &escape[..] };
    // ASCII all of it.
    output.push_str(core::str::from_utf8(written).unwrap_or_default());
}

/// Decodes as `unescape` does: `%XX` is the character U+00XX, `%uXXXX` a code unit, and any other `%` stays (ECMA-262 B.2.1.2).
///
/// Borrows where there is nothing to decode.
///
/// # Errors
///
/// [`DecodeErrorKind::LoneSurrogate`] for the first `%uXXXX` that is half of a surrogate pair without the other half.
///
/// ```
/// use simdpct::legacy::js;
///
/// assert_eq!(js::unescape("10%20%25%20%E9%20%u20AC, 5% %u20")?, "10 % é €, 5% %u20");
/// assert_eq!(js::unescape("%uD83D%uDE00")?, "😀");
/// assert_eq!(js::unescape("ab%uD83D").unwrap_err().position, 2);
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn unescape(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    unescape_with(text, LoneSurrogates::Error)
}

/// Decodes as [`unescape`], with U+FFFD for half of a surrogate pair: what `unescape(text).toWellFormed()` gives.
///
/// ```
/// assert_eq!(simdpct::legacy::js::unescape_lossy("%E9 %uD83D!"), "é \u{FFFD}!");
/// ```
#[must_use]
pub fn unescape_lossy(text: &str) -> Cow<'_, str> {
    // Nothing but a lone surrogate is an error.
    unescape_with(text, LoneSurrogates::Replace).unwrap_or_default()
}

fn unescape_with(text: &str, lone_surrogates: LoneSurrogates) -> Result<Cow<'_, str>, DecodeError> {
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(text));
    }
    let mut output = String::with_capacity(text.len());
    let mut at = 0;
    for escape in Escapes::of(text.as_bytes()) {
        push_unescaped(&text[at..escape.start], &mut output)?;
        match (escape.character, lone_surrogates) {
            (Some(character), _) => output.push(character),
            (None, LoneSurrogates::Replace) => output.push(char::REPLACEMENT_CHARACTER),
            (None, _) => return Err(DecodeError::new(DecodeErrorKind::LoneSurrogate, escape.start)),
        }
        at = escape.end;
    }
    push_unescaped(&text[at..], &mut output)?;
    Ok(if output == text { Cow::Borrowed(text) } else { Cow::Owned(output) })
}

/// Decodes triplets to the characters U+00XX. What is not ASCII stands between them as it is, and no triplet reaches over it.
fn push_unescaped(text: &str, output: &mut String) -> Result<(), DecodeError> {
    let mut rest = text;
    while !rest.is_empty() {
        let (ascii, behind) = split_at_first(rest, ByteSet::NON_ASCII);
        let (other, behind) = split_at_first(behind, ASCII);
        latin1::push(&const { &Decoder::new().lenient() }.decode(ascii)?, output);
        output.push_str(other);
        rest = behind;
    }
    Ok(())
}

/// Splits before the first byte of the set, which is all ASCII or all non-ASCII, so that no character is cut.
fn split_at_first(text: &str, set: ByteSet) -> (&str, &str) {
    text.split_at(set.find(text.as_bytes()).unwrap_or(text.len()))
}

/// Encodes as `encodeURI` does (ECMA-262 19.2.6.3); borrows where there is nothing to escape.
///
/// Letters, digits, `-_.!~*'()` and [`RESERVED`] stay. A `%` is escaped, even that of a triplet.
///
/// ```
/// assert_eq!(simdpct::legacy::js::encode_uri("/a b?q=é%#[1]"), "/a%20b?q=%C3%A9%25#%5B1%5D");
/// ```
#[must_use]
pub fn encode_uri(text: &str) -> Cow<'_, str> {
    const { &Encoder::new(sets::js::ENCODE_URI) }.encode(text)
}

/// Encodes as `encodeURIComponent` does (ECMA-262 19.2.6.4); borrows where there is nothing to escape.
///
/// Letters, digits and `-_.!~*'()` stay.
///
/// ```
/// assert_eq!(simdpct::legacy::js::encode_uri_component("a/b c(é)"), "a%2Fb%20c(%C3%A9)");
/// ```
#[must_use]
pub fn encode_uri_component(text: &str) -> Cow<'_, str> {
    const { &Encoder::new(sets::js::ENCODE_URI_COMPONENT) }.encode(text)
}

/// Decodes as `decodeURI` does: all triplets but those of [`RESERVED`], which stay as they are (ECMA-262 19.2.6.1).
///
/// Borrows where there is nothing to decode.
///
/// The result is not a URI, and must not be decoded again: `%25` is not among [`RESERVED`], so `%252F` and `%2F` both become `%2F`.
/// [`rfc1738::decode`](super::rfc1738::decode) keeps them apart.
///
/// # Errors
///
/// The first malformed `%`, or the first sequence that is not well-formed UTF-8.
///
/// ```
/// assert_eq!(simdpct::legacy::js::decode_uri("/a%20b%2fc?q=%C3%A9%25")?, "/a b%2fc?q=é%");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_uri(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    const { &Decoder::new().keep(RESERVED) }.decode_utf8(text)
}

/// Decodes as `decodeURIComponent` does: all triplets (ECMA-262 19.2.6.2). The same as [`decode`](crate::decode()).
///
/// # Errors
///
/// As [`decode_uri`].
///
/// ```
/// assert_eq!(simdpct::legacy::js::decode_uri_component("a%2Fb%20c+")?, "a/b c+");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_uri_component(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    crate::decode(text)
}

//! ECMAScript's functions: `escape` and `unescape` (ECMA-262 B.2.1), `encodeURI`, `decodeURI`,
//! `encodeURIComponent` and `decodeURIComponent` (19.2.6).
//!
//! Each behaves like the original, with two differences. A Rust string cannot contain a lone
//! surrogate, so where `unescape` would create one, these functions return an error or U+FFFD.
//! Where ECMAScript throws a `URIError`, they return an error with its position.
#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;

use super::LoneSurrogates;
use super::latin1;
use super::unicode::Escapes;
use crate::hex::UPPERCASE;
use crate::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, sets};

/// The bytes whose triplets `decodeURI` keeps, to distinguish them from delimiters: the reserved
/// characters of RFC 2396, and `#` (ECMA-262 19.2.6.1).
pub const RESERVED: ByteSet = ByteSet::new(b";/?:@&=+$,#");

const ASCII: ByteSet = ByteSet::NON_ASCII.complement();

/// Encodes like `escape`: `%XX` for code units up to 0xFF, which is not UTF-8, and `%uXXXX` for all
/// others (ECMA-262 B.2.1.1).
///
/// Letters, digits and `@*_+-./` are not escaped. A character above U+FFFF becomes two escapes.
/// Borrows the input if nothing is escaped.
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
        let (ascii, after) = split_at_first(rest, ByteSet::NON_ASCII);
        let (other, after) = split_at_first(after, ASCII);
        ESCAPE.encode_to(ascii, &mut output);
        for unit in other.encode_utf16() {
            push_unit(unit, &mut output);
        }
        rest = after;
    }
    Cow::Owned(output)
}

fn push_unit(unit: u16, output: &mut String) {
    let digit = |shift: u16| UPPERCASE[usize::from(unit >> shift & 15)];
    let escape = [b'%', b'u', digit(12), digit(8), digit(4), digit(0)];
    let triplet = [b'%', digit(4), digit(0)];
    let written = if unit < 0x100 { &triplet[..] } else { &escape[..] };
    // Never fails: `written` is ASCII.
    output.push_str(core::str::from_utf8(written).unwrap_or_default());
}

/// Decodes like `unescape`: `%XX` is the character U+00XX, `%uXXXX` is a code unit, and any other
/// `%` is kept (ECMA-262 B.2.1.2).
///
/// Borrows the input if nothing is decoded.
///
/// # Errors
///
/// Returns [`DecodeErrorKind::LoneSurrogate`] for the first `%uXXXX` that is half of a surrogate
/// pair without the other half.
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
    unescape_with(text, LoneSurrogates::Refuse)
}

/// Decodes like [`unescape`], with U+FFFD for lone surrogates; equivalent to
/// `unescape(text).toWellFormed()`.
///
/// ```
/// assert_eq!(simdpct::legacy::js::unescape_lossy("%E9 %uD83D!"), "é \u{FFFD}!");
/// ```
#[must_use]
pub fn unescape_lossy(text: &str) -> Cow<'_, str> {
    // Never fails: lone surrogates are the only error.
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

/// Decodes triplets to the characters U+00XX. Non-ASCII characters are copied; no triplet contains
/// one.
fn push_unescaped(text: &str, output: &mut String) -> Result<(), DecodeError> {
    let mut rest = text;
    while !rest.is_empty() {
        let (ascii, after) = split_at_first(rest, ByteSet::NON_ASCII);
        let (other, after) = split_at_first(after, ASCII);
        latin1::push(&const { &Decoder::new().lenient() }.decode(ascii)?, output);
        output.push_str(other);
        rest = after;
    }
    Ok(())
}

/// Splits before the first byte in `set`, which must contain either ASCII bytes only or all
/// non-ASCII bytes, so that no character is split.
fn split_at_first(text: &str, set: ByteSet) -> (&str, &str) {
    text.split_at(set.find(text.as_bytes()).unwrap_or(text.len()))
}

/// Encodes like `encodeURI` (ECMA-262 19.2.6.3). Borrows the input if nothing is escaped.
///
/// Letters, digits, `-_.!~*'()` and [`RESERVED`] are not escaped. Every `%` is escaped, including
/// those of triplets.
///
/// ```
/// assert_eq!(simdpct::legacy::js::encode_uri("/a b?q=é%#[1]"), "/a%20b?q=%C3%A9%25#%5B1%5D");
/// ```
#[must_use]
pub fn encode_uri(text: &str) -> Cow<'_, str> {
    const { &Encoder::new(sets::js::ENCODE_URI) }.encode(text)
}

/// Encodes like `encodeURIComponent` (ECMA-262 19.2.6.4). Borrows the input if nothing is escaped.
///
/// Letters, digits and `-_.!~*'()` are not escaped.
///
/// ```
/// assert_eq!(simdpct::legacy::js::encode_uri_component("a/b c(é)"), "a%2Fb%20c(%C3%A9)");
/// ```
#[must_use]
pub fn encode_uri_component(text: &str) -> Cow<'_, str> {
    const { &Encoder::new(sets::js::ENCODE_URI_COMPONENT) }.encode(text)
}

/// Decodes like `decodeURI`: all triplets except triplets of [`RESERVED`], which are kept (ECMA-262
/// 19.2.6.1).
///
/// Borrows the input if nothing is decoded.
///
/// The result is not a URI and must not be decoded again: `%25` is decoded, so `%252F` and `%2F`
/// both become `%2F`. [`rfc1738::decode`](super::rfc1738::decode) keeps them distinct.
///
/// # Errors
///
/// Returns the first malformed `%`, or the first sequence that is not well-formed UTF-8.
///
/// ```
/// assert_eq!(simdpct::legacy::js::decode_uri("/a%20b%2fc?q=%C3%A9%25")?, "/a b%2fc?q=é%");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_uri(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    const { &Decoder::new().keep(RESERVED) }.decode_utf8(text)
}

/// Decodes like `decodeURIComponent`: all triplets (ECMA-262 19.2.6.2). The same as
/// [`decode_utf8`](crate::decode_utf8()).
///
/// # Errors
///
/// Same as [`decode_uri`].
///
/// ```
/// assert_eq!(simdpct::legacy::js::decode_uri_component("a%2Fb%20c+")?, "a/b c+");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode_uri_component(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    crate::decode_utf8(text)
}

//! Conversion of whole URLs that keeps `; / ? : @ = # &`: RFC 1738's reserved characters, and `#`.
//!
//! ECMAScript's equivalents keep three more characters: [`js::encode_uri`](super::js::encode_uri)
//! and [`js::decode_uri`](super::js::decode_uri). For ISO-8859-1, which RFC 1738 assumes, see
//! [`latin1`](super::latin1).
#![forbid(unsafe_code)]

use alloc::borrow::Cow;

use crate::input::Input;
use crate::{ByteSet, DecodeError, Decoder, Encoder, sets};

/// `; / ? : @ = &`, which are reserved, and `#`, which ends the URL (RFC 1738 2.2, 3.3).
pub const DELIMITERS: ByteSet = sets::rfc1738::RESERVED.with(b'#');

/// Encodes a whole URL: escapes everything except RFC 1738's unreserved characters and
/// [`DELIMITERS`]. Borrows the input if nothing is escaped.
///
/// Every `%` is escaped, also in triplets, so decoding all triplets yields the input. [`decode`]
/// does so for text without `%`.
///
/// ```
/// use simdpct::legacy::rfc1738;
///
/// assert_eq!(rfc1738::encode("http://a/b c?d=é%#~"), "http://a/b%20c?d=%C3%A9%25#%7E");
/// ```
#[must_use]
pub fn encode<T: Input + ?Sized>(input: &T) -> Cow<'_, str> {
    const { &Encoder::new(sets::rfc1738::URL.without(b'#')) }.encode(input)
}

/// Decodes all triplets except triplets of [`DELIMITERS`] and `%`, which are kept to preserve the
/// structure of the URL. Borrows the input if nothing is decoded.
///
/// If `%25` were decoded, `%252F` and `%2F` would yield the same text, and the next decoder would
/// find a delimiter in both.
///
/// # Errors
///
/// Returns the first malformed `%`, or the first sequence that is not well-formed UTF-8.
///
/// ```
/// use simdpct::legacy::rfc1738;
///
/// assert_eq!(rfc1738::decode("/a%20b%2Fc%2b?d%3De=%C3%A9")?, "/a b%2Fc+?d%3De=é");
/// assert_eq!(rfc1738::decode("%252F")?, "%252F");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode<T: Input + ?Sized>(input: &T) -> Result<Cow<'_, str>, DecodeError> {
    const { &Decoder::new().keep(DELIMITERS.with(b'%')) }.decode_utf8(input)
}

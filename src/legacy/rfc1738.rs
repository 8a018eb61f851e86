//! The converter of whole URLs that leaves `; / ? : @ = # &` alone, both ways: RFC 1738's reserved characters, and `#`.
//!
//! ECMAScript's converter of the same kind has three more of them: [`js::encode_uri`](super::js::encode_uri) and
//! [`js::decode_uri`](super::js::decode_uri). For text in ISO-8859-1, as RFC 1738 means it, see [`latin1`](super::latin1).
#![forbid(unsafe_code)]

use alloc::borrow::Cow;

use crate::{ByteSet, DecodeError, Decoder, Encoder, sets};

/// `; / ? : @ = &`, which are reserved, and `#`, which ends the URL (RFC 1738 2.2, 3.3).
pub const DELIMITERS: ByteSet = sets::rfc1738::RESERVED.with(b'#');

/// Escapes everything but RFC 1738's unreserved characters and [`DELIMITERS`]; borrows where there is nothing to escape.
///
/// A `%` is escaped, even that of a triplet, so that nothing is lost: decoding all triplets gives the same text back. [`decode`] does so
/// for text without `%`.
///
/// ```
/// use simdpct::legacy::rfc1738;
///
/// assert_eq!(rfc1738::encode("http://a/b c?d=é%#~"), "http://a/b%20c?d=%C3%A9%25#%7E");
/// ```
#[must_use]
pub fn encode<T: AsRef<[u8]> + ?Sized>(input: &T) -> Cow<'_, str> {
    const { &Encoder::new(sets::rfc1738::URL.without(b'#')) }.encode(input)
}

/// Decodes all triplets but those of [`DELIMITERS`] and `%`, which stay as they are, so that the parts of the URL stay apart.
///
/// If `%25` was decoded, `%252F` and `%2F` would give the same text, and the next reader would find a delimiter in both.
///
/// Borrows where there is nothing to decode.
///
/// # Errors
///
/// The first malformed `%`, or the first sequence that is not well-formed UTF-8.
///
/// ```
/// use simdpct::legacy::rfc1738;
///
/// assert_eq!(rfc1738::decode("/a%20b%2Fc%2b?d%3De=%C3%A9")?, "/a b%2Fc+?d%3De=é");
/// assert_eq!(rfc1738::decode("%252F")?, "%252F");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
pub fn decode<T: AsRef<[u8]> + ?Sized>(input: &T) -> Result<Cow<'_, str>, DecodeError> {
    const { &Decoder::new().keep(DELIMITERS.with(b'%')) }.decode_utf8(input)
}

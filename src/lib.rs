//! Percent-encoding and -decoding (URL encoding) at the speed of memcpy.
//!
//! Covers RFC 3986, the WHATWG URL standard, HTML forms and their neighbours. Kernels for AVX-512, AVX2, SSE4.1 and NEON
//! are chosen at run time; a scalar one runs everywhere, and all give the same results, errors included.
//!
//! The functions here are the right default for someone who does not want to think. [`Encoder`] and [`Decoder`] are for
//! those who do: they choose the set, the policy and the output form.
//!
//! ```
//! assert_eq!(simdpct::encode("/a b"), "%2Fa%20b");
//! assert_eq!(simdpct::decode("caf%C3%A9")?, "café");
//! assert_eq!(simdpct::decode_lossy("100%25 or 100%"), "100% or 100%");
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! # Where to look
//!
//! | to | take |
//! |---|---|
//! | encode one's own way: the set, the policy, the output | [`Encoder`], [`sets`], [`ByteSet`] |
//! | decode one's own way: strict or lenient, keeping or refusing bytes | [`Decoder`] |
//! | decode only text of certain characters | [`accept`] |
//! | compare and normalise URIs | [`Normalizer`], [`equivalent`](fn@equivalent) |
//! | split, repair and build whole URIs | [`uri`] |
//! | parse and serialise forms and queries | [`form`] |
//! | code what comes in parts, or goes through `Read` and `Write` | [`stream`] |
//! | code a whole column of a table at once | [`columns`] |
//! | know what a string holds before deciding on it | [`inspect`](fn@inspect) |
//! | get from a position in decoded text back to the input | [`offset`] |
//! | read what standards have left behind | [`legacy`] |
//! | come from another crate | [`compat`] |
//!
//! # Promises
//!
//! No function panics, whatever its input. No byte outside a given buffer is read or written. Time is linear in the input's
//! length. Decoding is done once, never twice.
//!
//! # Features
//!
//! * `std` (default): the CPU is asked what it can do at run time. Without it the compile-time target features decide.
//! * `alloc`: the forms that return `Cow`, `String` or `Vec`. Without it the slice forms remain, for `no_std` programs.
//! * `serde`: forms from and to Rust types, `form::from_str` and `form::to_string`.
//! * `encoding_rs`: [`legacy`] has the charsets of the Encoding standard, by way of the crate of that name.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(feature = "alloc")]
extern crate alloc;

/// The README's examples, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "alloc")]
pub mod accept;
mod byteset;
#[cfg(feature = "alloc")]
pub mod columns;
#[cfg(feature = "alloc")]
pub mod compat;
mod decode;
mod driver;
mod encode;
mod error;
pub mod form;
mod hex;
mod inspect;
mod kernel;
#[cfg(feature = "alloc")]
pub mod legacy;
mod level;
mod normalize;
pub mod offset;
#[cfg(feature = "alloc")]
pub mod reference;
mod rules;
mod search;
pub mod sets;
pub mod stream;
pub mod uri;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

pub use byteset::ByteSet;
pub use decode::Decoder;
pub use encode::Encoder;
pub use error::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError};
pub use inspect::{Counts, Findings, Kinds, inspect, inspect_counting};
pub use level::{Level, UnknownLevel};
pub use normalize::{Malformed, Normalizer, equivalent, is_normal};

/// Encodes for any component of a URI: all but RFC 3986's unreserved characters. Borrows where there is nothing to escape.
///
/// ```
/// assert_eq!(simdpct::encode("fish & chips"), "fish%20%26%20chips");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn encode<T: AsRef<[u8]> + ?Sized>(input: &T) -> Cow<'_, str> {
    const { &Encoder::COMPONENT }.encode(input)
}

/// Decodes to text: strict triplets, strict UTF-8. Borrows where there is nothing to decode.
///
/// # Errors
///
/// The first malformed `%`, or the first sequence that is not well-formed UTF-8.
///
/// ```
/// assert_eq!(simdpct::decode("fish%20%26%20chips")?, "fish & chips");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn decode<T: AsRef<[u8]> + ?Sized>(input: &T) -> Result<Cow<'_, str>, DecodeError> {
    const { &Decoder::new() }.decode_utf8(input)
}

/// Decodes to bytes: strict triplets, any bytes. Borrows where there is nothing to decode.
///
/// # Errors
///
/// The first malformed `%`.
///
/// ```
/// assert_eq!(*simdpct::decode_bytes("%FF%00")?, [0xFF, 0]);
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_bytes<T: AsRef<[u8]> + ?Sized>(input: &T) -> Result<Cow<'_, [u8]>, DecodeError> {
    const { &Decoder::new() }.decode(input)
}

/// Decodes to text whatever comes: a malformed `%` stays (WHATWG URL 1.3), ill-formed UTF-8 becomes U+FFFD.
///
/// ```
/// assert_eq!(simdpct::decode_lossy("%E4pfel 100%"), "\u{FFFD}pfel 100%");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn decode_lossy<T: AsRef<[u8]> + ?Sized>(input: &T) -> Cow<'_, str> {
    // A lenient decoder that rejects nothing has no error, so the default never stands in for anything.
    const { &Decoder::new().lenient() }.decode_utf8_lossy(input).unwrap_or_default()
}

/// Brings triplets into the normal form of RFC 3986 6.2.2. Borrows where they are in it already.
///
/// # Errors
///
/// The first malformed `%`.
///
/// ```
/// assert_eq!(simdpct::normalize("/%7euser/%2f")?, "/~user/%2F");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn normalize(input: &str) -> Result<Cow<'_, str>, DecodeError> {
    const { &Normalizer::new() }.normalize(input)
}

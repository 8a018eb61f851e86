//! Fast percent-encoding and percent-decoding (URL encoding).
//!
//! Implements RFC 3986, the WHATWG URL Standard, HTML forms and related formats. SIMD kernels for
//! AVX-512, AVX2, SSE4.1 and NEON are selected at run time, and WebAssembly's simd128 at compile
//! time, with a scalar fallback for every other CPU. All kernels return the same results, errors
//! included.
//!
//! Use the functions of the crate root if the defaults fit: RFC 3986's unreserved set for encoding,
//! strict decoding to text. [`Encoder`] and [`Decoder`] choose the set, the policies and the kind
//! of output.
//!
//! ```
//! assert_eq!(simdpct::encode("/a b"), "%2Fa%20b");
//! assert_eq!(simdpct::decode_utf8("caf%C3%A9")?, "café");
//! assert_eq!(simdpct::decode_utf8_lossy("100%25 or 100%"), "100% or 100%");
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! # Overview
//!
//! | to | use |
//! |---|---|
//! | migrate from percent-encoding, urlencoding, form_urlencoded, serde_urlencoded or url-escape | [`compat`] |
//! | customize encoding (set, policies, output) | [`Encoder`], [`sets`], [`ByteSet`] |
//! | format encoded text, or iterate over it, without allocating | [`Encoded`], [`Pieces`] |
//! | customize decoding (strict or lenient, bytes to keep or reject, output) | [`Decoder`] |
//! | restrict which characters decoded text may contain | [`accept`] |
//! | make the path of a request canonical (dot segments, encoded slashes, `//`), or refuse it | [`path`] |
//! | normalize and compare URIs | [`Normalizer`], [`equivalent`](fn@equivalent) |
//! | split, repair and build whole URIs | [`uri`] |
//! | parse and serialize forms and queries | [`form`] |
//! | read and write parameters of HTTP header fields (`filename*=UTF-8''...`) | [`ext_value`] |
//! | process input in chunks, or through `Read` and `Write` | [`stream`] |
//! | encode or decode a column of a table (Arrow layout) | [`columns`] |
//! | inspect a string (double encoding, NUL, invalid UTF-8) before decoding it | [`inspect`](fn@inspect) |
//! | map a position in decoded text back to the input, or the reverse | [`offset`] |
//! | decode legacy formats (`%uXXXX`, ISO-8859-1) | [`legacy`] |
//!
//! Functions take text or bytes: any [`Input`]. A borrowed result is always the input itself.
//!
//! # Guarantees
//!
//! * No function panics, whatever its input, unless memory runs out.
//! * No byte outside the given buffers is read or written.
//! * Time is linear in the length of the input.
//! * Input is decoded once: `%2541` becomes `%41`, never `A`.
//!
//! # Features
//!
//! * `std` (default): `Read`, `Write` and `SIMDPCT_LEVEL`. The CPU is detected at run time without
//!   it too.
//! * `getenv`: `SIMDPCT_LEVEL` without `std`, by `getenv` of the C library that the program is
//!   linked with.
//! * `alloc`: functions that return `Cow`, `String` or `Vec`. Without it, only the functions that
//!   write to slices are available, for `no_std` programs without an allocator.
//! * `serde`: (de)serializes Rust types from and to forms: `form::from_str` and `form::to_string`.
//! * `encoding_rs`: adds the charsets of the WHATWG Encoding Standard to [`legacy`], using the
//!   crate of that name.
#![cfg_attr(simdpct_one_level, allow(dead_code, reason = "the scalar kernels are left out"))]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(feature = "alloc")]
extern crate alloc;

/// Doc tests of the README's examples.
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
#[cfg(target_arch = "x86_64")]
mod cpuid;
mod decode;
mod driver;
mod encode;
mod encoded;
#[cfg(any(feature = "std", feature = "getenv", target_arch = "x86_64"))]
mod environment;
mod error;
pub mod ext_value;
pub mod form;
mod hex;
mod input;
mod inspect;
mod kernel;
mod kinds;
#[cfg(feature = "alloc")]
pub mod legacy;
mod level;
mod normalize;
pub mod offset;
#[cfg(feature = "alloc")]
mod output;
pub mod path;
#[cfg(feature = "__reference")]
#[doc(hidden)]
pub mod reference;
mod rules;
mod search;
pub mod sets;
pub mod stream;
pub mod uri;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

pub use byteset::{ByteSet, ByteSetIter};
pub use decode::Decoder;
pub use encode::Encoder;
pub use encoded::{Encoded, Pieces};
pub use error::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError};
pub use input::{Input, Pair, Slice};
pub use inspect::{Counts, Finding, Findings, FindingsIter, inspect, inspect_counting};
pub use kinds::{Kinds, KindsIter, UnknownKind};
pub use level::{Level, UnknownLevel};
pub use normalize::{Malformed, Normalizer, equivalent, is_normal};
#[cfg(feature = "alloc")]
pub use output::Output;

/// Encodes a string for use in any component of a URI.
///
/// Escapes all bytes except RFC 3986's unreserved characters (2.3). Borrows the input if nothing is
/// escaped. Equivalent to [`Encoder::COMPONENT`]`.encode(input)`.
///
/// ```
/// assert_eq!(simdpct::encode("fish & chips"), "fish%20%26%20chips");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn encode<T: Input + ?Sized>(input: &T) -> Cow<'_, str> {
    const { &Encoder::COMPONENT }.encode(input)
}

/// Decodes to text; malformed triplets and invalid UTF-8 are errors.
///
/// Borrows the input if nothing is decoded. `+` is not decoded; see
/// [`Decoder::plus_for_space`] for form data.
///
/// # Errors
///
/// Returns the first malformed `%`, or the first sequence that is not well-formed UTF-8.
///
/// ```
/// assert_eq!(simdpct::decode_utf8("fish%20%26%20chips")?, "fish & chips");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_utf8<T: Input + ?Sized>(input: &T) -> Result<Cow<'_, str>, DecodeError> {
    const { &Decoder::new() }.decode_utf8(input)
}

/// Decodes to bytes; malformed triplets are errors.
///
/// Borrows the input if nothing is decoded.
///
/// # Errors
///
/// Returns the first malformed `%`.
///
/// ```
/// assert_eq!(*simdpct::decode("%FF%00")?, [0xFF, 0]);
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn decode<T: Input + ?Sized>(input: &T) -> Result<Cow<'_, [u8]>, DecodeError> {
    const { &Decoder::new() }.decode(input)
}

/// Decodes to text, and never fails.
///
/// A malformed `%` is kept (WHATWG URL 1.3). Each maximal subpart of an ill-formed UTF-8 sequence
/// is replaced by U+FFFD. Borrows the input if nothing is decoded or replaced.
///
/// ```
/// assert_eq!(simdpct::decode_utf8_lossy("%E4pfel 100%"), "\u{FFFD}pfel 100%");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn decode_utf8_lossy<T: Input + ?Sized>(input: &T) -> Cow<'_, str> {
    // Unreachable default: a lenient decoder that rejects nothing never fails.
    const { &Decoder::new().lenient() }.decode_utf8_lossy(input).unwrap_or_default()
}

/// Normalizes triplets (RFC 3986 6.2.2): decodes unreserved characters, upper-cases hex digits.
///
/// Borrows the input if it is already normal. See [`Normalizer`].
///
/// # Errors
///
/// Returns the first malformed `%`.
///
/// ```
/// assert_eq!(simdpct::normalize("/%7euser/%2f")?, "/~user/%2F");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn normalize<T: Input + ?Sized>(input: &T) -> Result<Cow<'_, T::Slice>, DecodeError> {
    const { &Normalizer::new() }.normalize(input)
}

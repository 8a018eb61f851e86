//! Forms: `application/x-www-form-urlencoded`, the format `name=value&name=value` of queries and
//! request bodies (WHATWG URL 5).
//!
//! Pairs are separated by `&`. A name ends at the first `=`. Empty pairs are skipped. In names and
//! values, `+` is a space and triplets are decoded. There are four parsers, each an iterator over
//! the pairs in order:
//!
//! | | malformed `%` | invalid UTF-8 | names and values |
//! |---|---|---|---|
//! | [`parse`] | error | error | `Cow<str>` |
//! | [`parse_lossy`], the standard's parser | kept | becomes U+FFFD | `Cow<str>` |
//! | [`parse_bytes`] | kept | kept | `Cow<[u8]>` |
//! | [`split`] | kept | kept | `&[u8]`, not decoded |
//!
//! A name or value without escapes is borrowed from the input. [`serialize`] and [`Serializer`] do
//! the reverse. With the feature `serde`, forms are converted to and from structs and maps.
//!
//! Every operation is linear in the length of the form. `get` searches the form from the current
//! position of the iterator, so to look up many names, iterate over the pairs once instead.
//!
//! The input must not start with `?`: per the standard, this would be part of the first name.
//! Splitting at `;` (HTML 4.01 B.2.2) is not part of the standard and not supported.
//!
//! ```
//! use simdpct::form;
//!
//! let query = "q=fish+%26+chips&page=2&q=caf%C3%A9";
//! for pair in form::parse(query) {
//!     let (name, value) = pair?;
//!     println!("{name}: {value}");
//! }
//! assert_eq!(form::parse_lossy(query).get("page").as_deref(), Some("2"));
//! let all: Vec<_> = form::parse_lossy(query).get_all("q").collect();
//! assert_eq!(all, ["fish & chips", "café"]);
//!
//! assert_eq!(form::serialize([("q", "fish & chips"), ("page", "2")]), "q=fish+%26+chips&page=2");
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
#![forbid(unsafe_code)]

mod parse;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "alloc")]
mod serialize;

#[cfg(feature = "alloc")]
pub use parse::{IntoOwned, Parse, ParseBytes, ParseLossy, parse, parse_bytes, parse_lossy};
pub use parse::{Split, split};
#[cfg(feature = "serde")]
pub use serde::{Deserializer, Error, from_bytes, from_str, from_text, to_string};
#[cfg(feature = "alloc")]
pub use serialize::{Serializer, serialize};

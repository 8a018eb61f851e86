//! Forms: `application/x-www-form-urlencoded`, the `name=value&name=value` of queries and request bodies (WHATWG URL 5).
//!
//! Pairs are separated by `&`, names end at the first `=`, and pairs without a byte are skipped. In names and values `+` is
//! a space, and the rest is percent-decoded. Of a form there are these views, each an iterator over its pairs in order:
//!
//! | | a malformed `%` | bytes that are no UTF-8 | names and values |
//! |---|---|---|---|
//! | [`parse`] | is an error | are an error | `Cow<str>` |
//! | [`parse_lossy`], the standard's parser | stays | become U+FFFD | `Cow<str>` |
//! | [`parse_bytes`] | stays | stay | `Cow<[u8]>` |
//! | [`split`] | stays | stay | `&[u8]`, not decoded |
//!
//! A name or value in which nothing is escaped is borrowed from the input. [`serialize`] and [`Serializer`] go the other
//! way. With the feature `serde`, forms become structs and maps, and back.
//!
//! Everything is linear in the form's length. A `get` goes through the form from where the iterator stands, so whoever wants
//! many names had better go through the pairs once.
//!
//! The input has no leading `?`: as the standard has it, that would be part of the first name. The parser of old forms that
//! split at `;` (HTML 4.01 B.2.2) is no part of the standard and none of this module.
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
pub use parse::{Parse, ParseBytes, ParseLossy, parse, parse_bytes, parse_lossy};
pub use parse::{Split, split};
#[cfg(feature = "serde")]
pub use serde::{Deserializer, Error, from_bytes, from_str, from_text, to_string};
#[cfg(feature = "alloc")]
pub use serialize::{Serializer, Target, serialize};

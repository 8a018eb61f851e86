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
//!
//! # When to use it
//!
//! For the query of a URL and for request bodies of this type. Bodies of uploads
//! (`multipart/form-data`) are another format. In a path `+` is data: use
//! [`Decoder`](crate::Decoder).
//!
//! # Choosing a form
//!
//! | you want | use |
//! |---|---|
//! | one or two values | `get`, `get_all` of a parser |
//! | all pairs | a parser as an iterator |
//! | a struct or map | `from_str`, `from_bytes` (feature `serde`) |
//! | the standard's result, which is never an error | [`parse_lossy`], or `Deserializer::lossy` |
//! | the first invalid pair, with its position | [`parse`] |
//! | bytes in no charset or another one than UTF-8 | [`parse_bytes`] |
//! | no allocation | [`split`] |
//! | to write a form | [`serialize`], [`Serializer`], or `to_string` (feature `serde`) |
//!
//! # Example: queries of an access log
//!
//! ```
//! use simdpct::form;
//!
//! let query = "name=Ren%C3%A9e+Dupont&mail=renee%40example.net&text=Bonjour%2C+%C3%A7a+va+%3F";
//! let pairs = form::parse_lossy(query);
//! assert_eq!(pairs.get("mail").as_deref(), Some("renee@example.net"));
//! assert_eq!(form::serialize(pairs), query);
//!
//! // A discount. The strict parser has the position, the lossy one has the text that was meant.
//! let query = "q=50%+off&page=2";
//! let mut pairs = form::parse(query);
//! assert_eq!(pairs.next().unwrap().unwrap_err().position, 4);
//! assert_eq!(pairs.next().unwrap()?.1, "2");
//! assert_eq!(form::parse_lossy(query).get("q").as_deref(), Some("50% off"));
//!
//! // ISO-8859-1.
//! assert_eq!(form::parse_bytes("q=Fu%DFg%E4nger").get("q").as_deref(), Some(&b"Fu\xDFg\xE4nger"[..]));
//! # Ok::<(), simdpct::DecodeError>(())
//! ```
//!
//! # Mistakes
//!
//! * **To decode first and parse then.** The encoded `&` and `=` of a value become delimiters. The
//!   parsers decode after they split.
//! * **To pass the `?`, or the whole URL.** The first name is then `?q` or `https://...?q`.
//! * **To pass a fragment.** `#top` becomes part of the last value. Use
//!   [`uri::part`](fn@crate::uri::part) with [`Part::Query`](crate::uri::Part::Query).
//! * **To take an error for the end.** After an error, [`parse`] goes on with the next pair.
//! * **To call `get` for each of many names.** That takes quadratic time on a hostile form.
//! * **To read a name once.** A form may repeat it. `get` is the first value, many programs take
//!   the last one, and structs refuse the form.
//! * **To deserialize without a limit.** Set `Deserializer::max_pairs` in a server.
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

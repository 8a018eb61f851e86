//! Percent-decoding, encoding and inspection of Apache Arrow's arrays, with the SIMD codec of
//! [`simdpct`].
//!
//! | function | each value |
//! |---|---|
//! | [`decode`] | percent-decoded, or the error |
//! | [`decode_lossy`] | percent-decoded; invalid UTF-8 becomes U+FFFD |
//! | [`decode_java`] | as Java and Spark decode |
//! | [`encode`] | percent-encoded, with any set |
//! | [`normalize`] | with normal triplets (RFC 3986 6.2.2) |
//! | [`repair`] | with everything escaped that a URI must not contain |
//! | [`part`] | a [`Part`] of the URL |
//! | [`query_value`] | the value of a key in the query of the URL |
//! | [`map`] | the result of any [`Mapping`] of URLs: normal forms, domains, ... |
//! | [`query_keys`], [`query_map`], [`parts`] | a list of keys, a map of pairs, all parts |
//! | [`findings`], [`has`], [`finding_names`] | what it contains: double encoding, NUL, invalid UTF-8, ... |
//!
//! [`apply`] applies an [`Operation`](simdpct_functions::Operation) that is chosen at run time.
//!
//! # Types
//!
//! Every function takes `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`, `LargeBinary` and `BinaryView`
//! arrays, and dictionaries of them with any type of keys. The output has the type of the input. A
//! string that does not decode to UTF-8 is an error; a binary value may decode to any bytes.
//!
//! Null stays null. In a dictionary array, only the dictionary's values are converted; an invalid
//! value that no key refers to is not an error.
//!
//! # Memory
//!
//! * The output of the codec becomes the array's buffers, without a copy.
//! * If nothing changes, the result shares all buffers of the input.
//! * In an array of views, unchanged values and parts of URLs are shared in the same way.
//!
//! Nothing panics. Output that overflows 32-bit offsets is [`ArrowError::OffsetOverflowError`].
//! Views and 64-bit offsets have no such limit.
//!
//! # Example
//!
//! ```
//! use arrow_array::{Array, StringArray, cast::AsArray};
//! use simdpct::{Decoder, Encoder};
//! use simdpct_arrow::{OnError, decode, encode};
//!
//! let urls = StringArray::from(vec![Some("caf%C3%A9"), None, Some("50%"), Some("a+b")]);
//! let form = Decoder::new().plus_for_space();
//! let decoded = decode(&urls, &form, OnError::Null)?;
//! assert_eq!(decoded.as_string::<i32>(), &StringArray::from(vec![Some("café"), None, None, Some("a b")]));
//!
//! let encoded = encode(&decoded, &Encoder::FORM)?;
//! assert_eq!(encoded.as_string::<i32>().value(3), "a+b");
//! # Ok::<(), arrow_schema::ArrowError>(())
//! ```

/// Doc tests of the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod apply;
mod convert;
mod each;
mod error;
mod inspect;
mod nested;
mod unchecked;
mod value;
mod view_search;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use simdpct::{Decoder, Encoder, Normalizer};
use simdpct_functions::Mapping;

pub use apply::{apply, return_type};
pub use each::apply_each;
pub use error::InvalidValue;
pub use inspect::{finding_names, findings, has};
pub use nested::{parts, query_keys, query_map};
pub use simdpct::columns::OnError;
pub use simdpct::uri::Part;

/// Whether the functions of this crate take arrays of this type.
///
/// ```
/// use arrow_schema::DataType;
///
/// assert!(simdpct_arrow::is_supported(&DataType::Utf8View));
/// assert!(!simdpct_arrow::is_supported(&DataType::Int32));
/// ```
#[must_use]
pub fn is_supported(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_string(values),
        data_type => is_string(data_type),
    }
}

fn is_string(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
    )
}

/// Percent-decodes each value.
///
/// A string that does not decode to UTF-8 is invalid. Binary values are decoded to any bytes.
/// [`Decoder::plus_for_space`] decodes forms, [`Decoder::lenient`] keeps malformed `%`s.
///
/// # Errors
///
/// Returns [`InvalidValue`] for the first invalid value (in a dictionary, the first in the
/// dictionary's order), according to `on_error`, and the errors of the [crate].
///
/// ```
/// use arrow_array::{BinaryArray, cast::AsArray};
/// use simdpct::Decoder;
/// use simdpct_arrow::{OnError, decode};
///
/// let hashes = BinaryArray::from(vec![&b"%FF%00"[..], b"%"]);
/// let decoded = decode(&hashes, &Decoder::new(), OnError::Keep)?;
/// assert_eq!(decoded.as_binary::<i32>(), &BinaryArray::from(vec![&b"\xFF\0"[..], b"%"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn decode(array: &dyn Array, decoder: &Decoder, on_error: OnError) -> Result<ArrayRef, ArrowError> {
    convert::convert(array, &unchecked::Decode { decoder, on_error })
}

/// Percent-decodes each value. In strings, each maximal subpart of an ill-formed UTF-8 sequence
/// becomes U+FFFD; binary values are decoded as by [`decode`].
///
/// With a [lenient](Decoder::lenient) decoder that rejects nothing, no value is invalid.
///
/// # Errors
///
/// Same as [`decode`].
///
/// ```
/// use arrow_array::{StringViewArray, cast::AsArray};
/// use simdpct::Decoder;
/// use simdpct_arrow::{OnError, decode_lossy};
///
/// let urls = StringViewArray::from(vec!["%E4pfel", "100%"]);
/// let decoded = decode_lossy(&urls, &Decoder::new().lenient(), OnError::Refuse)?;
/// assert_eq!(decoded.as_string_view(), &StringViewArray::from(vec!["\u{FFFD}pfel", "100%"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn decode_lossy(array: &dyn Array, decoder: &Decoder, on_error: OnError) -> Result<ArrayRef, ArrowError> {
    convert::convert(array, &unchecked::DecodeLossy { decoder, on_error })
}

/// Decodes each value as `java.net.URLDecoder` and Spark's `url_decode` do: `+` is a space, invalid
/// UTF-8 becomes U+FFFD as in Java, and `%+4` is a triplet. See [`simdpct::legacy::java`].
///
/// # Errors
///
/// Same as [`decode`]. A value is invalid if Java throws an exception. Even with [`OnError::Keep`],
/// invalid UTF-8 in a binary value becomes U+FFFD.
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct_arrow::{OnError, decode_java};
///
/// let urls = StringArray::from(vec!["a+%+4%E4", "50%"]);
/// let decoded = decode_java(&urls, OnError::Null)?;
/// assert_eq!(decoded.as_string::<i32>(), &StringArray::from(vec![Some("a \u{4}\u{FFFD}"), None]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn decode_java(array: &dyn Array, on_error: OnError) -> Result<ArrayRef, ArrowError> {
    convert::convert(array, &unchecked::DecodeJava { on_error })
}

/// Percent-encodes each value. [`Encoder::FORM`] encodes forms.
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{LargeStringArray, cast::AsArray};
/// use simdpct::Encoder;
///
/// let names = LargeStringArray::from(vec!["a/b", "fish & chips"]);
/// let encoded = simdpct_arrow::encode(&names, &Encoder::COMPONENT)?;
/// assert_eq!(encoded.as_string::<i64>(), &LargeStringArray::from(vec!["a%2Fb", "fish%20%26%20chips"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn encode(array: &dyn Array, encoder: &Encoder) -> Result<ArrayRef, ArrowError> {
    convert::convert(array, &unchecked::Encode { encoder })
}

/// Normalizes the percent-encoding of each value (RFC 3986 6.2.2): decodes unreserved characters
/// and writes the digits of other triplets in upper case.
///
/// # Errors
///
/// Returns [`InvalidValue`] for a malformed `%`, according to the normalizer and `on_error`, and
/// the errors of the [crate].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct::Normalizer;
/// use simdpct_arrow::{OnError, normalize};
///
/// let urls = StringArray::from(vec!["/%7euser", "/%2f"]);
/// let normal = normalize(&urls, &Normalizer::new(), OnError::Refuse)?;
/// assert_eq!(normal.as_string::<i32>(), &StringArray::from(vec!["/~user", "/%2F"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn normalize(array: &dyn Array, normalizer: &Normalizer, on_error: OnError) -> Result<ArrayRef, ArrowError> {
    convert::convert(array, &unchecked::Normalize { normalizer, on_error })
}

/// Makes each value a valid URI reference by escaping illegal bytes; see [`simdpct::uri::repair`].
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
///
/// let urls = StringArray::from(vec!["http://e/a b?100%", "/plain"]);
/// let repaired = simdpct_arrow::repair(&urls)?;
/// assert_eq!(repaired.as_string::<i32>(), &StringArray::from(vec!["http://e/a%20b?100%25", "/plain"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn repair(array: &dyn Array) -> Result<ArrayRef, ArrowError> {
    convert::map(array, &Mapping::Repair)
}

/// Takes a part of each URL, as written; null if the URL does not have the part. See
/// [`simdpct::uri::part`]. Nothing is validated: any text can be split (RFC 3986 appendix B).
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct_arrow::{Part, part};
///
/// let urls = StringArray::from(vec!["http://u@[::1]:80/a%20b?q#f", "/only/a/path"]);
/// let hosts = part(&urls, Part::Host)?;
/// assert_eq!(hosts.as_string::<i32>(), &StringArray::from(vec![Some("[::1]"), None]));
/// let paths = part(&urls, Part::Path)?;
/// assert_eq!(paths.as_string::<i32>(), &StringArray::from(vec!["/a%20b", "/only/a/path"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn part(array: &dyn Array, part: Part) -> Result<ArrayRef, ArrowError> {
    convert::map(array, &Mapping::Part(simdpct_functions::Part::Uri(part)))
}

/// Takes the value of a key from the query of each URL: the decoded value of the first pair whose
/// decoded name is `key`; null if there is none.
///
/// The query is parsed per the WHATWG URL Standard (5.1), which never fails: `+` is a space, a
/// malformed `%` is kept, and in strings, invalid UTF-8 becomes U+FFFD.
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct_arrow::query_value;
///
/// let urls = StringArray::from(vec!["/s?page=2&q=fish+%26+chips", "/s?q", "/s?page=1#q=2"]);
/// let searches = query_value(&urls, "q")?;
/// assert_eq!(searches.as_string::<i32>(), &StringArray::from(vec![Some("fish & chips"), Some(""), None]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn query_value(array: &dyn Array, key: &str) -> Result<ArrayRef, ArrowError> {
    convert::map(array, &Mapping::QueryValue(key.to_owned()))
}

/// Maps each value as [`Mapping::of`] does; null stays null.
///
/// # Errors
///
/// Returns the errors of the [crate].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct_arrow::map;
/// use simdpct_functions::Mapping;
///
/// let urls = StringArray::from(vec!["https://www.example.co.uk/", "/a"]);
/// let domains = map(&urls, &Mapping::Domain)?;
/// assert_eq!(domains.as_string::<i32>(), &StringArray::from(vec![Some("example.co.uk"), None]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn map(array: &dyn Array, mapping: &Mapping) -> Result<ArrayRef, ArrowError> {
    convert::map(array, mapping)
}

//! Legacy formats that predate RFC 3986: `%uXXXX`, ISO-8859-1 and other charsets, and the sets of
//! old converters.
//!
//! Do not use these for new text. Each module handles one kind of escapes other than UTF-8
//! triplets:
//!
//! | source of the text | use |
//! |---|---|
//! | ECMAScript's `escape`, `encodeURI` or `encodeURIComponent` | [`js`] |
//! | IIS and ASP, or input that must be decoded as they do: `%uXXXX` mixed with UTF-8 triplets | [`UnicodeDecoder`] |
//! | Java's `URLDecoder`, or input that must be decoded as by Spark and Trino | [`java`] |
//! | programs of RFC 1738's time, in ISO-8859-1 | [`latin1`] |
//! | forms and links of a page in another charset, as encoded by browsers | `charset`, with the feature `encoding_rs` |
//! | converters of whole URLs that keep `; / ? : @ = # &` | [`rfc1738`] |
//!
//! ```
//! use simdpct::legacy::{UnicodeDecoder, js, latin1};
//! use simdpct::Decoder;
//!
//! assert_eq!(js::escape("à la carte: 5 €"), "%E0%20la%20carte%3A%205%20%u20AC");
//! assert_eq!(UnicodeDecoder::new(Decoder::new()).decode_utf8("%u20AC%20%C3%A0")?, "€ à");
//! assert_eq!(latin1::encode("à la carte")?, "%E0%20la%20carte");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "encoding_rs")]
pub mod charset;
pub mod java;
pub mod js;
pub mod latin1;
pub mod rfc1738;
mod unicode;

use core::error::Error;
use core::fmt;

pub use unicode::{LoneSurrogates, UnicodeDecoder};

/// Error: the charset cannot represent a character of the text.
///
/// ```
/// let error = simdpct::legacy::latin1::encode("5 €").unwrap_err();
/// assert_eq!((error.character, error.position), ('€', 2));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Unencodable {
    /// The first such character.
    pub character: char,
    /// Its byte offset in the text.
    pub position: usize,
}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the charset does not have U+{:04X} at byte {}", u32::from(self.character), self.position)
    }
}

impl Error for Unencodable {}

//! Whole URIs: splits and repairs them, and builds paths and queries from data. Each component is
//! escaped with its own set.
//!
//! ```
//! use simdpct::uri;
//!
//! let dirty = "http://example.com/a b/100%/[x]?q=\"é\"&r=%C3%A9#a#b";
//! assert_eq!(uri::repair(dirty), "http://example.com/a%20b/100%25/%5Bx%5D?q=%22%C3%A9%22&r=%C3%A9#a%23b");
//!
//! let parts = uri::split("http://example.com/a%2Fb?c#d");
//! assert_eq!((parts.authority, parts.path), (Some("example.com"), "/a%2Fb"));
//! assert_eq!(uri::part("http://user@example.com:80/", uri::Part::Host), Some("example.com"));
//!
//! let path = uri::path(["doc@1:5", ""])?;
//! let query = uri::query([("back_uri", "http://user:password@example.com/?foo=bar")]);
//! assert_eq!(
//!     format!("http://example.com{path}?{query}"),
//!     "http://example.com/doc@1:5/?back_uri=http://user:password@example.com/?foo%3Dbar"
//! );
//! # Ok::<(), simdpct::uri::SlashInSegment>(())
//! ```
//!
//! # Scope
//!
//! Each function does one thing: only [`remove_dot_segments`] and [`resolve`] look at dot segments
//! (`.` and `..`, RFC 3986 5.2.4), and host names are escaped, but not converted to ASCII (IDNA,
//! RFC 5891), lower-cased or validated. The normal form of a whole URL does all of this:
//! `UrlNormalizer`, with the feature `idna`.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
mod build;
#[cfg(feature = "alloc")]
mod dots;
#[cfg(feature = "idna")]
mod normal;
#[cfg(feature = "alloc")]
mod repair;
mod segments;
mod split;

#[cfg(feature = "alloc")]
pub use build::{PathBuilder, QueryBuilder, SlashInSegment, path, query};
#[cfg(feature = "alloc")]
pub use dots::{remove_dot_segments, resolve};
#[cfg(feature = "idna")]
pub use normal::{UrlError, UrlErrorKind, UrlNormalizer};
#[cfg(feature = "alloc")]
pub use repair::repair;
pub use segments::{extension, segments};
pub use split::{Authority, Part, Parts, UnknownPart, part, split, split_authority};

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
//! This module handles percent-encoding only. It does not detect or remove dot segments (`.` and
//! `..`, RFC 3986 5.2.4). It escapes host names, but does not convert them to ASCII (IDNA, RFC
//! 5891), lower-case or validate them. It does not resolve references, and has no scheme-specific
//! rules. Combine it with a URL library for these.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
mod build;
#[cfg(feature = "alloc")]
mod repair;

use core::fmt;
use core::ops::Range;

#[cfg(feature = "alloc")]
pub use build::{PathBuilder, QueryBuilder, SlashInSegment, path, query};
#[cfg(feature = "alloc")]
pub use repair::repair;

use crate::byteset::ByteSet;

/// The components of a URI reference, without the delimiters between them (RFC 3986 3 and 4.1).
///
/// A missing component is `None`; a component that is present but empty is `Some`: `a?` has an
/// empty query. The path is always present.
///
/// `Parts<&str>` implements `Display`, which recomposes the URI reference (RFC 3986 5.3).
///
/// ```
/// use simdpct::uri::{Parts, split};
///
/// let text = "//example.com/over/there?name=ferret#nose";
/// assert_eq!(split(text).to_string(), text);
/// assert_eq!(Parts { fragment: None, ..split(text) }.to_string(), "//example.com/over/there?name=ferret");
/// ```
// Exhaustive: RFC 3986 fixes the components, and users build references of them.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Parts<T> {
    /// The part before `:`. Need not be a valid scheme (RFC 3986 3.1).
    pub scheme: Option<T>,
    /// The part after `//`: a host, optionally with user information and a port (RFC 3986 3.2).
    pub authority: Option<T>,
    /// The path (RFC 3986 3.3).
    pub path: T,
    /// The part after the first `?`, unless preceded by `#` (RFC 3986 3.4).
    pub query: Option<T>,
    /// The part after the first `#` (RFC 3986 3.5).
    pub fragment: Option<T>,
}

/// Splits a URI reference into components, like the regular expression of RFC 3986 appendix B.
/// Nothing is decoded or validated.
///
/// Any string can be split, and recomposing the parts yields the same string. Linear, with SIMD.
///
/// ```
/// let parts = simdpct::uri::split("http://www.ics.uci.edu/pub/ietf/uri/#Related");
/// assert_eq!(parts.scheme, Some("http"));
/// assert_eq!(parts.authority, Some("www.ics.uci.edu"));
/// assert_eq!(parts.path, "/pub/ietf/uri/");
/// assert_eq!(parts.query, None);
/// assert_eq!(parts.fragment, Some("Related"));
/// ```
#[must_use]
pub fn split(text: &str) -> Parts<&str> {
    // All delimiters are ASCII, so the ranges end at character boundaries.
    ranges(text.as_bytes()).map(|range| &text[range])
}

/// Like [`split`], for bytes that need not be UTF-8.
#[must_use]
pub fn split_bytes(bytes: &[u8]) -> Parts<&[u8]> {
    ranges(bytes).map(|range| &bytes[range])
}

const SEGMENT_END: ByteSet = ByteSet::new(b"/?#");
const SCHEME_END: ByteSet = SEGMENT_END.with(b':');
const PATH_END: ByteSet = ByteSet::new(b"?#");

/// The ranges of the components (RFC 3986 appendix B).
fn ranges(bytes: &[u8]) -> Parts<Range<usize>> {
    let find = |set: &ByteSet, start| set.find(&bytes[start..]).map(|at| start + at);
    let mut start = 0;
    let scheme = find(&SCHEME_END, 0).filter(|&end| end > 0 && bytes[end] == b':').map(|end| {
        start = end + 1;
        0..end
    });
    let authority = bytes[start..].starts_with(b"//").then(|| {
        let authority = start + 2;
        start = find(&SEGMENT_END, authority).unwrap_or(bytes.len());
        authority..start
    });
    let path = start..find(&PATH_END, start).unwrap_or(bytes.len());
    let mut end = path.end;
    let query = (bytes.get(end) == Some(&b'?')).then(|| {
        let query = end + 1;
        end = memchr::memchr(b'#', &bytes[query..]).map_or(bytes.len(), |at| query + at);
        query..end
    });
    let fragment = (end < bytes.len()).then(|| end + 1..bytes.len());
    Parts { scheme, authority, path, query, fragment }
}

impl<T> Parts<T> {
    fn map<U>(self, component: impl Fn(T) -> U) -> Parts<U> {
        Parts {
            scheme: self.scheme.map(&component),
            authority: self.authority.map(&component),
            path: component(self.path),
            query: self.query.map(&component),
            fragment: self.fragment.map(&component),
        }
    }
}

/// Component recomposition (RFC 3986 5.3).
impl fmt::Display for Parts<&str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = self.scheme {
            write!(f, "{scheme}:")?;
        }
        if let Some(authority) = self.authority {
            write!(f, "//{authority}")?;
        }
        f.write_str(self.path)?;
        if let Some(query) = self.query {
            write!(f, "?{query}")?;
        }
        if let Some(fragment) = self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}

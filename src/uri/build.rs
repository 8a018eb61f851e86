//! Builds paths from segments and queries from pairs.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::byteset::ByteSet;
use crate::encode::Encoder;
use crate::input::{Input, Pair};

/// Error: a segment of a path contains a slash.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct SlashInSegment {
    /// Index of the segment.
    pub segment: usize,
    /// Byte offset of its first `/`.
    pub position: usize,
}

impl fmt::Display for SlashInSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a slash in segment {} of a path, at byte {}", self.segment, self.position)
    }
}

impl Error for SlashInSegment {}

/// Builds a path from segments: each is escaped and preceded by `/` (`path-abempty`, RFC 3986
/// 3.3).
///
/// Segments are data: every `%` in them is escaped. `pchar` are kept, including `@`, `:` and
/// `=`. An empty last segment yields a path that ends in `/`.
///
/// A segment that contains `/` is an error, because much software decodes `%2F` before it
/// splits the path. `\` becomes `%5C`.
///
/// The segments `.` and `..` are kept. Resolving the path interprets them as dot segments, even
/// if escaped (RFC 3986 6.2.2.2), so a path cannot contain them as data. Reject them first if
/// segments come from untrusted input.
///
/// If the path follows a scheme directly, or starts the reference, its first segment must not
/// be empty if others follow, because `//` starts an authority.
///
/// ```
/// use simdpct::uri::PathBuilder;
///
/// let mut path = PathBuilder::new();
/// path.push("a b")?.push("100%")?.push("")?;
/// assert_eq!(path.as_str(), "/a%20b/100%25/");
///
/// let error = path.push("c/d").unwrap_err();
/// assert_eq!((error.segment, error.position), (3, 1));
/// # Ok::<(), simdpct::uri::SlashInSegment>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct PathBuilder {
    path: String,
    segments: usize,
}

impl PathBuilder {
    /// Creates an empty path.
    #[must_use]
    pub const fn new() -> Self {
        Self { path: String::new(), segments: 0 }
    }

    /// Appends `/` and the escaped segment.
    ///
    /// # Errors
    ///
    /// Returns [`SlashInSegment`] if the segment contains `/`. Nothing is appended then.
    pub fn push<T: Input + ?Sized>(&mut self, segment: &T) -> Result<&mut Self, SlashInSegment> {
        let segment = segment.as_bytes();
        if let Some(position) = memchr::memchr(b'/', segment) {
            return Err(SlashInSegment { segment: self.segments, position });
        }
        self.path.push('/');
        Encoder::PATH_SEGMENT.encode_to(segment, &mut self.path);
        self.segments += 1;
        Ok(self)
    }

    /// Returns the path built so far.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// Returns the path.
    #[must_use]
    pub fn into_string(self) -> String {
        self.path
    }
}

/// Ignores width and precision, as [`Encoded`](crate::Encoded) does: a precision could cut a
/// triplet.
impl fmt::Display for PathBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// Builds a query of the form `name=value&name=value`; names and values are escaped with
/// [`QUERY_VALUE`](crate::sets::QUERY_VALUE), or as a custom [`Encoder`] does.
///
/// A space becomes `%20`, which form parsers and other software decode alike. To encode it as
/// `+`, like HTML forms, use [`Encoder::FORM`].
///
/// ```
/// use simdpct::uri::QueryBuilder;
///
/// let mut query = QueryBuilder::new();
/// query.push("q", "1 + 1 = 2?").push("via", "http://a.example/b");
/// assert_eq!(query.as_str(), "q=1%20%2B%201%20%3D%202?&via=http://a.example/b");
/// ```
///
/// Signatures of requests are computed from sorted pairs, in which all but unreserved characters
/// are escaped: those of AWS ([`URI_ENCODE`](crate::sets::aws::URI_ENCODE)), and of OAuth 1.0 (RFC
/// 5849 3.4.1.3.2, 3.6).
///
/// ```
/// use simdpct::Encoder;
/// use simdpct::uri::QueryBuilder;
///
/// let mut query = QueryBuilder::with_encoder(Encoder::COMPONENT);
/// query.push("prefix", "a/b").push("list-type", "2").sort();
/// assert_eq!(query.as_str(), "list-type=2&prefix=a%2Fb");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct QueryBuilder {
    query: String,
    /// Escapes [`DELIMITERS`].
    encoder: Encoder,
}

/// Bytes that end a name, a pair or a query (RFC 3986 3.4, WHATWG URL 5.1).
const DELIMITERS: ByteSet = ByteSet::new(b"&=#");

impl Default for QueryBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl QueryBuilder {
    /// Creates an empty query.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_encoder(Encoder::QUERY_VALUE)
    }

    /// Creates an empty query whose names and values `encoder` encodes. `&`, `=` and `#` are
    /// escaped even if its set does not contain them; otherwise the query could not be parsed.
    ///
    /// ```
    /// # use simdpct::{Encoder, uri::QueryBuilder};
    /// let mut query = QueryBuilder::with_encoder(Encoder::FORM);
    /// query.push("q", "fish & chips").push("q", "1+1");
    /// assert_eq!(query.as_str(), "q=fish+%26+chips&q=1%2B1");
    /// ```
    #[must_use]
    pub const fn with_encoder(mut encoder: Encoder) -> Self {
        encoder.plan = encoder.plan.with_escaped(DELIMITERS);
        Self { query: String::new(), encoder }
    }

    /// Appends `name=value`, preceded by `&` unless it is the first pair.
    pub fn push<N, V>(&mut self, name: &N, value: &V) -> &mut Self
    where
        N: Input + ?Sized,
        V: Input + ?Sized,
    {
        // Every pair contains `=`, so the query is empty only before the first pair.
        if !self.query.is_empty() {
            self.query.push('&');
        }
        self.encoder.encode_to(name, &mut self.query);
        self.query.push('=');
        self.encoder.encode_to(value, &mut self.query);
        self
    }

    /// Sorts the pairs appended so far, in their encoded form and in the order of bytes: by name,
    /// and pairs with equal names by value. O(n log n) comparisons for n pairs. Allocates the
    /// length of the query, and 32 bytes for each pair.
    ///
    /// ```
    /// # use simdpct::{Encoder, uri::QueryBuilder};
    /// let mut query = QueryBuilder::new();
    /// query.push("b", "2").push("b", "10").push("a-b", "").push("a", "3").sort();
    /// assert_eq!(query.as_str(), "a=3&a-b=&b=10&b=2");
    /// ```
    pub fn sort(&mut self) -> &mut Self {
        let mut pairs: Vec<(&str, &str)> =
            Vec::with_capacity(1 + memchr::memchr_iter(b'&', self.query.as_bytes()).count());
        // Without any pair, this is one empty string. Every pair contains `=`.
        pairs.extend(self.query.split('&').filter_map(|pair| pair.split_once('=')));
        if pairs.is_sorted() {
            return self;
        }
        pairs.sort_unstable();
        let mut query = String::with_capacity(self.query.len());
        for (name, value) in pairs {
            let separator = if query.is_empty() { "" } else { "&" };
            query.extend([separator, name, "=", value]);
        }
        self.query = query;
        self
    }

    /// Returns the query built so far, without `?`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.query
    }

    /// Returns the query, without `?`.
    #[must_use]
    pub fn into_string(self) -> String {
        self.query
    }
}

/// Ignores width and precision, as [`Encoded`](crate::Encoded) does: a precision could cut a
/// triplet.
impl fmt::Display for QueryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.query)
    }
}

/// Builds a path from segments; see [`PathBuilder`].
///
/// # Errors
///
/// Returns [`SlashInSegment`] for the first segment that contains a slash.
///
/// ```
/// assert_eq!(simdpct::uri::path(["a", "b c"])?, "/a/b%20c");
/// # Ok::<(), simdpct::uri::SlashInSegment>(())
/// ```
pub fn path<I: IntoIterator<Item: Input>>(segments: I) -> Result<String, SlashInSegment> {
    let mut path = PathBuilder::new();
    for segment in segments {
        path.push(&segment)?;
    }
    Ok(path.into_string())
}

/// Builds a query from pairs; see [`QueryBuilder`].
///
/// ```
/// assert_eq!(simdpct::uri::query([("a", "1&2"), ("b", "")]), "a=1%262&b=");
/// ```
#[must_use]
pub fn query<I: IntoIterator<Item: Pair>>(pairs: I) -> String {
    let mut query = QueryBuilder::new();
    for pair in pairs {
        query.push(pair.name(), pair.value());
    }
    query.into_string()
}

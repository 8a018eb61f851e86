//! Builds paths from segments and queries from pairs.
#![forbid(unsafe_code)]

use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::encode::Encoder;

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
    pub fn push<T: AsRef<[u8]> + ?Sized>(&mut self, segment: &T) -> Result<&mut Self, SlashInSegment> {
        let segment = segment.as_ref();
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

impl fmt::Display for PathBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.path)
    }
}

/// Builds a query of the form `name=value&name=value`; names and values are escaped with
/// [`QUERY_VALUE`](crate::sets::QUERY_VALUE).
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
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct QueryBuilder {
    query: String,
}

impl QueryBuilder {
    /// Creates an empty query.
    #[must_use]
    pub const fn new() -> Self {
        Self { query: String::new() }
    }

    /// Appends `name=value`, preceded by `&` unless it is the first pair.
    pub fn push<N, V>(&mut self, name: &N, value: &V) -> &mut Self
    where
        N: AsRef<[u8]> + ?Sized,
        V: AsRef<[u8]> + ?Sized,
    {
        // Every pair contains `=`, so the query is empty only before the first pair.
        if !self.query.is_empty() {
            self.query.push('&');
        }
        Encoder::QUERY_VALUE.encode_to(name, &mut self.query);
        self.query.push('=');
        Encoder::QUERY_VALUE.encode_to(value, &mut self.query);
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

impl fmt::Display for QueryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.query)
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
pub fn path<T: AsRef<[u8]>>(segments: impl IntoIterator<Item = T>) -> Result<String, SlashInSegment> {
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
pub fn query<N: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: impl IntoIterator<Item = (N, V)>) -> String {
    let mut query = QueryBuilder::new();
    for (name, value) in pairs {
        query.push(&name, &value);
    }
    query.into_string()
}

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

#[cfg(feature = "alloc")]
mod repair {
    use alloc::borrow::Cow;
    use alloc::string::String;
    use core::net::Ipv6Addr;
    use core::ops::Range;

    use super::{Parts, SEGMENT_END, ranges};
    use crate::byteset::ByteSet;
    use crate::driver;
    use crate::encode::Encoder;
    use crate::sets;

    /// Converts any string to a valid URI reference: escapes in each component the bytes that it
    /// must not contain.
    ///
    /// Existing triplets and delimiters are kept, and nothing is removed: the result decodes to the
    /// same bytes as the input. The result is always a valid `URI-reference` by RFC 3986's grammar.
    /// A valid one is never changed, so `repair` is idempotent. Borrows the input if nothing is
    /// escaped. Linear, with SIMD.
    ///
    /// | component | escaped |
    /// |---|---|
    /// | all | control characters, space, `"` `<` `>` `\` `^` `` ` `` `{` `\|` `}`, non-ASCII bytes, and malformed `%` |
    /// | path and query | `[` and `]` |
    /// | fragment | `[`, `]` and every `#` except the one that starts it |
    /// | user information | `[`, `]` and every `@` except the last one of the authority, which ends it, as in browsers |
    /// | host | `:`, `[` and `]`, except in an IPv6 or future address in brackets (RFC 3986 3.2.2), which is kept |
    /// | port | nothing; a last `:` that is not followed by digits only belongs to the host |
    /// | scheme | nothing; an invalid scheme belongs to the path, where a `:` in the first segment is escaped (4.2) |
    ///
    /// Notes:
    ///
    /// - Spaces around a URI are escaped like any others. To extract URIs from HTML, first trim
    ///   them and remove tabs and newlines, per WHATWG URL 4.4.
    /// - `\` becomes `%5C`, although browsers read it as `/` in `http` and `https`. In
    ///   `http://a\@b/` the host is `b` by RFC 3986, but `a` for browsers. In the result the host
    ///   is `b` for both.
    /// - `+`, `&`, `=` and `;` have application-specific meanings in a query. They are kept.
    /// - A zone identifier (`[fe80::1%25eth0]`) is not in RFC 3986's grammar, so its brackets are
    ///   escaped.
    ///
    /// See [Scope](super#scope) for what else a crawler needs.
    ///
    /// ```
    /// use simdpct::uri::repair;
    /// use std::borrow::Cow;
    ///
    /// assert_eq!(repair("http://u@x:p[w]@[::1]:80/é?a[]=1|2 3"), "http://u%40x:p%5Bw%5D@[::1]:80/%C3%A9?a%5B%5D=1%7C2%203");
    /// assert_eq!(repair("/50%/50%25#fish & chips"), "/50%25/50%25#fish%20&%20chips");
    /// assert!(matches!(repair("http://example.com/%7Ea?b"), Cow::Borrowed("http://example.com/%7Ea?b")));
    /// ```
    #[must_use]
    pub fn repair<T: AsRef<[u8]> + ?Sized>(uri: &T) -> Cow<'_, str> {
        let uri = uri.as_ref();
        let parts = ranges(uri);
        if is_plain(uri, &parts)
            && let Some(text) = driver::text::checked_text(uri, None)
        {
            return Cow::Borrowed(text);
        }
        let pieces = Pieces::of(uri, parts);
        if pieces.iter().all(|piece| piece.is_clean())
            && let Some(text) = driver::text::checked_text(uri, None)
        {
            return Cow::Borrowed(text);
        }
        let lengths = pieces.iter().map(|piece| piece.encoder.encoded_len(piece.bytes));
        // Saturating: a capacity that is too small is harmless.
        let mut repaired = String::with_capacity(lengths.fold(0, usize::saturating_add));
        for piece in pieces.iter() {
            piece.encoder.encode_to(piece.bytes, &mut repaired);
        }
        Cow::Owned(repaired)
    }

    /// Escapes nothing; for bytes that are known to be valid.
    static LITERAL: Encoder = Encoder::new(ByteSet::EMPTY);
    static USERINFO: Encoder = Encoder::USERINFO.keep_triplets();
    static REG_NAME: Encoder = Encoder::new(sets::REG_NAME).keep_triplets();
    /// `segment-nz-nc` (RFC 3986 3.3): a colon would end a scheme.
    static FIRST_SEGMENT: Encoder = Encoder::new(sets::PATH_SEGMENT.with(b':')).keep_triplets();
    /// The path contains no `?`, so the set of the query serves for both.
    static PATH_AND_QUERY: Encoder = Encoder::QUERY.keep_triplets();
    static FRAGMENT: Encoder = Encoder::FRAGMENT.keep_triplets();

    /// A part of the input, and the encoder that repairs it.
    #[derive(Clone, Copy)]
    struct Piece<'a> {
        bytes: &'a [u8],
        encoder: &'static Encoder,
    }

    impl Piece<'_> {
        const EMPTY: Self = Piece { bytes: &[], encoder: &LITERAL };

        fn is_clean(&self) -> bool {
            core::ptr::eq(self.encoder, &LITERAL)
                || driver::alloc::scan_encode(self.bytes, &self.encoder.rules, None).is_none()
        }
    }

    /// The input split into pieces, in order and without gaps: scheme, user information, `@`, host,
    /// port, path and query, `#`, fragment.
    struct Pieces<'a> {
        rest: &'a [u8],
        list: [Piece<'a>; 8],
        length: usize,
    }

    impl<'a> Pieces<'a> {
        fn of(uri: &'a [u8], parts: Parts<Range<usize>>) -> Self {
            let mut pieces = Self { rest: uri, list: [Piece::EMPTY; 8], length: 0 };
            if !has_scheme_if_any(uri, &parts) {
                // An invalid scheme is part of the path, so there is no authority.
                pieces.take(SEGMENT_END.find(uri).unwrap_or(uri.len()), &FIRST_SEGMENT);
            } else if let Some(authority) = parts.authority {
                pieces.take(authority.start, &LITERAL);
                pieces.take_authority(authority.len());
            } else {
                pieces.take(parts.path.start, &LITERAL);
            }
            match parts.fragment {
                None => pieces.take(pieces.rest.len(), &PATH_AND_QUERY),
                Some(fragment) => {
                    pieces.take(pieces.rest.len() - fragment.len() - 1, &PATH_AND_QUERY);
                    pieces.take(1, &LITERAL);
                    pieces.take(fragment.len(), &FRAGMENT);
                }
            }
            pieces
        }

        /// `[ userinfo "@" ] host [ ":" port ]` (RFC 3986 3.2).
        fn take_authority(&mut self, length: usize) {
            let mut authority = &self.rest[..length];
            if let Some(at) = memchr::memrchr(b'@', authority) {
                self.take(at, &USERINFO);
                self.take(1, &LITERAL);
                authority = &authority[at + 1..];
            }
            let colon = memchr::memrchr(b':', authority);
            let port = colon.filter(|&colon| authority[colon + 1..].iter().all(u8::is_ascii_digit));
            let host = &authority[..port.unwrap_or(authority.len())];
            self.take(host.len(), if is_ip_literal(host) { &LITERAL } else { &REG_NAME });
            self.take(authority.len() - host.len(), &LITERAL);
        }

        fn take(&mut self, length: usize, encoder: &'static Encoder) {
            let (bytes, rest) = self.rest.split_at(length);
            self.rest = rest;
            if !bytes.is_empty() {
                self.list[self.length] = Piece { bytes, encoder };
                self.length += 1;
            }
        }

        fn iter(&self) -> core::slice::Iter<'_, Piece<'a>> {
            self.list[..self.length].iter()
        }
    }

    /// Fast path, with a single scan: whether `uri` is a valid reference without brackets and user
    /// information. If false, it may still be valid.
    fn is_plain(uri: &[u8], parts: &Parts<Range<usize>>) -> bool {
        static WHOLE: Encoder = Encoder::new(sets::URI.union(ByteSet::new(b"[]"))).keep_triplets();
        const NOT_IN_REG_NAME: ByteSet = ByteSet::new(b":@");
        // The bytes that `WHOLE` keeps are valid in every component, except for these delimiters.
        let is_host_and_port = |authority: &[u8]| match NOT_IN_REG_NAME.find(authority) {
            Some(at) => authority[at] == b':' && authority[at + 1..].iter().all(u8::is_ascii_digit),
            None => true,
        };
        driver::alloc::scan_encode(uri, &WHOLE.rules, None).is_none()
            && has_scheme_if_any(uri, parts)
            && parts.authority.clone().is_none_or(|authority| is_host_and_port(&uri[authority]))
            && parts.fragment.clone().is_none_or(|fragment| memchr::memchr(b'#', &uri[fragment]).is_none())
    }

    /// Whether a `:` in the first segment, if any, is preceded by a valid scheme.
    fn has_scheme_if_any(uri: &[u8], parts: &Parts<Range<usize>>) -> bool {
        let end = parts.scheme.as_ref().map_or(0, |scheme| scheme.end);
        uri.get(end) != Some(&b':') || is_scheme(&uri[..end])
    }

    /// `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (RFC 3986 3.1).
    fn is_scheme(text: &[u8]) -> bool {
        let Some((first, rest)) = text.split_first() else { return false };
        first.is_ascii_alphabetic() && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    }

    /// `"[" ( IPv6address / IPvFuture  ) "]"` (RFC 3986 3.2.2).
    fn is_ip_literal(host: &[u8]) -> bool {
        let Some(address) = host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")) else { return false };
        is_future_address(address)
            || core::str::from_utf8(address).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok())
    }

    /// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )` (RFC 3986 3.2.2). Strings in ABNF are
    /// case-insensitive.
    fn is_future_address(address: &[u8]) -> bool {
        const LITERALLY: ByteSet = sets::UNRESERVED.union(sets::SUB_DELIMS).with(b':');
        let [b'v' | b'V', version @ ..] = address else { return false };
        let Some(dot) = memchr::memchr(b'.', version) else { return false };
        let (digits, text) = (&version[..dot], &version[dot + 1..]);
        !digits.is_empty()
            && digits.iter().all(u8::is_ascii_hexdigit)
            && !text.is_empty()
            && text.iter().all(|&byte| LITERALLY.contains(byte))
    }
}

#[cfg(feature = "alloc")]
mod build {
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
}

//! A whole URI, each component with its own set: split it, repair it, build its path and query from
//! data.
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
//! # Outside
//!
//! Percent-coding is all that is done here. Dot segments (`.` and `..`, RFC 3986 5.2.4) are neither
//! removed nor looked for. Host names are escaped, not turned into their ASCII form (IDNA, RFC
//! 5891), lower-cased or checked. References are not resolved, and schemes have no rules of their
//! own. A URL library does that, with the result of this one or before it.
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
/// A component that is missing is `None`; one that is there but empty is not: `a?` has an empty
/// query. The path is always there.
///
/// Of text, `Parts` can be formatted: that puts them together again (RFC 3986 5.3).
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
    /// Before `:`. It need not be a valid scheme (RFC 3986 3.1).
    pub scheme: Option<T>,
    /// Behind `//`: a host, maybe with user information and a port (RFC 3986 3.2).
    pub authority: Option<T>,
    /// What is left (RFC 3986 3.3).
    pub path: T,
    /// Behind the first `?`, unless a `#` comes before it (RFC 3986 3.4).
    pub query: Option<T>,
    /// Behind the first `#` (RFC 3986 3.5).
    pub fragment: Option<T>,
}

/// Splits a URI reference as the regular expression of RFC 3986 appendix B does; nothing is decoded
/// or checked.
///
/// Every text can be split, and what is put together again is that text. Linear, with SIMD.
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
    // All delimiters are ASCII, so that every range ends at characters' boundaries.
    ranges(text.as_bytes()).map(|range| &text[range])
}

/// [`split`] for bytes that need not be text.
#[must_use]
pub fn split_bytes(bytes: &[u8]) -> Parts<&[u8]> {
    ranges(bytes).map(|range| &bytes[range])
}

const SEGMENT_END: ByteSet = ByteSet::new(b"/?#");
const SCHEME_END: ByteSet = SEGMENT_END.with(b':');
const PATH_END: ByteSet = ByteSet::new(b"?#");

/// Where the components are (RFC 3986 appendix B).
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

    /// Makes a valid URI reference out of a dirty one: escapes in each component what must not
    /// stand there literally.
    ///
    /// Triplets that are there stay, delimiters stay delimiters, and nothing is dropped: the result
    /// decodes to what the input decodes to. It is always a valid `URI-reference` by RFC 3986's
    /// grammar; a valid one is never changed, so that once is enough. Borrows where there is
    /// nothing to escape. Linear, with SIMD.
    ///
    /// | In | what is escaped |
    /// |---|---|
    /// | everywhere | controls, space, `"` `<` `>` `\` `^` `` ` `` `{` `\|` `}`, non-ASCII bytes, and a `%` that starts no triplet |
    /// | path and query | `[` and `]` |
    /// | fragment | `[`, `]` and every `#` but the one that starts it |
    /// | user information | every `@` but the last of the authority, which ends it, as in browsers; `[` and `]` |
    /// | host | `:`, `[` and `]`, unless it is an IPv6 or future address in brackets (RFC 3986 3.2.2), which stays |
    /// | port | nothing; a last `:` that digits alone do not follow belongs to the host |
    /// | scheme | nothing; what is no valid scheme belongs to the path, and then a `:` in the first segment is escaped (4.2) |
    ///
    /// What may surprise:
    ///
    /// - Spaces around a URI are escaped like any others, since nothing is dropped. Who takes URIs
    ///   out of HTML trims them first, and removes tabs and newlines, as WHATWG URL 4.4 says.
    /// - A `\` becomes `%5C`, while browsers read it as `/` in `http` and `https`. In
    ///   `http://a\@b/` the host is `b` by RFC 3986, for them `a`. The result has the host `b` for
    ///   everyone.
    /// - `+`, `&`, `=` and `;` have meanings in a query that cannot be guessed here; they stay.
    /// - A zone identifier (`[fe80::1%25eth0]`) is not in RFC 3986's grammar, so those brackets are
    ///   escaped.
    ///
    /// See [Outside](super#outside) for what a crawler does besides.
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
        // No sum that wraps: a capacity that is too small would do no harm, but grow step by step.
        let mut repaired = String::with_capacity(lengths.fold(0, usize::saturating_add));
        for piece in pieces.iter() {
            piece.encoder.encode_to(piece.bytes, &mut repaired);
        }
        Cow::Owned(repaired)
    }

    /// Bytes that have been found to be valid, so that this changes none.
    static LITERAL: Encoder = Encoder::new(ByteSet::EMPTY);
    static USERINFO: Encoder = Encoder::USERINFO.keep_triplets();
    static REG_NAME: Encoder = Encoder::new(sets::REG_NAME).keep_triplets();
    /// `segment-nz-nc` (RFC 3986 3.3): a colon would make it a scheme.
    static FIRST_SEGMENT: Encoder = Encoder::new(sets::PATH_SEGMENT.with(b':')).keep_triplets();
    /// The path ends at the first '?', and no other stands in it, so that the set of the query does
    /// for both.
    static PATH_AND_QUERY: Encoder = Encoder::QUERY.keep_triplets();
    static FRAGMENT: Encoder = Encoder::FRAGMENT.keep_triplets();

    /// A part of the input, and what repairs it.
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

    /// The input in pieces, in order and without gaps: scheme, user information, '@', host, port,
    /// path and query, '#', fragment.
    struct Pieces<'a> {
        rest: &'a [u8],
        list: [Piece<'a>; 8],
        length: usize,
    }

    impl<'a> Pieces<'a> {
        fn of(uri: &'a [u8], parts: Parts<Range<usize>>) -> Self {
            let mut pieces = Self { rest: uri, list: [Piece::EMPTY; 8], length: 0 };
            if !has_scheme_if_any(uri, &parts) {
                // There is no authority either.
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

    /// Whether this is a valid reference of the kind that nearly all are, known from one look at
    /// all of it: without brackets and user information. If not, it may still be valid.
    fn is_plain(uri: &[u8], parts: &Parts<Range<usize>>) -> bool {
        static WHOLE: Encoder = Encoder::new(sets::URI.union(ByteSet::new(b"[]"))).keep_triplets();
        const NOT_IN_REG_NAME: ByteSet = ByteSet::new(b":@");
        // What `WHOLE` leaves may stand in every component, but for these delimiters.
        let is_host_and_port = |authority: &[u8]| match NOT_IN_REG_NAME.find(authority) {
            Some(at) => authority[at] == b':' && authority[at + 1..].iter().all(u8::is_ascii_digit),
            None => true,
        };
        driver::alloc::scan_encode(uri, &WHOLE.rules, None).is_none()
            && has_scheme_if_any(uri, parts)
            && parts.authority.clone().is_none_or(|authority| is_host_and_port(&uri[authority]))
            && parts.fragment.clone().is_none_or(|fragment| memchr::memchr(b'#', &uri[fragment]).is_none())
    }

    /// Whether what stands before a `:` in the first segment is a scheme, if there is a `:`.
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

    /// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )` (RFC 3986 3.2.2); a string in ABNF is
    /// of either case.
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

    /// A segment of a path that holds a slash.
    #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
    #[non_exhaustive]
    pub struct SlashInSegment {
        /// Which segment, counted from 0.
        pub segment: usize,
        /// Byte offset of the first `/` in it.
        pub position: usize,
    }

    impl fmt::Display for SlashInSegment {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a slash in segment {} of a path, at byte {}", self.segment, self.position)
        }
    }

    impl Error for SlashInSegment {}

    /// A path, built of its segments: each is escaped and put behind a `/` (`path-abempty`, RFC
    /// 3986 3.3).
    ///
    /// Segments are data: a `%` in them is escaped, whatever follows. They keep `pchar`, so `@`,
    /// `:` and `=` stay. An empty last segment makes a path that ends in `/`.
    ///
    /// A segment that holds `/` is an error: much software decodes `%2F` before it splits the path.
    /// A `\` becomes `%5C`.
    ///
    /// The segments `.` and `..` are written as they are. Whoever resolves the path takes them as
    /// dot segments, and would even if they were escaped (RFC 3986 6.2.2.2), so that no path can
    /// hold them as data. Who builds a path of what strangers send refuses them first. Behind
    /// nothing but a scheme, or at the very front, a path must not start with an empty segment and
    /// go on: `//` starts an authority there.
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
        /// The empty path.
        #[must_use]
        pub const fn new() -> Self {
            Self { path: String::new(), segments: 0 }
        }

        /// Appends `/` and the escaped segment.
        ///
        /// # Errors
        ///
        /// [`SlashInSegment`]; nothing is appended then.
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

        /// The path so far.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.path
        }

        /// The path.
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

    /// A query of the form `name=value&name=value`, names and values escaped by
    /// [`QUERY_VALUE`](crate::sets::QUERY_VALUE).
    ///
    /// A space becomes `%20`, which forms and others read alike. For what HTML forms send, take
    /// [`Encoder::FORM`] and its `+` instead.
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
        /// The empty query.
        #[must_use]
        pub const fn new() -> Self {
            Self { query: String::new() }
        }

        /// Appends `name=value`, behind a `&` unless it is the first pair.
        pub fn push<N, V>(&mut self, name: &N, value: &V) -> &mut Self
        where
            N: AsRef<[u8]> + ?Sized,
            V: AsRef<[u8]> + ?Sized,
        {
            // Every pair has its '=', so that only a query without any is empty.
            if !self.query.is_empty() {
                self.query.push('&');
            }
            Encoder::QUERY_VALUE.encode_to(name, &mut self.query);
            self.query.push('=');
            Encoder::QUERY_VALUE.encode_to(value, &mut self.query);
            self
        }

        /// The query so far, without a `?`.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.query
        }

        /// The query, without a `?`.
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

    /// The path of these segments, as [`PathBuilder`] makes it.
    ///
    /// # Errors
    ///
    /// [`SlashInSegment`], for the first segment that holds a slash.
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

    /// The query of these pairs, as [`QueryBuilder`] makes it.
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

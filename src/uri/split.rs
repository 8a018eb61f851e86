//! Splits URI references into components, and authorities into user information, host and port.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;
use core::ops::Range;
use core::str::FromStr;

use crate::byteset::ByteSet;
use crate::input::{Input, SealedSlice as _};
use crate::sets;

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
    /// The scheme (RFC 3986 3.1): a letter and then letters, digits, `+`, `-` and `.`, before the
    /// first `:`. Anything else before a `:` belongs to the path.
    pub scheme: Option<T>,
    /// The part after `//`: a host, optionally with user information and a port (RFC 3986 3.2); see
    /// [`split_authority`].
    pub authority: Option<T>,
    /// The path (RFC 3986 3.3).
    pub path: T,
    /// The part after the first `?`, unless preceded by `#` (RFC 3986 3.4).
    pub query: Option<T>,
    /// The part after the first `#` (RFC 3986 3.5).
    pub fragment: Option<T>,
}

/// Splits a URI reference into components, like the regular expression of RFC 3986 appendix B.
/// Nothing is decoded, and nothing but the scheme is validated.
///
/// Text before a `:` that is not a scheme (RFC 3986 3.1) belongs to the path, as in browsers
/// (WHATWG URL 4.4): `12:30` is a path, and so is a URI after a space. The regular expression would
/// take any text for a scheme. All functions of this crate share this definition;
/// [`repair`](super::repair()) escapes such a `:`, so that the path stays a path.
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
///
/// let parts = simdpct::uri::split("12:30 pm");
/// assert_eq!((parts.scheme, parts.path), (None, "12:30 pm"));
///
/// let parts = simdpct::uri::split(b"/\xFF");
/// assert_eq!(parts.path, b"/\xFF");
/// ```
#[must_use]
pub fn split<T: Input + ?Sized>(reference: &T) -> Parts<&T::Slice> {
    // All delimiters are ASCII, so the ranges end at character boundaries.
    ranges(reference.as_bytes()).map(|range| reference.as_same().part(range))
}

pub(super) const SEGMENT_END: ByteSet = ByteSet::new(b"/?#");
/// The bytes that no scheme has (RFC 3986 3.1).
const SCHEME_END: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"+-.")).complement();
const PATH_END: ByteSet = ByteSet::new(b"?#");

/// The ranges of the components (RFC 3986 appendix B).
pub(super) fn ranges(bytes: &[u8]) -> Parts<Range<usize>> {
    let find = |set: &ByteSet, start| set.find(&bytes[start..]).map(|at| start + at);
    let mut start = 0;
    let end_of_scheme = find(&SCHEME_END, 0).filter(|&end| bytes[end] == b':' && bytes[0].is_ascii_alphabetic());
    let scheme = end_of_scheme.map(|end| {
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

/// The subcomponents of an authority, without the delimiters between them (RFC 3986 3.2).
///
/// A missing subcomponent is `None`; one that is present but empty is `Some`. The host is always
/// present, and may be empty.
// Exhaustive, like `Parts`: RFC 3986 names all subcomponents, and callers build and match them.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Authority<T> {
    /// The part before the last `@` (RFC 3986 3.2.1). It may hold a password.
    pub userinfo: Option<T>,
    /// The host (RFC 3986 3.2.2), an IP literal with its brackets.
    pub host: T,
    /// The part after the `:` that ends the host (RFC 3986 3.2.3). Need not be a number.
    pub port: Option<T>,
}

/// Splits an authority into its subcomponents. Nothing is decoded or validated.
///
/// A valid authority has at most one `@`, and no colon after it but that of the port and those of
/// an IP literal. Other authorities are split as by the WHATWG URL Standard, 4.4: at the last `@`,
/// and at the first `:` after it that is not between `[` and `]`.
///
/// ```
/// use simdpct::uri::split_authority;
///
/// let authority = split_authority("user:secret@[::1]:8080");
/// assert_eq!(authority.userinfo, Some("user:secret"));
/// assert_eq!(authority.host, "[::1]");
/// assert_eq!(authority.port, Some("8080"));
/// ```
#[must_use]
pub fn split_authority<T: Input + ?Sized>(authority: &T) -> Authority<&T::Slice> {
    let Authority { userinfo, host, port } = authority_ranges(authority.as_bytes());
    // All delimiters are ASCII.
    let part = |range| authority.as_same().part(range);
    Authority { userinfo: userinfo.map(part), host: part(host), port: port.map(part) }
}

fn authority_ranges(authority: &[u8]) -> Authority<Range<usize>> {
    let at = memchr::memrchr(b'@', authority);
    let start = at.map_or(0, |at| at + 1);
    let mut is_inside_brackets = false;
    let end = authority[start..].iter().position(|byte| {
        match byte {
            b'[' => is_inside_brackets = true,
            b']' => is_inside_brackets = false,
            _ => {}
        }
        *byte == b':' && !is_inside_brackets
    });
    let end = end.map(|length| start + length);
    Authority {
        userinfo: at.map(|at| 0..at),
        host: start..end.unwrap_or(authority.len()),
        port: end.map(|end| end + 1..authority.len()),
    }
}

/// A part of a URI: a component (RFC 3986 3), or a subcomponent of the authority (3.2).
///
/// Its name is the RFC's, in lower case. `FromStr` takes it in either case.
///
/// ```
/// use simdpct::uri::Part;
///
/// assert_eq!("HOST".parse(), Ok(Part::Host));
/// let names: Vec<_> = Part::ALL.iter().map(|part| part.name()).collect();
/// assert_eq!(names.join(" "), "scheme authority userinfo host port path query fragment");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// See [`Parts::scheme`].
    Scheme,
    /// See [`Parts::authority`].
    Authority,
    /// See [`Authority::userinfo`].
    Userinfo,
    /// See [`Authority::host`].
    Host,
    /// See [`Authority::port`].
    Port,
    /// See [`Parts::path`].
    Path,
    /// See [`Parts::query`].
    Query,
    /// See [`Parts::fragment`].
    Fragment,
}

/// Error: the name is not one of a [`Part`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownPart;

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown part of a URI")
    }
}

impl Error for UnknownPart {}

impl Part {
    /// All parts, in the order in which they appear.
    pub const ALL: &'static [Self] = &[
        Self::Scheme,
        Self::Authority,
        Self::Userinfo,
        Self::Host,
        Self::Port,
        Self::Path,
        Self::Query,
        Self::Fragment,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Authority => "authority",
            Self::Userinfo => "userinfo",
            Self::Host => "host",
            Self::Port => "port",
            Self::Path => "path",
            Self::Query => "query",
            Self::Fragment => "fragment",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Part {
    type Err = UnknownPart;

    fn from_str(name: &str) -> Result<Self, UnknownPart> {
        Self::ALL.iter().copied().find(|part| part.name().eq_ignore_ascii_case(name)).ok_or(UnknownPart)
    }
}

/// Returns a part of a URI reference, raw: nothing is decoded or validated. `None` if it is
/// missing; the path never is. Host, port and user information are missing if the authority is.
///
/// Linear. The URI is split as by [`split`] and [`split_authority`].
///
/// ```
/// use simdpct::uri::{Part, part};
///
/// let uri = "http://user@example.com:/a%2Fb?";
/// assert_eq!(part(uri, Part::Host), Some("example.com"));
/// assert_eq!(part(uri, Part::Path), Some("/a%2Fb"));
/// assert_eq!((part(uri, Part::Port), part(uri, Part::Query), part(uri, Part::Fragment)), (Some(""), Some(""), None));
/// ```
#[must_use]
pub fn part<T: Input + ?Sized>(uri: &T, part: Part) -> Option<&T::Slice> {
    part_range(uri.as_bytes(), part).map(|range| uri.as_same().part(range))
}

fn part_range(uri: &[u8], part: Part) -> Option<Range<usize>> {
    let Parts { scheme, authority, path, query, fragment } = ranges(uri);
    let of_authority = |select: fn(Authority<Range<usize>>) -> Option<Range<usize>>| {
        let authority = authority.clone()?;
        let range = select(authority_ranges(&uri[authority.clone()]))?;
        Some(authority.start + range.start..authority.start + range.end)
    };
    match part {
        Part::Scheme => scheme,
        Part::Authority => authority,
        Part::Userinfo => of_authority(|authority| authority.userinfo),
        Part::Host => of_authority(|authority| Some(authority.host)),
        Part::Port => of_authority(|authority| authority.port),
        Part::Path => Some(path),
        Part::Query => query,
        Part::Fragment => fragment,
    }
}

impl<T> Parts<T> {
    pub(super) fn map<U>(self, component: impl Fn(T) -> U) -> Parts<U> {
        Parts {
            scheme: self.scheme.map(&component),
            authority: self.authority.map(&component),
            path: component(self.path),
            query: self.query.map(&component),
            fragment: self.fragment.map(&component),
        }
    }
}

/// Component recomposition (RFC 3986 5.3). Ignores width and precision: a precision could cut a
/// triplet.
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

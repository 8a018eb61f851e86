//! `Mapping`: a function that maps a URL to another value.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::net::Ipv4Addr;
use std::num::NonZero;

use simdpct::path::{self, PathPolicy};
use simdpct::uri::{self, UrlNormalizer};
use simdpct::{Decoder, Malformed, Normalizer};
use wildmatch::WildMatch;

use crate::value::Value;

/// A function that maps a value to a part of it, to another value, or to NULL.
#[derive(Clone, Debug)]
pub enum Mapping {
    /// Escapes all bytes that a URI must not contain.
    Repair,
    /// Extracts a part of a URL; NULL if it has none.
    Part(Part),
    /// Extracts the decoded value of a key in the query of a URL, as forms are read (WHATWG URL
    /// 5.1); NULL if it has none.
    QueryValue(String),
    /// Makes the whole URL normal. A part with an error is kept.
    Normalize(Box<UrlNormal>),
    /// Extracts the registrable domain of the host; NULL for an IP address, a public suffix, and a
    /// URL without a host.
    Domain,
    /// Resolves a reference against the value, the base; NULL if neither has a scheme.
    Join(String),
    /// Removes parts of a URL.
    Cut(Cut),
    /// Makes the path of a URL or of a request target canonical; NULL if the policy refuses it.
    CanonicalPath(Box<PathPolicy>),
}

/// A part of a URL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// A component, or a part of the authority.
    Uri(uri::Part),
    /// Path and query with the `?` between them: `FILE` in Java and Spark.
    File,
    /// A segment of the path: 1 is the first, -1 the last.
    Segment(NonZero<i32>),
    /// The extension of the last segment.
    Extension,
}

/// The rules of `url_normalize`.
#[derive(Clone, Debug)]
pub struct UrlNormal {
    pub(crate) normalizer: UrlNormalizer,
    /// The names of the pairs to drop.
    pub(crate) dropped: Vec<WildMatch>,
}

impl UrlNormal {
    /// The rules of RFC 3986 alone. A malformed `%` is kept, so that no URL makes a query fail.
    pub(crate) fn new() -> Self {
        let keeping = Normalizer::new().malformed(Malformed::Keep);
        Self { normalizer: UrlNormalizer::new().triplets(keeping), dropped: Vec::new() }
    }

    fn of<'v, V: Value + ?Sized>(&self, url: &'v V) -> Cow<'v, V> {
        let is_dropped = |name: &str| self.dropped.iter().any(|pattern| pattern.matches(name));
        let is_dropped: Option<&dyn Fn(&str) -> bool> = if self.dropped.is_empty() { None } else { Some(&is_dropped) };
        let mut normal = Vec::with_capacity(url.as_bytes().len() + 1);
        // A part with an error is kept.
        self.normalizer.normalize_reporting(url.as_bytes(), is_dropped, |_| {}, &mut normal);
        V::from_bytes(normal)
    }
}

/// The parts to remove from a URL.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    pub(crate) query: bool,
    pub(crate) fragment: bool,
    /// The names of the pairs to remove.
    pub(crate) keys: Vec<WildMatch>,
}

/// Decodes names as in forms.
const NAME: Decoder = Decoder::new().lenient().plus_for_space();

impl Cut {
    fn of<'v, V: Value + ?Sized>(&self, url: &'v V) -> Cow<'v, V> {
        let parts = uri::split(url.as_bytes());
        let query = parts.query.filter(|_| !self.query).and_then(|query| self.kept(query));
        let fragment = parts.fragment.filter(|_| !self.fragment);
        if query.as_deref() == parts.query && fragment == parts.fragment {
            return Cow::Borrowed(url);
        }
        // Each delimiter is one byte.
        let length = |part: Option<&[u8]>| part.map_or(0, |part| part.len() + 1);
        let end = url.as_bytes().len() - length(parts.query) - length(parts.fragment);
        let mut rest = url.as_bytes()[..end].to_vec();
        for (delimiter, part) in [(b'?', query.as_deref()), (b'#', fragment)] {
            if let Some(part) = part {
                rest.push(delimiter);
                rest.extend_from_slice(part);
            }
        }
        V::from_bytes(rest)
    }

    /// The query without the pairs of these keys. `None` if all pairs are removed.
    fn kept<'q>(&self, query: &'q [u8]) -> Option<Cow<'q, [u8]>> {
        let pairs = || query.split(|&byte| byte == b'&');
        let is_kept = |pair: &&[u8]| {
            let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
            // Lenient decoding has no errors. An empty pair has no name.
            let name = NAME.decode_utf8_lossy(name).unwrap_or_default();
            pair.is_empty() || !self.keys.iter().any(|pattern| pattern.matches(&name))
        };
        if self.keys.is_empty() || pairs().all(|pair| is_kept(&pair)) {
            return Some(Cow::Borrowed(query));
        }
        let kept: Vec<&[u8]> = pairs().filter(is_kept).collect();
        (!kept.is_empty()).then(|| Cow::Owned(kept.join(&b'&')))
    }
}

impl Mapping {
    /// Maps a value. The result is borrowed if it is the value itself.
    pub fn of<'v, V: Value + ?Sized>(&self, value: &'v V) -> Option<Cow<'v, V>> {
        let result = self.result(value)?;
        Some(if *result == *value { Cow::Borrowed(value) } else { result })
    }

    fn result<'v, V: Value + ?Sized>(&self, value: &'v V) -> Option<Cow<'v, V>> {
        match self {
            Self::Repair => Some(value.repair()),
            Self::Part(part) => part.of(value),
            Self::QueryValue(key) => value.query_value(key),
            Self::Normalize(rules) => Some(rules.of(value)),
            Self::Domain => domain(value.as_bytes()).map(V::from_text),
            Self::Join(reference) => uri::resolve(value, V::of_text(reference)).map(Cow::Owned),
            Self::Cut(cut) => Some(cut.of(value)),
            Self::CanonicalPath(policy) => canonical_path(policy, value),
        }
    }
}

impl Part {
    fn of<'v, V: Value + ?Sized>(self, url: &'v V) -> Option<Cow<'v, V>> {
        let path = || uri::split(url).path;
        match self {
            Self::Uri(part) => uri::part(url, part).map(Cow::Borrowed),
            Self::File => {
                let uri::Parts { path, query, .. } = uri::split(url);
                let Some(query) = query else { return Some(Cow::Borrowed(path)) };
                Some(V::from_bytes([path.as_bytes(), b"?", query.as_bytes()].concat()))
            }
            Self::Segment(number) => {
                let skipped = number.unsigned_abs().get() as usize - 1;
                let mut segments = uri::segments(path());
                let segment = if number.is_positive() { segments.nth(skipped) } else { segments.nth_back(skipped) };
                segment.map(Cow::Borrowed)
            }
            Self::Extension => uri::extension(path()).map(Cow::Borrowed),
        }
    }
}

/// The registrable domain of a URL's host, in lower case and ASCII, by the public suffix list.
fn domain(url: &[u8]) -> Option<String> {
    let authority = uri::part(url, uri::Part::Authority)?;
    let normal = UrlNormalizer::new().normalize(&[b"//", authority].concat()).ok()?.into_owned();
    let normal = String::from_utf8(normal).ok()?;
    let host = uri::part(&normal, uri::Part::Host)?;
    let is_address = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
    psl::domain_str(host).filter(|_| !is_address).map(str::to_owned)
}

/// The canonical path of a request target or of a URL. An empty path of a URL counts as `/` (RFC
/// 9112 3.2.1).
fn canonical_path<'v, V: Value + ?Sized>(policy: &PathPolicy, url: &'v V) -> Option<Cow<'v, V>> {
    let path = if url.as_bytes().starts_with(b"/") { path::split(url).0 } else { uri::split(url).path };
    let path = if path.as_bytes().is_empty() { V::of_text("/") } else { path };
    policy.canonicalize(path).ok()
}

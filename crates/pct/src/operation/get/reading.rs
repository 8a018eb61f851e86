//! `Reading`: how a field is read, as a reference, as the target of a request or as a query; and
//! [`Components`], a field of which parts are asked for.
#![forbid(unsafe_code)]

use memchr::{memchr, memrchr};
use simdpct::uri::{self, Authority, Part as UriPart, Parts};

/// How URLs are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// As references (RFC 3986 4.1).
    Reference,
    /// As targets of requests (RFC 9112 3.2): what begins with a slash has no authority, and a host
    /// with a port is one.
    Target,
    /// As the queries of URLs, or forms. A leading `?` is dropped, and `-` alone is how logs write
    /// that there is none.
    Query,
}

impl Reading {
    /// A part, as it is in the text.
    pub(in crate::operation) fn part(self, url: &[u8], part: UriPart) -> Option<&[u8]> {
        if self == Self::Query {
            return (part == UriPart::Query && url != b"-").then(|| url.strip_prefix(b"?").unwrap_or(url));
        }
        if self == Self::Target {
            if url.starts_with(b"/") {
                return of_origin_form(url, part);
            }
            if let Some(colon) = port_separator(url) {
                return of_authority_form(url, colon, part);
            }
        }
        uri::part(url, part)
    }
}

/// A field of which parts are asked for.
pub(super) trait Components<'u> {
    /// The field.
    fn text(&self) -> &'u [u8];

    /// A part, as it is in the text.
    fn part(&self, part: UriPart) -> Option<&'u [u8]>;
}

/// A field of which one part is asked for: split for each part.
pub(super) struct Whole<'u> {
    pub(super) text: &'u [u8],
    pub(super) reading: Reading,
}

impl<'u> Components<'u> for Whole<'u> {
    #[inline]
    fn text(&self) -> &'u [u8] {
        self.text
    }

    #[inline]
    fn part(&self, part: UriPart) -> Option<&'u [u8]> {
        self.reading.part(self.text, part)
    }
}

/// A field of which several parts are asked for: split once.
pub(super) struct Url<'u> {
    text: &'u [u8],
    reading: Reading,
    /// Its components, if it is a reference or a target with a path.
    split: Option<Split<'u>>,
}

struct Split<'u> {
    parts: Parts<&'u [u8]>,
    authority: Option<Authority<&'u [u8]>>,
}

impl<'u> Url<'u> {
    pub(super) fn new(text: &'u [u8], reading: Reading) -> Self {
        Self { text, reading, split: Self::split(text, reading) }
    }

    /// `None` for what has hardly any parts: a query, and a host with a port as the target.
    fn split(text: &'u [u8], reading: Reading) -> Option<Split<'u>> {
        if reading == Reading::Query {
            return None;
        }
        if reading == Reading::Target && text.starts_with(b"/") {
            let (path, query) = simdpct::path::split(text);
            return Some(Split { parts: Parts { path, query: query.get(1..), ..Parts::default() }, authority: None });
        }
        if reading == Reading::Target && port_separator(text).is_some() {
            return None;
        }
        let parts = uri::split(text);
        Some(Split { parts, authority: parts.authority.map(|authority| uri::split_authority(authority)) })
    }
}

impl<'u> Components<'u> for Url<'u> {
    fn text(&self) -> &'u [u8] {
        self.text
    }

    fn part(&self, part: UriPart) -> Option<&'u [u8]> {
        let Some(Split { parts, authority }) = &self.split else { return self.reading.part(self.text, part) };
        match part {
            UriPart::Scheme => parts.scheme,
            UriPart::Authority => parts.authority,
            UriPart::Userinfo => authority.and_then(|authority| authority.userinfo),
            UriPart::Host => authority.map(|authority| authority.host),
            UriPart::Port => authority.and_then(|authority| authority.port),
            UriPart::Path => Some(parts.path),
            UriPart::Query => parts.query,
            UriPart::Fragment => parts.fragment,
            other => self.reading.part(self.text, other),
        }
    }
}

/// A part of a target that is a path with an optional query (RFC 9112 3.2.1).
fn of_origin_form(target: &[u8], part: UriPart) -> Option<&[u8]> {
    let (path, query) = simdpct::path::split(target);
    match part {
        UriPart::Path => Some(path),
        UriPart::Query => query.get(1..),
        _ => None,
    }
}

/// A part of the target of CONNECT: a host and a port (RFC 9112 3.2.3).
fn of_authority_form(target: &[u8], colon: usize, part: UriPart) -> Option<&[u8]> {
    match part {
        UriPart::Authority => Some(target),
        UriPart::Host => Some(&target[..colon]),
        UriPart::Port => Some(&target[colon + 1..]),
        _ => None,
    }
}

/// Position of the last colon, if only digits follow it and no slash precedes it.
fn port_separator(target: &[u8]) -> Option<usize> {
    let colon = memrchr(b':', target)?;
    let port = &target[colon + 1..];
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    (is_port && memchr(b'/', &target[..colon]).is_none()).then_some(colon)
}

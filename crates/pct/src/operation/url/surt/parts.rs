//! The components of a URL in any state, as archives read them.
#![forbid(unsafe_code)]

use memchr::{memchr, memrchr};
use simdpct::{ByteSet, sets};

/// The components. User information, fragment and default port are dropped.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Parts<'u> {
    pub(super) scheme: &'u [u8],
    pub(super) host: &'u [u8],
    pub(super) port: Option<u16>,
    pub(super) path: &'u [u8],
    pub(super) query: &'u [u8],
}

const HTTP: &[u8] = b"http";

/// Splits a URL. The error is the position of a port that is not one.
pub(super) fn split(text: &[u8]) -> Result<Parts<'_>, usize> {
    let url = without_repeated_scheme(text);
    let (scheme, rest) = match scheme(url) {
        Some(scheme) => (scheme, &url[scheme.len() + 1..]),
        None => (HTTP, url),
    };
    let rest = match memchr(b'#', rest) {
        Some(fragment) => &rest[..fragment],
        None => rest,
    };
    let (rest, query) = match memchr(b'?', rest) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &b""[..]),
    };
    let has_scheme = scheme.as_ptr() == url.as_ptr();
    let authority = if has_scheme { rest.strip_prefix(b"//") } else { Some(rest) };
    let (authority, path) = match authority {
        Some(authority) => authority.split_at(memchr(b'/', authority).unwrap_or(authority.len())),
        None => (&b""[..], rest),
    };
    let (host, port) = split_authority(authority);
    let port = port_number(port).ok_or(port.as_ptr().addr().saturating_sub(text.as_ptr().addr()))?;
    let is_default = |port: u16| match port {
        80 => scheme.eq_ignore_ascii_case(b"http"),
        443 => scheme.eq_ignore_ascii_case(b"https"),
        port => port == 0,
    };
    let port = port.filter(|&port| !is_default(port));
    let (mut host, mut path) = (host, path);
    if host.is_empty() && scheme.starts_with(HTTP) {
        // `http:/example.com` and `http:///example.com` are meant to have a host.
        let slashes = path.iter().take_while(|&&byte| byte == b'/').count();
        let after = &path[slashes..];
        let (first, others) = after.split_at(memchr(b'/', after).unwrap_or(after.len()));
        if !first.is_empty() {
            (host, path) = (first, others);
        }
    }
    Ok(Parts { scheme, host, port, path, query })
}

/// The text after all but the last `http://` or `https://` at its start.
fn without_repeated_scheme(text: &[u8]) -> &[u8] {
    let after_scheme =
        |text| [&b"http://"[..], b"https://"].iter().find_map(|scheme| <[u8]>::strip_prefix(text, *scheme));
    let mut text = text;
    while let Some(rest) = after_scheme(text).filter(|rest| after_scheme(rest).is_some()) {
        text = rest;
    }
    text
}

/// The scheme before the first `:` (RFC 3986 3.1).
fn scheme(url: &[u8]) -> Option<&[u8]> {
    // The most frequent ones.
    if url.starts_with(b"http:") || url.starts_with(b"https:") {
        return memchr(b':', url).map(|end| &url[..end]);
    }
    const OTHER: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"+-.")).complement();
    let end = OTHER.find(url).filter(|&end| url[end] == b':' && url[0].is_ascii_alphabetic())?;
    Some(&url[..end])
}

/// The host, without the brackets of an IP literal, and the port, possibly empty. Colons at the end
/// are dropped.
fn split_authority(authority: &[u8]) -> (&[u8], &[u8]) {
    let authority = &authority[..authority.iter().rposition(|&byte| byte != b':').map_or(0, |last| last + 1)];
    let address = &authority[memrchr(b'@', authority).map_or(0, |at| at + 1)..];
    let (host, rest) = match memchr(b'[', address) {
        Some(open) => {
            let literal = &address[open + 1..];
            match memchr(b']', literal) {
                Some(close) => (&literal[..close], &literal[close + 1..]),
                None => (literal, &literal[literal.len()..]),
            }
        }
        None => address.split_at(memchr(b':', address).unwrap_or(address.len())),
    };
    (host, &rest[memchr(b':', rest).map_or(rest.len(), |at| at + 1)..])
}

/// The number of a port; `None` if it is not one.
fn port_number(port: &[u8]) -> Option<Option<u16>> {
    if port.is_empty() {
        return Some(None);
    }
    if !port.iter().all(u8::is_ascii_digit) {
        return None;
    }
    str::from_utf8(port).ok()?.parse().ok().map(Some)
}

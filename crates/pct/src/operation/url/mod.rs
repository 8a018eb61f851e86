//! `pct normalize --url`: the normal form of a URL (RFC 3986 6.2.2 and 6.2.3).
//!
//! In order: components (RFC 3986 appendix B), lower case of scheme and host, IDNA, default ports, percent-encoding of each
//! component, dot segments (5.2.4), the empty path. What only some sites allow, such as another order of the query, is
//! done only on request ([`UrlOptions`]).
//!
//! A reference without a scheme is normalised as far as it means the same with every base: `//host/path` has a host,
//! `/path` has dot segments that can be removed, and the dot segments of `../path` are kept.
#![forbid(unsafe_code)]

mod dots;
mod host;
mod query;
mod scheme;

use simdpct::uri::{self, Authority, Parts};
use simdpct::{ByteSet, Encoder, sets};

use super::{Fault, FaultKind, Normalize, Operation, Stream};
use crate::pattern::Pattern;
pub(crate) use dots::remove as remove_dot_segments;
pub(crate) use host::UrlFault;
use query::Pairs;
use scheme::Scheme;

/// Changes that are no part of RFC 3986 6.2: they join URLs that are equal on many sites.
#[derive(Clone, Debug, Default)]
pub(crate) struct UrlOptions {
    /// Sort the pairs of the query by name.
    pub(crate) sort_query: bool,
    /// Drop the pairs of the query whose decoded name matches one of these.
    pub(crate) drop_query: Vec<Pattern>,
    pub(crate) drop_fragment: bool,
    /// Drop `www.` at the start of a host.
    pub(crate) drop_www: bool,
    /// A field that begins with a slash is a request target (RFC 9112 3.2.1): it has neither an authority nor a fragment.
    pub(crate) are_targets: bool,
}

/// Makes URLs normal. An authority that is refused is kept as it is.
pub(crate) struct NormalUrl {
    options: UrlOptions,
    normalize: Normalize,
    userinfo: Component,
    path: Component,
    query: Component,
    fragment: Component,
    /// Delimiters of the format that a normal form can have although the field does not.
    guarded: ByteSet,
}

/// How to escape a component.
struct Component {
    /// Bytes without which the component is normal.
    watched: ByteSet,
    /// Escapes bytes that are illegal in the component. A `%` is not: normalisation has treated it.
    encoder: Encoder,
}

impl Component {
    /// `illegal` is the set of the component; bytes of `safe`, which mean something to the format, are kept.
    fn new(illegal: ByteSet, safe: ByteSet) -> Self {
        let escaped = illegal.without(b'%').intersection(safe.complement());
        Self { watched: escaped.union(ByteSet::NON_ASCII).with(b'%'), encoder: Encoder::new(escaped) }
    }
}

/// Whether there is text before a `:` in the first segment of a reference without scheme and authority:
/// RFC 3986 4.2 allows no `:` there.
fn has_invalid_scheme(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').next().and_then(|segment| memchr::memchr(b':', segment)).is_some_and(|at| at > 0)
}

impl NormalUrl {
    /// Normalises percent-encoding by `normalize`. No byte of `safe` is made or escaped.
    pub(crate) fn new(options: UrlOptions, normalize: Normalize, safe: ByteSet) -> Self {
        Self {
            options,
            normalize,
            userinfo: Component::new(sets::USERINFO, safe),
            path: Component::new(sets::PATH, safe),
            query: Component::new(sets::QUERY, safe),
            fragment: Component::new(sets::FRAGMENT, safe),
            // IDNA makes letters, digits, `-` and `.`; an empty path becomes `/`.
            guarded: safe.intersection(sets::UNRESERVED.with(b'/')),
        }
    }

    fn split<'f>(&self, field: &'f [u8]) -> Parts<&'f [u8]> {
        if !self.options.are_targets || field.first() != Some(&b'/') {
            return uri::split(field);
        }
        let (path, query) = simdpct::path::split(field);
        Parts { path, query: query.split_first().map(|(_, query)| query), ..Parts::default() }
    }

    fn append(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let Parts { scheme, authority, path, query, fragment } = self.split(field);
        let mut fault = None;
        // Position of the next component in the field.
        let mut at = 0;
        let rules = match scheme {
            None if authority.is_none() && has_invalid_scheme(path) => {
                output.extend_from_slice(field);
                return Some(Fault::new(FaultKind::Url(UrlFault::Scheme), 0));
            }
            None => Scheme::NONE,
            Some(scheme) => {
                let start = output.len();
                output.extend(scheme.iter().map(u8::to_ascii_lowercase));
                let rules = Scheme::of(&output[start..]);
                output.push(b':');
                at += scheme.len() + 1;
                rules
            }
        };
        if let Some(authority) = authority {
            output.extend_from_slice(b"//");
            at += 2;
            let start = output.len();
            let found = self.append_authority(authority, rules, output);
            if found.is_some() {
                output.truncate(start);
                output.extend_from_slice(authority);
            }
            fault = found.map(|found| found.shifted_by(at));
            at += authority.len();
        } else if rules.needs_host {
            fault = Some(Fault::new(FaultKind::Url(UrlFault::NoHost), at));
        }
        let found = self.append_path(path, authority.is_some(), output);
        fault = Fault::first(fault, found.map(|found| found.shifted_by(at)));
        at += path.len();
        if let Some(query) = query {
            at += 1;
            let found = self.append_query(query, output);
            fault = Fault::first(fault, found.map(|found| found.shifted_by(at)));
            at += query.len();
        }
        if let Some(fragment) = fragment
            && !self.options.drop_fragment
        {
            output.push(b'#');
            let found = self.append_component(&self.fragment, fragment, output);
            fault = Fault::first(fault, found.map(|found| found.shifted_by(at + 1)));
        }
        fault
    }

    /// Appends the normal form of an authority; on a fault, anything.
    fn append_authority(&self, authority: &[u8], rules: Scheme, output: &mut Vec<u8>) -> Option<Fault> {
        let Ok(text) = simdutf8::compat::from_utf8(authority) else {
            let position = str::from_utf8(authority).map_or_else(|error| error.valid_up_to(), str::len);
            return Some(Fault::new(FaultKind::NotUtf8, position));
        };
        let Authority { userinfo, host, port } = uri::split_authority(text);
        let mut at = 0;
        if let Some(userinfo) = userinfo {
            if let Some(fault) = self.append_component(&self.userinfo, userinfo.as_bytes(), output) {
                return Some(fault);
            }
            output.push(b'@');
            at += userinfo.len() + 1;
        }
        let start = output.len();
        if let Err(fault) = host::append(host, rules, output) {
            return Some(fault.shifted_by(at));
        }
        if self.options.drop_www {
            host::drop_www(start, output);
        }
        at += host.len() + 1;
        match port.map_or(Ok(None), |port| scheme::port(port, rules)) {
            Ok(None) => {}
            Ok(Some(port)) => output.extend_from_slice(format!(":{port}").as_bytes()),
            Err(fault) => return Some(Fault::new(FaultKind::Url(fault), at)),
        }
        // RFC 8089 2: for `file`, `localhost` is the same as no host. RFC 3986 6.2.3: that is the normal form.
        if rules.is_file && userinfo.is_none() && &output[start..] == b"localhost" {
            output.truncate(start);
        }
        None
    }

    fn append_path(&self, path: &[u8], has_authority: bool, output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.append_component(&self.path, path, output);
        if path.first() == Some(&b'/') {
            dots::remove(output, start);
            if !has_authority && !self.options.are_targets && output[start..].starts_with(b"//") {
                // The path would be read as an authority.
                output.splice(start..start, *b"/.");
            }
        } else if has_authority {
            // RFC 3986 6.2.3: with an authority, an empty path is normalised to "/".
            output.push(b'/');
        }
        fault
    }

    fn append_query(&self, query: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let UrlOptions { sort_query, drop_query, .. } = &self.options;
        let start = output.len();
        output.push(b'?');
        let fault = self.append_component(&self.query, query, output);
        if *sort_query || !drop_query.is_empty() {
            let normal = output.split_off(start);
            let mut pairs = Pairs::of(&normal[1..]);
            pairs.drop(drop_query);
            if *sort_query {
                pairs.sort();
            }
            pairs.append_to(output);
        }
        fault
    }

    /// Appends a component with normal percent-encoding: bytes that are illegal in it are escaped.
    fn append_component(&self, component: &Component, text: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        if component.watched.find(text).is_none() {
            output.extend_from_slice(text);
            return None;
        }
        let start = output.len();
        let fault = self.normalize.apply(text, output);
        if component.watched.without(b'%').find(&output[start..]).is_some() {
            let normal = output.split_off(start);
            for chunk in normal.utf8_chunks() {
                component.encoder.encode_to(chunk.valid(), output);
                // Invalid UTF-8 is a fault, and kept like a malformed '%'.
                output.extend_from_slice(chunk.invalid());
            }
        }
        fault
    }
}

impl Operation for NormalUrl {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.append(field, output);
        if !self.guarded.is_empty() && self.guarded.count(&output[start..]) > self.guarded.count(field) {
            output.truncate(start);
            output.extend_from_slice(field);
            return Fault::first(fault, Some(Fault::new(FaultKind::Url(UrlFault::Delimiter), 0)));
        }
        fault
    }

    /// A dot segment removes what precedes it.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

#[cfg(test)]
mod tests;

//! `--base`: references are resolved before they become normal (RFC 3986 5.2).
#![forbid(unsafe_code)]

use memchr::memrchr;
use simdpct::ByteSet;
use simdpct::uri::{Parts, UrlNormalizer, split};

use super::{Fault, Operation, Stream, keep_if_delimited};

/// The URL that references are relative to.
///
/// By RFC 3986 5.2.2, a target is a part of the base, then the reference as it is, without the dot
/// segments of its path. The normal form of a URL has none, so the operation that follows removes
/// them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Base {
    text: String,
    /// The ends of what precedes references of each kind.
    scheme: usize,
    authority: usize,
    folder: usize,
    path: usize,
    query: usize,
}

impl Base {
    /// Checks that the text is a valid URL whose path begins with a slash.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        UrlNormalizer::new().normalize(text).map_err(|error| format!("invalid URL: {error}"))?;
        let Parts { scheme, authority, path, query, .. } = split(text);
        let Some(scheme) = scheme else {
            return Err("expected a URL with a scheme, such as http://example.com/".into());
        };
        if authority.is_none() && !path.starts_with('/') {
            return Err("expected a URL with a host, or with a path that begins with '/'".into());
        }
        let scheme = scheme.len() + 1;
        let authority = scheme + authority.map_or(0, |authority| 2 + authority.len());
        let folder = authority + memrchr(b'/', path.as_bytes()).map_or(0, |at| at + 1);
        let path = authority + path.len();
        let query = path + query.map_or(0, |query| 1 + query.len());
        Ok(Self { text: text.to_owned(), scheme, authority, folder, path, query })
    }

    /// The part of the base that precedes a reference (RFC 3986 5.2.2, 5.2.3), in two pieces. A
    /// reference that begins with a slash is a target if `has_targets`: then it has no authority.
    fn before(&self, reference: &[u8], has_targets: bool) -> (&str, &str) {
        if has_targets && reference.first() == Some(&b'/') {
            return (&self.text[..self.authority], "");
        }
        let Parts { scheme, authority, path, query, .. } = split(reference);
        let end = match path {
            _ if scheme.is_some() => 0,
            _ if authority.is_some() => self.scheme,
            [] if query.is_some() => self.path,
            [] => self.query,
            [b'/', ..] => self.authority,
            _ => self.folder,
        };
        // The base's authority ends where its path begins, even if that is empty.
        let slash =
            if end == self.folder && self.folder == self.authority && !path.starts_with(b"/") { "/" } else { "" };
        (&self.text[..end], slash)
    }
}

/// Applies an operation to the target of each reference.
pub(crate) struct Resolved {
    base: Base,
    operation: Box<dyn Operation>,
    /// Whether a field that begins with a slash is a request target, and `-` and `*` are no
    /// references.
    has_targets: bool,
    /// Delimiters of the format, which a base can have.
    producible_delimiters: ByteSet,
}

impl Resolved {
    pub(crate) fn new(base: Base, operation: Box<dyn Operation>, has_targets: bool, safe: ByteSet) -> Self {
        Self { base, operation, has_targets, producible_delimiters: safe }
    }
}

impl Operation for Resolved {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let is_kept = self.has_targets && matches!(field, b"-" | b"*");
        let (base, slash) = if is_kept { ("", "") } else { self.base.before(field, self.has_targets) };
        if base.is_empty() {
            return self.operation.apply(field, output);
        }
        let target = [base.as_bytes(), slash.as_bytes(), field].concat();
        let start = output.len();
        let fault = self.operation.apply(&target, output).map(|fault| fault.after(target.len() - field.len()));
        Fault::first(fault, keep_if_delimited(self.producible_delimiters, field, start, output))
    }

    /// A dot segment removes what precedes it.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

//! `--surt`: the key of a URL in the indexes of web archives, a Sort-friendly URI Reordering
//! Transform.
//!
//! The rules are the defaults of the Python package `surt`, which pywb and the indexes
//! of Common Crawl use, as recorded in crates/pct/tests/cli/surt.tsv; `crates/pct/compare-canonical
//! --surt` compares both. They unify more URLs than RFC 3986 does, since archives look for captures
//! of a page by whatever URL it had:
//!
//! - Spaces around the URL, tabs and line ends in it, user information, default port, fragment and
//!   an empty query are dropped. Without a scheme it is `http`.
//! - Triplets are decoded until none is left. Then bytes that are not printable ASCII, `#` and `%`
//!   are escaped.
//! - All is in lower case.
//! - The host loses `www.`, `www1.` and so on; its labels are reversed.
//! - Dot segments, repeated slashes and the last slash are dropped from the path; session IDs from
//!   path and query.
//! - The pairs of the query are sorted.
//!
//! A key has no scheme, so `http` and `https` share one. A URL without a host keeps its scheme.
#![forbid(unsafe_code)]

mod escapes;
mod host;
mod parts;
mod path;
mod query;

use std::borrow::Cow;

use memchr::memchr3;
use simdpct::ByteSet;
use simdpct::uri::UrlErrorKind;

use super::{Fault, FaultKind, Operation, Stream, UrlFault, keep_if_delimited};
use parts::Parts;

/// The bytes that Python's `bytes.strip` takes for spaces.
const SPACES: &[u8] = b" \t\n\r\x0B\x0C";

/// Makes keys of URLs. A URL without a key is kept as it is.
pub(crate) struct Surt {
    /// Bytes to escape in each component.
    escaped: ByteSet,
    /// Delimiters of the format.
    safe: ByteSet,
    /// Whether a field that begins with a slash is a request target, which has no host, and `-` and
    /// `*` are no URLs.
    takes_targets: bool,
}

impl Surt {
    /// Bytes of `safe` are escaped, too. A key that has more of them than the field all the same,
    /// such as commas, is refused.
    pub(crate) fn new(takes_targets: bool, safe: ByteSet) -> Self {
        Self { escaped: escapes::ESCAPED.union(safe), safe, takes_targets }
    }

    fn append(&self, url: &[u8], output: &mut Vec<u8>) -> Result<(), Fault> {
        if url.starts_with(b"filedesc") {
            // The header of an ARC file.
            output.extend_from_slice(url);
            return Ok(());
        }
        let trimmed = trim(url);
        let text = without_line_ends(trimmed);
        let offset = trimmed.as_ptr().addr() - url.as_ptr().addr();
        let Parts { scheme, host, port, path, query } = parts::split(&text).map_err(|at| {
            // In a text with tabs, the position is near the one in the field.
            Fault::new(FaultKind::Url(UrlFault::Part(UrlErrorKind::Port)), (offset + at).min(url.len()))
        })?;
        let start = output.len();
        host::append(host, self.escaped, output);
        let has_host = output.len() > start;
        if has_host {
            if let Some(port) = port {
                output.extend_from_slice(format!(":{port}").as_bytes());
            }
            output.push(b')');
        } else {
            output.extend_from_slice(scheme);
            output.push(b':');
        }
        path::append(path, has_host, self.escaped, output);
        query::append(query, output.len() == start + scheme.len() + 1 && !has_host, self.escaped, output);
        Ok(())
    }
}

impl Operation for Surt {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let result = match field {
            [] => return None,
            b"-" | b"*" if self.takes_targets => {
                output.extend_from_slice(field);
                return None;
            }
            [b'/', ..] if self.takes_targets => {
                Err(Fault::new(FaultKind::Url(UrlFault::Part(UrlErrorKind::NoHost)), 0))
            }
            _ => self.append(field, output),
        };
        match result {
            Ok(()) => keep_if_delimited(self.safe, field, start, output),
            Err(fault) => {
                output.truncate(start);
                output.extend_from_slice(field);
                Some(fault)
            }
        }
    }

    /// A dot segment removes what precedes it, and pairs are sorted.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

fn trim(text: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !SPACES.contains(byte);
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |last| last + 1);
    &text[start..end]
}

/// Drops tabs and line ends, as browsers do.
fn without_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr3(b'\t', b'\r', b'\n', text) {
        None => Cow::Borrowed(text),
        Some(_) => text.iter().copied().filter(|byte| !b"\t\r\n".contains(byte)).collect(),
    }
}

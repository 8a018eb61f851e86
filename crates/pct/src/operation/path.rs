//! `pct normalize --path`: makes the path of a request target or URL canonical; normalizes the
//! rest.
#![forbid(unsafe_code)]

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};
use simdpct::path::PathPolicy;
use simdpct::{ByteSet, sets};

use super::{Fault, FaultKind, Normalize, Operation, Stream};

/// Makes paths canonical. A refused path is kept as it is.
pub(crate) struct CanonicalPath {
    policy: PathPolicy,
    /// For everything but the path.
    others: Normalize,
    /// Delimiters of the format. A path in which one would be decoded is refused.
    safe: ByteSet,
}

impl CanonicalPath {
    pub(crate) fn new(policy: PathPolicy, others: Normalize, safe: ByteSet) -> Self {
        Self { policy, others, safe: safe.intersection(sets::PCHAR) }
    }

    /// Appends the canonical path; if it is refused, the path itself.
    fn apply_path(&self, path: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        output.resize(start + self.policy.output_len_bound(path), 0);
        let result = self.policy.canonicalize_into(path, &mut output[start..]);
        output.truncate(start + result.unwrap_or(0));
        let fault = match result {
            Err(error) => Fault::new(FaultKind::Path(error.kind), error.position),
            Ok(_) if self.safe.count(&output[start..]) > self.safe.count(path) => {
                Fault::new(FaultKind::EncodedDelimiter, 0)
            }
            Ok(_) => return None,
        };
        output.truncate(start);
        output.extend_from_slice(path);
        Some(fault)
    }
}

impl Operation for CanonicalPath {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let path = path(field);
        let before = self.others.apply(&field[..path.start], output);
        let within = if path.is_empty() { None } else { self.apply_path(&field[path.clone()], output) };
        let after = self.others.apply(&field[path.end..], output);
        let after = after.map(|fault| fault.shifted_by(path.end));
        Fault::first(before, Fault::first(within.map(|fault| fault.shifted_by(path.start)), after))
    }

    /// A dot segment removes what precedes it.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

/// The range of the path. A field that begins with a slash is a request target, whose path ends at
/// the first `?`. In a URL with an authority, the path lies between the authority and the query or
/// fragment. Any other field has an empty path.
fn path(field: &[u8]) -> Range<usize> {
    let end_of = |bytes: &[u8], end: Option<usize>| end.unwrap_or(bytes.len());
    if field.first() == Some(&b'/') {
        return 0..simdpct::path::split(field).0.len();
    }
    let end = end_of(field, memchr2(b'?', b'#', field));
    let Some(scheme) = memmem::find(&field[..end], b"://") else { return 0..0 };
    let authority = scheme + "://".len();
    authority + end_of(&field[authority..end], memchr(b'/', &field[authority..end]))..end
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn path_is_that_of_a_target_or_of_a_url_with_an_authority() {
        for (field, expected) in [
            ("/a/b?c/d", "/a/b"),
            ("//a/b", "//a/b"),
            ("/a#b?c", "/a#b"),
            ("http://h/a/b?c#d", "/a/b"),
            ("http://h/a#/b?", "/a"),
            ("http://h", ""),
            ("http://h?/a", ""),
            ("*", ""),
            ("-", ""),
            ("h:443", ""),
            ("mailto:a/b", ""),
            ("", ""),
        ] {
            assert_eq!(&field[path(field.as_bytes())], expected, "{field}");
        }
    }
}

//! `pct normalize --url`: the normal form of a URL (RFC 3986 6.2.2 and 6.2.3).
#![forbid(unsafe_code)]

use std::fmt;

use simdpct::uri::{UrlError, UrlErrorKind, UrlNormalizer};
use simdpct::{ByteSet, DecodeErrorKind, sets};

use super::{Fault, FaultKind, Operation, Stream};
use crate::text::pattern::Pattern;

/// Why a field has no normal form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum UrlFault {
    /// The library refuses a part of the URL.
    Part(UrlErrorKind),
    /// The normal form has a delimiter of the format that the field does not have.
    Delimiter,
}

impl fmt::Display for UrlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(kind) => kind.fmt(f),
            Self::Delimiter => f.write_str("the normal form has a field delimiter"),
        }
    }
}

/// Makes URLs normal. An authority that is refused is kept as it is.
pub(crate) struct NormalUrl {
    normalizer: UrlNormalizer,
    /// Drops the pairs of the query whose decoded name matches one of these.
    drop_query: Vec<Pattern>,
    /// Delimiters of the format that a normal form can have although the field does not.
    guarded: ByteSet,
}

impl NormalUrl {
    /// Normalizes by `normalizer`. No byte of `safe` is made or escaped.
    pub(crate) fn new(normalizer: UrlNormalizer, drop_query: Vec<Pattern>, safe: ByteSet) -> Self {
        Self {
            normalizer: normalizer.keep(safe),
            drop_query,
            // IDNA makes letters, digits, `-` and `.`; an empty path becomes `/`.
            guarded: safe.intersection(sets::UNRESERVED.with(b'/')),
        }
    }
}

impl From<UrlError> for Fault {
    fn from(error: UrlError) -> Self {
        let kind = match error.kind {
            UrlErrorKind::Malformed => FaultKind::Code(DecodeErrorKind::Malformed),
            UrlErrorKind::InvalidUtf8 => FaultKind::NotUtf8,
            kind => FaultKind::Url(UrlFault::Part(kind)),
        };
        Self::new(kind, error.position)
    }
}

impl Operation for NormalUrl {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let mut fault = None;
        let is_dropped = |name: &str| self.drop_query.iter().any(|pattern| pattern.matches(name));
        let is_dropped: Option<&dyn Fn(&str) -> bool> = (!self.drop_query.is_empty()).then_some(&is_dropped);
        let on_error = |error| fault = Fault::first(fault, Some(Fault::from(error)));
        self.normalizer.normalize_reporting(field, is_dropped, on_error, output);
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

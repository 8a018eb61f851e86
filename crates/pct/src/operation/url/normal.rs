//! `pct normalize --url`: the normal form of a URL (RFC 3986 6.2.2 and 6.2.3).
#![forbid(unsafe_code)]

use simdpct::uri::{UrlError, UrlErrorKind, UrlNormalizer};
use simdpct::{ByteSet, DecodeErrorKind, sets};

use super::{UrlFault, keep_if_delimited};
use crate::operation::{Fault, FaultKind, Operation, Stream};
use crate::text::pattern::Pattern;

/// Makes URLs normal. An authority that is refused is kept as it is.
pub(crate) struct NormalUrl {
    normalizer: UrlNormalizer,
    /// Drops the pairs of the query whose decoded name matches one of these.
    drop_query: Vec<Pattern>,
    /// Delimiters of the format that a normal form can have although the field does not.
    producible_delimiters: ByteSet,
}

impl NormalUrl {
    /// Normalizes by `normalizer`. No byte of `safe` is made or escaped.
    pub(crate) fn new(normalizer: UrlNormalizer, drop_query: Vec<Pattern>, safe: ByteSet) -> Self {
        Self {
            normalizer: normalizer.keep(safe),
            drop_query,
            // IDNA makes letters, digits, `-` and `.`; an empty path becomes `/`.
            producible_delimiters: safe.intersection(sets::UNRESERVED.with(b'/')),
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
        Fault::first(fault, keep_if_delimited(self.producible_delimiters, field, start, output))
    }

    /// A dot segment removes what precedes it.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

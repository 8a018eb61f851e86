//! The pairs of a query: sorted, and without insignificant pairs.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use memchr::memchr;

use crate::decode::Decoder;

/// The pairs of a query, without empty ones, which mean nothing (WHATWG URL 5.1).
pub(super) struct Pairs<'q>(Vec<&'q [u8]>);

/// Decodes names as forms do.
const NAME: Decoder = Decoder::new().lenient().plus_for_space();

impl<'q> Pairs<'q> {
    pub(super) fn of(query: &'q [u8]) -> Self {
        Self(query.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()).collect())
    }

    /// Drops the pairs whose decoded name is to be dropped.
    pub(super) fn drop(&mut self, is_dropped: &dyn Fn(&str) -> bool) {
        self.0.retain(|pair| {
            let decoded = NAME.decode_utf8_lossy(name(pair));
            // Without a byte to reject, decoding leniently does not fail.
            !is_dropped(&decoded.unwrap_or_default())
        });
    }

    /// Sorts by name. Pairs of one name keep their order, which can mean something.
    pub(super) fn sort(&mut self) {
        self.0.sort_by(|one, other| name(one).cmp(name(other)));
    }

    /// Appends the query with its `?`; nothing if there is no pair.
    pub(super) fn append_to(&self, output: &mut Vec<u8>) {
        let mut delimiter = b'?';
        for pair in &self.0 {
            output.push(delimiter);
            output.extend_from_slice(pair);
            delimiter = b'&';
        }
    }
}

fn name(pair: &[u8]) -> &[u8] {
    &pair[..memchr(b'=', pair).unwrap_or(pair.len())]
}

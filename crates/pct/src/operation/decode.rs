//! Decoding: triplets become the bytes they stand for.
#![forbid(unsafe_code)]

use super::{Fault, FaultKind, Operation, Stream, each_record};
use crate::meaning::{Chain, Decoding};

/// Decodes. Text that cannot be decoded is decoded as far as it can be.
pub(crate) struct Decode {
    exact: Decoding,
    forgiving: Decoding,
}

impl Decode {
    /// With `replace`, what is not UTF-8 becomes U+FFFD where it is a fault.
    pub(crate) fn new(decoding: Decoding, replace: bool) -> Self {
        Self { exact: decoding, forgiving: decoding.forgiving(replace) }
    }
}

impl Operation for Decode {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let (kind, position) = self.exact.decode_forgiving_to(&self.forgiving, field, output)?;
        Some(Fault { kind: FaultKind::Code(kind), position })
    }

    /// No separator is a hexadecimal digit, and its triplet stays: a '%' is malformed in its record if and only if it is in all of
    /// them, and no character reaches over a separator.
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        if self.exact.rejects(separator) || self.exact.rejects(b'\r') {
            // In a record, not at its end.
            return each_record(self, records, separator, output);
        }
        self.apply(records, output)
    }

    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        if self.exact.rejects(separator) || self.exact.rejects(b'\r') {
            return each_record(self, records, separator, output).is_none();
        }
        self.exact.decode_if_clean(records, output)
    }

    fn apply_and_note(&self, records: &[u8], separator: u8, output: &mut Vec<u8>, faults: &mut Vec<Fault>) -> bool {
        let Some(found) = self.exact.decode_and_search(&self.forgiving, records, separator, output) else {
            return false;
        };
        faults.extend(found.map(|(kind, position)| Fault { kind: FaultKind::Code(kind), position }));
        true
    }

    fn needed(&self) -> Option<u8> {
        self.exact.needs_percent().then_some(b'%')
    }

    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>> {
        let exact = self.exact.chain();
        Some(if until_fault {
            Box::new(UntilFault(exact))
        } else {
            Box::new(Parts { exact, forgiving: self.forgiving.chain(), unused: Vec::new() })
        })
    }
}

/// Decodes as far as all is well.
struct UntilFault(Chain);

impl Stream for UntilFault {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        self.0.feed(part, output);
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        self.0.finish(output);
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.0.error().map(|(kind, position)| (FaultKind::Code(kind), position))
    }
}

/// Decodes all, and looks for a fault beside.
struct Parts {
    exact: Chain,
    forgiving: Chain,
    /// What the exact one gives.
    unused: Vec<u8>,
}

impl Stream for Parts {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        self.unused.clear();
        self.exact.feed(part, &mut self.unused);
        self.forgiving.feed(part, output);
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        self.unused.clear();
        self.exact.finish(&mut self.unused);
        self.forgiving.finish(output);
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.exact.error().map(|(kind, position)| (FaultKind::Code(kind), position))
    }
}

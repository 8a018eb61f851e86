//! `pct decode`: replaces triplets by their bytes.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, Kinds};

use super::batch::{Batch, Batches, each_record};
use super::{Counted, Fault, FaultKind, Operation, Stream};
use crate::codec::{Decoding, Layers, Search};

/// Decodes; invalid text leniently.
pub(crate) struct Decode {
    decoding: Decoding,
    lenient: Decoding,
}

impl Decode {
    /// With `replace`, invalid UTF-8 that is a fault becomes U+FFFD.
    pub(crate) fn new(decoding: Decoding, replace: bool) -> Self {
        Self { decoding, lenient: decoding.lenient(replace) }
    }
}

impl Operation for Decode {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let (first, position, kinds) = self.decoding.decode_lenient_to(&self.lenient, field, output)?;
        Some(Fault::of_errors(first, position, kinds))
    }

    fn triggers(&self) -> Option<ByteSet> {
        Some(self.decoding.triggers())
    }

    fn batches(&self) -> Batches<'_> {
        Batches::Whole(self)
    }

    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>> {
        Some(if until_fault {
            Box::new(UntilFault(self.decoding.stream()))
        } else {
            Box::new(Parts { search: Search::new(self.decoding), lenient: self.lenient.stream() })
        })
    }
}

impl Batch for Decode {
    /// Separators are not hexadecimal digits, their triplets are kept, and they delimit characters.
    /// So a batch decodes as its records do.
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        if self.decoding.rejects(separator) || self.decoding.rejects(b'\r') {
            // A rejected byte is a fault within a record, but not as its end.
            return each_record(self, records, separator, output);
        }
        self.apply(records, output)
    }

    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        if self.decoding.rejects(separator) || self.decoding.rejects(b'\r') {
            return each_record(self, records, separator, output).is_none();
        }
        self.decoding.decode_if_clean(records, output)
    }

    fn apply_and_collect(&self, records: &[u8], separator: u8, output: &mut Vec<u8>, faults: &mut Vec<Fault>) -> bool {
        let Some(found) = self.decoding.decode_and_search(&self.lenient, records, separator, output) else {
            return false;
        };
        faults.extend(found.map(|(first, position, kinds)| Fault::of_errors(first, position, kinds)));
        true
    }
}

/// Decodes up to the first fault.
struct UntilFault(Layers);

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

/// Decodes everything, and separately searches for faults.
struct Parts {
    search: Search,
    lenient: Layers,
}

impl Stream for Parts {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        self.search.feed(part);
        self.lenient.feed(part, output);
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        self.search.finish();
        self.lenient.finish(output);
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.search.first().map(|(kind, position)| (FaultKind::Code(kind), position))
    }

    fn all(&self, _: FaultKind) -> (Counted, Kinds) {
        (Counted::of_errors(self.search.kinds()), Kinds::NONE)
    }
}

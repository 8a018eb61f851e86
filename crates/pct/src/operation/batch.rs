//! Batches: many records in one call of an operation.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use memchr::{memchr, memrchr};
use simdpct::ByteSet;

use super::{Fault, Operation, split_ending};

/// How an operation takes a batch of records.
pub(crate) enum Batches<'o> {
    /// One by one; runs of records without a [trigger](Operation::triggers) byte are copied.
    Each,
    /// One by one, and each of them: every record has a state of its own, as with `--unique`.
    Never,
    /// All records at once.
    Whole(&'o dyn Batch),
}

/// An operation that takes a batch of records at once.
///
/// Each record is followed by its `separator`, except perhaps the last. The results are as if each
/// record was a field.
pub(crate) trait Batch: Operation {
    /// Whether a batch of valid records takes less time than the records one by one.
    fn tries_clean(&self) -> bool {
        true
    }

    /// Appends the results. Returns the first fault.
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        each_record(self, records, separator, output)
    }

    /// As `apply_records`, but only for valid records: returns false early if one is invalid, and
    /// then the appended bytes are unspecified.
    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        self.apply_records(records, separator, output).is_none()
    }

    /// As `apply_records`, but fast if faults are frequent: collects the first fault of each
    /// invalid record. False, with nothing done, if the operation does not support it.
    fn apply_and_collect(&self, records: &[u8], separator: u8, output: &mut Vec<u8>, faults: &mut Vec<Fault>) -> bool {
        collect_each(self, records, separator, output, faults);
        true
    }
}

/// Appends the results for a batch of records and returns its first fault.
pub(crate) fn apply(operation: &dyn Operation, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
    match operation.batches() {
        Batches::Whole(batch) => batch.apply_records(records, separator, output),
        Batches::Each | Batches::Never => each_record(operation, records, separator, output),
    }
}

/// Appends the results for a batch of valid records, if that takes less time than the records one
/// by one. After false, the appended bytes are unspecified.
pub(crate) fn apply_if_clean(operation: &dyn Operation, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
    match operation.batches() {
        Batches::Whole(batch) => batch.tries_clean() && batch.apply_if_clean(records, separator, output),
        Batches::Each | Batches::Never => false,
    }
}

/// Appends the results for a batch of records and the first fault of each invalid record. False,
/// with nothing done, if the records have to be taken one by one.
pub(crate) fn apply_and_collect(
    operation: &dyn Operation,
    records: &[u8],
    separator: u8,
    output: &mut Vec<u8>,
    faults: &mut Vec<Fault>,
) -> bool {
    match operation.batches() {
        Batches::Whole(batch) => batch.apply_and_collect(records, separator, output, faults),
        Batches::Each => {
            collect_each(operation, records, separator, output, faults);
            true
        }
        Batches::Never => false,
    }
}

/// Applies an operation to each record, and appends the first fault of each.
fn collect_each(
    operation: &(impl Operation + ?Sized),
    records: &[u8],
    separator: u8,
    output: &mut Vec<u8>,
    faults: &mut Vec<Fault>,
) {
    let _ = for_each_fault(operation, records, separator, output, |fault| {
        faults.push(fault);
        ControlFlow::Continue(())
    });
}

/// Applies an operation to each record.
pub(super) fn each_record(
    operation: &(impl Operation + ?Sized),
    records: &[u8],
    separator: u8,
    output: &mut Vec<u8>,
) -> Option<Fault> {
    let mut first = None;
    let _ = for_each_fault(operation, records, separator, output, |fault| {
        first = Fault::first(first, Some(fault));
        ControlFlow::Continue(())
    });
    first
}

/// Applies an operation to each record, and calls `found` with each fault. Copies runs of records
/// without a [trigger](Operation::triggers) byte.
pub(super) fn for_each_fault(
    operation: &(impl Operation + ?Sized),
    records: &[u8],
    separator: u8,
    output: &mut Vec<u8>,
    mut found: impl FnMut(Fault) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let text = simdutf8::basic::from_utf8(records).ok();
    let triggers = operation.triggers().filter(|_| text.is_some());
    let mut start = 0;
    while start < records.len() {
        let mut touched = start;
        if let Some(triggers) = triggers {
            touched = next_trigger(records, start, separator, triggers);
            let run = match touched == records.len() {
                true => touched,
                false => memrchr(separator, &records[start..touched]).map_or(start, |at| start + at + 1),
            };
            output.extend_from_slice(&records[start..run]);
            start = run;
            if start == records.len() {
                break;
            }
        }
        let end = memchr(separator, &records[touched..]).map_or(records.len(), |at| touched + at + 1);
        let (record, ending) = split_ending(&records[start..end], separator);
        // The separator is ASCII, so each record is text if all are.
        let fault = match text.and_then(|text| text.get(start..start + record.len())) {
            Some(text) => operation.apply_text(text, output),
            None => operation.apply(record, output),
        };
        output.extend_from_slice(ending);
        if let Some(fault) = fault {
            found(fault.shifted_by(start))?;
        }
        start = end;
    }
    ControlFlow::Continue(())
}

/// Position of the next trigger byte that is not part of the end of a record, or the end.
fn next_trigger(records: &[u8], start: usize, separator: u8, triggers: ByteSet) -> usize {
    let triggers = triggers.without(separator);
    let mut from = start;
    while let Some(at) = triggers.find(&records[from..]) {
        let at = from + at;
        if separator != b'\n' || !records[at..].starts_with(b"\r\n") {
            return at;
        }
        from = at + 2;
    }
    records.len()
}

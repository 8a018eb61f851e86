//! Operations on fields: decode, encode, normalize, repair, inspect, convert forms.
//!
//! Operations know neither records nor files. A format passes them fields; they report faults, and
//! the caller applies the policy.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod fault;
mod form;
mod inspect;
mod normalize;
mod path;
mod repair;

use memchr::memchr;
use simdpct::{ByteSet, Kinds};

pub(crate) use decode::Decode;
pub(crate) use encode::Encode;
pub(crate) use fault::{Count, Counted, Fault, FaultKind};
pub(crate) use form::{FromForm, Shape, ToForm};
pub(crate) use inspect::{Inspect, words};
pub(crate) use normalize::Normalize;
pub(crate) use path::CanonicalPath;
pub(crate) use repair::Repair;

/// An operation on fields. Shared by all threads.
pub(crate) trait Operation: Send + Sync {
    /// Appends the result for a field, valid or not. Returns the first fault.
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault>;

    /// Appends the results for a batch of records, each followed by its `separator` except perhaps
    /// the last, as if each was a field. Returns the first fault.
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
    fn apply_and_collect(
        &self,
        _records: &[u8],
        _separator: u8,
        _output: &mut Vec<u8>,
        _faults: &mut Vec<Fault>,
    ) -> bool {
        false
    }

    /// A byte without which a field of well-formed UTF-8 is valid and unchanged, if there is one.
    fn needed(&self) -> Option<u8> {
        None
    }

    /// A streaming version of `apply`, for fields that are too long for memory; `None` if the
    /// operation needs the whole field.
    ///
    /// With `until_fault`, output ends at the first fault.
    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>>;
}

/// Applies an operation to each record.
fn each_record(
    operation: &(impl Operation + ?Sized),
    records: &[u8],
    separator: u8,
    output: &mut Vec<u8>,
) -> Option<Fault> {
    let mut first = None;
    let mut start = 0;
    while start < records.len() {
        let end = memchr(separator, &records[start..]).map_or(records.len(), |at| start + at + 1);
        let (record, ending) = split_ending(&records[start..end], separator);
        let fault = operation.apply(record, output);
        first = Fault::first(first, fault.map(|fault| fault.shifted_by(start)));
        output.extend_from_slice(ending);
        start = end;
    }
    first
}

/// A streaming operation on one field, in parts cut anywhere.
pub(crate) trait Stream {
    /// Appends all output that does not depend on further input.
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>);

    /// Appends the rest.
    fn finish(&mut self, output: &mut Vec<u8>);

    /// The first fault and its position in the field. Faults that depend on the end of the field
    /// are known after `finish`.
    fn fault(&self) -> Option<(FaultKind, u64)>;

    /// All counts of the field, and all findings. Complete after `finish`.
    fn all(&self, first: FaultKind) -> (Counted, Kinds) {
        (Counted::of(first), first.found())
    }
}

/// Creates the operation for a format in which these bytes must stay escaped.
pub(crate) type Recipe<'r> = dyn Fn(ByteSet) -> Box<dyn Operation> + 'r;

/// Splits a record into its text and its end: the separator, and a CR that precedes a line feed.
pub(crate) fn split_ending(record: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let length = match record {
        [.., b'\r', b'\n'] if separator == b'\n' => 2,
        [.., last] if *last == separator => 1,
        _ => 0,
    };
    record.split_at(record.len() - length)
}

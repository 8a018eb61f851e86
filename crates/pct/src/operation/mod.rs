//! What a command does with a field: decode, encode, normalize, repair, look at it.
//!
//! An operation knows neither records nor files. A unit hands it fields; a fault is said, never
//! acted upon, here.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod fault;
mod form;
mod incomplete;
mod inspect;
mod normalize;
mod repair;

use memchr::memchr;
use simdpct::{ByteSet, Kinds};

pub(crate) use decode::Decode;
pub(crate) use encode::Encode;
pub(crate) use fault::{Count, Counted, Fault, FaultKind};
pub(crate) use form::{FromForm, Shape, ToForm};
pub(crate) use inspect::{Inspect, words};
pub(crate) use normalize::Normalize;
pub(crate) use repair::Repair;

/// What is done with text. Shared by all threads.
pub(crate) trait Operation: Send + Sync {
    /// Appends what becomes of a field, whatever is wrong with it, and says what and where that is:
    /// the first fault.
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault>;

    /// Appends what becomes of many records, each with its `separator` (but perhaps the last), as
    /// if each was a field. Says the first fault.
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        each_record(self, records, separator, output)
    }

    /// The same, if no record is at fault. If it is not, what was appended does not count: this is
    /// for finding out soon.
    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        self.apply_records(records, separator, output).is_none()
    }

    /// The same as `apply_records`, soon where faults are many: says the first fault of each record
    /// that has one. False if there is no such way; then nothing was done.
    fn apply_and_collect(
        &self,
        _records: &[u8],
        _separator: u8,
        _output: &mut Vec<u8>,
        _faults: &mut Vec<Fault>,
    ) -> bool {
        false
    }

    /// A byte without which a field of well-formed UTF-8 stays as it is and is not at fault, if
    /// there is one.
    fn needed(&self) -> Option<u8> {
        None
    }

    /// The same as `apply` for a field too long to be held; `None` if only a whole field will do.
    ///
    /// With `until_fault`, all that is appended precedes the first fault.
    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>>;
}

/// Applies an operation to one record after the other.
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

/// An operation on one field that comes in parts, cut anywhere.
pub(crate) trait Stream {
    /// Appends what can be known by now.
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>);

    /// Appends the rest.
    fn finish(&mut self, output: &mut Vec<u8>);

    /// What was found first, and how many bytes of the field precede it. What the end alone tells
    /// is known after `finish`.
    fn fault(&self) -> Option<(FaultKind, u64)>;

    /// All that the field counts as, and all that was looked for and found. Complete after
    /// `finish`.
    fn all(&self, first: FaultKind) -> (Counted, Kinds) {
        (Counted::of(first), first.found())
    }
}

/// Makes the operation for fields in which these bytes must not come to stand: they stay escaped.
pub(crate) type Recipe<'r> = dyn Fn(ByteSet) -> Box<dyn Operation> + 'r;

/// A record without and with its end: the separator, and a CR before a line feed.
pub(crate) fn split_ending(record: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let length = match record {
        [.., b'\r', b'\n'] if separator == b'\n' => 2,
        [.., last] if *last == separator => 1,
        _ => 0,
    };
    record.split_at(record.len() - length)
}

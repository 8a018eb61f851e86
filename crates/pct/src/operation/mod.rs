//! What a command does with a field: decode, encode, normalize, repair, look at it.
//!
//! An operation knows neither records nor files. A unit hands it fields; a fault is said, never acted upon, here.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod form;
mod inspect;
mod normalize;
mod repair;
mod torn;

use std::fmt;

use memchr::memchr;
use simdpct::{ByteSet, DecodeErrorKind, Kinds};

pub(crate) use decode::Decode;
pub(crate) use encode::Encode;
pub(crate) use form::{FromForm, Shape, ToForm};
pub(crate) use inspect::{Inspect, words};
pub(crate) use normalize::Normalize;
pub(crate) use repair::Repair;

/// What is done with text. Shared by all threads.
pub(crate) trait Operation: Send + Sync {
    /// Appends what becomes of a field, whatever is wrong with it, and says what and where that is: the first fault.
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault>;

    /// Appends what becomes of many records, each with its `separator` (but perhaps the last), as if each was a field. Says the first
    /// fault.
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        each_record(self, records, separator, output)
    }

    /// The same, if no record is at fault. If it is not, what was appended does not count: this is for finding out soon.
    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        self.apply_records(records, separator, output).is_none()
    }

    /// The same as `apply_records`, soon where faults are many: says the first fault of each record that has one. False if
    /// there is no such way; then nothing was done.
    fn apply_and_note(&self, _records: &[u8], _separator: u8, _output: &mut Vec<u8>, _faults: &mut Vec<Fault>) -> bool {
        false
    }

    /// A byte without which a field of well-formed UTF-8 stays as it is and is not at fault, if there is one.
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
        first = Fault::first(first, fault.map(|fault| fault.behind(start)));
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

    /// What was found first, and how many bytes of the field precede it. What the end alone tells is known after `finish`.
    fn fault(&self) -> Option<(FaultKind, u64)>;
}

/// Makes the operation for fields in which these bytes must not come to stand: they stay escaped.
pub(crate) type Recipe<'r> = dyn Fn(ByteSet) -> Box<dyn Operation> + 'r;

/// What is wrong with a field, and at which of its bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) position: usize,
}

impl Fault {
    /// That of a record whose fields have these, in their order.
    pub(crate) fn first(before: Option<Self>, after: Option<Self>) -> Option<Self> {
        match (before, after) {
            (
                Some(Self { kind: FaultKind::Found(some), position }),
                Some(Self { kind: FaultKind::Found(more), .. }),
            ) => Some(Self { kind: FaultKind::Found(some | more), position }),
            _ => before.or(after),
        }
    }

    /// The same in a text of which the field follows `offset` bytes.
    pub(crate) fn behind(self, offset: usize) -> Self {
        Self { position: self.position + offset, ..self }
    }
}

/// The ways in which a record can be at fault.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FaultKind {
    /// A field cannot be decoded.
    Code(DecodeErrorKind),
    /// A field holds what was looked for.
    Found(Kinds),
    /// The text to encode is not UTF-8.
    NotUtf8,
    /// The record is not of the unit's format, in these words.
    Format(&'static str),
    /// The record has more fields than the first one.
    TooManyFields,
    /// The object has a member of the name that is to be added.
    NewKeyExists,
    /// Memory does not allow to hold the record as a whole.
    TooLong,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(kind) => kind.fmt(f),
            Self::Found(kinds) => {
                let all = Kinds::ALL.into_iter().filter(|&(kind, _)| kinds.contains(kind));
                f.write_str(&all.map(|(kind, _)| words(kind)).collect::<Vec<_>>().join("; "))
            }
            Self::NotUtf8 => f.write_str("not valid UTF-8"),
            Self::Format(problem) => f.write_str(problem),
            Self::TooManyFields => f.write_str("too many fields"),
            Self::NewKeyExists => f.write_str("the new key exists already"),
            Self::TooLong => f.write_str("too long for the memory"),
        }
    }
}

/// A record without and with its end: the separator, and a CR before a line feed.
pub(crate) fn split_ending(record: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let length = match record {
        [.., b'\r', b'\n'] if separator == b'\n' => 2,
        [.., last] if *last == separator => 1,
        _ => 0,
    };
    record.split_at(record.len() - length)
}

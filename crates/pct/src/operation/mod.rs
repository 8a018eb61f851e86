//! Operations on fields: decode, encode, normalize, repair, inspect, get parts, convert forms.
//!
//! Operations know neither records nor files. A format passes them fields; they report faults, and
//! the caller applies the policy.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod fault;
mod form;
mod get;
mod inspect;
mod normalize;
mod path;
mod repair;
mod reversible;
mod select;
mod text;
mod unescape;
mod unique;
mod url;
mod well_formed;

use std::ops::ControlFlow;

use memchr::{memchr, memrchr};
use simdpct::{ByteSet, Kinds};

pub(crate) use decode::Decode;
pub(crate) use encode::Encode;
pub(crate) use fault::{Count, Counted, Fault, FaultKind};
pub(crate) use form::{FromForm, Shape, ToForm};
pub(crate) use get::{Get, Part, PartSeen, Reading};
pub(crate) use inspect::{Inspect, words};
pub(crate) use normalize::Normalize;
pub(crate) use path::CanonicalPath;
pub(crate) use repair::Repair;
pub(crate) use reversible::Reversible;
pub(crate) use select::{Copying, Filter, Selecting};
pub(crate) use text::{DecodeText, EncodeText};
pub(crate) use unescape::Unescape;
pub(crate) use unique::Unique;
pub(crate) use url::NormalUrl;
pub(crate) use well_formed::WellFormed;

/// An operation on fields. Shared by all threads.
pub(crate) trait Operation: Send + Sync {
    /// Appends the result for a field, valid or not. Returns the first fault.
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault>;

    /// As `apply`, for text.
    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        self.apply(field.as_bytes(), output)
    }

    /// Called before a field, with the number of its kind, in a format whose records may have fields of some kinds only.
    fn begin_field(&self, kind: usize) {
        let _ = kind;
    }

    /// Whether a batch of valid records takes less time than the records one by one.
    fn is_batched(&self) -> bool {
        false
    }

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
    fn apply_and_collect(&self, records: &[u8], separator: u8, output: &mut Vec<u8>, faults: &mut Vec<Fault>) -> bool {
        let _ = for_each_fault(self, records, separator, output, |fault| {
            faults.push(fault);
            ControlFlow::Continue(())
        });
        true
    }

    /// The trigger bytes, if known: a field of well-formed UTF-8 that contains none of them is
    /// valid and unchanged.
    fn needed(&self) -> Option<ByteSet> {
        None
    }

    /// Whether results are JSON, which JSON Lines take as it is.
    fn is_json(&self) -> bool {
        false
    }

    /// Whether `--only-matching` selects a field with this fault: it is invalid, or has a
    /// [needed](Self::needed) byte.
    fn matches(&self, field: &[u8], fault: Option<&Fault>) -> bool {
        fault.is_some_and(|fault| !fault.kind.is_note()) || self.needed().is_some_and(|set| set.find(field).is_some())
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
    let _ = for_each_fault(operation, records, separator, output, |fault| {
        first = Fault::first(first, Some(fault));
        ControlFlow::Continue(())
    });
    first
}

/// Applies an operation to each record, and calls `found` with each fault. Copies runs of records
/// without a [needed](Operation::needed) byte.
fn for_each_fault(
    operation: &(impl Operation + ?Sized),
    records: &[u8],
    separator: u8,
    output: &mut Vec<u8>,
    mut found: impl FnMut(Fault) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let text = simdutf8::basic::from_utf8(records).ok();
    let needed = operation.needed().filter(|_| text.is_some());
    let mut start = 0;
    while start < records.len() {
        let mut touched = start;
        if let Some(needed) = needed {
            touched = next_needed(records, start, separator, needed);
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

/// Position of the next needed byte that is not part of the end of a record, or the end.
fn next_needed(records: &[u8], start: usize, separator: u8, needed: ByteSet) -> usize {
    let needed = needed.without(separator);
    let mut from = start;
    while let Some(at) = needed.find(&records[from..]) {
        let at = from + at;
        if separator != b'\n' || !records[at..].starts_with(b"\r\n") {
            return at;
        }
        from = at + 2;
    }
    records.len()
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
pub(crate) type Recipe<'r> = dyn Fn(ByteSet) -> Box<dyn Operation> + Sync + 'r;

/// Adds to an operation after all else that a format adds.
pub(crate) type Wrap<'r> = dyn Fn(Box<dyn Operation>) -> Box<dyn Operation> + Sync + 'r;

/// Splits a record into its text and its end: the separator, and a CR that precedes a line feed.
pub(crate) fn split_ending(record: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let length = match record {
        [.., b'\r', b'\n'] if separator == b'\n' => 2,
        [.., last] if *last == separator => 1,
        _ => 0,
    };
    record.split_at(record.len() - length)
}

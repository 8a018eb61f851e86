//! Operations on fields: decode, encode, normalize, repair, inspect, get parts, convert forms.
//!
//! Operations know neither records nor files. A format passes them fields; they report faults, and
//! the caller applies the policy.
#![forbid(unsafe_code)]

pub(crate) mod batch;
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
mod words;

use simdpct::{ByteSet, Kinds};

pub(crate) use batch::Batches;
pub(crate) use decode::Decode;
pub(crate) use encode::Encode;
pub(crate) use fault::{Count, Counted, Fault, FaultKind};
pub(crate) use form::{FromForm, Shape, ToForm};
pub(crate) use get::{Get, Part, PartFound, PartsOutput, PartsShape, Reading, Template, ValueDecoding, ValueRules};
pub(crate) use inspect::Inspect;
pub(crate) use normalize::Normalize;
pub(crate) use path::CanonicalPath;
pub(crate) use repair::Repair;
pub(crate) use reversible::Reversible;
pub(crate) use select::{FaultsOnly, Filter, MarkSelected};
pub(crate) use text::{DecodeText, EncodeText};
pub(crate) use unescape::Unescape;
pub(crate) use unique::Unique;
pub(crate) use url::{Base, NormalUrl, Resolved, Surt};
pub(crate) use well_formed::WellFormed;
pub(crate) use words::words;

/// An operation on fields. Shared by all threads.
pub(crate) trait Operation: Send + Sync {
    /// Appends the result for a field, valid or not. Returns the first fault.
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault>;

    /// As `apply`, for text.
    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        self.apply(field.as_bytes(), output)
    }

    /// Called before a field, with the number of its kind, in a format whose records may have
    /// fields of some kinds only.
    fn begin_field(&self, kind: usize) {
        let _ = kind;
    }

    /// The trigger bytes, if known: a field of well-formed UTF-8 that contains none of them is
    /// valid and unchanged.
    fn triggers(&self) -> Option<ByteSet> {
        None
    }

    /// Whether results are JSON, which JSON Lines take as it is.
    fn is_json(&self) -> bool {
        false
    }

    /// If results are rows of CSV, which CSV takes as several fields: the suffixes of the names of
    /// their columns.
    fn row(&self) -> &[String] {
        &[]
    }

    /// Whether `--only-matching` selects a field with this fault: it is invalid, or has a
    /// [trigger](Self::triggers) byte.
    fn matches(&self, field: &[u8], fault: Option<&Fault>) -> bool {
        fault.is_some_and(|fault| !fault.kind.is_note()) || self.triggers().is_some_and(|set| set.find(field).is_some())
    }

    /// How a batch of records is taken.
    fn batches(&self) -> Batches<'_> {
        Batches::Each
    }

    /// A streaming version of `apply`, for fields that are too long for memory; `None` if the
    /// operation needs the whole field.
    ///
    /// With `until_fault`, output ends at the first fault.
    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>>;
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

//! What belongs together: where records end, and which of their fields an operation is for.
#![forbid(unsafe_code)]

mod columns;
mod csv;
mod fields;
mod jsonl;
mod lines;
mod log;
mod passthrough;
mod whole;

pub(crate) use columns::Columns;
pub(crate) use csv::{Chosen, Csv};
pub(crate) use fields::Tsv;
pub(crate) use jsonl::{JsonLines, KeyPath};
pub(crate) use lines::Records;
pub(crate) use log::{Log, LogFormat};
pub(crate) use whole::WholeInput;

use crate::operation::Operation;
use crate::record::Job;
use crate::report;
use crate::source::Scanner;

/// Hands the fields of records to an operation. Shared by all threads, and by all inputs, one after
/// the other.
pub(crate) trait Format: Send + Sync {
    /// Knows where records end.
    fn scanner(&self) -> Box<dyn Scanner>;

    /// What ends a record, if anything but the end of the input does.
    fn ending(&self) -> Option<u8> {
        self.whole().map_or(Some(b'\n'), |whole| whole.ending)
    }

    /// What is counted as a line where a place is stdout.
    fn separator(&self) -> u8 {
        b'\n'
    }

    /// How its records are counted.
    fn records(&self) -> report::Records {
        if self.ending().is_some() { report::Records::Lines } else { report::Records::One }
    }

    /// Is shown each block before it is transformed, in their order, and learns from the first
    /// record what columns there are. `is_first` is true for the first block of an input.
    fn begin(&self, is_first: bool, records: &[u8]) -> Result<(), String> {
        let _ = (is_first, records);
        Ok(())
    }

    /// Whether the other records of an input cannot be transformed without its first one.
    fn needs_first_record(&self) -> bool {
        false
    }

    /// The fields that none of the records had so far, one sentence each. None if there was no
    /// record.
    fn unmatched(&self) -> Vec<String> {
        Vec::new()
    }

    /// Appends to the job's output what becomes of whole records, of which the last of an input may
    /// lack its end.
    fn transform(&self, records: &[u8], job: &mut Job);

    /// The operation, if a record's field is the whole record: then a record can be done part by
    /// part.
    fn whole(&self) -> Option<Whole<'_>> {
        None
    }
}

/// Whether the inputs of a unit have one output.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outputs {
    /// All inputs are one text, with one header and one number of columns.
    One,
    /// Each input is a text of its own.
    Each,
}

/// What is done with a record that is one field.
pub(crate) struct Whole<'u> {
    pub(crate) operation: &'u dyn Operation,
    /// What ends it, if anything but the end of the input.
    pub(crate) ending: Option<u8>,
    /// The result goes behind the record and this.
    pub(crate) append: Option<u8>,
}

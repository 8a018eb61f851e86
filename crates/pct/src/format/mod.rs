//! Input formats: where records end, and which of their fields an operation is applied to.
#![forbid(unsafe_code)]

mod columns;
mod csv;
mod destination;
mod fields;
mod json;
mod lines;
mod log;
mod near;
mod passthrough;
mod row_binary;
mod whole;

pub(crate) use columns::Columns;
#[cfg(feature = "columns")]
pub(crate) use csv::{COUNT, FieldWriter};
pub(crate) use csv::{Chosen, Csv};
pub(crate) use destination::{ColumnName, Destination};
pub(crate) use fields::Tsv;
pub(crate) use json::{IN_CELLS, JsonLayout, JsonLines, KeyPath};
pub(crate) use lines::Records;
pub(crate) use log::{Log, LogFields, LogFormat, LogParser};
pub(crate) use row_binary::RowBinary;
pub(crate) use whole::WholeInput;

use crate::operation::Operation;
use crate::record::Job;
use crate::report;
use crate::source::Scanner;

/// An input format: applies an operation to the fields of records. Shared by all threads, and by
/// all inputs in turn.
pub(crate) trait Format: Send + Sync {
    /// A new scanner, which finds the ends of records.
    fn scanner(&self) -> Box<dyn Scanner>;

    /// The byte that ends a record; `None` if only the end of the input does.
    fn ending(&self) -> Option<u8> {
        self.whole().map_or(Some(b'\n'), |whole| whole.ending)
    }

    /// The byte that ends a line, for the places in messages.
    fn separator(&self) -> u8 {
        b'\n'
    }

    /// How records are counted.
    fn records(&self) -> report::Records {
        if self.ending().is_some() { report::Records::Lines } else { report::Records::One }
    }

    /// Called with each block before it is transformed, in input order; reads the number and names
    /// of columns from the first record. `is_first` is true for the first block of an input.
    fn begin(&self, is_first: bool, records: &[u8]) -> Result<(), String> {
        let _ = (is_first, records);
        Ok(())
    }

    /// Called with each block before it is transformed, in input order, and with its number in the
    /// input, from 0, which is also that of the [`Job`].
    fn look_ahead(&self, number: u64, records: &[u8]) {
        let _ = (number, records);
    }

    /// Whether the first record of an input is needed to transform the others.
    fn needs_first_record(&self) -> bool {
        false
    }

    /// What to try, if an input that begins with these records is probably in another format.
    fn misread(&self, records: &[u8]) -> Option<String> {
        let _ = records;
        None
    }

    /// Warnings about fields that no record had so far. None if there was no record.
    fn unmatched(&self) -> Vec<String> {
        Vec::new()
    }

    /// Transforms whole records, appending to the job's output. The last record of an input may
    /// lack its end.
    fn transform(&self, records: &[u8], job: &mut Job);

    /// The operation, if the whole record is one field, so that it can be processed in parts.
    fn whole(&self) -> Option<Whole<'_>> {
        None
    }
}

/// Whether the inputs of a format have one output.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outputs {
    /// One output for all inputs, with one header and one number of columns.
    One,
    /// One output for each input.
    Each,
}

/// How to process a record that is a single field.
pub(crate) struct Whole<'u> {
    pub(crate) operation: &'u dyn Operation,
    /// The byte that ends the record; `None` for the end of the input.
    pub(crate) ending: Option<u8>,
    /// With `--append`: the delimiter between the record and the result.
    pub(crate) append: Option<u8>,
}

//! What belongs together: where records end, and which of their fields an operation is for.
#![forbid(unsafe_code)]

mod columns;
mod csv;
mod jsonl;
mod log;
mod separated;
mod tsv;
mod untouched;
mod whole_input;

pub(crate) use columns::Columns;
pub(crate) use csv::{Chosen, Csv};
pub(crate) use jsonl::{JsonLines, Path};
pub(crate) use log::{Log, LogFormat};
pub(crate) use separated::Records;
pub(crate) use tsv::Tsv;
pub(crate) use whole_input::WholeInput;

use crate::operation::Operation;
use crate::pipeline::Job;
use crate::source::Scanner;

/// Hands the fields of records to an operation. Made for one input, shared by all threads.
pub(crate) trait Unit: Send + Sync {
    /// Knows where records end.
    fn scanner(&self) -> Box<dyn Scanner>;

    /// What is counted as a line where a place is told.
    fn separator(&self) -> u8 {
        b'\n'
    }

    /// Learns from the first record what columns there are. `records` begins with it; nothing was transformed before.
    fn begin(&self, records: &[u8]) -> Result<(), String> {
        let _ = records;
        Ok(())
    }

    /// Appends to the job's output what becomes of whole records, of which the last of an input may lack its end.
    fn transform(&self, records: &[u8], job: &mut Job);

    /// The operation, if a record's field is the whole record: then a record can be done part by part.
    fn whole(&self) -> Option<Whole<'_>> {
        None
    }
}

/// What is done with a record that is one field.
pub(crate) struct Whole<'u> {
    pub(crate) operation: &'u dyn Operation,
    /// What ends it, if anything but the end of the input.
    pub(crate) ending: Option<u8>,
    /// The result goes behind the record and this.
    pub(crate) append: Option<u8>,
}

//! `--csv`: delimited fields with quotes where needed (RFC 4180), as csv-core reads and writes
//! them.
//!
//! Records that need no change are copied in runs, and only their ends are searched for.
//!
//! Fields that are not selected are copied byte for byte. Selected ones are quoted if they were, or
//! if necessary. A last record whose quoted field is never closed is copied, and is invalid: its
//! line ends are inside the quotes, where nothing may be appended.
//!
//! With `--append`, the first record determines the number of fields, so that the new columns are
//! the same in each record. A shorter record is padded. The surplus fields of a longer record
//! follow the new columns, and it is invalid. With `--print-field`, a record has only the selected
//! columns; with a header, a shorter record is padded.
//!
//! If several inputs have one output, their headers must be equal, and only the first is written.
#![forbid(unsafe_code)]

mod fields;
mod layout;
mod names;
mod records;
mod transform;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use fields::FieldWriter;
pub(crate) use layout::Chosen;

use super::passthrough::UnchangedRecords;
use super::{Destination, Format, Outputs};
use crate::operation::{Operation, split_ending};
use crate::record::Job;
use crate::report;
use crate::source::Scanner;
use fields::FieldReader;
use layout::Layouts;
use records::{Records, is_empty};
#[cfg(feature = "columns")]
pub(crate) use transform::COUNT;
use transform::Transform;

pub(crate) struct Csv {
    delimiter: u8,
    operation: Box<dyn Operation>,
    destination: Destination,
    layouts: Layouts,
    writer: FieldWriter,
    /// Number of fields of the longest record so far, exact only up to
    /// [`super::Columns::min_width`]; 0 before the first.
    most: AtomicUsize,
}

impl Csv {
    pub(crate) fn new(
        delimiter: u8,
        chosen: Chosen,
        has_header: bool,
        operation: Box<dyn Operation>,
        destination: Destination,
        outputs: Outputs,
    ) -> Self {
        let layouts = Layouts::new(delimiter, chosen, has_header, destination.clone(), operation.row(), outputs);
        let (writer, most) = (FieldWriter::new(delimiter), AtomicUsize::new(0));
        Self { delimiter, operation, destination, layouts, writer, most }
    }
}

impl Format for Csv {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Records::new(self.delimiter))
    }

    fn records(&self) -> report::Records {
        report::Records::Counted
    }

    fn begin(&self, is_first: bool, records: &[u8]) -> Result<(), String> {
        self.layouts.learn(is_first, records)
    }

    fn needs_first_record(&self) -> bool {
        self.layouts.need_first_record()
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let Some(layout) = self.layouts.current() else {
            // All lines so far were empty.
            job.unchanged(records);
            return;
        };
        let mut scanner = Records::new(self.delimiter);
        let mut transform = Transform {
            layout: &layout,
            operation: &*self.operation,
            destination: &self.destination,
            reader: FieldReader::new(self.delimiter),
            writer: &self.writer,
            result: Vec::new(),
        };
        let triggers = self.operation.triggers().filter(|_| job.takes_runs(self.destination.is_field()));
        let mut unchanged = UnchangedRecords::new(records, triggers);
        let mut most = self.most.load(Ordering::Relaxed);
        // Without a header, some record must have each of the columns.
        let min_width = if layout.header.is_some() { 1 } else { layout.columns.min_width() };
        let mut end = 0;
        // Start of the records to copy.
        let mut run = 0;
        while end < records.len() {
            let start = end;
            // Only the last record of the input can lack an end: blocks are cut after ends.
            end = scanner.first_end(&records[start..]).map_or(records.len(), |length| start + length);
            let record = &records[start..end];
            let is_unclosed = scanner.is_in_quotes();
            let is_header = start == 0 && job.is_first && layout.header.is_some() && !is_unclosed;
            if !is_unclosed && !is_header {
                if is_empty(record) {
                    continue;
                }
                if unchanged.is_unchanged(start, end) {
                    job.tally.records += 1;
                    if most < min_width {
                        most = most.max(transform.reader.count(split_ending(record, b'\n').0, min_width));
                    }
                    continue;
                }
            }
            job.unchanged(&records[run..start]);
            run = end;
            if is_header {
                if layout.writes_header {
                    transform.header(record, &mut job.output);
                }
                continue;
            }
            job.tally.records += 1;
            let done = if is_unclosed {
                transform.unclosed(record, job, start).map_continue(|()| 0)
            } else {
                transform.record(record, job, start)
            };
            match done {
                ControlFlow::Continue(count) => most = most.max(count),
                ControlFlow::Break(()) => {
                    run = records.len();
                    break;
                }
            }
        }
        job.unchanged(&records[run..]);
        self.most.fetch_max(most, Ordering::Relaxed);
    }

    fn unmatched(&self) -> Vec<String> {
        let most = self.most.load(Ordering::Relaxed);
        match self.layouts.current() {
            Some(layout) if most > 0 && layout.header.is_none() => {
                layout.columns.ranges_beyond(most).map(|range| format!("no record has column {range}")).collect()
            }
            _ => Vec::new(),
        }
    }
}

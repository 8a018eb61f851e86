//! Delimited fields without quotes: TSV, and other input of `cut`.
//!
//! With `--append`, the first record determines the number of fields, so that the new columns are
//! the same in each record. A shorter record is padded. The surplus fields of a longer record
//! follow the new columns, and it is invalid. With `--print-field`, a record has the selected
//! fields that it had, as in `cut`.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::{memchr, memchr_iter};

use super::passthrough::transform_lines;
use super::{Columns, Destination, Format, Outputs};
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::record::Job;
use crate::source::{Scanner, Separated};

pub(crate) struct Tsv {
    delimiter: u8,
    columns: Columns,
    operation: Box<dyn Operation>,
    destination: Destination,
    outputs: Outputs,
    /// Number of fields of the first record; 0 until it is known.
    width: AtomicUsize,
    /// Number of fields of the longest record so far, exact only up to [`Columns::min_width`]; 0
    /// before the first record.
    most: AtomicUsize,
}

impl Tsv {
    pub(crate) fn new(
        delimiter: u8,
        columns: Columns,
        operation: Box<dyn Operation>,
        destination: Destination,
        outputs: Outputs,
    ) -> Self {
        let (width, most) = Default::default();
        Self { delimiter, columns, operation, destination, outputs, width, most }
    }

    fn count(&self, line: &[u8]) -> usize {
        memchr_iter(self.delimiter, line).count() + 1
    }

    /// Appends the results for the fields of one line.
    fn results(&self, line: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        let mut is_first = true;
        let mut start = 0;
        for column in 0..=self.columns.last() {
            let end = memchr(self.delimiter, &line[start..]).map_or(line.len(), |at| start + at);
            if self.columns.contains(column) {
                if !is_first {
                    output.push(self.delimiter);
                }
                is_first = false;
                let found = self.operation.apply(&line[start..end], output);
                fault = Fault::first(fault, found.map(|found| found.shifted_by(start)));
            }
            if end == line.len() {
                break;
            }
            start = end + 1;
        }
        fault
    }

    /// Transforms one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        let mut start = 0;
        let mut column = 0;
        // The rest after the last column of the list is copied.
        while column <= self.columns.last() {
            let end = memchr(self.delimiter, &line[start..]).map_or(line.len(), |at| start + at);
            let field = &line[start..end];
            if self.columns.contains(column) {
                let found = self.operation.apply(field, output);
                fault = Fault::first(fault, found.map(|found| found.shifted_by(start)));
            } else {
                output.extend_from_slice(field);
            }
            start = end;
            if end == line.len() {
                break;
            }
            output.push(self.delimiter);
            start += 1;
            column += 1;
        }
        output.extend_from_slice(&line[start..]);
        fault
    }

    /// Appends one line without its end, then the results of its fields as new columns.
    fn append_to_line(&self, line: &[u8], output: &mut Vec<u8>, results: &mut Vec<u8>) -> Option<Fault> {
        let width = self.width.load(Ordering::Relaxed);
        let mut fault = None;
        // Start of the next field, if there is one.
        let mut next = Some(0);
        let mut missing = 0;
        results.clear();
        let last = self.columns.last().min(width - 1);
        for column in 0..=last {
            let is_meant = self.columns.contains(column);
            if is_meant {
                results.push(self.delimiter);
            }
            let Some(start) = next else {
                missing += 1;
                continue;
            };
            let end = memchr(self.delimiter, &line[start..]).map_or(line.len(), |at| start + at);
            if is_meant {
                let found = self.operation.apply(&line[start..end], results);
                fault = Fault::first(fault, found.map(|found| found.shifted_by(start)));
            }
            next = (end < line.len()).then_some(end + 1);
        }
        // After the last column of the list, fields are only counted.
        let rest = width - 1 - last;
        if let Some(start) = next.filter(|_| rest > 0) {
            let mut ends = memchr_iter(self.delimiter, &line[start..]);
            let found = ends.by_ref().take(rest - 1).count();
            missing += rest - 1 - found;
            next = ends.next().map(|at| start + at + 1);
        } else if next.is_none() {
            missing += rest;
        }
        // The surplus includes the preceding delimiter.
        let (fields, surplus) = line.split_at(next.map_or(line.len(), |start| start - 1));
        output.extend_from_slice(fields);
        output.extend(std::iter::repeat_n(self.delimiter, missing));
        output.extend_from_slice(results);
        output.extend_from_slice(surplus);
        let too_many = next.map(|position| Fault::new(FaultKind::TooManyFields, position));
        Fault::first(fault, too_many)
    }
}

impl Format for Tsv {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn begin(&self, is_first: bool, records: &[u8]) -> Result<(), String> {
        let is_known = self.outputs == Outputs::One && self.width.load(Ordering::Relaxed) != 0;
        if !self.needs_first_record() || !is_first || is_known {
            return Ok(());
        }
        let end = memchr(b'\n', records).map_or(records.len(), |at| at + 1);
        let width = self.count(split_ending(&records[..end], b'\n').0);
        self.width.store(width, Ordering::Relaxed);
        self.columns.check(width).map_err(|message| format!("{message}, as in the first record"))
    }

    fn needs_first_record(&self) -> bool {
        self.destination.is_column()
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let triggers = self.operation.triggers().filter(|_| job.takes_runs(self.destination.is_field()));
        let min_width = self.columns.min_width();
        let most = Cell::new(self.most.load(Ordering::Relaxed));
        let is_line = |line: &[u8]| {
            if most.get() < min_width {
                most.set(most.get().max(self.count(line)));
            }
            true
        };
        transform_lines(records, b'\n', triggers, job, is_line, |line, output, results| {
            is_line(line);
            match self.destination {
                Destination::Field => self.line(line, output),
                Destination::Column(_) => self.append_to_line(line, output, results),
                Destination::Alone | Destination::Counted => self.results(line, output),
            }
        });
        self.most.fetch_max(most.get(), Ordering::Relaxed);
    }

    fn unmatched(&self) -> Vec<String> {
        match self.most.load(Ordering::Relaxed) {
            0 => Vec::new(),
            most => self.columns.ranges_beyond(most).map(|range| format!("no record has field {range}")).collect(),
        }
    }
}

//! Lines with fields between delimiters, without quotes: TSV and what `cut` takes.
#![forbid(unsafe_code)]

use memchr::memchr;

use super::untouched::transform_lines;
use super::{Columns, Unit};
use crate::operation::{Fault, Operation};
use crate::pipeline::Job;
use crate::source::{Scanner, Separated};

pub(crate) struct Tsv {
    delimiter: u8,
    columns: Columns,
    operation: Box<dyn Operation>,
    append: bool,
}

impl Tsv {
    pub(crate) fn new(delimiter: u8, columns: Columns, operation: Box<dyn Operation>, append: bool) -> Self {
        Self { delimiter, columns, operation, append }
    }

    /// Appends what becomes of one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>, appended: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        let mut start = 0;
        let mut column = 0;
        appended.clear();
        // Behind the last column that is meant nothing need be looked at.
        while column <= self.columns.last() {
            let end = memchr(self.delimiter, &line[start..]).map_or(line.len(), |at| start + at);
            let field = &line[start..end];
            if self.columns.contains(column) {
                let found = if self.append {
                    output.extend_from_slice(field);
                    appended.push(self.delimiter);
                    self.operation.apply(field, appended)
                } else {
                    self.operation.apply(field, output)
                };
                fault = Fault::first(fault, found.map(|found| found.behind(start)));
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
        output.extend_from_slice(appended);
        fault
    }
}

impl Unit for Tsv {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let needed = self.operation.needed().filter(|_| !self.append);
        let is_line = |_: &[u8]| true;
        transform_lines(records, needed, job, is_line, |text, output, appended| self.line(text, output, appended));
    }
}

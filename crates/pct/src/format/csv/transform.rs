//! Transforms records: applies the operation to the selected fields, and puts the results where
//! they go.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use super::fields::{Field, FieldReader, FieldWriter, end_record};
use super::layout::Layout;
use crate::format::Destination;
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::record::Job;

/// The name of the column with the number of records.
pub(crate) const COUNT: &[u8] = b"count";

/// Transforms the records of a block.
pub(super) struct Transform<'c> {
    pub(super) layout: &'c Layout,
    pub(super) operation: &'c dyn Operation,
    pub(super) destination: &'c Destination,
    pub(super) reader: FieldReader,
    pub(super) writer: &'c FieldWriter,
    /// Buffer for the result for a field.
    pub(super) result: Vec<u8>,
}

impl Transform<'_> {
    /// Appends the header with the names of new columns, or only those of the selected ones.
    pub(super) fn header(&self, record: &[u8], output: &mut Vec<u8>) {
        let (text, ending) = split_ending(record, b'\n');
        if self.destination.is_alone() {
            let mut row = self.writer.row(output);
            if self.destination.is_counted() {
                row.push(COUNT, false);
            }
            self.layout.result_names(self.operation.row()).for_each(|name| row.push(&name, false));
            row.end();
        } else {
            output.extend_from_slice(text);
            self.layout.new_names.iter().for_each(|name| self.writer.next_field(name, false, output));
        }
        output.extend_from_slice(ending);
    }

    /// Transforms one record. Returns its number of fields, counted up to the last selected one.
    pub(super) fn record(&mut self, record: &[u8], job: &mut Job, start: usize) -> ControlFlow<(), usize> {
        let (text, ending) = split_ending(record, b'\n');
        let mut count = 0;
        job.record(record, start, |output, results| {
            let fault;
            (count, fault) = match self.destination {
                Destination::Field => self.replace(text, output),
                Destination::Column(_) => self.append(text, output, results),
                Destination::Alone | Destination::Counted => self.results(text, output),
            };
            output.extend_from_slice(ending);
            fault
        })?;
        ControlFlow::Continue(count)
    }

    /// Appends the record with the selected fields transformed.
    fn replace(&mut self, record: &[u8], output: &mut Vec<u8>) -> (usize, Option<Fault>) {
        let (mut count, mut fault) = (0, None);
        let start = output.len();
        // Start of the text that is not copied yet.
        let mut rest = 0;
        self.reader.each(record, |field| {
            count = field.column + 1;
            if self.layout.columns.contains(field.column) && field.is_quoted() {
                fault = Fault::first(fault, apply(self.operation, &field, &mut self.result));
                if self.result != field.text {
                    output.extend_from_slice(&record[rest..field.start]);
                    self.writer.field(&self.result, true, output);
                    rest = field.end();
                }
            } else if self.layout.columns.contains(field.column) {
                // The result is written where it goes: a long one is in memory only once.
                output.extend_from_slice(&record[rest..field.start]);
                rest = field.end();
                let start = output.len();
                let found = self.operation.apply(field.text, output);
                fault = Fault::first(fault, found.map(|fault| fault.shifted_by(field.start)));
                self.writer.quote_if_needed(start, field.text, output);
            }
            until(self.layout.columns.last(), field.column)
        });
        output.extend_from_slice(&record[rest..]);
        end_record(start, output);
        (count, fault)
    }

    /// Appends the record, padded to the width of the layout, the results as new fields, and the
    /// surplus fields.
    fn append(&mut self, record: &[u8], output: &mut Vec<u8>, results: &mut Vec<u8>) -> (usize, Option<Fault>) {
        let (mut count, mut fault) = (0, None);
        // Start of the first surplus field.
        let mut surplus = None;
        results.clear();
        self.reader.each(record, |field| {
            if field.column == self.layout.width {
                surplus = Some(field.start);
                return ControlFlow::Break(());
            }
            count = field.column + 1;
            if self.layout.columns.contains(field.column) {
                fault = Fault::first(fault, apply(self.operation, &field, &mut self.result));
                if self.operation.row().is_empty() {
                    self.writer.next_field(&self.result, field.is_quoted(), results);
                } else {
                    self.writer.next_row(&self.result, results);
                }
            }
            ControlFlow::Continue(())
        });
        // The surplus includes the preceding delimiter.
        let (fields, rest) = record.split_at(surplus.map_or(record.len(), |start| start - 1));
        output.extend_from_slice(fields);
        for column in count..self.layout.width {
            self.writer.empty_field(output);
            if self.layout.columns.contains(column) {
                (0..self.width()).for_each(|_| self.writer.empty_field(results));
            }
        }
        output.extend_from_slice(results);
        output.extend_from_slice(rest);
        let too_many = surplus.map(|position| Fault::new(FaultKind::TooManyFields, position));
        (count, Fault::first(fault, too_many))
    }

    /// Appends only the results; with a header, also an empty one for each column that the record
    /// does not have.
    fn results(&mut self, record: &[u8], output: &mut Vec<u8>) -> (usize, Option<Fault>) {
        let (mut count, mut fault) = (0, None);
        let mut row = self.writer.row(output);
        self.reader.each(record, |field| {
            count = field.column + 1;
            if self.layout.columns.contains(field.column) {
                fault = Fault::first(fault, apply(self.operation, &field, &mut self.result));
                if self.operation.row().is_empty() {
                    row.push(&self.result, field.is_quoted() && !self.destination.is_counted());
                } else {
                    row.push_row(&self.result);
                }
            }
            until(self.layout.columns.last(), field.column)
        });
        if self.layout.header.is_some() {
            let missing = (count..self.layout.width).filter(|&column| self.layout.columns.contains(column));
            missing.for_each(|_| (0..self.width()).for_each(|_| row.push(b"", false)));
        }
        // A number precedes the results, so the line is not empty.
        if !self.destination.is_counted() {
            row.end();
        }
        (count, fault)
    }

    /// The number of fields of a result.
    fn width(&self) -> usize {
        self.operation.row().len().max(1)
    }

    /// Copies a record that ends in an open quoted field, at the end of the input.
    #[cold]
    pub(super) fn unclosed(&mut self, record: &[u8], job: &mut Job, start: usize) -> ControlFlow<()> {
        job.record(record, start, |output, _| {
            if !self.destination.is_alone() {
                output.extend_from_slice(record);
            }
            let mut position = 0;
            self.reader.each(record, |field| {
                position = field.start;
                ControlFlow::Continue(())
            });
            Some(Fault::new(FaultKind::Format("not CSV: a quoted field is never closed"), position))
        })
    }
}

/// Applies the operation to a field. The fault has its position in the record; that of a quoted
/// field is its start.
fn apply(operation: &dyn Operation, field: &Field<'_>, result: &mut Vec<u8>) -> Option<Fault> {
    result.clear();
    let fault = operation.apply(field.text, result)?;
    let at = if field.is_quoted() { 1 } else { fault.position };
    Some(Fault { position: field.start + at, ..fault })
}

/// Breaks at the last column.
fn until(last: usize, column: usize) -> ControlFlow<()> {
    if column < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

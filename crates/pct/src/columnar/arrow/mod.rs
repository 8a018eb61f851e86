//! Arrow IPC: files and streams.
//!
//! The values of all columns, the schema, its metadata and that of the file, and the compression of
//! the buffers are those of the input. The layout of the messages is that of the `arrow-ipc` crate.
#![forbid(unsafe_code)]

mod array;
mod messages;

use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;

use super::choice::{Column, choose, intern, new_name};
use super::faults::InvalidRows;
use super::input::{Input, invalid};
use super::ordered::{self, caught};
use super::output::Output;
use super::rows::{ColumnResults, KeyedRows, Results, Rows};
use super::value::Converter;
use super::{Destination, Task};
use crate::error::Error;
use crate::record::Policy;
use crate::report::FileReport;
use messages::Batches;

pub(super) fn run(
    task: &Task<'_>,
    input: Input,
    destination: Destination<'_>,
    report: &mut FileReport,
) -> Result<bool, Error> {
    let name = report.name.clone();
    let mut batches =
        caught(|| Batches::open(input.content), ArrowError::IpcError).map_err(|error| failed(&name, &error))?;
    let usage = |message| Error::Usage(format!("{name}: {message}"));
    let columns = columns(batches.schema());
    let (mut selected, mut printed) = (Vec::new(), Vec::new());
    let mut fields: Vec<_> = batches.schema.fields().iter().cloned().collect();
    for index in choose(&columns, task.columns).map_err(usage)? {
        let field = batches.schema.field(index);
        selected.push(Selected { index, name: intern(field.name()), is_text: array::is_text(field.data_type()) });
        if task.append.is_none() && task.prints_field {
            printed.push(Arc::clone(&fields[index]));
        }
        if let Some(suffix) = task.append {
            let new = new_name(&columns, field.name(), suffix).map_err(usage)?;
            fields.push(Arc::new(field.clone().with_name(new).with_nullable(true)));
        }
    }
    if task.prints_field {
        fields = printed;
    }
    let names: Vec<_> = selected.iter().map(|selected| selected.name).collect();
    let sink = destination.begin(task.delimiter, &names)?;
    let schema = Arc::new(Schema::new_with_metadata(fields, batches.schema.metadata().clone()));
    let work = Work { task, schema, selected, writes: sink.is_some() };
    let output = sink.map(Output::new);
    let mut writer = match output {
        None => None,
        Some(output) => Some(Writer::new(output, &work.schema, &batches).map_err(|error| failed(&name, &error))?),
    };
    let length = batches.length_of_each;
    let mut is_changed = task.append.is_some() || work.schema.fields().len() < batches.schema.fields().len();
    let result = ordered::run(
        task.threads(),
        || caught(|| batches.next(), ArrowError::IpcError).map_err(Failure::Arrow),
        |batch| caught(|| work.process(&batch), ArrowError::IpcError).map_err(Failure::Arrow),
        |mut processed| {
            task.progress.advance(length);
            let invalid = std::mem::take(&mut processed.invalid);
            invalid.report(processed.rows, task, report).map_err(Failure::Command)?;
            let (batch, is_batch_changed) = work.compare(processed).map_err(Failure::Arrow)?;
            is_changed |= is_batch_changed;
            match &mut writer {
                None => Ok(()),
                Some(writer) => caught(|| writer.write(&batch), ArrowError::IpcError).map_err(Failure::Arrow),
            }
        },
    );
    let result = result.and_then(|()| writer.as_mut().map_or(Ok(()), Writer::finish).map_err(Failure::Arrow));
    if let Some(error) = writer.and_then(|mut writer| writer.output().take_error()) {
        return Err(error);
    }
    match result {
        Ok(()) => Ok(is_changed),
        Err(Failure::Command(error)) => Err(error),
        Err(Failure::Arrow(error)) => Err(failed(&name, &error)),
    }
}

/// An error while batches are processed.
enum Failure {
    Arrow(ArrowError),
    /// Of the command: the limit of invalid rows.
    Command(Error),
}

fn failed(name: &str, error: &ArrowError) -> Error {
    Error::Input(name.to_owned(), invalid(format!("invalid Arrow file: {error}")))
}

fn columns(schema: &Schema) -> Vec<Column> {
    let column = |(number, field): (usize, &Arc<Field>)| Column {
        number,
        name: field.name().clone(),
        path: field.name().clone(),
        is_supported: array::is_supported(field.data_type()),
        kind: field.data_type().to_string(),
    };
    schema.fields().iter().enumerate().map(column).collect()
}

/// A selected column.
struct Selected {
    index: usize,
    /// Its name, for messages.
    name: &'static str,
    is_text: bool,
}

/// What to do with each batch. Shared by all threads.
struct Work<'a> {
    task: &'a Task<'a>,
    /// The schema of the output.
    schema: SchemaRef,
    selected: Vec<Selected>,
    /// Whether there is an output.
    writes: bool,
}

/// A processed batch.
struct Processed {
    batch: RecordBatch,
    /// Number of rows of the input.
    rows: u64,
    invalid: InvalidRows,
    is_changed: bool,
    /// Rows that are compared with all that precede them, before the batch is written.
    compared: Option<(Rows, KeyedRows)>,
}

impl Work<'_> {
    fn process(&self, batch: &RecordBatch) -> Result<Processed, ArrowError> {
        let mut invalid = InvalidRows::default();
        let mut converted = Vec::new();
        for Selected { index, name, is_text } in &self.selected {
            let converter = Converter::new(self.task.operation, *is_text, self.task.plan.filter);
            let array = batch.column(*index);
            let results = array::Results::of(array, &converter)?;
            let keeps_values = self.task.plan.observer.is_some();
            let mut of_column = InvalidRows::default();
            results.each_fault(|row, fault, value| {
                of_column.note(row as u64, name, fault, if keeps_values { value } else { b"" });
            });
            invalid.merge(of_column);
            converted.push((*index, results));
        }
        let rows = batch.num_rows() as u64;
        let judged = invalid.judge(rows, self.task.plan);
        let compared = match (&judged, self.task.plan.seen) {
            (Some(judged), Some(seen)) => {
                let mut results = Results::default();
                converted.iter().for_each(|(_, column)| results.push(of_rows(column, batch.num_rows())));
                Some((judged.clone(), results.keyed(judged, self.task, seen)))
            }
            _ => None,
        };
        if !self.writes {
            return Ok(Processed { batch: batch.slice(0, 0), rows, invalid, is_changed: false, compared });
        }
        let skips = self.task.plan.policy == Policy::Skip;
        let skipped = judged.as_ref().map_or_else(Vec::new, Rows::skipped);
        let mut arrays = batch.columns().to_vec();
        let mut is_changed = false;
        if self.task.keeps_values() {
            converted.clear();
        }
        for (index, results) in &converted {
            let keeps_old = skips && (results.has_faults() || self.selected.len() > 1);
            if self.task.append.is_some() {
                arrays.push(results.appended(&skipped)?);
            } else if let Some(changed) = results.replaced(&skipped, keeps_old)? {
                is_changed = true;
                arrays[*index] = changed;
            }
        }
        if self.task.prints_field {
            arrays = self.selected.iter().map(|selected| Arc::clone(&arrays[selected.index])).collect();
        }
        let mut batch = RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            arrays,
            &arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows())),
        )?;
        if let (Some(judged), None) = (&judged, &compared) {
            is_changed |= drop_rows(&mut batch, judged)?;
        }
        Ok(Processed { batch, rows, invalid, is_changed, compared })
    }

    /// The batch to write, and whether it is changed: without the rows that comparing leaves out.
    fn compare(&self, processed: Processed) -> Result<(RecordBatch, bool), ArrowError> {
        let Processed { mut batch, mut is_changed, compared, .. } = processed;
        if let (Some((mut rows, keyed)), Some(seen)) = (compared, self.task.plan.seen) {
            keyed.compare(seen, &mut rows);
            if self.writes {
                is_changed |= drop_rows(&mut batch, &rows)?;
            }
        }
        Ok((batch, is_changed))
    }
}

/// Drops the rows that are not kept. Returns whether there are any.
fn drop_rows(batch: &mut RecordBatch, rows: &Rows) -> Result<bool, ArrowError> {
    if rows.kept().all(|is_kept| is_kept) {
        return Ok(false);
    }
    *batch = match rows.kept().any(|is_kept| is_kept) {
        true => filter_record_batch(batch, &rows.kept().map(Some).collect::<BooleanArray>())?,
        // The filter would drop the dictionaries, too, and a file has one dictionary of a column.
        false => batch.slice(0, 0),
    };
    Ok(true)
}

/// The results of a column, for comparing rows.
fn of_rows(results: &array::Results<'_>, rows: usize) -> ColumnResults {
    let mut column = ColumnResults::default();
    for row in 0..rows {
        if let Some(result) = results.of_row(row) {
            column.add(row as u64, result);
        }
    }
    column
}

/// A writer of the format of the input.
enum Writer<'s> {
    File(FileWriter<Output<'s>>),
    Stream(StreamWriter<Output<'s>>),
}

impl<'s> Writer<'s> {
    fn new(output: Output<'s>, schema: &Schema, batches: &Batches) -> Result<Self, ArrowError> {
        let options = IpcWriteOptions::default().try_with_compression(batches.compression)?;
        Ok(match &batches.metadata {
            None => Self::Stream(StreamWriter::try_new_with_options(output, schema, options)?),
            Some(metadata) => {
                let mut writer = FileWriter::try_new_with_options(output, schema, options)?;
                metadata.iter().for_each(|(key, value)| writer.write_metadata(key, value));
                Self::File(writer)
            }
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Self::File(writer) => writer.write(batch),
            // The reader of a pipe gets each batch at once.
            Self::Stream(writer) => writer.write(batch).and_then(|()| writer.flush()),
        }
    }

    fn finish(&mut self) -> Result<(), ArrowError> {
        match self {
            Self::File(writer) => writer.finish(),
            Self::Stream(writer) => writer.finish(),
        }
    }

    fn output(&mut self) -> &mut Output<'s> {
        match self {
            Self::File(writer) => writer.get_mut(),
            Self::Stream(writer) => writer.get_mut(),
        }
    }
}

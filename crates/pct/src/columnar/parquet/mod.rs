//! Apache Parquet.
//!
//! The format keeps values apart from the levels that say which are NULL, and where a list begins
//! or ends (the Dremel encoding). Only values change, so a selected column is read and written with
//! the levels of the file, however it is nested.
//!
//! Schema, metadata, compression and encodings are those of the file. So is the name of the writer:
//! readers decide by it which statistics of the copied columns are reliable.
#![forbid(unsafe_code)]

mod batch;
mod group;
mod positioned;
mod properties;
mod schema;

use std::io;
use std::sync::Arc;

use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::choice::{Column, choose, intern, new_name};
use super::input::{Content, Input, invalid};
use super::ordered::{self, caught};
use super::output::Output;
use super::{Destination, Task};
use crate::error::Error;
use crate::report::FileReport;
use crate::sink::Sink;
use group::Groups;
use positioned::Positioned;
use schema::Leaf;

pub(super) fn run(
    task: &Task<'_>,
    input: Input,
    destination: Destination<'_>,
    report: &mut FileReport,
) -> Result<bool, Error> {
    let name = report.name.clone();
    let unreadable = |error: io::Error| Error::Input(name.clone(), error);
    let Content::File(file) = input.content else { return Err(unreadable(invalid("expected a file"))) };
    let file = Arc::new(Positioned::new(file).map_err(unreadable)?);
    let metadata =
        caught(|| read_metadata(&file), ParquetError::General).map_err(|error| unreadable(invalid(said(&error))))?;
    let usage = |message| Error::Usage(format!("{name}: {message}"));
    let columns = columns(metadata.file_metadata().schema_descr());
    let chosen = choose(&columns, task.columns).map_err(usage)?;
    let mut leaves = Vec::new();
    for index in chosen {
        let Column { name, path, .. } = &columns[index];
        let descriptor = metadata.file_metadata().schema_descr().column(index);
        let new = match task.append {
            None => None,
            Some(_) if name != path || descriptor.max_rep_level() > 0 => {
                return Err(usage(format!(
                    "invalid column '{path}' for --append: expected a column that is not nested"
                )));
            }
            Some(suffix) => Some(new_name(&columns, name, suffix).map_err(usage)?),
        };
        leaves.push(Leaf { index, name: intern(path), is_text: is_text(&descriptor), new });
    }
    let names: Vec<_> = leaves.iter().map(|leaf| leaf.name).collect();
    let sink = destination.begin(task.delimiter, &names)?;
    let kept = kept_leaves(task, metadata.file_metadata().schema_descr(), &leaves);
    let schema = schema::of_output(metadata.file_metadata().schema_descr(), &leaves, &kept)
        .map_err(|error| unreadable(invalid(said(&error))))?;
    let groups = Groups {
        task,
        file,
        metadata: &metadata,
        schema: Arc::new(schema),
        leaves,
        writes: sink.is_some(),
        has_page_indexes: properties::has_page_indexes(&metadata),
        kept,
    };
    match sink {
        None => inspect(&groups, report),
        Some(sink) => rewrite(&groups, sink, report),
    }
    .map_err(|failure| failure.of(&name))
}

/// An error while groups are processed.
enum Failure {
    Parquet(ParquetError),
    /// Of the command: the limit of invalid rows, or an output that cannot be written.
    Command(Error),
}

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

impl Failure {
    fn of(self, name: &str) -> Error {
        match self {
            Self::Command(error) => error,
            Self::Parquet(error) => Error::Input(name.to_owned(), invalid(said(&error))),
        }
    }
}

/// The message of an error, in the words of the others.
fn said(error: &ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => format!("invalid Parquet file: {text}"),
        ParquetError::NYI(text) => format!("unsupported Parquet file: {text}"),
        others => others.to_string(),
    }
}

fn read_metadata(file: &Positioned) -> Result<ParquetMetaData, ParquetError> {
    // The statistics of encodings are copied, too.
    let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    let metadata = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Optional)
        .with_metadata_options(Some(options))
        .parse_and_finish(file)?;
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    if columns.any(|column| column.file_path().is_some()) {
        return Err(ParquetError::NYI("columns in other files".into()));
    }
    Ok(metadata)
}

/// The leaves of the schema.
fn columns(schema: &SchemaDescriptor) -> Vec<Column> {
    let column = |(index, descriptor): (usize, &Arc<ColumnDescriptor>)| Column {
        number: schema.get_column_root_idx(index),
        name: schema.get_column_root(index).name().to_owned(),
        path: descriptor.path().string(),
        is_supported: descriptor.physical_type() == Type::BYTE_ARRAY && !is_number(descriptor),
        kind: descriptor.physical_type().to_string(),
    };
    schema.columns().iter().enumerate().map(column).collect()
}

/// Whether bytes are a decimal number.
fn is_number(descriptor: &ColumnDescriptor) -> bool {
    matches!(descriptor.logical_type_ref(), Some(LogicalType::Decimal { .. }))
        || descriptor.converted_type() == ConvertedType::DECIMAL
}

fn is_text(descriptor: &ColumnDescriptor) -> bool {
    matches!(descriptor.logical_type_ref(), Some(LogicalType::String | LogicalType::Json | LogicalType::Enum))
        || matches!(descriptor.converted_type(), ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::ENUM)
}

/// Leaves of the input that the output has: with `--print-field`, the leaves of the selected
/// columns.
fn kept_leaves(task: &Task<'_>, schema: &SchemaDescriptor, leaves: &[Leaf]) -> Vec<usize> {
    let root = |leaf| schema.get_column_root_idx(leaf);
    let is_kept = |&index: &usize| !task.prints_field || leaves.iter().any(|leaf| root(leaf.index) == root(index));
    (0..schema.num_columns()).filter(is_kept).collect()
}

fn inspect(groups: &Groups<'_>, report: &mut FileReport) -> Result<bool, Failure> {
    let task = groups.task;
    let mut numbers = 0..groups.metadata.num_row_groups();
    ordered::run(
        task.threads().min(numbers.len()),
        || Ok(numbers.next()),
        |number| caught(|| groups.process(number), ParquetError::General).map_err(Failure::from),
        |mut group| {
            task.progress.advance(group.length);
            let invalid = std::mem::take(&mut group.invalid);
            invalid.report(group.rows, task, report).map_err(Failure::Command)?;
            groups.compare(&mut group).map_err(Failure::from)
        },
    )?;
    Ok(false)
}

fn rewrite(groups: &Groups<'_>, sink: &mut Sink, report: &mut FileReport) -> Result<bool, Failure> {
    let task = groups.task;
    let properties = Arc::new(properties::of_file(groups.metadata, &groups.leaves, &groups.kept));
    let output = Output::new(sink);
    let mut writer = caught(
        || SerializedFileWriter::new(output, groups.schema.root_schema_ptr(), properties),
        ParquetError::General,
    )?;
    let mut numbers = 0..groups.metadata.num_row_groups();
    let mut is_changed = groups.kept.len() < groups.metadata.file_metadata().schema_descr().num_columns();
    let result = ordered::run(
        task.threads().min(numbers.len()),
        || Ok(numbers.next()),
        |number| caught(|| groups.process(number), ParquetError::General).map_err(Failure::from),
        |mut group| {
            task.progress.advance(group.length);
            let invalid = std::mem::take(&mut group.invalid);
            invalid.report(group.rows, task, report).map_err(Failure::Command)?;
            caught(|| groups.compare(&mut group), ParquetError::General)?;
            is_changed |= group.is_changed;
            caught(|| groups.write(group, &mut writer), ParquetError::General).map_err(Failure::from)
        },
    );
    let result = result.and_then(|()| caught(|| writer.finish(), ParquetError::General).map_err(Failure::from));
    match writer.inner_mut().take_error() {
        Some(error) => Err(Failure::Command(error)),
        None => result.map(|_| is_changed || groups.leaves.iter().any(|leaf| leaf.new.is_some())),
    }
}

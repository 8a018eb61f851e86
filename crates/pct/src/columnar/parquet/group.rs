//! Row groups: the selected columns of one are read, processed and written to memory.
#![forbid(unsafe_code)]

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::Type;
use ::parquet::bloom_filter::Sbbf;
use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::column::writer::{ColumnCloseResult, ColumnWriterImpl};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96Type,
};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::page_index::column_index::ColumnIndexMetaData;
use ::parquet::file::page_index::offset_index::OffsetIndexMetaData;
use ::parquet::file::properties::WriterPropertiesPtr;
use ::parquet::file::serialized_reader::SerializedPageReader;
use ::parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use ::parquet::schema::types::SchemaDescriptor;
use bytes::Bytes;

use super::batch::Batch;
use super::positioned::Positioned;
use super::properties;
use super::schema::Leaf;
use crate::columnar::Task;
use crate::columnar::faults::InvalidRows;
use crate::columnar::rows::{ColumnResults, KeyedRows, Results, Rows};
use crate::columnar::value::Converter;
use crate::operation::Filter;

/// The row groups of a file, and what to do with them. Shared by all threads.
pub(super) struct Groups<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) file: Arc<Positioned>,
    pub(super) metadata: &'a ParquetMetaData,
    /// The schema of the output.
    pub(super) schema: Arc<SchemaDescriptor>,
    pub(super) leaves: Vec<Leaf>,
    /// Whether there is an output.
    pub(super) writes: bool,
    /// [`properties::has_page_indexes`].
    pub(super) has_page_indexes: bool,
    /// Of each leaf of the output, its number in the input. New leaves follow.
    pub(super) kept: Vec<usize>,
}

/// A processed row group.
pub(super) struct Group {
    number: usize,
    /// Number of rows of the input.
    pub(super) rows: u64,
    /// Length of the columns in the file.
    pub(super) length: u64,
    /// Chunks that replace or follow those of the file, by the number of their leaf.
    chunks: Vec<(usize, Chunk)>,
    pub(super) invalid: InvalidRows,
    pub(super) is_changed: bool,
    /// Whether rows are left.
    has_rows: bool,
    /// Rows that are compared with all that precede them, before the group is written.
    compared: Option<(Rows, KeyedRows)>,
}

/// A column chunk in memory.
struct Chunk {
    bytes: Bytes,
    close: ColumnCloseResult,
    is_changed: bool,
}

impl Groups<'_> {
    pub(super) fn process(&self, number: usize) -> Result<Group> {
        let plan = self.task.plan;
        let columns = self.metadata.row_group(number);
        let rows = u64::try_from(columns.num_rows()).map_err(|_| ParquetError::General("number of rows".into()))?;
        // With a filter, rows are known only after all columns.
        let writes_all = self.writes && plan.filter == Filter::All && plan.seen.is_none();
        let properties = Arc::new(properties::of_group(self.metadata, number, &self.leaves));
        let (mut invalid, mut results, mut chunks) = (InvalidRows::default(), Results::default(), Vec::new());
        for leaf in &self.leaves {
            let Converted { chunk, invalid: found, results: of_column } = match writes_all {
                true => self.convert(number, leaf, &properties, None)?,
                false => self.inspect(number, leaf)?,
            };
            invalid.merge(found);
            results.push(of_column);
            chunks.extend(chunk.map(|chunk| (self.target(leaf), chunk)));
        }
        let length = columns.columns().iter().map(|column| column.compressed_size().max(0).cast_unsigned()).sum();
        let has_rows = rows > 0;
        let mut group = Group { number, rows, length, chunks, invalid, is_changed: false, has_rows, compared: None };
        let judged = group.invalid.judge(rows, plan);
        match (judged, plan.seen) {
            (Some(judged), Some(seen)) => {
                let keyed = results.keyed(&judged, self.task, seen);
                group.compared = Some((judged, keyed));
            }
            // Seldom without a filter: everything is read once more, now that the rows are known.
            (Some(judged), None) if self.writes => self.rewrite(&mut group, &judged)?,
            _ => group.retain_changed(),
        }
        Ok(group)
    }

    /// Compares the rows with the rows of all groups before, if rows are compared.
    pub(super) fn compare(&self, group: &mut Group) -> Result<()> {
        let (Some((mut rows, keyed)), Some(seen)) = (group.compared.take(), self.task.plan.seen) else { return Ok(()) };
        keyed.compare(seen, &mut rows);
        if self.writes { self.rewrite(group, &rows) } else { Ok(()) }
    }

    /// Makes the chunks of a group of which not all rows are written as they are converted.
    fn rewrite(&self, group: &mut Group, rows: &Rows) -> Result<()> {
        let properties = Arc::new(properties::of_group(self.metadata, group.number, &self.leaves));
        group.chunks.clear();
        if rows.kept().all(|is_kept| is_kept) {
            for leaf in self.converted_leaves() {
                let converted = self.convert(group.number, leaf, &properties, Some(rows))?;
                group.chunks.extend(converted.chunk.map(|chunk| (self.target(leaf), chunk)));
            }
        } else {
            group.has_rows = rows.kept().any(|is_kept| is_kept);
            if group.has_rows {
                group.chunks = self.without(group.number, &properties, rows)?;
            }
        }
        group.retain_changed();
        Ok(())
    }

    /// The selected leaves, unless their values are written as they are in the file.
    fn converted_leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.leaves.iter().filter(|_| !self.task.keeps_values())
    }

    /// Writes a processed row group. Columns without a new chunk are copied.
    pub(super) fn write<W: Write + Send>(&self, group: Group, writer: &mut SerializedFileWriter<W>) -> Result<()> {
        if !group.has_rows {
            return Ok(());
        }
        let columns = self.metadata.row_group(group.number);
        let mut chunks = group.chunks;
        let mut output = writer.next_row_group()?;
        for index in 0..self.schema.num_columns() {
            if let Some(at) = chunks.iter().position(|&(leaf, _)| leaf == index) {
                let (_, chunk) = chunks.swap_remove(at);
                output.append_column(&chunk.bytes, chunk.close)?;
            } else {
                let index = self.kept[index];
                let column = columns.columns().get(index);
                let column = column.ok_or_else(|| ParquetError::General("a row group lacks a column".into()))?;
                let close = ColumnCloseResult {
                    bytes_written: column.compressed_size().max(0).cast_unsigned(),
                    rows_written: group.rows,
                    metadata: column.clone(),
                    bloom_filter: Sbbf::read_from_column_chunk(column, &*self.file)?,
                    column_index: self.column_index(group.number, index),
                    offset_index: self.offset_index(group.number, index),
                };
                output.append_column(&*self.file, close)?;
            }
        }
        output.close()?;
        Ok(())
    }

    fn column_index(&self, group: usize, leaf: usize) -> Option<ColumnIndexMetaData> {
        let index = self.metadata.column_index()?.get(group)?.get(leaf)?;
        (self.has_page_indexes && !matches!(index, ColumnIndexMetaData::NONE)).then(|| index.clone())
    }

    fn offset_index(&self, group: usize, leaf: usize) -> Option<OffsetIndexMetaData> {
        let index = self.metadata.offset_index()?.get(group)?.get(leaf)?;
        self.has_page_indexes.then(|| index.clone())
    }

    /// Number of the leaf of the output that has the result for a leaf.
    fn target(&self, leaf: &Leaf) -> usize {
        let is_new = |target: &usize| Some(self.schema.column(*target).name()) == leaf.new.as_deref();
        let new = (self.kept.len()..self.schema.num_columns()).find(is_new);
        new.or_else(|| self.kept.iter().position(|&index| index == leaf.index)).unwrap_or(leaf.index)
    }

    fn conversion<'a>(&'a self, leaf: &'a Leaf) -> Conversion<'a> {
        let plan = self.task.plan;
        Conversion {
            converter: Converter::new(self.task.operation, leaf.is_text, plan.filter),
            leaf,
            keeps_values: plan.observer.is_some(),
            compares: plan.seen.is_some(),
            converted: Converted::default(),
            is_changed: leaf.new.is_some(),
        }
    }

    /// Applies the operation to a column of a group, without output.
    fn inspect(&self, group: usize, leaf: &Leaf) -> Result<Converted> {
        let (mut reader, mut batch) = self.leaf(group, leaf)?;
        let mut conversion = self.conversion(leaf);
        while batch.read(&mut reader)? {
            conversion.apply(&mut batch, None);
        }
        Ok(conversion.converted)
    }

    fn leaf(&self, group: usize, leaf: &Leaf) -> Result<(ColumnReaderImpl<ByteArrayType>, Batch<ByteArray>)> {
        let reader = self.reader::<ByteArrayType>(group, leaf.index)?;
        let column = self.metadata.row_group(group).column(leaf.index).column_descr_ptr();
        Ok((reader, Batch::new(&column)))
    }

    /// Converts a column of a group: all rows, or the rows that are kept and not skipped.
    fn convert(
        &self,
        group: usize,
        leaf: &Leaf,
        properties: &WriterPropertiesPtr,
        rows: Option<&Rows>,
    ) -> Result<Converted> {
        let (mut reader, mut batch) = self.leaf(group, leaf)?;
        let mut conversion = self.conversion(leaf);
        let is_kept = |row| rows.is_none_or(|rows| rows.is_kept(row));
        let is_skipped = |row| rows.is_some_and(|rows| rows.is_skipped(row));
        let chunk = self.chunk(self.target(leaf), properties, |writer| {
            while batch.read(&mut reader)? {
                conversion.apply(&mut batch, rows);
                if leaf.new.is_some() {
                    batch.make_optional(is_skipped, is_kept);
                    batch.write_optional::<ByteArrayType>(writer)?;
                } else {
                    batch.retain(is_kept);
                    batch.write::<ByteArrayType>(writer)?;
                }
            }
            Ok(())
        })?;
        let chunk = Chunk { is_changed: conversion.is_changed, ..chunk };
        Ok(Converted { chunk: Some(chunk), ..conversion.converted })
    }

    /// All columns of a group without the rows that are not kept.
    fn without(&self, group: usize, properties: &WriterPropertiesPtr, rows: &Rows) -> Result<Vec<(usize, Chunk)>> {
        let mut chunks = Vec::new();
        for leaf in self.converted_leaves() {
            let converted = self.convert(group, leaf, properties, Some(rows))?;
            chunks.extend(converted.chunk.map(|chunk| (self.target(leaf), chunk)));
        }
        for (target, &index) in self.kept.iter().enumerate() {
            if chunks.iter().any(|&(leaf, _)| leaf == target) {
                continue;
            }
            let leaf = (index, target);
            let chunk = match self.metadata.row_group(group).column(index).column_type() {
                Type::BOOLEAN => self.filter::<BoolType>(group, leaf, properties, rows),
                Type::INT32 => self.filter::<Int32Type>(group, leaf, properties, rows),
                Type::INT64 => self.filter::<Int64Type>(group, leaf, properties, rows),
                Type::INT96 => self.filter::<Int96Type>(group, leaf, properties, rows),
                Type::FLOAT => self.filter::<FloatType>(group, leaf, properties, rows),
                Type::DOUBLE => self.filter::<DoubleType>(group, leaf, properties, rows),
                Type::BYTE_ARRAY => self.filter::<ByteArrayType>(group, leaf, properties, rows),
                Type::FIXED_LEN_BYTE_ARRAY => self.filter::<FixedLenByteArrayType>(group, leaf, properties, rows),
            }?;
            chunks.push((target, chunk));
        }
        chunks.iter_mut().for_each(|(_, chunk)| chunk.is_changed = true);
        Ok(chunks)
    }

    fn filter<T: DataType>(
        &self,
        group: usize,
        (leaf, target): (usize, usize),
        properties: &WriterPropertiesPtr,
        rows: &Rows,
    ) -> Result<Chunk> {
        let mut reader = self.reader::<T>(group, leaf)?;
        let mut batch = Batch::new(self.metadata.row_group(group).column(leaf).column_descr());
        self.chunk(target, properties, |writer: &mut ColumnWriterImpl<'_, T>| {
            while batch.read(&mut reader)? {
                batch.retain(|row| rows.is_kept(row));
                batch.write::<T>(writer)?;
            }
            Ok(())
        })
    }

    fn reader<T: DataType>(&self, group: usize, leaf: usize) -> Result<ColumnReaderImpl<T>> {
        let group = self.metadata.row_group(group);
        let rows = usize::try_from(group.num_rows()).map_err(|_| ParquetError::General("number of rows".into()))?;
        let column = group.column(leaf);
        let pages = SerializedPageReader::new(Arc::clone(&self.file), column, rows, None)?;
        Ok(ColumnReaderImpl::new(column.column_descr_ptr(), Box::new(pages)))
    }

    /// A chunk of what `write` writes.
    fn chunk<T: DataType>(
        &self,
        leaf: usize,
        properties: &WriterPropertiesPtr,
        write: impl FnOnce(&mut ColumnWriterImpl<'_, T>) -> Result<()>,
    ) -> Result<Chunk> {
        let mut buffer = TrackedWrite::new(Vec::new());
        let pages = SerializedPageWriter::new(&mut buffer);
        let mut writer = ColumnWriterImpl::<T>::new(self.schema.column(leaf), Arc::clone(properties), Box::new(pages));
        write(&mut writer)?;
        let close = writer.close()?;
        Ok(Chunk { bytes: buffer.into_inner()?.into(), close, is_changed: false })
    }
}

impl Group {
    /// Column chunks in which nothing changes are copied.
    fn retain_changed(&mut self) {
        self.chunks.retain(|(_, chunk)| chunk.is_changed);
        self.is_changed = !self.chunks.is_empty() || (self.rows > 0 && !self.has_rows);
    }
}

/// A converted column.
#[derive(Default)]
struct Converted {
    /// `None` if there is no output.
    chunk: Option<Chunk>,
    invalid: InvalidRows,
    /// If rows are compared: the results.
    results: ColumnResults,
}

/// The conversion of a column.
struct Conversion<'a> {
    converter: Converter<'a>,
    leaf: &'a Leaf,
    /// Whether the values of invalid rows are kept for an observer.
    keeps_values: bool,
    /// Whether rows are compared.
    compares: bool,
    converted: Converted,
    is_changed: bool,
}

impl Conversion<'_> {
    /// Converts the values of a batch, of the rows that are kept and not skipped.
    fn apply(&mut self, batch: &mut Batch<ByteArray>, rows: Option<&Rows>) {
        let rows_of_values = batch.rows();
        // Results are parts of one buffer: a value of its own memory each would take longer.
        let mut output = Vec::new();
        let mut changed: Vec<(usize, Range<usize>)> = Vec::new();
        for (at, (value, &row)) in batch.values.iter().zip(&rows_of_values).enumerate() {
            if rows.is_some_and(|rows| rows.is_skipped(row) || !rows.is_kept(row)) {
                continue;
            }
            let start = output.len();
            let (is_changed, fault) = self.converter.apply(value.data(), &mut output);
            if self.compares && rows.is_none() {
                let result = if is_changed { &output[start..] } else { value.data() };
                self.converted.results.add(row, result);
            }
            if is_changed {
                changed.push((at, start..output.len()));
            }
            if let Some(fault) = fault {
                let kept = if self.keeps_values { value.data() } else { b"" };
                self.converted.invalid.note(row, self.leaf.name, fault, kept);
            }
        }
        self.is_changed |= !changed.is_empty();
        let output = Bytes::from(output);
        for (at, range) in changed {
            batch.values[at] = output.slice(range).into();
        }
    }
}

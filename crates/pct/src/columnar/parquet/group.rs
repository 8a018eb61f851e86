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
use crate::columnar::value::Converter;
use crate::record::Policy;

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
}

/// A column chunk in memory.
struct Chunk {
    bytes: Bytes,
    close: ColumnCloseResult,
    is_changed: bool,
}

/// Rows with a special treatment.
#[derive(Clone, Copy)]
enum Except<'r> {
    None,
    /// Their values are not converted.
    Skipped(&'r [u64]),
    /// They are removed.
    Dropped(&'r [u64]),
}

impl Groups<'_> {
    pub(super) fn process(&self, number: usize) -> Result<Group> {
        let columns = self.metadata.row_group(number);
        let rows = u64::try_from(columns.num_rows()).map_err(|_| ParquetError::General("number of rows".into()))?;
        let properties = Arc::new(properties::of_group(self.metadata, number, &self.leaves));
        let mut invalid = InvalidRows::default();
        let mut chunks = Vec::new();
        for leaf in &self.leaves {
            let (chunk, found) = self.convert(number, leaf, &properties, Except::None)?;
            invalid.merge(found);
            chunks.extend(chunk.map(|chunk| (leaf, chunk)));
        }
        let mut has_rows = rows > 0;
        let mut chunks: Vec<_> = chunks.into_iter().map(|(leaf, chunk)| (self.target(leaf), chunk)).collect();
        if self.writes && !invalid.is_empty() {
            // Seldom: everything is read once more, now that the rows are known.
            match self.task.plan.policy {
                Policy::Skip => {
                    let except = invalid.rows();
                    chunks.clear();
                    for leaf in &self.leaves {
                        let (chunk, _) = self.convert(number, leaf, &properties, Except::Skipped(&except))?;
                        chunks.extend(chunk.map(|chunk| (self.target(leaf), chunk)));
                    }
                }
                Policy::Drop => {
                    let except = invalid.rows();
                    has_rows = (except.len() as u64) < rows;
                    chunks = if has_rows { self.without(number, &properties, &except)? } else { Vec::new() };
                }
                Policy::Keep | Policy::Replace | Policy::Fail => {}
            }
        }
        // Column chunks in which nothing changes are copied.
        chunks.retain(|(_, chunk)| chunk.is_changed);
        let is_changed = !chunks.is_empty() || (rows > 0 && !has_rows);
        let length = columns.columns().iter().map(|column| column.compressed_size().max(0).cast_unsigned()).sum();
        Ok(Group { number, rows, length, chunks, invalid, is_changed, has_rows })
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
        let new = (self.metadata.file_metadata().schema_descr().num_columns()..self.schema.num_columns()).find(is_new);
        new.unwrap_or(leaf.index)
    }

    /// Converts a column of a group. Returns no chunk if there is no output.
    fn convert(
        &self,
        group: usize,
        leaf: &Leaf,
        properties: &WriterPropertiesPtr,
        except: Except<'_>,
    ) -> Result<(Option<Chunk>, InvalidRows)> {
        let mut reader = self.reader::<ByteArrayType>(group, leaf.index)?;
        let column = self.metadata.row_group(group).column(leaf.index).column_descr_ptr();
        let mut batch = Batch::new(&column);
        let mut conversion = Conversion {
            converter: Converter::new(self.task.operation, leaf.is_text),
            leaf,
            keeps_values: self.task.plan.observer.is_some(),
            invalid: InvalidRows::default(),
            is_changed: leaf.new.is_some(),
        };
        if !self.writes {
            while batch.read(&mut reader)? {
                conversion.apply(&mut batch, except);
            }
            return Ok((None, conversion.invalid));
        }
        let chunk = self.chunk(self.target(leaf), properties, |writer| {
            while batch.read(&mut reader)? {
                conversion.apply(&mut batch, except);
                if leaf.new.is_some() {
                    match except {
                        Except::None => batch.make_optional(&[]),
                        Except::Skipped(rows) => batch.make_optional(rows),
                        Except::Dropped(rows) => {
                            batch.remove(rows);
                            batch.make_optional(&[]);
                        }
                    }
                    batch.write_optional::<ByteArrayType>(writer)?;
                } else {
                    if let Except::Dropped(rows) = except {
                        batch.remove(rows);
                    }
                    batch.write::<ByteArrayType>(writer)?;
                }
            }
            Ok(())
        })?;
        Ok((Some(Chunk { is_changed: conversion.is_changed, ..chunk }), conversion.invalid))
    }

    /// All columns of a group without some of its rows.
    fn without(&self, group: usize, properties: &WriterPropertiesPtr, rows: &[u64]) -> Result<Vec<(usize, Chunk)>> {
        let mut chunks = Vec::new();
        for leaf in &self.leaves {
            let (chunk, _) = self.convert(group, leaf, properties, Except::Dropped(rows))?;
            chunks.extend(chunk.map(|chunk| (self.target(leaf), chunk)));
        }
        for (index, column) in self.metadata.row_group(group).columns().iter().enumerate() {
            if chunks.iter().any(|&(leaf, _)| leaf == index) {
                continue;
            }
            let chunk = match column.column_type() {
                Type::BOOLEAN => self.filter::<BoolType>(group, index, properties, rows),
                Type::INT32 => self.filter::<Int32Type>(group, index, properties, rows),
                Type::INT64 => self.filter::<Int64Type>(group, index, properties, rows),
                Type::INT96 => self.filter::<Int96Type>(group, index, properties, rows),
                Type::FLOAT => self.filter::<FloatType>(group, index, properties, rows),
                Type::DOUBLE => self.filter::<DoubleType>(group, index, properties, rows),
                Type::BYTE_ARRAY => self.filter::<ByteArrayType>(group, index, properties, rows),
                Type::FIXED_LEN_BYTE_ARRAY => self.filter::<FixedLenByteArrayType>(group, index, properties, rows),
            }?;
            chunks.push((index, chunk));
        }
        chunks.iter_mut().for_each(|(_, chunk)| chunk.is_changed = true);
        Ok(chunks)
    }

    fn filter<T: DataType>(
        &self,
        group: usize,
        leaf: usize,
        properties: &WriterPropertiesPtr,
        rows: &[u64],
    ) -> Result<Chunk> {
        let mut reader = self.reader::<T>(group, leaf)?;
        let mut batch = Batch::new(self.metadata.row_group(group).column(leaf).column_descr());
        self.chunk(leaf, properties, |writer: &mut ColumnWriterImpl<'_, T>| {
            while batch.read(&mut reader)? {
                batch.remove(rows);
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

/// The conversion of a column.
struct Conversion<'a> {
    converter: Converter<'a>,
    leaf: &'a Leaf,
    /// Whether the values of invalid rows are kept for an observer.
    keeps_values: bool,
    invalid: InvalidRows,
    is_changed: bool,
}

impl Conversion<'_> {
    /// Converts the values of a batch.
    fn apply(&mut self, batch: &mut Batch<ByteArray>, except: Except<'_>) {
        let rows = batch.rows();
        // Results are parts of one buffer: a value of its own memory each would take longer.
        let mut output = Vec::new();
        let mut changed: Vec<(usize, Range<usize>)> = Vec::new();
        for (at, (value, &row)) in batch.values.iter().zip(&rows).enumerate() {
            if let Except::Skipped(rows) | Except::Dropped(rows) = except
                && rows.binary_search(&row).is_ok()
            {
                continue;
            }
            let start = output.len();
            let (is_changed, fault) = self.converter.apply(value.data(), &mut output);
            if is_changed {
                changed.push((at, start..output.len()));
            }
            if let Some(fault) = fault {
                let kept = if self.keeps_values { value.data() } else { b"" };
                self.invalid.note(row, self.leaf.name, fault, kept);
            }
        }
        self.is_changed |= !changed.is_empty();
        let output = Bytes::from(output);
        for (at, range) in changed {
            batch.values[at] = output.slice(range).into();
        }
    }
}

//! Rows of one column: values, and levels.
#![forbid(unsafe_code)]

use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::column::writer::ColumnWriterImpl;
use ::parquet::data_type::DataType;
use ::parquet::errors::Result;
use ::parquet::schema::types::ColumnDescriptor;

/// Rows that are read at once.
const ROWS: usize = 4096;

pub(super) struct Batch<T> {
    /// The values that are not NULL.
    pub(super) values: Vec<T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// Maximum definition level and repetition level. If one is 0, levels of that kind are neither
    /// read nor written.
    max_definition: i16,
    max_repetition: i16,
    /// Number of the first row in its group, and of rows.
    first: u64,
    rows: u64,
}

impl<T> Batch<T> {
    pub(super) fn new(column: &ColumnDescriptor) -> Self {
        let (values, definitions, repetitions, first, rows) = Default::default();
        let (max_definition, max_repetition) = (column.max_def_level(), column.max_rep_level());
        Self { values, definitions, repetitions, max_definition, max_repetition, first, rows }
    }

    /// Reads the next rows. False at the end.
    pub(super) fn read<D: DataType<T = T>>(&mut self, reader: &mut ColumnReaderImpl<D>) -> Result<bool> {
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.first += self.rows;
        let definitions = (self.max_definition > 0).then_some(&mut self.definitions);
        let repetitions = (self.max_repetition > 0).then_some(&mut self.repetitions);
        let (rows, _, levels) = reader.read_records(ROWS, definitions, repetitions, &mut self.values)?;
        self.rows = rows as u64;
        Ok(rows > 0 || levels > 0)
    }

    pub(super) fn write<D: DataType<T = T>>(&self, writer: &mut ColumnWriterImpl<'_, D>) -> Result<()> {
        if self.levels() > 0 {
            let definitions = (self.max_definition > 0).then_some(&self.definitions[..]);
            let repetitions = (self.max_repetition > 0).then_some(&self.repetitions[..]);
            writer.write_batch(&self.values, definitions, repetitions)?;
        }
        Ok(())
    }

    fn levels(&self) -> usize {
        if self.max_definition > 0 {
            self.definitions.len()
        } else if self.max_repetition > 0 {
            self.repetitions.len()
        } else {
            self.values.len()
        }
    }

    /// The row of each level, and whether it has a value.
    fn each_level(&self) -> impl Iterator<Item = (u64, bool)> + use<'_, T> {
        let mut next = self.first;
        (0..self.levels()).map(move |level| {
            if self.repetitions.get(level).is_none_or(|&repetition| repetition == 0) {
                next += 1;
            }
            let is_value = self.definitions.get(level).is_none_or(|&definition| definition == self.max_definition);
            (next.saturating_sub(1), is_value)
        })
    }

    /// The row of each value.
    pub(super) fn rows(&self) -> Vec<u64> {
        self.each_level().filter(|&(_, is_value)| is_value).map(|(row, _)| row).collect()
    }

    /// Removes the rows that are not kept.
    pub(super) fn retain(&mut self, is_kept: impl Fn(u64) -> bool) {
        let levels: Vec<_> = self.each_level().map(|(row, value)| (is_kept(row), value)).collect();
        if levels.iter().all(|&(is_kept, _)| is_kept) {
            return;
        }
        let mut values = levels.iter().filter(|&&(_, is_value)| is_value).map(|&(is_kept, _)| is_kept);
        self.values.retain(|_| values.next().unwrap_or(true));
        for kind in [&mut self.definitions, &mut self.repetitions] {
            let mut levels = levels.iter().map(|&(is_kept, _)| is_kept);
            kind.retain(|_| levels.next().unwrap_or(true));
        }
    }

    /// Makes some rows NULL, in a column that is not nested, and removes the rows that are not
    /// kept. The column is optional from now on.
    pub(super) fn make_optional(&mut self, is_null: impl Fn(u64) -> bool, is_kept: impl Fn(u64) -> bool) {
        let levels = self.each_level().map(|(row, value)| (!is_null(row) && is_kept(row), value));
        let rows: Vec<_> = self.each_level().map(|(row, _)| is_kept(row)).collect();
        let levels: Vec<_> = levels.collect();
        let mut values = levels.iter().filter(|&&(_, is_value)| is_value).map(|&(is_kept, _)| is_kept);
        self.values.retain(|_| values.next().unwrap_or(true));
        let definitions = levels.iter().map(|&(is_kept, is_value)| i16::from(is_kept && is_value));
        self.definitions = definitions.zip(rows).filter(|&(_, is_kept)| is_kept).map(|(level, _)| level).collect();
    }

    /// The batch as one of a column with other levels, for writing.
    pub(super) fn write_optional<D: DataType<T = T>>(&self, writer: &mut ColumnWriterImpl<'_, D>) -> Result<()> {
        if !self.definitions.is_empty() {
            writer.write_batch(&self.values, Some(&self.definitions), None)?;
        }
        Ok(())
    }
}

//! Rows of a row group or a record batch: which rows are written, and their results for comparing
//! them.
#![forbid(unsafe_code)]

use super::Task;
use crate::format::{COUNT, FieldWriter};
use crate::record::Written;
use crate::unique::{By, Secret, Seen, key};

/// The fate of each row of a group.
#[derive(Clone, Debug)]
pub(super) struct Rows(Vec<Written>);

impl Rows {
    pub(super) fn new(written: Vec<Written>) -> Self {
        Self(written)
    }

    pub(super) fn is_kept(&self, row: u64) -> bool {
        self.get(row) != Written::Nothing
    }

    /// Whether the row is kept, and its values are not converted.
    pub(super) fn is_skipped(&self, row: u64) -> bool {
        self.get(row) == Written::Record
    }

    fn get(&self, row: u64) -> Written {
        let row = usize::try_from(row).ok();
        row.and_then(|row| self.0.get(row)).copied().unwrap_or(Written::Output)
    }

    /// Numbers of the skipped rows, in order.
    pub(super) fn skipped(&self) -> Vec<u64> {
        (0..self.0.len() as u64).filter(|&row| self.is_skipped(row)).collect()
    }

    pub(super) fn kept(&self) -> impl Iterator<Item = bool> {
        self.0.iter().map(|&written| written != Written::Nothing)
    }
}

/// The results for the selected columns of a group.
#[derive(Debug, Default)]
pub(super) struct Results(Vec<ColumnResults>);

/// The results for the values of a column that are not NULL.
#[derive(Debug, Default)]
pub(super) struct ColumnResults {
    text: Vec<u8>,
    /// The ends of the results in the text.
    ends: Vec<usize>,
    /// Rows with a value, and the end of their results in the list of ends.
    cells: Vec<(u64, usize)>,
}

impl ColumnResults {
    /// Adds a result, in the order of the rows.
    pub(super) fn add(&mut self, row: u64, result: &[u8]) {
        self.text.extend_from_slice(result);
        self.ends.push(self.text.len());
        match self.cells.last_mut() {
            Some((last, end)) if *last == row => *end += 1,
            _ => self.cells.push((row, self.ends.len())),
        }
    }

    /// The results of a row. `next` is the next cell.
    fn of_row(&self, row: usize, next: &mut usize) -> impl Iterator<Item = &[u8]> + Clone + use<'_> {
        let before = |at: usize, ends: &dyn Fn(usize) -> usize| at.checked_sub(1).map_or(0, ends);
        let results = match self.cells.get(*next) {
            Some(&(of, end)) if of == row as u64 => {
                let start = before(*next, &|cell| self.cells[cell].1);
                *next += 1;
                start..end
            }
            _ => 0..0,
        };
        results.map(move |at| &self.text[before(at, &|result| self.ends[result])..self.ends[at]])
    }
}

impl Results {
    /// Adds a column after the others.
    pub(super) fn push(&mut self, column: ColumnResults) {
        self.0.push(column);
    }

    /// The keys of the rows that are written, and their outputs.
    pub(super) fn keyed(&self, rows: &Rows, task: &Task<'_>, seen: &Seen) -> KeyedRows {
        let writer = FieldWriter::new(task.delimiter);
        let mut keyed = KeyedRows::default();
        let mut next = vec![0; self.0.len()];
        for (row, &written) in rows.0.iter().enumerate() {
            let cells: Vec<_> = self.0.iter().zip(&mut next).map(|(column, next)| column.of_row(row, next)).collect();
            if written == Written::Nothing {
                continue;
            }
            let start = keyed.outputs.len();
            let has_result = written == Written::Output && cells.iter().any(|cell| cell.clone().next().is_some());
            let key = has_result.then(|| match seen.comparison.by {
                By::Fields | By::FieldsOfOutput => of_fields(&cells, seen.secret),
                By::Output => {
                    let mut line = writer.row(&mut keyed.outputs);
                    // In a list, there is a space between the results.
                    cells.iter().for_each(|cell| line.push(&cell.clone().collect::<Vec<_>>().join(&b' '), false));
                    key::begin(seen.secret);
                    let key = key::take().map(|key| key.of_output(&keyed.outputs[start..]));
                    keyed.outputs.push(b'\n');
                    key
                }
            });
            keyed.rows.push((row, key.flatten(), keyed.outputs.len()));
        }
        keyed
    }
}

/// The key of the results of several columns. If each column has one, a record of CSV with these
/// results has the same key.
fn of_fields<'c>(cells: &[impl Iterator<Item = &'c [u8]> + Clone], secret: Secret) -> Option<u128> {
    for cell in cells {
        let number = cell.clone().count();
        if number != 1 {
            key::add_number(secret, number as u64);
        }
        cell.clone().for_each(|result| key::add(secret, result));
    }
    key::take().map(key::Key::of_fields)
}

/// Rows with their keys. They are compared in their order.
#[derive(Debug, Default)]
pub(super) struct KeyedRows {
    /// Rows that are written, their keys, and the ends of their outputs.
    rows: Vec<(usize, Option<u128>, usize)>,
    outputs: Vec<u8>,
}

impl KeyedRows {
    /// Compares the rows with all that precede them. In `rows`, drops the rows that are not written
    /// now.
    pub(super) fn compare(&self, seen: &Seen, rows: &mut Rows) {
        let mut start = 0;
        for &(row, key, end) in &self.rows {
            if !seen.keeps(key, &self.outputs[start..end]) {
                rows.0[row] = Written::Nothing;
            }
            start = end;
        }
    }
}

/// The header of counts.
pub(super) fn header(delimiter: u8, names: &[&str]) -> Vec<u8> {
    let mut header = Vec::new();
    let writer = FieldWriter::new(delimiter);
    let mut row = writer.row(&mut header);
    row.push(COUNT, false);
    names.iter().for_each(|name| row.push(name.as_bytes(), false));
    row.end();
    header.push(b'\n');
    header
}

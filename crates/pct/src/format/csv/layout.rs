//! What the first record determines for the others: names and number of columns.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock};

use super::fields::FieldReader;
use super::names::{columns_of, explained, listed};
use super::records::{Records, is_empty};
use crate::format::{Columns, Destination, Outputs};
use crate::operation::split_ending;
use crate::source::Scanner;

/// The selected columns: a list, or names in the header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Chosen {
    Numbers(Columns),
    Names(Vec<String>),
}

/// What the first record determines for the others.
pub(super) struct Layout {
    /// The names of the columns, if there is a header.
    pub(super) header: Option<Vec<Vec<u8>>>,
    /// The selected columns.
    pub(super) columns: Columns,
    /// Number of fields.
    pub(super) width: usize,
    /// The names of the new columns, if there is a header.
    pub(super) new_names: Vec<Vec<u8>>,
    /// Whether the header is written: the input is the first of its output.
    pub(super) writes_header: bool,
}

impl Layout {
    /// Names of the selected columns, if there is a header.
    pub(super) fn names(&self) -> impl Iterator<Item = &Vec<u8>> {
        let is_selected = |&(column, _): &(usize, &Vec<u8>)| self.columns.contains(column);
        self.header.iter().flatten().enumerate().filter(is_selected).map(|(_, name)| name)
    }

    /// Names of the columns with the results for the selected ones: the same, or each with these
    /// suffixes.
    pub(super) fn result_names<'l>(&'l self, row: &'l [String]) -> impl Iterator<Item = Vec<u8>> + 'l {
        self.names().flat_map(|name| {
            let alone = row.is_empty().then(|| name.clone());
            alone.into_iter().chain(row.iter().map(|suffix| [name, suffix.as_bytes()].concat()))
        })
    }

    /// Checks that the names of new columns are distinct, and not in the header.
    fn check_new_names(&self) -> Result<(), String> {
        let mut names: Vec<_> = self.header.iter().flatten().collect();
        for new in &self.new_names {
            if names.contains(&new) {
                let new = String::from_utf8_lossy(new);
                return Err(format!("invalid new column '{new}': expected a name that the header does not have"));
            }
            names.push(new);
        }
        Ok(())
    }

    /// Checks that the header equals that of the first input.
    fn check_header(&self, first: &Self) -> Result<(), String> {
        match (&self.header, &first.header) {
            (Some(found), Some(expected)) if found != expected => {
                Err(format!("invalid header {}: expected {}, as in the first file", listed(found), listed(expected)))
            }
            _ => Ok(()),
        }
    }
}

/// Learns the layouts of inputs from their first records. Shared by all threads.
pub(super) struct Layouts {
    delimiter: u8,
    chosen: Chosen,
    /// Whether the first record is a header.
    has_header: bool,
    destination: Destination,
    /// [`Operation::row`](crate::operation::Operation::row).
    row: Vec<String>,
    outputs: Outputs,
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    /// Layout of the first input of the output.
    first: Option<Arc<Layout>>,
    /// Layout of the current input, once its first record is known.
    current: Option<Arc<Layout>>,
}

impl Layouts {
    pub(super) fn new(
        delimiter: u8,
        chosen: Chosen,
        has_header: bool,
        destination: Destination,
        row: &[String],
        outputs: Outputs,
    ) -> Self {
        let row = row.to_vec();
        let has_header = has_header || matches!(chosen, Chosen::Names(_));
        Self { delimiter, chosen, has_header, destination, row, outputs, known: RwLock::default() }
    }

    /// Whether the first record is needed to transform the others.
    pub(super) fn need_first_record(&self) -> bool {
        self.has_header || self.destination.is_column()
    }

    /// The layout of the current input; `None` if all its lines so far were empty.
    pub(super) fn current(&self) -> Option<Arc<Layout>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).current.clone()
    }

    /// Learns the layout from a block of records, unless it is known. `is_first` is true for the
    /// first block of an input.
    pub(super) fn learn(&self, is_first: bool, records: &[u8]) -> Result<(), String> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if is_first {
            known.current = None;
            if self.outputs == Outputs::Each {
                known.first = None;
            }
        }
        if known.current.is_some() || (self.has_header && !is_first) {
            return Ok(());
        }
        let learned = match &known.first {
            // Without headers, the other inputs need not match.
            Some(first) if !self.has_header => first.clone(),
            first => {
                let Some(learned) = self.layout_of(records)? else { return Ok(()) };
                match first {
                    None => learned.check_new_names()?,
                    Some(first) => learned.check_header(first)?,
                }
                Arc::new(Layout { writes_header: first.is_none(), ..learned })
            }
        };
        known.first.get_or_insert_with(|| learned.clone());
        known.current = Some(learned);
        Ok(())
    }

    /// The layout that the first of these records determines; `None` if all lines are empty.
    fn layout_of(&self, records: &[u8]) -> Result<Option<Layout>, String> {
        let Some(first) = self.first_record(records) else { return Ok(None) };
        let mut names = Vec::new();
        FieldReader::new(self.delimiter).each(first, |field| {
            names.push(field.text.to_vec());
            ControlFlow::Continue(())
        });
        let columns = match &self.chosen {
            Chosen::Numbers(columns) => columns.clone(),
            Chosen::Names(chosen) => {
                let columns = chosen.iter().map(|name| columns_of(name, &names)).collect::<Result<Vec<_>, _>>();
                let columns = columns.map_err(|message| explained(message, first, &names, self.delimiter))?;
                Columns::of(columns.into_iter().flatten())
            }
        };
        let width = names.len();
        if self.need_first_record() {
            let record = if self.has_header { "header" } else { "first record" };
            columns.check(width).map_err(|message| format!("{message}, as in the {record}"))?;
        }
        let header = self.has_header.then_some(names);
        let layout = Layout { header, columns, width, new_names: Vec::new(), writes_header: true };
        let new_names = match self.destination.column() {
            Some(_) if !self.row.is_empty() => layout.result_names(&self.row).collect(),
            Some(new) => layout.names().map(|name| new.of_bytes(name)).collect(),
            None => Vec::new(),
        };
        Ok(Some(Layout { new_names, ..layout }))
    }

    /// The first record without its end; `None` if all lines are empty.
    fn first_record<'r>(&self, records: &'r [u8]) -> Option<&'r [u8]> {
        let mut rest = records;
        let mut scanner = Records::new(self.delimiter);
        loop {
            let (record, others) = rest.split_at(scanner.first_end(rest).unwrap_or(rest.len()));
            // The first line is the header, even if empty.
            if self.has_header || !is_empty(record) {
                return Some(split_ending(record, b'\n').0);
            }
            if others.is_empty() {
                return None;
            }
            rest = others;
        }
    }
}

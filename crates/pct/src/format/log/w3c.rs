//! The W3C extended log format: IIS, Amazon CloudFront. The directive `#Fields:` names the fields
//! of the lines after it, which a tab or a space separates.
//!
//! A log may have several directives, each in any block. So the names are read in input order, by
//! [`look_ahead`](W3c::look_ahead), and each block begins with those of the blocks before it.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memchr::memchr;
use memchr::memmem::{self, Finder};

use super::chosen::Chosen;
use super::{Field, Layout};

pub(super) const DIRECTIVE: &str = "#Fields:";

pub(super) struct W3c {
    chosen: Chosen,
    /// The fields until the first directive.
    initial: Arc<Names>,
    state: Mutex<State>,
    /// Finds a directive that does not begin a block.
    directive: Finder<'static>,
}

#[derive(Default)]
struct State {
    /// Each block that begins with other fields than the block before it: its number, and the
    /// fields.
    changes: Vec<(u64, Arc<Names>)>,
    /// Whether there was a line, and the names of all directives.
    has_lines: bool,
    seen: Vec<Arc<Names>>,
}

/// The names of fields.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn of(text: &str) -> Self {
        Self(text.split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// The names of a directive, if the line is one.
    fn of_line(line: &[u8]) -> Option<Self> {
        let names = line.strip_prefix(DIRECTIVE.as_bytes())?;
        Some(Self::of(&String::from_utf8_lossy(names)))
    }
}

impl W3c {
    pub(super) fn new(chosen: Chosen, initial: Names) -> Self {
        let directive = Finder::new("\n#Fields:");
        Self { chosen, initial: Arc::new(initial), state: Mutex::default(), directive }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the directives of a block. Called for each block, in input order.
    pub(super) fn look_ahead(&self, number: u64, records: &[u8]) {
        let mut state = self.state();
        if number == 0 {
            state.changes = vec![(0, self.initial.clone())];
        }
        state.has_lines |= !records.is_empty();
        let first = records.starts_with(DIRECTIVE.as_bytes()).then_some(0);
        let others = self.directive.find_iter(records).map(|at| at + 1);
        for start in first.into_iter().chain(others) {
            let Some(names) = Names::of_line(line_at(records, start)).map(Arc::new) else { continue };
            if !state.seen.contains(&names) {
                state.seen.push(names.clone());
            }
            if state.changes.last().is_none_or(|(_, last)| *last != names) {
                // Of several changes in a block, only the last concerns the next one.
                state.changes.retain(|&(at, _)| at != number + 1);
                state.changes.push((number + 1, names));
            }
        }
    }

    /// The layout at the start of a block.
    pub(super) fn block(&self, number: u64) -> Block<'_> {
        let state = self.state();
        let names = state.changes.iter().rfind(|&&(at, _)| at <= number).map_or(&self.initial, |(_, names)| names);
        Block { chosen: &self.chosen, fields: RefCell::new(Fields::of(names, &self.chosen)) }
    }

    /// Warnings about chosen names that no directive had.
    pub(super) fn unmatched(&self) -> Vec<String> {
        let state = self.state();
        if !state.has_lines {
            return Vec::new();
        }
        let names = state.seen.iter().chain([&self.initial]).flat_map(|names| &names.0);
        let missing = self.chosen.missing_in(&names.collect::<Vec<_>>());
        missing.iter().map(|name| format!("no record has field '{name}'")).collect()
    }
}

/// The line that begins at `start`, without its end.
fn line_at(records: &[u8], start: usize) -> &[u8] {
    let line = &records[start..];
    let line = &line[..memchr(b'\n', line).unwrap_or(line.len())];
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The lines of a block, which are passed in order.
pub(super) struct Block<'w> {
    chosen: &'w Chosen,
    fields: RefCell<Fields>,
}

/// The selected fields of a line.
struct Fields {
    /// Their numbers, in order, and their names.
    columns: Vec<(usize, String)>,
}

impl Fields {
    fn of(names: &Names, chosen: &Chosen) -> Self {
        let columns = names.0.iter().enumerate().filter(|(_, name)| chosen.contains(name));
        Self { columns: columns.map(|(column, name)| (column, name.clone())).collect() }
    }
}

/// The delimiter of a line: a tab, if there is one.
fn delimiter(line: &[u8]) -> u8 {
    if memchr(b'\t', line).is_some() { b'\t' } else { b' ' }
}

impl Layout for Block<'_> {
    fn find(&self, line: &[u8], mut each: impl FnMut(Field)) -> bool {
        if line.starts_with(b"#") {
            if let Some(names) = Names::of_line(line_at(line, 0)) {
                *self.fields.borrow_mut() = Fields::of(&names, self.chosen);
            }
            return true;
        }
        let fields = self.fields.borrow();
        if fields.columns.is_empty() {
            return false;
        }
        let line = line_at(line, 0);
        let delimiter = delimiter(line);
        // Start of the next field, and its number.
        let (mut start, mut number) = (Some(0), 0);
        for &(column, _) in &fields.columns {
            loop {
                let Some(at) = start else { return false };
                let rest = &line[at..];
                let quoted = quoted_len(rest, delimiter);
                let length = quoted.or_else(|| memchr(delimiter, rest)).unwrap_or(rest.len());
                start = (length < rest.len()).then_some(at + length + 1);
                number += 1;
                if number > column {
                    let quote = usize::from(quoted.is_some());
                    each(Field { range: at + quote..at + length - quote, is_quoted: quote == 1 });
                    break;
                }
            }
        }
        true
    }

    fn width(&self) -> usize {
        self.fields.borrow().columns.len()
    }

    fn message(&self) -> &'static str {
        if self.fields.borrow().columns.is_empty() { "no directive has named the fields" } else { "too few fields" }
    }

    fn delimiter(&self, line: &[u8]) -> Option<u8> {
        Some(delimiter(line))
    }

    fn directive(&self, line: &[u8], suffix: &str) -> Option<String> {
        if !line.starts_with(b"#") {
            return None;
        }
        self.find(line, |_| {});
        let mut names = String::new();
        if line.starts_with(DIRECTIVE.as_bytes()) {
            for (_, name) in &self.fields.borrow().columns {
                // Writing to a String does not fail.
                let _ = write!(names, " {name}{suffix}");
            }
        }
        Some(names)
    }
}

/// The length of the field in quotes at the start of a text. A quote in it is doubled.
fn quoted_len(text: &[u8], delimiter: u8) -> Option<usize> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at += memmem::find(&text[at..], b"\"")? + 1;
        match text.get(at) {
            None => return Some(at),
            Some(&byte) if byte == delimiter => return Some(at),
            // Of two quotes, neither ends the field.
            Some(b'"') => at += 1,
            Some(_) => return None,
        }
    }
}

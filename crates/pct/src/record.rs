//! Result of one block: its output, its findings, and what becomes of its invalid records.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use clap::ValueEnum;

use crate::operation::{Fault, FaultKind, Filter, split_ending};
use crate::report::Tally;
use crate::unique::{By, Comparison, Keyed, key};

/// What becomes of an invalid record. The comments of the variants are help texts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Policy {
    /// Keep malformed '%' and invalid UTF-8, and process the rest
    #[default]
    Keep,
    /// Like keep, but replace invalid UTF-8 by U+FFFD
    Replace,
    /// Remove the record
    Drop,
    /// Write the record unchanged
    Skip,
    /// Stop at the record, report its position, and exit with code 1
    Fail,
}

/// State of one thread for the current block. Buffers are reused from block to block.
pub(crate) struct Job {
    policy: Policy,
    filter: Filter,
    /// Number of invalid records that are allowed.
    limit: u64,
    /// Whether the block is the first of its input.
    pub(crate) is_first: bool,
    /// Number of the block in its input, from 0.
    pub(crate) number: u64,
    pub(crate) output: Vec<u8>,
    /// Buffer for results that do not go to the end of the output.
    pub(crate) scratch: Vec<u8>,
    /// Faults of a batch of records, before they are counted.
    pub(crate) faults: Vec<Fault>,
    pub(crate) tally: Tally,
    /// The fault that exceeded the limit, with its position in the block. Nothing after that record
    /// is processed.
    pub(crate) stop: Option<Fault>,
    /// If records are compared: how, and the keys of the output's records.
    pub(crate) keyed: Option<Comparing>,
}

/// The records of an output that have a key.
pub(crate) struct Comparing {
    comparison: Comparison,
    /// The byte that ends a record.
    ending: Option<u8>,
    pub(crate) records: Vec<Keyed>,
}

/// The fate of a record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Written {
    /// Its output is written.
    Output,
    /// It is written unchanged, because it is skipped.
    Record,
    Nothing,
}

impl Written {
    /// The fate of a record with this fault or note, if the limit allows it.
    #[inline]
    pub(crate) fn of(policy: Policy, filter: Filter, fault: Option<&Fault>) -> Self {
        let is_written = match fault {
            Some(fault) if !fault.kind.is_note() => match filter {
                Filter::All | Filter::Invalid => true,
                // A skipped record is not changed.
                Filter::Changed => fault.is_selected && policy != Policy::Skip,
                Filter::Matching => fault.is_selected,
                Filter::Valid => false,
            },
            Some(note) => note.kind != FaultKind::NoRecord && (note.is_selected || filter.has_unchanged()),
            None => filter.has_unchanged(),
        };
        match (policy, fault) {
            _ if !is_written => Self::Nothing,
            (Policy::Drop, Some(fault)) if !fault.kind.is_note() => Self::Nothing,
            (Policy::Skip, Some(fault)) if !fault.kind.is_note() => Self::Record,
            _ => Self::Output,
        }
    }
}

impl Job {
    pub(crate) fn new(policy: Policy, names_all: bool) -> Self {
        Self {
            policy,
            filter: Filter::All,
            limit: 0,
            is_first: false,
            number: 0,
            output: Vec::new(),
            scratch: Vec::new(),
            faults: Vec::new(),
            tally: Tally::new(names_all),
            stop: None,
            keyed: None,
        }
    }

    /// Notes the key of each record. `ending` is the byte that ends a record.
    pub(crate) fn comparing(self, comparison: Option<Comparison>, ending: Option<u8>) -> Self {
        let keyed = comparison.map(|comparison| Comparing { comparison, ending, records: Vec::new() });
        Self { keyed, ..self }
    }

    /// Writes only these records.
    pub(crate) fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Whether all records are written, but for invalid ones.
    pub(crate) fn writes_all(&self) -> bool {
        self.filter == Filter::All
    }

    /// Whether runs of unchanged records can be passed to [`unchanged`](Self::unchanged): the
    /// format copies them as they are (`is_copied`), or the filter drops them.
    pub(crate) fn takes_runs(&self, is_copied: bool) -> bool {
        is_copied || !self.filter.has_unchanged()
    }

    /// Writes records that are valid and need no change, unless they are filtered out.
    pub(crate) fn unchanged(&mut self, records: &[u8]) {
        if self.filter.has_unchanged() && self.keyed.as_ref().is_none_or(|keyed| keyed.comparison.keeps_keyless) {
            self.output.extend_from_slice(records);
        }
    }

    /// Resets the state for the next block.
    pub(crate) fn begin(&mut self, limit: u64, is_first: bool) {
        self.limit = limit;
        self.is_first = is_first;
        self.output.clear();
        self.tally.clear();
        self.stop = None;
        self.keyed.iter_mut().for_each(|keyed| keyed.records.clear());
    }

    /// Whether faults of up to `records` more records are only counted: the policy keeps such
    /// records, and the limit allows them.
    pub(crate) fn only_counts(&self, records: usize) -> bool {
        let is_kept = matches!(self.policy, Policy::Keep | Policy::Replace | Policy::Fail);
        is_kept && self.limit - self.tally.faults() >= records as u64
    }

    /// Counts `faults`, whose positions are relative to `offset` in the block.
    pub(crate) fn count(&mut self, offset: usize) {
        for fault in self.faults.drain(..) {
            self.tally.note(fault.shifted_by(offset));
        }
    }

    /// Processes the record at `offset` in the block: appends the output of `apply`, unless that
    /// finds a fault and the policy requires something else. Breaks if the limit is exceeded.
    #[inline]
    pub(crate) fn record(
        &mut self,
        record: &[u8],
        offset: usize,
        apply: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>) -> Option<Fault>,
    ) -> ControlFlow<()> {
        let before = self.output.len();
        let fault = apply(&mut self.output, &mut self.scratch).map(|fault| fault.shifted_by(offset));
        if self.keyed.is_some() {
            return self.keyed_record(record, before, fault);
        }
        match fault {
            None => {
                if !self.filter.has_unchanged() {
                    self.output.truncate(before);
                }
                ControlFlow::Continue(())
            }
            Some(fault) if fault.kind.is_note() => {
                self.noted(before, fault);
                ControlFlow::Continue(())
            }
            Some(fault) => self.handle_fault(record, before, fault).map_continue(|_| ()),
        }
    }

    /// Counts a note on a record that is valid.
    fn noted(&mut self, before: usize, note: Fault) -> Written {
        self.tally.note(note);
        let written = Written::of(self.policy, self.filter, Some(&note));
        if written == Written::Nothing {
            self.output.truncate(before);
        }
        written
    }

    /// Notes the key of a record that is written.
    #[inline(never)]
    fn keyed_record(&mut self, record: &[u8], before: usize, fault: Option<Fault>) -> ControlFlow<()> {
        let key = key::take();
        let written = match fault {
            None => Written::of(self.policy, self.filter, None),
            Some(note) if note.kind.is_note() => self.noted(before, note),
            Some(fault) => self.handle_fault(record, before, fault)?,
        };
        let Some(Comparing { comparison, ending, records }) = &mut self.keyed else { return ControlFlow::Continue(()) };
        // A record that is not processed has no key. Directives have no fields, but the records
        // after them may depend on them.
        let is_directive = key.is_none() && fault.is_some_and(|fault| fault.kind == FaultKind::Selected);
        let key = key.filter(|_| written == Written::Output);
        let is_kept = key.is_some() || comparison.keeps_keyless || is_directive;
        if written == Written::Nothing || !is_kept {
            self.output.truncate(before);
            return ControlFlow::Continue(());
        }
        if comparison.by == By::Fields {
            self.output.truncate(before);
            self.output.extend_from_slice(record);
        }
        if let Some(key) = key {
            let output = &self.output[before..];
            let key = match (comparison.by, *ending) {
                (By::Fields | By::FieldsOfOutput, _) => key.of_fields(),
                (By::Output, None) => key.of_output(output),
                (By::Output, Some(ending)) => key.of_output(split_ending(output, ending).0),
            };
            records.push(Keyed { start: before, end: self.output.len(), key });
        }
        ControlFlow::Continue(())
    }

    #[cold]
    fn handle_fault(&mut self, record: &[u8], before: usize, fault: Fault) -> ControlFlow<(), Written> {
        self.tally.note(fault);
        if self.tally.faults() > self.limit {
            self.output.truncate(before);
            self.stop = Some(fault);
            return ControlFlow::Break(());
        }
        let written = Written::of(self.policy, self.filter, Some(&fault));
        match written {
            Written::Output => {}
            Written::Nothing => self.output.truncate(before),
            Written::Record => {
                self.output.truncate(before);
                self.output.extend_from_slice(record);
            }
        }
        ControlFlow::Continue(written)
    }
}

//! `--jsonl`: a JSON value in each line. The strings at the selected keys are fields. `--cdxj`: the
//! same after a prefix.
//!
//! Everything else is copied byte for byte, and so is a string that the operation does not change.
//! With `--print-field`, a line has only the results, without quotes: one cell for each key. The
//! strings are found by [`model`] if possible, else by serde_json in [`parse`], which decides
//! whether a line is JSON. Both find the same strings.
#![forbid(unsafe_code)]

mod found;
mod keys;
mod layout;
mod model;
mod output;
mod parse;
mod scan;
mod selection;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use simdpct::ByteSet;

pub(crate) use keys::KeyPath;
pub(crate) use layout::JsonLayout;
pub(crate) use output::IN_CELLS;

use super::passthrough::{NextTrigger, UnchangedRecords, group_end};
use super::{Destination, Format};
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::record::Job;
use crate::source::{self, Separated};
use found::Escapes;
use model::Scanner;
use output::Output;
use parse::parse;
use selection::Selection;

/// Control characters but the line feed, with which lines end.
const CONTROLS: ByteSet = ByteSet::range(0, 0x1F).without(b'\n');

/// Bytes that a plain line does not have.
const NOT_PLAIN: ByteSet = CONTROLS.with(b'\\');

pub(crate) struct JsonLines {
    selection: Selection,
    layout: JsonLayout,
    has_records: AtomicBool,
    /// [`Operation::triggers`].
    triggers: Option<ByteSet>,
    /// Escapes that do not stand for a trigger byte.
    skippable_escapes: Escapes,
    output: Output,
}

impl JsonLines {
    pub(crate) fn new(
        paths: &[KeyPath],
        layout: JsonLayout,
        operation: Box<dyn Operation>,
        destination: Destination,
    ) -> Self {
        let triggers = operation.triggers();
        Self {
            selection: Selection::of(paths),
            layout,
            has_records: AtomicBool::new(false),
            triggers,
            skippable_escapes: Escapes::without_triggers(triggers),
            output: Output { operation, destination },
        }
    }

    /// Transforms one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut pass_on = |kind, position| {
            if !self.output.destination.is_alone() {
                output.extend_from_slice(line);
            }
            Some(Fault::new(kind, position))
        };
        let Ok(text) = simdutf8::compat::from_utf8(line) else {
            return pass_on(
                FaultKind::NotUtf8,
                str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len),
            );
        };
        if self.layout.is_directive(line) {
            if self.output.destination.is_alone() {
                return Some(Fault::new(FaultKind::NoRecord, 0));
            }
            output.extend_from_slice(line);
            return Some(Fault::selected());
        }
        if text.trim_ascii().is_empty() {
            output.extend_from_slice(line);
            return None;
        }
        let Some(start) = self.layout.start(line) else { return pass_on(FaultKind::Format(self.layout.expected()), 0) };
        match parse(&text[start..], &self.selection.tree, self.output.destination.column()) {
            Ok(found) => {
                self.selection.note(&found);
                self.output.line(text, &found, &self.selection, output)
            }
            Err(error) => {
                let position = start + error.column().saturating_sub(1);
                pass_on(FaultKind::Format(self.layout.expected()), position.min(line.len()))
            }
        }
    }

    /// Transforms lines of well-formed UTF-8, which start at `offset` in the block.
    fn transform_text<'l, 'n>(
        &'n self,
        lines: &'l str,
        offset: usize,
        scanner: &mut Scanner<'l, 'n>,
        job: &mut Job,
    ) -> ControlFlow<()> {
        let bytes = lines.as_bytes();
        let mut not_plain = NextTrigger::default();
        let triggers = self.triggers.filter(|_| job.takes_runs(self.output.destination.is_field()));
        let mut unchanged = UnchangedRecords::of_text(bytes, triggers);
        // Start of the lines to copy.
        let mut run = 0;
        each_line(bytes, |line, start| {
            let (text, ending) = split_ending(line, b'\n');
            let end = start + text.len();
            let text = &lines[start..end];
            let found = self.layout.start(text.as_bytes()).and_then(|prefix| {
                let json = &text[prefix..];
                let is_plain = !not_plain.is_in(&NOT_PLAIN, bytes, start + prefix, end);
                let is_usual = is_plain || CONTROLS.find(json.as_bytes()).is_none();
                if is_usual && !self.layout.is_directive(text.as_bytes()) { scanner.find(json, is_plain) } else { None }
            });
            if let Some(found) = found {
                self.selection.note(found);
                if unchanged.is_unchanged(start, end)
                    && found.iter().all(|found| found.escapes <= self.skippable_escapes)
                {
                    return ControlFlow::Continue(());
                }
            }
            job.unchanged(&bytes[run..start]);
            run = start + line.len();
            job.record(line, offset + start, |output, _| {
                let fault = match found {
                    Some(found) => self.output.line(text, found, &self.selection, output),
                    None => self.line(text.as_bytes(), output),
                };
                output.extend_from_slice(ending);
                fault
            })
        })?;
        job.unchanged(&bytes[run..]);
        ControlFlow::Continue(())
    }

    /// Transforms lines of any bytes, which start at `offset` in the block.
    fn transform_bytes(&self, lines: &[u8], offset: usize, job: &mut Job) -> ControlFlow<()> {
        each_line(lines, |line, start| {
            let (text, ending) = split_ending(line, b'\n');
            job.record(line, offset + start, |output, _| {
                let fault = self.line(text, output);
                output.extend_from_slice(ending);
                fault
            })
        })
    }
}

impl Format for JsonLines {
    fn scanner(&self) -> Box<dyn source::Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        self.has_records.store(true, Ordering::Relaxed);
        let mut scanner = Scanner::new(&self.selection.tree, self.output.destination.column());
        let mut start = 0;
        while start < records.len() {
            let end = group_end(records, start);
            let lines = &records[start..end];
            let done = match simdutf8::basic::from_utf8(lines) {
                Ok(lines) => self.transform_text(lines, start, &mut scanner, job),
                Err(_) => self.transform_bytes(lines, start, job),
            };
            // A break is recorded in the job.
            if done.is_break() {
                return;
            }
            start = end;
        }
    }

    fn misread(&self, records: &[u8]) -> Option<String> {
        self.layout.misread(records).map(str::to_owned)
    }

    fn unmatched(&self) -> Vec<String> {
        if !self.has_records.load(Ordering::Relaxed) {
            return Vec::new();
        }
        self.selection.unmatched().map(|path| format!("no record has a string at key '{path}'")).collect()
    }
}

/// Calls `each` with every line, including its end, and its offset.
fn each_line(records: &[u8], mut each: impl FnMut(&[u8], usize) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut start = 0;
    while start < records.len() {
        let end = memchr(b'\n', &records[start..]).map_or(records.len(), |at| start + at + 1);
        each(&records[start..end], start)?;
        start = end;
    }
    ControlFlow::Continue(())
}

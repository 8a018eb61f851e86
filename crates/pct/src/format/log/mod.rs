//! `--log`: access logs, whose lines have fields between fixed text.
//!
//! A layout finds the selected fields of a line, such as the request target and the referer. A line
//! without some of them counts as invalid; those that precede the gap are still processed.
//!
//! Quotes in quoted fields are escaped, as `\"` (Apache httpd) or `\x22` (nginx), so the first
//! unescaped quote ends a field.
#![forbid(unsafe_code)]

mod access;
mod chosen;
mod name;
mod template;
mod w3c;

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};
use simdpct::ByteSet;

pub(crate) use name::{LogFormat, LogParser};

use super::passthrough::transform_lines;
use super::{ColumnName, Destination, Format};
use crate::operation::{Fault, FaultKind, Operation, Recipe, split_ending};
use crate::record::Job;
use crate::source::{Scanner, Separated};
use access::Access;
use template::Template;
use w3c::W3c;

/// Bytes that stay escaped in a quoted field: those that end or escape it, and those that logs
/// escape.
pub(crate) const IN_QUOTES: ByteSet = ByteSet::range(0, 0x1F).with(0x7F).with(b'"').with(b'\\');

/// Bytes that stay escaped in the request target: also the space, which ends it.
pub(crate) const IN_REQUEST: ByteSet = IN_QUOTES.with(b' ');

/// Bytes that stay escaped if only the results are written, with tabs between them.
const IN_RESULTS: ByteSet = ByteSet::new(b"\t\n\r");

/// Which fields of a line are selected.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LogFields<'n> {
    /// Those with these names, or if there are none, those for URLs and parts of them.
    All(&'n [String]),
    /// Those for targets of requests.
    Targets,
    /// Those for the queries of targets.
    Queries,
}

pub(crate) struct Log {
    lines: Lines,
    /// For fields that a space or another delimiter ends, such as the target in the request.
    in_request: Box<dyn Operation>,
    /// For whole fields in quotes.
    in_quotes: Box<dyn Operation>,
    destination: Destination,
}

/// The layout of lines.
enum Lines {
    Access(Access),
    Template(Template),
    W3c(W3c),
}

/// A selected field of a line.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Field {
    range: Range<usize>,
    /// Whether only a quote ends it.
    is_quoted: bool,
}

/// Finds the selected fields of lines. Lines are passed in order.
trait Layout {
    /// Calls `each` with the selected fields of a line in order, up to the first that is missing.
    /// Returns whether none is.
    fn find(&self, line: &[u8], each: impl FnMut(Field)) -> bool;

    /// The number of selected fields.
    fn width(&self) -> usize;

    /// The message about a line without some field.
    fn message(&self) -> &'static str;

    /// The delimiter of new columns, if they are not in quotes.
    fn delimiter(&self, _line: &[u8]) -> Option<u8> {
        None
    }

    /// If the line is a directive, such as `#Fields:`: the text to append to it with `--append`,
    /// possibly empty. `None` for a line with fields.
    fn directive(&self, _line: &[u8], _suffix: &str) -> Option<String> {
        None
    }
}

impl Log {
    /// The error is a message about the names of fields.
    pub(crate) fn new(
        format: &LogFormat,
        fields: LogFields<'_>,
        destination: Destination,
        recipe: &Recipe<'_>,
    ) -> Result<Self, String> {
        let lines = format.lines(fields)?;
        let delimiters = match &lines {
            Lines::Template(template) => template.delimiters(),
            Lines::Access(_) | Lines::W3c(_) => ByteSet::EMPTY,
        };
        let is_in_quotes = destination.is_column() && !matches!(lines, Lines::W3c(_));
        let [in_request, in_quotes] = match fields {
            _ if destination.is_alone() => [IN_RESULTS; 2],
            // A part of a target is a column of its own.
            LogFields::Targets if is_in_quotes => [IN_QUOTES; 2],
            _ => [IN_REQUEST.union(delimiters), IN_QUOTES],
        };
        let in_request = recipe(in_request);
        let width = match &lines {
            Lines::Access(access) => access.width(),
            Lines::Template(template) => template.width(),
            Lines::W3c(_) => 1,
        };
        if width > 1 && !in_request.row().is_empty() {
            return Err("invalid --as csv: expected --log-field with a single field".into());
        }
        Ok(Self { lines, in_request, in_quotes: recipe(in_quotes), destination })
    }

    /// Suffix of the names of new columns.
    fn suffix(&self) -> &str {
        match self.destination.column() {
            Some(ColumnName::Suffix(suffix)) => suffix,
            _ => "",
        }
    }

    fn operation(&self, field: &Field) -> &dyn Operation {
        if field.is_quoted { &*self.in_quotes } else { &*self.in_request }
    }

    /// Transforms one line without its end.
    fn line(&self, layout: &impl Layout, line: &[u8], output: &mut Vec<u8>, appended: &mut Vec<u8>) -> Option<Fault> {
        if let Some(names) = layout.directive(line, self.suffix()) {
            if self.destination.is_alone() {
                return Some(Fault::new(FaultKind::NoRecord, 0));
            }
            output.extend_from_slice(line);
            if self.destination.is_column() {
                output.extend_from_slice(names.as_bytes());
            }
            return Some(Fault::selected());
        }
        let delimiter = layout.delimiter(line);
        let mut done = 0;
        let mut fault = None;
        let mut count = 0;
        appended.clear();
        let is_whole = layout.find(line, |field| {
            count += 1;
            let text = &line[field.range.clone()];
            let found = match self.destination {
                Destination::Field => {
                    output.extend_from_slice(&line[done..field.range.start]);
                    done = field.range.end;
                    self.operation(&field).apply(text, output)
                }
                Destination::Column(_) => {
                    open_column(delimiter, field.is_quoted, appended);
                    let found = self.operation(&field).apply(text, appended);
                    close_column(delimiter, field.is_quoted, appended);
                    found
                }
                Destination::Alone | Destination::Counted => {
                    if count > 1 {
                        output.push(b'\t');
                    }
                    self.operation(&field).apply(text, output)
                }
            };
            fault = Fault::first(fault.take(), found.map(|found| found.shifted_by(field.range.start)));
        });
        if self.destination.is_alone() {
            output.extend((count.max(1)..layout.width()).map(|_| b'\t'));
        } else {
            output.extend_from_slice(&line[done..]);
        }
        if is_whole {
            output.extend_from_slice(appended);
            return fault;
        }
        if self.destination.is_column() && count > 0 {
            for _ in count..layout.width() {
                open_column(delimiter, false, appended);
                appended.push(b'-');
                close_column(delimiter, false, appended);
            }
            output.extend_from_slice(appended);
        }
        Fault::first(Some(Fault::new(FaultKind::Format(layout.message()), 0)), fault)
    }

    fn transform_with(&self, layout: &impl Layout, records: &[u8], job: &mut Job) {
        // Both operations are of the same kind, so they need the same bytes, unless a delimiter
        // changes that.
        let triggers = self.in_request.triggers().zip(self.in_quotes.triggers()).map(|(one, other)| one.union(other));
        let triggers = triggers.filter(|_| job.takes_runs(self.destination.is_field()));
        // Directives are written even if other lines without trigger bytes are not.
        let are_all_written = job.writes_all();
        let is_directive = |line: &[u8]| layout.directive(split_ending(line, b'\n').0, "").is_some();
        let is_line = |line: &[u8]| layout.find(line, |_| {}) && (are_all_written || !is_directive(line));
        transform_lines(records, b'\n', triggers, job, is_line, |text, output, appended| {
            self.line(layout, text, output, appended)
        });
    }
}

/// Begins a new column: after a delimiter, or in quotes after a space.
fn open_column(delimiter: Option<u8>, is_quoted: bool, output: &mut Vec<u8>) {
    output.push(delimiter.unwrap_or(b' '));
    if delimiter.is_none() || is_quoted {
        output.push(b'"');
    }
}

fn close_column(delimiter: Option<u8>, is_quoted: bool, output: &mut Vec<u8>) {
    if delimiter.is_none() || is_quoted {
        output.push(b'"');
    }
}

/// The range of the target in a request, `method target protocol`. A malformed request is logged as
/// received: then all of it after the first space is the target, or all of it.
#[inline]
fn target(request: &[u8]) -> Range<usize> {
    let start = memchr(b' ', request).map_or(0, |at| at + 1);
    let is_end = |&at: &usize| at >= start && request[at + 1..].starts_with(b"HTTP/");
    start..memrchr(b' ', request).filter(is_end).unwrap_or(request.len())
}

/// The first unescaped quote.
#[inline]
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let at = start + memchr2(b'"', b'\\', &text[start..])?;
        if text[at] == b'"' {
            return Some(at);
        }
        start = at + 2;
        if start > text.len() {
            return None;
        }
    }
}

impl Format for Log {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(b'\n'))
    }

    fn look_ahead(&self, number: u64, records: &[u8]) {
        if let Lines::W3c(w3c) = &self.lines {
            w3c.look_ahead(number, records);
        }
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        match &self.lines {
            Lines::Access(access) => self.transform_with(access, records, job),
            Lines::Template(template) => self.transform_with(template, records, job),
            Lines::W3c(w3c) => self.transform_with(&w3c.block(job.number), records, job),
        }
    }

    fn unmatched(&self) -> Vec<String> {
        match &self.lines {
            Lines::W3c(w3c) => w3c.unmatched(),
            Lines::Access(_) | Lines::Template(_) => Vec::new(),
        }
    }
}

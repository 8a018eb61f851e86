//! `--log`: access logs, whose lines have fields between fixed text.
//!
//! A layout finds the selected fields of a line, such as the request target and the referer. A line
//! without some of them counts as invalid; those that precede the gap are still processed.
//!
//! Quotes in quoted fields are escaped, as `\"` (Apache httpd) or `\x22` (nginx), so the first
//! unescaped quote ends a field.
#![forbid(unsafe_code)]

mod access;
mod name;
mod template;
mod w3c;

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};
use simdpct::ByteSet;

pub(crate) use name::{LogFormat, LogParser};

use super::Format;
use super::passthrough::transform_lines;
use crate::operation::{Fault, FaultKind, Operation, Recipe};
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

pub(crate) struct Log {
    lines: Lines,
    /// For fields that a space or another delimiter ends, such as the target in the request.
    in_request: Box<dyn Operation>,
    /// For whole fields in quotes.
    in_quotes: Box<dyn Operation>,
    /// With `--append`: suffix of the names of new columns.
    append: Option<&'static str>,
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
    fn problem(&self) -> &'static str;

    /// The delimiter of new columns, if they are not in quotes.
    fn delimiter(&self, _line: &[u8]) -> Option<u8> {
        None
    }

    /// Whether a line has no fields, such as the names of fields, and with `--append` what follows it.
    fn directive(&self, _line: &[u8], _suffix: &str) -> Option<String> {
        None
    }
}

impl Log {
    /// With names of fields, these are selected. The error is a message about the names.
    pub(crate) fn new(
        format: &LogFormat,
        names: &[String],
        append: Option<&'static str>,
        recipe: &Recipe<'_>,
    ) -> Result<Self, String> {
        let lines = format.lines(names)?;
        let delimiters = match &lines {
            Lines::Template(template) => template.delimiters(),
            Lines::Access(_) | Lines::W3c(_) => ByteSet::EMPTY,
        };
        Ok(Self { lines, in_request: recipe(IN_REQUEST.union(delimiters)), in_quotes: recipe(IN_QUOTES), append })
    }

    fn operation(&self, field: &Field) -> &dyn Operation {
        if field.is_quoted { &*self.in_quotes } else { &*self.in_request }
    }

    /// Transforms one line without its end.
    fn line(&self, layout: &impl Layout, line: &[u8], output: &mut Vec<u8>, appended: &mut Vec<u8>) -> Option<Fault> {
        if let Some(names) = layout.directive(line, self.append.unwrap_or_default()) {
            output.extend_from_slice(line);
            if self.append.is_some() {
                output.extend_from_slice(names.as_bytes());
            }
            return None;
        }
        let delimiter = layout.delimiter(line);
        let mut done = 0;
        let mut fault = None;
        let mut count = 0;
        appended.clear();
        let is_whole = layout.find(line, |field| {
            count += 1;
            let text = &line[field.range.clone()];
            let found = if self.append.is_some() {
                open_column(delimiter, field.is_quoted, appended);
                let found = self.operation(&field).apply(text, appended);
                close_column(delimiter, field.is_quoted, appended);
                found
            } else {
                output.extend_from_slice(&line[done..field.range.start]);
                done = field.range.end;
                self.operation(&field).apply(text, output)
            };
            fault = Fault::first(fault.take(), found.map(|found| found.shifted_by(field.range.start)));
        });
        output.extend_from_slice(&line[done..]);
        if is_whole {
            output.extend_from_slice(appended);
            return fault;
        }
        if self.append.is_some() && count > 0 {
            for _ in count..layout.width() {
                open_column(delimiter, false, appended);
                appended.push(b'-');
                close_column(delimiter, false, appended);
            }
            output.extend_from_slice(appended);
        }
        Fault::first(Some(Fault::new(FaultKind::Format(layout.problem()), 0)), fault)
    }

    fn transform_with(&self, layout: &impl Layout, records: &[u8], job: &mut Job) {
        // Both operations are of the same kind, so they need the same bytes, unless a delimiter changes that.
        let needed = self.in_request.needed().zip(self.in_quotes.needed()).map(|(one, other)| one.union(other));
        let needed = needed.filter(|_| self.append.is_none());
        let is_line = |line: &[u8]| layout.find(line, |_| {});
        transform_lines(records, needed, job, is_line, |text, output, appended| {
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

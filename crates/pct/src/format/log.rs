//! `--log`: access logs in the common and the combined format of Apache httpd and nginx.
//!
//! The common format is `host ident user [time] "method target protocol" status bytes`; in the
//! combined format, `"referer" "agent"` follows. The target and the referer are fields. Quotes in
//! them are escaped, as `\"` (Apache) or `\x22` (nginx), so the first unescaped quote ends a field.
#![forbid(unsafe_code)]

use std::ops::Range;

use clap::ValueEnum;
use memchr::memmem::Finder;
use memchr::{memchr, memchr2, memrchr};
use simdpct::ByteSet;

use super::Format;
use super::passthrough::transform_lines;
use crate::operation::{Fault, FaultKind, Operation, Recipe};
use crate::record::Job;
use crate::source::{Scanner, Separated};

/// Log format.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum LogFormat {
    /// With the referer and the user agent
    Combined,
    /// Without them
    Common,
}

/// Bytes that stay escaped in a quoted field: those that end or escape it, and those that logs
/// escape.
pub(crate) const IN_QUOTES: ByteSet = ByteSet::range(0, 0x1F).with(0x7F).with(b'"').with(b'\\');

/// Bytes that stay escaped in the request target: also the space, which ends it.
pub(crate) const IN_REQUEST: ByteSet = IN_QUOTES.with(b' ');

pub(crate) struct Log {
    format: LogFormat,
    target: Box<dyn Operation>,
    referer: Box<dyn Operation>,
    append: bool,
    /// Finds the boundary between the time and the request. Built only once.
    request: Finder<'static>,
}

/// Ranges of the fields in a line.
struct Fields {
    target: Range<usize>,
    referer: Option<Range<usize>>,
}

impl Log {
    pub(crate) fn new(format: LogFormat, append: bool, recipe: &Recipe<'_>) -> Self {
        Self { format, target: recipe(IN_REQUEST), referer: recipe(IN_QUOTES), append, request: Finder::new(b"] \"") }
    }

    /// Transforms one line without its end.
    fn line(&self, line: &[u8], output: &mut Vec<u8>, appended: &mut Vec<u8>) -> Option<Fault> {
        let Some(fields) = self.fields(line) else {
            output.extend_from_slice(line);
            let what = match self.format {
                LogFormat::Combined => "not a line of a combined log",
                LogFormat::Common => "not a line of a common log",
            };
            return Some(Fault::new(FaultKind::Format(what), 0));
        };
        let mut done = 0;
        let mut fault = None;
        appended.clear();
        let named = [(Some(fields.target), &self.target), (fields.referer, &self.referer)];
        for (range, operation) in named {
            let Some(range) = range else { continue };
            let field = &line[range.clone()];
            let found = if self.append {
                appended.extend_from_slice(b" \"");
                let found = operation.apply(field, appended);
                appended.push(b'"');
                found
            } else {
                output.extend_from_slice(&line[done..range.start]);
                done = range.end;
                operation.apply(field, output)
            };
            fault = Fault::first(fault, found.map(|found| found.shifted_by(range.start)));
        }
        output.extend_from_slice(&line[done..]);
        output.extend_from_slice(appended);
        fault
    }

    /// The ranges of the fields, if the line is in this format.
    fn fields(&self, line: &[u8]) -> Option<Fields> {
        // The time is the first bracketed text followed by a quoted one: a user name may contain
        // brackets, but neither spaces nor quotes.
        let request = self.request.find(line)? + 3;
        let request_end = request + closing_quote(&line[request..])?;
        // A malformed request is logged as received: then all of it is the target.
        let text = &line[request..request_end];
        let start = memchr(b' ', text).map_or(0, |at| at + 1);
        let end =
            memrchr(b' ', text).filter(|&at| at >= start && text[at + 1..].starts_with(b"HTTP/")).unwrap_or(text.len());
        let target = request + start..request + end;
        if self.format == LogFormat::Common {
            return Some(Fields { target, referer: None });
        }
        let rest = &line[request_end + 1..];
        let referer = request_end + 1 + memchr(b'"', rest)? + 1;
        let referer_end = referer + closing_quote(&line[referer..])?;
        Some(Fields { target, referer: Some(referer..referer_end) })
    }
}

/// The first unescaped quote.
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

    fn transform(&self, records: &[u8], job: &mut Job) {
        // Both operations are of the same kind, so they need the same byte.
        let needed = self.target.needed().filter(|_| !self.append && self.referer.needed() == self.target.needed());
        let is_line = |line: &[u8]| self.fields(line).is_some();
        transform_lines(records, needed, job, is_line, |text, output, appended| self.line(text, output, appended));
    }
}

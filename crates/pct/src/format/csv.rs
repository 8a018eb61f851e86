//! `--csv`: delimited fields with quotes where needed (RFC 4180), as csv-core reads and writes them.
//!
//! Records that need no change are copied in runs, and only their ends are searched for. In the
//! others, a field without quotes, or with quotes only around it, is a part of the record. csv-core
//! reads other quoted fields, and writes those that must be quoted.
//!
//! Fields that are not selected are copied byte for byte. Selected ones are quoted if they were, or
//! if necessary. A last record whose quoted field is never closed is copied, and is invalid: its
//! line ends are inside the quotes, where nothing may be appended.
//!
//! With `--append`, the first record determines the number of fields, so that the new columns are
//! the same in each record. A shorter record is padded. The surplus fields of a longer record
//! follow the new columns, and it is invalid. With `--print-field`, a record has only the selected columns;
//! with a header, a shorter record is padded.
//!
//! If several inputs have one output, their headers must be equal, and only the first is written.
#![forbid(unsafe_code)]

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use csv_core::{QuoteStyle, ReadFieldResult, Reader, ReaderBuilder, Terminator, WriteResult, WriterBuilder};
use memchr::{memchr, memchr2, memrchr};
use simdpct::ByteSet;

use super::passthrough::Unchanged;
use super::{Columns, Destination, Format, Outputs, near};
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::pattern::Pattern;
use crate::record::Job;
use crate::report;
use crate::source::Scanner;

/// Reads quoted fields. Reused for all records, because a reader is expensive to build.
struct Unquoter {
    delimiter: u8,
    /// Built for the first such field.
    reader: Option<Reader>,
    field: Vec<u8>,
}

/// State of one thread, reused for all records of a block.
struct Parser {
    unquoter: Unquoter,
    /// The result for a field.
    result: Vec<u8>,
}

impl Unquoter {
    /// The length of the field at the start of `text`, with its quotes, and its unquoted text.
    #[cold]
    fn unquote(&mut self, text: &[u8]) -> (usize, &[u8]) {
        let Self { delimiter, reader, field } = self;
        // Records come one by one, without their ends. A clone of a csv_core::Reader would parse
        // nothing.
        let new = || ReaderBuilder::new().delimiter(*delimiter).terminator(Terminator::Any(b'\n')).build();
        let reader = reader.get_or_insert_with(new);
        reader.reset();
        if field.len() <= text.len() {
            field.resize(text.len() + 1, 0);
        }
        let (mut read, mut written) = (0, 0);
        loop {
            let (result, input, output) = reader.read_field(&text[read..], &mut field[written..]);
            read += input;
            written += output;
            match result {
                // The next, empty input signals the end.
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end: false } => return (read - 1, &field[..written]),
                ReadFieldResult::Field { record_end: true } | ReadFieldResult::End => {
                    return (text.len(), &field[..written]);
                }
            }
        }
    }
}

/// The selected columns: a list, or names in the header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Chosen {
    Numbers(Columns),
    Names(Vec<String>),
}

pub(crate) struct Csv {
    delimiter: u8,
    chosen: Chosen,
    /// Whether the first record is a header.
    has_header: bool,
    operation: Box<dyn Operation>,
    destination: Destination,
    outputs: Outputs,
    layouts: RwLock<Layouts>,
    /// Bytes because of which a field must be quoted. Much software ends a record at a CR.
    quoted: ByteSet,
    /// Number of fields of the longest record so far, exact only up to [`Columns::enough`]; 0
    /// before the first.
    most: AtomicUsize,
}

#[derive(Default)]
struct Layouts {
    /// Layout of the first input of the output.
    first: Option<Arc<Layout>>,
    /// Layout of the current input, once its first record is known.
    current: Option<Arc<Layout>>,
}

/// What the first record determines for the others.
struct Layout {
    /// The names of the columns, if there is a header.
    header: Option<Vec<Vec<u8>>>,
    columns: Columns,
    /// Number of fields.
    width: usize,
    /// Whether the input is the first of its output: then its header is written.
    is_first: bool,
}

impl Layout {
    /// Names of the selected columns, if there is a header.
    fn names(&self) -> impl Iterator<Item = &Vec<u8>> {
        let is_selected = |&(column, _): &(usize, &Vec<u8>)| self.columns.contains(column);
        self.header.iter().flatten().enumerate().filter(is_selected).map(|(_, name)| name)
    }
}

impl Csv {
    pub(crate) fn new(
        delimiter: u8,
        chosen: Chosen,
        has_header: bool,
        operation: Box<dyn Operation>,
        destination: Destination,
        outputs: Outputs,
    ) -> Self {
        let has_header = has_header || matches!(chosen, Chosen::Names(_));
        let (layouts, most) = Default::default();
        let quoted = ByteSet::new(b"\"\r\n").with(delimiter);
        Self { delimiter, chosen, has_header, operation, destination, outputs, layouts, quoted, most }
    }

    fn layout(&self) -> Option<Arc<Layout>> {
        self.layouts.read().unwrap_or_else(PoisonError::into_inner).current.clone()
    }

    /// The layout that the first of these records determines; `None` if all lines are empty.
    fn learn(&self, records: &[u8]) -> Result<Option<Layout>, String> {
        let mut start = 0;
        let mut scanner = Records::new(self.delimiter);
        let first = loop {
            let end = scanner.first_end(&records[start..]).map_or(records.len(), |length| start + length);
            let record = &records[start..end];
            // The first line is the header, even if empty.
            if self.has_header || !is_empty(record) {
                break split_ending(record, b'\n').0;
            }
            if end == records.len() {
                return Ok(None);
            }
            start = end;
        };
        let mut names = Vec::new();
        self.each_field(first, &mut self.unquoter(), |_, _, name| {
            names.push(name.to_vec());
            ControlFlow::Continue(())
        });
        let columns = match &self.chosen {
            Chosen::Numbers(columns) => columns.clone(),
            Chosen::Names(chosen) => {
                let columns = chosen.iter().map(|name| columns_of(name, &names)).collect::<Result<Vec<_>, _>>()?;
                Columns::of(columns.into_iter().flatten())
            }
        };
        let width = names.len();
        if self.has_header || self.destination.is_column() {
            let record = if self.has_header { "header" } else { "first record" };
            columns.check(width).map_err(|problem| format!("{problem}, as in the {record}"))?;
        }
        let header = self.has_header.then_some(names);
        Ok(Some(Layout { header, columns, width, is_first: true }))
    }

    /// The layout, if it does not depend on the first record.
    fn layout_of_any_record(&self) -> Option<Arc<Layout>> {
        match &self.chosen {
            Chosen::Numbers(columns) if !self.needs_first_record() => {
                Some(Arc::new(Layout { header: None, columns: columns.clone(), width: usize::MAX, is_first: true }))
            }
            _ => None,
        }
    }

    /// Names of the new columns.
    fn new_names<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = Vec<u8>> + 'a {
        self.destination.column().into_iter().flat_map(|new| layout.names().map(|name| new.of_bytes(name)))
    }

    /// Checks that the new names are distinct, and not in the header.
    fn check_new_names(&self, layout: &Layout) -> Result<(), String> {
        let mut names: Vec<_> = layout.header.iter().flatten().cloned().collect();
        for new in self.new_names(layout) {
            if names.contains(&new) {
                let new = String::from_utf8_lossy(&new);
                return Err(format!("invalid new column '{new}': expected a name that the header does not have"));
            }
            names.push(new);
        }
        Ok(())
    }

    fn unquoter(&self) -> Unquoter {
        Unquoter { delimiter: self.delimiter, reader: None, field: Vec::new() }
    }

    /// Calls `each` with each field of a record without its end, until it breaks: number, range in
    /// the record, unquoted text.
    fn each_field(
        &self,
        record: &[u8],
        unquoter: &mut Unquoter,
        mut each: impl FnMut(usize, Range<usize>, &[u8]) -> ControlFlow<()>,
    ) {
        if record.is_empty() {
            return;
        }
        let mut start = 0;
        for column in 0.. {
            let rest = &record[start..];
            let (length, done) = if rest.first() == Some(&b'"') {
                match closing_quote(rest, self.delimiter) {
                    Some(close) => (close + 1, each(column, start..start + close + 1, &rest[1..close])),
                    None => {
                        let (length, text) = unquoter.unquote(rest);
                        (length, each(column, start..start + length, text))
                    }
                }
            } else {
                let length = near::find(self.delimiter, rest).unwrap_or(rest.len());
                (length, each(column, start..start + length, &rest[..length]))
            };
            if done.is_break() || length == rest.len() {
                return;
            }
            start += length + 1;
        }
    }

    /// The number of fields of a record without its end, counted up to `most`.
    fn count(&self, record: &[u8], unquoter: &mut Unquoter, most: usize) -> usize {
        let mut count = 0;
        self.each_field(record, unquoter, |column, _, _| {
            count = column + 1;
            if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        count
    }

    /// Appends a field, quoted if necessary.
    fn write_field(&self, text: &[u8], was_quoted: bool, output: &mut Vec<u8>) {
        if !was_quoted && self.quoted.find(text).is_none() {
            output.extend_from_slice(text);
            return;
        }
        let mut writer = WriterBuilder::new().quote_style(QuoteStyle::Always).build();
        let start = output.len();
        // Worst case: every byte is a quote, and is doubled, plus two quotes.
        output.resize(start + 2 * text.len() + 2, 0);
        let (result, _, mut written) = writer.field(text, &mut output[start..]);
        debug_assert_eq!(result, WriteResult::InputEmpty);
        let (_, rest) = writer.finish(&mut output[start + written..]);
        written += rest;
        output.truncate(start + written);
    }

    /// Transforms one record. Returns its number of fields, counted up to the last selected one.
    fn record(
        &self,
        record: &[u8],
        layout: &Layout,
        job: &mut Job,
        start: usize,
        Parser { unquoter, result }: &mut Parser,
    ) -> ControlFlow<(), usize> {
        let (text, ending) = split_ending(record, b'\n');
        let mut count = 0;
        // Fields from this number on are not needed.
        let enough = match self.destination {
            Destination::Column(_) => layout.width,
            _ => layout.columns.last().saturating_add(1),
        };
        job.record(record, start, |output, appended| {
            let begin = output.len();
            let mut is_first = true;
            let mut fault = None;
            let mut done = 0;
            // Start of the first surplus field.
            let mut surplus = None;
            appended.clear();
            self.each_field(text, unquoter, |column, range, field| {
                if column >= enough {
                    surplus = Some(range.start);
                    return ControlFlow::Break(());
                }
                count = column + 1;
                if !layout.columns.contains(column) {
                    return ControlFlow::Continue(());
                }
                result.clear();
                let was_quoted = text[range.clone()].starts_with(b"\"");
                let found = self.operation.apply(field, result);
                let position = |at: usize| range.start + if was_quoted { 1 } else { at };
                fault = Fault::first(fault, found.map(|found| Fault { position: position(found.position), ..found }));
                match self.destination {
                    Destination::Field if result == field => {}
                    Destination::Field => {
                        output.extend_from_slice(&text[done..range.start]);
                        self.write_field(result, was_quoted, output);
                        done = range.end;
                    }
                    Destination::Column(_) => {
                        appended.push(self.delimiter);
                        self.write_field(result, was_quoted, appended);
                    }
                    Destination::Alone => {
                        if !is_first {
                            output.push(self.delimiter);
                        }
                        is_first = false;
                        self.write_field(result, was_quoted, output);
                    }
                }
                ControlFlow::Continue(())
            });
            if self.destination.is_alone() {
                let width = if layout.header.is_some() { layout.width } else { 0 };
                for _ in (count..width).filter(|&column| layout.columns.contains(column)) {
                    if !is_first {
                        output.push(self.delimiter);
                    }
                    is_first = false;
                }
                self.end_fields(begin, output);
            } else if self.destination.is_column() {
                // The surplus includes the preceding delimiter.
                let (fields, rest) = text.split_at(surplus.map_or(text.len(), |position| position - 1));
                output.extend_from_slice(fields);
                for column in count..layout.width {
                    output.push(self.delimiter);
                    if layout.columns.contains(column) {
                        appended.push(self.delimiter);
                    }
                }
                output.extend_from_slice(appended);
                output.extend_from_slice(rest);
                let too_many = surplus.map(|position| Fault::new(FaultKind::TooManyFields, position));
                fault = Fault::first(fault, too_many);
            } else {
                output.extend_from_slice(&text[done..]);
            }
            output.extend_from_slice(ending);
            fault
        })?;
        ControlFlow::Continue(count)
    }

    /// Quotes the only field of a record, which begins at `begin`, if it is empty: an empty line is no record.
    fn end_fields(&self, begin: usize, output: &mut Vec<u8>) {
        if output.len() == begin {
            output.extend_from_slice(b"\"\"");
        }
    }

    /// Copies a record that ends in an open quoted field, at the end of the input.
    #[cold]
    fn unclosed(&self, record: &[u8], job: &mut Job, start: usize, unquoter: &mut Unquoter) -> ControlFlow<()> {
        job.record(record, start, |output, _| {
            if !self.destination.is_alone() {
                output.extend_from_slice(record);
            }
            let mut position = 0;
            self.each_field(record, unquoter, |_, range, _| {
                position = range.start;
                ControlFlow::Continue(())
            });
            Some(Fault::new(FaultKind::Format("not CSV: a quoted field is never closed"), position))
        })
    }

    /// Appends the header with the names of new columns, or only those of the selected ones.
    fn header(&self, record: &[u8], layout: &Layout, output: &mut Vec<u8>) {
        let (text, ending) = split_ending(record, b'\n');
        if self.destination.is_alone() {
            let begin = output.len();
            for (number, name) in layout.names().enumerate() {
                if number > 0 {
                    output.push(self.delimiter);
                }
                self.write_field(name, false, output);
            }
            self.end_fields(begin, output);
        } else {
            output.extend_from_slice(text);
        }
        for name in self.new_names(layout) {
            output.push(self.delimiter);
            self.write_field(&name, false, output);
        }
        output.extend_from_slice(ending);
    }
}

/// The position of the closing quote of a quoted field at the start of `text`, if all quotes of the
/// field are those around it.
fn closing_quote(text: &[u8], delimiter: u8) -> Option<usize> {
    let close = 1 + near::find(b'"', &text[1..])?;
    // A quote that follows is escaped, even if the delimiter is a quote.
    let is_end = text.get(close + 1).is_none_or(|&byte| byte == delimiter && byte != b'"');
    is_end.then_some(close)
}

/// Whether a line is empty; such lines are not records.
fn is_empty(line: &[u8]) -> bool {
    line.iter().all(|byte| b"\r\n".contains(byte))
}

/// Maximum number of names in a message.
const MOST_NAMES: usize = 20;

/// Checks that the header of another input equals that of the first.
fn check_header(found: &Layout, first: &Layout) -> Result<(), String> {
    match (&found.header, &first.header) {
        (Some(found), Some(expected)) if found != expected => {
            Err(format!("invalid header {}: expected {}, as in the first file", listed(found), listed(expected)))
        }
        _ => Ok(()),
    }
}

/// The names of a header, for a message.
fn listed(names: &[Vec<u8>]) -> String {
    let listed: Vec<_> = names.iter().take(MOST_NAMES).map(|name| String::from_utf8_lossy(name)).collect();
    let rest = if names.len() > MOST_NAMES { ", ..." } else { "" };
    format!("'{}'{rest}", listed.join("', '"))
}

/// All columns of this name. If there are none: the columns of a number, a range of numbers, a range
/// of names `first:last`, or a pattern.
fn columns_of(name: &str, names: &[Vec<u8>]) -> Result<Vec<usize>, String> {
    let all = 0..names.len();
    let is_named = |column: usize, name: &str| names[column] == name.as_bytes();
    let exact: Vec<_> = all.clone().filter(|&column| is_named(column, name)).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    if let Ok(number @ 1..) = name.parse::<usize>() {
        return Ok(vec![number - 1]);
    }
    if let Ok(range) = name.parse::<Columns>() {
        range.check(names.len()).map_err(|problem| format!("{problem}, as in the header"))?;
        return Ok(all.filter(|&column| range.contains(column)).collect());
    }
    if let Some((first, last)) = name.split_once(':') {
        let first_named = |name: &str| all.clone().find(|&column| is_named(column, name));
        let end = |name: &str, open: usize| if name.is_empty() { Some(open) } else { first_named(name) };
        return match (end(first, 0), end(last, names.len().saturating_sub(1))) {
            (Some(first), Some(last)) if first <= last => Ok((first..=last).collect()),
            (Some(_), Some(_)) => Err(format!("invalid range '{name}': expected the first column first")),
            _ => Err(format!("invalid range '{name}': expected two of {}", listed(names))),
        };
    }
    if let Some(pattern) = Pattern::of(name) {
        let is_match = |&column: &usize| pattern.matches(&String::from_utf8_lossy(&names[column]));
        let found: Vec<_> = all.filter(is_match).collect();
        if found.is_empty() {
            return Err(format!("invalid column '{name}': expected a pattern that matches one of {}", listed(names)));
        }
        return Ok(found);
    }
    Err(format!("invalid column '{name}': expected one of {}", listed(names)))
}

impl Format for Csv {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Records::new(self.delimiter))
    }

    fn records(&self) -> report::Records {
        report::Records::Counted
    }

    fn begin(&self, is_first: bool, records: &[u8]) -> Result<(), String> {
        let mut layouts = self.layouts.write().unwrap_or_else(PoisonError::into_inner);
        if is_first {
            layouts.current = None;
            if self.outputs == Outputs::Each {
                layouts.first = None;
            }
        }
        if layouts.current.is_some() || (self.has_header && !is_first) {
            return Ok(());
        }
        let learned = match &layouts.first {
            // Without headers, the other inputs need not match.
            Some(first) if !self.has_header => {
                Layout { header: None, columns: first.columns.clone(), width: first.width, is_first: false }
            }
            first => {
                let Some(learned) = self.learn(records)? else { return Ok(()) };
                match first {
                    None => self.check_new_names(&learned)?,
                    Some(first) => check_header(&learned, first)?,
                }
                Layout { is_first: first.is_none(), ..learned }
            }
        };
        let learned = Arc::new(learned);
        layouts.first.get_or_insert_with(|| learned.clone());
        layouts.current = Some(learned);
        Ok(())
    }

    fn needs_first_record(&self) -> bool {
        self.has_header || self.destination.is_column()
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let Some(layout) = self.layout().or_else(|| self.layout_of_any_record()) else {
            // All lines so far were empty.
            job.unchanged(records);
            return;
        };
        let mut scanner = Records::new(self.delimiter);
        let mut parser = Parser { unquoter: self.unquoter(), result: Vec::new() };
        let needed = self.operation.needed().filter(|_| job.takes_runs(self.destination.is_field()));
        let mut unchanged = Unchanged::new(records, needed);
        let mut most = self.most.load(Ordering::Relaxed);
        // Without a header, some record must have each of the columns.
        let enough = if layout.header.is_some() { 1 } else { layout.columns.enough() };
        let mut start = 0;
        // Start of the records to copy.
        let mut run = 0;
        while start < records.len() {
            // Only the last record of the input can lack an end: blocks are cut after ends.
            let end = scanner.first_end(&records[start..]).map_or(records.len(), |length| start + length);
            let record = &records[start..end];
            let is_unclosed = scanner.state == State::Quoted;
            let is_header = start == 0 && job.is_first && self.has_header;
            if !is_unclosed && !is_header {
                if is_empty(record) {
                    start = end;
                    continue;
                }
                if unchanged.contains(start, end) {
                    job.tally.records += 1;
                    if most < enough {
                        most = most.max(self.count(split_ending(record, b'\n').0, &mut parser.unquoter, enough));
                    }
                    start = end;
                    continue;
                }
            }
            job.unchanged(&records[run..start]);
            run = end;
            if is_header && !is_unclosed {
                if layout.is_first {
                    self.header(record, &layout, &mut job.output);
                }
                start = end;
                continue;
            }
            job.tally.records += 1;
            let done = if is_unclosed {
                self.unclosed(record, job, start, &mut parser.unquoter).map_continue(|()| 0)
            } else {
                self.record(record, &layout, job, start, &mut parser)
            };
            match done {
                ControlFlow::Continue(count) => most = most.max(count),
                ControlFlow::Break(()) => {
                    run = records.len();
                    break;
                }
            }
            start = end;
        }
        job.unchanged(&records[run..]);
        self.most.fetch_max(most, Ordering::Relaxed);
    }

    fn unmatched(&self) -> Vec<String> {
        let (most, layout) = (self.most.load(Ordering::Relaxed), self.layout());
        match layout {
            Some(layout) if most > 0 && layout.header.is_none() => {
                layout.columns.beyond(most).map(|range| format!("no record has column {range}")).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Finds the ends of records: line feeds outside quotes. A quote opens only at the start of a
/// field.
struct Records {
    delimiter: u8,
    state: State,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote in a quoted field: the closing quote, or the first of an escaped pair.
    QuoteInQuoted,
}

impl Records {
    fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::FieldStart }
    }
}

impl Scanner for Records {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            at = self.skip_quoted(bytes, at)?;
            let rest = &bytes[at..];
            let Some(length) = memchr2(b'"', b'\n', rest) else {
                self.end_unquoted(rest);
                return None;
            };
            at += length + 1;
            if rest[length] == b'\n' {
                self.state = State::FieldStart;
                return Some(at);
            }
            self.enter_quote(&rest[..length]);
        }
    }

    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut last = None;
        let mut at = 0;
        while let Some(start) = self.skip_quoted(bytes, at) {
            let rest = &bytes[start..];
            let length = memchr(b'"', rest);
            let unquoted = &rest[..length.unwrap_or(rest.len())];
            last = memrchr(b'\n', unquoted).map(|end| start + end + 1).or(last);
            let Some(length) = length else {
                self.end_unquoted(rest);
                break;
            };
            self.enter_quote(unquoted);
            at = start + length + 1;
        }
        last
    }
}

impl Records {
    /// Skips quoted fields from `at` on. Returns the start of the unquoted rest, perhaps the end;
    /// `None` if a quoted field continues there.
    #[inline]
    fn skip_quoted(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            match (self.state, bytes.get(at)) {
                (State::Quoted, _) => {
                    at += near::find(b'"', &bytes[at..])? + 1;
                    self.state = State::QuoteInQuoted;
                }
                (State::QuoteInQuoted, None) => return None,
                (State::QuoteInQuoted | State::FieldStart, Some(b'"')) => {
                    at += 1;
                    self.state = State::Quoted;
                }
                (State::QuoteInQuoted, Some(&byte)) if byte == self.delimiter => {
                    at += 1;
                    self.state = State::FieldStart;
                }
                (State::QuoteInQuoted, Some(_)) => self.state = State::Unquoted,
                (State::FieldStart | State::Unquoted, _) => return Some(at),
            }
        }
    }

    /// Continues after a quote that follows `text`, which is not quoted.
    fn enter_quote(&mut self, text: &[u8]) {
        self.end_unquoted(text);
        self.state = match self.state {
            State::FieldStart => State::Quoted,
            _ if self.delimiter == b'"' => State::FieldStart,
            other => other,
        };
    }

    /// Continues after `text`, which is not quoted.
    fn end_unquoted(&mut self, text: &[u8]) {
        match text.last() {
            None => {}
            Some(&byte) if byte == self.delimiter || byte == b'\n' => self.state = State::FieldStart,
            Some(_) => self.state = State::Unquoted,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::{ControlFlow, Range};

    use csv_core::{QuoteStyle, ReadFieldResult, Reader, ReaderBuilder, Terminator, WriterBuilder};

    use super::{Chosen, Csv, Records};
    use crate::format::{Destination, Outputs};
    use crate::operation::{Fault, Operation, Stream, split_ending};
    use crate::source::Scanner;

    /// All texts of up to 7 significant bytes: records end where csv-core, as the parser, says,
    /// however the text is cut.
    #[test]
    fn records_end_where_they_do_for_the_parser() {
        for_each_text(b"\"a,\n", 7, |text| {
            let context = text.escape_ascii().to_string();
            let ends = ends(text, b',');
            assert_eq!(ends, parsed_ends(text), "{context}");
            let mut records = Records::new(b',');
            let cut: Vec<_> = (0..text.len()).filter(|&at| records.last_end(&text[at..=at]).is_some()).collect();
            assert_eq!(cut.iter().map(|at| at + 1).collect::<Vec<_>>(), ends, "{context}, byte by byte");
            for cut in 0..=text.len() {
                let mut records = Records::new(b',');
                let before = records.last_end(&text[..cut]);
                assert_eq!(before, ends.iter().copied().rfind(|&end| end <= cut), "{context}, up to {cut}");
                let after = records.last_end(&text[cut..]).map(|end| cut + end);
                assert_eq!(after, ends.iter().copied().rfind(|&end| end > cut), "{context}, from {cut}");
            }
        });
    }

    /// All texts of up to 6 significant bytes, with each as the delimiter: the fields of each record
    /// are those of csv-core.
    #[test]
    fn fields_are_those_of_the_parser() {
        for delimiter in *b",a\"" {
            let csv = csv(delimiter, "1-", Box::new(Copied));
            let mut unquoter = csv.unquoter();
            let mut reader = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
            for_each_text(b"\"a,\n\r", 6, |text| {
                let mut start = 0;
                for end in ends(text, delimiter).into_iter().chain([text.len()]) {
                    let (record, _) = split_ending(&text[start..end], b'\n');
                    let mut fields = Vec::new();
                    csv.each_field(record, &mut unquoter, |column, range, field| {
                        assert_eq!(column, fields.len());
                        fields.push((range, field.to_vec()));
                        ControlFlow::Continue(())
                    });
                    let context = format!("{} of {}", record.escape_ascii(), text.escape_ascii());
                    assert_eq!(fields, parsed_fields(record, &mut reader), "{context}");
                    assert_eq!(csv.count(record, &mut unquoter, 2), fields.len().min(2), "{context}");
                    start = end;
                }
            });
        }
    }

    #[test]
    fn written_fields_are_those_of_csv_core() {
        for delimiter in *b",\"\t" {
            let csv = csv(delimiter, "1", Box::new(Copied));
            for_each_text(b"\"a,\n\r", 4, |text| {
                for was_quoted in [false, true] {
                    let mut found = Vec::new();
                    csv.write_field(text, was_quoted, &mut found);
                    let style = if was_quoted { QuoteStyle::Always } else { QuoteStyle::Necessary };
                    let mut writer = WriterBuilder::new().delimiter(delimiter).quote_style(style).build();
                    let mut expected = [0; 16];
                    let (_, _, length) = writer.field(text, &mut expected);
                    let (_, rest) = writer.finish(&mut expected[length..]);
                    // csv-core quotes an empty field, as the only one of a record.
                    let expected = if text.is_empty() && !was_quoted { b"" } else { &expected[..length + rest] };
                    assert_eq!(found, expected, "{}", text.escape_ascii());
                }
            });
        }
    }

    /// Copies; needs no byte, so that each record is parsed.
    struct Copied;

    impl Operation for Copied {
        fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
            output.extend_from_slice(field);
            None
        }

        fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
            None
        }
    }

    fn csv(delimiter: u8, columns: &str, operation: Box<dyn Operation>) -> Csv {
        let chosen = Chosen::Numbers(columns.parse().unwrap());
        Csv::new(delimiter, chosen, false, operation, Destination::Field, Outputs::Each)
    }

    /// Calls `each` with all texts of up to this many bytes that mean something in CSV.
    fn for_each_text(symbols: &[u8], most: u32, mut each: impl FnMut(&[u8])) {
        for length in 0..=most {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| number / symbols.len().pow(at) % symbols.len());
                each(&digits.map(|digit| symbols[digit]).collect::<Vec<_>>());
            }
        }
    }

    fn ends(text: &[u8], delimiter: u8) -> Vec<usize> {
        let mut records = Records::new(delimiter);
        let mut ends = Vec::new();
        while let Some(end) = records.first_end(&text[ends.last().copied().unwrap_or(0)..]) {
            ends.push(ends.last().copied().unwrap_or(0) + end);
        }
        ends
    }

    /// The fields of a record without its end, as csv-core reads them.
    fn parsed_fields(record: &[u8], reader: &mut Reader) -> Vec<(Range<usize>, Vec<u8>)> {
        reader.reset();
        let mut fields = Vec::new();
        let (mut start, mut read, mut field) = (0, 0, Vec::new());
        loop {
            let mut unquoted = [0; 16];
            let (result, input, output) = reader.read_field(&record[read..], &mut unquoted);
            read += input;
            field.extend_from_slice(&unquoted[..output]);
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end } => {
                    let end = if record_end { record.len() } else { read - 1 };
                    fields.push((start..end, std::mem::take(&mut field)));
                    if record_end {
                        return fields;
                    }
                    start = read;
                }
                ReadFieldResult::End => return fields,
            }
        }
    }

    fn parsed_ends(text: &[u8]) -> Vec<usize> {
        use csv_core::ReadRecordResult;

        // csv-core skips empty lines, which also end a record here. So each line feed is tested
        // separately.
        let is_end = |at: usize| {
            let mut reader = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
            let mut probe = text[..=at].to_vec();
            probe.push(b'x');
            let (mut records, mut read) = (Vec::new(), 0);
            loop {
                let (result, input, _, _) = reader.read_record(&probe[read..], &mut [0; 64], &mut [0; 64]);
                read += input;
                match result {
                    ReadRecordResult::Record => records.push(read),
                    ReadRecordResult::End => break,
                    _ => {}
                }
            }
            // The 'x' is in a separate record if and only if the preceding line feed ended one.
            let before = text[..=at].iter().all(|&byte| byte == b'\n');
            before || records.contains(&(at + 1)) || ends_with_empty_line(&text[..=at], &records)
        };
        (0..text.len()).filter(|&at| text[at] == b'\n' && is_end(at)).map(|at| at + 1).collect()
    }

    /// Whether only line feeds follow one of the ends of records.
    fn ends_with_empty_line(text: &[u8], records: &[usize]) -> bool {
        records
            .iter()
            .any(|&end| end < text.len() && text[end..].iter().all(|&byte| byte == b'\n') && text[end - 1] == b'\n')
    }
}

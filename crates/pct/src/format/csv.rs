//! `--csv`: delimited fields with quotes where needed (RFC 4180), parsed and quoted by csv-core.
//!
//! Fields that are not selected are copied byte for byte. Selected ones are quoted if they were, or
//! if necessary. A last record whose quoted field is never closed is copied, and is invalid: its
//! line ends are inside the quotes, where nothing may be appended.
//!
//! With `--append`, the first record determines the number of fields, so that the new columns are
//! the same in each record. A shorter record is padded. The surplus fields of a longer record
//! follow the new columns, and it is invalid.
//!
//! If several inputs have one output, their headers must be equal, and only the first is written.
#![forbid(unsafe_code)]

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use csv_core::{QuoteStyle, ReadFieldResult, Reader, ReaderBuilder, Terminator, WriteResult, Writer, WriterBuilder};
use memchr::{memchr, memchr2};

use super::{Columns, Format, Outputs};
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::record::Job;
use crate::report;
use crate::source::{BYTE_ORDER_MARK, Scanner};

/// Parser state, reused for all records because it is expensive to build.
struct Parser {
    reader: Reader,
    field: Vec<u8>,
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
    /// With `--append`: suffix of the names of new columns.
    append: Option<&'static str>,
    outputs: Outputs,
    layouts: RwLock<Layouts>,
    /// Number of fields of the longest record so far; 0 before the first.
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

impl Csv {
    pub(crate) fn new(
        delimiter: u8,
        chosen: Chosen,
        has_header: bool,
        operation: Box<dyn Operation>,
        append: Option<&'static str>,
        outputs: Outputs,
    ) -> Self {
        let has_header = has_header || matches!(chosen, Chosen::Names(_));
        let (layouts, most) = Default::default();
        Self { delimiter, chosen, has_header, operation, append, outputs, layouts, most }
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
        Self::each_field(first, &mut self.parser(), |_, _, name| names.push(name.to_vec()));
        let columns = match &self.chosen {
            Chosen::Numbers(columns) => columns.clone(),
            Chosen::Names(chosen) => {
                let columns = chosen.iter().map(|name| columns_of(name, &names)).collect::<Result<Vec<_>, _>>()?;
                Columns::of(columns.into_iter().flatten())
            }
        };
        let width = names.len();
        if self.has_header || self.append.is_some() {
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
        let chosen = |&(column, _): &(usize, &Vec<u8>)| layout.columns.contains(column);
        let names = layout.header.iter().flatten().enumerate().filter(chosen);
        self.append
            .into_iter()
            .flat_map(move |suffix| names.clone().map(move |(_, name)| [name, suffix.as_bytes()].concat()))
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

    fn writer(&self, style: QuoteStyle) -> Writer {
        WriterBuilder::new().delimiter(self.delimiter).quote_style(style).build()
    }

    fn parser(&self) -> Parser {
        // Records come one by one, without their ends. A clone of a csv_core::Reader would parse
        // nothing.
        let reader = ReaderBuilder::new().delimiter(self.delimiter).terminator(Terminator::Any(b'\n')).build();
        Parser { reader, field: Vec::new() }
    }

    /// Calls `each` with each field of a record without its end: number, range in the record,
    /// unquoted text.
    fn each_field(
        record: &[u8],
        Parser { reader, field }: &mut Parser,
        mut each: impl FnMut(usize, Range<usize>, &[u8]),
    ) {
        reader.reset();
        if record.starts_with(BYTE_ORDER_MARK) {
            // csv-core skips a byte order mark at the start of its input. Here it is part of the
            // field, as that of the file is not in the record. A preceding empty line prevents the
            // skipping.
            reader.read_field(b"\n", &mut [0]);
        }
        if field.len() <= record.len() {
            field.resize(record.len() + 1, 0);
        }
        let mut start = 0;
        let mut read = 0;
        let mut written = 0;
        let mut column = 0;
        loop {
            let (result, input, output) = reader.read_field(&record[read..], &mut field[written..]);
            read += input;
            written += output;
            match result {
                // The next, empty input signals the end.
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end } => {
                    let end = if record_end { record.len() } else { read - 1 };
                    each(column, start..end, &field[..written]);
                    if record_end {
                        return;
                    }
                    (start, written, column) = (read, 0, column + 1);
                }
                ReadFieldResult::End => return,
            }
        }
    }

    /// Appends a field, quoted if necessary.
    fn write_field(&self, text: &[u8], was_quoted: bool, output: &mut Vec<u8>) {
        if text.is_empty() && !was_quoted {
            // The writer would quote it, as the only field of a record.
            return;
        }
        let style = if was_quoted { QuoteStyle::Always } else { QuoteStyle::Necessary };
        let mut writer = self.writer(style);
        let start = output.len();
        // Worst case: every byte is a quote, and is doubled, plus two quotes.
        output.resize(start + 2 * text.len() + 2, 0);
        let (result, _, mut written) = writer.field(text, &mut output[start..]);
        debug_assert_eq!(result, WriteResult::InputEmpty);
        let (_, rest) = writer.finish(&mut output[start + written..]);
        written += rest;
        output.truncate(start + written);
    }

    /// Transforms one record. Returns its number of fields.
    fn record(
        &self,
        record: &[u8],
        layout: &Layout,
        job: &mut Job,
        start: usize,
        parser: &mut Parser,
    ) -> ControlFlow<(), usize> {
        let (text, ending) = split_ending(record, b'\n');
        let mut result = Vec::new();
        let mut count = 0;
        let width = if self.append.is_some() { layout.width } else { usize::MAX };
        job.record(record, start, |output, appended| {
            let mut fault = None;
            // Start of the first surplus field.
            let mut surplus = None;
            appended.clear();
            Self::each_field(text, parser, |column, range, field| {
                count = column + 1;
                if column >= width {
                    surplus = surplus.or(Some(range.start));
                    return;
                }
                if column > 0 {
                    output.push(self.delimiter);
                }
                let raw = &text[range.clone()];
                if !layout.columns.contains(column) {
                    output.extend_from_slice(raw);
                    return;
                }
                result.clear();
                let was_quoted = raw.starts_with(b"\"");
                let found = self.operation.apply(field, &mut result);
                let position = |at: usize| range.start + if was_quoted { 1 } else { at };
                fault = Fault::first(fault, found.map(|found| Fault { position: position(found.position), ..found }));
                if self.append.is_some() {
                    output.extend_from_slice(raw);
                    appended.push(self.delimiter);
                    self.write_field(&result, was_quoted, appended);
                } else if result == field {
                    output.extend_from_slice(raw);
                } else {
                    self.write_field(&result, was_quoted, output);
                }
            });
            if self.append.is_some() {
                for column in count..layout.width {
                    output.push(self.delimiter);
                    if layout.columns.contains(column) {
                        appended.push(self.delimiter);
                    }
                }
                output.extend_from_slice(appended);
                if let Some(position) = surplus {
                    // The surplus includes the preceding delimiter.
                    output.extend_from_slice(&text[position - 1..]);
                    fault = Fault::first(fault, Some(Fault::new(FaultKind::TooManyFields, position)));
                }
            }
            output.extend_from_slice(ending);
            fault
        })?;
        ControlFlow::Continue(count)
    }

    /// Copies a record that ends in an open quoted field, at the end of the input.
    #[cold]
    fn unclosed(record: &[u8], job: &mut Job, start: usize, parser: &mut Parser) -> ControlFlow<()> {
        job.record(record, start, |output, _| {
            output.extend_from_slice(record);
            let mut position = 0;
            Self::each_field(record, parser, |_, range, _| position = range.start);
            Some(Fault::new(FaultKind::Format("not CSV: a quoted field is never closed"), position))
        })
    }

    /// Appends the header with the names of new columns.
    fn header(&self, record: &[u8], layout: &Layout, output: &mut Vec<u8>) {
        let (text, ending) = split_ending(record, b'\n');
        output.extend_from_slice(text);
        for name in self.new_names(layout) {
            output.push(self.delimiter);
            self.write_field(&name, false, output);
        }
        output.extend_from_slice(ending);
    }
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

/// All columns of this name. If there are none, a number selects its column.
fn columns_of(name: &str, names: &[Vec<u8>]) -> Result<Vec<usize>, String> {
    let named: Vec<_> = (0..names.len()).filter(|&column| names[column] == name.as_bytes()).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    match name.parse::<usize>() {
        Ok(number @ 1..) => Ok(vec![number - 1]),
        _ => Err(format!("invalid column '{name}': expected one of {}", listed(names))),
    }
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
        self.has_header || self.append.is_some()
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let Some(layout) = self.layout().or_else(|| self.layout_of_any_record()) else {
            // All lines so far were empty.
            job.output.extend_from_slice(records);
            return;
        };
        let mut scanner = Records::new(self.delimiter);
        let mut parser = self.parser();
        let mut start = 0;
        let mut most = 0;
        while start < records.len() {
            // Only the last record of the input can lack an end: blocks are cut after ends.
            let end = scanner.first_end(&records[start..]).map_or(records.len(), |length| start + length);
            let record = &records[start..end];
            if scanner.state == State::Quoted {
                job.tally.records += 1;
                if Self::unclosed(record, job, start, &mut parser).is_break() {
                    break;
                }
            } else if start == 0 && job.is_first && self.has_header {
                if layout.is_first {
                    self.header(record, &layout, &mut job.output);
                }
            } else if is_empty(record) {
                job.output.extend_from_slice(record);
            } else {
                job.tally.records += 1;
                match self.record(record, &layout, job, start, &mut parser) {
                    ControlFlow::Continue(count) => most = most.max(count),
                    ControlFlow::Break(()) => break,
                }
            }
            start = end;
        }
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
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::Quoted => match memchr(b'"', &bytes[at..]) {
                    Some(quote) => {
                        at += quote + 1;
                        self.state = State::QuoteInQuoted;
                    }
                    None => return None,
                },
                State::QuoteInQuoted if byte == b'"' => {
                    at += 1;
                    self.state = State::Quoted;
                }
                State::FieldStart if byte == b'"' => {
                    at += 1;
                    self.state = State::Quoted;
                }
                State::QuoteInQuoted | State::FieldStart | State::Unquoted => {
                    let Some(end) = memchr2(self.delimiter, b'\n', &bytes[at..]) else {
                        self.state = State::Unquoted;
                        return None;
                    };
                    at += end + 1;
                    self.state = State::FieldStart;
                    if bytes[at - 1] == b'\n' {
                        return Some(at);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Records;
    use crate::source::Scanner;

    /// All texts of up to 7 significant bytes: records end where csv-core, as the parser, says,
    /// however the text is cut.
    #[test]
    fn records_end_where_they_do_for_the_parser() {
        let symbols = *b"\"a,\n";
        for length in 0..=7 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| number / symbols.len().pow(at) % symbols.len());
                let text: Vec<u8> = digits.map(|digit| symbols[digit]).collect();
                let context = text.escape_ascii().to_string();
                let mut records = Records::new(b',');
                let mut ends = Vec::new();
                while let Some(end) = records.first_end(&text[ends.last().copied().unwrap_or(0)..]) {
                    ends.push(ends.last().copied().unwrap_or(0) + end);
                }
                assert_eq!(ends, parsed_ends(&text), "{context}");
                let mut records = Records::new(b',');
                let cut: Vec<_> = (0..text.len()).filter(|&at| records.last_end(&text[at..=at]).is_some()).collect();
                assert_eq!(cut.iter().map(|at| at + 1).collect::<Vec<_>>(), ends, "{context}, byte by byte");
            }
        }
    }

    fn parsed_ends(text: &[u8]) -> Vec<usize> {
        use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};

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

//! `--csv`: fields between delimiters, quoted where they have to be (RFC 4180). Parsing and quoting is csv-core's work.
//!
//! Fields that are not meant stay byte for byte; those that are, are quoted if they were, or if they have to be. A last record whose
//! quoted field is never closed stays as it is, and is at fault: its line ends are in the quotes, where nothing may be appended.
#![forbid(unsafe_code)]

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use csv_core::{QuoteStyle, ReadFieldResult, Reader, ReaderBuilder, Terminator, WriteResult, Writer, WriterBuilder};
use memchr::{memchr, memchr2};

use super::{Columns, Unit};
use crate::operation::{Fault, FaultKind, Operation, split_ending};
use crate::pipeline::Job;
use crate::source::{BYTE_ORDER_MARK, Scanner};

/// What is kept from record to record: it is expensive to build.
struct Parser {
    reader: Reader,
    field: Vec<u8>,
}

/// Which columns are meant: a list, or names in the header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Chosen {
    Numbers(Columns),
    Names(Vec<String>),
}

pub(crate) struct Csv {
    delimiter: u8,
    chosen: Chosen,
    /// Whether the first record is no data.
    has_header: bool,
    operation: Box<dyn Operation>,
    /// What the names of new columns end with, if there are any.
    append: Option<&'static str>,
    /// The columns, once the header is known.
    columns: OnceLock<Columns>,
}

impl Csv {
    pub(crate) fn new(
        delimiter: u8,
        chosen: Chosen,
        has_header: bool,
        operation: Box<dyn Operation>,
        append: Option<&'static str>,
    ) -> Self {
        let has_header = has_header || matches!(chosen, Chosen::Names(_));
        Self { delimiter, chosen, has_header, operation, append, columns: OnceLock::new() }
    }

    fn writer(&self, style: QuoteStyle) -> Writer {
        WriterBuilder::new().delimiter(self.delimiter).quote_style(style).build()
    }

    fn parser(&self) -> Parser {
        // Records are cut already, and come without their ends. (A clone of a csv_core::Reader parses nothing.)
        let reader = ReaderBuilder::new().delimiter(self.delimiter).terminator(Terminator::Any(b'\n')).build();
        Parser { reader, field: Vec::new() }
    }

    /// Hands out the fields of a record without its end: number, where it stands, and what it says.
    fn each_field(
        record: &[u8],
        Parser { reader, field }: &mut Parser,
        mut each: impl FnMut(usize, Range<usize>, &[u8]),
    ) {
        reader.reset();
        if record.starts_with(BYTE_ORDER_MARK) {
            // It belongs to the field here: what begins the file is not in the record. An empty line keeps it where it is.
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
                // The end of the input is said by an empty one.
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

    /// Appends a field as it has to be written.
    fn write_field(&self, text: &[u8], was_quoted: bool, output: &mut Vec<u8>) {
        let style = if was_quoted { QuoteStyle::Always } else { QuoteStyle::Necessary };
        let mut writer = self.writer(style);
        let start = output.len();
        // Every byte a quote, and two around them.
        output.resize(start + 2 * text.len() + 2, 0);
        let (result, _, mut written) = writer.field(text, &mut output[start..]);
        debug_assert_eq!(result, WriteResult::InputEmpty);
        let (_, rest) = writer.finish(&mut output[start + written..]);
        written += rest;
        output.truncate(start + written);
    }

    fn record(
        &self,
        record: &[u8],
        columns: &Columns,
        job: &mut Job,
        start: usize,
        parser: &mut Parser,
    ) -> ControlFlow<()> {
        let (text, ending) = split_ending(record, b'\n');
        let mut result = Vec::new();
        job.record(record, start, |output, appended| {
            let mut fault = None;
            appended.clear();
            Self::each_field(text, parser, |column, range, field| {
                if column > 0 {
                    output.push(self.delimiter);
                }
                let raw = &text[range.clone()];
                if !columns.contains(column) {
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
            output.extend_from_slice(appended);
            output.extend_from_slice(ending);
            fault
        })
    }

    /// Passes on the record at the end of the input that is open for ever: all that follows the quote is in the field.
    #[cold]
    fn unclosed(record: &[u8], job: &mut Job, start: usize, parser: &mut Parser) -> ControlFlow<()> {
        job.record(record, start, |output, _| {
            output.extend_from_slice(record);
            let mut position = 0;
            Self::each_field(record, parser, |_, range, _| position = range.start);
            Some(Fault { kind: FaultKind::Format("CSV: a quoted field is never closed"), position })
        })
    }

    /// Appends the header, with names for new columns.
    fn header(&self, record: &[u8], columns: &Columns, output: &mut Vec<u8>) {
        let (text, ending) = split_ending(record, b'\n');
        output.extend_from_slice(text);
        if let Some(suffix) = self.append {
            Self::each_field(text, &mut self.parser(), |column, _, name| {
                if columns.contains(column) {
                    output.push(self.delimiter);
                    self.write_field(&[name, suffix.as_bytes()].concat(), false, output);
                }
            });
        }
        output.extend_from_slice(ending);
    }
}

impl Unit for Csv {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Records::new(self.delimiter))
    }

    fn begin(&self, records: &[u8]) -> Result<(), String> {
        let names = match &self.chosen {
            Chosen::Numbers(columns) => {
                self.columns.get_or_init(|| columns.clone());
                return Ok(());
            }
            Chosen::Names(names) => names,
        };
        let end = Records::new(self.delimiter).first_end(records).unwrap_or(records.len());
        let (header, _) = split_ending(&records[..end], b'\n');
        let mut found = Vec::new();
        Self::each_field(header, &mut self.parser(), |_, _, name| {
            found.push(String::from_utf8_lossy(name).into_owned())
        });
        let column = |name: &String| {
            let at = found.iter().position(|candidate| candidate == name);
            // A number is one where there is no such name.
            at.or_else(|| name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)))
                .ok_or_else(|| format!("there is no column '{name}', only {}", found.join(", ")))
        };
        let columns = Columns::of(names.iter().map(column).collect::<Result<Vec<_>, _>>()?);
        self.columns.get_or_init(|| columns);
        Ok(())
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let Some(columns) = self.columns.get() else { return };
        let mut scanner = Records::new(self.delimiter);
        let mut parser = self.parser();
        let mut start = 0;
        while start < records.len() {
            // Without an end it is the last one of the input: blocks are cut behind ends.
            let end = scanner.first_end(&records[start..]).map_or(records.len(), |length| start + length);
            let record = &records[start..end];
            if scanner.state == State::Quoted {
                if Self::unclosed(record, job, start, &mut parser).is_break() {
                    return;
                }
            } else if start == 0 && job.is_first && self.has_header {
                self.header(record, columns, &mut job.output);
            } else if record.iter().all(|byte| b"\r\n".contains(byte)) {
                // An empty line is no record.
                job.output.extend_from_slice(record);
            } else if self.record(record, columns, job, start, &mut parser).is_break() {
                return;
            }
            start = end;
        }
    }
}

/// Knows where records end: at a line feed outside quotes. A quote opens only at the start of a field.
struct Records {
    delimiter: u8,
    state: State,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    FieldStart,
    Unquoted,
    Quoted,
    /// Behind a quote in quotes: the closing one, or the first of two that stand for one.
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

    /// All texts of up to 7 of the bytes that matter: records end where csv-core, which parses them, says so, however they are cut.
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

        // It skips empty lines: each is an end as well. So what is asked is whether a line feed is one, for each.
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
            // The 'x' stands in a record of its own if and only if the line feed before it ended one.
            let before = text[..=at].iter().all(|&byte| byte == b'\n');
            before || records.contains(&(at + 1)) || ends_with_empty_line(&text[..=at], &records)
        };
        (0..text.len()).filter(|&at| text[at] == b'\n' && is_end(at)).map(|at| at + 1).collect()
    }

    /// Whether behind the last record that ended there are but line feeds.
    fn ends_with_empty_line(text: &[u8], records: &[usize]) -> bool {
        records
            .iter()
            .any(|&end| end < text.len() && text[end..].iter().all(|&byte| byte == b'\n') && text[end - 1] == b'\n')
    }
}

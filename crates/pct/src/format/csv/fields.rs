//! Fields: reads those of a record, and writes them, quoted if necessary.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use simdpct::ByteSet;

use crate::format::near;
use crate::text::quoted;

/// A field of a record.
pub(super) struct Field<'f> {
    /// Its number in the record, from 0.
    pub(super) column: usize,
    /// Its position in the record.
    pub(super) start: usize,
    /// As in the record, with its quotes.
    pub(super) raw: &'f [u8],
    /// Without quotes.
    pub(super) text: &'f [u8],
}

impl Field<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.raw.starts_with(b"\"")
    }
}

/// Reads fields. Reused for all records of a block.
///
/// A field without quotes, or with quotes only around it, is a part of the record. csv-core reads
/// other quoted fields.
pub(super) struct FieldReader {
    delimiter: u8,
    /// Built for the first field that needs it, because building is expensive.
    reader: Option<Reader>,
    /// The last field that it read.
    unquoted: Vec<u8>,
}

impl FieldReader {
    pub(super) fn new(delimiter: u8) -> Self {
        Self { delimiter, reader: None, unquoted: Vec::new() }
    }

    /// Calls `each` with each field of a record without its end, until it breaks.
    pub(super) fn each(&mut self, record: &[u8], mut each: impl FnMut(Field<'_>) -> ControlFlow<()>) {
        if record.is_empty() {
            return;
        }
        let mut start = 0;
        for column in 0.. {
            let rest = &record[start..];
            let (length, text) = if rest.first() != Some(&b'"') {
                let length = near::find(self.delimiter, rest).unwrap_or(rest.len());
                (length, &rest[..length])
            } else if let Some(close) = closing_quote(rest, self.delimiter) {
                (close + 1, &rest[1..close])
            } else {
                self.unquote(rest)
            };
            let done = each(Field { column, start, raw: &rest[..length], text });
            if done.is_break() || length == rest.len() {
                return;
            }
            start += length + 1;
        }
    }

    /// The number of fields of a record without its end, counted up to `most`.
    pub(super) fn count(&mut self, record: &[u8], most: usize) -> usize {
        let mut count = 0;
        self.each(record, |field| {
            count = field.column + 1;
            if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        count
    }

    /// The length of the field at the start of `text`, with its quotes, and its unquoted text.
    #[cold]
    fn unquote(&mut self, text: &[u8]) -> (usize, &[u8]) {
        let Self { delimiter, reader, unquoted } = self;
        // Records come one by one, without their ends. A clone of a csv_core::Reader would parse
        // nothing.
        let new = || ReaderBuilder::new().delimiter(*delimiter).terminator(Terminator::Any(b'\n')).build();
        let reader = reader.get_or_insert_with(new);
        reader.reset();
        if unquoted.len() <= text.len() {
            unquoted.resize(text.len() + 1, 0);
        }
        let (mut read, mut written) = (0, 0);
        loop {
            let (result, input, output) = reader.read_field(&text[read..], &mut unquoted[written..]);
            read += input;
            written += output;
            match result {
                // The next, empty input signals the end.
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end: false } => return (read - 1, &unquoted[..written]),
                ReadFieldResult::Field { record_end: true } | ReadFieldResult::End => {
                    return (text.len(), &unquoted[..written]);
                }
            }
        }
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

/// Writes fields.
pub(crate) struct FieldWriter {
    delimiter: u8,
    /// Bytes because of which a field must be quoted.
    quoted: ByteSet,
}

impl FieldWriter {
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, quoted: quoted::bytes_to_quote(delimiter) }
    }

    /// Appends a field, quoted if it was, or if necessary.
    pub(super) fn field(&self, text: &[u8], was_quoted: bool, output: &mut Vec<u8>) {
        if !was_quoted && self.quoted.find(text).is_none() {
            output.extend_from_slice(text);
            return;
        }
        quoted::push(text, output);
    }

    /// Puts quotes around the field from `start` on, if that is necessary and it is not
    /// `unchanged`, as it was without.
    pub(super) fn quote_if_needed(&self, start: usize, unchanged: &[u8], output: &mut Vec<u8>) {
        if self.quoted.find(&output[start..]).is_some() && output[start..] != *unchanged {
            let text = output.split_off(start);
            self.field(&text, false, output);
        }
    }

    /// Appends a delimiter and a field.
    pub(super) fn next_field(&self, text: &[u8], was_quoted: bool, output: &mut Vec<u8>) {
        output.push(self.delimiter);
        self.field(text, was_quoted, output);
    }

    /// Appends a delimiter and fields that are written already.
    pub(super) fn next_row(&self, fields: &[u8], output: &mut Vec<u8>) {
        output.push(self.delimiter);
        output.extend_from_slice(fields);
    }

    /// Appends a delimiter and an empty field.
    pub(super) fn empty_field(&self, output: &mut Vec<u8>) {
        output.push(self.delimiter);
    }

    /// Begins a record at the end of the output.
    pub(crate) fn row<'w>(&'w self, output: &'w mut Vec<u8>) -> Row<'w> {
        Row { writer: self, start: output.len(), output, is_first: true }
    }
}

/// A record that is written field by field.
pub(crate) struct Row<'w> {
    writer: &'w FieldWriter,
    output: &'w mut Vec<u8>,
    /// Where it begins in the output.
    start: usize,
    /// Whether it has no fields yet.
    is_first: bool,
}

impl Row<'_> {
    pub(crate) fn push(&mut self, text: &[u8], was_quoted: bool) {
        if !self.is_first {
            self.output.push(self.writer.delimiter);
        }
        self.is_first = false;
        self.writer.field(text, was_quoted, self.output);
    }

    /// Appends fields that are written already.
    pub(super) fn push_row(&mut self, fields: &[u8]) {
        if !self.is_first {
            self.output.push(self.writer.delimiter);
        }
        self.is_first = false;
        self.output.extend_from_slice(fields);
    }

    pub(crate) fn end(self) {
        end_record(self.start, self.output);
    }
}

/// Ends the record that begins at `start`. An empty line would be no record, so a single empty
/// field is quoted.
pub(super) fn end_record(start: usize, output: &mut Vec<u8>) {
    if output.len() == start {
        output.extend_from_slice(b"\"\"");
    }
}

#[cfg(test)]
mod tests {
    use std::ops::{ControlFlow, Range};

    use csv_core::{QuoteStyle, ReadFieldResult, Reader, ReaderBuilder, Terminator, WriterBuilder};

    use super::super::records::tests::{ends, for_each_text};
    use super::{FieldReader, FieldWriter};
    use crate::operation::split_ending;

    /// All texts of up to 6 significant bytes, with each as the delimiter: the fields of each
    /// record are those of csv-core.
    #[test]
    fn fields_are_those_of_the_parser() {
        for delimiter in *b",a\"" {
            let mut fields = FieldReader::new(delimiter);
            let mut reader = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
            for_each_text(b"\"a,\n\r", 6, |text| {
                let mut start = 0;
                for end in ends(text, delimiter).into_iter().chain([text.len()]) {
                    let (record, _) = split_ending(&text[start..end], b'\n');
                    let mut found = Vec::new();
                    fields.each(record, |field| {
                        assert_eq!(field.column, found.len());
                        assert_eq!(field.raw, &record[field.start..field.end()]);
                        found.push((field.start..field.end(), field.text.to_vec()));
                        ControlFlow::Continue(())
                    });
                    let context = format!("{} of {}", record.escape_ascii(), text.escape_ascii());
                    assert_eq!(found, parsed_fields(record, &mut reader), "{context}");
                    assert_eq!(fields.count(record, 2), found.len().min(2), "{context}");
                    start = end;
                }
            });
        }
    }

    #[test]
    fn written_fields_are_those_of_csv_core() {
        for delimiter in *b",\"\t" {
            let fields = FieldWriter::new(delimiter);
            for_each_text(b"\"a,\n\r", 4, |text| {
                for was_quoted in [false, true] {
                    let mut found = Vec::new();
                    fields.field(text, was_quoted, &mut found);
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

    #[test]
    fn rows_without_text_are_records() {
        let writer = FieldWriter::new(b';');
        for (fields, expected) in [(&[][..], "\"\""), (&[""], "\"\""), (&["", ""], ";"), (&["a;", "b"], "\"a;\";b")] {
            let mut output = b"before".to_vec();
            let mut row = writer.row(&mut output);
            fields.iter().for_each(|field| row.push(field.as_bytes(), false));
            row.end();
            assert_eq!(output, [b"before", expected.as_bytes()].concat());
        }
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
}

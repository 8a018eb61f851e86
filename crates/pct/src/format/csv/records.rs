//! Ends of records: line feeds outside quotes.
#![forbid(unsafe_code)]

use memchr::{memchr, memchr2, memrchr};

use crate::format::near;
use crate::source::Scanner;

/// Finds the ends of records. A quote opens only at the start of a field.
pub(super) struct Records {
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
    pub(super) fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::FieldStart }
    }

    /// Whether the text so far ends in a quoted field that is not closed.
    pub(super) fn is_in_quotes(&self) -> bool {
        self.state == State::Quoted
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

/// Whether a line is empty; such lines are not records.
pub(super) fn is_empty(line: &[u8]) -> bool {
    line.iter().all(|byte| b"\r\n".contains(byte))
}

#[cfg(test)]
pub(super) mod tests {
    use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};

    use super::Records;
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

    /// Calls `each` with all texts of up to this many bytes that mean something in CSV.
    pub(in super::super) fn for_each_text(symbols: &[u8], most: u32, mut each: impl FnMut(&[u8])) {
        for length in 0..=most {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| number / symbols.len().pow(at) % symbols.len());
                each(&digits.map(|digit| symbols[digit]).collect::<Vec<_>>());
            }
        }
    }

    pub(in super::super) fn ends(text: &[u8], delimiter: u8) -> Vec<usize> {
        let mut records = Records::new(delimiter);
        let mut ends = Vec::new();
        while let Some(end) = records.first_end(&text[ends.last().copied().unwrap_or(0)..]) {
            ends.push(ends.last().copied().unwrap_or(0) + end);
        }
        ends
    }

    fn parsed_ends(text: &[u8]) -> Vec<usize> {
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

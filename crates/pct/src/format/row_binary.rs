//! `--row-binary`: rows of one column of `Nullable(String)`, in ClickHouse's format RowBinary.
//!
//! A row is a byte 1 for NULL; or a byte 0, the length of the string (LEB128) and its bytes.
//! Nothing is escaped, so that a string may have any bytes.
#![forbid(unsafe_code)]

use super::Format;
use super::passthrough::NextTrigger;
use crate::operation::{Fault, FaultKind, Operation};
use crate::record::Job;
use crate::report;
use crate::source::Scanner;

/// A length of 64 bits has so many bytes at most.
const LONGEST_LENGTH: usize = 10;

/// The first byte of a row.
const VALUE: u8 = 0;
const NULL: u8 = 1;

const EXPECTED: &str = "expected a row of Nullable(String) in RowBinary";

pub(crate) struct RowBinary {
    operation: Box<dyn Operation>,
}

impl RowBinary {
    pub(crate) fn new(operation: Box<dyn Operation>) -> Self {
        Self { operation }
    }
}

/// The start of a row.
#[derive(Debug, Eq, PartialEq)]
enum Row {
    /// NULL, a row of one byte.
    Null,
    /// A string of this length after so many bytes.
    Value { start: usize, length: usize },
    /// More bytes are needed.
    Incomplete,
    /// No row begins like this.
    Invalid,
}

impl Row {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [] => Self::Incomplete,
            [NULL, ..] => Self::Null,
            [VALUE, rest @ ..] => {
                let mut length = 0_u64;
                for (index, &byte) in rest.iter().take(LONGEST_LENGTH).enumerate() {
                    length |= u64::from(byte & 0x7F).checked_shl(7 * index as u32).unwrap_or(0);
                    if byte & 0x80 == 0 {
                        let is_whole = index + 1 < LONGEST_LENGTH || byte <= 1;
                        // A longer string does not fit into memory.
                        return match usize::try_from(length) {
                            Ok(length) if is_whole && length <= isize::MAX as usize => {
                                Self::Value { start: index + 2, length }
                            }
                            _ => Self::Invalid,
                        };
                    }
                }
                if rest.len() < LONGEST_LENGTH { Self::Incomplete } else { Self::Invalid }
            }
            _ => Self::Invalid,
        }
    }
}

/// Appends the start of a row with a string of this length.
fn append_start(mut length: usize, output: &mut Vec<u8>) {
    output.push(VALUE);
    while length >= 0x80 {
        output.push(length as u8 | 0x80);
        length >>= 7;
    }
    output.push(length as u8);
}

/// Finds the ends of rows.
#[derive(Default)]
struct Rows {
    /// The bytes of a row whose start is incomplete.
    start: Vec<u8>,
    /// The bytes of the string that are still to come.
    missing: usize,
    /// Whether something was no row: all that follows is one record.
    is_invalid: bool,
}

impl Scanner for Rows {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while self.missing == 0 {
            if self.is_invalid {
                return None;
            }
            // The start of a row has few bytes; usually all are here.
            let row = if self.start.is_empty() {
                Row::of(&bytes[at..])
            } else {
                self.start.push(*bytes.get(at)?);
                Row::of(&self.start)
            };
            let known = self.start.len().saturating_sub(1);
            match row {
                Row::Null => return Some(at + 1),
                Row::Value { start, length } => {
                    at += start - known;
                    self.start.clear();
                    if length == 0 {
                        return Some(at);
                    }
                    self.missing = length;
                }
                Row::Incomplete if self.start.is_empty() => {
                    self.start.extend_from_slice(&bytes[at..]);
                    return None;
                }
                Row::Incomplete => at += 1,
                Row::Invalid => self.is_invalid = true,
            }
        }
        let here = self.missing.min(bytes.len() - at);
        self.missing -= here;
        (self.missing == 0).then_some(at + here)
    }
}

impl Format for RowBinary {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::<Rows>::default()
    }

    fn ending(&self) -> Option<u8> {
        None
    }

    fn records(&self) -> report::Records {
        report::Records::Counted
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        let triggers = self.operation.triggers().filter(|_| job.takes_runs(true));
        let mut next = NextTrigger::default();
        let mut at = 0;
        // Start of the rows that need no change.
        let mut run = 0;
        while at < records.len() {
            let rest = &records[at..];
            let (row, text) = match Row::of(rest) {
                Row::Null => (&rest[..1], &rest[..0]),
                Row::Value { start, length } if length <= rest.len() - start => {
                    (&rest[..start + length], &rest[start..start + length])
                }
                _ => {
                    job.unchanged(&records[run..at]);
                    job.tally.records += 1;
                    // Nothing after it can be told apart. The input is copied from here on.
                    let _ = job.record(rest, at, |output, _| {
                        output.extend_from_slice(rest);
                        Some(Fault::new(FaultKind::Format(EXPECTED), 0))
                    });
                    return;
                }
            };
            job.tally.records += 1;
            let (start, end) = (at + row.len() - text.len(), at + row.len());
            let is_unchanged = row[0] == NULL
                || triggers.is_some_and(|triggers| {
                    !next.is_in(&triggers, records, start, end) && simdutf8::basic::from_utf8(text).is_ok()
                });
            if !(is_unchanged && job.takes_runs(true)) {
                job.unchanged(&records[run..at]);
                run = end;
                let flow = job.record(row, at, |output, scratch| {
                    if row[0] == NULL {
                        output.extend_from_slice(row);
                        return None;
                    }
                    scratch.clear();
                    let fault = self.operation.apply(text, scratch);
                    append_start(scratch.len(), output);
                    output.extend_from_slice(scratch);
                    fault.map(|fault| fault.shifted_by(start - at))
                });
                if flow.is_break() {
                    return;
                }
            }
            at = end;
        }
        job.unchanged(&records[run..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: Option<&[u8]>) -> Vec<u8> {
        let mut row = Vec::new();
        match text {
            Some(text) => {
                append_start(text.len(), &mut row);
                row.extend_from_slice(text);
            }
            None => row.push(NULL),
        }
        row
    }

    #[test]
    fn start_of_row_is_read_as_written() {
        for length in [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 35, isize::MAX as usize] {
            let mut start = Vec::new();
            append_start(length, &mut start);
            assert_eq!(Row::of(&start), Row::Value { start: start.len(), length });
            for end in 0..start.len() {
                assert_eq!(Row::of(&start[..end]), Row::Incomplete);
            }
        }
        assert_eq!(Row::of(&[2]), Row::Invalid);
        assert_eq!(Row::of(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), Row::Invalid);
        assert_eq!(Row::of(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]), Row::Invalid);
    }

    /// Wherever the input is cut.
    #[test]
    fn rows_end_where_they_were_written() {
        let texts: [Option<&[u8]>; 6] = [Some(b""), None, Some(b"a"), Some(&[b'b'; 200]), None, Some(b"\0\x01\x02")];
        let mut rows = Vec::new();
        let mut ends = Vec::new();
        for text in texts {
            rows.extend(row(text));
            ends.push(rows.len());
        }
        for length in 1..rows.len() {
            let mut scanner = Rows::default();
            let mut found = Vec::new();
            for (number, chunk) in rows.chunks(length).enumerate() {
                let mut at = 0;
                while at < chunk.len() {
                    let Some(end) = scanner.first_end(&chunk[at..]) else { break };
                    at += end;
                    found.push(number * length + at);
                }
            }
            assert_eq!(found, ends, "{length}");
        }
    }
}

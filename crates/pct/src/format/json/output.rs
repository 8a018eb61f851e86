//! Writes a line with the results for its selected strings.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, Encoder};

use super::found::Found;
use super::selection::Selection;
use crate::codec::{end_string, write_string};
use crate::format::Destination;
use crate::operation::{Fault, FaultKind, Operation};

/// Bytes that are escaped as triplets in cells: they end a cell or a line.
pub(crate) const IN_CELLS: ByteSet = ByteSet::new(b"\t\n\r");

/// What is written of a line.
pub(super) struct Output {
    /// Unless results are written alone, within [`WellFormed`](crate::operation::WellFormed).
    pub(super) operation: Box<dyn Operation>,
    pub(super) destination: Destination,
}

impl Output {
    /// Appends the output for a line in which these strings are selected.
    pub(super) fn line(
        &self,
        text: &str,
        found: &[Found<'_>],
        selection: &Selection,
        output: &mut Vec<u8>,
    ) -> Option<Fault> {
        if self.destination.is_alone() {
            self.cells(text, found, selection, output)
        } else {
            self.replace(text, found, selection, output)
        }
    }

    /// Appends a cell for each path. The results for several strings of a path have a space between
    /// them.
    fn cells(&self, text: &str, found: &[Found<'_>], selection: &Selection, output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        for path in 0..selection.len() {
            if path > 0 {
                output.push(b'\t');
            }
            let is_of_path = |found: &&Found<'_>| selection.is_of(path, found);
            for (before, found) in found.iter().filter(is_of_path).enumerate() {
                if before > 0 {
                    output.push(b' ');
                }
                fault = Fault::first(fault, self.cell(found, output).map(|fault| found.locate(fault, text)));
            }
        }
        fault
    }

    /// Appends the result for a string, with the bytes that end a cell escaped.
    fn cell(&self, found: &Found<'_>, output: &mut Vec<u8>) -> Option<Fault> {
        let Some(unescaped) = found.unescaped() else { return Some(Fault::new(FaultKind::NotUtf8, 0)) };
        let start = output.len();
        let fault = self.operation.apply_text(&unescaped, output);
        // The operation writes them only if it is told to, or if they are in the string.
        if IN_CELLS.find(unescaped.as_bytes()).is_some() {
            let escaped = Encoder::new(IN_CELLS).keep_non_ascii().encode(&output[start..]).into_owned();
            output.truncate(start);
            output.extend_from_slice(escaped.as_bytes());
        }
        fault
    }

    /// Appends the text of a line, with the selected strings transformed.
    fn replace(&self, text: &str, found: &[Found<'_>], selection: &Selection, output: &mut Vec<u8>) -> Option<Fault> {
        let line = text.as_bytes();
        let mut done = 0;
        let mut fault = None;
        for found in found {
            let start = found.start(text);
            output.extend_from_slice(&line[done..start]);
            done = start + found.string.len();
            if found.key_exists {
                output.extend_from_slice(found.string.as_bytes());
                fault = Fault::first(fault, Some(Fault::new(FaultKind::KeyExists, start)));
                continue;
            }
            if selection.len() > 1 {
                self.operation.begin_field(found.end);
            }
            fault = Fault::first(fault, self.string(found, output).map(|fault| found.locate(fault, text)));
        }
        output.extend_from_slice(&line[done..]);
        fault
    }

    /// Transforms one string; with `--append`, copies it and adds a new member.
    fn string(&self, found: &Found<'_>, output: &mut Vec<u8>) -> Option<Fault> {
        let raw = found.string.as_bytes();
        let Some(unescaped) = found.unescaped() else {
            output.extend_from_slice(raw);
            return Some(Fault::new(FaultKind::NotUtf8, 0));
        };
        let Some(name) = self.destination.column() else {
            return self.write_result(raw, &unescaped, output);
        };
        let mut result = Vec::with_capacity(unescaped.len());
        let fault = self.operation.apply_text(&unescaped, &mut result);
        let text = simdutf8::basic::from_utf8(&result).expect("the operation is within WellFormed");
        output.extend_from_slice(raw);
        // An element of an array has no key, so no new member can be added.
        if let Some(key) = &found.key {
            output.push(b',');
            write_string(&name.of(key), output);
            output.push(b':');
            self.write(text, output);
        }
        fault
    }

    /// Appends the result for a string in its place. A string that does not change keeps its
    /// escapes.
    fn write_result(&self, raw: &[u8], unescaped: &str, output: &mut Vec<u8>) -> Option<Fault> {
        if self.operation.is_json() {
            return self.operation.apply_text(unescaped, output);
        }
        let start = output.len();
        output.push(b'"');
        let fault = self.operation.apply_text(unescaped, output);
        if output[start + 1..] == *unescaped.as_bytes() {
            output.truncate(start);
            output.extend_from_slice(raw);
        } else {
            end_string(start, output);
        }
        fault
    }

    /// Appends a result as a value.
    fn write(&self, result: &str, output: &mut Vec<u8>) {
        if self.operation.is_json() {
            output.extend_from_slice(result.as_bytes());
        } else {
            write_string(result, output);
        }
    }
}

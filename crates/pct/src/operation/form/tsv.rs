//! Pairs as TSV: a cell for each pair, or for the value of each of some names.
#![forbid(unsafe_code)]

use simdpct::ByteSet;

use super::{Pair, write_separated};
use crate::operation::{Fault, FaultKind};

/// The TSV cell of an absent name, as in databases.
const ABSENT: &str = "\\N";

/// Bytes that are escaped in TSV. NUL would end a record with -0.
const ESCAPED_IN_VALUES: ByteSet = ByteSet::new(b"\t\n\r\0\\");
const ESCAPED_IN_NAMES: ByteSet = ESCAPED_IN_VALUES.with(b'=');

/// Appends a cell `name=value` for each pair.
pub(super) fn write_pairs(pairs: &[Pair<'_>], output: &mut Vec<u8>) {
    write_separated(pairs, b'\t', output, |(name, value), output| {
        write_cell(name, &ESCAPED_IN_NAMES, output);
        output.push(b'=');
        write_cell(value, &ESCAPED_IN_VALUES, output);
    });
}

/// Appends a cell with the value of each of these names.
pub(super) fn write_values(names: &[String], pairs: &[Pair<'_>], output: &mut Vec<u8>) {
    write_separated(&named(names, pairs), b'\t', output, |value, output| match value {
        Some(value) => write_cell(value, &ESCAPED_IN_VALUES, output),
        None => output.extend_from_slice(ABSENT.as_bytes()),
    });
}

/// The value for each name; a repeated name selects the next value.
fn named<'p>(names: &[String], pairs: &'p [Pair<'_>]) -> Vec<Option<&'p str>> {
    let nth = |at: usize, name: &String| {
        let before = names[..at].iter().filter(|other| *other == name).count();
        pairs.iter().filter(|pair| pair.0 == *name).nth(before).map(|(_, value)| &**value)
    };
    names.iter().enumerate().map(|(at, name)| nth(at, name)).collect()
}

fn write_cell(text: &str, escaped: &ByteSet, output: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(at) = escaped.find(rest) {
        output.extend_from_slice(&rest[..at]);
        output.push(b'\\');
        output.push(match rest[at] {
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\0' => b'0',
            other => other,
        });
        rest = &rest[at + 1..];
    }
    output.extend_from_slice(rest);
}

/// Reads the cells of a line: pairs, or the values of these names.
pub(super) fn read(text: &str, names: &[String]) -> Result<Vec<(String, String)>, Fault> {
    let mut position = 0;
    let mut pairs = Vec::new();
    for (at, cell) in text.split('\t').enumerate() {
        let pair = if names.is_empty() {
            let end = end_of_name(cell);
            let (name, value) = (&cell[..end], cell.get(end + 1..).unwrap_or_default());
            Some((unescaped(name), unescaped(value)))
        } else {
            let Some(name) = names.get(at) else {
                return Err(Fault::new(FaultKind::TooManyFields, position));
            };
            (cell != ABSENT).then(|| (name.clone(), unescaped(cell)))
        };
        pairs.extend(pair);
        position += cell.len() + 1;
    }
    Ok(pairs)
}

/// Position of the first unescaped '='.
fn end_of_name(cell: &str) -> usize {
    let mut is_escaped = false;
    let end = cell.bytes().position(|byte| {
        let is_end = byte == b'=' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(cell.len())
}

fn unescaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut characters = cell.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(other) => other,
                None => '\\',
            },
            _ => character,
        });
    }
    text
}

//! Finds the columns of a header by name, number, range or pattern.
#![forbid(unsafe_code)]

use memchr::{memchr, memchr_iter};

use crate::format::Columns;
use crate::source::binary;
use crate::text::pattern::Pattern;

/// Maximum number of names in a message.
const MOST_NAMES: usize = 20;

/// The names of a header, for a message.
pub(super) fn listed(names: &[Vec<u8>]) -> String {
    let listed: Vec<_> = names.iter().take(MOST_NAMES).map(|name| String::from_utf8_lossy(name)).collect();
    let rest = if names.len() > MOST_NAMES { ", ..." } else { "" };
    format!("'{}'{rest}", listed.join("', '"))
}

/// The message about the names of columns, and its probable cause.
pub(super) fn explained(message: String, header: &[u8], names: &[Vec<u8>], delimiter: u8) -> String {
    if let Some(hint) = binary::hint(header, Some(b'\n')) {
        return format!("invalid CSV: {hint}");
    }
    if memchr(0, header).is_some() {
        return "invalid CSV: the header has NUL bytes".into();
    }
    let count = |byte: u8| memchr_iter(byte, header).count();
    let other =
        b";\t|,".iter().copied().filter(|&byte| byte != delimiter && count(byte) > 0).max_by_key(|&byte| count(byte));
    match other {
        Some(b'\t') if names.len() == 1 => format!("{message}; tabs separate its columns with -d '\\t'"),
        Some(other) if names.len() == 1 => {
            let other = char::from(other);
            format!("{message}; '{other}' separates its columns with -d '{other}'")
        }
        _ => message,
    }
}

/// All columns of this name. If there are none: the columns of a number, a range of numbers, a
/// range of names `first:last`, or a pattern.
pub(super) fn columns_of(name: &str, names: &[Vec<u8>]) -> Result<Vec<usize>, String> {
    let exact: Vec<_> = (0..names.len()).filter(|&column| names[column] == name.as_bytes()).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    if let Ok(number @ 1..) = name.parse::<usize>() {
        return Ok(vec![number - 1]);
    }
    if let Ok(range) = name.parse::<Columns>() {
        range.check(names.len()).map_err(|message| format!("{message}, as in the header"))?;
        return Ok((0..names.len()).filter(|&column| range.contains(column)).collect());
    }
    if let Some((first, last)) = name.split_once(':') {
        return range_of(first, last, names).map_err(|message| format!("invalid range '{name}': {message}"));
    }
    let message = match Pattern::of(name) {
        Some(pattern) => {
            let is_match = |&column: &usize| pattern.matches(&String::from_utf8_lossy(&names[column]));
            let found: Vec<_> = (0..names.len()).filter(is_match).collect();
            if !found.is_empty() {
                return Ok(found);
            }
            "expected a pattern that matches one of"
        }
        None => "expected one of",
    };
    Err(format!("invalid column '{name}': {message} {}", listed(names)))
}

/// The columns from `first` to `last`; an empty name is that of the first or the last column.
fn range_of(first: &str, last: &str, names: &[Vec<u8>]) -> Result<Vec<usize>, String> {
    let end = |name: &str, open: usize| match name {
        "" => Some(open),
        _ => names.iter().position(|other| other == name.as_bytes()),
    };
    match (end(first, 0), end(last, names.len().saturating_sub(1))) {
        (Some(first), Some(last)) if first <= last => Ok((first..=last).collect()),
        (Some(_), Some(_)) => Err("expected the first column first".into()),
        _ => Err(format!("expected two of {}", listed(names))),
    }
}

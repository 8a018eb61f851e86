//! `pct repair`: escapes illegal characters in URI references.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use memchr::{memchr, memrchr};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, sets, uri};

use super::batch::{Batch, Batches};
use super::{Fault, FaultKind, Operation, Stream, split_ending};

/// Escapes the bytes that are illegal in their component. Invalid UTF-8 is escaped like all
/// non-ASCII bytes, or replaced first.
pub(crate) struct Repair {
    replace: bool,
}

impl Repair {
    pub(crate) fn new(replace: bool) -> Self {
        Self { replace }
    }
}

/// Bytes that are illegal in some component. `/` and `?` are left out: in a reference without any
/// of these bytes, all they can do is end a scheme or an authority.
const NOT_ORDINARY: ByteSet = sets::URI.union(ByteSet::new(b"%#[]@:"));

/// The bytes of a scheme (RFC 3986 3.1).
const SCHEME: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"+-."));

/// Whether the last record of a text is a scheme, which begins with a letter.
fn is_after_scheme(text: &[u8], separator: u8) -> bool {
    // `typical_urls.txt`: 0.88 -> 0.81 s/GB (Zen 5, `crates/pct/bench`).
    let http = text.strip_suffix(b"http").or_else(|| text.strip_suffix(b"https"));
    if http.is_some_and(|before| before.last().is_none_or(|&end| end == separator)) {
        return true;
    }
    let start = text.iter().rposition(|&byte| !SCHEME.contains(byte)).map_or(0, |at| at + 1);
    let is_first = start == 0 || text[start - 1] == separator;
    is_first && text.get(start).is_some_and(u8::is_ascii_alphabetic)
}

/// Appends a text. One that is longer than the buffer, such as a record that is held alone, becomes
/// the buffer instead of being in memory twice.
fn append_owned(text: String, output: &mut Vec<u8>) {
    if output.is_empty() && output.capacity() < text.len() {
        *output = text.into_bytes();
    } else {
        output.extend_from_slice(text.as_bytes());
    }
}

/// The first malformed '%'.
fn malformed(field: &[u8]) -> Option<Fault> {
    const STRICT: &Decoder = &Decoder::new();
    let error = STRICT.check(field).err()?;
    Some(Fault::new(FaultKind::Code(DecodeErrorKind::Malformed), error.position))
}

impl Repair {
    #[cold]
    fn apply_to_ill_formed(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let repaired = if self.replace {
            uri::repair(&String::from_utf8_lossy(field)[..]).into_owned()
        } else {
            uri::repair(field).into_owned()
        };
        append_owned(repaired, output);
        let position = str::from_utf8(field).map_or_else(|error| error.valid_up_to(), str::len);
        Fault::earliest(malformed(field), Some(Fault::new(FaultKind::NotUtf8, position)))
    }
}

impl Operation for Repair {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        match simdutf8::basic::from_utf8(field) {
            Ok(text) => self.apply_text(text, output),
            Err(_) => self.apply_to_ill_formed(field, output),
        }
    }

    fn apply_text(&self, text: &str, output: &mut Vec<u8>) -> Option<Fault> {
        match uri::repair(text) {
            // A malformed '%' is escaped.
            Cow::Borrowed(_) => {
                output.extend_from_slice(text.as_bytes());
                None
            }
            Cow::Owned(repaired) => {
                append_owned(repaired, output);
                malformed(text.as_bytes())
            }
        }
    }

    fn batches(&self) -> Batches<'_> {
        Batches::Whole(self)
    }

    /// The role of a byte in a URI can depend on any following byte.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

impl Batch for Repair {
    /// `apply_and_collect` is as fast.
    fn tries_clean(&self) -> bool {
        false
    }

    /// Copies runs of ordinary references: without a byte that is escaped in some component, and
    /// with a ':' only after a scheme.
    ///
    /// `typical_urls.txt`: 2.1 -> 0.95 s/GB (Zen 5, `crates/pct/bench`).
    fn apply_and_collect(&self, records: &[u8], separator: u8, output: &mut Vec<u8>, faults: &mut Vec<Fault>) -> bool {
        let not_ordinary = NOT_ORDINARY.without(separator);
        let text = simdutf8::basic::from_utf8(records).ok();
        // Start of the records to copy.
        let mut run = 0;
        let mut from = 0;
        while let Some(at) = not_ordinary.find(&records[from..]) {
            let at = from + at;
            from = at + 1;
            let is_line_end = separator == b'\n' && records[at..].starts_with(b"\r\n");
            if is_line_end || (records[at] == b':' && is_after_scheme(&records[run..at], separator)) {
                continue;
            }
            let start = memrchr(separator, &records[run..at]).map_or(run, |end| run + end + 1);
            let end = memchr(separator, &records[at..]).map_or(records.len(), |end| at + end + 1);
            output.extend_from_slice(&records[run..start]);
            let (record, ending) = split_ending(&records[start..end], separator);
            // The separator is ASCII, so each record is text if all are.
            let fault = match text.and_then(|text| text.get(start..start + record.len())) {
                Some(text) => self.apply_text(text, output),
                None => self.apply(record, output),
            };
            faults.extend(fault.map(|fault| fault.shifted_by(start)));
            output.extend_from_slice(ending);
            (run, from) = (end, end);
        }
        output.extend_from_slice(&records[run..]);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Batch, Operation, Repair};
    use crate::operation::{Fault, split_ending};

    /// The result for each record alone.
    fn one_by_one(records: &[u8], separator: u8) -> (Vec<u8>, Vec<Fault>) {
        let (mut output, mut faults, mut start) = (Vec::new(), Vec::new(), 0);
        for record in records.split_inclusive(|&byte| byte == separator) {
            let (field, ending) = split_ending(record, separator);
            faults.extend(Repair::new(false).apply(field, &mut output).map(|fault| fault.shifted_by(start)));
            output.extend_from_slice(ending);
            start += record.len();
        }
        (output, faults)
    }

    #[track_caller]
    fn assert_collected(records: &[u8]) {
        for separator in [b'\n', 0] {
            let (mut output, mut faults) = (Vec::new(), Vec::new());
            assert!(Repair::new(false).apply_and_collect(records, separator, &mut output, &mut faults));
            assert_eq!((output, faults), one_by_one(records, separator), "{}", records.escape_ascii());
        }
    }

    /// All texts of up to 5 bytes that mean something in a reference or end a record.
    #[test]
    fn references_in_a_batch_are_repaired_as_alone() {
        let symbols = *b"a1:/?@\n\r";
        for length in 0..=5 {
            for number in 0..symbols.len().pow(length) {
                let digits = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]);
                assert_collected(&digits.collect::<Vec<_>>());
            }
        }
    }

    proptest! {
        #[test]
        fn urls_in_a_batch_are_repaired_as_alone(
            pieces in proptest::collection::vec(
                prop::sample::select(vec![
                    "http", "https", "a+b", "1", ":", "//", "/", "h", ":80", "?", "#", "[::1]", "u@", "%41", "%", "é", "\n", "\r\n", "\0", "|",
                ]),
                0..24,
            ),
        ) {
            assert_collected(pieces.concat().as_bytes());
        }
    }
}

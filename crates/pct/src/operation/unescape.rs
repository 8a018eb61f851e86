//! `--unescape`: undoes the escapes of a log before another operation.
//!
//! nginx writes a quote, a backslash, a control character and a non-ASCII byte as `\xHH`. Apache
//! httpd writes quotes and backslashes after a backslash, white space as in C, such as `\n`, and
//! other bytes as `\xHH`.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::ByteSet;

use super::{Fault, Operation, Stream};

/// Applies an operation to the unescaped field.
pub(crate) struct Unescape {
    operation: Box<dyn Operation>,
    /// Bytes whose escapes are kept, because they would end or change the field.
    keep: ByteSet,
}

impl Unescape {
    pub(crate) fn new(operation: Box<dyn Operation>, keep: ByteSet) -> Self {
        Self { operation, keep }
    }

    /// Calls `each` with each part of a field, in order: its length, and the bytes that it becomes.
    fn each_part(&self, field: &[u8], mut each: impl FnMut(usize, &[u8])) {
        let mut rest = field;
        while let Some(at) = memchr(b'\\', rest) {
            if at > 0 {
                each(at, &rest[..at]);
            }
            rest = &rest[at..];
            let length = match escape(rest) {
                Some((length, byte)) if !self.keep.contains(byte) => {
                    each(length, &[byte]);
                    length
                }
                Some((length, _)) => {
                    each(length, &rest[..length]);
                    length
                }
                None => {
                    each(1, b"\\");
                    1
                }
            };
            rest = &rest[length..];
        }
        if !rest.is_empty() {
            each(rest.len(), rest);
        }
    }

    /// The position in a field of the byte at `position` of its unescaped text.
    #[cold]
    fn origin(&self, field: &[u8], position: usize) -> usize {
        let (mut origin, mut before, mut after) = (None, 0, 0);
        self.each_part(field, |length, bytes| {
            if origin.is_none() && position < after + bytes.len() {
                // An escape is one byte; other parts are unchanged.
                origin = Some(before + if bytes.len() == length { position - after } else { 0 });
            }
            before += length;
            after += bytes.len();
        });
        origin.unwrap_or(field.len())
    }
}

/// The escape at the start of a text: its length, and the byte it means.
fn escape(text: &[u8]) -> Option<(usize, u8)> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = match text.get(1)? {
        b'x' => return Some((4, digit(2)? << 4 | digit(3)?)),
        b'"' => b'"',
        b'\\' => b'\\',
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0B,
        b'f' => 0x0C,
        b'r' => b'\r',
        _ => return None,
    };
    Some((2, byte))
}

impl Operation for Unescape {
    fn is_json(&self) -> bool {
        self.operation.is_json()
    }

    fn row(&self) -> &[String] {
        self.operation.row()
    }

    fn matches(&self, field: &[u8], fault: Option<&Fault>) -> bool {
        let mut text = Vec::with_capacity(field.len());
        self.each_part(field, |_, bytes| text.extend_from_slice(bytes));
        self.operation.matches(&text, fault)
    }

    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        if memchr(b'\\', field).is_none() {
            return self.operation.apply(field, output);
        }
        let mut text = Vec::with_capacity(field.len());
        self.each_part(field, |_, bytes| text.extend_from_slice(bytes));
        let fault = self.operation.apply(&text, output)?;
        Some(Fault { position: self.origin(field, fault.position), ..fault })
    }

    fn triggers(&self) -> Option<ByteSet> {
        self.operation.triggers().map(|triggers| triggers.with(b'\\'))
    }

    /// Fields of logs are never whole records.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use simdpct::ByteSet;

    use super::Unescape;
    use crate::operation::{Fault, FaultKind, Operation, Stream};

    /// Copies, and reports the position of the first 'X'.
    struct Copy;

    impl Operation for Copy {
        fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
            output.extend_from_slice(field);
            Some(Fault::new(FaultKind::NotUtf8, field.iter().position(|&byte| byte == b'X')?))
        }

        fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
            None
        }
    }

    #[test]
    fn escapes_become_bytes_unless_they_are_kept() {
        let quotes = ByteSet::new(b"\"\\\n");
        for (keep, field, expected, position) in [
            (ByteSet::EMPTY, r#"a\x41\x7A\xe9"#, &b"aAz\xE9"[..], None),
            (ByteSet::EMPTY, r#"\"\\\b\t\n\v\f\r"#, b"\"\\\x08\t\n\x0B\x0C\r", None),
            (quotes, r#"\"\\\x22\x5c\x0A\n\t"#, b"\\\"\\\\\\x22\\x5c\\x0A\\n\t", None),
            // Not escapes.
            (ByteSet::EMPTY, r"\q\x4\xzz\", b"\\q\\x4\\xzz\\", None),
            // A backslash that is kept is no part of the next escape.
            (quotes, r"\\x41", b"\\\\x41", None),
            (ByteSet::EMPTY, r"\\x41", b"\\x41", None),
            (ByteSet::EMPTY, r"aX", b"aX", Some(1)),
            (ByteSet::EMPTY, r"\xC3\xA9aX", b"\xC3\xA9aX", Some(9)),
            (ByteSet::EMPTY, r"ab\x58", b"abX", Some(2)),
            (quotes, r"\x22aX", b"\\x22aX", Some(5)),
        ] {
            let mut output = Vec::new();
            let fault = Unescape::new(Box::new(Copy), keep).apply(field.as_bytes(), &mut output);
            let found = (output.escape_ascii().to_string(), fault.map(|fault| fault.position));
            assert_eq!(found, (expected.escape_ascii().to_string(), position), "{field}");
        }
    }
}

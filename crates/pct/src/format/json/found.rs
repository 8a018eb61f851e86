//! A selected string of a line, and its escapes.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use memchr::{memchr, memmem};
use simdpct::ByteSet;

use crate::operation::Fault;

/// A selected string: as in the line, with its quotes; its key, if it is a member's value.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Found<'l> {
    pub(super) string: &'l str,
    pub(super) key: Option<Cow<'l, str>>,
    /// The end of the paths that selected it.
    pub(super) end: usize,
    /// Whether the object already has a member of the new name.
    pub(super) key_exists: bool,
    pub(super) escapes: Escapes,
}

impl Found<'_> {
    /// Its position in the line.
    pub(super) fn start(&self, line: &str) -> usize {
        self.string.as_ptr().addr() - line.as_ptr().addr()
    }

    /// The text; `None` if it has a lone surrogate, which is valid JSON, but not Unicode text.
    pub(super) fn unescaped(&self) -> Option<Cow<'_, str>> {
        if self.escapes == Escapes::None {
            return Some(Cow::Borrowed(&self.string[1..self.string.len() - 1]));
        }
        serde_json::from_str(self.string).ok().map(Cow::Owned)
    }

    /// A fault of the text, as a fault of the line.
    pub(super) fn locate(&self, fault: Fault, line: &str) -> Fault {
        // With escapes, offsets in the unescaped string are not those in the line.
        let at = if self.escapes == Escapes::None { fault.position } else { 0 };
        Fault { position: self.start(line) + 1 + at, ..fault }
    }
}

/// The escapes of a string.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Escapes {
    None,
    /// A backslash and one character, for one of [`SHORT`].
    Short,
    /// `\u` and four hexadecimal digits, for any character, or a lone surrogate.
    Unicode,
}

impl Escapes {
    pub(super) fn of(string: &str) -> Self {
        match memchr(b'\\', string.as_bytes()) {
            None => Self::None,
            Some(_) if memmem::find(string.as_bytes(), b"\\u").is_none() => Self::Short,
            Some(_) => Self::Unicode,
        }
    }

    /// The most general kind of escape that cannot stand for a trigger byte: `Short` if no
    /// trigger byte has a short escape, otherwise `None`.
    pub(super) fn without_triggers(triggers: Option<ByteSet>) -> Self {
        match triggers {
            Some(triggers) if triggers.intersection(SHORT).is_empty() => Self::Short,
            _ => Self::None,
        }
    }
}

/// The characters with short escapes (RFC 8259 7).
const SHORT: ByteSet = ByteSet::new(b"\"\\/\x08\x0C\n\r\t");

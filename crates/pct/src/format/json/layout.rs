//! Where the JSON of a line is.
#![forbid(unsafe_code)]

use memchr::{memchr, memmem};

/// Where the JSON of a line is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum JsonLayout {
    /// The whole line is JSON.
    Line,
    /// JSON follows a prefix, the key and the time of a capture. Lines that begin with '!' are
    /// directives.
    Cdxj,
}

impl JsonLayout {
    /// The start of the JSON in a line; `None` if there is none.
    #[inline]
    pub(super) fn start(self, line: &[u8]) -> Option<usize> {
        match self {
            Self::Line => Some(0),
            Self::Cdxj => memmem::find(line, b" {").map(|at| at + 1),
        }
    }

    pub(super) fn is_directive(self, line: &[u8]) -> bool {
        self == Self::Cdxj && line.starts_with(b"!")
    }

    /// What to try, if the first line has a part of a document alone.
    pub(super) fn misread(self, records: &[u8]) -> Option<&'static str> {
        let start = records.trim_ascii_start();
        let line = memchr(b'\n', start).map_or(start, |end| &start[..end]).trim_ascii_end();
        match (self, line) {
            (Self::Line, [b'[', ..]) => {
                Some("it begins with an array: 'jq -c .[]' writes its elements, one in each line")
            }
            (Self::Line, [b'{'] | [b'{', .., b',' | b'{' | b'[']) => {
                Some("objects have several lines: 'jq -c .' writes one in each line")
            }
            _ => None,
        }
    }

    /// The message about another line.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Line => "not a line of JSON",
            Self::Cdxj => "not a line of CDXJ",
        }
    }
}

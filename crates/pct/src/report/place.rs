//! Lines and columns, as in editors.
#![forbid(unsafe_code)]

use std::fmt;

use memchr::{memchr_iter, memrchr};

/// A place in a text: the line, and the byte in it, both counted from 1. If records are not lines,
/// they are counted instead of lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Place {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// The place of `other` in a text that starts at `self`.
    pub(crate) fn then(self, other: Self) -> Self {
        match other.line {
            1 => Self { column: self.column + other.column - 1, ..self },
            _ => Self { line: self.line + other.line - 1, ..other },
        }
    }

    /// Number of lines, if this place is the end of the text.
    pub(crate) fn complete_lines(self) -> u64 {
        self.line - u64::from(self.column == 1)
    }

    /// The place after `text`, if it starts at `self` and its lines end with `separator`.
    pub(crate) fn after(self, text: &[u8], separator: u8) -> Self {
        match memrchr(separator, text) {
            None => Self { column: self.column + text.len() as u64, ..self },
            Some(last) => {
                let lines = memchr_iter(separator, text).count() as u64;
                Self { line: self.line + lines, column: (text.len() - last) as u64 }
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn text_in_parts_leads_to_the_same_place_as_in_one() {
        for (text, line, column) in
            [("", 1, 1), ("ab", 1, 3), ("ab\n", 2, 1), ("\n\na", 3, 2), ("a\r\nb", 2, 2), ("é", 1, 3)]
        {
            let expected = Place { line, column };
            for cut in 0..=text.len() {
                let (first, second) = text.as_bytes().split_at(cut);
                assert_eq!(Place::START.after(first, b'\n').then(Place::START.after(second, b'\n')), expected);
                assert_eq!(Place::START.after(first, b'\n').after(second, b'\n'), expected, "{text:?} cut at {cut}");
            }
        }
    }
}

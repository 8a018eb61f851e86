//! Lines and columns, for people who look for a byte with an editor.
#![forbid(unsafe_code)]

use std::fmt;

use memchr::{memchr_iter, memrchr};

/// A place in a text: the line and the byte in it, both counted from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    line: u64,
    column: u64,
}

impl Place {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// The place behind `text`, if that stands here.
    pub(crate) fn after(self, text: &[u8]) -> Self {
        match memrchr(b'\n', text) {
            None => Self { column: self.column + text.len() as u64, ..self },
            Some(last) => {
                Self { line: self.line + memchr_iter(b'\n', text).count() as u64, column: (text.len() - last) as u64 }
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
                assert_eq!(Place::START.after(first).after(second), expected, "{text:?} cut at {cut}");
            }
        }
    }
}

//! The kinds of all errors of a value; decoding returns only the first error.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, DecodeErrorKind, Kinds, inspect};

use super::super::dialect::Malformed;
use super::Decoding;
use super::text::Text;

/// Kinds of errors of a value.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct ErrorKinds {
    pub(crate) malformed: bool,
    pub(crate) ill_formed: bool,
    pub(crate) rejected: bool,
}

impl ErrorKinds {
    pub(crate) fn of(kind: DecodeErrorKind) -> Self {
        match kind {
            DecodeErrorKind::Malformed => Self { malformed: true, ..Self::default() },
            DecodeErrorKind::Rejected(_) => Self { rejected: true, ..Self::default() },
            _ => Self { ill_formed: true, ..Self::default() },
        }
    }

    /// Sets of a single kind.
    pub(super) const EACH: [Self; 3] = [
        Self { malformed: true, ill_formed: false, rejected: false },
        Self { malformed: false, ill_formed: true, rejected: false },
        Self { malformed: false, ill_formed: false, rejected: true },
    ];

    #[must_use]
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            malformed: self.malformed | other.malformed,
            ill_formed: self.ill_formed | other.ill_formed,
            rejected: self.rejected | other.rejected,
        }
    }
}

impl Decoding {
    /// The kinds of errors of an input whose first error is known.
    #[cold]
    pub(crate) fn error_kinds(&self, input: &[u8], first: DecodeErrorKind) -> ErrorKinds {
        // A triplet of an ASCII byte delimits characters, kept or decoded, so inspection finds the
        // same errors.
        if self.is_strict_single_pass() && self.keep.intersection(ByteSet::range(0x80, 0xFF)) == ByteSet::EMPTY {
            let found = inspect(input);
            let (malformed, ill_formed) = (found.contains(Kinds::MALFORMED), found.contains(Kinds::INVALID_UTF8));
            return ErrorKinds { malformed, ill_formed, rejected: false };
        }
        let first = ErrorKinds::of(first);
        let mut unused = Vec::with_capacity(input.len());
        let has = |kind: &ErrorKinds| {
            unused.clear();
            self.only(*kind).is_some_and(|only| only.decode_to(input, &mut unused).is_err())
        };
        ErrorKinds::EACH.into_iter().filter(|kind| *kind != first).filter(has).fold(first, ErrorKinds::union)
    }

    /// The same rules with only this kind of errors. `None` if they have no such errors.
    pub(super) fn only(&self, kind: ErrorKinds) -> Option<Self> {
        let is_error = (kind.malformed && self.malformed != Malformed::Keep)
            || (kind.ill_formed && self.text == Text::WellFormed)
            || (kind.rejected && self.reject != ByteSet::EMPTY);
        if !is_error {
            return None;
        }
        let mut only = self.lenient(false);
        if kind.malformed {
            only.malformed = self.malformed;
        }
        if kind.ill_formed {
            only.text = self.text;
        }
        if kind.rejected {
            (only.keep, only.reject) = (self.keep, self.reject);
        }
        Some(only.with_decoder())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::dialect::{Dialect, NO_DIALECT};
    use super::{Decoding, ErrorKinds};

    #[test]
    fn all_kinds_of_errors_are_known() {
        let [malformed, ill_formed, rejected] = ErrorKinds::EACH;
        let strict = Decoding::new(&NO_DIALECT).strict();
        let nginx = Decoding::new(&Dialect::Nginx.rules());
        for (decoding, text, expected) in [
            (strict, "%41", ErrorKinds::default()),
            (strict, "%%FF", malformed.union(ill_formed)),
            (strict, "%FF%", malformed.union(ill_formed)),
            (strict, "%zz%00", malformed),
            (strict, "%C3%", malformed.union(ill_formed)),
            (strict, "%C3%A9%", malformed),
            (strict.strict(), "\u{E9}%FF", ill_formed),
            (nginx, "%00%", malformed.union(rejected)),
            (nginx, "%%00", malformed.union(rejected)),
            (nginx, "%FF%00", rejected),
            (nginx.strict(), "%%00%FF", malformed.union(ill_formed).union(rejected)),
            (strict.passes(2), "%2541%25", malformed),
            (strict.passes(2), "%25FF%25", malformed.union(ill_formed)),
        ] {
            let found =
                decoding.decode(text.as_bytes()).err().map(|error| decoding.error_kinds(text.as_bytes(), error.kind));
            assert_eq!(found.unwrap_or_default(), expected, "{text}");
        }
    }
}

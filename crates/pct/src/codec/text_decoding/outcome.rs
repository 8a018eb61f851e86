//! Errors of a value that was decoded to text.
#![forbid(unsafe_code)]

use simdpct::DecodeErrorKind;

/// Errors of a value, and whether it is in the fallback charset.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Outcome {
    /// The first error and its position.
    pub(crate) first: Option<(DecodeErrorKind, usize)>,
    /// Whether there are errors of each kind.
    pub(crate) malformed: bool,
    pub(crate) ill_formed: Option<DecodeErrorKind>,
    pub(crate) lone_surrogate: bool,
    pub(crate) rejected: bool,
    pub(crate) fell_back: bool,
}

impl Outcome {
    pub(super) fn note(&mut self, kind: DecodeErrorKind, position: usize) {
        match kind {
            DecodeErrorKind::Malformed => self.malformed = true,
            DecodeErrorKind::LoneSurrogate => self.lone_surrogate = true,
            DecodeErrorKind::Rejected(_) => self.rejected = true,
            kind => self.ill_formed = Some(kind),
        }
        // Errors of the charset are found later than others.
        if self.first.is_none_or(|(_, first)| position < first) {
            self.first = Some((kind, position));
        }
    }

    /// Adds the outcome of a later pass.
    pub(super) fn add(&mut self, later: &Self) {
        self.first = self.first.or(later.first);
        self.malformed |= later.malformed;
        self.ill_formed = self.ill_formed.or(later.ill_formed);
        self.lone_surrogate |= later.lone_surrogate;
        self.rejected |= later.rejected;
        self.fell_back |= later.fell_back;
    }
}

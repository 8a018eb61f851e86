//! `Encoding`: rules for encoding a value.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, Encoder};

/// Complete rules for encoding a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Encoding {
    /// Bytes to encode.
    pub(crate) set: ByteSet,
    pub(crate) space_as_plus: bool,
    pub(crate) lower: bool,
    pub(crate) keep_triplets: bool,
    pub(crate) keep_non_ascii: bool,
}

impl Encoding {
    /// Removes these bytes from the set.
    pub(crate) const fn leaving(mut self, set: ByteSet) -> Self {
        self.set = self.set.intersection(set.complement());
        self
    }

    pub(crate) const fn encoder(&self) -> Encoder {
        let mut encoder = Encoder::new(self.set);
        if self.space_as_plus {
            encoder = encoder.plus_for_space();
        }
        if self.keep_triplets {
            encoder = encoder.keep_triplets();
        }
        if self.keep_non_ascii {
            encoder = encoder.keep_non_ascii();
        }
        if self.lower {
            encoder = encoder.lowercase();
        }
        encoder
    }
}

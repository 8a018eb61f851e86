//! `Decoding`: rules for decoding a value, and for ill-formed UTF-8 in the result.
//!
//! The files of this folder apply them: to a value ([`passes`], each a [`pass`]), to a value with
//! all its errors ([`lenient`]), to a batch of records ([`batch`]), and to a value in parts
//! ([`layers`]).
#![forbid(unsafe_code)]

mod batch;
mod errors;
mod layers;
mod lenient;
mod pass;
mod passes;
mod search;
mod text;

use simdpct::{ByteSet, Decoder};

use super::dialect::{IllFormed, Malformed, Rules};
pub(crate) use errors::ErrorKinds;
pub(crate) use layers::Layers;
pub(crate) use search::Search;
use text::Text;

/// Complete rules for decoding a value.
///
/// If LF is kept, a batch of lines can be decoded at once: LF is neither a hexadecimal digit nor
/// part of a multi-byte character, so each line is decoded as it would be alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Decoding {
    malformed: Malformed,
    plus: bool,
    keep: ByteSet,
    reject: ByteSet,
    text: Text,
    passes: u8,
    /// The library's decoder for these rules, except for passes, text, and Java's triplets.
    decoder: Decoder,
}

impl Decoding {
    /// A single pass by the rules of an implementation.
    pub(crate) fn new(rules: &Rules) -> Self {
        Self {
            malformed: rules.malformed,
            plus: rules.plus,
            keep: ByteSet::EMPTY,
            reject: rules.reject,
            text: match rules.ill_formed {
                IllFormed::Keep => Text::Bytes,
                IllFormed::Error => Text::WellFormed,
                IllFormed::Replace => Text::Replaced,
                IllFormed::ReplaceAsJava => Text::ReplacedAsJava,
            },
            passes: 1,
            decoder: Decoder::new(),
        }
        .with_decoder()
    }

    /// Also keeps the triplets of these bytes.
    pub(crate) fn keeping(mut self, set: ByteSet) -> Self {
        self.keep = self.keep.union(set);
        self.with_decoder()
    }

    /// Decodes '+' as a space.
    pub(crate) fn plus(mut self) -> Self {
        self.plus = true;
        self.with_decoder()
    }

    /// Prevents that decoding produces any of these bytes, which would break a record: keeps their
    /// triplets, and a '+' if it would become one of them.
    pub(crate) fn protecting(mut self, set: ByteSet) -> Self {
        if self.plus && set.contains(b' ') {
            self.plus = false;
            // Else a decoded %2B could not be distinguished from the '+' that is kept.
            self.keep = self.keep.with(b'+');
        }
        // A rejected byte must remain an error, so it is not kept.
        let rejected = self.reject;
        self.keeping(set.intersection(rejected.complement()))
    }

    /// Makes malformed '%' and invalid UTF-8 errors.
    pub(crate) fn strict(mut self) -> Self {
        self.malformed = Malformed::Error;
        self.text = Text::WellFormed;
        self.with_decoder()
    }

    /// Allows everything: keeps what would be an error; with `replace`, replaces invalid UTF-8 that
    /// would be an error by U+FFFD.
    pub(crate) fn lenient(mut self, replace: bool) -> Self {
        self.malformed = Malformed::Keep;
        self.keep = self.keep.union(self.reject);
        self.reject = ByteSet::EMPTY;
        // Other settings of `text` have no errors.
        if self.text == Text::WellFormed {
            self.text = if replace { Text::Replaced } else { Text::Bytes };
        }
        self.with_decoder()
    }

    /// Sets the number of passes; 0 is the same as 1.
    pub(crate) fn passes(mut self, passes: u8) -> Self {
        self.passes = passes;
        self
    }

    fn with_decoder(mut self) -> Self {
        self.decoder = Decoder::new();
        // An empty set would disable the library's fast paths.
        if self.keep != ByteSet::EMPTY {
            self.decoder = self.decoder.keep(self.keep);
        }
        if self.reject != ByteSet::EMPTY {
            self.decoder = self.decoder.reject(self.reject);
        }
        if matches!(self.malformed, Malformed::Keep) {
            self.decoder = self.decoder.lenient();
        }
        if self.plus {
            self.decoder = self.decoder.plus_for_space();
        }
        self
    }

    /// Whether this byte is an error in the result.
    pub(crate) fn rejects(&self, byte: u8) -> bool {
        self.reject.contains(byte)
    }

    /// Whether '+' becomes a space.
    pub(super) fn decodes_plus(&self) -> bool {
        self.plus
    }

    /// The number of passes, at least 1.
    pub(crate) fn pass_count(&self) -> u8 {
        self.passes.max(1)
    }

    /// The bytes whose triplets are kept, and those that are errors in the result.
    pub(super) fn sets(&self) -> (ByteSet, ByteSet) {
        (self.keep, self.reject)
    }

    /// The trigger bytes: well-formed UTF-8 that contains none of them decodes to itself without
    /// error.
    pub(crate) fn triggers(&self) -> ByteSet {
        let triggers = self.reject.with(b'%');
        if self.plus { triggers.with(b'+') } else { triggers }
    }

    /// Whether the only errors are malformed '%' and invalid UTF-8, and there is a single pass.
    fn is_strict_single_pass(&self) -> bool {
        let is_strict = self.malformed == Malformed::Error && self.text == Text::WellFormed;
        is_strict && self.reject == ByteSet::EMPTY && self.passes <= 1
    }
}

#[cfg(test)]
mod samples;

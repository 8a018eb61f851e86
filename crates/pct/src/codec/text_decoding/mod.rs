//! `TextDecoding`: decodes triplets of any charset to text, with `%uXXXX` and a fallback charset.
//!
//! A raw character of a value that is UTF-8 is kept: such text was converted before, or never was
//! in another charset. If a value is not UTF-8, its raw bytes are in the charset of the triplets.
//!
//! Bytes to keep and to reject are those of the text, not of the charset: in Shift_JIS, the second
//! byte of a character can be a backslash, and its triplet is decoded even where those of
//! backslashes are kept.
#![forbid(unsafe_code)]

mod escapes;
mod outcome;
mod pass;
mod passes;

use memchr::memmem;
use simdpct::ByteSet;

use super::charset::Charset;
use super::decoding::Decoding;
pub(crate) use escapes::AsTriplets;
pub(crate) use outcome::Outcome;

/// Rules for decoding a value to text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TextDecoding {
    charset: Charset,
    /// The charset of values that are invalid in the first.
    fallback: Option<Charset>,
    /// Whether `%uXXXX` is decoded.
    unicode: bool,
    plus: bool,
    keep: ByteSet,
    reject: ByteSet,
    passes: u8,
    /// Whether invalid sequences become U+FFFD. Otherwise they are kept.
    replace: bool,
    /// Decodes values of UTF-8 without `%uXXXX`.
    strict: Decoding,
}

impl TextDecoding {
    /// `strict` has the other rules: its sets, passes, and whether '+' is a space.
    pub(crate) fn new(charset: Charset, fallback: Option<Charset>, unicode: bool, strict: Decoding) -> Self {
        let (plus, passes) = (strict.decodes_plus(), strict.pass_count());
        let (keep, reject) = strict.sets();
        Self { charset, fallback, unicode, plus, keep, reject, passes, replace: false, strict }
    }

    /// Decodes '+' as a space.
    pub(crate) fn plus(self) -> Self {
        Self::new(self.charset, self.fallback, self.unicode, self.strict.plus()).replacing(self.replace)
    }

    /// As [`Decoding::protecting`].
    pub(crate) fn protecting(self, set: ByteSet) -> Self {
        Self::new(self.charset, self.fallback, self.unicode, self.strict.protecting(set)).replacing(self.replace)
    }

    /// Sets whether invalid sequences become U+FFFD.
    pub(crate) fn replacing(self, replace: bool) -> Self {
        Self { replace, ..self }
    }

    /// The trigger bytes: well-formed UTF-8 that contains none of them decodes to itself without
    /// error.
    pub(crate) fn triggers(&self) -> ByteSet {
        let is_stateful = [Some(self.charset), self.fallback].into_iter().flatten().any(Charset::is_stateful);
        // Escape, shift out and shift in.
        let shifts = if is_stateful { ByteSet::new(b"\x1B\x0E\x0F") } else { ByteSet::EMPTY };
        self.strict.triggers().union(shifts)
    }

    pub(crate) fn rejects(&self, byte: u8) -> bool {
        self.reject.contains(byte)
    }

    /// The value with triplets instead of `%uXXXX`, if it has any that are decoded.
    pub(crate) fn as_triplets(&self, value: &[u8]) -> Option<AsTriplets> {
        (self.unicode && memmem::find(value, b"%u").is_some()).then(|| AsTriplets::of(value))
    }

    /// The rules for a value that is UTF-8 after decoding, and has no `%uXXXX` in any pass.
    pub(crate) fn as_utf8_decoding(&self, value: &[u8]) -> Option<Decoding> {
        let may_have_unicode = self.unicode && (self.passes > 1 || memmem::find(value, b"%u").is_some());
        (self.charset == Charset::UTF_8 && !may_have_unicode).then_some(self.strict)
    }
}

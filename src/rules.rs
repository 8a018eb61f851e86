//! What is asked of a codec, as plain data: the API fills it in, the oracle and the kernels read it.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;
use crate::error::DecodeErrorKind;
use crate::hex::UPPERCASE;

/// What a decoder is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct DecodeRules {
    /// A malformed '%' is an error, not a byte like any other.
    pub(crate) strict: bool,
    /// A raw '+' becomes a space.
    pub(crate) plus: bool,
    /// Triplets of these bytes stay triplets.
    pub(crate) keep: Option<ByteSet>,
    /// These bytes must not stand in the output.
    pub(crate) reject: Option<ByteSet>,
    /// The digits of kept triplets become upper-case: normalisation. Not together with `plus` or `reject`, and only if `keep` has all
    /// bytes from 0x80.
    pub(crate) uppercase: bool,
}

impl DecodeRules {
    pub(crate) const STRICT: Self = Self { strict: true, plus: false, keep: None, reject: None, uppercase: false };
    pub(crate) const LENIENT: Self = Self { strict: false, ..Self::STRICT };

    /// The first of these bytes that must not be in the output.
    pub(crate) fn first_rejected(&self, bytes: &[u8]) -> Option<u8> {
        let reject = self.reject?;
        bytes.iter().copied().find(|&byte| reject.contains(byte))
    }

    /// What is said of ill-formed UTF-8 where text is wanted with this in its place: nothing, unless a byte of it is rejected.
    pub(crate) fn error_of_replacement(&self, replacement: &str) -> Option<DecodeErrorKind> {
        self.first_rejected(replacement.as_bytes()).map(DecodeErrorKind::Rejected)
    }

    /// The [simple](Self::are_simple) rules.
    #[inline(always)]
    pub(crate) const fn simple(strict: bool) -> &'static Self {
        if strict { &Self::STRICT } else { &Self::LENIENT }
    }

    /// Whether the output may hold no triplet that the input does not hold. It is what a decoder promises that keeps the triplets of
    /// `%`: without that a decoded `%` creates triplets anyway. Of malformed `%`, only those that a lenient decoder passes on matter.
    ///
    /// Such a decoder also leaves a triplet as it is if the byte is a digit that could complete a malformed `%` before it: in `%%34%31`
    /// the first one. Since a `%` in a triplet's first two predecessors is malformed in any case, this depends on raw input only.
    #[inline(always)]
    pub(crate) const fn creates_no_triplets(&self) -> bool {
        match &self.keep {
            Some(keep) => !self.strict && keep.contains(b'%'),
            None => false,
        }
    }

    /// Whether they say nothing but whether to be strict.
    #[inline(always)]
    pub(crate) const fn are_simple(&self) -> bool {
        !(self.plus | self.keep.is_some() | self.reject.is_some())
    }
}

/// What an encoder is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct EncodeRules {
    /// The bytes that become triplets: all from 0x80, whatever the set that was asked for, which is what makes the result text.
    /// With `plus`, '+' is among them and ' ' is not. Private, so that it stays like that.
    escape: ByteSet,
    /// A space becomes '+'.
    plus: bool,
    /// Triplets of the input stay as they are.
    pub(crate) keep_triplets: bool,
    /// Well-formed UTF-8 stays as it is. The kernels do not look at this: the driver hands them well-formed parts with rules
    /// that leave bytes from 0x80 alone.
    pub(crate) keep_non_ascii: bool,
    /// The sixteen hexadecimal digits of the output.
    pub(crate) digits: &'static [u8; 16],
}

impl EncodeRules {
    pub(crate) const fn new(set: ByteSet) -> Self {
        let escape = set.union(ByteSet::NON_ASCII);
        Self { escape, plus: false, keep_triplets: false, keep_non_ascii: false, digits: UPPERCASE }
    }

    pub(crate) const fn with_plus_for_space(mut self) -> Self {
        self.plus = true;
        self.escape = self.escape.with(b'+').without(b' ');
        self
    }

    /// The rules for a part of the input that is well-formed UTF-8 and stays so.
    pub(crate) const fn for_well_formed(mut self) -> Self {
        self.escape = self.escape.intersection(ByteSet::NON_ASCII.complement());
        self
    }

    #[inline(always)]
    pub(crate) const fn escape(&self) -> &ByteSet {
        &self.escape
    }

    /// Whether this byte does not become a triplet. Of bytes from 0x80 that is known, so this takes less than to ask the set.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) const fn leaves(&self, byte: u8) -> bool {
        let [ascii, _] = self.escape.rows();
        byte < 0x80 && ascii[(byte & 15) as usize] & (1 << (byte >> 4)) == 0
    }

    /// Whether none of these bytes becomes a triplet.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn leave(&self, [a, b, c]: [u8; 3]) -> bool {
        let [ascii, _] = self.escape.rows();
        let escapes = |byte: u8| u32::from(ascii[usize::from(byte & 15)]) >> (byte >> 4);
        (a | b | c) < 0x80 && (escapes(a) | escapes(b) | escapes(c)) & 1 == 0
    }

    /// Whether the digits `a` to `f` are to be in lower case.
    #[inline(always)]
    pub(crate) const fn is_lowercase(&self) -> bool {
        self.digits[10] == b'a'
    }

    #[inline(always)]
    pub(crate) const fn plus(&self) -> bool {
        self.plus
    }

    /// Whether they say nothing but what becomes a triplet, and with which digits.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) const fn are_simple(&self) -> bool {
        !(self.plus | self.keep_triplets | self.keep_non_ascii)
    }
}

//! Codec rules as plain data: filled in by the API, read by the kernels and the reference
//! implementation.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;
use crate::hex::UPPERCASE;

/// Decoding rules. Sealed: `pub` only because `DecodePlan` refers to them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DecodeRules {
    /// A malformed `%` is an error; otherwise it is kept.
    pub(crate) strict: bool,
    /// A raw `+` becomes a space.
    pub(crate) plus: bool,
    /// Triplets of these bytes are kept.
    pub(crate) keep: Option<ByteSet>,
    /// The output must not contain these bytes.
    pub(crate) reject: Option<ByteSet>,
    /// The digits of kept triplets become upper case (normalization). Requires that `plus` and
    /// `reject` are not set, and that `keep` contains all bytes from 0x80.
    pub(crate) uppercase: bool,
}

impl DecodeRules {
    pub(crate) const STRICT: Self = Self { strict: true, plus: false, keep: None, reject: None, uppercase: false };
    pub(crate) const LENIENT: Self = Self { strict: false, ..Self::STRICT };

    /// The first of `bytes` that is rejected.
    pub(crate) fn first_rejected(&self, bytes: &[u8]) -> Option<u8> {
        let reject = self.reject?;
        bytes.iter().copied().find(|&byte| reject.contains(byte))
    }

    /// The [simple](Self::are_simple) rules.
    #[inline(always)]
    pub(crate) const fn simple(strict: bool) -> &'static Self {
        if strict { &Self::STRICT } else { &Self::LENIENT }
    }

    /// Whether the output must contain no triplet that is not in the input. This is guaranteed if
    /// the triplet of `%` is kept; otherwise a decoded `%` creates triplets anyway. Only a lenient
    /// decoder needs it, since only that keeps malformed `%`s.
    ///
    /// Such a decoder also keeps the triplet of a digit that could complete a malformed `%`
    /// preceding it: in `%%34%31` the first one. A `%` among the two bytes preceding a triplet is
    /// always malformed, so this depends on raw input only.
    #[inline(always)]
    pub(crate) const fn creates_no_triplets(&self) -> bool {
        match &self.keep {
            Some(keep) => !self.strict && keep.contains(b'%'),
            None => false,
        }
    }

    /// Whether the rules set at most `strict`.
    #[inline(always)]
    pub(crate) const fn are_simple(&self) -> bool {
        !(self.plus | self.keep.is_some() | self.reject.is_some())
    }
}

/// Encoding rules. Sealed: `pub` only because `EncodePlan` refers to them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EncodeRules {
    /// The bytes to escape. Contains all bytes from 0x80, whatever set was given, so that the
    /// output is text. With `plus`, contains `+` and not the space. Private, to keep this
    /// invariant.
    escape: ByteSet,
    /// A space becomes `+`.
    plus: bool,
    /// Triplets of the input are kept.
    pub(crate) keep_triplets: bool,
    /// Well-formed UTF-8 is kept. The kernels ignore this: the driver passes them the well-formed
    /// parts with rules that do not escape bytes from 0x80.
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

    /// The rules that also escape the bytes of `set`.
    #[cfg(feature = "alloc")]
    pub(crate) const fn with_escaped(mut self, set: ByteSet) -> Self {
        self.escape = self.escape.union(set);
        self
    }

    /// The rules for a well-formed part of the input, whose non-ASCII bytes are kept.
    pub(crate) const fn for_well_formed(mut self) -> Self {
        self.escape = self.escape.intersection(ByteSet::NON_ASCII.complement());
        self
    }

    #[inline(always)]
    pub(crate) const fn escape(&self) -> &ByteSet {
        &self.escape
    }

    /// Whether `byte` is not escaped. Bytes from 0x80 always are, which makes this cheaper than a
    /// look-up in the whole set.
    #[inline(always)]
    pub(crate) const fn leaves(&self, byte: u8) -> bool {
        let [ascii, _] = self.escape.rows();
        byte < 0x80 && ascii[(byte & 15) as usize] & (1 << (byte >> 4)) == 0
    }

    /// Whether none of the three bytes is escaped.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn leave(&self, [a, b, c]: [u8; 3]) -> bool {
        let [ascii, _] = self.escape.rows();
        let escapes = |byte: u8| u32::from(ascii[usize::from(byte & 15)]) >> (byte >> 4);
        (a | b | c) < 0x80 && (escapes(a) | escapes(b) | escapes(c)) & 1 == 0
    }

    /// Whether the digits `a` to `f` are lower case.
    #[inline(always)]
    pub(crate) const fn is_lowercase(&self) -> bool {
        self.digits[10] == b'a'
    }

    #[inline(always)]
    pub(crate) const fn plus(&self) -> bool {
        self.plus
    }

    /// Whether the rules set only the set and the case of the digits.
    #[inline(always)]
    pub(crate) const fn are_simple(&self) -> bool {
        !(self.plus | self.keep_triplets | self.keep_non_ascii)
    }
}

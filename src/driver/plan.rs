//! Plans: rules, with the kernels of the policy that they need.
//!
//! A plan refers to the table of its policy from the moment that a rule is added, normally at
//! compile time. The policy is thus not selected at run time, and a program links only the kernels
//! of the policies that its source text asks for.
#![forbid(unsafe_code)]

use core::fmt;
use core::ops::Deref;

use crate::byteset::ByteSet;
use crate::kernel::dispatch::*;
use crate::kernel::op::Pass;
use crate::kernel::{Decode, Encode};
use crate::level::Supported;
use crate::rules::{DecodeRules, EncodeRules};

/// Decoding rules, and kernels that apply them. Changed only by its methods, so that they agree.
/// Sealed: `pub` only because [`Slice`](crate::Slice) names it.
#[derive(Clone, Copy)]
pub struct DecodePlan {
    rules: DecodeRules,
    kernels: &'static DecodeTable,
}

impl DecodePlan {
    pub(crate) const STRICT: Self = Self { rules: DecodeRules::STRICT, kernels: &DECODE };
    pub(crate) const LENIENT: Self = Self::STRICT.strict(false);

    /// Normalisation, which keeps the triplets of `set`.
    pub(crate) const fn normalize(set: ByteSet) -> Self {
        let rules = DecodeRules { uppercase: true, keep: Some(set), ..DecodeRules::STRICT };
        Self { rules, kernels: &NORMALIZE }
    }

    #[inline]
    pub(crate) const fn strict(mut self, strict: bool) -> Self {
        self.rules.strict = strict;
        self
    }

    #[inline]
    pub(crate) const fn with_plus(mut self) -> Self {
        self.rules.plus = true;
        self.with_kernels()
    }

    #[inline]
    pub(crate) const fn with_keep(mut self, set: ByteSet) -> Self {
        self.rules.keep = Some(set);
        self.with_kernels()
    }

    #[inline]
    pub(crate) const fn with_reject(mut self, set: ByteSet) -> Self {
        self.rules.reject = Some(set);
        self.with_kernels()
    }

    /// Selects the table of the policy. Normally called in constants, or with rules that are
    /// constants once it is inlined.
    #[inline]
    const fn with_kernels(mut self) -> Self {
        let DecodeRules { plus, keep, reject, uppercase, .. } = &self.rules;
        self.kernels = match (*plus, keep.is_some(), reject.is_some()) {
            _ if *uppercase => &NORMALIZE,
            (false, false, false) => &DECODE,
            (false, false, true) => &DECODE_REJECT,
            (false, true, false) => &DECODE_KEEP,
            (false, true, true) => &DECODE_KEEP_REJECT,
            (true, false, false) => &DECODE_PLUS,
            (true, false, true) => &DECODE_PLUS_REJECT,
            (true, true, false) => &DECODE_PLUS_KEEP,
            (true, true, true) => &DECODE_PLUS_KEEP_REJECT,
        };
        self
    }

    /// Rejects nothing. The kernels stay, as with an empty set: selecting others at run time would
    /// link them into every program that decodes.
    pub(crate) const fn without_reject(mut self) -> Self {
        self.rules.reject = None;
        self
    }

    /// The kernel of a pass.
    #[inline(always)]
    pub(crate) fn kernel<M: Pass>(&self, level: Supported) -> Decode {
        M::of(self.kernels.of(level))
    }
}

impl Deref for DecodePlan {
    type Target = DecodeRules;

    #[inline(always)]
    fn deref(&self) -> &DecodeRules {
        &self.rules
    }
}

/// The rules determine the plan, but for kernels that are more general than necessary.
impl PartialEq for DecodePlan {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl Eq for DecodePlan {}

impl fmt::Debug for DecodePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.fmt(f)
    }
}

/// Encoding rules, and kernels that apply them. Changed only by its methods, so that they agree.
/// Sealed: `pub` only because [`Output`](crate::Output) names it.
#[derive(Clone, Copy)]
pub struct EncodePlan {
    rules: EncodeRules,
    kernels: &'static EncodeTable,
}

impl EncodePlan {
    pub(crate) const fn new(set: ByteSet) -> Self {
        Self { rules: EncodeRules::new(set), kernels: &ENCODE }
    }

    #[inline]
    pub(crate) const fn with_plus_for_space(mut self) -> Self {
        self.rules = self.rules.with_plus_for_space();
        self.kernels = if self.rules.keep_triplets { &ENCODE_PLUS_KEEP } else { &ENCODE_PLUS };
        self
    }

    #[inline]
    pub(crate) const fn with_triplets_kept(mut self) -> Self {
        self.rules.keep_triplets = true;
        self.kernels = if self.rules.plus() { &ENCODE_PLUS_KEEP } else { &ENCODE_KEEP };
        self
    }

    /// Escapes the `%` of triplets too, if the set contains it.
    #[cfg(feature = "encoding_rs")]
    pub(crate) const fn without_triplets_kept(mut self) -> Self {
        self.rules.keep_triplets = false;
        self.kernels = if self.rules.plus() { &ENCODE_PLUS } else { &ENCODE };
        self
    }

    #[inline]
    pub(crate) const fn with_non_ascii_kept(mut self, keep: bool) -> Self {
        self.rules.keep_non_ascii = keep;
        self
    }

    #[inline]
    pub(crate) const fn with_digits(mut self, digits: &'static [u8; 16]) -> Self {
        self.rules.digits = digits;
        self
    }

    /// Also escapes the bytes of `set`.
    #[cfg(feature = "alloc")]
    pub(crate) const fn with_escaped(mut self, set: ByteSet) -> Self {
        self.rules = self.rules.with_escaped(set);
        self
    }

    /// The plan for a well-formed part of the input, whose non-ASCII bytes are kept.
    pub(crate) const fn for_well_formed(mut self) -> Self {
        self.rules = self.rules.for_well_formed();
        self
    }

    /// The rules, in a constant.
    pub(crate) const fn rules(&self) -> &EncodeRules {
        &self.rules
    }

    /// The kernel of a pass.
    #[inline(always)]
    pub(crate) fn kernel<M: Pass>(&self, level: Supported) -> Encode {
        M::of(self.kernels.of(level))
    }
}

impl Deref for EncodePlan {
    type Target = EncodeRules;

    #[inline(always)]
    fn deref(&self) -> &EncodeRules {
        &self.rules
    }
}

/// The rules determine the plan.
impl PartialEq for EncodePlan {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl Eq for EncodePlan {}

impl fmt::Debug for EncodePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.fmt(f)
    }
}

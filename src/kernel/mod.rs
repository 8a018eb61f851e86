//! The kernels: their contract, the tables they share, and which of them a target has.
//!
//! A kernel does one operation on a whole [`InOut`], with the instructions of one [`Level`](crate::level::Level). It knows
//! nothing of allocation, error types or policy: the rules come as data, what would cost the plain path anything comes as
//! compile-time variants, and what happened goes back as [`Progress`].
//!
//! # Safety
//!
//! The functions of a [`Kernel`] may be called where the CPU has the instructions of its level, which is what makes a level
//! [`Supported`]; the scalar ones anywhere. Held by tests/differential.rs, tests/level.rs and tests/bounds.rs.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod form_rules;
mod generic;
pub(crate) mod inout;
pub(crate) mod inspection;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
pub(crate) mod op;
pub(crate) mod outcome;
pub(crate) mod rank;
pub(crate) mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse41;
pub(crate) mod swar;
mod tables;
mod vector;

use core::mem::MaybeUninit;

use self::form_rules::FormRules;
use crate::byteset::ByteSet;
use crate::level::Supported;
use crate::rules::{DecodeRules, EncodeRules};
use inout::{Source, Target};
use inspection::{Extract, Report};
use op::{
    ByDetail, ByPass, DecodePolicy, Detail, EncodePolicy, Escape, Measure, Normalize, Occurrences, Pass, Policy,
    Presence, Scan, Write,
};
use outcome::Progress;
use rank::RankKernels;

/// What matters to a parser of forms, as bits, the first byte lowest (WHATWG URL 5.1).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct FormBitmaps {
    /// '&', which ends a pair.
    pub(crate) ends: u64,
    /// '=', of which the first one in a pair ends the name.
    pub(crate) equals: u64,
    /// '%', '+' and bytes from 0x80: without them, a part is text as it stands.
    pub(crate) coded: u64,
}

/// Room for 64 bytes encoded, and for as many again, so that kernels can store whole registers.
pub(crate) const SHORT_OUTPUT: usize = 256;
pub(crate) type ShortOutput = [MaybeUninit<u8>; SHORT_OUTPUT];

/// One level's implementation.
///
/// # Safety
///
/// Every method may be called only on a machine that has the level: [`Supported`] is the proof, [`Kernels::of`] the way. That is
/// the only obligation but for [`encode_pair`](Self::encode_pair), since slices and [`InOut`]s are valid by construction. In return a
/// method reads only the source's `length` bytes and writes only the target's `capacity` bytes, whatever it is given.
pub(crate) trait Kernel {
    /// Offset of the first member of `set`.
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize>;

    /// Number of members of `set`.
    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize;

    /// Whether a text is well-formed UTF-8. simdutf8 knows by itself what the machine has; a level need only be better.
    unsafe fn is_well_formed(text: &[u8]) -> bool {
        simdutf8::basic::from_utf8(text).is_ok()
    }

    /// The members of `set` among at most 64 bytes, as bits, the first one lowest.
    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64;

    /// State what raw bytes and triplets are, and extracts the text by which it is known whether the decoded form is well-formed.
    /// The haystack has at most [`inspection::CHUNK`] bytes, the extract at most 3.
    unsafe fn inspect<D: Detail>(haystack: &[u8], extract: &mut Extract, report: &mut Report);

    /// The bitmaps that a parser of forms goes by, of at most 64 bytes.
    unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps);

    /// Encodes; the policy must agree with the rules. The source and the target are the halves of one [`InOut`], and disjoint.
    unsafe fn encode<P: EncodePolicy, M: Pass>(source: Source<'_>, target: Target<'_>, rules: &EncodeRules)
    -> Progress;

    /// Decodes; the policy must agree with the rules. The source and the target are the halves of one [`InOut`].
    unsafe fn decode<P: DecodePolicy, M: Pass>(source: Source<'_>, target: Target<'_>, rules: &DecodeRules)
    -> Progress;

    /// Decodes at most 64 bytes by rules that say nothing but whether to be strict, and returns the length of the output. `None`
    /// if there is no room, or if it is strict and a '%' malformed: then nothing is said of the output. The source and the target
    /// are the halves of one [`InOut`].
    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize>;

    /// Encodes the first 64 bytes of an input by rules that keep nothing and leave spaces alone, and returns the length of the
    /// output; `None` if that is the input itself, and then nothing is said of the output.
    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize>;

    /// Encodes the name, a '=' and the value of a pair of a form (WHATWG URL 5.2), and returns the length of the output. This takes
    /// more than the other methods: `to` is valid for writes of [`form_rules::room`], and apart from the name and the value.
    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &FormRules) -> usize;
}

type Find = unsafe fn(&ByteSet, &[u8]) -> Option<usize>;
type Count = unsafe fn(&ByteSet, &[u8]) -> usize;
type IsWellFormed = unsafe fn(&[u8]) -> bool;
type Members = unsafe fn(&ByteSet, &[u8]) -> u64;
pub(crate) type Inspect = unsafe fn(&[u8], &mut Extract, &mut Report);
type FindFormBitmaps = unsafe fn(&[u8], &mut FormBitmaps);
pub(crate) type EncodePair = unsafe fn(&[u8], &[u8], *mut u8, &FormRules) -> usize;
pub(crate) type EncodeShort = unsafe fn(&[u8], &mut ShortOutput, &EncodeRules) -> Option<usize>;
pub(crate) type DecodeShort = unsafe fn(Source<'_>, Target<'_>, bool) -> Option<usize>;
pub(crate) type Encode = unsafe fn(Source<'_>, Target<'_>, &EncodeRules) -> Progress;
pub(crate) type Decode = unsafe fn(Source<'_>, Target<'_>, &DecodeRules) -> Progress;

/// All entry points of one level.
pub(crate) struct Kernels {
    pub(crate) find: Find,
    pub(crate) count: Count,
    pub(crate) is_well_formed: IsWellFormed,
    pub(crate) members: Members,
    /// Without vectors, marking costs more than it saves.
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "as in `marks`"))]
    pub(crate) marks: Option<RankKernels>,
    inspect: ByDetail<Inspect>,
    pub(crate) form_bitmaps: FindFormBitmaps,
    pub(crate) decode_short: DecodeShort,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "only what allocates measures by writing"))]
    pub(crate) encode_short: EncodeShort,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "only what grows gets pairs appended"))]
    pub(crate) encode_pair: EncodePair,
    /// By `PLUS`, then `KEEP`.
    encode: [[ByPass<Encode>; 2]; 2],
    /// By `PLUS`, `KEEP`, then `REJECT`.
    decode: [[[ByPass<Decode>; 2]; 2]; 2],
    normalize: ByPass<Decode>,
}

impl Kernels {
    /// The entry points of a level that this machine has.
    #[inline]
    pub(crate) fn of(level: Supported) -> &'static Self {
        KERNELS[level.level() as usize]
    }

    #[inline]
    pub(crate) fn encode<M: Pass>(&self, rules: &EncodeRules) -> Encode {
        M::of(&self.encode[usize::from(rules.plus())][usize::from(rules.keep_triplets)])
    }

    #[inline]
    pub(crate) fn decode<M: Pass>(&self, rules: &DecodeRules) -> Decode {
        let [plus, keep, reject] = [rules.plus, rules.keep.is_some(), rules.reject.is_some()].map(usize::from);
        M::of(if rules.uppercase { &self.normalize } else { &self.decode[plus][keep][reject] })
    }

    #[inline]
    pub(crate) fn inspect<D: Detail>(&self) -> Inspect {
        D::of(&self.inspect)
    }
}

/// The entry points of a level: all that it implements, by what it is instantiated for.
macro_rules! kernels {
    ($level:ty, $marks:expr) => {
        Kernels {
            find: <$level>::find,
            count: <$level>::count,
            is_well_formed: <$level>::is_well_formed,
            members: <$level>::members,
            marks: $marks,
            inspect: ByDetail { presence: <$level>::inspect::<Presence>, occurrences: <$level>::inspect::<Occurrences> },
            form_bitmaps: <$level>::form_bitmaps,
            decode_short: <$level>::decode_short,
            encode_short: <$level>::encode_short,
            encode_pair: <$level>::encode_pair,
            encode: [
                [kernels!(@encode $level, false, false), kernels!(@encode $level, false, true)],
                [kernels!(@encode $level, true, false), kernels!(@encode $level, true, true)],
            ],
            decode: [kernels!(@keep $level, false), kernels!(@keep $level, true)],
            normalize: kernels!(@passes $level, decode, Normalize),
        }
    };
    (@keep $level:ty, $plus:literal) => {
        [kernels!(@reject $level, $plus, false), kernels!(@reject $level, $plus, true)]
    };
    (@reject $level:ty, $plus:literal, $keep:literal) => {
        [
            kernels!(@passes $level, decode, Policy<$plus, $keep, false>),
            kernels!(@passes $level, decode, Policy<$plus, $keep, true>),
        ]
    };
    (@encode $level:ty, $plus:literal, $keep:literal) => {
        kernels!(@passes $level, encode, Escape<$plus, $keep>)
    };
    (@passes $level:ty, $operation:ident, $policy:ty) => {
        ByPass {
            write: <$level>::$operation::<$policy, Write>,
            measure: <$level>::$operation::<$policy, Measure>,
            scan: <$level>::$operation::<$policy, Scan>,
        }
    };
}

static SCALAR: Kernels = kernels!(scalar::Scalar, None);

/// By [`Level`](crate::level::Level)'s discriminant. A level that the target has not is never [`Supported`] there.
#[cfg(target_arch = "x86_64")]
static KERNELS: [&Kernels; 5] = {
    static SSE41: Kernels = kernels!(sse41::Sse41, Some(RankKernels::of::<sse41::Sse41>()));
    static AVX2: Kernels = kernels!(avx2::Avx2, Some(RankKernels::of::<avx2::Avx2>()));
    static AVX512: Kernels = kernels!(avx512::Avx512, Some(RankKernels::of::<avx512::Avx512>()));
    [&SCALAR, &SSE41, &AVX2, &AVX512, &SCALAR]
};
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
static KERNELS: [&Kernels; 5] = {
    static NEON: Kernels = kernels!(neon::Neon, Some(RankKernels::of::<neon::Neon>()));
    [&SCALAR, &SCALAR, &SCALAR, &SCALAR, &NEON]
};
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
)))]
static KERNELS: [&Kernels; 5] = [&SCALAR; 5];

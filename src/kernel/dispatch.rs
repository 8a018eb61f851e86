//! The entry points: one static table per operation and policy, indexed by level.
//!
//! A caller names the table of its operation: `FIND.of(level)`. The linker drops the tables that a
//! program does not name, with the kernels in them. So a program that only decodes links no kernel
//! of inspection, and one whose decoders reject no bytes links no kernel that can
//! (scripts/program-size). The levels of each target are listed once, in `by_level!`.
#![forbid(unsafe_code)]

use super::op::{ByDetail, ByPass, Escape, Measure, Normalize, Occurrences, Policy, Presence, Scan, Write};
use super::rank::RankKernels;
#[cfg_attr(simdpct_one_level, allow(unused_imports, reason = "the tables have no scalar kernels"))]
use super::scalar::Scalar;
use super::{
    Count, Decode, DecodeShort, Encode, EncodePair, EncodeShort, Find, FindFormBitmaps, Inspect, InspectRows,
    IsWellFormed, Kernel, Members,
};
use crate::level::{Level, Supported, by_target};

/// An entry for each level.
pub(crate) struct ByLevel<F>([F; Level::ALL.len()]);

impl<F> ByLevel<F> {
    /// The entry of a supported level.
    #[inline(always)]
    pub(crate) fn of(&self, level: Supported) -> &F {
        &self.0[level.level() as usize]
    }
}

/// Evaluates an expression for the kernels of each [`Level`], in its order. Levels that the target
/// does not have fall back to scalar; they are never [`Supported`].
macro_rules! by_level {
    ($kernel:ident => $entry:expr) => {
        by_target! {
            x86_64: {
                use super::vectors::{avx2::Avx2, avx512::Avx512, sse41::Sse41};
                by_level!(Scalar, Sse41, Avx2, Avx512, Scalar, Scalar; $kernel => $entry)
            },
            neon: {
                use super::vectors::neon::Neon;
                by_level!(Scalar, Scalar, Scalar, Scalar, Neon, Scalar; $kernel => $entry)
            },
            simd128: {
                // A module is downloaded, so one that nobody measures by level can do without the
                // scalar kernels.
                #[cfg(simdpct_one_level)]
                use super::vectors::simd128::Simd128 as Scalar;
                use super::vectors::simd128::Simd128;
                by_level!(Scalar, Scalar, Scalar, Scalar, Scalar, Simd128; $kernel => $entry)
            },
            others: by_level!(Scalar, Scalar, Scalar, Scalar, Scalar, Scalar; $kernel => $entry),
        }
    };
    ($($level:ident),*; $kernel:ident => $entry:expr) => {
        ByLevel([$({
            type $kernel = $level;
            $entry
        }),*])
    };
}

/// [`by_level!`] for each pass of an operation with a policy. Another policy measures if it always
/// gives the same lengths, as with and without `+` for a space.
macro_rules! passes {
    ($operation:ident, $policy:ty) => {
        passes!($operation, $policy, measured by $policy)
    };
    ($operation:ident, $policy:ty, measured by $measured:ty) => {
        by_level!(K => ByPass {
            write: K::$operation::<$policy, Write>,
            measure: K::$operation::<$measured, Measure>,
            scan: K::$operation::<$policy, Scan>,
        })
    };
}

pub(crate) type DecodeTable = ByLevel<ByPass<Decode>>;
pub(crate) type EncodeTable = ByLevel<ByPass<Encode>>;

pub(crate) static FIND: ByLevel<Find> = by_level!(K => K::find);
pub(crate) static COUNT: ByLevel<Count> = by_level!(K => K::count);
pub(crate) static MEMBERS: ByLevel<Members> = by_level!(K => K::members);
pub(crate) static IS_WELL_FORMED: ByLevel<IsWellFormed> = by_level!(K => K::is_well_formed);
pub(crate) static FORM_BITMAPS: ByLevel<FindFormBitmaps> = by_level!(K => K::form_bitmaps);
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "pairs are only appended to growable outputs"))]
pub(crate) static ENCODE_PAIR: ByLevel<EncodePair> = by_level!(K => K::encode_pair);
pub(crate) static INSPECT: ByLevel<ByDetail<Inspect>> = by_level!(K => ByDetail {
    presence: K::inspect::<Presence>,
    occurrences: K::inspect::<Occurrences>,
});
/// Inspection of rows. `None` for all levels but AVX-512.
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "used only by columns, which allocate"))]
pub(crate) static INSPECT_ROWS: ByLevel<Option<InspectRows>> = by_level!(K => K::INSPECT_ROWS);
/// Rank bitmaps. `None` for the scalar level.
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "used only by columns, which allocate"))]
pub(crate) static RANKS: ByLevel<Option<RankKernels>> = by_level!(K => K::RANKS);

#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "called only by functions that allocate"))]
pub(crate) static ENCODE_SHORT: ByLevel<EncodeShort> = by_level!(K => K::encode_short);
// The tables of encoding, one per policy (see `EncodePlan`).
pub(crate) static ENCODE: EncodeTable = passes!(encode, Escape<false, false>);
pub(crate) static ENCODE_KEEP: EncodeTable = passes!(encode, Escape<false, true>);
pub(crate) static ENCODE_PLUS: EncodeTable = passes!(encode, Escape<true, false>, measured by Escape<false, false>);
pub(crate) static ENCODE_PLUS_KEEP: EncodeTable = passes!(encode, Escape<true, true>, measured by Escape<false, true>);

pub(crate) static DECODE_SHORT: ByLevel<DecodeShort> = by_level!(K => K::decode_short);
// The tables of decoding, one per policy (see `DecodePlan`). A rejected byte may be the space of a
// `+`, so with rejection each policy measures.
pub(crate) static DECODE: DecodeTable = passes!(decode, Policy<false, false, false>);
pub(crate) static DECODE_REJECT: DecodeTable = passes!(decode, Policy<false, false, true>);
pub(crate) static DECODE_KEEP: DecodeTable = passes!(decode, Policy<false, true, false>);
pub(crate) static DECODE_KEEP_REJECT: DecodeTable = passes!(decode, Policy<false, true, true>);
pub(crate) static DECODE_PLUS: DecodeTable =
    passes!(decode, Policy<true, false, false>, measured by Policy<false, false, false>);
pub(crate) static DECODE_PLUS_REJECT: DecodeTable = passes!(decode, Policy<true, false, true>);
pub(crate) static DECODE_PLUS_KEEP: DecodeTable =
    passes!(decode, Policy<true, true, false>, measured by Policy<false, true, false>);
pub(crate) static DECODE_PLUS_KEEP_REJECT: DecodeTable = passes!(decode, Policy<true, true, true>);
pub(crate) static NORMALIZE: DecodeTable = passes!(decode, Normalize);

//! `RankBlock`: rank bitmaps of a text, which map offsets of its rows to offsets of the output.
//!
//! A rank bitmap has one block per 64 bytes: their bitmask, and the number of set bits before them.
//! The number of marks before any offset then takes one lookup and one popcount. Encoding adds two
//! bytes per mark and decoding removes two. A kernel that decodes and translates in one pass
//! ([`DecodeRows`]) marks the bytes that it drops, so each removes one.
//!
//! # Safety
//!
//! As for the functions of a [`Kernel`](super::Kernel). Tested in tests/columns.rs and
//! tests/bounds.rs.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "used only by columns, which allocate"))]

use core::fmt::Debug;

use super::inout::{Source, Target};
use crate::byteset::ByteSet;

/// The bytes to mark.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Selection {
    /// The members of a set.
    Members,
    /// The members of a set, except the `%` of valid triplets.
    MembersButTriplets,
    /// Every `%`; the set is not used.
    Percents,
    /// The `%` of valid triplets, except those that decode to members of a set.
    TripletsOfOthers,
}

pub(crate) type DoMark = unsafe fn(&ByteSet, &[u8], &mut [RankBlock]);

/// The rank entry points of a level.
pub struct RankKernels {
    pub(super) members: DoMark,
    pub(super) members_but_triplets: DoMark,
    pub(super) percents: DoMark,
    pub(super) triplets_of_others: DoMark,
    pub(super) place_i32: Place<i32>,
    pub(super) place_i64: Place<i64>,
    /// `None` at levels where decoding a block takes much longer than copying it.
    pub(super) decode_rows_i32: Option<DecodeRows<i32>>,
    pub(super) decode_rows_i64: Option<DecodeRows<i64>>,
}

impl RankKernels {
    /// The entry point that marks a selection.
    #[inline]
    pub(crate) fn mark(&self, selection: Selection) -> DoMark {
        match selection {
            Selection::Members => self.members,
            Selection::MembersButTriplets => self.members_but_triplets,
            Selection::Percents => self.percents,
            Selection::TripletsOfOthers => self.triplets_of_others,
        }
    }
}

/// 64 bits of a rank bitmap, and the rank of the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankBlock {
    /// Bitmask of the marks. Bit *i* is byte *i*.
    pub(crate) bits: u64,
    /// The number of marks before these bytes.
    pub(crate) rank: usize,
}

impl RankBlock {
    /// The number of marks before offset `place`, which is in this block.
    #[inline(always)]
    pub(crate) fn rank(self, place: usize) -> usize {
        self.rank + (self.bits & ((1 << (place % 64)) - 1)).count_ones() as usize
    }
}

/// The linear map from offsets in a text to offsets in the output.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    /// Added to each offset, modulo 2^n.
    #[allow(dead_code, reason = "read only by kernels with vectors")]
    pub(crate) origin: usize,
    /// Added for each mark before the offset, modulo 2^n.
    #[allow(dead_code, reason = "read only by kernels with vectors")]
    pub(crate) per_mark: usize,
}

/// The ends of concatenated rows, and where to write their offsets in the output.
#[allow(dead_code, reason = "read only by AVX-512")]
pub struct RowEnds<'a, I> {
    pub(crate) ends: &'a [I],
    /// Subtracted from each end to get its offset in the text.
    pub(crate) base: usize,
    /// Added to each offset in the output.
    pub(crate) origin: usize,
    pub(crate) placed: &'a mut [I],
}

/// Result of [`DecodeRows`].
pub struct RowsDecoded {
    /// The length of the output.
    pub(crate) written: usize,
    /// Whether there is a malformed `%`, which was kept.
    pub(crate) has_malformed: bool,
    /// Whether a decoded triplet is split by the end of a row.
    pub(crate) splits_triplet: bool,
}

/// Decodes concatenated rows, with `+` as a space if the flag is set, and translates their ends. A
/// malformed `%` is kept. The output must have room for the length of the input. The bitmap is
/// scratch: a block for each 64 bytes of input, and one more.
pub type DecodeRows<I> = unsafe fn(Source<'_>, Target<'_>, bool, &mut [RankBlock], RowEnds<'_, I>) -> RowsDecoded;

/// An offset type of columns.
///
/// Sealed: `pub` only because the public columns name it.
pub trait Index: Copy + Ord + Debug {
    /// Offset zero.
    const ZERO: Self;
    /// The greatest offset that fits both this type and `usize`.
    const MAX: usize;

    /// The offset as `usize`, if it fits.
    fn checked(self) -> Option<usize>;

    /// The offset as `usize`: exact if [`checked`](Self::checked) returned `Some`.
    fn index(self) -> usize;

    /// The inverse of [`index`](Self::index): exact up to [`MAX`](Self::MAX).
    fn of(index: usize) -> Self;

    /// The entry point of [`place`] for this type.
    fn place(kernels: &RankKernels) -> Place<Self>;

    /// The entry point that decodes rows with ends of this type, if the level has one.
    fn decode_rows(kernels: &RankKernels) -> Option<DecodeRows<Self>>;
}

pub type Place<I> = unsafe fn(&[RankBlock], &[u8], &[I], usize, Shift, &mut [I]) -> bool;

macro_rules! index {
    ($type:ty, $kernel:ident, $decode_rows:ident) => {
        impl Index for $type {
            const ZERO: Self = 0;
            // If `usize` is narrower, no text is longer than `usize::MAX`.
            const MAX: usize = if size_of::<Self>() > size_of::<usize>() { usize::MAX } else { <$type>::MAX as usize };

            #[inline(always)]
            fn checked(self) -> Option<usize> {
                self.try_into().ok()
            }

            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }

            #[inline(always)]
            fn of(index: usize) -> Self {
                index as Self
            }

            #[inline(always)]
            fn place(kernels: &RankKernels) -> Place<Self> {
                kernels.$kernel
            }

            #[inline(always)]
            fn decode_rows(kernels: &RankKernels) -> Option<DecodeRows<Self>> {
                kernels.$decode_rows
            }
        }
    };
}
index!(i32, place_i32, decode_rows_i32);
index!(i64, place_i64, decode_rows_i64);

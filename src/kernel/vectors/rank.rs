//! What makes and reads rank bitmaps.
//!
//! # Safety
//!
//! As for the functions of a [`Kernel`](crate::kernel::Kernel). Tested in tests/columns.rs and
//! tests/bounds.rs.

use crate::byteset::ByteSet;
use crate::kernel::rank::{DecodeRows, Index, RankBlock, RankKernels, RowEnds, Selection, Shift};

/// A [`Selection`] as a type, to instantiate kernels with.
pub(super) trait Select {
    const SELECTION: Selection;
}

/// See [`Selection::Members`].
enum Members {}
/// See [`Selection::MembersButTriplets`].
enum MembersButTriplets {}
/// See [`Selection::Percents`].
enum Percents {}
/// See [`Selection::TripletsOfOthers`].
enum TripletsOfOthers {}

impl Select for Members {
    const SELECTION: Selection = Selection::Members;
}

impl Select for MembersButTriplets {
    const SELECTION: Selection = Selection::MembersButTriplets;
}

impl Select for Percents {
    const SELECTION: Selection = Selection::Percents;
}

impl Select for TripletsOfOthers {
    const SELECTION: Selection = Selection::TripletsOfOthers;
}

/// The rank operations of a level with vectors.
///
/// # Safety
///
/// As for [`Kernel`](super::Kernel).
pub(super) trait RankKernel {
    /// Marks the selection: fills the first `text.len() / 64 + 1` of `marks`, or all if there are
    /// fewer.
    unsafe fn mark<S: Select>(set: &ByteSet, text: &[u8], marks: &mut [RankBlock]);

    /// [`place`], compiled with the level's target features.
    unsafe fn place<I: Index>(
        marks: &[RankBlock],
        text: &[u8],
        places: &[I],
        base: usize,
        shift: Shift,
        placed: &mut [I],
    ) -> bool;
}

impl RankKernels {
    pub(super) const fn of<K: RankKernel>() -> Self {
        Self {
            members: K::mark::<Members>,
            members_but_triplets: K::mark::<MembersButTriplets>,
            percents: K::mark::<Percents>,
            triplets_of_others: K::mark::<TripletsOfOthers>,
            place_i32: K::place,
            place_i64: K::place,
            decode_rows_i32: None,
            decode_rows_i64: None,
        }
    }

    /// Adds the entry points that decode rows.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX-512 decodes rows in one pass"))]
    pub(super) const fn with_decode_rows(mut self, of_i32: DecodeRows<i32>, of_i64: DecodeRows<i64>) -> Self {
        (self.decode_rows_i32, self.decode_rows_i64) = (Some(of_i32), Some(of_i64));
        self
    }
}

/// Fills one block per 64 bytes, and one more for the rest, which may be empty: so every offset up
/// to and including the end has a block. Calls `bits` with the offset of each block in order.
#[inline(always)]
pub(super) fn fill(length: usize, marks: &mut [RankBlock], mut bits: impl FnMut(usize) -> u64) {
    let mut rank = 0;
    for (number, mark) in marks.iter_mut().take(length / 64 + 1).enumerate() {
        let bits = bits(64 * number);
        *mark = RankBlock { bits, rank };
        rank += bits.count_ones() as usize;
    }
}

/// Maps offsets of a text (relative to `base`) to the output, and returns whether any of them is at
/// most two bytes after a `%`, and so might split a triplet. An empty `text` counts as free of `%`.
#[inline(always)]
pub(super) fn place<I: Index>(
    marks: &[RankBlock],
    text: &[u8],
    places: &[I],
    base: usize,
    shift: Shift,
    placed: &mut [I],
) -> bool {
    let mut follows_percent = false;
    for (place, placed) in places.iter().zip(placed) {
        let at = place.index().wrapping_sub(base);
        let Some(mark) = marks.get(at / 64) else { break };
        let change = shift.per_mark.wrapping_mul(mark.rank(at));
        *placed = I::of(at.wrapping_add(shift.origin).wrapping_add(change));
        let is_percent = |distance| text.get(at.wrapping_sub(distance)) == Some(&b'%');
        follows_percent |= is_percent(1) | is_percent(2);
    }
    follows_percent
}

/// Maps the ends of rows to the output, given the marks of the bytes that decoding drops, and
/// returns whether any row ends before such a byte, that is, within a triplet.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX-512 decodes rows in one pass"))]
pub(super) fn place_ends<I: Index>(marks: &[RankBlock], rows: RowEnds<'_, I>) -> bool {
    let RowEnds { ends, base, origin, placed } = rows;
    let mut is_split = false;
    for (end, placed) in ends.iter().zip(placed) {
        let at = end.index().wrapping_sub(base);
        let Some(mark) = marks.get(at / 64) else { break };
        *placed = I::of(at.wrapping_add(origin).wrapping_sub(mark.rank(at)));
        is_split |= mark.bits >> (at % 64) & 1 != 0;
    }
    is_split
}

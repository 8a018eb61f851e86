//! `RankBlock`: where in a text something is, 64 bytes at a time, so that what is before any place can be counted at once.
//!
//! # Safety
//!
//! As of the functions of a [`Kernel`](super::Kernel). Held by tests/columns.rs and tests/bounds.rs.
#![cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "only columns are marked, and they are allocated"))]

use core::fmt::Debug;

use crate::byteset::ByteSet;

/// What is marked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Selection {
    /// The members of a set.
    Members,
    /// The members of a set, but for the '%' of triplets.
    MembersButTriplets,
    /// Every '%', whatever the set.
    Percents,
    /// The '%' of the triplets of all bytes but the members of a set.
    TripletsOfOthers,
}

/// A [`Selection`] that a kernel is instantiated for.
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

/// What a level that has vectors does with marks.
///
/// # Safety
///
/// As [`Kernel`](super::Kernel).
pub(super) trait RankKernel {
    /// Marks the selection: the first `text.len() / 64 + 1` of `marks`, or as many as there are.
    unsafe fn mark<S: Select>(set: &ByteSet, text: &[u8], marks: &mut [RankBlock]);

    /// [`place`], with the instructions of the level.
    unsafe fn place<I: Index>(
        marks: &[RankBlock],
        text: &[u8],
        places: &[I],
        base: usize,
        shift: Shift,
        placed: &mut [I],
    ) -> bool;
}

pub(crate) type DoMark = unsafe fn(&ByteSet, &[u8], &mut [RankBlock]);

/// The entry points of a level.
pub struct RankKernels {
    members: DoMark,
    members_but_triplets: DoMark,
    percents: DoMark,
    triplets_of_others: DoMark,
    place_i32: Place<i32>,
    place_i64: Place<i64>,
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
        }
    }

    /// Marks a selection.
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

/// What is marked among 64 bytes of a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankBlock {
    /// Where, the first byte lowest.
    pub(crate) bits: u64,
    /// How many marks there are before these bytes.
    pub(crate) before: usize,
}

impl RankBlock {
    /// How many marks there are before a place among these bytes.
    #[inline(always)]
    pub(crate) fn before(self, place: usize) -> usize {
        self.before + (self.bits & ((1 << (place % 64)) - 1)).count_ones() as usize
    }
}

/// One mark for each whole block, and one more for what is left, which may be nothing: so every place up to the end has one. `bits`
/// is called with the offset of each block in turn.
#[inline(always)]
pub(super) fn fill(length: usize, marks: &mut [RankBlock], mut bits: impl FnMut(usize) -> u64) {
    let mut before = 0;
    for (number, mark) in marks.iter_mut().take(length / 64 + 1).enumerate() {
        let bits = bits(64 * number);
        *mark = RankBlock { bits, before };
        before += bits.count_ones() as usize;
    }
}

/// How places in a text become places in another one.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    /// What is added, modulo 2^n.
    pub(crate) origin: usize,
    /// What is added for each mark before the place, modulo 2^n.
    pub(crate) each: usize,
}

/// An offset into a text, of a width of its own. It is as public as the columns that are made of it, so what it names is too, by word:
/// no path from outside leads here.
pub trait Index: Copy + Ord + Debug {
    /// The first one.
    const ZERO: Self;
    /// The greatest one, at most.
    const MAX: usize;

    /// As a number, if it is one.
    fn checked(self) -> Option<usize>;

    /// As a number: exact for what [`checked`](Self::checked) has been called on.
    fn index(self) -> usize;

    /// Exact up to [`MAX`](Self::MAX).
    fn of(index: usize) -> Self;

    /// The kernel for this width.
    fn place(kernels: &RankKernels) -> Place<Self>;
}

pub type Place<I> = unsafe fn(&[RankBlock], &[u8], &[I], usize, Shift, &mut [I]) -> bool;

/// Puts places of a text, which count from `base`, where they are in another one, and returns whether a '%' is one of the two bytes
/// before any of them. A text that is not given has no '%'.
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
        let change = shift.each.wrapping_mul(mark.before(at));
        *placed = I::of(at.wrapping_add(shift.origin).wrapping_add(change));
        let is_percent = |distance| text.get(at.wrapping_sub(distance)) == Some(&b'%');
        follows_percent |= is_percent(1) | is_percent(2);
    }
    follows_percent
}

macro_rules! index {
    ($type:ty, $kernel:ident) => {
        impl Index for $type {
            const ZERO: Self = 0;
            // Where `usize` is narrower, nothing is longer than that.
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
        }
    };
}
index!(i32, place_i32);
index!(i64, place_i64);

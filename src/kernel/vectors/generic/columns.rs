//! Rank bitmaps of set members or triplets, for the rows of a column.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{Triplets, Window, load_up_to, low_bits};
use super::search::Class;
use crate::byteset::ByteSet;
use crate::kernel::rank::{RankBlock, Selection};
use crate::kernel::vectors::rank::{self, Select};
use crate::kernel::vectors::vector::Vector;

/// The set and the triplet constants of [`mark`], in registers.
#[derive(Clone, Copy)]
struct Ranking<V> {
    set: Class<V>,
    triplets: Triplets<V>,
}

impl<V: Vector> Ranking<V> {
    #[inline(always)]
    unsafe fn new(set: &ByteSet) -> Self {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { Self { set: Class::new(set), triplets: Triplets::new() } }
    }

    /// The bitmask of the selected bytes of a block. `window` is only called if look-ahead is
    /// needed.
    #[inline(always)]
    unsafe fn block<S: Select>(&self, x: V, window: impl FnOnce() -> Window<V>) -> u64 {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            if S::SELECTION == Selection::Members {
                return self.set.members(x).bits();
            }
            let percent = x.equal(self.triplets.percent);
            if S::SELECTION == Selection::Percents {
                return percent.bits();
            }
            let finds_triplets = S::SELECTION == Selection::TripletsOfOthers;
            let found = if finds_triplets { 0 } else { self.set.members(x).bits() };
            if !percent.any_or(0) {
                return found;
            }
            let Window { next, second_next, .. } = window();
            let (valid, bytes) = self.triplets.decode(percent, next, second_next);
            if finds_triplets { valid.bits() & !self.set.members(bytes).bits() } else { found & !valid.bits() }
        }
    }
}

#[inline(always)]
pub(in crate::kernel) unsafe fn mark<V: Vector, S: Select>(set: &ByteSet, text: &[u8], marks: &mut [RankBlock]) {
    let (start, length) = (text.as_ptr(), text.len());
    // SAFETY: the caller guarantees the CPU features; every load stays within the text, including
    // the two bytes of look-ahead.
    unsafe {
        let (whole, rest) = (Ranking::<V>::new(set), Ranking::<V::Half>::new(set));
        rank::fill(length, marks, |first| {
            let mut bits = 0;
            if first + 64 + 2 <= length {
                for part in 0..64 / V::LANES {
                    let from = start.add(first + part * V::LANES);
                    bits |= whole.block::<S>(V::load(from), || Window::load(from)) << (part * V::LANES);
                }
                return bits;
            }
            let (mut at, end) = (first, length.min(first + 64));
            while at < end {
                let (from, left) = (start.add(at), (end - at).min(V::Half::LANES));
                let x = load_up_to::<V::Half>(from, left);
                let found = rest.block::<S>(x, || Window::load_end(from, length - at, at));
                bits |= (found & low_bits(left)) << (at - first);
                at += left;
            }
            bits
        });
    }
}

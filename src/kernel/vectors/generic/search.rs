//! Members of a set: the first one, their number, and their bitmask in 64 bytes.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{load_up_to, low_bits};
use crate::byteset::ByteSet;
use crate::kernel::vectors::vector::Vector;

/// The bit of a byte in its row, by high nibble.
pub(super) const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// A [`ByteSet`] in registers: a row of 8 bits per low nibble, once for ASCII and once for other
/// bytes (Mula).
#[derive(Clone, Copy)]
pub(super) struct Class<V> {
    pub(super) ascii: V,
    pub(super) others: V,
    pub(super) bits: V,
    pub(super) top: V,
}

impl<V: Vector> Class<V> {
    #[inline(always)]
    pub(super) unsafe fn new(set: &ByteSet) -> Self {
        let [ascii, others] = set.rows();
        // SAFETY: the caller guarantees the CPU features.
        unsafe { Self { ascii: V::table(ascii), others: V::table(others), bits: V::table(&BITS), top: V::splat(0x80) } }
    }

    /// The vector mask of the members. A lookup yields zero if the index's top bit is set, so the
    /// union of both lookups is the row of either half.
    #[inline(always)]
    pub(super) unsafe fn members(&self, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { self.members_by_row(self.ascii.lookup(x).or(self.others.lookup(x.xor(self.top))), x) }
    }

    /// The vector mask of the members below 0x80. For other bytes the lookup yields an empty row.
    #[inline(always)]
    pub(super) unsafe fn ascii_members(&self, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { self.members_by_row(self.ascii.lookup(x), x) }
    }

    /// The vector mask of the lanes whose bit is set in their row.
    #[inline(always)]
    pub(super) unsafe fn members_by_row(&self, row: V, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let bit = self.bits.lookup_nibbles(x.high_nibbles());
            row.and(bit).equal(bit)
        }
    }
}

#[inline(always)]
pub(in crate::kernel) unsafe fn find<V: Vector>(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let mut at = 0;
    // SAFETY: the caller guarantees the CPU features; every load stays within the haystack.
    unsafe {
        let class = Class::<V>::new(set);
        while at + V::LANES <= length {
            let members = class.members(V::load(start.add(at)));
            if members.any_or(0) {
                return Some(at + members.bits().trailing_zeros() as usize);
            }
            at += V::LANES;
        }
        let class = Class::<V::Half>::new(set);
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let members = class.members(load_up_to::<V::Half>(start.add(at), left)).bits() & low_bits(left);
            if members != 0 {
                return Some(at + members.trailing_zeros() as usize);
            }
            at += left;
        }
    }
    None
}

#[inline(always)]
pub(in crate::kernel) unsafe fn count<V: Vector>(set: &ByteSet, haystack: &[u8]) -> usize {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let (mut at, mut count) = (0, 0);
    // SAFETY: the caller guarantees the CPU features; every load stays within the haystack.
    unsafe {
        let class = Class::<V>::new(set);
        while at + V::LANES <= length {
            count += class.members(V::load(start.add(at))).bits().count_ones() as usize;
            at += V::LANES;
        }
        let class = Class::<V::Half>::new(set);
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let members = class.members(load_up_to::<V::Half>(start.add(at), left)).bits() & low_bits(left);
            count += members.count_ones() as usize;
            at += left;
        }
    }
    count
}

#[inline(always)]
pub(in crate::kernel) unsafe fn members<V: Vector>(set: &ByteSet, haystack: &[u8]) -> u64 {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let (mut at, mut members) = (0, 0);
    // SAFETY: the caller guarantees the CPU features; every load stays within the haystack.
    unsafe {
        let class = Class::<V::Half>::new(set);
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let found = class.members(load_up_to::<V::Half>(start.add(at), left)).bits() & low_bits(left);
            members |= found << at;
            at += left;
        }
    }
    members
}

//! Compaction (dropping lanes) and expansion (one lane to three).
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use crate::kernel::vectors::tables::{COMPACTED, EXPANDED};
use crate::kernel::vectors::vector::{Vector, Vector16};

/// Stores the lanes whose bit in `kept` is set, contiguously. The rest of `LANES` bytes at `to` is
/// overwritten with unspecified bytes.
///
/// # Safety
///
/// `to` is valid for writes of `LANES` bytes.
#[inline(always)]
pub(super) unsafe fn compact<V: Vector>(x: V, kept: u64, to: *mut u8) {
    // SAFETY: the second half is stored at most 16 bytes after the first, so both end within
    // `LANES`.
    unsafe {
        let (low, high) = x.halves();
        compact_half(low, kept & 0xFFFF, to);
        if V::LANES > V::Half::LANES {
            compact_half(high, kept >> 16, to.add((kept & 0xFFFF).count_ones() as usize));
        }
    }
}

/// [`compact`] for 16 lanes: one lookup compacts each half of 8 lanes, and the second half is
/// stored where the first one ends.
#[inline(always)]
pub(super) unsafe fn compact_half<V: Vector16>(x: V, kept: u64, to: *mut u8) {
    let (first, second) = ((kept & 0xFF) as usize, (kept >> 8) as usize);
    // SAFETY: both stores are of 8 bytes, the second at most 8 bytes after the first.
    unsafe {
        let order = V::from_words(COMPACTED[0][first], COMPACTED[1][second]);
        x.lookup_nibbles(order).store_words(to, to.add(first.count_ones() as usize));
    }
}

/// Stores the lowest `length` of 16 lanes, those of `escaped` as triplets. May overwrite the
/// `SLACK` bytes after that.
///
/// Four lanes at a time are interleaved to `[byte, high digit, low digit, %]` each. [`EXPANDED`]
/// then picks the bytes to output and their order.
///
/// # Safety
///
/// `to` is valid for writes of the output and `SLACK` bytes.
#[inline(always)]
pub(super) unsafe fn expand<V: Vector16>(x: V, escaped: u64, length: usize, digits: V, to: *mut u8) {
    // SAFETY: each store is of 16 bytes, of which at least the first is output, so it ends within
    // `SLACK` bytes after the output.
    unsafe {
        let high = digits.lookup_nibbles(x.high_nibbles());
        let low = digits.lookup_nibbles(x.and(V::splat(15)));
        let (front_low, front_high) = x.interleave_bytes(high);
        let (back_low, back_high) = low.interleave_bytes(V::splat(b'%'));
        let (first, second) = front_low.interleave_pairs(back_low);
        let (third, fourth) = front_high.interleave_pairs(back_high);
        let mut at = 0;
        let mut rest = escaped as usize;
        for (number, group) in [first, second, third, fourth].into_iter().enumerate() {
            if 4 * number >= length {
                break;
            }
            let order = &EXPANDED[rest & 15];
            group.lookup_nibbles(V::table(order)).store(to.add(at));
            at += 4 + 2 * (rest & 15).count_ones() as usize;
            rest >>= 4;
        }
    }
}

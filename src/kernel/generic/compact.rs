//! Leaving lanes out, and making three of one.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use crate::kernel::tables::{COMPACTED, EXPANDED};
use crate::kernel::vector::{Vector, Vector16};

/// Stores the lanes whose bit in `kept` is set, one behind the other, and anything behind them, within `LANES` bytes.
///
/// # Safety
///
/// `to` is valid for writes of `LANES` bytes.
#[inline(always)]
pub(super) unsafe fn compact<V: Vector>(x: V, kept: u64, to: *mut u8) {
    // SAFETY: the second half goes at most 16 bytes behind the first.
    unsafe {
        let (low, high) = x.halves();
        compact_half(low, kept & 0xFFFF, to);
        if V::LANES > V::Half::LANES {
            compact_half(high, kept >> 16, to.add((kept & 0xFFFF).count_ones() as usize));
        }
    }
}

/// [`compact`] for 16 lanes: the two halves are each put together by a table, and the second stored where the first ends.
#[inline(always)]
pub(super) unsafe fn compact_half<V: Vector16>(x: V, kept: u64, to: *mut u8) {
    let (first, second) = ((kept & 0xFF) as usize, (kept >> 8) as usize);
    // SAFETY: both stores are of 8 bytes, the second at most 8 bytes behind the first.
    unsafe {
        let order = V::from_words(COMPACTED[0][first], COMPACTED[1][second]);
        x.lookup(order).store_words(to, to.add(first.count_ones() as usize));
    }
}

/// Stores the lowest `length` of 16 lanes, those of `escaped` as triplets, and anything in the [`SLACK`](super::encode::SLACK) bytes behind them.
///
/// Four lanes at a time become `[byte, high digit, low digit, %]` each, of which a table picks what counts.
///
/// # Safety
///
/// `to` is valid for writes of all that.
#[inline(always)]
pub(super) unsafe fn expand<V: Vector16>(x: V, escaped: u64, length: usize, digits: V, to: *mut u8) {
    // SAFETY: a store is of 16 bytes, and the first of them at least counts.
    unsafe {
        let high = digits.lookup(x.high_nibbles());
        let low = digits.lookup(x.and(V::splat(15)));
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
            group.lookup(V::table(order)).store(to.add(at));
            at += 4 + 2 * (rest & 15).count_ones() as usize;
            rest >>= 4;
        }
    }
}

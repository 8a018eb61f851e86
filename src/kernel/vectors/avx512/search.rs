//! Members of a set: the first one, their number, and their bitmask in 64 bytes.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::memory::{load, low_bits};
use crate::byteset::ByteSet;

#[inline(always)]
pub(super) unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let class = Class::new(set);
    let mut at = 0;
    while at + LANES <= length {
        let members = class.members(_mm512_loadu_epi8(start.add(at).cast()));
        if members != 0 {
            return Some(at + members.trailing_zeros() as usize);
        }
        at += LANES;
    }
    let mask = low_bits(length - at);
    let members = class.members(load(start.add(at), length - at)) & mask;
    if members != 0 { Some(at + members.trailing_zeros() as usize) } else { None }
}

#[inline(always)]
pub(super) unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let class = Class::new(set);
    let (mut at, mut count) = (0, 0);
    while at + LANES <= length {
        count += class.members(_mm512_loadu_epi8(start.add(at).cast())).count_ones() as usize;
        at += LANES;
    }
    let mask = low_bits(length - at);
    let members = class.members(load(start.add(at), length - at)) & mask;
    count + members.count_ones() as usize
}

#[inline(always)]
pub(super) unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
    let mask = low_bits(haystack.len());
    Class::new(set).members(load(haystack.as_ptr(), haystack.len())) & mask
}

/// A [`ByteSet`] in registers: a row of 8 bits per low nibble, once for ASCII and once for other
/// bytes (Mula).
#[derive(Clone, Copy)]
pub(super) struct Class {
    pub(super) ascii: __m512i,
    pub(super) others: __m512i,
}

impl Class {
    #[inline(always)]
    pub(super) unsafe fn new(set: &ByteSet) -> Self {
        let [ascii, others] = set.rows();
        Self { ascii: broadcast(ascii), others: broadcast(others) }
    }

    #[inline(always)]
    pub(super) unsafe fn members(&self, x: __m512i) -> u64 {
        // A byte shuffle yields zero if the index's top bit is set, so the union of both shuffles
        // is the row of either half.
        let top = _mm512_set1_epi8(0x80_u8 as i8);
        let row = _mm512_or_si512(
            _mm512_shuffle_epi8(self.ascii, x),
            _mm512_shuffle_epi8(self.others, _mm512_xor_si512(x, top)),
        );
        _mm512_test_epi8_mask(row, Self::bit(x))
    }

    /// Those of `lanes` that are members below 0x80. For other bytes the shuffle yields an empty
    /// row.
    #[inline(always)]
    pub(super) unsafe fn ascii_members(&self, lanes: u64, x: __m512i) -> u64 {
        _mm512_mask_test_epi8_mask(lanes, _mm512_shuffle_epi8(self.ascii, x), Self::bit(x))
    }

    /// The bit of each byte in its row.
    #[inline(always)]
    pub(super) unsafe fn bit(x: __m512i) -> __m512i {
        // The 16-bit shift lets in bits of the neighbouring byte. They do not matter: the table
        // repeats every eight entries.
        let bits = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
        _mm512_permutexvar_epi8(_mm512_srli_epi16::<4>(x), bits)
    }
}

#[inline(always)]
pub(super) unsafe fn broadcast(table: &[u8; 16]) -> __m512i {
    _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()))
}

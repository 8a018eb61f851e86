//! A block of input with its look-ahead, and the recognition of triplets.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::memory::{load, load_table};
use crate::hex::{LOWERCASE, UPPERCASE};

/// A block of input, and the bytes one and two after each lane, zero padded.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) x: __m512i,
    pub(super) next: __m512i,
    pub(super) second_next: __m512i,
}

impl Window {
    /// Without look-ahead: `next` and `second_next` are placeholders.
    #[inline(always)]
    pub(super) fn of(x: __m512i) -> Self {
        Self { x, next: x, second_next: x }
    }

    /// For at most 16 bytes: the look-ahead takes two immediate shifts, and no index tables need
    /// loading.
    #[inline(always)]
    pub(super) unsafe fn of_few(x: __m512i) -> Self {
        let few = _mm512_castsi512_si128(x);
        let next = _mm512_zextsi128_si512(_mm_srli_si128::<1>(few));
        let second_next = _mm512_zextsi128_si512(_mm_srli_si128::<2>(few));
        Self { x, next, second_next }
    }

    /// # Safety
    ///
    /// `from` is valid for reads of `LANES + 2` bytes.
    #[inline(always)]
    pub(super) unsafe fn load(from: *const u8) -> Self {
        Self {
            x: _mm512_loadu_epi8(from.cast()),
            next: _mm512_loadu_epi8(from.add(1).cast()),
            second_next: _mm512_loadu_epi8(from.add(2).cast()),
        }
    }

    /// # Safety
    ///
    /// `from` is valid for reads of `length` bytes, which may be none.
    #[inline(always)]
    pub(super) unsafe fn load_end(from: *const u8, length: usize) -> Self {
        let x = load(from, length);
        if length <= LANES {
            // Lane *i* takes lane *i* + 1 or *i* + 2; the top lanes become zero.
            let next = _mm512_maskz_permutexvar_epi8(u64::MAX >> 1, load_table(&FOLLOWING[0]), x);
            let second_next = _mm512_maskz_permutexvar_epi8(u64::MAX >> 2, load_table(&FOLLOWING[1]), x);
            Self { x, next, second_next }
        } else {
            Self { x, next: load(from.add(1), length - 1), second_next: load(from.add(2), length - 2) }
        }
    }

    /// The bitmask of the valid triplets among `percent`, and the bytes that they decode to. Valid
    /// triplets don't overlap, since `%` is not a digit.
    #[inline(always)]
    pub(super) unsafe fn triplets(&self, percent: u64, digits: __m512i) -> (u64, __m512i) {
        let high = _mm512_permutexvar_epi8(self.next, digits);
        let low = _mm512_permutexvar_epi8(self.second_next, digits);
        // (high ^ next) | (low ^ second_next): a wrong high nibble in either leaves a bit set.
        const OR_OF_XOR: i32 = 0xF6;
        let wrong = _mm512_xor_si512(high, self.next);
        let wrong = _mm512_ternarylogic_epi64::<OR_OF_XOR>(wrong, low, self.second_next);
        let high_nibbles = _mm512_set1_epi8(0xF0_u8 as i8);
        let valid = _mm512_mask_testn_epi8_mask(percent, wrong, high_nibbles);
        // third ? first : second. This also discards the bits that the 16-bit shift lets in from
        // the neighbouring byte.
        const SELECT: i32 = 0xE4;
        let bytes = _mm512_ternarylogic_epi64::<SELECT>(_mm512_slli_epi16::<4>(high), low, high_nibbles);
        (valid, bytes)
    }
}

/// The bitmask of the lanes that are hex digits; `digits` is [`DIGITS`].
#[inline(always)]
pub(super) unsafe fn are_digits(x: __m512i, digits: __m512i) -> u64 {
    let wrong = _mm512_xor_si512(_mm512_permutexvar_epi8(x, digits), x);
    _mm512_testn_epi8_mask(wrong, _mm512_set1_epi8(0xF0_u8 as i8))
}

/// Indexed by the low six bits of a byte, which differ for all 22 hex digits. The high nibble is
/// the digit's own high nibble, and the low nibble its value. Slots without a digit have a high
/// nibble that no byte with those six bits has.
pub(super) static DIGITS: [u8; 64] = {
    let mut table = [0; 64];
    let mut slot = 0;
    while slot < 64 {
        // Bits 4 and 5 are the complement of the slot's, so they never match.
        table[slot] = (!slot as u8) & 0x30;
        slot += 1;
    }
    let mut value = 0;
    while value < 16 {
        let (upper, lower) = (UPPERCASE[value], LOWERCASE[value]);
        table[(upper & 63) as usize] = upper & 0xF0 | value as u8;
        table[(lower & 63) as usize] = lower & 0xF0 | value as u8;
        value += 1;
    }
    table
};

/// `[i + 1, i + 2]` modulo 64 for each lane *i*.
pub(super) static FOLLOWING: [[u8; 64]; 2] = {
    let mut tables = [[0; 64]; 2];
    let mut lane = 0;
    while lane < 64 {
        tables[0][lane] = (lane as u8 + 1) % 64;
        tables[1][lane] = (lane as u8 + 2) % 64;
        lane += 1;
    }
    tables
};

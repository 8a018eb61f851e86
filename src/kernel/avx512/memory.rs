//! Loads, stores and masks of up to 64 bytes.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use crate::kernel::op::Extent;

/// The first `length` bytes, 64 at most, and zeros. As with stores, a masked load that reaches into a page that is not there is
/// far slower than another, so near the end of a page they are loaded to the topmost lanes, from a pointer that wraps, as in [`store`].
///
/// # Safety
///
/// `from` is valid for reads of `length` bytes, if that is not above 64.
#[inline(always)]
pub(super) unsafe fn load(from: *const u8, length: usize) -> __m512i {
    // From masked loads alone, the machine does not learn to fetch ahead: the short strings of a text that is not in the cache would
    // each wait for memory. What is only a hint may point anywhere.
    _mm_prefetch::<_MM_HINT_T0>(from.cast());
    if is_within_page(from) {
        _mm512_maskz_loadu_epi8(low_bits(length), from.cast())
    } else {
        let length = length.min(LANES);
        let below = LANES - length;
        let x = _mm512_maskz_loadu_epi8(!low_bits(below), from.wrapping_sub(below).cast());
        _mm512_maskz_permutexvar_epi8(low_bits(length), lane_numbers(below), x)
    }
}

/// Stores the lowest `length` lanes, or nothing if there is no room for them; a `E::FULL` block stores all 64 and asks nothing.
///
/// A masked store that reaches into a page that was never written is a hundred times slower than another, even if the mask keeps
/// it out of there, so near the end of a page it is the topmost lanes that are stored, and those below them kept out.
///
/// Those stores begin before `to`, perhaps before the start of the allocation. So the pointer wraps, and none of the bytes before `to` is
/// accessed: a masked store writes the lanes of its mask only, and suppresses faults of the others. (tests/bounds.rs has outputs that
/// begin and end at an unreadable page.)
///
/// # Safety
///
/// `to` is valid for writes of `room` bytes, which are `LANES` at least if `E::FULL`.
#[inline(always)]
pub(super) unsafe fn store<E: Extent>(x: __m512i, length: usize, to: *mut u8, room: usize) -> bool {
    if E::FULL || room >= LANES {
        _mm512_storeu_epi8(to.cast(), x);
    } else if length > room {
        return false;
    } else if is_within_page(to) {
        _mm512_mask_storeu_epi8(to.cast(), low_bits(length), x);
    } else {
        let below = LANES - length;
        let x = _mm512_permutexvar_epi8(lane_numbers(below.wrapping_neg()), x);
        _mm512_mask_storeu_epi8(to.wrapping_sub(below).cast(), !low_bits(below), x);
    }
    true
}

/// Whether 64 bytes from here lie within one page, of which the smallest have 4 KiB.
#[inline(always)]
pub(super) fn is_within_page(start: *const u8) -> bool {
    start.addr() % 4096 <= 4096 - LANES
}

#[inline(always)]
pub(super) unsafe fn load_table(table: &[u8; 64]) -> __m512i {
    _mm512_loadu_epi8(table.as_ptr().cast())
}

/// The number of each lane and so many more, modulo 256.
#[inline(always)]
pub(super) unsafe fn lane_numbers(more: usize) -> __m512i {
    static LANE_NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut lane = 0;
        while lane < 64 {
            numbers[lane] = lane as u8;
            lane += 1;
        }
        numbers
    };
    _mm512_add_epi8(load_table(&LANE_NUMBERS), _mm512_set1_epi8(more as i8))
}

/// The lowest `length` bits, all of them from 64.
#[inline(always)]
pub(super) unsafe fn low_bits(length: usize) -> u64 {
    // The instruction looks at eight bits of the length.
    _bzhi_u64(u64::MAX, length.min(LANES) as u32)
}

#[cold]
pub(super) unsafe fn lane_of(x: __m512i, lane: usize) -> u8 {
    let mut lanes = [0; LANES];
    _mm512_storeu_epi8(lanes.as_mut_ptr().cast(), x);
    lanes[lane]
}

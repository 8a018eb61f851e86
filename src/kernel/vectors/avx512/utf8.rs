//! UTF-8 validation with AVX-512, which simdutf8 does not have.
//!
//! The lookup algorithm of Keiser and Lemire ("Validating UTF-8 in less than one instruction per
//! byte", 2021). Three tables, indexed by the nibbles of a byte and of the one before it, hold the
//! possible errors of the two bytes as bits. A bit set in all three is an error.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/utf8.rs, tests/bounds.rs and tests/guarded_heap.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::memory::{lane_numbers, load, load_table};

/// The number of bytes tested for ASCII at once.
const GROUP: usize = 4 * LANES;

/// A lead byte, not followed by a continuation.
const TOO_SHORT: u8 = 1 << 0;
/// ASCII, followed by a continuation.
const TOO_LONG: u8 = 1 << 1;
/// E0, followed by less than A0.
const OVERLONG_3: u8 = 1 << 2;
/// F4 or above, followed by more than 8F.
const TOO_LARGE: u8 = 1 << 3;
/// ED, followed by more than 9F.
const SURROGATE: u8 = 1 << 4;
/// C0 or C1, followed by a continuation.
const OVERLONG_2: u8 = 1 << 5;
/// More than F4, followed by less than 90.
const TOO_LARGE_LOW: u8 = 1 << 6;
/// F0, followed by less than 90. It shares its bit with [`TOO_LARGE_LOW`]: no byte is both F0 and
/// more than F4.
const OVERLONG_4: u8 = 1 << 6;
/// Two continuations: an error unless they are bytes 2 and 3, or 3 and 4, of a sequence.
const TWO_CONTINUATIONS: u8 = 1 << 7;

/// A 16-entry table, repeated four times: a permutation uses six bits of its index, so the upper
/// two need not be cleared.
const fn four_times(entries: [u8; 16]) -> [u8; 64] {
    let mut table = [0; 64];
    let mut at = 0;
    while at < 64 {
        table[at] = entries[at % 16];
        at += 1;
    }
    table
}

/// Indexed by the high nibble of the first byte.
static FIRST_HIGH: [u8; 64] = {
    let mut entries = [TOO_LONG; 16];
    let mut nibble = 0x8;
    while nibble < 0x10 {
        entries[nibble] = match nibble {
            0x8..=0xB => TWO_CONTINUATIONS,
            0xC => TOO_SHORT | OVERLONG_2,
            0xD => TOO_SHORT,
            0xE => TOO_SHORT | OVERLONG_3 | SURROGATE,
            _ => TOO_SHORT | TOO_LARGE | TOO_LARGE_LOW | OVERLONG_4,
        };
        nibble += 1;
    }
    four_times(entries)
};

/// Indexed by the low nibble of the first byte.
static FIRST_LOW: [u8; 64] = {
    /// Errors that do not depend on the low nibble.
    const ANY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;
    let mut entries = [ANY; 16];
    let mut nibble = 0;
    while nibble < 0x10 {
        entries[nibble] |= match nibble {
            0x0 => OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
            0x1 => OVERLONG_2,
            0x2 | 0x3 => 0,
            0x4 => TOO_LARGE,
            0xD => TOO_LARGE | TOO_LARGE_LOW | SURROGATE,
            _ => TOO_LARGE | TOO_LARGE_LOW,
        };
        nibble += 1;
    }
    four_times(entries)
};

/// Indexed by the high nibble of the second byte.
static SECOND_HIGH: [u8; 64] = {
    const CONTINUATION: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
    let mut entries = [TOO_SHORT; 16];
    entries[0x8] = CONTINUATION | OVERLONG_3 | OVERLONG_4 | TOO_LARGE_LOW;
    entries[0x9] = CONTINUATION | OVERLONG_3 | TOO_LARGE;
    entries[0xA] = CONTINUATION | SURROGATE | TOO_LARGE;
    entries[0xB] = CONTINUATION | SURROGATE | TOO_LARGE;
    four_times(entries)
};

/// The errors of a block: zero if there are none. The array holds the bytes one, two and three
/// before each lane.
#[inline(always)]
unsafe fn errors(tables: &[__m512i; 3], x: __m512i, [first, second, third]: [__m512i; 3]) -> __m512i {
    let nibbles = |x| _mm512_srli_epi16::<4>(x);
    let pair = _mm512_and_si512(
        _mm512_permutexvar_epi8(nibbles(first), tables[0]),
        _mm512_and_si512(_mm512_permutexvar_epi8(first, tables[1]), _mm512_permutexvar_epi8(nibbles(x), tables[2])),
    );
    // The top bit is set where a third or fourth byte is due: two after E0 and above, three after
    // F0 and above.
    let second = _mm512_subs_epu8(second, _mm512_set1_epi8(0xE0_u8.wrapping_sub(0x80) as i8));
    let third = _mm512_subs_epu8(third, _mm512_set1_epi8(0xF0_u8.wrapping_sub(0x80) as i8));
    let due = _mm512_and_si512(_mm512_or_si512(second, third), _mm512_set1_epi8(i8::MIN));
    _mm512_xor_si512(due, pair)
}

/// Whether the text is well-formed.
///
/// # Safety
///
/// The CPU has the target features of [`Avx512`](super::Avx512).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn is_well_formed(text: &[u8]) -> bool {
    let (start, length) = (text.as_ptr(), text.len());
    let tables = [load_table(&FIRST_HIGH), load_table(&FIRST_LOW), load_table(&SECOND_HIGH)];
    let (mut at, mut found) = (0, _mm512_setzero_si512());
    // The first block is preceded by zeros.
    if length > LANES {
        let x = _mm512_loadu_epi8(start.cast());
        found = errors(&tables, x, [1, 2, 3].map(|distance| lanes_before(x, distance)));
        at = LANES;
    }
    // Groups of four blocks are skipped if they and the bytes before them are ASCII. Non-ASCII
    // blocks mostly come in runs, and a branch per block would mispredict.
    while length - at >= GROUP {
        let blocks = [0, 1, 2, 3].map(|number| _mm512_loadu_epi8(start.add(at + number * LANES).cast()));
        let before = _mm512_loadu_epi8(start.add(at - LANES).cast());
        let any = _mm512_or_si512(_mm512_or_si512(blocks[0], blocks[1]), _mm512_or_si512(blocks[2], blocks[3]));
        if _mm512_movepi8_mask(_mm512_or_si512(any, before)) != 0 {
            for (number, x) in blocks.into_iter().enumerate() {
                let from = start.add(at + number * LANES);
                let before = [1, 2, 3].map(|distance| _mm512_loadu_epi8(from.sub(distance).cast()));
                found = _mm512_or_si512(found, errors(&tables, x, before));
            }
        }
        at += GROUP;
    }
    // The tail, which is empty after a full block: a sequence may be truncated by the end. Zero
    // padding is ASCII, so it makes such a sequence too short.
    loop {
        let left = length - at;
        let x = load(start.add(at), left);
        let before = if at == 0 {
            if _mm512_movepi8_mask(x) == 0 {
                return true;
            }
            [1, 2, 3].map(|distance| lanes_before(x, distance))
        } else {
            [1, 2, 3].map(|distance| load(start.add(at - distance), left + distance))
        };
        found = _mm512_or_si512(found, errors(&tables, x, before));
        if left < LANES {
            return _mm512_test_epi8_mask(found, found) == 0;
        }
        at += LANES;
    }
}

/// Lane *i* takes lane *i* - `distance`; zeros come in at the bottom.
#[inline(always)]
unsafe fn lanes_before(x: __m512i, distance: usize) -> __m512i {
    let numbers = lane_numbers(distance.wrapping_neg());
    _mm512_maskz_permutexvar_epi8(u64::MAX << distance, numbers, x)
}

//! Forms: the bitmaps of a parser, and the encoding of a pair.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::encode::{Expand, FRONT};
use super::memory::{is_within_page, load, low_bits};
use crate::kernel::FormBitmaps;
use crate::kernel::form_rules::{ESCAPED, FormRules};
use crate::kernel::vectors::blocks::Full;

#[inline(always)]
pub(super) unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps) {
    // The zero-padded lanes match nothing.
    let x = load(bytes.as_ptr(), bytes.len());
    let equal = |byte: u8| _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(byte as i8));
    let coded = equal(b'%') | equal(b'+') | _mm512_movepi8_mask(x);
    *bitmaps = FormBitmaps { ends: equal(b'&'), equals: equal(b'='), coded };
}

/// Encodes a pair. One that fits into a register is assembled in it, with two masked loads. All
/// other pairs, and loads near a page end, take the outlined path.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &FormRules) -> usize {
    let (equals, length) = (name.len(), name.len() + 1 + value.len());
    let (name_from, value_from) = (before(name, 0), before(value, equals + 1));
    if length > LANES || !is_within_page(name_from) || !is_within_page(value_from) {
        return encode_long_pair(name, value, to, rules);
    }
    let name_lanes = low_bits(equals);
    let lanes = low_bits(length) & !(1 << equals);
    let x = _mm512_maskz_loadu_epi8(name_lanes, name_from.cast());
    let x = _mm512_mask_loadu_epi8(x, lanes & !name_lanes, value_from.cast());
    let encode = EncodePair::new(rules);
    let (plain, escaped) = encode.block(x, lanes);
    if escaped == 0 {
        _mm512_storeu_epi8(to.cast(), plain);
        to.add(equals).write(b'=');
        return length;
    }
    let plain = _mm512_mask_blend_epi8(1 << equals, plain, _mm512_set1_epi8(b'=' as i8));
    Expand::new(rules.digits).store::<Full>(plain, x, escaped, length, to, 3 * length + LANES);
    length + 2 * escaped.count_ones() as usize
}

/// Encodes a pair part by part, 64 bytes at a time.
///
/// # Safety
///
/// `to` is valid for writes of [`room`](crate::kernel::form_rules::room) bytes.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn encode_long_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &FormRules) -> usize {
    let encode = EncodePair::new(rules);
    let mut written = 0;
    for (is_value, part) in [(false, name), (true, value)] {
        if is_value {
            to.add(written).write(b'=');
            written += 1;
        }
        let mut read = 0;
        while read < part.len() {
            let left = part.len() - read;
            let x = load(part.as_ptr().add(read), left);
            let (plain, escaped) = encode.block(x, low_bits(left));
            let length = left.min(LANES);
            if escaped == 0 {
                _mm512_storeu_epi8(to.add(written).cast(), plain);
            } else {
                Expand::new(rules.digits).store::<Full>(plain, x, escaped, length, to.add(written), 3 * left + LANES);
            }
            written += length + 2 * escaped.count_ones() as usize;
            read += length;
        }
    }
    written
}

/// The 128-entry table of output characters, in registers.
struct EncodePair {
    plain: [__m512i; 2],
}

impl EncodePair {
    #[inline(always)]
    unsafe fn new(rules: &FormRules) -> Self {
        Self { plain: [0, 64].map(|from| _mm512_loadu_epi8(rules.plain.as_ptr().add(from).cast())) }
    }

    /// The lanes as output if not escaped, and the bitmask of those of `lanes` to escape.
    #[inline(always)]
    unsafe fn block(&self, x: __m512i, lanes: u64) -> (__m512i, u64) {
        // The permutation uses the low seven bits of its index; bit 7 of `x` is tested below.
        let plain = _mm512_permutex2var_epi8(self.plain[0], x, self.plain[1]);
        let escaped = _mm512_mask_test_epi8_mask(lanes, _mm512_or_si512(plain, x), _mm512_set1_epi8(ESCAPED as i8));
        (plain, escaped)
    }
}

/// The address to load from so that `bytes` starts at lane `first`. Any readable address if `bytes`
/// is empty.
///
/// The address may be before the start of the allocation, so it wraps. The masked load does not
/// access the lanes below `first`.
#[inline(always)]
fn before(bytes: &[u8], first: usize) -> *const u8 {
    // Even an all-zero mask takes a fault-suppression assist if the page is unmapped.
    if bytes.is_empty() { FRONT.as_ptr() } else { bytes.as_ptr().wrapping_sub(first) }
}

//! Forms: the bitmaps that a parser goes by, and the encoding of a pair.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::encode::{Expand, FRONT};
use super::memory::{is_within_page, load, low_bits};
use crate::kernel::FormBitmaps;
use crate::kernel::form_rules::{ESCAPED, FormRules};
use crate::kernel::op::Full;

#[inline(always)]
pub(super) unsafe fn form_bitmaps(bytes: &[u8], bitmaps: &mut FormBitmaps) {
    // The lanes behind the end are zero, which is no mark.
    let x = load(bytes.as_ptr(), bytes.len());
    let equal = |byte: u8| _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(byte as i8));
    let coded = equal(b'%') | equal(b'+') | _mm512_movepi8_mask(x);
    *bitmaps = FormBitmaps { ends: equal(b'&'), equals: equal(b'='), coded };
}

/// A pair that fits into a register is put together in one. Whatever would take a call goes the other way.
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
    Expand::new(rules.rules.digits).store::<Full>(plain, x, escaped, length, to, 3 * length + LANES);
    length + 2 * escaped.count_ones() as usize
}

/// Part by part, 64 bytes at a time.
///
/// # Safety
///
/// There is [`room`](super::form_rules::room) at `to`.
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
                Expand::new(rules.rules.digits).store::<Full>(
                    plain,
                    x,
                    escaped,
                    length,
                    to.add(written),
                    3 * left + LANES,
                );
            }
            written += length + 2 * escaped.count_ones() as usize;
            read += length;
        }
    }
    written
}

/// What encoding a pair needs in registers.
struct EncodePair {
    plain: [__m512i; 2],
}

impl EncodePair {
    #[inline(always)]
    unsafe fn new(rules: &FormRules) -> Self {
        Self { plain: [0, 64].map(|from| _mm512_loadu_epi8(rules.plain.as_ptr().add(from).cast())) }
    }

    /// What the characters become that are not escaped, and which of `lanes` are.
    #[inline(always)]
    unsafe fn block(&self, x: __m512i, lanes: u64) -> (__m512i, u64) {
        // The permutation looks at the low seven bits of its index.
        let plain = _mm512_permutex2var_epi8(self.plain[0], x, self.plain[1]);
        let escaped = _mm512_mask_test_epi8_mask(lanes, _mm512_or_si512(plain, x), _mm512_set1_epi8(ESCAPED as i8));
        (plain, escaped)
    }
}

/// Where a load starts that has these bytes in its lanes from `first` on; somewhere, if there are none.
///
/// That may be before the start of the allocation, which is why it wraps: the masked load does not access the lanes below `first`.
#[inline(always)]
fn before(bytes: &[u8], first: usize) -> *const u8 {
    // Even a load of no lanes takes long where there is no page.
    if bytes.is_empty() { FRONT.as_ptr() } else { bytes.as_ptr().wrapping_sub(first) }
}

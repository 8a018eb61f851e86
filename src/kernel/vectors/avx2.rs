//! AVX2: 32 lanes, for the generic kernels, with 16 lanes of SSE4.1 (in VEX encoding) for tails.
//!
//! # Safety
//!
//! Every function here must only be called if the CPU has the target features of [`Avx2`], and must
//! be inlined into a function that enables them: see [`Vector`]. Pointers are valid for the bytes
//! that the trait states. Tested in tests/bounds.rs (buffers that end at inaccessible pages) and
//! tests/differential.rs.
#![allow(unsafe_op_in_unsafe_fn, reason = "each function is one or two intrinsics, under the contract of the trait")]

use core::arch::x86_64::*;

use super::generic;
use super::vector::Vector;
use crate::byteset::ByteSet;
use crate::kernel::inout::{InOut, Source, Target};
use crate::kernel::inspection::{Extract, Report};
use crate::kernel::op::{DecodePolicy, Detail, EncodePolicy, Pass};
use crate::kernel::outcome::Progress;
use crate::kernel::{FormBitmaps, ShortOutput};
use crate::rules::{DecodeRules, EncodeRules};

/// Requires AVX2, BMI1, BMI2 and POPCNT.
pub(crate) struct Avx2;

generic::kernel!(Avx2, __m256i, "avx2,bmi1,bmi2,popcnt");

impl Vector for __m256i {
    const LANES: usize = 32;
    type Half = __m128i;

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        _mm256_set1_epi8(byte as i8)
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        _mm256_broadcastsi128_si256(__m128i::table(entries))
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm256_loadu_si256(from.cast())
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm256_storeu_si256(to.cast(), self)
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        _mm256_cmpeq_epi8(self, other)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        _mm256_and_si256(self, other)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        _mm256_or_si256(self, other)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        _mm256_xor_si256(self, other)
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        _mm256_add_epi8(self, other)
    }

    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        _mm256_adds_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        _mm256_sub_epi8(self, other)
    }

    #[inline(always)]
    unsafe fn subtract_saturating(self, other: Self) -> Self {
        _mm256_subs_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn minimum(self, other: Self) -> Self {
        _mm256_min_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn maximum(self, other: Self) -> Self {
        _mm256_max_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // As in SSE4.1.
        _mm256_and_si256(_mm256_srli_epi16::<4>(self), _mm256_set1_epi8(15))
    }

    #[inline(always)]
    unsafe fn times_16(self) -> Self {
        _mm256_slli_epi16::<4>(self)
    }

    #[inline(always)]
    unsafe fn blend(self, other: Self, mask: Self) -> Self {
        _mm256_blendv_epi8(self, other, mask)
    }

    #[inline(always)]
    unsafe fn lookup(self, index: Self) -> Self {
        _mm256_shuffle_epi8(self, index)
    }

    #[inline(always)]
    unsafe fn shift_lanes_down<const N: i32>(self, above: Self) -> Self {
        // `alignr` shifts each group of 16 lanes. The lower group is followed by the upper one, and
        // that by the lower group of `above`.
        let above = _mm256_permute2x128_si256::<0x21>(self, above);
        _mm256_alignr_epi8::<N>(above, self)
    }

    #[inline(always)]
    unsafe fn bits(self) -> u64 {
        u64::from(_mm256_movemask_epi8(self) as u32)
    }

    #[inline(always)]
    unsafe fn from_bits(bits: u64) -> Self {
        // Broadcast to each lane the byte with its bit, then test that bit.
        let bytes = _mm256_set_epi64x(0x0303_0303_0303_0303, 0x0202_0202_0202_0202, 0x0101_0101_0101_0101, 0);
        let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), bytes);
        _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit)
    }

    #[inline(always)]
    unsafe fn any_top_bit_or(self, more: u64) -> bool {
        u64::from(_mm256_movemask_epi8(self) as u32) | more != 0
    }

    #[inline(always)]
    unsafe fn any_or(self, more: u64) -> bool {
        self.bits() | more != 0
    }

    #[inline(always)]
    unsafe fn halves(self) -> (__m128i, __m128i) {
        (_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self))
    }
}

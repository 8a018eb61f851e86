//! SSE4.1: 16 lanes, for the generic kernels.
//!
//! # Safety
//!
//! Every function here must only be called if the CPU has the target features of `Sse41`, and must
//! be inlined into a function that enables them: see [`Vector`]. Pointers are valid for the bytes
//! that the trait states. Tested in tests/bounds.rs (buffers that end at inaccessible pages) and
//! tests/differential.rs.
#![allow(unsafe_op_in_unsafe_fn, reason = "each function is one or two intrinsics, under the contract of the trait")]

use core::arch::x86_64::*;

use super::generic;
use super::vector::{Vector, Vector16};
use crate::byteset::ByteSet;
use crate::kernel::inout::{InOut, Source, Target};
use crate::kernel::inspection::{Extract, Report};
use crate::kernel::op::{DecodePolicy, Detail, EncodePolicy, Pass};
use crate::kernel::outcome::Progress;
use crate::kernel::swar;
use crate::kernel::{FormBitmaps, ShortOutput};
use crate::rules::{DecodeRules, EncodeRules};

/// Requires SSE4.1, SSSE3 and POPCNT.
pub(crate) struct Sse41;

generic::kernel!(Sse41, __m128i, "sse4.1,ssse3,popcnt");

impl Vector for __m128i {
    const LANES: usize = 16;
    type Half = Self;

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        _mm_set1_epi8(byte as i8)
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        _mm_loadu_si128(entries.as_ptr().cast())
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm_loadu_si128(from.cast())
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm_storeu_si128(to.cast(), self)
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        _mm_cmpeq_epi8(self, other)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        _mm_and_si128(self, other)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        _mm_or_si128(self, other)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        _mm_xor_si128(self, other)
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        _mm_add_epi8(self, other)
    }

    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        _mm_adds_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        _mm_sub_epi8(self, other)
    }

    #[inline(always)]
    unsafe fn subtract_saturating(self, other: Self) -> Self {
        _mm_subs_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn minimum(self, other: Self) -> Self {
        _mm_min_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn maximum(self, other: Self) -> Self {
        _mm_max_epu8(self, other)
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // There is no byte shift. A 16-bit shift lets in four bits of the neighbour, which the mask
        // clears.
        _mm_and_si128(_mm_srli_epi16::<4>(self), _mm_set1_epi8(15))
    }

    #[inline(always)]
    unsafe fn times_16(self) -> Self {
        // The lanes are below 16, so no bit crosses into the next one.
        _mm_slli_epi16::<4>(self)
    }

    #[inline(always)]
    unsafe fn blend(self, other: Self, mask: Self) -> Self {
        _mm_blendv_epi8(self, other, mask)
    }

    #[inline(always)]
    unsafe fn lookup(self, index: Self) -> Self {
        _mm_shuffle_epi8(self, index)
    }

    #[inline(always)]
    unsafe fn shift_lanes_down<const N: i32>(self, above: Self) -> Self {
        _mm_alignr_epi8::<N>(above, self)
    }

    #[inline(always)]
    unsafe fn bits(self) -> u64 {
        u64::from(_mm_movemask_epi8(self) as u32)
    }

    #[inline(always)]
    unsafe fn from_bits(bits: u64) -> Self {
        // Broadcast to each lane the byte with its bit, then test that bit.
        let bytes = _mm_set_epi64x(0x0101_0101_0101_0101, 0);
        let bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let spread = _mm_shuffle_epi8(_mm_cvtsi64_si128(bits as i64), bytes);
        _mm_cmpeq_epi8(_mm_and_si128(spread, bit), bit)
    }

    #[inline(always)]
    unsafe fn any_top_bit_or(self, more: u64) -> bool {
        u64::from(_mm_movemask_epi8(self) as u32) | more != 0
    }

    #[inline(always)]
    unsafe fn any_or(self, more: u64) -> bool {
        self.bits() | more != 0
    }

    #[inline(always)]
    unsafe fn halves(self) -> (Self, Self) {
        (self, self)
    }
}

impl Vector16 for __m128i {
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, length: usize) -> Self {
        let (low, high) = swar::load(core::slice::from_raw_parts(from, length));
        Self::from_words(low, high)
    }

    #[inline(always)]
    unsafe fn from_words(low: u64, high: u64) -> Self {
        _mm_set_epi64x(high as i64, low as i64)
    }

    #[inline(always)]
    unsafe fn store_words(self, low: *mut u8, high: *mut u8) {
        _mm_storel_epi64(low.cast(), self);
        _mm_storeh_pd(high.cast(), _mm_castsi128_pd(self));
    }

    #[inline(always)]
    unsafe fn interleave_bytes(self, other: Self) -> (Self, Self) {
        (_mm_unpacklo_epi8(self, other), _mm_unpackhi_epi8(self, other))
    }

    #[inline(always)]
    unsafe fn interleave_pairs(self, other: Self) -> (Self, Self) {
        (_mm_unpacklo_epi16(self, other), _mm_unpackhi_epi16(self, other))
    }
}

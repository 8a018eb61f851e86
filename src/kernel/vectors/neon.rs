//! NEON: 16 lanes, for the generic kernels.
//!
//! # Safety
//!
//! Every function here must only be called if the CPU has NEON, and must be inlined into a function
//! that enables it: see [`Vector`]. Pointers are valid for the bytes that the trait states. Tested
//! in tests/bounds.rs (buffers that end at inaccessible pages) and tests/differential.rs.
#![allow(unsafe_op_in_unsafe_fn, reason = "each function is one or two intrinsics, under the contract of the trait")]

use core::arch::aarch64::*;

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

/// Requires NEON, and little-endian lanes.
pub(crate) struct Neon;

generic::kernel!(Neon, uint8x16_t, "neon");

impl Vector for uint8x16_t {
    const LANES: usize = 16;
    type Half = Self;

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        vdupq_n_u8(byte)
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        vld1q_u8(entries.as_ptr())
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        vld1q_u8(from)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        vst1q_u8(to, self)
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        vceqq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        vandq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        vorrq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        veorq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        vaddq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        vqaddq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        vsubq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn subtract_saturating(self, other: Self) -> Self {
        vqsubq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn minimum(self, other: Self) -> Self {
        vminq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn maximum(self, other: Self) -> Self {
        vmaxq_u8(self, other)
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        vshrq_n_u8::<4>(self)
    }

    #[inline(always)]
    unsafe fn times_16(self) -> Self {
        vshlq_n_u8::<4>(self)
    }

    #[inline(always)]
    unsafe fn blend(self, other: Self, mask: Self) -> Self {
        vbslq_u8(mask, other, self)
    }

    #[inline(always)]
    unsafe fn lookup(self, index: Self) -> Self {
        // `tbl` yields zero for any index above 15. The trait requires it only for indices from
        // 0x80, so the other high bits are cleared.
        vqtbl1q_u8(self, vandq_u8(index, vdupq_n_u8(0x8F)))
    }

    #[inline(always)]
    unsafe fn lookup_nibbles(self, index: Self) -> Self {
        vqtbl1q_u8(self, index)
    }

    #[inline(always)]
    unsafe fn shift_lanes_down<const N: i32>(self, above: Self) -> Self {
        vextq_u8::<N>(self, above)
    }

    #[inline(always)]
    unsafe fn bits(self) -> u64 {
        // Keep one bit per lane, then add pairwise three times.
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let bits = vandq_u8(self, Self::table(&BITS));
        let sums = vpaddq_u8(bits, bits);
        let sums = vpaddq_u8(sums, sums);
        let sums = vpaddq_u8(sums, sums);
        u64::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(sums)))
    }

    #[inline(always)]
    unsafe fn from_bits(bits: u64) -> Self {
        // Broadcast to each lane the byte with its bit, then test that bit.
        let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let spread = vcombine_u8(vdup_n_u8(bits as u8), vdup_n_u8((bits >> 8) as u8));
        vtstq_u8(spread, bit)
    }

    #[inline(always)]
    unsafe fn any_top_bit_or(self, more: u64) -> bool {
        u64::from(vmaxvq_u8(self) >> 7) | more != 0
    }

    #[inline(always)]
    unsafe fn any_or(self, more: u64) -> bool {
        u64::from(vmaxvq_u8(self)) | more != 0
    }

    #[inline(always)]
    unsafe fn halves(self) -> (Self, Self) {
        (self, self)
    }
}

impl Vector16 for uint8x16_t {
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, length: usize) -> Self {
        let (low, high) = swar::load(core::slice::from_raw_parts(from, length));
        Self::from_words(low, high)
    }

    #[inline(always)]
    unsafe fn from_words(low: u64, high: u64) -> Self {
        vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))
    }

    #[inline(always)]
    unsafe fn store_words(self, low: *mut u8, high: *mut u8) {
        vst1_u8(low, vget_low_u8(self));
        vst1_u8(high, vget_high_u8(self));
    }

    #[inline(always)]
    unsafe fn interleave_bytes(self, other: Self) -> (Self, Self) {
        (vzip1q_u8(self, other), vzip2q_u8(self, other))
    }

    #[inline(always)]
    unsafe fn interleave_pairs(self, other: Self) -> (Self, Self) {
        let (x, y) = (vreinterpretq_u16_u8(self), vreinterpretq_u16_u8(other));
        (vreinterpretq_u8_u16(vzip1q_u16(x, y)), vreinterpretq_u8_u16(vzip2q_u16(x, y)))
    }
}

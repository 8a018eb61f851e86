//! WebAssembly's simd128: 16 lanes, for the generic kernels.
//!
//! # Safety
//!
//! An engine that lacks these instructions rejects the module before any code runs, so that a CPU
//! feature is missing nowhere. Every function here must be inlined into a function that enables
//! simd128, which the whole module is compiled with: see [`Vector`]. Pointers are valid for the
//! bytes that the trait states. Tested in tests/bounds.rs (buffers that end where linear memory
//! ends) and tests/differential.rs, by scripts/check-levels wasm32.
#![allow(unsafe_op_in_unsafe_fn, reason = "each function is one or two intrinsics, under the contract of the trait")]

use core::arch::wasm32::*;

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

/// Requires that the module is compiled with simd128.
pub(crate) struct Simd128;

generic::kernel!(Simd128, v128, "simd128");

impl Vector for v128 {
    const LANES: usize = 16;
    type Half = Self;

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        u8x16_splat(byte)
    }

    #[inline(always)]
    unsafe fn table(entries: &[u8; 16]) -> Self {
        v128_load(entries.as_ptr().cast())
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        v128_load(from.cast())
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        v128_store(to.cast(), self);
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        u8x16_eq(self, other)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        v128_and(self, other)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        v128_or(self, other)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        v128_xor(self, other)
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        u8x16_add(self, other)
    }

    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        u8x16_add_sat(self, other)
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        u8x16_sub(self, other)
    }

    #[inline(always)]
    unsafe fn subtract_saturating(self, other: Self) -> Self {
        u8x16_sub_sat(self, other)
    }

    #[inline(always)]
    unsafe fn minimum(self, other: Self) -> Self {
        u8x16_min(self, other)
    }

    #[inline(always)]
    unsafe fn maximum(self, other: Self) -> Self {
        u8x16_max(self, other)
    }

    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // Not `u8x16_shr`: x86-64 has no byte shift, so engines use a 16-bit shift there, and build
        // the mask each time.
        v128_and(u16x8_shr(self, 4), u8x16_splat(15))
    }

    #[inline(always)]
    unsafe fn times_16(self) -> Self {
        // The lanes are below 16, so no bit crosses into the next one.
        u16x8_shl(self, 4)
    }

    #[inline(always)]
    unsafe fn blend(self, other: Self, mask: Self) -> Self {
        v128_bitselect(other, self, mask)
    }

    #[inline(always)]
    unsafe fn lookup(self, index: Self) -> Self {
        // A swizzle yields zero for any index above 15. The trait requires it only for indices from
        // 0x80, so the other high bits are cleared.
        u8x16_swizzle(self, v128_and(index, u8x16_splat(0x8F)))
    }

    #[inline(always)]
    unsafe fn lookup_nibbles(self, index: Self) -> Self {
        u8x16_swizzle(self, index)
    }

    #[inline(always)]
    unsafe fn shift_lanes_down<const N: i32>(self, above: Self) -> Self {
        // A shuffle takes its lanes one by one, as constants. These are the numbers that the
        // kernels use.
        macro_rules! from {
            ($($n:literal: $($lane:literal)*;)*) => {
                match N {
                    $($n => u8x16_shuffle::<$($lane),*>(self, above),)*
                    _ => unreachable!(),
                }
            };
        }
        from! {
            1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16;
            2: 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17;
        }
    }

    #[inline(always)]
    unsafe fn bits(self) -> u64 {
        u64::from(u8x16_bitmask(self))
    }

    #[inline(always)]
    unsafe fn from_bits(bits: u64) -> Self {
        // Broadcast to each lane the byte with its bit, then test that bit.
        let bit = u64x2_splat(0x8040_2010_0804_0201);
        let bytes = u16x8_splat(bits as u16);
        let spread = u8x16_shuffle::<0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1>(bytes, bytes);
        u8x16_eq(v128_and(spread, bit), bit)
    }

    #[inline(always)]
    unsafe fn any_top_bit_or(self, more: u64) -> bool {
        u64::from(u8x16_bitmask(self)) | more != 0
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

impl Vector16 for v128 {
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, length: usize) -> Self {
        let (low, high) = swar::load(core::slice::from_raw_parts(from, length));
        Self::from_words(low, high)
    }

    #[inline(always)]
    unsafe fn from_words(low: u64, high: u64) -> Self {
        u64x2(low, high)
    }

    #[inline(always)]
    unsafe fn store_words(self, low: *mut u8, high: *mut u8) {
        v128_store64_lane::<0>(self, low.cast());
        v128_store64_lane::<1>(self, high.cast());
    }

    #[inline(always)]
    unsafe fn interleave_bytes(self, other: Self) -> (Self, Self) {
        (
            u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(self, other),
            u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(self, other),
        )
    }

    #[inline(always)]
    unsafe fn interleave_pairs(self, other: Self) -> (Self, Self) {
        (
            u16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(self, other),
            u16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(self, other),
        )
    }
}

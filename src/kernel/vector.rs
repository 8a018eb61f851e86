//! `Vector`: what the generic algorithm asks of a register of byte lanes.
//!
//! # Safety
//!
//! Each method has the contract of its trait, and what it says itself. Held by tests/bounds.rs and tests/differential.rs, by way of
//! every kernel.

/// A register of 16 or 32 byte lanes. Masks are vectors whose lanes are all ones or all zeros, or, as bits, lane 0 lowest.
///
/// # Safety
///
/// Every method may be called only where the CPU has the implementing type's instructions, and has to be inlined into a
/// function that enables them, which is why all are `#[inline(always)]`. Methods that take pointers say what must be valid.
pub(crate) trait Vector: Copy {
    const LANES: usize;

    /// A register of 16 lanes, for what is too short for this one.
    type Half: Vector16;

    unsafe fn splat(byte: u8) -> Self;

    /// The same 16 bytes in each group of 16 lanes, as a table for [`lookup`](Self::lookup).
    unsafe fn table(entries: &[u8; 16]) -> Self;

    /// `from` is valid for reads of `LANES` bytes.
    unsafe fn load(from: *const u8) -> Self;

    /// `to` is valid for writes of `LANES` bytes.
    unsafe fn store(self, to: *mut u8);

    unsafe fn equal(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn add_saturating(self, other: Self) -> Self;
    unsafe fn subtract(self, other: Self) -> Self;
    unsafe fn subtract_saturating(self, other: Self) -> Self;
    unsafe fn minimum(self, other: Self) -> Self;
    unsafe fn maximum(self, other: Self) -> Self;

    /// The high half of each lane, as a number.
    unsafe fn high_nibbles(self) -> Self;

    /// Each lane times 16. The lanes are below 16.
    unsafe fn times_16(self) -> Self;

    /// `other` where `mask` is set, else `self`.
    unsafe fn blend(self, other: Self, mask: Self) -> Self;

    /// Entry `index & 15` of the table (of the group that the lane is in), or 0 where `index` is 0x80 or more.
    unsafe fn lookup(self, index: Self) -> Self;

    /// Each lane replaced by the one `N` above it; the lowest lanes of `above` come in at the top. `N` is below 16.
    unsafe fn shift_lanes_down<const N: i32>(self, above: Self) -> Self;

    /// Of a mask: its bits.
    unsafe fn bits(self) -> u64;

    /// The mask whose bits these are.
    unsafe fn from_bits(bits: u64) -> Self;

    /// Whether the top bit of any lane is set, or any of `more`.
    unsafe fn any_top_bit_or(self, more: u64) -> bool;

    /// Of a mask: whether any lane is set, or any of `more`. One condition, where two would be two branches to predict.
    unsafe fn any_or(self, more: u64) -> bool;

    /// The lower and upper 16 lanes. A register of 16 lanes is its own lower half; its upper half is not to be used.
    unsafe fn halves(self) -> (Self::Half, Self::Half);
}

/// A register of 16 lanes: what the ends of inputs and outputs are made with.
///
/// # Safety
///
/// As [`Vector`].
pub(crate) trait Vector16: Vector<Half = Self> {
    /// `from` is valid for reads of `length` bytes, fewer than `LANES`; the other lanes are zero.
    unsafe fn load_partial(from: *const u8, length: usize) -> Self;

    /// Lanes 0 to 7 and 8 to 15, each as a little-endian word.
    unsafe fn from_words(low: u64, high: u64) -> Self;

    /// Both are valid for writes of 8 bytes; the upper half is written second.
    unsafe fn store_words(self, low: *mut u8, high: *mut u8);

    /// `[self 0, other 0, self 1, other 1, ...]`: the lower and the upper half of that, in steps of one byte.
    unsafe fn interleave_bytes(self, other: Self) -> (Self, Self);

    /// As [`interleave_bytes`](Self::interleave_bytes), in steps of two bytes.
    unsafe fn interleave_pairs(self, other: Self) -> (Self, Self);
}

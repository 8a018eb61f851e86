//! `Vector`: the register operations of the generic kernels.
//!
//! # Safety
//!
//! The contract is that of the trait, and of each method. Tested through every kernel in
//! tests/bounds.rs and tests/differential.rs.

/// A register of 16 or 32 byte lanes.
///
/// A mask is either a vector (each lane 0 or 0xFF) or a bitmask (bit *i* = lane *i*). Arithmetic is
/// unsigned, and wraps unless it is saturating.
///
/// # Safety
///
/// Every method must only be called if the CPU has the target features of the implementing type,
/// and must be inlined into a function that enables them, so all are `#[inline(always)]`. Methods
/// that take pointers state what must be valid.
pub(crate) trait Vector: Copy {
    const LANES: usize;

    /// The 16-lane register for tails and short inputs.
    type Half: Vector16;

    unsafe fn splat(byte: u8) -> Self;

    /// Broadcasts 16 bytes to each group of 16 lanes, as a table for [`lookup`](Self::lookup).
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

    /// The high nibble of each lane, shifted down.
    unsafe fn high_nibbles(self) -> Self;

    /// Each lane times 16. All lanes must be below 16.
    unsafe fn times_16(self) -> Self;

    /// `other` where the vector mask is set, else `self`.
    unsafe fn blend(self, other: Self, mask: Self) -> Self;

    /// Entry `index & 15` of the table (of the group that the lane is in), or 0 where `index` is
    /// 0x80 or more.
    unsafe fn lookup(self, index: Self) -> Self;

    /// The same for indices of which each is below 16, or 0x80 and more. NEON and simd128 have this
    /// instruction, and need another one for [`lookup`](Self::lookup).
    #[inline(always)]
    unsafe fn lookup_nibbles(self, index: Self) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { self.lookup(index) }
    }

    /// Lane *i* takes lane *i* + `N`; the lowest lanes of `above` come in at the top. `N` is below
    /// 16.
    unsafe fn shift_lanes_down<const N: i32>(self, above: Self) -> Self;

    /// The bitmask of a vector mask.
    unsafe fn bits(self) -> u64;

    /// The vector mask of a bitmask.
    unsafe fn from_bits(bits: u64) -> Self;

    /// Whether the top bit of any lane is set, or `more` is nonzero; one branch for both.
    unsafe fn any_top_bit_or(self, more: u64) -> bool;

    /// Whether any lane of a vector mask is set, or `more` is nonzero; one branch for both.
    unsafe fn any_or(self, more: u64) -> bool;

    /// The lower and upper 16 lanes. For a 16-lane register the lower half is the register, and the
    /// upper half must not be used.
    unsafe fn halves(self) -> (Self::Half, Self::Half);
}

/// A register of 16 lanes, with the operations for tails.
///
/// # Safety
///
/// As for [`Vector`].
pub(crate) trait Vector16: Vector<Half = Self> {
    /// Loads `length` bytes, fewer than `LANES`, zero padded. `from` is valid for reads of `length`
    /// bytes.
    unsafe fn load_partial(from: *const u8, length: usize) -> Self;

    /// Lanes 0 to 7 and 8 to 15 from little-endian words.
    unsafe fn from_words(low: u64, high: u64) -> Self;

    /// Stores each half. Both pointers are valid for writes of 8 bytes; the upper half is stored
    /// second.
    unsafe fn store_words(self, low: *mut u8, high: *mut u8);

    /// `[self 0, other 0, self 1, other 1, ...]`: the lower and the upper half of that.
    unsafe fn interleave_bytes(self, other: Self) -> (Self, Self);

    /// Like [`interleave_bytes`](Self::interleave_bytes), in units of two bytes.
    unsafe fn interleave_pairs(self, other: Self) -> (Self, Self);
}

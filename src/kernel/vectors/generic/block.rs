//! A block of input with its look-ahead, and the recognition of triplets.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use crate::kernel::vectors::vector::{Vector, Vector16};

/// The constants that recognise triplets, in registers.
#[derive(Clone, Copy)]
pub(super) struct Triplets<V> {
    pub(super) percent: V,
    pub(super) below_zero: V,
    pub(super) six: V,
    pub(super) after_nine: V,
    pub(super) case: V,
    pub(super) before_a: V,
    pub(super) ten: V,
    pub(super) fifteen: V,
}

impl<V: Vector> Triplets<V> {
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            Self {
                percent: V::splat(b'%'),
                below_zero: V::splat(0xFF - b'9'),
                six: V::splat(6),
                after_nine: V::splat(0xF0),
                case: V::splat(0xDF),
                before_a: V::splat(b'A'),
                ten: V::splat(10),
                fifteen: V::splat(15),
            }
        }
    }

    /// The value of each lane that is a hex digit, and more than 15 in the others (after Langdale
    /// and Mula).
    #[inline(always)]
    pub(super) unsafe fn digits(&self, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            // `0` to `9` map to 0xF6..=0xFF, which the saturating subtraction maps to 0xF0..=0xF9;
            // all other bytes end below 0xF0 and wrap to more than 15.
            let decimal = x.add(self.below_zero).subtract_saturating(self.six).subtract(self.after_nine);
            // `A` to `F`, and `a` to `f` with the case bit cleared, map to 0..=5, then to 10..=15.
            // Other bytes end above 15, since the addition saturates.
            let letter = x.and(self.case).subtract(self.before_a).add_saturating(self.ten);
            decimal.minimum(letter)
        }
    }

    /// The vector mask of the lanes that are hex digits.
    #[inline(always)]
    pub(super) unsafe fn are_digits(&self, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let digits = self.digits(x);
            digits.minimum(self.fifteen).equal(digits)
        }
    }

    /// The vector mask of the valid triplets, at their `%`, and the bytes that they decode to.
    /// `next` and `second_next` hold the bytes that follow each lane. Valid triplets don't overlap,
    /// since `%` is not a digit.
    #[inline(always)]
    pub(super) unsafe fn decode(&self, percent: V, next: V, second_next: V) -> (V, V) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { self.decode_digits(percent, self.digits(next), self.digits(second_next)) }
    }

    /// [`decode`](Self::decode), given the [`digits`](Self::digits) of the bytes that follow each
    /// lane.
    #[inline(always)]
    pub(super) unsafe fn decode_digits(&self, percent: V, high: V, low: V) -> (V, V) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let worst = high.or(low);
            let valid = percent.and(worst.minimum(self.fifteen).equal(worst));
            (valid, high.and(self.fifteen).times_16().or(low))
        }
    }
}

/// A block of input, and the bytes one and two after each lane.
#[derive(Clone, Copy)]
pub(super) struct Window<V> {
    pub(super) x: V,
    pub(super) next: V,
    pub(super) second_next: V,
}

impl<V: Vector> Window<V> {
    /// Without look-ahead: `next` and `second_next` are placeholders.
    #[inline(always)]
    pub(super) fn of(x: V) -> Self {
        Self { x, next: x, second_next: x }
    }

    /// # Safety
    ///
    /// `from` is valid for reads of `LANES + 2` bytes.
    #[inline(always)]
    pub(super) unsafe fn load(from: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self { x: V::load(from), next: V::load(from.add(1)), second_next: V::load(from.add(2)) } }
    }
}

impl<V: Vector16> Window<V> {
    /// Loads the end of the input, zero padded. May also read the `before` bytes preceding `from`,
    /// see [`load_after`].
    ///
    /// # Safety
    ///
    /// `from` is valid for reads of `length` bytes, at least one, and of the `before` bytes
    /// preceding it.
    #[inline(always)]
    pub(super) unsafe fn load_end(from: *const u8, length: usize, before: usize) -> Self {
        // SAFETY: each load gets the number of bytes from its start to the end of input, and to the
        // start of the readable bytes.
        unsafe {
            if length <= V::LANES {
                let (x, none) = (load_after::<V>(from, length, before), V::splat(0));
                Self { x, next: x.shift_lanes_down::<1>(none), second_next: x.shift_lanes_down::<2>(none) }
            } else {
                Self {
                    x: V::load(from),
                    next: load_after::<V>(from.add(1), length - 1, before + 1),
                    second_next: load_after::<V>(from.add(2), length - 2, before + 2),
                }
            }
        }
    }
}

/// # Safety
///
/// `from` is valid for reads of `length` bytes.
#[inline(always)]
pub(super) unsafe fn load_up_to<V: Vector16>(from: *const u8, length: usize) -> V {
    // SAFETY: guaranteed by the caller.
    unsafe { if length >= V::LANES { V::load(from) } else { V::load_partial(from, length) } }
}

/// Like [`load_up_to`], but may read up to `before` bytes preceding `from`. If 16 are available, it
/// loads the last 16 and shifts them down, which is branch-free in `length`.
///
/// # Safety
///
/// `from` is valid for reads of `length` bytes, and of the `before` bytes preceding it.
#[inline(always)]
pub(super) unsafe fn load_after<V: Vector16>(from: *const u8, length: usize, before: usize) -> V {
    // SAFETY: the load starts at most `before` bytes before `from` and ends at `from + length`. The
    // shuffle order starts at most 16 bytes into the 32-byte table.
    unsafe {
        if length < V::LANES && length + before >= V::LANES {
            let skipped = V::LANES - length;
            V::load(from.sub(skipped)).lookup_nibbles(V::load(LANES_FROM.as_ptr().add(skipped)))
        } else {
            load_up_to(from, length)
        }
    }
}

/// `0, 1, ..., 15`, followed by 16 indices that a lookup maps to zero. Loaded at offset `n`, it
/// shifts lanes down by `n`.
pub(super) static LANES_FROM: [u8; 32] = {
    let mut table = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        table[lane] = lane as u8;
        lane += 1;
    }
    table
};

/// The lowest `length` bits.
#[inline(always)]
pub(super) fn low_bits(length: usize) -> u64 {
    debug_assert!(length < 64);
    (1 << length) - 1
}

/// The number of full blocks in the `left` bytes of input, with `lookahead` bytes to spare.
#[inline(always)]
pub(super) fn blocks<V: Vector>(left: usize, lookahead: usize) -> usize {
    left.saturating_sub(lookahead) / V::LANES
}

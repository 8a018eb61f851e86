//! A block of input in registers: the bytes that follow its lanes, and its triplets.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use crate::kernel::vector::{Vector, Vector16};

/// What recognises triplets, in registers.
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

    /// The value of each lane that is a hexadecimal digit, and more than 15 in the others (after Langdale and Mula).
    #[inline(always)]
    pub(super) unsafe fn digits(&self, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            // '0' to '9' go to 0xF6 to 0xFF, of which the saturating subtraction makes 0xF0 to 0xF9; nothing else gets there.
            let decimal = x.add(self.below_zero).subtract_saturating(self.six).subtract(self.after_nine);
            // 'A' to 'F' go to 0 to 5, then 10 to 15; what wraps around goes far above.
            let letter = x.and(self.case).subtract(self.before_a).add_saturating(self.ten);
            decimal.minimum(letter)
        }
    }

    /// The mask of the lanes that are hexadecimal digits.
    #[inline(always)]
    pub(super) unsafe fn are_digits(&self, x: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let digits = self.digits(x);
            digits.minimum(self.fifteen).equal(digits)
        }
    }

    /// The mask of the valid triplets, at their '%', and the bytes they stand for. `next` and `second_next` are what follows
    /// each lane. Since '%' is no digit, no two of them overlap.
    #[inline(always)]
    pub(super) unsafe fn decode(&self, percent: V, next: V, second_next: V) -> (V, V) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { self.decode_digits(percent, self.digits(next), self.digits(second_next)) }
    }

    /// [`decode`](Self::decode) of what [`digits`](Self::digits) made of the lanes that follow.
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

/// A block of input and what follows each of its lanes.
#[derive(Clone, Copy)]
pub(super) struct Window<V> {
    pub(super) x: V,
    pub(super) next: V,
    pub(super) second_next: V,
}

impl<V: Vector> Window<V> {
    /// For who does not look ahead.
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
    /// Where `before` bytes that stand before these may be read as well, see [`load_after`].
    ///
    /// # Safety
    ///
    /// `from` is valid for reads of `length` bytes, one at least, and `before` bytes before it are, too.
    #[inline(always)]
    pub(super) unsafe fn load_end(from: *const u8, length: usize, before: usize) -> Self {
        // SAFETY: each load is given the length that is left where it starts, which is inside, and at most what is before that.
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

/// [`load_up_to`] where `before` bytes that stand before these may be read as well: if there are enough, without a branch on how
/// many are left.
///
/// # Safety
///
/// `from` is valid for reads of `length` bytes, and `before` bytes before it are, too.
#[inline(always)]
pub(super) unsafe fn load_after<V: Vector16>(from: *const u8, length: usize, before: usize) -> V {
    // SAFETY: the load ends where the bytes do, and starts within those before; the order is loaded from within the table.
    unsafe {
        if length < V::LANES && length + before >= V::LANES {
            let skipped = V::LANES - length;
            V::load(from.sub(skipped)).lookup(V::load(LANES_FROM.as_ptr().add(skipped)))
        } else {
            load_up_to(from, length)
        }
    }
}

/// The numbers of 16 lanes, and behind them what a lookup makes zero of.
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

/// As many whole blocks as there are, each taking `LANES + lookahead` bytes of what is left of the input.
#[inline(always)]
pub(super) fn blocks<V: Vector>(left: usize, lookahead: usize) -> usize {
    left.saturating_sub(lookahead) / V::LANES
}

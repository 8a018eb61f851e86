//! Decoding of up to 64 bytes, strict or lenient and without other rules.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{Triplets, Window, low_bits};
use super::compact::compact_half;
use crate::kernel::inout::InOut;
use crate::kernel::vectors::vector::{Vector, Vector16};

/// Whether [`decode_short`] can be used.
#[inline(always)]
pub(in crate::kernel) fn is_short<V: Vector>(io: &InOut<'_>) -> bool {
    (1..=64).contains(&io.length()) && io.capacity() >= io.length().next_multiple_of(V::LANES)
}

/// Decodes up to 64 bytes, policy-free and without a branch per block: whether a block has triplets
/// is unpredictable.
///
/// # Safety
///
/// [`is_short`] is true of the io.
#[inline(always)]
pub(in crate::kernel) unsafe fn decode_short<V: Vector16>(io: InOut<'_>, strict: bool) -> Option<usize> {
    let length = io.length();
    // SAFETY: the caller guarantees the CPU features. Windows are loaded within `length`. The
    // output never overtakes the input, and its capacity is at least `length` rounded up to
    // `LANES`, so every store of 16 lanes fits. In place, those lanes have been read.
    unsafe {
        let triplets = Triplets::<V>::new();
        let block = |x: V, next: V, second_next: V, carry: u64, left: usize, to: *mut u8| {
            let percent = x.equal(triplets.percent);
            let (valid, bytes) = triplets.decode_digits(percent, next, second_next);
            let decoded = valid.bits();
            if strict && decoded != percent.bits() {
                return None;
            }
            let kept = !(decoded << 1 | decoded << 2 | carry) & low_bits(left.min(V::LANES));
            compact_half(x.blend(bytes, valid), kept, to);
            // A triplet that begins in one of the last two lanes ends in the next block.
            Some((kept.count_ones() as usize, decoded >> 15 | decoded >> 14))
        };
        let (mut read, mut written, mut carry) = (0, 0, 0);
        loop {
            let left = length - read;
            let from = io.source().add(read);
            let window: Window<V> =
                if left >= V::LANES + 2 { Window::load(from) } else { Window::load_end(from, left, read) };
            let (next, second_next) = (triplets.digits(window.next), triplets.digits(window.second_next));
            let (count, next_carry) = block(window.x, next, second_next, carry, left, io.target().add(written))?;
            written += count;
            if left <= V::LANES {
                return Some(written);
            }
            carry = next_carry;
            read += V::LANES;
        }
    }
}

//! Forms: the bitmaps of a parser, and the encoding of a pair.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{load_after, low_bits};
use super::compact::expand;
use super::search::BITS;
use crate::kernel::FormBitmaps;
use crate::kernel::form_rules::FormRules;
use crate::kernel::swar;
use crate::kernel::vectors::vector::{Vector, Vector16};

#[inline(always)]
pub(in crate::kernel) unsafe fn form_bitmaps<V: Vector>(bytes: &[u8]) -> FormBitmaps {
    let (start, length) = (bytes.as_ptr(), bytes.len().min(64));
    let mut all = FormBitmaps::default();
    let mut add = |marks: FormBitmaps, at: usize| {
        all.ends |= marks.ends << at;
        all.equals |= marks.equals << at;
        all.coded |= marks.coded << at;
    };
    // SAFETY: the caller guarantees the CPU features; every load stays within the bytes.
    unsafe {
        if length >= V::LANES {
            let last = length - V::LANES;
            for at in (0..last).step_by(V::LANES) {
                add(bitmaps_of(V::load(start.add(at))), at);
            }
            // The last block may overlap the one before; the union is the same.
            add(bitmaps_of(V::load(start.add(last))), last);
        } else if length >= V::Half::LANES {
            let last = length - V::Half::LANES;
            add(bitmaps_of(V::Half::load(start)), 0);
            add(bitmaps_of(V::Half::load(start.add(last))), last);
        } else {
            // The zero-padded lanes match nothing.
            add(bitmaps_of(V::Half::load_partial(start, length)), 0);
        }
    }
    all
}

#[inline(always)]
unsafe fn bitmaps_of<V: Vector>(x: V) -> FormBitmaps {
    // SAFETY: the caller guarantees the CPU features.
    unsafe {
        let top = V::splat(0x80);
        let coded = x.equal(V::splat(b'%')).or(x.equal(V::splat(b'+'))).or(x.and(top).equal(top));
        FormBitmaps {
            ends: x.equal(V::splat(b'&')).bits(),
            equals: x.equal(V::splat(b'=')).bits(),
            coded: coded.bits(),
        }
    }
}

/// Encodes a pair. Most names and values are short: if both have at most 8 bytes, they share one
/// register. Otherwise each is encoded 16 lanes at a time.
///
/// # Safety
///
/// `to` is valid for writes of [`form_rules::room`](crate::kernel::form_rules::room) bytes.
#[inline(always)]
pub(in crate::kernel) unsafe fn encode_pair<V: Vector16>(
    name: &[u8],
    value: &[u8],
    to: *mut u8,
    rules: &FormRules,
) -> usize {
    // SAFETY: the caller guarantees the CPU features and the room. Before each part, three times
    // the remaining length of the pair plus 64 bytes are left. Storing a block of n lanes writes at
    // most 28 + 2n bytes from its start, or 16 if it is clean.
    unsafe {
        let encode = EncodePair {
            kept: V::table(&rules.kept),
            bits: V::table(&BITS),
            space: V::splat(b' '),
            change: V::splat(rules.space),
            digits: rules.digits,
        };
        if name.len() <= 8 && value.len() <= 8 {
            let lanes = low_bits(name.len()) | low_bits(value.len()) << 8;
            let x = V::from_words(swar::load_up_to_8(name), swar::load_up_to_8(value));
            let (plain, escaped) = encode.block(x, lanes);
            if escaped == 0 {
                plain.store_words(to, to.add(name.len() + 1));
                to.add(name.len()).write(b'=');
                return name.len() + 1 + value.len();
            }
        }
        let equals = encode.part(name, to);
        equals.write(b'=');
        encode.part(value, equals.add(1)).addr() - to.addr()
    }
}

/// The tables of [`encode_pair`], in registers.
#[derive(Clone, Copy)]
struct EncodePair<V> {
    kept: V,
    bits: V,
    space: V,
    change: V,
    digits: &'static [u8; 16],
}

impl<V: Vector16> EncodePair<V> {
    /// The lanes as output if not escaped, and the bitmask of those of `lanes` to escape.
    #[inline(always)]
    unsafe fn block(&self, x: V, lanes: u64) -> (V, u64) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            // A lookup yields zero for bytes from 0x80, so none of them is kept.
            let bit = self.bits.lookup_nibbles(x.high_nibbles());
            let kept = self.kept.lookup(x).and(bit).equal(bit).bits();
            (x.xor(x.equal(self.space).and(self.change)), !kept & lanes)
        }
    }

    /// Encodes the lowest `length` lanes, and returns the end of the output.
    ///
    /// # Safety
    ///
    /// As for [`expand`] with 16 lanes.
    #[inline(always)]
    unsafe fn store(&self, x: V, length: usize, to: *mut u8) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (plain, escaped) = self.block(x, low_bits(length));
            if escaped == 0 {
                plain.store(to);
            } else {
                expand(plain, escaped, V::LANES, V::table(self.digits), to);
            }
            to.add(length + 2 * escaped.count_ones() as usize)
        }
    }

    /// Encodes a name or a value, and returns the end of the output.
    ///
    /// # Safety
    ///
    /// `to` is valid for writes of three times the part's length plus 32 bytes.
    #[inline(always)]
    unsafe fn part(&self, part: &[u8], mut to: *mut u8) -> *mut u8 {
        // SAFETY: the caller guarantees the CPU features and the room; every load stays within the
        // part.
        unsafe {
            let whole = part.len() & !(V::LANES - 1);
            let (mut from, end) = (part.as_ptr(), part.as_ptr().add(whole));
            while from < end {
                to = self.store(V::load(from), V::LANES, to);
                from = from.add(V::LANES);
            }
            let left = part.len() - whole;
            if left > 0 {
                to = self.store(load_after::<V>(from, left, whole), left, to);
            }
        }
        to
    }
}

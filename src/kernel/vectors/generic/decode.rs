//! Decoding and normalisation.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{Triplets, Window, blocks, low_bits};
use super::compact::compact;
use super::search::Class;
use crate::byteset::ByteSet;
use crate::kernel::inout::InOut;
use crate::kernel::op::{DecodePolicy, Pass, Write};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::vectors::blocks::Lenient;
use crate::kernel::vectors::blocks::{Cursor, Reason, Stops};
use crate::kernel::vectors::vector::Vector;
use crate::rules::DecodeRules;

/// Minimum length for [`decode_runs`]; below it, set-up cost dominates.
pub(in crate::kernel) const LONG_FROM: usize = 512;

#[inline(always)]
pub(in crate::kernel) unsafe fn decode<V: Vector, P: DecodePolicy, M: Pass>(
    io: InOut<'_>,
    rules: &DecodeRules,
) -> Progress {
    let mut cursor = Cursor::START;
    // SAFETY: the caller guarantees the CPU features.
    let stop = unsafe {
        if !(P::PLUS || P::KEEP || P::REJECT) && M::WRITES && !rules.strict {
            decode_blocks_and_tail::<V, Lenient<P>, M>(&io, rules, &mut cursor)
        } else {
            decode_blocks_and_tail::<V, P, M>(&io, rules, &mut cursor)
        }
    };
    Progress::new(cursor.read, cursor.written, stop)
}

/// [`decode`] for inputs of [`LONG_FROM`] bytes and more.
#[inline(always)]
pub(in crate::kernel) unsafe fn decode_long<V: Vector, P: DecodePolicy>(
    io: InOut<'_>,
    rules: &DecodeRules,
) -> Progress {
    let mut cursor = Cursor::START;
    // SAFETY: the caller guarantees the CPU features.
    let stop = unsafe {
        if !P::PLUS && !rules.strict {
            decode_runs_and_tail::<V, Lenient<P>>(&io, rules, &mut cursor)
        } else {
            decode_runs_and_tail::<V, P>(&io, rules, &mut cursor)
        }
    };
    Progress::new(cursor.read, cursor.written, stop)
}

#[inline(always)]
unsafe fn decode_runs_and_tail<V: Vector, P: DecodePolicy>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller guarantees the CPU features.
    unsafe {
        match decode_runs::<V, P>(io, rules, cursor) {
            Some(stop) => stop,
            None => decode_tail::<V, P, Write>(io, rules, cursor),
        }
    }
}

#[inline(always)]
unsafe fn decode_blocks_and_tail<V: Vector, P: DecodePolicy, M: Pass>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller guarantees the CPU features.
    unsafe {
        // As in `encode`: on short inputs the set-up cost of 32-byte blocks exceeds the gain.
        if V::LANES > V::Half::LANES
            && (!M::WRITES || io.length() >= 4 * V::LANES)
            && let Some(stop) = decode_blocks::<V, P, M>(io, rules, cursor)
        {
            return stop;
        }
        decode_tail::<V, P, M>(io, rules, cursor)
    }
}

/// Decodes the rest in blocks of 16 lanes, and what is left after them.
#[inline(always)]
unsafe fn decode_tail<V: Vector, P: DecodePolicy, M: Pass>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller guarantees the CPU features. The tail's loads are limited to `left` bytes.
    // Stores go to `to` if it has room for `LANES` bytes, else to the stack buffer.
    unsafe {
        if let Some(stop) = decode_blocks::<V::Half, P, M>(io, rules, cursor) {
            return stop;
        }
        let decode = Decode::<V::Half>::new(rules);
        while cursor.read < io.length() {
            let left = io.length() - cursor.read;
            let window = Window::load_end(io.source().add(cursor.read), left, cursor.read);
            let length = left.min(V::Half::LANES);
            if !M::WRITES || io.capacity() - cursor.written >= V::Half::LANES {
                let to = io.target().wrapping_add(cursor.written);
                if let Some(stop) = decode.block::<P, M>(window, length, cursor, to) {
                    return stop;
                }
                continue;
            }
            let mut buffer = [0; 32];
            let before = cursor.written;
            let stop = decode.block::<P, M>(window, length, cursor, buffer.as_mut_ptr());
            if !write_short(io, before, &buffer[..cursor.written - before]) {
                return Stop::Full;
            }
            if let Some(stop) = stop {
                return stop;
            }
        }
        Stop::End
    }
}

/// Decodes full blocks, while the input has one with its look-ahead and the output has room for it.
///
/// In place, a store at `written <= read` only touches bytes before `read + LANES`, which the
/// window already holds. The look-ahead bytes after that are unchanged.
#[inline(always)]
unsafe fn decode_blocks<V: Vector, P: DecodePolicy, M: Pass>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    // SAFETY: the caller guarantees the CPU features. `run` is limited to the blocks that the input
    // has with two bytes of look-ahead and, since decoding never grows, to those that the output
    // has room for.
    unsafe {
        let decode = Decode::<V>::new(rules);
        loop {
            let mut run = blocks::<V>(io.length() - cursor.read, 2);
            if M::WRITES {
                run = run.min((io.capacity() - cursor.written) / V::LANES);
            }
            if run == 0 {
                return None;
            }
            for _ in 0..run {
                let window = Window::load(io.source().add(cursor.read));
                let to = io.target().wrapping_add(cursor.written);
                let stop = decode.block::<P, M>(window, V::LANES, cursor, to);
                if stop.is_some() {
                    return stop;
                }
            }
        }
    }
}

/// [`decode_blocks`] tuned for long inputs, in which clean and escaped blocks come in long runs.
///
/// It alternates between a loop that copies clean blocks and one that decodes until the next clean
/// block. With 16-byte blocks, both test two blocks at a time: one branch per block is
/// unpredictable at that size.
///
/// Software-pipelined: the next window is loaded before this block is stored. The store's address
/// depends on the popcount of all preceding triplets. Once the memory-dependence predictor has seen
/// a false match (4K aliasing), it holds later loads until that address is known. Loading one block
/// ahead hides that latency. In place this is sound, because the store ends before the next window
/// starts.
#[inline(always)]
unsafe fn decode_runs<V: Vector, P: DecodePolicy>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    // SAFETY: as in `decode_blocks`. Two blocks are loaded only if `run >= 2`. The next window's
    // start is limited to `last`, the last offset with a whole window.
    unsafe {
        let by_two = V::LANES == V::Half::LANES;
        let decode = Decode::<V>::new(rules);
        loop {
            let left = blocks::<V>(io.length() - cursor.read, 2);
            let mut run = left.min((io.capacity() - cursor.written) / V::LANES);
            if run < 2 {
                return None;
            }
            let last = io.length() - V::LANES - 2;
            while run >= 2 {
                let from = io.source().add(cursor.read);
                let to = io.target().wrapping_add(cursor.written);
                let x = V::load(from);
                let specials = decode.specials::<P, Write>(x);
                let above = decode.specials::<P, Write>(if by_two { V::load(from.add(V::LANES)) } else { x });
                if !specials.suspects.or(above.suspects).any_or(cursor.carry) {
                    let passed = if by_two { 2 } else { 1 };
                    specials.plain.store(to);
                    if by_two {
                        above.plain.store(to.add(V::LANES));
                    }
                    cursor.read += passed * V::LANES;
                    cursor.written += passed * V::LANES;
                    run -= passed;
                    continue;
                }
                let mut window = Window::load(from);
                let mut recent = 1;
                while run > 0 {
                    let specials = decode.specials::<P, Write>(window.x);
                    if !specials.suspects.any_or(recent) {
                        break;
                    }
                    let next = Window::load(io.source().add((cursor.read + V::LANES).min(last)));
                    let to = io.target().wrapping_add(cursor.written);
                    match decode.escaped_block::<P, Write>(window, &specials, V::LANES, cursor, to) {
                        Ok(dropped) => recent = if by_two { dropped } else { cursor.carry },
                        Err(stop) => return Some(stop),
                    }
                    window = next;
                    run -= 1;
                }
            }
        }
    }
}

/// Special bytes of a block, before its triplets are checked.
struct Specials<V> {
    percent: V,
    plus: V,
    /// The block, with each `+` replaced by a space if the policy says so.
    plain: V,
    /// The lanes that need more than a copy. If there are none, and no carry, the block is stored
    /// as `plain`.
    suspects: V,
}

/// Constants and sets of [`decode`], in registers.
#[derive(Clone, Copy)]
struct Decode<V> {
    triplets: Triplets<V>,
    plus: V,
    space: V,
    keep: Class<V>,
    /// The complement of `keep`.
    decodable: Class<V>,
    reject: Class<V>,
    strict: bool,
    creates_no_triplets: bool,
}

impl<V: Vector> Decode<V> {
    #[inline(always)]
    unsafe fn new(rules: &DecodeRules) -> Self {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            Self {
                triplets: Triplets::new(),
                plus: V::splat(b'+'),
                space: V::splat(b' '),
                keep: Class::new(rules.keep.as_ref().unwrap_or(&ByteSet::EMPTY)),
                decodable: Class::new(&rules.keep.unwrap_or(ByteSet::EMPTY).complement()),
                reject: Class::new(rules.reject.as_ref().unwrap_or(&ByteSet::EMPTY)),
                strict: rules.strict,
                creates_no_triplets: rules.creates_no_triplets(),
            }
        }
    }

    /// Decodes the lowest `length` lanes of a window; the others must be zero. Stores `LANES` bytes
    /// at `to`, and advances `cursor.written` by the number that are output.
    ///
    /// # Safety
    ///
    /// If the pass writes, `to` is valid for writes of `LANES` bytes.
    #[inline(always)]
    unsafe fn block<P: DecodePolicy, M: Pass>(
        &self,
        window: Window<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
    ) -> Option<Stop> {
        // SAFETY: the caller guarantees the CPU features and room at `to`.
        unsafe {
            let specials = self.specials::<P, M>(window.x);
            let carries = if P::KEEP { cursor.carry | cursor.uppercase | cursor.completing } else { cursor.carry };
            if !specials.suspects.any_or(carries) {
                if M::WRITES {
                    specials.plain.store(to);
                }
                cursor.read += length;
                cursor.written += length;
                return None;
            }
            self.escaped_block::<P, M>(window, &specials, length, cursor, to).err()
        }
    }

    /// Finds the special bytes of a block.
    #[inline(always)]
    unsafe fn specials<P: DecodePolicy, M: Pass>(&self, x: V) -> Specials<V> {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let percent = x.equal(self.triplets.percent);
            let plus = if P::PLUS { x.equal(self.plus) } else { percent };
            let plain = if P::PLUS { x.blend(self.space, plus) } else { x };
            let changes = if P::PLUS && M::STOPS_AT_CHANGE { percent.or(plus) } else { percent };
            let suspects = if P::REJECT { changes.or(self.reject.members(plain)) } else { changes };
            Specials { percent, plus, plain, suspects }
        }
    }

    /// Decodes a block unconditionally, and returns the bitmask of the lanes that are not output:
    /// the digits of decoded triplets.
    ///
    /// # Safety
    ///
    /// As for [`Self::block`].
    #[inline(always)]
    unsafe fn escaped_block<P: DecodePolicy, M: Pass>(
        &self,
        window: Window<V>,
        specials: &Specials<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
    ) -> Result<u64, Stop> {
        let Specials { percent, plus, plain, .. } = *specials;
        // SAFETY: the caller guarantees the CPU features and room at `to`.
        unsafe {
            let (valid, bytes) = self.triplets.decode(percent, window.next, window.second_next);
            let malformed = percent.bits() & !valid.bits();
            let mut decoded = if P::UPPERCASE {
                valid.and(self.decodable.ascii_members(bytes))
            } else if P::KEEP {
                valid.and(self.keep.members(bytes).xor(V::splat(0xFF)))
            } else {
                valid
            };
            if P::KEEP && self.creates_no_triplets && (malformed | cursor.completing) != 0 {
                let before_digit = self.triplets.are_digits(window.next).bits();
                let completing = cursor.completing | (malformed & !before_digit) << 1 | (malformed & before_digit) << 2;
                cursor.completing = completing >> length;
                let stays = V::from_bits(completing).and(self.triplets.are_digits(bytes));
                decoded = decoded.and(stays.xor(V::splat(0xFF)));
            }
            let mut output = plain.blend(bytes, decoded);
            let mut lowercase = 0;
            if P::UPPERCASE {
                let stays = valid.bits() & !decoded.bits();
                let digits = stays << 1 | stays << 2 | cursor.uppercase;
                cursor.uppercase = digits >> length;
                // Of hex digits, only lower-case letters have both bits of 0x60 set; clearing 0x20
                // makes them upper-case.
                let both = V::splat(0x60);
                let is_lowercase = |x: V| x.and(both).equal(both);
                let letters = is_lowercase(window.x).and(V::from_bits(digits));
                output = output.xor(letters.and(V::splat(0x20)));
                lowercase = is_lowercase(window.next).or(is_lowercase(window.second_next)).bits() & stays;
            }
            let dropped = decoded.bits() << 1 | decoded.bits() << 2 | cursor.carry;
            let mut kept = !dropped & low_bits(length);

            let plus = if P::PLUS { plus.bits() } else { 0 };
            let stops = Stops {
                malformed: if P::CHECKS && self.strict { malformed } else { 0 },
                rejected: if P::REJECT { self.reject.members(output).bits() & kept } else { 0 },
                changed: if M::STOPS_AT_CHANGE { decoded.bits() | plus | lowercase } else { 0 },
            };
            let stop = match stops.first() {
                None => {
                    cursor.read += length;
                    cursor.carry = dropped >> length;
                    Ok(dropped)
                }
                Some((lane, reason)) => {
                    kept &= low_bits(lane);
                    cursor.read += lane;
                    Err(match reason {
                        Reason::Malformed => Stop::Malformed,
                        Reason::Rejected => Stop::Rejected(lane_of(output, lane)),
                        Reason::Change => Stop::Change,
                    })
                }
            };
            if M::WRITES {
                compact(output, kept, to);
            }
            cursor.written += kept.count_ones() as usize;
            stop
        }
    }
}

/// Copies `bytes` to offset `at` of the output if they fit.
#[inline(always)]
fn write_short(io: &InOut<'_>, at: usize, bytes: &[u8]) -> bool {
    let fits = io.capacity() - at >= bytes.len();
    if fits {
        // SAFETY: `fits` was checked, and `bytes` is the caller's stack buffer, which cannot
        // overlap the output.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), io.target().add(at), bytes.len()) }
    }
    fits
}

#[cold]
unsafe fn lane_of<V: Vector>(x: V, lane: usize) -> u8 {
    let mut lanes = [0; 32];
    // SAFETY: registers have at most 32 lanes, and the caller guarantees the CPU features.
    unsafe { x.store(lanes.as_mut_ptr()) };
    lanes[lane]
}

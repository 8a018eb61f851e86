//! Decoding and normalisation.
//!
//! # Safety
//!
//! As the parent module says. Held by tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use super::block::{Triplets, Window, blocks, low_bits};
use super::compact::{compact, compact_half};
use super::search::Class;
use crate::byteset::ByteSet;
use crate::kernel::inout::InOut;
use crate::kernel::op::{DecodePolicy, Lenient, Pass, Write};
use crate::kernel::outcome::{Cursor, Progress, Reason, Stop, Stops};
use crate::kernel::vector::{Vector, Vector16};
use crate::rules::DecodeRules;

/// From so many bytes on, texts are decoded by [`decode_runs`]; for less it gets ready too slowly.
pub(in crate::kernel) const LONG_FROM: usize = 512;

#[inline(always)]
pub(in crate::kernel) unsafe fn decode<V: Vector, P: DecodePolicy, M: Pass, const LONG: bool>(
    io: InOut<'_>,
    rules: &DecodeRules,
) -> Progress {
    let mut cursor = Cursor::START;
    // SAFETY: the caller has the instructions.
    let stop = unsafe {
        // Most text is decoded by these rules: then no block asks whether there is a malformed '%'.
        if !(P::PLUS || P::KEEP || P::REJECT) && M::WRITES && !rules.strict {
            decode_all::<V, Lenient<P>, M, LONG>(&io, rules, &mut cursor)
        } else {
            decode_all::<V, P, M, LONG>(&io, rules, &mut cursor)
        }
    };
    Progress::new(cursor.read, cursor.written, stop)
}

#[inline(always)]
unsafe fn decode_all<V: Vector, P: DecodePolicy, M: Pass, const LONG: bool>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller has the instructions. The end is loaded within its length, and what is stored has room: in the
    // output, or on the stack.
    unsafe {
        if LONG && let Some(stop) = decode_runs::<V, P>(io, rules, cursor) {
            return stop;
        }
        // As with encoding: wider blocks get ready slower than they save in a few.
        if !LONG
            && V::LANES > V::Half::LANES
            && (!M::WRITES || io.length() >= 4 * V::LANES)
            && let Some(stop) = decode_blocks::<V, P, M>(io, rules, cursor)
        {
            return stop;
        }
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

/// Decodes as many whole blocks as the input and the room in the output allow.
///
/// In place, a store at `written <= read` touches only bytes before `read + LANES`, which the window holds already; the bytes
/// after that, at which windows look ahead, are as they were.
#[inline(always)]
unsafe fn decode_blocks<V: Vector, P: DecodePolicy, M: Pass>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    // SAFETY: the caller has the instructions. A run has no more blocks than there are in the input with two bytes to spare
    // and, since a block never grows, than there is room for in the output.
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

/// [`decode_blocks`] for texts of which most is in long runs of blocks with nothing to decode, and of blocks with much.
///
/// Blocks of 32 lanes are passed on one by one, and decoded until there is nothing to decode in the next. Of 16 lanes that would be
/// many branches that nobody foresees: these are passed on by two, and decoded until there is nothing in two of them.
///
/// The window of the next block is loaded before this one is stored. A load that once was taken to be of what a store in flight
/// writes, for their addresses agree in some bits, is made to wait for such stores from then on, and where they go is known late,
/// when the triplets before them are counted: then there is a block more to wait. In place, what the next window holds is not yet
/// written to.
#[inline(always)]
unsafe fn decode_runs<V: Vector, P: DecodePolicy>(
    io: &InOut<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    // SAFETY: as in `decode_blocks`; two blocks are loaded where two are left. The next window is that of the next block, or
    // starts at the last place where there is one.
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
                    match decode.dirty_block::<P, Write>(window, &specials, V::LANES, cursor, to) {
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

/// What stands out in a block before its triplets are looked at.
struct Specials<V> {
    percent: V,
    plus: V,
    /// The block, with spaces for what is '+'.
    plain: V,
    /// Without these, and without a triplet that goes on in it, the block is passed on as `plain`.
    suspects: V,
}

/// What [`decode`] needs in registers.
#[derive(Clone, Copy)]
struct Decode<V> {
    triplets: Triplets<V>,
    plus: V,
    space: V,
    keep: Class<V>,
    /// What is not in `keep`.
    decodable: Class<V>,
    reject: Class<V>,
    strict: bool,
    creates_no_triplets: bool,
}

impl<V: Vector> Decode<V> {
    #[inline(always)]
    unsafe fn new(rules: &DecodeRules) -> Self {
        // SAFETY: the caller has the instructions.
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

    /// Decodes the lowest `length` lanes of a window; the others are zero. Stores up to `LANES` bytes at `to`, of which
    /// `cursor.written` says how many count.
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
        // SAFETY: the caller has the instructions and promises room at `to`.
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
            self.dirty_block::<P, M>(window, &specials, length, cursor, to).err()
        }
    }

    /// What stands out in a block.
    #[inline(always)]
    unsafe fn specials<P: DecodePolicy, M: Pass>(&self, x: V) -> Specials<V> {
        // SAFETY: the caller has the instructions.
        unsafe {
            let percent = x.equal(self.triplets.percent);
            let plus = if P::PLUS { x.equal(self.plus) } else { percent };
            let plain = if P::PLUS { x.blend(self.space, plus) } else { x };
            let changes = if P::PLUS && M::STOPS_AT_CHANGE { percent.or(plus) } else { percent };
            let suspects = if P::REJECT { changes.or(self.reject.members(plain)) } else { changes };
            Specials { percent, plus, plain, suspects }
        }
    }

    /// Decodes a block, be there something to decode or not, and returns the bits of what it left out: the digits of triplets.
    ///
    /// # Safety
    ///
    /// As of [`Self::block`].
    #[inline(always)]
    unsafe fn dirty_block<P: DecodePolicy, M: Pass>(
        &self,
        window: Window<V>,
        specials: &Specials<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
    ) -> Result<u64, Stop> {
        let Specials { percent, plus, plain, .. } = *specials;
        // SAFETY: the caller has the instructions and promises room at `to`.
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
                // Of the digits, lower-case letters alone have both of these bits, and upper-case ones lack the second.
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

/// Copies `bytes` to `at` of the output, or nothing if they do not fit.
#[inline(always)]
fn write_short(io: &InOut<'_>, at: usize, bytes: &[u8]) -> bool {
    let fits = io.capacity() - at >= bytes.len();
    if fits {
        // SAFETY: it fits, and `bytes` is a buffer of the caller's own.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), io.target().add(at), bytes.len()) }
    }
    fits
}

#[cold]
unsafe fn lane_of<V: Vector>(x: V, lane: usize) -> u8 {
    let mut lanes = [0; 32];
    // SAFETY: no register has more lanes than this buffer, and the caller has the instructions.
    unsafe { x.store(lanes.as_mut_ptr()) };
    lanes[lane]
}

/// Whether [`decode_short`] is for this io.
#[inline(always)]
pub(in crate::kernel) fn is_short<V: Vector>(io: &InOut<'_>) -> bool {
    (1..=64).contains(&io.length()) && io.capacity() >= io.length().next_multiple_of(V::LANES)
}

/// Blocks of 16 lanes without any of what [`decode`] has to be ready for, all as if there was something to decode: where that is, is
/// not foreseen.
///
/// # Safety
///
/// The io [is short](is_short).
#[inline(always)]
pub(in crate::kernel) unsafe fn decode_short<V: Vector16>(io: InOut<'_>, strict: bool) -> Option<usize> {
    let length = io.length();
    // SAFETY: the caller has the instructions; windows are loaded within the length. What is written is never ahead of what is read, so
    // there is room for 16 lanes behind it, and in place they are lanes that were read.
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
            // The triplets that begin in the last two lanes end in the next block.
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

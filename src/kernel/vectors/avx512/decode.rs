//! Decoding and normalisation.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::block::{DIGITS, Window, are_digits};
use super::memory::{lane_of, load, load_table, low_bits, store};
use super::search::Class;
use crate::byteset::ByteSet;
use crate::kernel::inout::{InOut, Source, Target};
use crate::kernel::op::{DecodePolicy, Pass};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::vectors::blocks::{Cursor, Reason, Stops};
use crate::kernel::vectors::blocks::{Extent, Full, Lenient, Tail};
use crate::rules::DecodeRules;

#[inline(always)]
pub(super) unsafe fn decode<P: DecodePolicy, M: Pass>(
    source: Source<'_>,
    target: Target<'_>,
    rules: &DecodeRules,
) -> Progress {
    let io = InOut::of(source, target);
    let mut cursor = Cursor::START;
    let decode = Decode::new(rules);
    let stop = if !P::KEEP && !P::REJECT && M::WRITES && !rules.strict {
        decode.all::<Lenient<P>, M>(&io, &mut cursor)
    } else {
        decode.all::<P, M>(&io, &mut cursor)
    };
    Progress::new(cursor.read, cursor.written, stop)
}

/// Tables and sets of decoding, in registers.
struct Decode {
    digits: __m512i,
    keep: Class,
    /// The complement of `keep`.
    decodable: Class,
    reject: Class,
    strict: bool,
    creates_no_triplets: bool,
}

impl Decode {
    #[inline(always)]
    unsafe fn new(rules: &DecodeRules) -> Self {
        Self {
            digits: load_table(&DIGITS),
            keep: Class::new(rules.keep.as_ref().unwrap_or(&ByteSet::EMPTY)),
            decodable: Class::new(&rules.keep.unwrap_or(ByteSet::EMPTY).complement()),
            reject: Class::new(rules.reject.as_ref().unwrap_or(&ByteSet::EMPTY)),
            strict: rules.strict,
            creates_no_triplets: rules.creates_no_triplets(),
        }
    }

    #[inline(always)]
    unsafe fn all<P: DecodePolicy, M: Pass>(&self, io: &InOut<'_>, cursor: &mut Cursor) -> Stop {
        // A run has at most the blocks that the input has with two bytes of look-ahead and, since
        // decoding never grows, those that the output has room for.
        loop {
            let mut run = (io.length() - cursor.read).saturating_sub(2) / LANES;
            if M::WRITES {
                run = run.min((io.capacity() - cursor.written) / LANES);
            }
            if run == 0 {
                break;
            }
            if let Some(stop) = self.run::<P, M>(io, cursor, run) {
                return stop;
            }
        }
        while cursor.read < io.length() {
            let left = io.length() - cursor.read;
            let window = Window::load_end(io.source().add(cursor.read), left);
            let length = left.min(LANES);
            let to = io.target().wrapping_add(cursor.written);
            let room = io.capacity().wrapping_sub(cursor.written);
            let specials = self.specials::<P, M>(window.x, low_bits(length), cursor);
            let stop = if specials.suspects == 0 {
                Self::pass::<M, Tail>(&specials, length, cursor, to, room)
            } else {
                self.block::<P, M, Tail>(window, &specials, length, cursor, to, room)
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
        Stop::End
    }

    /// Decodes `blocks` full blocks, unless stopped.
    ///
    /// Software-pipelined: the next window is loaded before this block is stored, for the reason
    /// given at `decode_runs` of the generic kernels.
    ///
    /// In place, a store at `written <= read` only touches bytes before `read + LANES`, which the
    /// window already holds. The bytes of the next window are unchanged.
    ///
    /// # Safety
    ///
    /// The source has `blocks * LANES + 2` bytes from `cursor.read` on, and `blocks` is at least 1.
    /// If the pass writes, the target has room for `blocks * LANES` bytes from `cursor.written` on.
    #[inline(always)]
    unsafe fn run<P: DecodePolicy, M: Pass>(
        &self,
        io: &InOut<'_>,
        cursor: &mut Cursor,
        mut blocks: usize,
    ) -> Option<Stop> {
        let last = io.length() - LANES - 2;
        while blocks > 0 {
            let from = io.source().add(cursor.read);
            let specials = self.specials::<P, M>(_mm512_loadu_epi8(from.cast()), u64::MAX, cursor);
            if specials.suspects == 0 {
                let to = io.target().wrapping_add(cursor.written);
                Self::pass::<M, Full>(&specials, LANES, cursor, to, LANES);
                blocks -= 1;
                continue;
            }
            let mut window = Window::load(from);
            while blocks > 0 {
                let specials = self.specials::<P, M>(window.x, u64::MAX, cursor);
                if specials.suspects == 0 {
                    break;
                }
                // Limited to the last offset with a whole window. If there is no next block, the
                // window is not used.
                let next = Window::load(io.source().add((cursor.read + LANES).min(last)));
                let to = io.target().wrapping_add(cursor.written);
                let stop = self.block::<P, M, Full>(window, &specials, LANES, cursor, to, LANES);
                if stop.is_some() {
                    return stop;
                }
                window = next;
                blocks -= 1;
            }
        }
        None
    }

    /// Finds the special bytes of a block; `lanes` are those that are input.
    #[inline(always)]
    unsafe fn specials<P: DecodePolicy, M: Pass>(&self, x: __m512i, lanes: u64, cursor: &Cursor) -> Specials {
        let percent = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'%' as i8));
        let mut plain = x;
        let mut plus = 0;
        if P::PLUS {
            plus = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'+' as i8));
            plain = _mm512_mask_blend_epi8(plus, plain, _mm512_set1_epi8(b' ' as i8));
        }
        let mut suspects = percent | cursor.carry;
        if P::KEEP {
            suspects |= cursor.uppercase | cursor.completing;
        }
        if M::STOPS_AT_CHANGE {
            suspects |= plus;
        }
        if P::REJECT {
            suspects |= self.reject.members(plain) & lanes;
        }
        Specials { percent, plus, plain, suspects }
    }

    /// Copies a block without suspects.
    ///
    /// # Safety
    ///
    /// As for [`Self::block`].
    #[inline(always)]
    unsafe fn pass<M: Pass, E: Extent>(
        specials: &Specials,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        if M::WRITES && !store::<E>(specials.plain, length, to, room) {
            return Some(Stop::Full);
        }
        cursor.read += length;
        cursor.written += length;
        None
    }

    /// Decodes the lowest `length` lanes of a window; the others must be zero.
    ///
    /// # Safety
    ///
    /// If the pass writes, `to` is valid for writes of `room` bytes. With `E::FULL`, that is at
    /// least `LANES`.
    #[inline(always)]
    unsafe fn block<P: DecodePolicy, M: Pass, E: Extent>(
        &self,
        window: Window,
        specials: &Specials,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        let Specials { percent, plus, plain, .. } = *specials;
        let lanes = if E::FULL { u64::MAX } else { low_bits(length) };
        let (valid, bytes) = window.triplets(percent, self.digits);
        let mut decoded = if P::UPPERCASE {
            self.decodable.ascii_members(valid, bytes)
        } else if P::KEEP {
            valid & !self.keep.members(bytes)
        } else {
            valid
        };
        let malformed = percent & !valid;
        if P::KEEP && self.creates_no_triplets && (malformed | cursor.completing) != 0 {
            let before_digit = are_digits(window.next, self.digits);
            let (next, second_next) = (malformed & !before_digit, malformed & before_digit);
            let completing = cursor.completing | next << 1 | second_next << 2;
            cursor.completing = next >> 63 | second_next >> 62;
            decoded &= !(completing & are_digits(bytes, self.digits));
        }
        let mut output = _mm512_mask_blend_epi8(decoded, plain, bytes);
        let mut lowercase = 0;
        if P::UPPERCASE {
            let stays = valid & !decoded;
            let digits = stays << 1 | stays << 2 | cursor.uppercase;
            cursor.uppercase = stays >> 62 | stays >> 63;
            // Of hex digits, only lower-case letters are `a` or above.
            let first = _mm512_set1_epi8(b'a' as i8);
            let letters = _mm512_mask_cmpge_epu8_mask(digits, window.x, first);
            output = _mm512_mask_sub_epi8(output, letters, output, _mm512_set1_epi8(0x20));
            lowercase = _mm512_mask_cmpge_epu8_mask(stays, window.next, first)
                | _mm512_mask_cmpge_epu8_mask(stays, window.second_next, first);
        }
        let dropped = decoded << 1 | decoded << 2 | cursor.carry;
        let mut kept = !dropped & lanes;

        let stops = Stops {
            malformed: if P::CHECKS && self.strict { malformed } else { 0 },
            rejected: if P::REJECT { self.reject.members(output) & kept } else { 0 },
            changed: if M::STOPS_AT_CHANGE { decoded | plus | lowercase } else { 0 },
        };
        let (advance, stop) = match stops.first() {
            None => (length, None),
            Some((lane, reason)) => {
                kept &= low_bits(lane);
                let stop = match reason {
                    Reason::Malformed => Stop::Malformed,
                    Reason::Rejected => Stop::Rejected(lane_of(output, lane)),
                    Reason::Change => Stop::Change,
                };
                (lane, Some(stop))
            }
        };
        let count = kept.count_ones() as usize;
        if M::WRITES {
            // Never compress to memory: 17 times slower on Zen 4.
            let compressed = _mm512_maskz_compress_epi8(kept, output);
            if !store::<E>(compressed, count, to, room) {
                return Some(Stop::Full);
            }
        }
        cursor.read += advance;
        cursor.written += count;
        // A triplet that begins in one of the last two lanes ends in the next block. A shorter
        // block is the last one.
        cursor.carry = decoded >> 62 | decoded >> 63;
        stop
    }
}

/// Special bytes of a block, before its triplets are checked.
struct Specials {
    percent: u64,
    plus: u64,
    /// The block, with each `+` replaced by a space if the policy says so.
    plain: __m512i,
    /// The lanes that need more than a copy. If there are none, the block is stored as `plain`.
    suspects: u64,
}

#[inline(always)]
pub(super) unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
    let io = InOut::of(source, target);
    let length = io.length();
    let lanes = low_bits(length);
    let window = if length <= 16 {
        Window::of_few(load(io.source(), length))
    } else {
        Window::load_end(io.source(), length.min(LANES))
    };
    let percent = _mm512_cmpeq_epi8_mask(window.x, _mm512_set1_epi8(b'%' as i8));
    let (decoded, bytes) = window.triplets(percent, load_table(&DIGITS));
    let kept = !(decoded << 1 | decoded << 2) & lanes;
    let output = _mm512_maskz_compress_epi8(kept, _mm512_mask_blend_epi8(decoded, window.x, bytes));
    let written = kept.count_ones() as usize;
    if strict && decoded != percent {
        return None;
    }
    store::<Tail>(output, written, io.target(), io.capacity()).then_some(written)
}

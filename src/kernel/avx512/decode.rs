//! Decoding and normalisation.
//!
//! # Safety
//!
//! As the parent module says. Held by tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::block::{DIGITS, Window, are_digits};
use super::memory::{lane, load, load_table, low_bits, store};
use super::search::Class;
use crate::byteset::ByteSet;
use crate::kernel::op::{DecodePolicy, Extent, Full, Lenient, Pass, Tail};
use crate::kernel::outcome::{Cursor, Progress, Stop};
use crate::kernel::tape::{Source, Tape, Target};
use crate::rules::DecodeRules;

#[inline(always)]
pub(super) unsafe fn decode<P: DecodePolicy, M: Pass>(
    source: Source<'_>,
    target: Target<'_>,
    rules: &DecodeRules,
) -> Progress {
    let tape = Tape::of(source, target);
    let mut cursor = Cursor::START;
    let decode = Decode::new(rules);
    let stop = if !P::KEEP && !P::REJECT && M::WRITES && !rules.strict {
        decode.all::<Lenient<P>, M>(&tape, &mut cursor)
    } else {
        decode.all::<P, M>(&tape, &mut cursor)
    };
    Progress::new(cursor.read, cursor.written, stop)
}

/// What decoding needs in registers.
struct Decode {
    digits: __m512i,
    keep: Class,
    /// What is not in `keep`.
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
    unsafe fn all<P: DecodePolicy, M: Pass>(&self, tape: &Tape<'_>, cursor: &mut Cursor) -> Stop {
        // A run has no more blocks than there are in the input with two bytes to spare and, since a block never grows, than there
        // is room for in the output.
        loop {
            let mut run = (tape.length() - cursor.read).saturating_sub(2) / LANES;
            if M::WRITES {
                run = run.min((tape.capacity() - cursor.written) / LANES);
            }
            if run == 0 {
                break;
            }
            if let Some(stop) = self.run::<P, M>(tape, cursor, run) {
                return stop;
            }
        }
        while cursor.read < tape.length() {
            let left = tape.length() - cursor.read;
            let window = Window::load_end(tape.source().add(cursor.read), left);
            let length = left.min(LANES);
            let to = tape.target().wrapping_add(cursor.written);
            let room = tape.capacity().wrapping_sub(cursor.written);
            let marks = self.marks::<P, M>(window.x, low_bits(length), cursor);
            let stop = if marks.suspects == 0 {
                Self::pass::<M, Tail>(&marks, length, cursor, to, room)
            } else {
                self.block::<P, M, Tail>(window, &marks, length, cursor, to, room)
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
        Stop::End
    }

    /// Decodes that many whole blocks, if nothing stops it.
    ///
    /// The window of the next block is loaded before this one is stored, for what `block::decode_runs` says.
    ///
    /// In place, a store at `written <= read` touches only bytes before `read + LANES`, which the window holds already; those
    /// that the next window holds are as they were.
    ///
    /// # Safety
    ///
    /// The source has `blocks * LANES + 2` bytes from `cursor.read` on, `blocks` being 1 at least. If the pass writes, the target has
    /// room for `blocks * LANES` from `cursor.written` on.
    #[inline(always)]
    unsafe fn run<P: DecodePolicy, M: Pass>(
        &self,
        tape: &Tape<'_>,
        cursor: &mut Cursor,
        mut blocks: usize,
    ) -> Option<Stop> {
        let last = tape.length() - LANES - 2;
        while blocks > 0 {
            let from = tape.source().add(cursor.read);
            let marks = self.marks::<P, M>(_mm512_loadu_epi8(from.cast()), u64::MAX, cursor);
            if marks.suspects == 0 {
                let to = tape.target().wrapping_add(cursor.written);
                Self::pass::<M, Full>(&marks, LANES, cursor, to, LANES);
                blocks -= 1;
                continue;
            }
            let mut window = Window::load(from);
            while blocks > 0 {
                let marks = self.marks::<P, M>(window.x, u64::MAX, cursor);
                if marks.suspects == 0 {
                    break;
                }
                // There is a next block exactly if it is not after the last one that could be.
                let next = Window::load(tape.source().add((cursor.read + LANES).min(last)));
                let to = tape.target().wrapping_add(cursor.written);
                let stop = self.block::<P, M, Full>(window, &marks, LANES, cursor, to, LANES);
                if stop.is_some() {
                    return stop;
                }
                window = next;
                blocks -= 1;
            }
        }
        None
    }

    /// What stands out in a block; `lanes` are those that it has.
    #[inline(always)]
    unsafe fn marks<P: DecodePolicy, M: Pass>(&self, x: __m512i, lanes: u64, cursor: &Cursor) -> Marks {
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
        Marks { percent, plus, plain, suspects }
    }

    /// Passes on a block in which nothing is suspect.
    ///
    /// # Safety
    ///
    /// As of [`Self::block`].
    #[inline(always)]
    unsafe fn pass<M: Pass, E: Extent>(
        marks: &Marks,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        if M::WRITES && !store::<E>(marks.plain, length, to, room) {
            return Some(Stop::Full);
        }
        cursor.read += length;
        cursor.written += length;
        None
    }

    /// Decodes the lowest `length` lanes of a window; the others are zero.
    ///
    /// # Safety
    ///
    /// If the pass writes, `to` is valid for writes of `room` bytes. If the block is full, that is `LANES` at least.
    #[inline(always)]
    unsafe fn block<P: DecodePolicy, M: Pass, E: Extent>(
        &self,
        window: Window,
        marks: &Marks,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        let Marks { percent, plus, plain, .. } = *marks;
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
            // Of the digits, lower-case letters alone come from 'a' on.
            let first = _mm512_set1_epi8(b'a' as i8);
            let letters = _mm512_mask_cmpge_epu8_mask(digits, window.x, first);
            output = _mm512_mask_sub_epi8(output, letters, output, _mm512_set1_epi8(0x20));
            lowercase = _mm512_mask_cmpge_epu8_mask(stays, window.next, first)
                | _mm512_mask_cmpge_epu8_mask(stays, window.second_next, first);
        }
        let dropped = decoded << 1 | decoded << 2 | cursor.carry;
        let mut kept = !dropped & lanes;

        // The lowest of these bits stops. A malformed '%' does not come to stand in the output, so it comes before a rejected
        // one; and what is rejected is an error before it is a change.
        let malformed = if P::CHECKS && self.strict { malformed } else { 0 };
        let rejected = if P::REJECT { self.reject.members(output) & kept } else { 0 };
        let changed = if M::STOPS_AT_CHANGE { decoded | plus | lowercase } else { 0 };
        let stops = malformed | rejected | changed;
        let mut advance = length;
        let mut stop = None;
        if stops != 0 {
            let first = stops.trailing_zeros();
            let lowest = stops & stops.wrapping_neg();
            kept &= lowest - 1;
            advance = first as usize;
            stop = Some(if malformed & lowest != 0 {
                Stop::Malformed
            } else if rejected & lowest != 0 {
                Stop::Rejected(lane(output, advance))
            } else {
                Stop::Change
            });
        }
        let count = kept.count_ones() as usize;
        if M::WRITES {
            // Never straight to memory: that is 17 times slower on Zen 4.
            let compressed = _mm512_maskz_compress_epi8(kept, output);
            if !store::<E>(compressed, count, to, room) {
                return Some(Stop::Full);
            }
        }
        cursor.read += advance;
        cursor.written += count;
        // The triplets that begin in the last two lanes of a whole block end in the next one; a shorter block is the last.
        cursor.carry = decoded >> 62 | decoded >> 63;
        stop
    }
}

/// What stands out in a block before its triplets are looked at.
struct Marks {
    percent: u64,
    plus: u64,
    /// The block, with spaces for what is '+'.
    plain: __m512i,
    /// Without these the block is passed on as `plain`.
    suspects: u64,
}

#[inline(always)]
pub(super) unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
    let tape = Tape::of(source, target);
    let length = tape.length();
    let lanes = low_bits(length);
    let window = if length <= 16 {
        Window::of_few(load(tape.source(), length))
    } else {
        Window::load_end(tape.source(), length.min(LANES))
    };
    let percent = _mm512_cmpeq_epi8_mask(window.x, _mm512_set1_epi8(b'%' as i8));
    let (decoded, bytes) = window.triplets(percent, load_table(&DIGITS));
    let kept = !(decoded << 1 | decoded << 2) & lanes;
    let output = _mm512_maskz_compress_epi8(kept, _mm512_mask_blend_epi8(decoded, window.x, bytes));
    let written = kept.count_ones() as usize;
    if strict && decoded != percent {
        return None;
    }
    if length <= 16 && tape.capacity() >= 16 {
        _mm_storeu_si128(tape.target().cast(), _mm512_castsi512_si128(output));
        return Some(written);
    }
    store::<Tail>(output, written, tape.target(), tape.capacity()).then_some(written)
}

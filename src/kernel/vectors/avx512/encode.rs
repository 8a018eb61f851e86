//! Encoding: escaping bytes as triplets.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::block::{DIGITS, Window};
use super::memory::{load, load_table, low_bits, store};
use super::search::{Class, broadcast};
use crate::kernel::ShortOutput;
use crate::kernel::inout::{InOut, Source, Target};
use crate::kernel::op::{EncodePolicy, Pass};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::vectors::blocks::{Cursor, GROUP_BLOCKS};
use crate::kernel::vectors::blocks::{Extent, Full, FullEscaped, Tail};
use crate::rules::EncodeRules;

#[inline(always)]
pub(super) unsafe fn encode<P: EncodePolicy, M: Pass>(
    source: Source<'_>,
    target: Target<'_>,
    rules: &EncodeRules,
) -> Progress {
    let io = InOut::of(source, target);
    let mut cursor = Cursor::START;
    let stop = Encode::new(rules).all::<P, M>(&io, &mut cursor);
    Progress::new(cursor.read, cursor.written, stop)
}

/// Tables and sets of encoding, in registers.
struct Encode {
    pub(super) escape: Class,
    pub(super) triplet_digits: __m512i,
    pub(super) expand: Expand,
}

impl Encode {
    #[inline(always)]
    pub(super) unsafe fn new(rules: &EncodeRules) -> Self {
        Self {
            escape: Class::new(rules.escape()),
            triplet_digits: load_table(&DIGITS),
            expand: Expand::new(rules.digits),
        }
    }

    #[inline(always)]
    pub(super) unsafe fn all<P: EncodePolicy, M: Pass>(&self, io: &InOut<'_>, cursor: &mut Cursor) -> Stop {
        let lookahead = if P::KEEP { 2 } else { 0 };
        // A run has at most the blocks that the input has with their look-ahead, and those that the
        // output has room for if each grows threefold, including what the last block may overwrite.
        let mut assumes_escapes = false;
        loop {
            let mut run = (io.length() - cursor.read).saturating_sub(lookahead) / LANES;
            if M::WRITES {
                run = run.min((io.capacity() - cursor.written) / (3 * LANES));
            }
            if run == 0 {
                break;
            }
            while run != 0 {
                let group = run.min(GROUP_BLOCKS);
                run -= group;
                let stop = if M::WRITES && assumes_escapes {
                    self.group::<P, M, FullEscaped>(io, cursor, group)
                } else {
                    self.group::<P, M, Full>(io, cursor, group)
                };
                if let Some(stop) = stop {
                    return stop;
                }
                assumes_escapes = cursor.assumes_escapes();
            }
        }
        while cursor.read < io.length() {
            let left = io.length() - cursor.read;
            let from = io.source().add(cursor.read);
            let window = if P::KEEP { Window::load_end(from, left) } else { Window::of(load(from, left)) };
            let to = io.target().wrapping_add(cursor.written);
            let room = io.capacity().wrapping_sub(cursor.written);
            if let Some(stop) = self.block::<P, M, Tail>(window, left.min(LANES), cursor, to, room) {
                return stop;
            }
        }
        Stop::End
    }

    /// Encodes `blocks` full blocks. With `E::ASSUME_ESCAPES`, without testing whether a block is
    /// clean.
    ///
    /// # Safety
    ///
    /// The input has `blocks` more blocks with their look-ahead, and the output has room for their
    /// worst case.
    #[inline(always)]
    pub(super) unsafe fn group<P: EncodePolicy, M: Pass, E: Extent>(
        &self,
        io: &InOut<'_>,
        cursor: &mut Cursor,
        blocks: usize,
    ) -> Option<Stop> {
        cursor.escaped_blocks = 0;
        for _ in 0..blocks {
            let from = io.source().add(cursor.read);
            let window = if P::KEEP { Window::load(from) } else { Window::of(_mm512_loadu_epi8(from.cast())) };
            let to = io.target().wrapping_add(cursor.written);
            let stop = self.block::<P, M, E>(window, LANES, cursor, to, ROOM);
            if stop.is_some() {
                return stop;
            }
        }
        None
    }

    /// Encodes the lowest `length` lanes of a window; the others must be zero. Without `P::KEEP`,
    /// only `window.x` is used. A full block that needs escaping is encoded up to
    /// [`ESCAPED_LANES`]; the next block starts there.
    ///
    /// # Safety
    ///
    /// If the pass writes, `to` is valid for writes of `room` bytes. With `E::FULL`, that is at
    /// least [`ROOM`].
    #[inline(always)]
    pub(super) unsafe fn block<P: EncodePolicy, M: Pass, E: Extent>(
        &self,
        window: Window,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        let lanes = if E::FULL { u64::MAX } else { low_bits(length) };
        let mut plain = window.x;
        let mut spaces = 0;
        if P::PLUS {
            spaces = _mm512_cmpeq_epi8_mask(window.x, _mm512_set1_epi8(b' ' as i8));
            plain = _mm512_mask_blend_epi8(spaces, plain, _mm512_set1_epi8(b'+' as i8));
        }
        let mut escaped = self.escape.members(window.x) & lanes;
        let mut kept = 0;
        if P::KEEP {
            let percent = _mm512_cmpeq_epi8_mask(window.x, _mm512_set1_epi8(b'%' as i8));
            if percent | cursor.carry != 0 {
                kept = window.triplets(percent, self.triplet_digits).0;
                escaped &= !(kept | kept << 1 | kept << 2 | cursor.carry);
            }
        }
        if M::STOPS_AT_CHANGE && escaped | spaces != 0 {
            cursor.read += (escaped | spaces).trailing_zeros() as usize;
            return Some(Stop::Change);
        }
        let mut advance = length;
        if M::WRITES && (E::ASSUME_ESCAPES || escaped != 0) {
            cursor.escaped_blocks += u32::from(!E::ASSUME_ESCAPES || escaped != 0);
            if E::FULL {
                advance = ESCAPED_LANES;
                escaped &= low_bits(ESCAPED_LANES);
            }
            if !self.expand.store::<E>(plain, window.x, escaped, advance, to, room) {
                return Some(Stop::Full);
            }
        } else if M::WRITES && !store::<E>(plain, length, to, room) {
            return Some(Stop::Full);
        }
        if P::KEEP {
            // A triplet that begins in one of the last two lanes ends in the next block.
            let last = kept >> (advance - 1) & 1;
            let last_but_one = if advance > 1 { kept >> (advance - 2) & 1 } else { 0 };
            cursor.carry = last << 1 | last | last_but_one;
        }
        cursor.read += advance;
        cursor.written = cursor.written.saturating_add(advance + 2 * escaped.count_ones() as usize);
        None
    }
}

/// The number of input bytes expanded at a time: at three bytes each, 21 fill one register.
const GROUP: usize = 21;

/// The number of lanes encoded of a full block that needs escaping: three whole groups.
const ESCAPED_LANES: usize = 3 * GROUP;

/// The number of bytes that a full block may write: two groups of triplets and a register.
const ROOM: usize = 2 * 3 * GROUP + LANES;

/// The tables of expansion, in registers.
pub(super) struct Expand {
    pub(super) digits: __m512i,
    pub(super) front: __m512i,
}

impl Expand {
    #[inline(always)]
    pub(super) unsafe fn new(digits: &[u8; 16]) -> Self {
        Self { digits: broadcast(digits), front: load_table(&FRONT) }
    }

    /// Stores the lowest `length` lanes, those of `escaped` as triplets. Each byte is expanded to
    /// three lanes, of which the unused ones are dropped by compression in a register. Returns
    /// false if the output does not fit.
    ///
    /// # Safety
    ///
    /// `to` is valid for writes of `room` bytes. With `E::FULL`, that is at least three times
    /// `length` plus [`LANES`] (or just [`LANES`] for up to [`GROUP`] lanes), and the bytes after
    /// the output may be overwritten.
    #[inline(always)]
    pub(super) unsafe fn store<E: Extent>(
        &self,
        plain: __m512i,
        x: __m512i,
        escaped: u64,
        length: usize,
        to: *mut u8,
        room: usize,
    ) -> bool {
        // The permutations use the low six bits of an index: four are the nibble, and the other two
        // do not matter since the table repeats.
        let high = _mm512_permutexvar_epi8(_mm512_srli_epi16::<4>(x), self.digits);
        let low = _mm512_permutexvar_epi8(x, self.digits);
        let characters = _mm512_mask_blend_epi8(escaped, plain, _mm512_set1_epi8(b'%' as i8));
        let mut from = 0;
        let mut at = 0;
        while from < length {
            let group = escaped >> from & ((1 << GROUP) - 1);
            let index = _mm512_add_epi8(self.front, _mm512_set1_epi8(from as i8));
            let lanes = _mm512_permutex2var_epi8(characters, index, high);
            let lanes = _mm512_mask_permutexvar_epi8(lanes, THIRD_LANES, index, low);
            let mut counted = FIRST_LANES | (_pdep_u64(group, FIRST_LANES) * 6);
            if !E::FULL {
                counted &= low_bits(3 * (length - from));
            }
            let compressed = _mm512_maskz_compress_epi8(counted, lanes);
            let count = counted.count_ones() as usize;
            if !store::<E>(compressed, count, to.wrapping_add(at), room.wrapping_sub(at)) {
                return false;
            }
            at += count;
            from += GROUP;
        }
        true
    }
}

/// The first of the three lanes of each byte in an expanded group.
const FIRST_LANES: u64 = 0x1249_2492_4924_9249;

const THIRD_LANES: u64 = FIRST_LANES << 2;

/// The source index of each lane of an expanded group: `[character, high digit, low digit]` per
/// byte. Indices from 64 select the second register, which holds the high digits. Low digits are
/// merged with a second permutation.
pub(super) static FRONT: [u8; 64] = {
    let mut table = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        table[lane] = (lane / 3 + if lane % 3 == 1 { LANES } else { 0 }) as u8;
        lane += 1;
    }
    table
};

#[inline(always)]
pub(super) unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
    let length = input.len().min(LANES);
    let x = load(input.as_ptr(), length);
    let encode = Encode::new(rules);
    let escaped = encode.escape.members(x) & low_bits(length);
    if escaped == 0 {
        return None;
    }
    encode.expand.store::<Full>(x, x, escaped, length, output.as_mut_ptr().cast(), output.len());
    Some(length + 2 * escaped.count_ones() as usize)
}

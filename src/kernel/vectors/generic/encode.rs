//! Encoding: escaping bytes as triplets.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{Triplets, Window, blocks, load_after, load_up_to, low_bits};
use super::compact::expand;
use super::search::Class;
use crate::kernel::ShortOutput;
use crate::kernel::inout::InOut;
use crate::kernel::op::{EncodePolicy, Pass};
use crate::kernel::outcome::{Progress, Stop};
use crate::kernel::vectors::blocks::{Cursor, GROUP_BLOCKS};
use crate::kernel::vectors::blocks::{Extent, Full, FullEscaped, Tail};
use crate::kernel::vectors::vector::{Vector, Vector16};
use crate::rules::EncodeRules;

#[inline(always)]
pub(in crate::kernel) unsafe fn encode<V: Vector, P: EncodePolicy, M: Pass>(
    io: InOut<'_>,
    rules: &EncodeRules,
) -> Progress {
    let mut cursor = Cursor::START;
    // SAFETY: the caller guarantees the CPU features.
    let stop = unsafe { encode_all::<V, P, M>(&io, rules, &mut cursor) };
    Progress::new(cursor.read, cursor.written, stop)
}

#[inline(always)]
unsafe fn encode_all<V: Vector, P: EncodePolicy, M: Pass>(
    io: &InOut<'_>,
    rules: &EncodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller guarantees the CPU features. The tail's loads are limited to `left` bytes;
    // `block` stores no more than `room` bytes.
    unsafe {
        // Blocks that need escaping are encoded 16 lanes at a time in any case. Wider blocks only
        // speed up clean ones; on short inputs their set-up cost exceeds the gain.
        if V::LANES > V::Half::LANES
            && (!M::WRITES || io.length() >= 3 * V::LANES)
            && let Some(stop) = encode_blocks::<V, P, M>(io, rules, cursor)
        {
            return stop;
        }
        if let Some(stop) = encode_blocks::<V::Half, P, M>(io, rules, cursor) {
            return stop;
        }
        let encode = Encode::<V::Half>::new(rules);
        while cursor.read < io.length() {
            let left = io.length() - cursor.read;
            let from = io.source().add(cursor.read);
            let window = if P::KEEP {
                Window::load_end(from, left, cursor.read)
            } else {
                Window::of(load_after::<V::Half>(from, left, cursor.read))
            };
            let length = left.min(V::Half::LANES);
            let to = io.target().wrapping_add(cursor.written);
            let room = io.capacity().wrapping_sub(cursor.written);
            if let Some(stop) = encode.block::<P, M, Tail>(window, length, cursor, to, room) {
                return stop;
            }
        }
        Stop::End
    }
}

#[inline(always)]
unsafe fn encode_blocks<V: Vector, P: EncodePolicy, M: Pass>(
    io: &InOut<'_>,
    rules: &EncodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    let lookahead = if P::KEEP { 2 } else { 0 };
    // SAFETY: the caller guarantees the CPU features. `run` is limited to the blocks that the input
    // has with their look-ahead, and to those that the output has room for if each grows threefold.
    unsafe {
        let encode = Encode::<V>::new(rules);
        let mut assumes_escapes = false;
        loop {
            let mut run = blocks::<V>(io.length() - cursor.read, lookahead);
            if M::WRITES {
                run = run.min((io.capacity() - cursor.written).saturating_sub(SLACK) / (3 * V::LANES));
            }
            if run == 0 {
                return None;
            }
            while run != 0 {
                let group = run.min(GROUP_BLOCKS);
                run -= group;
                let stop = if M::WRITES && assumes_escapes {
                    encode.group::<P, M, FullEscaped>(io, cursor, group)
                } else {
                    encode.group::<P, M, Full>(io, cursor, group)
                };
                if stop.is_some() {
                    return stop;
                }
                assumes_escapes = cursor.assumes_escapes();
            }
        }
    }
}

/// Constants and sets of [`encode`], in registers.
#[derive(Clone, Copy)]
struct Encode<V: Vector> {
    escape: Class<V>,
    triplets: Triplets<V>,
    space: V,
    plus: V,
    digits: V::Half,
}

impl<V: Vector> Encode<V> {
    #[inline(always)]
    unsafe fn new(rules: &EncodeRules) -> Self {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            Self {
                escape: Class::new(rules.escape()),
                triplets: Triplets::new(),
                space: V::splat(b' '),
                plus: V::splat(b'+'),
                digits: V::Half::table(rules.digits),
            }
        }
    }

    /// Encodes `blocks` full blocks. With `E::ASSUME_ESCAPES`, without testing whether a block is
    /// clean.
    ///
    /// # Safety
    ///
    /// The input has `blocks` more blocks with their look-ahead, and the output has room for their
    /// worst case.
    #[inline(always)]
    unsafe fn group<P: EncodePolicy, M: Pass, E: Extent>(
        &self,
        io: &InOut<'_>,
        cursor: &mut Cursor,
        blocks: usize,
    ) -> Option<Stop> {
        cursor.escaped_blocks = 0;
        for _ in 0..blocks {
            // SAFETY: the caller guarantees the CPU features, the input and the room.
            let stop = unsafe {
                let from = io.source().add(cursor.read);
                let window = if P::KEEP { Window::load(from) } else { Window::of(V::load(from)) };
                let to = io.target().wrapping_add(cursor.written);
                self.block::<P, M, E>(window, V::LANES, cursor, to, usize::MAX)
            };
            if stop.is_some() {
                return stop;
            }
        }
        None
    }

    /// Encodes the lowest `length` lanes of a window. Without `P::KEEP`, only `window.x` is used.
    /// With `E::FULL`, all lanes are input, and the output has room for the worst case.
    ///
    /// # Safety
    ///
    /// If the pass writes, `to` is valid for writes of `room` bytes. With `E::FULL`, that is at
    /// least three times `LANES` plus [`SLACK`].
    #[inline(always)]
    unsafe fn block<P: EncodePolicy, M: Pass, E: Extent>(
        &self,
        window: Window<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        // SAFETY: the caller guarantees the CPU features and the room that each branch uses.
        unsafe {
            let space = if P::PLUS { window.x.equal(self.space) } else { window.x };
            let plain = if P::PLUS { window.x.blend(self.plus, space) } else { window.x };
            let mut escaped = self.escape.members(window.x).bits() & low_bits(length);
            if P::KEEP {
                let percent = window.x.equal(self.triplets.percent);
                if percent.any_or(cursor.carry) {
                    let (valid, _) = self.triplets.decode(percent, window.next, window.second_next);
                    let kept = valid.bits() | valid.bits() << 1 | valid.bits() << 2 | cursor.carry;
                    escaped &= !kept;
                    cursor.carry = kept >> length;
                }
            }
            if M::STOPS_AT_CHANGE {
                let spaces = if P::PLUS { space.bits() } else { 0 };
                let changes = escaped | spaces;
                if changes != 0 {
                    cursor.read += changes.trailing_zeros() as usize;
                    return Some(Stop::Change);
                }
            }
            let count = length + 2 * escaped.count_ones() as usize;
            if M::WRITES {
                if E::FULL || room >= 3 * V::LANES + SLACK {
                    // Store a full register regardless of `length`; a branch on it would
                    // mispredict.
                    if !E::ASSUME_ESCAPES && escaped == 0 {
                        plain.store(to);
                    } else {
                        cursor.escaped_blocks += u32::from(!E::ASSUME_ESCAPES || escaped != 0);
                        self.store(plain, escaped, V::LANES, to);
                    }
                } else if room >= count + SLACK {
                    self.store(plain, escaped, length, to);
                } else {
                    let mut buffer = [0; 3 * 32 + SLACK];
                    self.store(plain, escaped, length, buffer.as_mut_ptr());
                    if room < count {
                        return Some(Stop::Full);
                    }
                    core::ptr::copy_nonoverlapping(buffer.as_ptr(), to, count);
                }
            }
            cursor.read += length;
            cursor.written = cursor.written.saturating_add(count);
            None
        }
    }

    /// # Safety
    ///
    /// As for [`expand`].
    #[inline(always)]
    unsafe fn store(&self, x: V, escaped: u64, length: usize, to: *mut u8) {
        // SAFETY: the upper half is stored right after the lower half's output, within the room for
        // both.
        unsafe {
            let (low, high) = x.halves();
            expand(low, escaped & 0xFFFF, length, self.digits, to);
            if V::LANES > V::Half::LANES {
                let low_count = 16 + 2 * (escaped & 0xFFFF).count_ones() as usize;
                expand(high, escaped >> 16, length - 16, self.digits, to.add(low_count));
            }
        }
    }
}

/// The number of bytes after the output that [`expand`] may overwrite.
const SLACK: usize = 15;

/// Encodes up to 64 bytes, 16 lanes at a time. Each store is of full registers, since `output` has
/// room for them.
#[inline(always)]
pub(in crate::kernel) unsafe fn encode_short<V: Vector16>(
    input: &[u8],
    output: &mut ShortOutput,
    rules: &EncodeRules,
) -> Option<usize> {
    let input = &input[..input.len().min(64)];
    let start: *mut u8 = output.as_mut_ptr().cast();
    // SAFETY: the caller guarantees the CPU features. Loads stay within the input. `output` has
    // room for three times 64 bytes and 64 more.
    unsafe {
        let encode = Encode::<V>::new(rules);
        if input.len() <= V::LANES {
            let x = load_up_to::<V>(input.as_ptr(), input.len());
            let escaped = encode.escape.members(x).bits() & low_bits(input.len());
            if escaped != 0 {
                expand(x, escaped, V::LANES, encode.digits, start);
            }
            return (escaped != 0).then(|| input.len() + 2 * escaped.count_ones() as usize);
        }
        let (mut read, mut written) = (0, 0);
        while read < input.len() {
            let left = input.len() - read;
            let x = load_after::<V>(input.as_ptr().add(read), left, read);
            let length = left.min(V::LANES);
            let escaped = encode.escape.members(x).bits() & low_bits(length);
            if escaped == 0 {
                x.store(start.add(written));
            } else {
                expand(x, escaped, V::LANES, encode.digits, start.add(written));
            }
            read += length;
            written += length + 2 * escaped.count_ones() as usize;
        }
        (written > read).then_some(written)
    }
}

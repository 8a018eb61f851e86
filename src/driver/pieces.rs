//! Encodes without allocating: as an iterator over pieces, and to a formatter.
//!
//! Its unsafe code is covered by tests/differential.rs, tests/api.rs and tests/bounds.rs.

use core::fmt;
use core::mem::MaybeUninit;

use super::{EncodePlan, SHORT, assume_init, encode_uninit, find, members, scan_encode};
use crate::byteset::ByteSet;
use crate::hex::{self, LOWERCASE, UPPERCASE, triplets};
use crate::kernel::SHORT_OUTPUT;
use crate::kernel::dispatch::ENCODE_SHORT;
use crate::level::Level;

/// The encoded form of a single byte, from a static table.
#[inline]
pub(crate) fn encode_byte(byte: u8, plan: &EncodePlan) -> &'static str {
    static ASCII: [u8; 128] = {
        let mut ascii = [0; 128];
        let mut byte = 0;
        while byte < 128 {
            ascii[byte] = byte as u8;
            byte += 1;
        }
        ascii
    };
    match ASCII.get(usize::from(byte)) {
        // SAFETY: a single ASCII byte is UTF-8.
        Some(byte) if plan.leaves(*byte) && !(plan.plus() && *byte == b' ') => unsafe {
            core::str::from_utf8_unchecked(core::slice::from_ref(byte))
        },
        _ => escape(byte, plan),
    }
}

/// The encoded form of a byte that encoding changes.
#[inline]
fn escape(byte: u8, plan: &EncodePlan) -> &'static str {
    if plan.plus() && byte == b' ' { "+" } else { triplet(byte, plan) }
}

/// The triplet of a byte.
#[inline]
fn triplet(byte: u8, plan: &EncodePlan) -> &'static str {
    static UPPERCASE_TRIPLETS: [[u8; 3]; 256] = triplets(UPPERCASE);
    static LOWERCASE_TRIPLETS: [[u8; 3]; 256] = triplets(LOWERCASE);
    let triplets = if plan.is_lowercase() { &LOWERCASE_TRIPLETS } else { &UPPERCASE_TRIPLETS };
    // SAFETY: triplets are ASCII.
    unsafe { core::str::from_utf8_unchecked(&triplets[usize::from(byte)]) }
}

/// Iterator over the encoded form: runs of unchanged bytes, as long as possible, and the escapes of
/// single bytes.
///
/// A bitmask of the changed bytes is computed for a window of up to 64 bytes. A run that crosses
/// the end of the window is searched, and ends the window.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<'a> {
    input: &'a [u8],
    plan: &'a EncodePlan,
    level: Option<Level>,
    /// Start of the next piece.
    at: usize,
    /// End of the window: at most 64 bytes after its start, unless the window ends with a kept
    /// triplet or character.
    end: usize,
    /// Bitmask of the changed bytes from `at` to `end`; LSB = `at`.
    changes: u64,
}

impl<'a> Pieces<'a> {
    #[inline]
    pub(crate) const fn new(input: &'a [u8], plan: &'a EncodePlan, level: Option<Level>) -> Self {
        Self { input, plan, level, at: 0, end: 0, changes: 0 }
    }

    /// The input of the pieces that were not yet yielded.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.input[self.at..]
    }

    /// The next run, up to `end`.
    ///
    /// # Safety
    ///
    /// Encoding does not change the bytes from `at` to `end`, and neither splits a kept character.
    #[inline(always)]
    unsafe fn run(&mut self, end: usize) -> &'a str {
        let run = &self.input[self.at..end];
        self.at = end;
        // SAFETY: bytes that encoding does not change are ASCII, or those of whole well-formed
        // characters: see `kept`. (tests/differential.rs)
        unsafe { core::str::from_utf8_unchecked(run) }
    }

    /// The run that starts at `at`, in a window without changed bytes from there on.
    #[inline(always)]
    fn last_run(&mut self) -> &'a str {
        let mut end = self.end;
        if end < self.input.len() {
            end = next_change(self.input, self.plan, self.level, end);
        }
        // SAFETY: nothing changes to the end of the window, nor after it to `end`.
        // (tests/differential.rs)
        unsafe { self.run(end) }
    }

    /// Moves the window to `at`, which is less than the length of the input.
    #[inline(always)]
    fn look(&mut self) {
        let (length, changes) = window(&self.input[self.at..], self.plan, self.level);
        (self.end, self.changes) = (self.at + length, changes);
    }
}

// The outlined functions take no `Pieces` and return no more than two words, so that the state of
// an iterator stays in registers.

/// The length of the window that `rest` starts with, and the bitmask of its changed bytes.
#[inline(never)]
fn window(rest: &[u8], plan: &EncodePlan, level: Option<Level>) -> (usize, u64) {
    let length = rest.len().min(SHORT);
    let look = |set: &ByteSet| {
        if length > FEW {
            return members(set, rest, level);
        }
        let bit = |(at, byte): (usize, &u8)| u64::from(set.contains(*byte)) << at;
        rest.iter().enumerate().map(bit).sum()
    };
    let changes = if plan.plus() | plan.keep_triplets { look(&suspects(plan)) } else { look(plan.escape()) };
    if plan.keep_triplets | plan.keep_non_ascii {
        return without_kept(rest, plan, length, changes);
    }
    (length, changes)
}

/// Up to this length, looking up each byte takes less than calling a kernel.
const FEW: usize = 4;

/// A window without the suspects that are kept. If the last triplet or character that is kept
/// crosses its end, the window gets longer.
#[inline(never)]
fn without_kept(rest: &[u8], plan: &EncodePlan, length: usize, changes: u64) -> (usize, u64) {
    let (mut end, mut changes, mut suspects) = (length, changes, changes);
    while suspects != 0 {
        let at = suspects.trailing_zeros();
        suspects &= suspects - 1;
        let length = kept(&rest[at as usize..], plan);
        if length > 0 {
            let kept = ((1 << length) - 1) << at;
            suspects &= !kept;
            changes &= !kept;
            end = end.max(at as usize + length);
        }
    }
    (end, changes)
}

/// Offset of the first changed byte from `start` on, or the length of the input.
#[inline(never)]
fn next_change(input: &[u8], plan: &EncodePlan, level: Option<Level>, start: usize) -> usize {
    let set = suspects(plan);
    let mut at = start;
    while let Some(skipped) = find(&set, &input[at..], level) {
        at += skipped;
        match kept(&input[at..], plan) {
            0 => return at,
            length => at += length,
        }
    }
    input.len()
}

/// The bytes that encoding may change.
#[inline]
fn suspects(plan: &EncodePlan) -> ByteSet {
    let set = *plan.escape();
    let set = if plan.plus() { set.with(b' ') } else { set };
    if plan.keep_triplets { set.with(b'%') } else { set }
}

/// Length of the triplet or character that `rest` starts with, if it is kept. Otherwise zero.
/// `rest` starts with a suspect.
#[inline]
fn kept(rest: &[u8], plan: &EncodePlan) -> usize {
    match rest {
        [b'%', ..] if plan.keep_triplets => match hex::first_triplet(rest) {
            Some(_) => 3,
            None => usize::from(!plan.escape().contains(b'%')),
        },
        [first, ..] if *first >= 0x80 && plan.keep_non_ascii => first_character(rest).map_or(0, char::len_utf8),
        _ => 0,
    }
}

/// The character that `text` starts with, if it is well-formed.
fn first_character(text: &[u8]) -> Option<char> {
    text[..text.len().min(4)].utf8_chunks().next()?.valid().chars().next()
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        if self.at >= self.end {
            if self.at >= self.input.len() {
                return None;
            }
            self.look();
        }
        if self.changes & 1 != 0 {
            let byte = self.input[self.at];
            self.changes >>= 1;
            self.at += 1;
            return Some(escape(byte, self.plan));
        }
        if self.changes == 0 {
            return Some(self.last_run());
        }
        let length = self.changes.trailing_zeros();
        self.changes >>= length;
        // SAFETY: nothing changes before the first of `changes`. (tests/differential.rs)
        Some(unsafe { self.run(self.at + length as usize) })
    }

    /// A piece is made of at least one byte.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.input.len() - self.at;
        (usize::from(rest > 0), Some(rest))
    }

    /// Like calling `next`, with one branch less per piece.
    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(mut self, init: B, mut f: F) -> B {
        let mut result = init;
        loop {
            // N.B. Not shifted as in `next`: the dependency chain would be longer. Mixed text takes
            // 21 % less time, dense text 28 % more (docs/experiments.md).
            let start = self.at;
            while self.changes != 0 {
                let change = start + self.changes.trailing_zeros() as usize;
                self.changes &= self.changes - 1;
                if self.at < change {
                    // SAFETY: nothing changes before `change`.
                    result = f(result, unsafe { self.run(change) });
                }
                self.at = change + 1;
                // Two calls: a triplet has a constant length, so that copying it is one move.
                result = match self.input[change] {
                    b' ' if self.plan.plus() => f(result, "+"),
                    byte => f(result, triplet(byte, self.plan)),
                };
            }
            if self.at < self.end {
                result = f(result, self.last_run());
            }
            if self.at >= self.input.len() {
                return result;
            }
            self.look();
        }
    }
}

/// Bytes of input that are encoded at a time, except if nothing changes.
const CHUNK: usize = 256;

/// Minimum length of an unchanged run that is written by itself.
const LONG_RUN: usize = 64;

/// Writes the encoded form.
pub(crate) fn write_encoded(
    input: &[u8],
    plan: &EncodePlan,
    level: Option<Level>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match *input {
        // Without a kernel: 9.4 instead of 14.0 ns (Zen 5, `write!` to a `String`).
        [byte] => return f.write_str(encode_byte(byte, plan)),
        _ if input.len() <= SHORT && plan.are_simple() => return write_short(input, plan, level, f),
        _ => {}
    }
    let mut buffer = [MaybeUninit::uninit(); 3 * CHUNK];
    let mut rest = input;
    while !rest.is_empty() {
        let cut = cut(rest);
        // Well-formedness is a property of the whole window, so it must be short.
        let window = if plan.keep_non_ascii { &rest[..cut] } else { rest };
        let run = scan_encode(window, plan, level).unwrap_or(window.len());
        let is_unchanged = run == window.len() || run >= LONG_RUN;
        let (part, after) = rest.split_at(if is_unchanged { run } else { cut });
        let encoded: &[u8] = match is_unchanged {
            true => part,
            false => encode_uninit(part, &mut buffer, plan, level).map_err(|_| fmt::Error)?,
        };
        // SAFETY: `encoded` is the output of encoding a part of the input. Bytes from 0x80 are
        // escaped, except those of well-formed characters, which are kept whole, and which `cut`
        // does not split. (tests/api.rs)
        f.write_str(unsafe { core::str::from_utf8_unchecked(encoded) })?;
        rest = after;
    }
    Ok(())
}

fn write_short(input: &[u8], plan: &EncodePlan, level: Option<Level>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut buffer = [MaybeUninit::uninit(); SHORT_OUTPUT];
    // SAFETY: the kernel is that of a supported level. (tests/bounds.rs)
    let encoded = match unsafe { ENCODE_SHORT.of(Level::supported(level))(input, &mut buffer, plan) } {
        None => input,
        // SAFETY: the kernel initialised `written` bytes. (tests/bounds.rs)
        Some(written) => unsafe { assume_init(&mut buffer, written) },
    };
    // SAFETY: all bytes from 0x80 are escaped, so the output is ASCII. (tests/differential.rs)
    f.write_str(unsafe { core::str::from_utf8_unchecked(encoded) })
}

/// Length of the next chunk, which ends within no triplet or character that the encoder may keep.
fn cut(rest: &[u8]) -> usize {
    let Some(next) = rest.get(CHUNK) else { return rest.len() };
    let chunk = &rest[..CHUNK];
    if *next < 0x80 {
        // A triplet may be cut only if `%` is one of the last two bytes.
        let percent = chunk[CHUNK - 2..].iter().position(|&byte| byte == b'%');
        return percent.map_or(CHUNK, |at| CHUNK - 2 + at);
    }
    // A character is cut only if one of the last three bytes is a lead byte. Otherwise any cut is
    // allowed.
    let lead = chunk[CHUNK - 3..].iter().rposition(|&byte| byte >= 0xC0);
    lead.map_or(CHUNK, |at| CHUNK - 3 + at)
}

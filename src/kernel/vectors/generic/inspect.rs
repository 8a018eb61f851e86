//! Inspection: the kinds of findings or the count of each, and the decoded text to validate as
//! UTF-8.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use super::block::{Window, blocks, low_bits};
use super::compact::compact;
use crate::kernel::inspection::{self, Extract, Report};
use crate::kernel::op::{Detail, Occurrences, Presence};
use crate::kernel::vectors::vector::{Vector, Vector16};

/// # Safety
///
/// The haystack and the extract have at most [`inspection::CHUNK`] bytes and 3 more, in total.
#[inline(always)]
pub(in crate::kernel) unsafe fn inspect<V: Vector, D: Detail>(
    haystack: &[u8],
    extract: &mut Extract,
    report: &mut Report,
) {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    if !D::COUNTS
        && extract.length == 0
        // SAFETY: the caller guarantees the CPU features.
        && let Some(raw) = unsafe { clean::<V::Half>(haystack) }
    {
        report.note_raw(raw, false);
        extract.is_open = false;
        return;
    }
    let mut at = 0;
    // SAFETY: the caller guarantees the CPU features; every load stays within the haystack. A block
    // extracts at most its own length, so the extract's buffer always has room for the next block
    // and for the rest of the register stored after it.
    unsafe {
        let inspect = Inspect::<V>::new();
        let (begin, length_before): (*mut u8, _) = (extract.buffer.as_mut_ptr().cast(), extract.length);
        let (text, is_open) = (begin.add(length_before), extract.is_open);
        let mut state = State { carry: 0, seen: Found::<V>::nothing(), report, text, is_open };
        // The end of the last block that was not clean.
        let mut end = 0;
        let mut left = blocks::<V>(length, 2);
        // Skip clean blocks, then inspect until the next clean one. With 16-byte blocks, test two
        // at a time: one branch per block is unpredictable at that size.
        let by_two = V::LANES == V::Half::LANES;
        let step = if by_two { 2 } else { 1 };
        while left > 0 {
            while !D::COUNTS && left >= step {
                let x = V::load(start.add(at));
                let (mut bytes, mut raw) = (x, inspect.raw.lookup(x, x.high_nibbles()));
                if by_two {
                    let above = V::load(start.add(at + V::LANES));
                    bytes = bytes.or(above);
                    raw = raw.or(inspect.raw.lookup(above, above.high_nibbles()));
                }
                // One test for both: `RAW_PERCENT` is the top bit of `raw`, non-ASCII that of
                // `bytes`.
                if raw.or(bytes).any_top_bit_or(state.carry) {
                    break;
                }
                state.seen.clean = state.seen.clean.or(raw);
                at += step * V::LANES;
                left -= step;
            }
            if left < 2 {
                break;
            }
            state.separate(at != end);
            // Classify each block once: the next block's classes serve as this one's look-ahead.
            // Its raw kinds may be recorded twice, which is idempotent.
            let mut classes = inspect.classify(V::load(start.add(at)));
            if !D::COUNTS {
                inspect.note_raw::<D>(&classes, V::LANES, at, &mut state);
            }
            while left >= 2 {
                let next = inspect.classify(V::load(start.add(at + V::LANES)));
                let noted = if D::COUNTS { &classes } else { &next };
                inspect.note_raw::<D>(noted, V::LANES, at, &mut state);
                left -= 1;
                let suspect = if by_two { classes.suspect.or(next.suspect) } else { classes.suspect };
                if !suspect.any_top_bit_or(state.carry) {
                    at += V::LANES;
                    break;
                }
                let digits =
                    [classes.digit.shift_lanes_down::<1>(next.digit), classes.digit.shift_lanes_down::<2>(next.digit)];
                inspect.block::<D>(classes, digits, V::LANES, at, &mut state);
                classes = next;
                at += V::LANES;
                end = at;
            }
        }
        let inspect = Inspect::<V::Half>::new();
        let State { carry, seen, report, text, is_open } = state;
        let mut state = State { carry, seen: seen.halved(), report, text, is_open };
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let Window { x, next, second_next } = Window::load_end(start.add(at), length - at, at);
            let classes = inspect.classify(x);
            inspect.note_raw::<D>(&classes, left, at, &mut state);
            if classes.suspect.any_top_bit_or(state.carry) {
                let digits = [next, second_next].map(|x| inspect.classify(x).digit);
                state.separate(at != end);
                inspect.block::<D>(classes, digits, left, at, &mut state);
                end = at + left;
            }
            at += left;
        }
        if !D::COUNTS {
            state.seen.note(state.report);
        }
        let is_ascii = length_before == 0 && !state.seen.text.any_top_bit_or(0);
        state.separate(at != end);
        let length = state.text.offset_from(begin) as usize;
        (extract.length, extract.is_open) = if is_ascii { (0, false) } else { (length, state.is_open) };
    }
}

/// The union of [`inspection::RAW`] of up to 64 bytes without `%` and non-ASCII; `None` for others.
/// Needs neither the tables nor the state of other inputs: a clean line of 54 bytes takes 17 ns
/// instead of 33.
#[inline(always)]
unsafe fn clean<V: Vector16>(haystack: &[u8]) -> Option<u8> {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    if length > 4 * V::LANES {
        return None;
    }
    // SAFETY: the caller guarantees the CPU features. Loads stay within the haystack: `last` is the
    // last offset of a whole register.
    unsafe {
        let table = ByNibbles::new(&inspection::RAW);
        let (mut bytes, mut raw) = (V::splat(0), V::splat(0));
        if let Some(last) = length.checked_sub(V::LANES) {
            for at in [0, V::LANES, 2 * V::LANES, 3 * V::LANES] {
                let x = V::load(start.add(at.min(last)));
                bytes = bytes.or(x);
                raw = raw.or(table.lookup(x, x.high_nibbles()));
            }
        } else {
            bytes = V::load_partial(start, length);
            raw = table.lookup(bytes, bytes.high_nibbles()).and(V::from_bits(low_bits(length)));
        }
        (!raw.or(bytes).any_top_bit_or(0)).then(|| union_of_lanes(raw))
    }
}

/// The tables of [`inspect`], in registers.
#[derive(Clone, Copy)]
struct Inspect<V> {
    raw: ByNibbles<V>,
    raw_and_digits: ByNibbles<V>,
    letters: V,
    decoded: ByNibbles<V>,
    unreserved: ByNibbles<V>,
    percent: V,
    fifteen: V,
}

impl<V: Vector> Inspect<V> {
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            Self {
                raw: ByNibbles::new(&inspection::RAW),
                raw_and_digits: ByNibbles::new(&inspection::RAW_AND_DIGITS),
                letters: V::table(&LETTERS),
                decoded: ByNibbles::new(&inspection::TRIPLETS),
                unreserved: ByNibbles::new(&inspection::UNRESERVED_ROWS),
                percent: V::splat(b'%'),
                fifteen: V::splat(15),
            }
        }
    }

    #[inline(always)]
    unsafe fn classify(&self, x: V) -> Classes<V> {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let high_nibbles = x.high_nibbles();
            let raw = self.raw_and_digits.lookup(x, high_nibbles);
            let value = x.and(self.fifteen).add(self.letters.lookup_nibbles(high_nibbles));
            let percent = x.equal(self.percent);
            // `raw` of a hex digit is `DIGIT` bits only, and no other byte has those. So the union
            // holds a digit's value, or something below [`LEAST_DIGIT`].
            Classes { x, percent, suspect: percent.or(x), raw, digit: value.or(raw) }
        }
    }

    /// Records the raw bytes in the lowest `length` lanes; the others are zero. [`Occurrences`] go
    /// to the report, [`Presence`] to `state.seen`.
    #[inline(always)]
    unsafe fn note_raw<D: Detail>(&self, classes: &Classes<V>, length: usize, at: usize, state: &mut State<'_, V>) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let mut raw = classes.raw;
            if length < V::LANES {
                raw = raw.and(V::from_bits(low_bits(length)));
            }
            let semicolons = classes.x.equal(V::splat(b';'));
            if D::COUNTS {
                let non_ascii = has(classes.x, 0x80);
                state.report.note::<Occurrences>(inspection::NON_ASCII, non_ascii, at);
                state.report.note::<Occurrences>(inspection::PLUS, has(raw, inspection::RAW_PLUS), at);
                state.report.note::<Occurrences>(inspection::SEMICOLON, semicolons.bits(), at);
                state.report.note::<Occurrences>(
                    inspection::ILLEGAL,
                    has(raw, inspection::RAW_ILLEGAL) | non_ascii,
                    at,
                );
            } else {
                state.seen.bytes = state.seen.bytes.or(classes.x);
                state.seen.raw = state.seen.raw.or(raw);
                state.seen.semicolons = state.seen.semicolons.or(semicolons);
            }
        }
    }

    /// Records the triplets in the lowest `length` lanes, and extracts their decoded text; the
    /// other lanes are zero. `[high, low]` are the digit classes of the two bytes that follow each
    /// lane.
    ///
    /// # Safety
    ///
    /// The extract has room for `LANES` bytes.
    #[inline(always)]
    unsafe fn block<D: Detail>(
        &self,
        Classes { x, percent, .. }: Classes<V>,
        [high, low]: [V; 2],
        length: usize,
        at: usize,
        state: &mut State<'_, V>,
    ) {
        // SAFETY: the caller guarantees the CPU features and the room in the extract.
        unsafe {
            // No fast path for blocks without `%`: the branch mispredicts on mixed input.
            let least = high.minimum(low);
            let valid = percent.and(least.maximum(V::splat(LEAST_DIGIT)).equal(least));
            let both = high.or(low).and(valid);
            let high_nibbles = high.and(self.fifteen);
            let bytes = high_nibbles.times_16().or(low.and(self.fifteen));
            let decoded = self.decoded.lookup(bytes, high_nibbles).and(valid);
            let unreserved = self.unreserved.lookup(bytes, high_nibbles).and(valid);
            let (text, escapes, malformed) = (x.blend(bytes, valid), valid.bits(), percent.xor(valid));
            if D::COUNTS {
                let report = &mut *state.report;
                report.note::<Occurrences>(inspection::ESCAPE, escapes, at);
                report.note::<Occurrences>(inspection::MALFORMED, malformed.bits(), at);
                report.note::<Occurrences>(inspection::LOWER_HEX, has(both, LOWERCASE), at);
                for bit in 0..inspection::UNRESERVED - inspection::NUL {
                    let delete =
                        if bit == inspection::CONTROL - inspection::NUL { inspection::TRIPLET_DELETE } else { 0 };
                    report.note::<Occurrences>(inspection::NUL + bit, has(decoded, 1 << bit | delete), at);
                }
                report.note::<Occurrences>(inspection::UNRESERVED, has(unreserved, !inspection::ROWS_PATH_END), at);
                report.note_also::<Occurrences>(inspection::SEMICOLON, has(decoded, inspection::TRIPLET_SEMICOLON), at);
                report.note::<Occurrences>(inspection::PATH_END, has(unreserved, inspection::ROWS_PATH_END), at);
            } else {
                let seen = &mut state.seen;
                seen.malformed = seen.malformed.or(malformed);
                seen.digits = seen.digits.or(both);
                seen.decoded = seen.decoded.or(decoded);
                seen.unreserved = seen.unreserved.or(unreserved);
            }
            let dropped = escapes << 1 | escapes << 2 | state.carry;
            state.carry = dropped >> length;
            let kept = !dropped & low_bits(length);
            // Extract the whole block, even if it decodes to ASCII: blocks with a `%` mostly come
            // in runs, so a branch would save little.
            compact(text, kept, state.text);
            state.text = state.text.add(kept.count_ones() as usize);
            state.is_open = true;
            state.seen.text = state.seen.text.or(text);
        }
    }
}

/// Per-byte classes of one block; reused as the previous block's look-ahead.
#[derive(Clone, Copy)]
struct Classes<V> {
    x: V,
    percent: V,
    /// The top bit is set for non-ASCII bytes and `%`.
    suspect: V,
    /// [`inspection::RAW_AND_DIGITS`].
    raw: V,
    /// For a hex digit: its value, one of the [`inspection::DIGIT`] bits, and [`LOWERCASE`] for a
    /// lower-case letter. For other bytes: less than [`LEAST_DIGIT`].
    digit: V,
}

/// [`inspection::ByNibbles`] in registers.
#[derive(Clone, Copy)]
struct ByNibbles<V> {
    low: V,
    high: V,
}

impl<V: Vector> ByNibbles<V> {
    #[inline(always)]
    unsafe fn new(table: &inspection::ByNibbles) -> Self {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { Self { low: V::table(&table.low), high: V::table(&table.high) } }
    }

    /// The classes of each lane of `x`, given its high nibbles. Zero for bytes from 0x80, for which
    /// the first lookup yields zero.
    #[inline(always)]
    unsafe fn lookup(&self, x: V, high_nibbles: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { self.low.lookup(x).and(self.high.lookup_nibbles(high_nibbles)) }
    }
}

/// The lower of the two [`inspection::DIGIT`] bits.
const LEAST_DIGIT: u8 = inspection::DIGIT & inspection::DIGIT.wrapping_neg();

/// Set in the class of a digit that is a lower-case letter.
const LOWERCASE: u8 = 0x20;

/// The addend that turns a digit's low nibble into its value, by high nibble. The low nibble of `A`
/// is 1, its value 10.
const LETTERS: [u8; 16] = [0, 0, 0, 0, 9, 0, 9 | LOWERCASE, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The state of an inspection.
struct State<'a, V> {
    /// Bits 0 and 1: lanes of the next block that are digits of this block's last triplets.
    carry: u64,
    seen: Found<V>,
    report: &'a mut Report,
    /// The end of the extract so far, and whether it may end in an incomplete character.
    text: *mut u8,
    is_open: bool,
}

impl<V> State<'_, V> {
    /// If ASCII was skipped since the last extracted byte (`apart`) and a character may be
    /// incomplete, appends a space to the extract in place of the skipped text.
    ///
    /// # Safety
    ///
    /// The extract has room for a byte.
    #[inline(always)]
    unsafe fn separate(&mut self, apart: bool) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.text.write(b' ');
            self.text = self.text.add(usize::from(self.is_open & apart));
        }
        self.is_open &= !apart;
    }
}

/// The union of all lanes so far, for [`Presence`].
#[derive(Clone, Copy)]
struct Found<V> {
    /// The union of the bytes; only its top bits matter. Clean blocks may be left out, for they are
    /// ASCII.
    bytes: V,
    /// The union of the extracted text.
    text: V,
    /// The union of [`inspection::RAW`] in clean blocks.
    clean: V,
    /// The union of [`inspection::RAW_AND_DIGITS`] in the other blocks.
    raw: V,
    /// Nonzero lanes: raw `;` in the other blocks.
    semicolons: V,
    /// The union of the digit classes of triplets; zero if there were none.
    digits: V,
    /// Nonzero lanes: malformed `%`.
    malformed: V,
    /// The union of [`inspection::TRIPLETS`].
    decoded: V,
    /// The union of [`inspection::UNRESERVED_ROWS`].
    unreserved: V,
}

impl<V: Vector> Found<V> {
    #[inline(always)]
    unsafe fn nothing() -> Self {
        // SAFETY: the caller guarantees the CPU features.
        let zero = unsafe { V::splat(0) };
        Self {
            bytes: zero,
            text: zero,
            clean: zero,
            raw: zero,
            semicolons: zero,
            digits: zero,
            malformed: zero,
            decoded: zero,
            unreserved: zero,
        }
    }

    /// The same union in 16 lanes.
    #[inline(always)]
    unsafe fn halved(self) -> Found<V::Half> {
        // SAFETY: the caller guarantees the CPU features. Only the lower half of a 16-lane register
        // is used.
        let halved = |x: V| unsafe {
            let (low, high) = x.halves();
            if V::LANES == V::Half::LANES { low } else { low.or(high) }
        };
        Found {
            bytes: halved(self.bytes),
            text: halved(self.text),
            clean: halved(self.clean),
            raw: halved(self.raw),
            semicolons: halved(self.semicolons),
            digits: halved(self.digits),
            malformed: halved(self.malformed),
            decoded: halved(self.decoded),
            unreserved: halved(self.unreserved),
        }
    }
}

impl<V: Vector16> Found<V> {
    #[inline(always)]
    unsafe fn note(&self, report: &mut Report) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let raw = self.raw.and(V::splat(!inspection::DIGIT));
            let raw = self.clean.or(raw).or(self.semicolons.and(V::splat(inspection::RAW_SEMICOLON)));
            let [raw, digits, decoded, unreserved] =
                [raw, self.digits, self.decoded, self.unreserved].map(|lanes| union_of_lanes(lanes));
            report.note_raw(raw, self.bytes.any_top_bit_or(0));
            report.note::<Presence>(inspection::ESCAPE, u64::from(digits), 0);
            report.note::<Presence>(inspection::MALFORMED, u64::from(self.malformed.any_or(0)), 0);
            report.note::<Presence>(inspection::LOWER_HEX, u64::from(digits & LOWERCASE), 0);
            report.note_triplets(decoded, unreserved);
        }
    }
}

/// The bitmask of the lanes that have any of `bits`.
#[inline(always)]
unsafe fn has<V: Vector>(x: V, bits: u8) -> u64 {
    // SAFETY: the caller guarantees the CPU features.
    unsafe { !x.and(V::splat(bits)).equal(V::splat(0)).bits() & low_bits(V::LANES) }
}

/// Horizontal OR.
#[inline(always)]
unsafe fn union_of_lanes<V: Vector16>(x: V) -> u8 {
    let mut lanes = [0; 16];
    // SAFETY: the caller guarantees the CPU features; the array has the register's 16 bytes.
    unsafe { x.store(lanes.as_mut_ptr()) };
    let union = u128::from_ne_bytes(lanes);
    let union = (union >> 64) as u64 | union as u64;
    union.to_ne_bytes().into_iter().fold(0, |union, lane| union | lane)
}

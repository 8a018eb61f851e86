//! Inspection: which kinds of findings there are, or how many of each, and the text that the decoded form is.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and tests/differential.rs.

use super::block::{Window, blocks, low_bits};
use super::compact::compact;
use crate::kernel::inspection::{self, Extract, Report};
use crate::kernel::op::{Detail, Occurrences, Presence};
use crate::kernel::vector::{Vector, Vector16};
use crate::sets;

/// # Safety
///
/// The haystack has at most [`inspection::CHUNK`] bytes, the extract at most 3.
#[inline(always)]
pub(in crate::kernel) unsafe fn inspect<V: Vector, D: Detail>(
    haystack: &[u8],
    extract: &mut Extract,
    report: &mut Report,
) {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let mut at = 0;
    // SAFETY: the caller guarantees the CPU features; every load stays within the haystack. What a block extracts is no longer than the
    // block, so that there is always room for another and what is stored behind it.
    unsafe {
        let inspect = Inspect::<V>::new();
        let (begin, length_before): (*mut u8, _) = (extract.buffer.as_mut_ptr().cast(), extract.length);
        let (text, is_open) = (begin.add(length_before), extract.is_open);
        let mut state = State { carry: 0, seen: Found::<V>::nothing(), report, text, is_open };
        // Where the last block ended that was not clean.
        let mut end = 0;
        let mut left = blocks::<V>(length, 2);
        // What is clean is passed on, of 16 lanes by two blocks, for they are clean or not as nobody foresees; what is not is inspected
        // until there is nothing in a block, or of 16 lanes, in two.
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
                // The top bit of what is known of it is that of '%'.
                if raw.or(bytes).any_top_bit_or(state.carry) {
                    break;
                }
                state.seen.raw = state.seen.raw.or(raw);
                at += step * V::LANES;
                left -= step;
            }
            if left < 2 {
                break;
            }
            state.separate(at != end);
            // Each byte is looked at once, and what follows it comes from the next block. What is seen of that is noted even if it is
            // looked at once more: it is the same.
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

/// What [`inspect`] needs in registers.
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
                unreserved: ByNibbles::new(&UNRESERVED),
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
            let value = x.and(self.fifteen).add(self.letters.lookup(high_nibbles));
            let percent = x.equal(self.percent);
            // Raw, a digit has no bit but one of those of digits, and nothing else has those.
            Classes { x, percent, suspect: percent.or(x), raw, digit: value.or(raw) }
        }
    }

    /// State what stands raw in the lowest `length` lanes; the others are zero. With [`Occurrences`] it goes to the report, else to what was
    /// seen.
    #[inline(always)]
    unsafe fn note_raw<D: Detail>(&self, classes: &Classes<V>, length: usize, at: usize, state: &mut State<'_, V>) {
        // SAFETY: the caller guarantees the CPU features.
        unsafe {
            let mut raw = classes.raw;
            if length < V::LANES {
                raw = raw.and(V::from_bits(low_bits(length)));
            }
            if D::COUNTS {
                let non_ascii = has(classes.x, 0x80);
                state.report.note::<Occurrences>(inspection::NON_ASCII, non_ascii, at);
                state.report.note::<Occurrences>(inspection::PLUS, has(raw, inspection::RAW_PLUS), at);
                state.report.note::<Occurrences>(
                    inspection::ILLEGAL,
                    has(raw, inspection::RAW_ILLEGAL) | non_ascii,
                    at,
                );
            } else {
                state.seen.bytes = state.seen.bytes.or(classes.x);
                state.seen.raw = state.seen.raw.or(raw);
            }
        }
    }

    /// State what the lowest `length` lanes stand for, and extracts that; the other lanes are zero. `digits` are those of the bytes
    /// that follow each lane.
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
        // SAFETY: the caller guarantees the CPU features and room.
        unsafe {
            // A block without '%' is taken as one with: what asks would seldom be foreseen.
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
                for bit in 0..inspection::CATEGORY_BITS - 1 {
                    let delete =
                        if bit == inspection::CONTROL - inspection::NUL { inspection::TRIPLET_DELETE } else { 0 };
                    report.note::<Occurrences>(inspection::NUL + bit, has(decoded, 1 << bit | delete), at);
                }
                report.note::<Occurrences>(inspection::UNRESERVED, has(unreserved, 0xFF), at);
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
            // All of the text, without asking whether any of it matters: most blocks with a '%' are among others like them.
            compact(text, kept, state.text);
            state.text = state.text.add(kept.count_ones() as usize);
            state.is_open = true;
            state.seen.text = state.seen.text.or(text);
        }
    }
}

/// What is known of each byte by itself, so that it need not be found out again for who looks ahead.
#[derive(Clone, Copy)]
struct Classes<V> {
    x: V,
    percent: V,
    /// The top bit of what is not ASCII, or '%'.
    suspect: V,
    /// [`inspection::RAW_AND_DIGITS`].
    raw: V,
    /// If it is a hexadecimal digit, its value, one of the bits [`inspection::DIGIT`] and maybe [`LOWERCASE`]; if not, less than
    /// [`LEAST_DIGIT`].
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

    /// What each lane is. `high_nibbles` are those of `x`. Zero where the top bit of `x` is set, since the lookup is.
    #[inline(always)]
    unsafe fn lookup(&self, x: V, high_nibbles: V) -> V {
        // SAFETY: the caller guarantees the CPU features.
        unsafe { self.low.lookup(x).and(self.high.lookup(high_nibbles)) }
    }
}

/// The unreserved characters, by nibbles: a bit for each row of 16.
const UNRESERVED: inspection::ByNibbles = inspection::ByNibbles {
    low: sets::UNRESERVED.rows()[0],
    high: [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// The lower one of the bits [`inspection::DIGIT`].
const LEAST_DIGIT: u8 = inspection::DIGIT & inspection::DIGIT.wrapping_neg();

/// Of a digit: it is a lower-case letter.
const LOWERCASE: u8 = 0x20;

/// What is added to the low nibble of a digit, by the high one: a letter's value begins at 10, its low nibble at 1.
const LETTERS: [u8; 16] = [0, 0, 0, 0, 9, 0, 9 | LOWERCASE, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Where the notes of an inspection go.
struct State<'a, V> {
    /// How the lowest lanes of the next block continue a triplet of the last one: bits 0 and 1.
    carry: u64,
    seen: Found<V>,
    report: &'a mut Report,
    /// Where the next part of the extract goes, and whether there is a character to be ended.
    text: *mut u8,
    is_open: bool,
}

impl<V> State<'_, V> {
    /// State in the extract that something that is ASCII follows, if it does.
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

/// What was found in any lane so far.
#[derive(Clone, Copy)]
struct Found<V> {
    /// The union of the bytes, for their top bits: those of blocks that are all ASCII may be left out.
    bytes: V,
    /// The union of what was extracted.
    text: V,
    /// The union of [`inspection::RAW`] or [`inspection::RAW_AND_DIGITS`].
    raw: V,
    /// The union of the digits of triplets; zero where there were none.
    digits: V,
    /// Not zero where there were malformed '%'.
    malformed: V,
    /// The union of [`inspection::TRIPLETS`].
    decoded: V,
    /// Not zero where a triplet stands for an unreserved byte.
    unreserved: V,
}

impl<V: Vector> Found<V> {
    #[inline(always)]
    unsafe fn nothing() -> Self {
        // SAFETY: the caller guarantees the CPU features.
        let zero = unsafe { V::splat(0) };
        Self { bytes: zero, text: zero, raw: zero, digits: zero, malformed: zero, decoded: zero, unreserved: zero }
    }

    /// The same of 16 lanes.
    #[inline(always)]
    unsafe fn halved(self) -> Found<V::Half> {
        // SAFETY: the caller guarantees the CPU features. Of a register of 16 lanes, only the lower half is used.
        let halved = |x: V| unsafe {
            let (low, high) = x.halves();
            if V::LANES == V::Half::LANES { low } else { low.or(high) }
        };
        Found {
            bytes: halved(self.bytes),
            text: halved(self.text),
            raw: halved(self.raw),
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
            let [raw, digits, decoded, unreserved] =
                [self.raw, self.digits, self.decoded, self.unreserved].map(|lanes| union_of_lanes(lanes));
            report.note_raw(raw, self.bytes.any_top_bit_or(0));
            report.note::<Presence>(inspection::ESCAPE, u64::from(digits), 0);
            report.note::<Presence>(inspection::MALFORMED, u64::from(self.malformed.any_or(0)), 0);
            report.note::<Presence>(inspection::LOWER_HEX, u64::from(digits & LOWERCASE), 0);
            report.note_triplets(decoded, unreserved != 0);
        }
    }
}

/// The mask of the lanes that have any of these bits.
#[inline(always)]
unsafe fn has<V: Vector>(x: V, bits: u8) -> u64 {
    // SAFETY: the caller guarantees the CPU features.
    unsafe { !x.and(V::splat(bits)).equal(V::splat(0)).bits() & low_bits(V::LANES) }
}

/// The union of the lanes.
#[inline(always)]
unsafe fn union_of_lanes<V: Vector16>(x: V) -> u8 {
    let mut lanes = [0; 16];
    // SAFETY: the caller guarantees the CPU features, and a register has as many lanes as the array.
    unsafe { x.store(lanes.as_mut_ptr()) };
    let union = u128::from_ne_bytes(lanes);
    let union = (union >> 64) as u64 | union as u64;
    union.to_ne_bytes().into_iter().fold(0, |union, lane| union | lane)
}

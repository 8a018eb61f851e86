//! The generic algorithm over [`Vector`]: what SSE4.1, AVX2 and NEON share.
//!
//! Each operation goes block by block while a whole block (and what decoding looks ahead at) can be loaded and whatever it may
//! become can be stored; then the rest, in registers of 16 lanes, is loaded zero-padded and stored through a buffer on the
//! stack where the output is short of room. Zero is neither `%` nor `+` nor a hexadecimal digit, so what is cut off is
//! malformed without further ado.
//!
//! # Safety
//!
//! The functions may be called where the CPU has the instructions of the [`Vector`], from a function that enables them; what they
//! need beyond that is said at each. Held by tests/bounds.rs, where buffers touch pages that may not be touched, by
//! tests/guarded_heap.rs and tests/differential.rs.

use super::marks::{self, MEMBERS, Mark, PERCENTS, TRIPLETS_OF_OTHERS};
use super::pair::PairRules;
use super::report::{self, Extract, Report};
use super::tape::Tape;
use super::vector::{Vector, Vector16};
use super::word;
use super::{
    COMPACTED, Cursor, DIRTY_BLOCKS, EXPANDED, FormMarks, GROUP_BLOCKS, KEEP, PLUS, Progress, REJECT, SCAN,
    ShortOutput, Stop, UPPERCASE, WRITE,
};
use crate::byteset::ByteSet;
use crate::rules::{DecodeRules, EncodeRules};
use crate::sets;

/// The bit of a row that a byte has, by its high half.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// A [`ByteSet`] in registers.
#[derive(Clone, Copy)]
struct Class<V> {
    ascii: V,
    others: V,
    bits: V,
    top: V,
}

impl<V: Vector> Class<V> {
    #[inline(always)]
    unsafe fn new(set: &ByteSet) -> Self {
        let [ascii, others] = set.rows();
        // SAFETY: the caller has the instructions.
        unsafe { Self { ascii: V::table(ascii), others: V::table(others), bits: V::table(&BITS), top: V::splat(0x80) } }
    }

    /// Mask of the members. A lookup yields zero where the top bit of the index is set, which picks the table by itself.
    #[inline(always)]
    unsafe fn members(&self, x: V) -> V {
        // SAFETY: the caller has the instructions.
        unsafe { self.members_by_row(self.ascii.lookup(x).or(self.others.lookup(x.xor(self.top))), x) }
    }

    /// Mask of the members below 128: for others the lookup yields zero, which has no bit.
    #[inline(always)]
    unsafe fn ascii_members(&self, x: V) -> V {
        // SAFETY: the caller has the instructions.
        unsafe { self.members_by_row(self.ascii.lookup(x), x) }
    }

    /// Mask of the lanes whose row has their bit.
    #[inline(always)]
    unsafe fn members_by_row(&self, row: V, x: V) -> V {
        // SAFETY: the caller has the instructions.
        unsafe {
            let bit = self.bits.lookup(x.high_nibbles());
            row.and(bit).equal(bit)
        }
    }
}

/// What recognises triplets, in registers.
#[derive(Clone, Copy)]
struct Triplets<V> {
    percent: V,
    below_zero: V,
    six: V,
    after_nine: V,
    case: V,
    before_a: V,
    ten: V,
    fifteen: V,
}

impl<V: Vector> Triplets<V> {
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller has the instructions.
        unsafe {
            Self {
                percent: V::splat(b'%'),
                below_zero: V::splat(0xFF - b'9'),
                six: V::splat(6),
                after_nine: V::splat(0xF0),
                case: V::splat(0xDF),
                before_a: V::splat(b'A'),
                ten: V::splat(10),
                fifteen: V::splat(15),
            }
        }
    }

    /// The value of each lane that is a hexadecimal digit, and more than 15 in the others (after Langdale and Mula).
    #[inline(always)]
    unsafe fn digits(&self, x: V) -> V {
        // SAFETY: the caller has the instructions.
        unsafe {
            // '0' to '9' go to 0xF6 to 0xFF, of which the saturating subtraction makes 0xF0 to 0xF9; nothing else gets there.
            let decimal = x.add(self.below_zero).subtract_saturating(self.six).subtract(self.after_nine);
            // 'A' to 'F' go to 0 to 5, then 10 to 15; what wraps around goes far above.
            let letter = x.and(self.case).subtract(self.before_a).add_saturating(self.ten);
            decimal.minimum(letter)
        }
    }

    /// The mask of the lanes that are hexadecimal digits.
    #[inline(always)]
    unsafe fn are_digits(&self, x: V) -> V {
        // SAFETY: the caller has the instructions.
        unsafe {
            let digits = self.digits(x);
            digits.minimum(self.fifteen).equal(digits)
        }
    }

    /// The mask of the valid triplets, at their '%', and the bytes they stand for. `next` and `second_next` are what follows
    /// each lane. Since '%' is no digit, no two of them overlap.
    #[inline(always)]
    unsafe fn decode(&self, percent: V, next: V, second_next: V) -> (V, V) {
        // SAFETY: the caller has the instructions.
        unsafe { self.decode_digits(percent, self.digits(next), self.digits(second_next)) }
    }

    /// [`decode`](Self::decode) of what [`digits`](Self::digits) made of the lanes that follow.
    #[inline(always)]
    unsafe fn decode_digits(&self, percent: V, high: V, low: V) -> (V, V) {
        // SAFETY: the caller has the instructions.
        unsafe {
            let worst = high.or(low);
            let valid = percent.and(worst.minimum(self.fifteen).equal(worst));
            (valid, high.and(self.fifteen).times_16().or(low))
        }
    }
}

/// A block of input and what follows each of its lanes.
#[derive(Clone, Copy)]
struct Window<V> {
    x: V,
    next: V,
    second_next: V,
}

impl<V: Vector> Window<V> {
    /// For who does not look ahead.
    #[inline(always)]
    fn of(x: V) -> Self {
        Self { x, next: x, second_next: x }
    }

    /// # Safety
    ///
    /// `from` is valid for reads of `LANES + 2` bytes.
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { x: V::load(from), next: V::load(from.add(1)), second_next: V::load(from.add(2)) } }
    }
}

impl<V: Vector16> Window<V> {
    /// Where `before` bytes that stand before these may be read as well, see [`load_after`].
    ///
    /// # Safety
    ///
    /// `from` is valid for reads of `length` bytes, one at least, and `before` bytes before it are, too.
    #[inline(always)]
    unsafe fn load_end(from: *const u8, length: usize, before: usize) -> Self {
        // SAFETY: each load is given the length that is left where it starts, which is inside, and at most what is before that.
        unsafe {
            if length <= V::LANES {
                let (x, none) = (load_after::<V>(from, length, before), V::splat(0));
                Self { x, next: x.shift_lanes_down::<1>(none), second_next: x.shift_lanes_down::<2>(none) }
            } else {
                Self {
                    x: V::load(from),
                    next: load_after::<V>(from.add(1), length - 1, before + 1),
                    second_next: load_after::<V>(from.add(2), length - 2, before + 2),
                }
            }
        }
    }
}

/// # Safety
///
/// `from` is valid for reads of `length` bytes.
#[inline(always)]
unsafe fn load_up_to<V: Vector16>(from: *const u8, length: usize) -> V {
    // SAFETY: the caller's promise.
    unsafe { if length >= V::LANES { V::load(from) } else { V::load_partial(from, length) } }
}

/// [`load_up_to`] where `before` bytes that stand before these may be read as well: if there are enough, without a branch on how
/// many are left.
///
/// # Safety
///
/// `from` is valid for reads of `length` bytes, and `before` bytes before it are, too.
#[inline(always)]
unsafe fn load_after<V: Vector16>(from: *const u8, length: usize, before: usize) -> V {
    // SAFETY: the load ends where the bytes do, and starts within those before; the order is loaded from within the table.
    unsafe {
        if length < V::LANES && length + before >= V::LANES {
            let skipped = V::LANES - length;
            V::load(from.sub(skipped)).lookup(V::load(LANES_FROM.as_ptr().add(skipped)))
        } else {
            load_up_to(from, length)
        }
    }
}

/// The numbers of 16 lanes, and behind them what a lookup makes zero of.
static LANES_FROM: [u8; 32] = {
    let mut table = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        table[lane] = lane as u8;
        lane += 1;
    }
    table
};

/// The lowest `length` bits.
#[inline(always)]
fn low_bits(length: usize) -> u64 {
    debug_assert!(length < 64);
    (1 << length) - 1
}

/// As many whole blocks as there are, each taking `LANES + lookahead` bytes of what is left of the input.
#[inline(always)]
fn blocks<V: Vector>(left: usize, lookahead: usize) -> usize {
    left.saturating_sub(lookahead) / V::LANES
}

#[inline(always)]
pub(crate) unsafe fn find<V: Vector>(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let mut at = 0;
    // SAFETY: the caller has the instructions; every load stays within the haystack.
    unsafe {
        let class = Class::<V>::new(set);
        while at + V::LANES <= length {
            let members = class.members(V::load(start.add(at)));
            if members.any_or(0) {
                return Some(at + members.bits().trailing_zeros() as usize);
            }
            at += V::LANES;
        }
        let class = Class::<V::Half>::new(set);
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let members = class.members(load_up_to::<V::Half>(start.add(at), left)).bits() & low_bits(left);
            if members != 0 {
                return Some(at + members.trailing_zeros() as usize);
            }
            at += left;
        }
    }
    None
}

#[inline(always)]
pub(crate) unsafe fn count<V: Vector>(set: &ByteSet, haystack: &[u8]) -> usize {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let (mut at, mut count) = (0, 0);
    // SAFETY: the caller has the instructions; every load stays within the haystack.
    unsafe {
        let class = Class::<V>::new(set);
        while at + V::LANES <= length {
            count += class.members(V::load(start.add(at))).bits().count_ones() as usize;
            at += V::LANES;
        }
        let class = Class::<V::Half>::new(set);
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let members = class.members(load_up_to::<V::Half>(start.add(at), left)).bits() & low_bits(left);
            count += members.count_ones() as usize;
            at += left;
        }
    }
    count
}

#[inline(always)]
pub(crate) unsafe fn members<V: Vector>(set: &ByteSet, haystack: &[u8]) -> u64 {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let (mut at, mut members) = (0, 0);
    // SAFETY: the caller has the instructions; every load stays within the haystack.
    unsafe {
        let class = Class::<V::Half>::new(set);
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let found = class.members(load_up_to::<V::Half>(start.add(at), left)).bits() & low_bits(left);
            members |= found << at;
            at += left;
        }
    }
    members
}

/// What marking needs in registers.
#[derive(Clone, Copy)]
struct Marking<V> {
    set: Class<V>,
    triplets: Triplets<V>,
}

impl<V: Vector> Marking<V> {
    #[inline(always)]
    unsafe fn new(set: &ByteSet) -> Self {
        // SAFETY: the caller has the instructions.
        unsafe { Self { set: Class::new(set), triplets: Triplets::new() } }
    }

    /// The bits of what is to be marked.
    #[inline(always)]
    unsafe fn block<const WHAT: u8>(&self, x: V, window: impl FnOnce() -> Window<V>) -> u64 {
        // SAFETY: the caller has the instructions.
        unsafe {
            if WHAT == MEMBERS {
                return self.set.members(x).bits();
            }
            let percent = x.equal(self.triplets.percent);
            if WHAT == PERCENTS {
                return percent.bits();
            }
            let found = if WHAT == TRIPLETS_OF_OTHERS { 0 } else { self.set.members(x).bits() };
            if !percent.any_or(0) {
                return found;
            }
            let Window { next, second_next, .. } = window();
            let (valid, bytes) = self.triplets.decode(percent, next, second_next);
            if WHAT == TRIPLETS_OF_OTHERS {
                valid.bits() & !self.set.members(bytes).bits()
            } else {
                found & !valid.bits()
            }
        }
    }
}

#[inline(always)]
pub(crate) unsafe fn mark<V: Vector, const WHAT: u8>(set: &ByteSet, text: &[u8], marks: &mut [Mark]) {
    let (start, length) = (text.as_ptr(), text.len());
    // SAFETY: the caller has the instructions; every load stays within the text, with the two bytes that a window looks ahead.
    unsafe {
        let (whole, rest) = (Marking::<V>::new(set), Marking::<V::Half>::new(set));
        marks::fill(length, marks, |first| {
            let mut bits = 0;
            if first + 64 + 2 <= length {
                for part in 0..64 / V::LANES {
                    let from = start.add(first + part * V::LANES);
                    bits |= whole.block::<WHAT>(V::load(from), || Window::load(from)) << (part * V::LANES);
                }
                return bits;
            }
            let (mut at, end) = (first, length.min(first + 64));
            while at < end {
                let (from, left) = (start.add(at), (end - at).min(V::Half::LANES));
                let x = load_up_to::<V::Half>(from, left);
                let found = rest.block::<WHAT>(x, || Window::load_end(from, length - at, at));
                bits |= (found & low_bits(left)) << (at - first);
                at += left;
            }
            bits
        });
    }
}

/// [`report::ByNibbles`] in registers.
#[derive(Clone, Copy)]
struct ByNibbles<V> {
    low: V,
    high: V,
}

impl<V: Vector> ByNibbles<V> {
    #[inline(always)]
    unsafe fn new(table: &report::ByNibbles) -> Self {
        // SAFETY: the caller has the instructions.
        unsafe { Self { low: V::table(&table.low), high: V::table(&table.high) } }
    }

    /// What each lane is. `high_nibbles` are those of `x`. Zero where the top bit of `x` is set, since the lookup is.
    #[inline(always)]
    unsafe fn lookup(&self, x: V, high_nibbles: V) -> V {
        // SAFETY: the caller has the instructions.
        unsafe { self.low.lookup(x).and(self.high.lookup(high_nibbles)) }
    }
}

/// The unreserved characters, by nibbles: a bit for each row of 16.
const UNRESERVED: report::ByNibbles =
    report::ByNibbles { low: sets::UNRESERVED.rows()[0], high: [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0] };

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

/// What is known of each byte by itself, so that it need not be found out again for who looks ahead.
#[derive(Clone, Copy)]
struct Look<V> {
    x: V,
    percent: V,
    /// The top bit of what is not ASCII, or '%'.
    suspect: V,
    /// [`report::RAW_AND_DIGITS`].
    raw: V,
    /// If it is a hexadecimal digit, its value, one of the bits [`report::DIGIT`] and maybe [`LOWERCASE`]; if not, less than
    /// [`LEAST_DIGIT`].
    digit: V,
}

/// The lower one of the bits [`report::DIGIT`].
const LEAST_DIGIT: u8 = report::DIGIT & report::DIGIT.wrapping_neg();

/// Of a digit: it is a lower-case letter.
const LOWERCASE: u8 = 0x20;

/// What is added to the low nibble of a digit, by the high one: a letter's value begins at 10, its low nibble at 1.
const LETTERS: [u8; 16] = [0, 0, 0, 0, 9, 0, 9 | LOWERCASE, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Where the notes of an inspection go.
struct Notes<'a, V> {
    /// How the lowest lanes of the next block continue a triplet of the last one: bits 0 and 1.
    carry: u64,
    seen: Seen<V>,
    report: &'a mut Report,
    /// Where the next part of the extract goes, and whether there is a character to be ended.
    text: *mut u8,
    is_open: bool,
}

impl<V> Notes<'_, V> {
    /// Notes in the extract that something that is ASCII follows, if it does.
    ///
    /// # Safety
    ///
    /// The extract has room for a byte.
    #[inline(always)]
    unsafe fn separate(&mut self, apart: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            self.text.write(b' ');
            self.text = self.text.add(usize::from(self.is_open & apart));
        }
        self.is_open &= !apart;
    }
}

/// What was found in any lane so far.
#[derive(Clone, Copy)]
struct Seen<V> {
    /// The union of the bytes, for their top bits: those of blocks that are all ASCII may be left out.
    bytes: V,
    /// The union of what was extracted.
    text: V,
    /// The union of [`report::RAW`] or [`report::RAW_AND_DIGITS`].
    raw: V,
    /// The union of the digits of triplets; zero where there were none.
    digits: V,
    /// Not zero where there were malformed '%'.
    malformed: V,
    /// The union of [`report::TRIPLETS`].
    decoded: V,
    /// Not zero where a triplet stands for an unreserved byte.
    unreserved: V,
}

impl<V: Vector> Seen<V> {
    #[inline(always)]
    unsafe fn nothing() -> Self {
        // SAFETY: the caller has the instructions.
        let zero = unsafe { V::splat(0) };
        Self { bytes: zero, text: zero, raw: zero, digits: zero, malformed: zero, decoded: zero, unreserved: zero }
    }

    /// The same of 16 lanes.
    #[inline(always)]
    unsafe fn halved(self) -> Seen<V::Half> {
        // SAFETY: the caller has the instructions. Of a register of 16 lanes, only the lower half is used.
        let halved = |x: V| unsafe {
            let (low, high) = x.halves();
            if V::LANES == V::Half::LANES { low } else { low.or(high) }
        };
        Seen {
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

impl<V: Vector16> Seen<V> {
    #[inline(always)]
    unsafe fn note(&self, report: &mut Report) {
        // SAFETY: the caller has the instructions.
        unsafe {
            let [raw, digits, decoded, unreserved] =
                unions_of_lanes([self.raw, self.digits, self.decoded, self.unreserved]);
            report.note_raw(raw, self.bytes.any_top_bit_or(0));
            report.note::<false>(report::ESCAPE, u64::from(digits), 0);
            report.note::<false>(report::MALFORMED, u64::from(self.malformed.any_or(0)), 0);
            report.note::<false>(report::LOWER_HEX, u64::from(digits & LOWERCASE), 0);
            report.note_triplets(decoded, unreserved != 0);
        }
    }
}

/// The mask of the lanes that have any of these bits.
#[inline(always)]
unsafe fn has<V: Vector>(x: V, bits: u8) -> u64 {
    // SAFETY: the caller has the instructions.
    unsafe { !x.and(V::splat(bits)).equal(V::splat(0)).bits() & low_bits(V::LANES) }
}

impl<V: Vector> Inspect<V> {
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller has the instructions.
        unsafe {
            Self {
                raw: ByNibbles::new(&report::RAW),
                raw_and_digits: ByNibbles::new(&report::RAW_AND_DIGITS),
                letters: V::table(&LETTERS),
                decoded: ByNibbles::new(&report::TRIPLETS),
                unreserved: ByNibbles::new(&UNRESERVED),
                percent: V::splat(b'%'),
                fifteen: V::splat(15),
            }
        }
    }

    #[inline(always)]
    unsafe fn look(&self, x: V) -> Look<V> {
        // SAFETY: the caller has the instructions.
        unsafe {
            let high_nibbles = x.high_nibbles();
            let raw = self.raw_and_digits.lookup(x, high_nibbles);
            let value = x.and(self.fifteen).add(self.letters.lookup(high_nibbles));
            let percent = x.equal(self.percent);
            // Raw, a digit has no bit but one of those of digits, and nothing else has those.
            Look { x, percent, suspect: percent.or(x), raw, digit: value.or(raw) }
        }
    }

    /// Notes what stands raw in the lowest `length` lanes; the others are zero. With `COUNT` it goes to the report, else to what was
    /// seen.
    #[inline(always)]
    unsafe fn note_raw<const COUNT: bool>(&self, look: &Look<V>, length: usize, at: usize, notes: &mut Notes<'_, V>) {
        // SAFETY: the caller has the instructions.
        unsafe {
            let mut raw = look.raw;
            if length < V::LANES {
                raw = raw.and(V::from_bits(low_bits(length)));
            }
            if COUNT {
                let non_ascii = has(look.x, 0x80);
                notes.report.note::<true>(report::NON_ASCII, non_ascii, at);
                notes.report.note::<true>(report::PLUS, has(raw, report::RAW_PLUS), at);
                notes.report.note::<true>(report::ILLEGAL, has(raw, report::RAW_ILLEGAL) | non_ascii, at);
            } else {
                notes.seen.bytes = notes.seen.bytes.or(look.x);
                notes.seen.raw = notes.seen.raw.or(raw);
            }
        }
    }

    /// Notes what the lowest `length` lanes stand for, and extracts that; the other lanes are zero. `digits` are those of the bytes
    /// that follow each lane.
    ///
    /// # Safety
    ///
    /// The extract has room for `LANES` bytes.
    #[inline(always)]
    unsafe fn block<const COUNT: bool>(
        &self,
        Look { x, percent, .. }: Look<V>,
        [high, low]: [V; 2],
        length: usize,
        at: usize,
        notes: &mut Notes<'_, V>,
    ) {
        // SAFETY: the caller has the instructions and promises the room.
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
            if COUNT {
                let report = &mut *notes.report;
                report.note::<true>(report::ESCAPE, escapes, at);
                report.note::<true>(report::MALFORMED, malformed.bits(), at);
                report.note::<true>(report::LOWER_HEX, has(both, LOWERCASE), at);
                for bit in 0..report::CATEGORY_BITS - 1 {
                    let delete = if bit == report::CONTROL - report::NUL { report::TRIPLET_DELETE } else { 0 };
                    report.note::<true>(report::NUL + bit, has(decoded, 1 << bit | delete), at);
                }
                report.note::<true>(report::UNRESERVED, has(unreserved, 0xFF), at);
            } else {
                let seen = &mut notes.seen;
                seen.malformed = seen.malformed.or(malformed);
                seen.digits = seen.digits.or(both);
                seen.decoded = seen.decoded.or(decoded);
                seen.unreserved = seen.unreserved.or(unreserved);
            }
            let dropped = escapes << 1 | escapes << 2 | notes.carry;
            notes.carry = dropped >> length;
            let kept = !dropped & low_bits(length);
            // All of the text, without asking whether any of it matters: most blocks with a '%' are among others like them.
            compact(text, kept, notes.text);
            notes.text = notes.text.add(kept.count_ones() as usize);
            notes.is_open = true;
            notes.seen.text = notes.seen.text.or(text);
        }
    }
}

/// Of each of four registers, the union of its lanes.
#[inline(always)]
unsafe fn unions_of_lanes<V: Vector16>([a, b, c, d]: [V; 4]) -> [u8; 4] {
    let mut lanes = [[0; 4]; 4];
    // SAFETY: the caller has the instructions, and a register has as many lanes as the array.
    unsafe {
        let union = |(low, high): (V, V)| low.or(high);
        let (pairs, others) = (union(a.interleave_bytes(b)), union(c.interleave_bytes(d)));
        union(pairs.interleave_pairs(others)).store(lanes.as_mut_ptr().cast());
    }
    lanes.into_iter().map(u32::from_ne_bytes).fold(0, |union, lanes| union | lanes).to_ne_bytes()
}

/// # Safety
///
/// The haystack has at most [`report::CHUNK`] bytes, the extract at most 3.
#[inline(always)]
pub(crate) unsafe fn inspect<V: Vector, const COUNT: bool>(
    haystack: &[u8],
    extract: &mut Extract,
    report: &mut Report,
) {
    let (start, length) = (haystack.as_ptr(), haystack.len());
    let mut at = 0;
    // SAFETY: the caller has the instructions; every load stays within the haystack. What a block extracts is no longer than the
    // block, so that there is always room for another and what is stored behind it.
    unsafe {
        let inspect = Inspect::<V>::new();
        let (begin, length_before): (*mut u8, _) = (extract.buffer.as_mut_ptr().cast(), extract.length);
        let (text, is_open) = (begin.add(length_before), extract.is_open);
        let mut notes = Notes { carry: 0, seen: Seen::<V>::nothing(), report, text, is_open };
        // Where the last block ended that was not clean.
        let mut end = 0;
        let mut left = blocks::<V>(length, 2);
        // What is clean is passed on, of 16 lanes by two blocks, for they are clean or not as nobody foresees; what is not is inspected
        // until there is nothing in a block, or of 16 lanes, in two.
        let by_two = V::LANES == V::Half::LANES;
        let step = if by_two { 2 } else { 1 };
        while left > 0 {
            while !COUNT && left >= step {
                let x = V::load(start.add(at));
                let (mut bytes, mut raw) = (x, inspect.raw.lookup(x, x.high_nibbles()));
                if by_two {
                    let above = V::load(start.add(at + V::LANES));
                    bytes = bytes.or(above);
                    raw = raw.or(inspect.raw.lookup(above, above.high_nibbles()));
                }
                // The top bit of what is known of it is that of '%'.
                if raw.or(bytes).any_top_bit_or(notes.carry) {
                    break;
                }
                notes.seen.raw = notes.seen.raw.or(raw);
                at += step * V::LANES;
                left -= step;
            }
            if left < 2 {
                break;
            }
            notes.separate(at != end);
            // Each byte is looked at once, and what follows it comes from the next block. What is seen of that is noted even if it is
            // looked at once more: it is the same.
            let mut look = inspect.look(V::load(start.add(at)));
            if !COUNT {
                inspect.note_raw::<COUNT>(&look, V::LANES, at, &mut notes);
            }
            while left >= 2 {
                let next = inspect.look(V::load(start.add(at + V::LANES)));
                let noted = if COUNT { &look } else { &next };
                inspect.note_raw::<COUNT>(noted, V::LANES, at, &mut notes);
                left -= 1;
                let suspect = if by_two { look.suspect.or(next.suspect) } else { look.suspect };
                if !suspect.any_top_bit_or(notes.carry) {
                    at += V::LANES;
                    break;
                }
                let digits =
                    [look.digit.shift_lanes_down::<1>(next.digit), look.digit.shift_lanes_down::<2>(next.digit)];
                inspect.block::<COUNT>(look, digits, V::LANES, at, &mut notes);
                look = next;
                at += V::LANES;
                end = at;
            }
        }
        let inspect = Inspect::<V::Half>::new();
        let Notes { carry, seen, report, text, is_open } = notes;
        let mut notes = Notes { carry, seen: seen.halved(), report, text, is_open };
        while at < length {
            let left = (length - at).min(V::Half::LANES);
            let Window { x, next, second_next } = Window::load_end(start.add(at), length - at, at);
            let look = inspect.look(x);
            inspect.note_raw::<COUNT>(&look, left, at, &mut notes);
            if look.suspect.any_top_bit_or(notes.carry) {
                let digits = [next, second_next].map(|x| inspect.look(x).digit);
                notes.separate(at != end);
                inspect.block::<COUNT>(look, digits, left, at, &mut notes);
                end = at + left;
            }
            at += left;
        }
        if !COUNT {
            notes.seen.note(notes.report);
        }
        let is_ascii = length_before == 0 && !notes.seen.text.any_top_bit_or(0);
        notes.separate(at != end);
        let length = notes.text.offset_from(begin) as usize;
        (extract.length, extract.is_open) = if is_ascii { (0, false) } else { (length, notes.is_open) };
    }
}

#[inline(always)]
pub(crate) unsafe fn form_marks<V: Vector>(bytes: &[u8]) -> FormMarks {
    let (start, length) = (bytes.as_ptr(), bytes.len().min(64));
    let mut all = FormMarks::default();
    let mut add = |marks: FormMarks, at: usize| {
        all.ends |= marks.ends << at;
        all.equals |= marks.equals << at;
        all.coded |= marks.coded << at;
    };
    // SAFETY: the caller has the instructions; every load stays within the bytes.
    unsafe {
        if length >= V::LANES {
            let last = length - V::LANES;
            for at in (0..last).step_by(V::LANES) {
                add(marks_of(V::load(start.add(at))), at);
            }
            // Some of these bytes were looked at before: the marks are the same.
            add(marks_of(V::load(start.add(last))), last);
        } else if length >= V::Half::LANES {
            let last = length - V::Half::LANES;
            add(marks_of(V::Half::load(start)), 0);
            add(marks_of(V::Half::load(start.add(last))), last);
        } else {
            // The lanes behind the end are zero, which is no mark.
            add(marks_of(V::Half::load_partial(start, length)), 0);
        }
    }
    all
}

#[inline(always)]
unsafe fn marks_of<V: Vector>(x: V) -> FormMarks {
    // SAFETY: the caller has the instructions.
    unsafe {
        let top = V::splat(0x80);
        let coded = x.equal(V::splat(b'%')).or(x.equal(V::splat(b'+'))).or(x.and(top).equal(top));
        FormMarks { ends: x.equal(V::splat(b'&')).bits(), equals: x.equal(V::splat(b'=')).bits(), coded: coded.bits() }
    }
}

/// What stands out in a block before its triplets are looked at.
struct DecodeMarks<V> {
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
    /// With [`WRITE`], `to` is valid for writes of `LANES` bytes.
    #[inline(always)]
    unsafe fn block<const VARIANT: u8, const MODE: u8, const LENIENT: bool>(
        &self,
        window: Window<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
    ) -> Option<Stop> {
        // SAFETY: the caller has the instructions and promises room at `to`.
        unsafe {
            let marks = self.marks::<VARIANT, MODE>(window.x);
            let carries =
                if VARIANT & KEEP != 0 { cursor.carry | cursor.uppercase | cursor.completing } else { cursor.carry };
            if !marks.suspects.any_or(carries) {
                if MODE == WRITE {
                    marks.plain.store(to);
                }
                cursor.read += length;
                cursor.written += length;
                return None;
            }
            self.dirty_block::<VARIANT, MODE, LENIENT>(window, &marks, length, cursor, to).err()
        }
    }

    /// What stands out in a block.
    #[inline(always)]
    unsafe fn marks<const VARIANT: u8, const MODE: u8>(&self, x: V) -> DecodeMarks<V> {
        // SAFETY: the caller has the instructions.
        unsafe {
            let percent = x.equal(self.triplets.percent);
            let plus = if VARIANT & PLUS != 0 { x.equal(self.plus) } else { percent };
            let plain = if VARIANT & PLUS != 0 { x.blend(self.space, plus) } else { x };
            let changes = if VARIANT & PLUS != 0 && MODE == SCAN { percent.or(plus) } else { percent };
            let suspects = if VARIANT & REJECT != 0 { changes.or(self.reject.members(plain)) } else { changes };
            DecodeMarks { percent, plus, plain, suspects }
        }
    }

    /// Decodes a block, be there something to decode or not, and returns the bits of what it left out: the digits of triplets.
    ///
    /// # Safety
    ///
    /// As of [`Self::block`].
    #[inline(always)]
    unsafe fn dirty_block<const VARIANT: u8, const MODE: u8, const LENIENT: bool>(
        &self,
        window: Window<V>,
        marks: &DecodeMarks<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
    ) -> Result<u64, Stop> {
        let DecodeMarks { percent, plus, plain, .. } = *marks;
        // SAFETY: the caller has the instructions and promises room at `to`.
        unsafe {
            let (valid, bytes) = self.triplets.decode(percent, window.next, window.second_next);
            let malformed = percent.bits() & !valid.bits();
            let mut decoded = if VARIANT & UPPERCASE != 0 {
                valid.and(self.decodable.ascii_members(bytes))
            } else if VARIANT & KEEP != 0 {
                valid.and(self.keep.members(bytes).xor(V::splat(0xFF)))
            } else {
                valid
            };
            if VARIANT & KEEP != 0 && self.creates_no_triplets && (malformed | cursor.completing) != 0 {
                let before_digit = self.triplets.are_digits(window.next).bits();
                let completing = cursor.completing | (malformed & !before_digit) << 1 | (malformed & before_digit) << 2;
                cursor.completing = completing >> length;
                let stays = V::from_bits(completing).and(self.triplets.are_digits(bytes));
                decoded = decoded.and(stays.xor(V::splat(0xFF)));
            }
            let mut output = plain.blend(bytes, decoded);
            let mut lowercase = 0;
            if VARIANT & UPPERCASE != 0 {
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

            // The lowest of these bits stops. A malformed '%' does not come to stand in the output, so it comes before a rejected
            // one; and what is rejected is an error before it is a change.
            let malformed = if !LENIENT && self.strict { malformed } else { 0 };
            let rejected = if VARIANT & REJECT != 0 { self.reject.members(output).bits() & kept } else { 0 };
            let mut stops = malformed | rejected;
            if MODE == SCAN {
                stops |= decoded.bits() | lowercase;
                if VARIANT & PLUS != 0 {
                    stops |= plus.bits();
                }
            }
            let stop = if stops == 0 {
                cursor.read += length;
                cursor.carry = dropped >> length;
                Ok(dropped)
            } else {
                let first = stops.trailing_zeros() as usize;
                kept &= low_bits(first);
                cursor.read += first;
                Err(if malformed >> first & 1 != 0 {
                    Stop::Malformed
                } else if rejected >> first & 1 != 0 {
                    Stop::Rejected(lane_of(output, first))
                } else {
                    Stop::Change
                })
            };
            if MODE == WRITE {
                compact(output, kept, to);
            }
            cursor.written += kept.count_ones() as usize;
            stop
        }
    }
}

/// Decodes as many whole blocks as the input and the room in the output allow.
///
/// In place, a store at `written <= read` touches only bytes before `read + LANES`, which the window holds already; the bytes
/// after that, at which windows look ahead, are as they were.
#[inline(always)]
unsafe fn decode_blocks<V: Vector, const VARIANT: u8, const MODE: u8, const LENIENT: bool>(
    tape: &Tape<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    // SAFETY: the caller has the instructions. A run has no more blocks than there are in the input with two bytes to spare
    // and, since a block never grows, than there is room for in the output.
    unsafe {
        let decode = Decode::<V>::new(rules);
        loop {
            let mut run = blocks::<V>(tape.length() - cursor.read, 2);
            if MODE == WRITE {
                run = run.min((tape.capacity() - cursor.written) / V::LANES);
            }
            if run == 0 {
                return None;
            }
            for _ in 0..run {
                let window = Window::load(tape.source().add(cursor.read));
                let to = tape.target().wrapping_add(cursor.written);
                let stop = decode.block::<VARIANT, MODE, LENIENT>(window, V::LANES, cursor, to);
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
unsafe fn decode_runs<V: Vector, const VARIANT: u8, const LENIENT: bool>(
    tape: &Tape<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    // SAFETY: as in `decode_blocks`; two blocks are loaded where two are left. The next window is that of the next block, or
    // starts at the last place where there is one.
    unsafe {
        let by_two = V::LANES == V::Half::LANES;
        let decode = Decode::<V>::new(rules);
        loop {
            let left = blocks::<V>(tape.length() - cursor.read, 2);
            let mut run = left.min((tape.capacity() - cursor.written) / V::LANES);
            if run < 2 {
                return None;
            }
            let last = tape.length() - V::LANES - 2;
            while run >= 2 {
                let from = tape.source().add(cursor.read);
                let to = tape.target().wrapping_add(cursor.written);
                let x = V::load(from);
                let marks = decode.marks::<VARIANT, WRITE>(x);
                let above = decode.marks::<VARIANT, WRITE>(if by_two { V::load(from.add(V::LANES)) } else { x });
                if !marks.suspects.or(above.suspects).any_or(cursor.carry) {
                    let passed = if by_two { 2 } else { 1 };
                    marks.plain.store(to);
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
                    let marks = decode.marks::<VARIANT, WRITE>(window.x);
                    if !marks.suspects.any_or(recent) {
                        break;
                    }
                    let next = Window::load(tape.source().add((cursor.read + V::LANES).min(last)));
                    let to = tape.target().wrapping_add(cursor.written);
                    match decode.dirty_block::<VARIANT, WRITE, LENIENT>(window, &marks, V::LANES, cursor, to) {
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

/// From so many bytes on, texts are decoded by [`decode_runs`]; for less it gets ready too slowly.
pub(crate) const LONG_FROM: usize = 512;

#[inline(always)]
pub(crate) unsafe fn decode<V: Vector, const VARIANT: u8, const MODE: u8, const LONG: bool>(
    tape: Tape<'_>,
    rules: &DecodeRules,
) -> Progress {
    let mut cursor = Cursor::START;
    // SAFETY: the caller has the instructions.
    let stop = unsafe {
        // Most text is decoded by these rules: then no block asks whether there is a malformed '%'.
        if VARIANT == 0 && MODE == WRITE && !rules.strict {
            decode_all::<V, VARIANT, MODE, true, LONG>(&tape, rules, &mut cursor)
        } else {
            decode_all::<V, VARIANT, MODE, false, LONG>(&tape, rules, &mut cursor)
        }
    };
    Progress::new(cursor.read, cursor.written, stop)
}

#[inline(always)]
unsafe fn decode_all<V: Vector, const VARIANT: u8, const MODE: u8, const LENIENT: bool, const LONG: bool>(
    tape: &Tape<'_>,
    rules: &DecodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller has the instructions. The end is loaded within its length, and what is stored has room: in the
    // output, or on the stack.
    unsafe {
        if LONG && let Some(stop) = decode_runs::<V, VARIANT, LENIENT>(tape, rules, cursor) {
            return stop;
        }
        // As with encoding: wider blocks get ready slower than they save in a few.
        if !LONG
            && V::LANES > V::Half::LANES
            && (MODE != WRITE || tape.length() >= 4 * V::LANES)
            && let Some(stop) = decode_blocks::<V, VARIANT, MODE, LENIENT>(tape, rules, cursor)
        {
            return stop;
        }
        if let Some(stop) = decode_blocks::<V::Half, VARIANT, MODE, LENIENT>(tape, rules, cursor) {
            return stop;
        }
        let decode = Decode::<V::Half>::new(rules);
        while cursor.read < tape.length() {
            let left = tape.length() - cursor.read;
            let window = Window::load_end(tape.source().add(cursor.read), left, cursor.read);
            let length = left.min(V::Half::LANES);
            if MODE != WRITE || tape.capacity() - cursor.written >= V::Half::LANES {
                let to = tape.target().wrapping_add(cursor.written);
                if let Some(stop) = decode.block::<VARIANT, MODE, LENIENT>(window, length, cursor, to) {
                    return stop;
                }
                continue;
            }
            let mut buffer = [0; 32];
            let before = cursor.written;
            let stop = decode.block::<VARIANT, MODE, LENIENT>(window, length, cursor, buffer.as_mut_ptr());
            if !write_short(tape, before, &buffer[..cursor.written - before]) {
                return Stop::Full;
            }
            if let Some(stop) = stop {
                return stop;
            }
        }
        Stop::End
    }
}

/// Whether [`decode_short`] is for this tape.
#[inline(always)]
pub(crate) fn is_short<V: Vector>(tape: &Tape<'_>) -> bool {
    (1..=64).contains(&tape.length()) && tape.capacity() >= tape.length().next_multiple_of(V::LANES)
}

/// Blocks of 16 lanes without any of what [`decode`] has to be ready for, all as if there was something to decode: where that is, is
/// not foreseen.
///
/// # Safety
///
/// The tape [is short](is_short).
#[inline(always)]
pub(crate) unsafe fn decode_short<V: Vector16>(tape: Tape<'_>, strict: bool) -> Option<usize> {
    let length = tape.length();
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
        if length <= V::LANES {
            let x: V = load_up_to(tape.source(), length);
            // Digits looked at once, and none behind the end.
            let (digits, none) = (triplets.digits(x), V::splat(0xFF));
            let (next, second_next) = (digits.shift_lanes_down::<1>(none), digits.shift_lanes_down::<2>(none));
            return Some(block(x, next, second_next, 0, length, tape.target())?.0);
        }
        let (mut read, mut written, mut carry) = (0, 0, 0);
        loop {
            let left = length - read;
            let from = tape.source().add(read);
            let window: Window<V> =
                if left >= V::LANES + 2 { Window::load(from) } else { Window::load_end(from, left, read) };
            let (next, second_next) = (triplets.digits(window.next), triplets.digits(window.second_next));
            let (count, next_carry) = block(window.x, next, second_next, carry, left, tape.target().add(written))?;
            written += count;
            if left <= V::LANES {
                return Some(written);
            }
            carry = next_carry;
            read += V::LANES;
        }
    }
}

/// What [`encode`] needs in registers.
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
        // SAFETY: the caller has the instructions.
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

    /// Encodes some whole blocks, all as if there was something to escape if they are `DIRTY`.
    ///
    /// # Safety
    ///
    /// There are so many blocks in the input, and room for them.
    #[inline(always)]
    unsafe fn group<const VARIANT: u8, const MODE: u8, const DIRTY: bool>(
        &self,
        tape: &Tape<'_>,
        cursor: &mut Cursor,
        blocks: usize,
    ) -> Option<Stop> {
        cursor.dirty_blocks = 0;
        for _ in 0..blocks {
            // SAFETY: the caller has the instructions, and promises the input and the room.
            let stop = unsafe {
                let from = tape.source().add(cursor.read);
                let window = if VARIANT & KEEP != 0 { Window::load(from) } else { Window::of(V::load(from)) };
                let to = tape.target().wrapping_add(cursor.written);
                self.block::<VARIANT, MODE, true, DIRTY>(window, V::LANES, cursor, to, usize::MAX)
            };
            if stop.is_some() {
                return stop;
            }
        }
        None
    }

    /// Encodes the lowest `length` lanes of a window. Without [`KEEP`], what follows the lanes of the window is not looked at. A
    /// `WHOLE` block has all its lanes and as much room as it could ask for.
    ///
    /// # Safety
    ///
    /// With [`WRITE`], `to` is valid for writes of `room` bytes. If the block is `WHOLE`, that is three times `LANES` and
    /// [`BEHIND`] at least.
    #[inline(always)]
    unsafe fn block<const VARIANT: u8, const MODE: u8, const WHOLE: bool, const DIRTY: bool>(
        &self,
        window: Window<V>,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        // SAFETY: the caller has the instructions and promises the room that is used.
        unsafe {
            let space = if VARIANT & PLUS != 0 { window.x.equal(self.space) } else { window.x };
            let plain = if VARIANT & PLUS != 0 { window.x.blend(self.plus, space) } else { window.x };
            let mut escaped = self.escape.members(window.x).bits() & low_bits(length);
            if VARIANT & KEEP != 0 {
                let percent = window.x.equal(self.triplets.percent);
                if percent.any_or(cursor.carry) {
                    let (valid, _) = self.triplets.decode(percent, window.next, window.second_next);
                    let kept = valid.bits() | valid.bits() << 1 | valid.bits() << 2 | cursor.carry;
                    escaped &= !kept;
                    cursor.carry = kept >> length;
                }
            }
            if MODE == SCAN {
                let spaces = if VARIANT & PLUS != 0 { space.bits() } else { 0 };
                let changes = escaped | spaces;
                if changes != 0 {
                    cursor.read += changes.trailing_zeros() as usize;
                    return Some(Stop::Change);
                }
            }
            let count = length + 2 * escaped.count_ones() as usize;
            if MODE == WRITE {
                if WHOLE || room >= 3 * V::LANES + BEHIND {
                    // As if the block was whole: a branch on its length would seldom be foreseen.
                    if !DIRTY && escaped == 0 {
                        plain.store(to);
                    } else {
                        cursor.dirty_blocks += u32::from(!DIRTY || escaped != 0);
                        self.store(plain, escaped, V::LANES, to);
                    }
                } else if room >= count + BEHIND {
                    self.store(plain, escaped, length, to);
                } else {
                    let mut buffer = [0; 3 * 32 + BEHIND];
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
    /// As [`expand`].
    #[inline(always)]
    unsafe fn store(&self, x: V, escaped: u64, length: usize, to: *mut u8) {
        // SAFETY: the upper half goes right behind what counts of the lower one, within the room of both.
        unsafe {
            let (low, high) = x.halves();
            expand(low, escaped & 0xFFFF, length, self.digits, to);
            if V::LANES > V::Half::LANES {
                let behind = 16 + 2 * (escaped & 0xFFFF).count_ones() as usize;
                expand(high, escaped >> 16, length - 16, self.digits, to.add(behind));
            }
        }
    }
}

/// What encoding may store behind the end of what counts.
const BEHIND: usize = 15;

#[inline(always)]
unsafe fn encode_blocks<V: Vector, const VARIANT: u8, const MODE: u8>(
    tape: &Tape<'_>,
    rules: &EncodeRules,
    cursor: &mut Cursor,
) -> Option<Stop> {
    let lookahead = if VARIANT & KEEP != 0 { 2 } else { 0 };
    // SAFETY: the caller has the instructions. A run has no more blocks than there are in the input with the lookahead to
    // spare, and than there is room for in the output if each grows threefold.
    unsafe {
        let encode = Encode::<V>::new(rules);
        let mut is_dirty = false;
        loop {
            let mut run = blocks::<V>(tape.length() - cursor.read, lookahead);
            if MODE == WRITE {
                run = run.min((tape.capacity() - cursor.written).saturating_sub(BEHIND) / (3 * V::LANES));
            }
            if run == 0 {
                return None;
            }
            while run != 0 {
                let group = run.min(GROUP_BLOCKS);
                run -= group;
                let stop = if MODE == WRITE && is_dirty {
                    encode.group::<VARIANT, MODE, true>(tape, cursor, group)
                } else {
                    encode.group::<VARIANT, MODE, false>(tape, cursor, group)
                };
                if stop.is_some() {
                    return stop;
                }
                is_dirty = cursor.dirty_blocks >= DIRTY_BLOCKS;
            }
        }
    }
}

#[inline(always)]
pub(crate) unsafe fn encode<V: Vector, const VARIANT: u8, const MODE: u8>(
    tape: Tape<'_>,
    rules: &EncodeRules,
) -> Progress {
    let mut cursor = Cursor::START;
    // SAFETY: the caller has the instructions.
    let stop = unsafe { encode_all::<V, VARIANT, MODE>(&tape, rules, &mut cursor) };
    Progress::new(cursor.read, cursor.written, stop)
}

#[inline(always)]
unsafe fn encode_all<V: Vector, const VARIANT: u8, const MODE: u8>(
    tape: &Tape<'_>,
    rules: &EncodeRules,
    cursor: &mut Cursor,
) -> Stop {
    // SAFETY: the caller has the instructions. The end is loaded within its length, and what is stored has room: in the
    // output, or on the stack.
    unsafe {
        // What is encoded is so 16 lanes at a time; wider blocks are for what is clean, and get ready slower than they save in a few.
        if V::LANES > V::Half::LANES
            && (MODE != WRITE || tape.length() >= 3 * V::LANES)
            && let Some(stop) = encode_blocks::<V, VARIANT, MODE>(tape, rules, cursor)
        {
            return stop;
        }
        if let Some(stop) = encode_blocks::<V::Half, VARIANT, MODE>(tape, rules, cursor) {
            return stop;
        }
        let encode = Encode::<V::Half>::new(rules);
        while cursor.read < tape.length() {
            let left = tape.length() - cursor.read;
            let from = tape.source().add(cursor.read);
            let window = if VARIANT & KEEP != 0 {
                Window::load_end(from, left, cursor.read)
            } else {
                Window::of(load_after::<V::Half>(from, left, cursor.read))
            };
            let length = left.min(V::Half::LANES);
            let to = tape.target().wrapping_add(cursor.written);
            let room = tape.capacity().wrapping_sub(cursor.written);
            if let Some(stop) = encode.block::<VARIANT, MODE, false, false>(window, length, cursor, to, room) {
                return stop;
            }
        }
        Stop::End
    }
}

/// What [`encode_pair`] needs in registers.
#[derive(Clone, Copy)]
struct EncodePair<V> {
    kept: V,
    bits: V,
    space: V,
    change: V,
    digits: &'static [u8; 16],
}

/// Most parts have a few bytes: both of a pair that has no more than eight in each go through one register. Otherwise 16 lanes at a
/// time.
///
/// # Safety
///
/// There is [`pair::room`](super::pair::room) at `to`.
#[inline(always)]
pub(crate) unsafe fn encode_pair<V: Vector16>(name: &[u8], value: &[u8], to: *mut u8, rules: &PairRules) -> usize {
    // SAFETY: the caller has the instructions and promises the room. Before a part there is room for three times what is left of the
    // pair, and 64 bytes; what a block of n lanes stores ends at most 28 + 2n bytes behind its start, or 16 if it is clean.
    unsafe {
        let encode = EncodePair {
            kept: V::table(&rules.kept),
            bits: V::table(&BITS),
            space: V::splat(b' '),
            change: V::splat(rules.space),
            digits: rules.rules.digits,
        };
        if name.len() <= 8 && value.len() <= 8 {
            let lanes = low_bits(name.len()) | low_bits(value.len()) << 8;
            let x = V::from_words(word::load_up_to_8(name), word::load_up_to_8(value));
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

/// Up to 64 bytes 16 lanes at a time, each stored as if it was whole: there is the room for it.
#[inline(always)]
pub(crate) unsafe fn encode_short<V: Vector16>(
    input: &[u8],
    output: &mut ShortOutput,
    rules: &EncodeRules,
) -> Option<usize> {
    let input = &input[..input.len().min(64)];
    let start: *mut u8 = output.as_mut_ptr().cast();
    // SAFETY: the caller has the instructions, and a load stays within the input. There is room for three times 64 bytes and for
    // 64 more.
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

impl<V: Vector16> EncodePair<V> {
    /// What the lanes become that are not escaped, and which of `lanes` are.
    #[inline(always)]
    unsafe fn block(&self, x: V, lanes: u64) -> (V, u64) {
        // SAFETY: the caller has the instructions.
        unsafe {
            // A lookup yields zero for bytes from 0x80, so that none of them is kept.
            let bit = self.bits.lookup(x.high_nibbles());
            let kept = self.kept.lookup(x).and(bit).equal(bit).bits();
            (x.xor(x.equal(self.space).and(self.change)), !kept & lanes)
        }
    }

    /// Encodes the lowest `length` lanes and returns where that ends.
    ///
    /// # Safety
    ///
    /// As [`expand`] for 16 lanes.
    #[inline(always)]
    unsafe fn store(&self, x: V, length: usize, to: *mut u8) -> *mut u8 {
        // SAFETY: the caller's promise.
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

    /// Encodes a part of a pair and returns where it ends.
    ///
    /// # Safety
    ///
    /// There is room for three times the part's length and 32 bytes.
    #[inline(always)]
    unsafe fn part(&self, part: &[u8], mut to: *mut u8) -> *mut u8 {
        // SAFETY: the caller has the instructions and promises the room; every load stays within the part.
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

/// Copies `bytes` to `at` of the output, or nothing if they do not fit.
#[inline(always)]
fn write_short(tape: &Tape<'_>, at: usize, bytes: &[u8]) -> bool {
    let fits = tape.capacity() - at >= bytes.len();
    if fits {
        // SAFETY: it fits, and `bytes` is a buffer of the caller's own.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), tape.target().add(at), bytes.len()) }
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

/// Stores the lanes whose bit in `kept` is set, one behind the other, and anything behind them, within `LANES` bytes.
///
/// # Safety
///
/// `to` is valid for writes of `LANES` bytes.
#[inline(always)]
unsafe fn compact<V: Vector>(x: V, kept: u64, to: *mut u8) {
    // SAFETY: the second half goes at most 16 bytes behind the first.
    unsafe {
        let (low, high) = x.halves();
        compact_half(low, kept & 0xFFFF, to);
        if V::LANES > V::Half::LANES {
            compact_half(high, kept >> 16, to.add((kept & 0xFFFF).count_ones() as usize));
        }
    }
}

/// [`compact`] for 16 lanes: the two halves are each put together by a table, and the second stored where the first ends.
#[inline(always)]
unsafe fn compact_half<V: Vector16>(x: V, kept: u64, to: *mut u8) {
    let (first, second) = ((kept & 0xFF) as usize, (kept >> 8) as usize);
    // SAFETY: both stores are of 8 bytes, the second at most 8 bytes behind the first.
    unsafe {
        let order = V::from_words(COMPACTED[0][first], COMPACTED[1][second]);
        x.lookup(order).store_words(to, to.add(first.count_ones() as usize));
    }
}

/// Stores the lowest `length` of 16 lanes, those of `escaped` as triplets, and anything in the [`BEHIND`] bytes behind them.
///
/// Four lanes at a time become `[byte, high digit, low digit, %]` each, of which a table picks what counts.
///
/// # Safety
///
/// `to` is valid for writes of all that.
#[inline(always)]
unsafe fn expand<V: Vector16>(x: V, escaped: u64, length: usize, digits: V, to: *mut u8) {
    // SAFETY: a store is of 16 bytes, and the first of them at least counts.
    unsafe {
        let high = digits.lookup(x.high_nibbles());
        let low = digits.lookup(x.and(V::splat(15)));
        let (front_low, front_high) = x.interleave_bytes(high);
        let (back_low, back_high) = low.interleave_bytes(V::splat(b'%'));
        let (first, second) = front_low.interleave_pairs(back_low);
        let (third, fourth) = front_high.interleave_pairs(back_high);
        let mut at = 0;
        let mut rest = escaped as usize;
        for (number, group) in [first, second, third, fourth].into_iter().enumerate() {
            if 4 * number >= length {
                break;
            }
            let order = &EXPANDED[rest & 15];
            group.lookup(V::table(order)).store(to.add(at));
            at += 4 + 2 * (rest & 15).count_ones() as usize;
            rest >>= 4;
        }
    }
}

/// Stamps out a level's entry points: the one thing that generics cannot say is which instructions a function is compiled with.
macro_rules! kernel {
    ($level:ty, $vector:ty, $features:literal) => {
        impl $crate::kernel::Kernel for $level {
            #[target_feature(enable = $features)]
            unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
                // SAFETY: the caller has the instructions, with which this function is compiled and what it calls is inlined
                // into it. So too below.
                unsafe { block::find::<$vector>(set, haystack) }
            }

            #[target_feature(enable = $features)]
            unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
                // SAFETY: as in `find`.
                unsafe { block::count::<$vector>(set, haystack) }
            }

            #[target_feature(enable = $features)]
            unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
                // SAFETY: as in `find`.
                unsafe { block::members::<$vector>(set, haystack) }
            }

            #[target_feature(enable = $features)]
            unsafe fn inspect<const COUNT: bool>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
                // SAFETY: as in `find`, and the caller keeps to the lengths.
                unsafe { block::inspect::<$vector, COUNT>(haystack, extract, report) }
            }

            #[target_feature(enable = $features)]
            unsafe fn form_marks(bytes: &[u8], marks: &mut FormMarks) -> u64 {
                // SAFETY: as in `find`.
                *marks = unsafe { block::form_marks::<$vector>(bytes) };
                marks.ends
            }

            #[target_feature(enable = $features)]
            unsafe fn encode<const VARIANT: u8, const MODE: u8>(
                source: Source<'_>,
                target: Target<'_>,
                rules: &EncodeRules,
            ) -> Progress {
                // SAFETY: as in `find`.
                unsafe { block::encode::<$vector, VARIANT, MODE>(Tape::of(source, target), rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn decode<const VARIANT: u8, const MODE: u8>(
                source: Source<'_>,
                target: Target<'_>,
                rules: &DecodeRules,
            ) -> Progress {
                let tape = Tape::of(source, target);
                if MODE == $crate::kernel::WRITE
                    && VARIANT & !$crate::kernel::PLUS == 0
                    && tape.length() >= block::LONG_FROM
                {
                    // SAFETY: as in `find`.
                    return unsafe { decode_long::<VARIANT>(tape, rules) };
                }
                // SAFETY: as in `find`.
                unsafe { block::decode::<$vector, VARIANT, MODE, false>(tape, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
                // SAFETY: as in `find`.
                unsafe { block::encode_short::<<$vector as Vector>::Half>(input, output, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn encode_pair(
                name: &[u8],
                value: &[u8],
                to: *mut u8,
                rules: &$crate::kernel::pair::PairRules,
            ) -> usize {
                // SAFETY: as in `find`, and the caller promises the room.
                unsafe { block::encode_pair::<<$vector as Vector>::Half>(name, value, to, rules) }
            }

            #[target_feature(enable = $features)]
            unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
                let tape = Tape::of(source, target);
                if !block::is_short::<<$vector as Vector>::Half>(&tape) {
                    let rules = DecodeRules::simple(strict);
                    // SAFETY: as in `find`.
                    let progress = unsafe { Self::decode::<0, { $crate::kernel::WRITE }>(source, target, rules) };
                    return progress.is_end().then_some(progress.written);
                }
                // SAFETY: as in `find`, and the tape is short.
                unsafe { block::decode_short::<<$vector as Vector>::Half>(tape, strict) }
            }
        }

        /// Out of line: what this needs in registers, and saves before, short texts have no use for.
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn decode_long<const VARIANT: u8>(tape: Tape<'_>, rules: &DecodeRules) -> Progress {
            // SAFETY: as in `find`.
            unsafe { block::decode::<$vector, VARIANT, { $crate::kernel::WRITE }, true>(tape, rules) }
        }

        impl $crate::kernel::marks::MarkKernel for $level {
            #[target_feature(enable = $features)]
            unsafe fn mark<const WHAT: u8>(set: &ByteSet, text: &[u8], marks: &mut [$crate::kernel::marks::Mark]) {
                // SAFETY: as in `find`.
                unsafe { block::mark::<$vector, WHAT>(set, text, marks) }
            }

            #[target_feature(enable = $features)]
            unsafe fn place<I: $crate::kernel::marks::Index>(
                marks: &[$crate::kernel::marks::Mark],
                text: &[u8],
                places: &[I],
                base: usize,
                shift: $crate::kernel::marks::Shift,
                placed: &mut [I],
            ) -> bool {
                $crate::kernel::marks::place(marks, text, places, base, shift, placed)
            }
        }
    };
}
pub(super) use kernel;

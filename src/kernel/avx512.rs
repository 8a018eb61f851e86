//! AVX-512 with VBMI2: 64 lanes, its own algorithms: masks in mask registers, exact classification by two table lookups,
//! compression in a register, and ends that are just shorter masks.
//!
//! # Safety
//!
//! The functions may be called where the CPU has the instructions of [`Avx512`], from a function that enables them; what they need
//! beyond that is said at each. Held by tests/bounds.rs, where buffers touch pages that may not be touched, by
//! tests/guarded_heap.rs and tests/differential.rs.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "the intrinsics' instructions are there by the trait's contract; what loads and stores rely on stands with them"
)]

use core::arch::x86_64::*;

use super::marks::{self, Index, MEMBERS, Mark, MarkKernel, PERCENTS, Shift, TRIPLETS_OF_OTHERS};
use super::pair::{ESCAPED, PairRules};
use super::report::{self, Extract, Report};
use super::tape::{Source, Tape, Target};
use super::utf8;
use super::{
    Cursor, DIRTY_BLOCKS, FormMarks, GROUP_BLOCKS, KEEP, Kernel, PLUS, Progress, REJECT, SCAN, ShortOutput, Stop,
    UPPERCASE, WRITE,
};
use crate::byteset::ByteSet;
use crate::rules::{DecodeRules, EncodeRules};

/// Needs AVX-512 F, BW, VL, VBMI and VBMI2, BMI1, BMI2 and POPCNT.
pub(crate) struct Avx512;

pub(super) const LANES: usize = 64;
/// The input bytes of a dirty block that one register holds expanded: three bytes each.
const GROUP: usize = 21;
/// How far a dirty block goes: a few whole groups.
const DIRTY_LANES: usize = 3 * GROUP;
/// How much a block may store: two groups of triplets and a register.
const ROOM: usize = 2 * 3 * GROUP + LANES;

impl Kernel for Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
        let (start, length) = (haystack.as_ptr(), haystack.len());
        let class = Class::new(set);
        let mut at = 0;
        while at + LANES <= length {
            let members = class.members(_mm512_loadu_epi8(start.add(at).cast()));
            if members != 0 {
                return Some(at + members.trailing_zeros() as usize);
            }
            at += LANES;
        }
        let mask = low_bits(length - at);
        let members = class.members(load(start.add(at), length - at)) & mask;
        if members != 0 { Some(at + members.trailing_zeros() as usize) } else { None }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn count(set: &ByteSet, haystack: &[u8]) -> usize {
        let (start, length) = (haystack.as_ptr(), haystack.len());
        let class = Class::new(set);
        let (mut at, mut count) = (0, 0);
        while at + LANES <= length {
            count += class.members(_mm512_loadu_epi8(start.add(at).cast())).count_ones() as usize;
            at += LANES;
        }
        let mask = low_bits(length - at);
        let members = class.members(load(start.add(at), length - at)) & mask;
        count + members.count_ones() as usize
    }

    unsafe fn is_well_formed(text: &[u8]) -> bool {
        utf8::is_well_formed(text)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
        let mask = low_bits(haystack.len());
        Class::new(set).members(load(haystack.as_ptr(), haystack.len())) & mask
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn inspect<const COUNT: bool>(haystack: &[u8], extract: &mut Extract, report: &mut Report) {
        let (start, length) = (haystack.as_ptr(), haystack.len());
        let inspect = Inspect::new();
        let (text, length_before, is_open) = (extract.buffer.as_mut_ptr().cast(), extract.length, extract.is_open);
        let mut notes = Notes { carry: 0, seen: Seen::nothing(), report, text, length: length_before, is_open };
        let mut at = 0;
        for _ in 0..length.saturating_sub(2) / LANES {
            let from = start.add(at);
            let x = _mm512_loadu_epi8(from.cast());
            inspect.block::<COUNT>(x, || Window::load(from), u64::MAX, at, &mut notes);
            at += LANES;
        }
        while at < length {
            let window = Window::load_end(start.add(at), length - at);
            inspect.block::<COUNT>(window.x, || window, low_bits(length - at), at, &mut notes);
            at += LANES;
        }
        if !COUNT {
            notes.seen.note(notes.report);
        }
        // What is all ASCII is well-formed, unless a character was to go on in it.
        let is_ascii = _mm512_movepi8_mask(notes.seen.text) == 0;
        extract.length = if is_ascii && length_before == 0 { 0 } else { notes.length };
        extract.is_open = notes.is_open && extract.length > 0;
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn form_marks(bytes: &[u8], marks: &mut FormMarks) -> u64 {
        // The lanes behind the end are zero, which is no mark.
        let x = load(bytes.as_ptr(), bytes.len());
        let equal = |byte: u8| _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(byte as i8));
        let coded = equal(b'%') | equal(b'+') | _mm512_movepi8_mask(x);
        *marks = FormMarks { ends: equal(b'&'), equals: equal(b'='), coded };
        marks.ends
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn encode<const VARIANT: u8, const MODE: u8>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &EncodeRules,
    ) -> Progress {
        let tape = Tape::of(source, target);
        let mut cursor = Cursor::START;
        let stop = Encode::new(rules).all::<VARIANT, MODE>(&tape, &mut cursor);
        Progress::new(cursor.read, cursor.written, stop)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn decode<const VARIANT: u8, const MODE: u8>(
        source: Source<'_>,
        target: Target<'_>,
        rules: &DecodeRules,
    ) -> Progress {
        let tape = Tape::of(source, target);
        let mut cursor = Cursor::START;
        let decode = Decode::new(rules);
        let stop = if VARIANT & !PLUS == 0 && MODE == WRITE && !rules.strict {
            decode.all::<VARIANT, MODE, true>(&tape, &mut cursor)
        } else {
            decode.all::<VARIANT, MODE, false>(&tape, &mut cursor)
        };
        Progress::new(cursor.read, cursor.written, stop)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn decode_short(source: Source<'_>, target: Target<'_>, strict: bool) -> Option<usize> {
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
        store::<false>(output, written, tape.target(), tape.capacity()).then_some(written)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn encode_short(input: &[u8], output: &mut ShortOutput, rules: &EncodeRules) -> Option<usize> {
        let length = input.len().min(LANES);
        let x = load(input.as_ptr(), length);
        let encode = Encode::new(rules);
        let escaped = encode.escape.members(x) & low_bits(length);
        if escaped == 0 {
            return None;
        }
        encode.expand.store::<true>(x, x, escaped, length, output.as_mut_ptr().cast(), output.len());
        Some(length + 2 * escaped.count_ones() as usize)
    }

    /// A pair that fits into a register is put together in one. Whatever would take a call goes the other way.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn encode_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &PairRules) -> usize {
        let (equals, length) = (name.len(), name.len() + 1 + value.len());
        let (name_from, value_from) = (before(name, 0), before(value, equals + 1));
        if length > LANES || !is_within_page(name_from) || !is_within_page(value_from) {
            return encode_long_pair(name, value, to, rules);
        }
        let name_lanes = low_bits(equals);
        let lanes = low_bits(length) & !(1 << equals);
        let x = _mm512_maskz_loadu_epi8(name_lanes, name_from.cast());
        let x = _mm512_mask_loadu_epi8(x, lanes & !name_lanes, value_from.cast());
        let encode = EncodePair::new(rules);
        let (plain, escaped) = encode.block(x, lanes);
        if escaped == 0 {
            _mm512_storeu_epi8(to.cast(), plain);
            to.add(equals).write(b'=');
            return length;
        }
        let plain = _mm512_mask_blend_epi8(1 << equals, plain, _mm512_set1_epi8(b'=' as i8));
        Expand::new(rules.rules.digits).store::<true>(plain, x, escaped, length, to, 3 * length + LANES);
        length + 2 * escaped.count_ones() as usize
    }
}

/// What encoding a pair needs in registers.
struct EncodePair {
    plain: [__m512i; 2],
}

impl EncodePair {
    #[inline(always)]
    unsafe fn new(rules: &PairRules) -> Self {
        Self { plain: [0, 64].map(|from| _mm512_loadu_epi8(rules.plain.as_ptr().add(from).cast())) }
    }

    /// What the characters become that are not escaped, and which of `lanes` are.
    #[inline(always)]
    unsafe fn block(&self, x: __m512i, lanes: u64) -> (__m512i, u64) {
        // The permutation looks at the low seven bits of its index.
        let plain = _mm512_permutex2var_epi8(self.plain[0], x, self.plain[1]);
        let escaped = _mm512_mask_test_epi8_mask(lanes, _mm512_or_si512(plain, x), _mm512_set1_epi8(ESCAPED as i8));
        (plain, escaped)
    }
}

/// Part by part, 64 bytes at a time.
///
/// # Safety
///
/// There is [`room`](super::pair::room) at `to`.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn encode_long_pair(name: &[u8], value: &[u8], to: *mut u8, rules: &PairRules) -> usize {
    let encode = EncodePair::new(rules);
    let mut written = 0;
    for (is_value, part) in [(false, name), (true, value)] {
        if is_value {
            to.add(written).write(b'=');
            written += 1;
        }
        let mut read = 0;
        while read < part.len() {
            let left = part.len() - read;
            let x = load(part.as_ptr().add(read), left);
            let (plain, escaped) = encode.block(x, low_bits(left));
            let length = left.min(LANES);
            if escaped == 0 {
                _mm512_storeu_epi8(to.add(written).cast(), plain);
            } else {
                Expand::new(rules.rules.digits).store::<true>(
                    plain,
                    x,
                    escaped,
                    length,
                    to.add(written),
                    3 * left + LANES,
                );
            }
            written += length + 2 * escaped.count_ones() as usize;
            read += length;
        }
    }
    written
}

/// Where a load starts that has these bytes in its lanes from `first` on; somewhere, if there are none.
///
/// That may be before the start of the allocation, which is why it wraps: the masked load does not access the lanes below `first`.
#[inline(always)]
fn before(bytes: &[u8], first: usize) -> *const u8 {
    // Even a load of no lanes takes long where there is no page.
    if bytes.is_empty() { FRONT.as_ptr() } else { bytes.as_ptr().wrapping_sub(first) }
}

impl MarkKernel for Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn mark<const WHAT: u8>(set: &ByteSet, text: &[u8], marks: &mut [Mark]) {
        let (start, length) = (text.as_ptr(), text.len());
        let set = Class::new(set);
        let digits = load_table(&DIGITS);
        let percents = _mm512_set1_epi8(b'%' as i8);
        marks::fill(length, marks, |at| {
            let (from, left) = (start.add(at), length - at);
            let x = if left >= LANES { _mm512_loadu_epi8(from.cast()) } else { load(from, left) };
            let percent = _mm512_cmpeq_epi8_mask(x, percents);
            if WHAT == PERCENTS {
                return percent;
            }
            let found = if WHAT == TRIPLETS_OF_OTHERS { 0 } else { set.members(x) & low_bits(left) };
            if WHAT == MEMBERS || percent == 0 {
                return found;
            }
            let window = if left >= LANES + 2 { Window::load(from) } else { Window::load_end(from, left) };
            let (valid, bytes) = window.triplets(percent, digits);
            if WHAT == TRIPLETS_OF_OTHERS { valid & !set.members(bytes) } else { found & !valid }
        });
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    unsafe fn place<I: Index>(
        marks: &[Mark],
        text: &[u8],
        places: &[I],
        base: usize,
        shift: Shift,
        placed: &mut [I],
    ) -> bool {
        marks::place(marks, text, places, base, shift, placed)
    }
}

/// The lowest `length` bits, all of them from 64.
#[inline(always)]
unsafe fn low_bits(length: usize) -> u64 {
    // The instruction looks at eight bits of the length.
    _bzhi_u64(u64::MAX, length.min(LANES) as u32)
}

/// A [`ByteSet`] in registers.
#[derive(Clone, Copy)]
struct Class {
    ascii: __m512i,
    others: __m512i,
}

impl Class {
    #[inline(always)]
    unsafe fn new(set: &ByteSet) -> Self {
        let [ascii, others] = set.rows();
        Self { ascii: broadcast(ascii), others: broadcast(others) }
    }

    #[inline(always)]
    unsafe fn members(&self, x: __m512i) -> u64 {
        // The row: a byte shuffle yields zero where the top bit of the index is set, which picks the table by itself.
        let top = _mm512_set1_epi8(0x80_u8 as i8);
        let row = _mm512_or_si512(
            _mm512_shuffle_epi8(self.ascii, x),
            _mm512_shuffle_epi8(self.others, _mm512_xor_si512(x, top)),
        );
        _mm512_test_epi8_mask(row, Self::bit(x))
    }

    /// Those of `lanes` that are members below 128: for others the shuffle yields zero, which has no bit.
    #[inline(always)]
    unsafe fn ascii_members(&self, lanes: u64, x: __m512i) -> u64 {
        _mm512_mask_test_epi8_mask(lanes, _mm512_shuffle_epi8(self.ascii, x), Self::bit(x))
    }

    /// The bit of each byte in its row.
    #[inline(always)]
    unsafe fn bit(x: __m512i) -> __m512i {
        // What the shift of words lets in from the neighbour does not matter, the table repeats every eight entries.
        let bits = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
        _mm512_permutexvar_epi8(_mm512_srli_epi16::<4>(x), bits)
    }
}

#[inline(always)]
unsafe fn broadcast(table: &[u8; 16]) -> __m512i {
    _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()))
}

#[inline(always)]
pub(super) unsafe fn load_table(table: &[u8; 64]) -> __m512i {
    _mm512_loadu_epi8(table.as_ptr().cast())
}

/// By the low six bits of a hexadecimal digit (which tell all 22 apart): the high nibble that it must have and, as the low
/// nibble, its value. For six bits that no digit has, a high nibble that cannot be.
static DIGITS: [u8; 64] = {
    let mut table = [0; 64];
    let mut slot = 0;
    while slot < 64 {
        // No byte whose low six bits are those of `slot` has this high nibble: bits 4 and 5 differ.
        table[slot] = (!slot as u8) & 0x30;
        slot += 1;
    }
    let mut value = 0;
    while value < 16 {
        let (upper, lower) = (crate::rules::UPPERCASE[value], crate::rules::LOWERCASE[value]);
        table[(upper & 63) as usize] = upper & 0xF0 | value as u8;
        table[(lower & 63) as usize] = lower & 0xF0 | value as u8;
        value += 1;
    }
    table
};

/// For each lane the one above it, and the one two above, modulo 64.
static FOLLOWING: [[u8; 64]; 2] = {
    let mut tables = [[0; 64]; 2];
    let mut lane = 0;
    while lane < 64 {
        tables[0][lane] = (lane as u8 + 1) % 64;
        tables[1][lane] = (lane as u8 + 2) % 64;
        lane += 1;
    }
    tables
};

/// A block of input and what follows each of its lanes, zero-padded.
#[derive(Clone, Copy)]
struct Window {
    x: __m512i,
    next: __m512i,
    second_next: __m512i,
}

impl Window {
    /// For who does not look ahead.
    #[inline(always)]
    fn of(x: __m512i) -> Self {
        Self { x, next: x, second_next: x }
    }

    /// Of at most 16 lanes, and zeros above them: shifts take no tables.
    #[inline(always)]
    unsafe fn of_few(x: __m512i) -> Self {
        let few = _mm512_castsi512_si128(x);
        let next = _mm512_zextsi128_si512(_mm_srli_si128::<1>(few));
        let second_next = _mm512_zextsi128_si512(_mm_srli_si128::<2>(few));
        Self { x, next, second_next }
    }

    /// # Safety
    ///
    /// `from` is valid for reads of `LANES + 2` bytes.
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        Self {
            x: _mm512_loadu_epi8(from.cast()),
            next: _mm512_loadu_epi8(from.add(1).cast()),
            second_next: _mm512_loadu_epi8(from.add(2).cast()),
        }
    }

    /// # Safety
    ///
    /// `from` is valid for reads of `length` bytes, one at least.
    #[inline(always)]
    unsafe fn load_end(from: *const u8, length: usize) -> Self {
        let x = load(from, length);
        if length <= LANES {
            // A lane takes the one above it, or two above, and the topmost ones zero.
            let next = _mm512_maskz_permutexvar_epi8(u64::MAX >> 1, load_table(&FOLLOWING[0]), x);
            let second_next = _mm512_maskz_permutexvar_epi8(u64::MAX >> 2, load_table(&FOLLOWING[1]), x);
            Self { x, next, second_next }
        } else {
            Self { x, next: load(from.add(1), length - 1), second_next: load(from.add(2), length - 2) }
        }
    }

    /// The bits of the valid triplets among those of `percent`, and the bytes they stand for. Since '%' is no digit, no two of
    /// them overlap.
    #[inline(always)]
    unsafe fn triplets(&self, percent: u64, digits: __m512i) -> (u64, __m512i) {
        let high = _mm512_permutexvar_epi8(self.next, digits);
        let low = _mm512_permutexvar_epi8(self.second_next, digits);
        // (high ^ next) | (low ^ second_next): a wrong high nibble in either leaves a bit there.
        const OR_OF_XOR: i32 = 0xF6;
        let wrong = _mm512_xor_si512(high, self.next);
        let wrong = _mm512_ternarylogic_epi64::<OR_OF_XOR>(wrong, low, self.second_next);
        let high_nibbles = _mm512_set1_epi8(0xF0_u8 as i8);
        let valid = _mm512_mask_testn_epi8_mask(percent, wrong, high_nibbles);
        // The bits of the first where those of the third are set, else those of the second: so what the shift of words lets in
        // from the neighbour goes.
        const SELECT: i32 = 0xE4;
        let bytes = _mm512_ternarylogic_epi64::<SELECT>(_mm512_slli_epi16::<4>(high), low, high_nibbles);
        (valid, bytes)
    }
}

/// The bits of the lanes that are hexadecimal digits; `digits` is [`DIGITS`].
#[inline(always)]
unsafe fn are_digits(x: __m512i, digits: __m512i) -> u64 {
    let wrong = _mm512_xor_si512(_mm512_permutexvar_epi8(x, digits), x);
    _mm512_testn_epi8_mask(wrong, _mm512_set1_epi8(0xF0_u8 as i8))
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
    unsafe fn all<const VARIANT: u8, const MODE: u8, const LENIENT: bool>(
        &self,
        tape: &Tape<'_>,
        cursor: &mut Cursor,
    ) -> Stop {
        // A run has no more blocks than there are in the input with two bytes to spare and, since a block never grows, than there
        // is room for in the output.
        loop {
            let mut run = (tape.length() - cursor.read).saturating_sub(2) / LANES;
            if MODE == WRITE {
                run = run.min((tape.capacity() - cursor.written) / LANES);
            }
            if run == 0 {
                break;
            }
            if let Some(stop) = self.run::<VARIANT, MODE, LENIENT>(tape, cursor, run) {
                return stop;
            }
        }
        while cursor.read < tape.length() {
            let left = tape.length() - cursor.read;
            let window = Window::load_end(tape.source().add(cursor.read), left);
            let length = left.min(LANES);
            let to = tape.target().wrapping_add(cursor.written);
            let room = tape.capacity().wrapping_sub(cursor.written);
            let marks = self.marks::<VARIANT, MODE>(window.x, low_bits(length), cursor);
            let stop = if marks.suspects == 0 {
                Self::pass::<MODE, false>(&marks, length, cursor, to, room)
            } else {
                self.block::<VARIANT, MODE, LENIENT, false>(window, &marks, length, cursor, to, room)
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
    /// The source has `blocks * LANES + 2` bytes from `cursor.read` on, `blocks` being 1 at least. With [`WRITE`], the target has
    /// room for `blocks * LANES` from `cursor.written` on.
    #[inline(always)]
    unsafe fn run<const VARIANT: u8, const MODE: u8, const LENIENT: bool>(
        &self,
        tape: &Tape<'_>,
        cursor: &mut Cursor,
        mut blocks: usize,
    ) -> Option<Stop> {
        let last = tape.length() - LANES - 2;
        while blocks > 0 {
            let from = tape.source().add(cursor.read);
            let marks = self.marks::<VARIANT, MODE>(_mm512_loadu_epi8(from.cast()), u64::MAX, cursor);
            if marks.suspects == 0 {
                let to = tape.target().wrapping_add(cursor.written);
                Self::pass::<MODE, true>(&marks, LANES, cursor, to, LANES);
                blocks -= 1;
                continue;
            }
            let mut window = Window::load(from);
            while blocks > 0 {
                let marks = self.marks::<VARIANT, MODE>(window.x, u64::MAX, cursor);
                if marks.suspects == 0 {
                    break;
                }
                // There is a next block exactly if it is not after the last one that could be.
                let next = Window::load(tape.source().add((cursor.read + LANES).min(last)));
                let to = tape.target().wrapping_add(cursor.written);
                let stop = self.block::<VARIANT, MODE, LENIENT, true>(window, &marks, LANES, cursor, to, LANES);
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
    unsafe fn marks<const VARIANT: u8, const MODE: u8>(&self, x: __m512i, lanes: u64, cursor: &Cursor) -> Marks {
        let percent = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'%' as i8));
        let mut plain = x;
        let mut plus = 0;
        if VARIANT & PLUS != 0 {
            plus = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'+' as i8));
            plain = _mm512_mask_blend_epi8(plus, plain, _mm512_set1_epi8(b' ' as i8));
        }
        let mut suspects = percent | cursor.carry;
        if VARIANT & KEEP != 0 {
            suspects |= cursor.uppercase | cursor.completing;
        }
        if MODE == SCAN {
            suspects |= plus;
        }
        if VARIANT & REJECT != 0 {
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
    unsafe fn pass<const MODE: u8, const WHOLE: bool>(
        marks: &Marks,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        if MODE == WRITE && !store::<WHOLE>(marks.plain, length, to, room) {
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
    /// With [`WRITE`], `to` is valid for writes of `room` bytes. If the block is `WHOLE`, that is `LANES` at least.
    #[inline(always)]
    unsafe fn block<const VARIANT: u8, const MODE: u8, const LENIENT: bool, const WHOLE: bool>(
        &self,
        window: Window,
        marks: &Marks,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        let Marks { percent, plus, plain, .. } = *marks;
        let lanes = if WHOLE { u64::MAX } else { low_bits(length) };
        let (valid, bytes) = window.triplets(percent, self.digits);
        let mut decoded = if VARIANT & UPPERCASE != 0 {
            self.decodable.ascii_members(valid, bytes)
        } else if VARIANT & KEEP != 0 {
            valid & !self.keep.members(bytes)
        } else {
            valid
        };
        let malformed = percent & !valid;
        if VARIANT & KEEP != 0 && self.creates_no_triplets && (malformed | cursor.completing) != 0 {
            let before_digit = are_digits(window.next, self.digits);
            let (next, second_next) = (malformed & !before_digit, malformed & before_digit);
            let completing = cursor.completing | next << 1 | second_next << 2;
            cursor.completing = next >> 63 | second_next >> 62;
            decoded &= !(completing & are_digits(bytes, self.digits));
        }
        let mut output = _mm512_mask_blend_epi8(decoded, plain, bytes);
        let mut lowercase = 0;
        if VARIANT & UPPERCASE != 0 {
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
        let malformed = if !LENIENT && self.strict { malformed } else { 0 };
        let rejected = if VARIANT & REJECT != 0 { self.reject.members(output) & kept } else { 0 };
        let changed = if MODE == SCAN { decoded | plus | lowercase } else { 0 };
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
        if MODE == WRITE {
            // Never straight to memory: that is 17 times slower on Zen 4.
            let compressed = _mm512_maskz_compress_epi8(kept, output);
            if !store::<WHOLE>(compressed, count, to, room) {
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

#[cold]
unsafe fn lane(x: __m512i, lane: usize) -> u8 {
    let mut lanes = [0; LANES];
    _mm512_storeu_epi8(lanes.as_mut_ptr().cast(), x);
    lanes[lane]
}

/// Stores the lowest `length` lanes, or nothing if there is no room for them; a `WHOLE` block stores all 64 and asks nothing.
///
/// A masked store that reaches into a page that was never written is a hundred times slower than another, even if the mask keeps
/// it out of there, so near the end of a page it is the topmost lanes that are stored, and those below them kept out.
///
/// Those stores begin before `to`, perhaps before the start of the allocation. So the pointer wraps, and none of the bytes before `to` is
/// accessed: a masked store writes the lanes of its mask only, and suppresses faults of the others. (tests/bounds.rs has outputs that
/// begin and end at an unreadable page.)
///
/// # Safety
///
/// `to` is valid for writes of `room` bytes, which are `LANES` at least if `WHOLE`.
#[inline(always)]
unsafe fn store<const WHOLE: bool>(x: __m512i, length: usize, to: *mut u8, room: usize) -> bool {
    if WHOLE || room >= LANES {
        _mm512_storeu_epi8(to.cast(), x);
    } else if length > room {
        return false;
    } else if is_within_page(to) {
        _mm512_mask_storeu_epi8(to.cast(), low_bits(length), x);
    } else {
        let below = LANES - length;
        let x = _mm512_permutexvar_epi8(lane_numbers(below.wrapping_neg()), x);
        _mm512_mask_storeu_epi8(to.wrapping_sub(below).cast(), !low_bits(below), x);
    }
    true
}

/// Whether 64 bytes from here lie within one page, of which the smallest have 4 KiB.
#[inline(always)]
fn is_within_page(start: *const u8) -> bool {
    start.addr() % 4096 <= 4096 - LANES
}

/// The first `length` bytes, 64 at most, and zeros. As with stores, a masked load that reaches into a page that is not there is
/// far slower than another, so near the end of a page they are loaded to the topmost lanes, from a pointer that wraps, as in [`store`].
///
/// # Safety
///
/// `from` is valid for reads of `length` bytes, if that is not above 64.
#[inline(always)]
pub(super) unsafe fn load(from: *const u8, length: usize) -> __m512i {
    // From masked loads alone, the machine does not learn to fetch ahead: the short strings of a text that is not in the cache would
    // each wait for memory. What is only a hint may point anywhere.
    _mm_prefetch::<_MM_HINT_T0>(from.cast());
    if is_within_page(from) {
        _mm512_maskz_loadu_epi8(low_bits(length), from.cast())
    } else {
        let length = length.min(LANES);
        let below = LANES - length;
        let x = _mm512_maskz_loadu_epi8(!low_bits(below), from.wrapping_sub(below).cast());
        _mm512_maskz_permutexvar_epi8(low_bits(length), lane_numbers(below), x)
    }
}

/// The number of each lane and so many more, modulo 256.
#[inline(always)]
pub(super) unsafe fn lane_numbers(more: usize) -> __m512i {
    static LANE_NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut lane = 0;
        while lane < 64 {
            numbers[lane] = lane as u8;
            lane += 1;
        }
        numbers
    };
    _mm512_add_epi8(load_table(&LANE_NUMBERS), _mm512_set1_epi8(more as i8))
}

/// [`report::RAW`] for each byte below 128.
static RAW: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = report::RAW.of(byte as u8);
        byte += 1;
    }
    table
};

/// What is asked of [`report::CATEGORIES`]: the bytes below 128.
static CATEGORIES: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = report::CATEGORIES[byte];
        byte += 1;
    }
    table
};

/// Something for each byte below 128, in registers.
#[derive(Clone, Copy)]
struct AsciiTable([__m512i; 2]);

impl AsciiTable {
    #[inline(always)]
    unsafe fn new(table: &'static [u8; 128]) -> Self {
        Self([0, 64].map(|from| _mm512_loadu_epi8(table.as_ptr().add(from).cast())))
    }

    /// The entries of those of `lanes` that are below 128, else zero.
    #[inline(always)]
    unsafe fn lookup(self, lanes: u64, x: __m512i) -> __m512i {
        let ascii = _mm512_mask_testn_epi8_mask(lanes, x, _mm512_set1_epi8(i8::MIN));
        _mm512_maskz_permutex2var_epi8(ascii, self.0[0], x, self.0[1])
    }
}

/// What inspection needs in registers.
struct Inspect {
    digits: __m512i,
    raw: AsciiTable,
    categories: AsciiTable,
}

/// Where the notes of an inspection go.
struct Notes<'a> {
    /// How the lowest lanes of the next block continue a triplet of the last one: bits 0 and 1.
    carry: u64,
    seen: Seen,
    report: &'a mut Report,
    /// The parts of the extract: apart, so that they are in registers.
    text: *mut u8,
    length: usize,
    is_open: bool,
}

impl Notes<'_> {
    /// Notes in the extract that something that is ASCII follows.
    #[inline(always)]
    unsafe fn separate(&mut self) {
        self.text.add(self.length).write(b' ');
        self.length += usize::from(self.is_open);
        self.is_open = false;
    }
}

/// What was found in any lane so far.
struct Seen {
    /// The union of the bytes.
    bytes: __m512i,
    /// The union of what was extracted.
    text: __m512i,
    /// The union of [`report::RAW`].
    raw: __m512i,
    /// The greatest digits of triplets.
    digits: __m512i,
    /// The union of [`report::CATEGORIES`].
    categories: __m512i,
    /// Where, modulo 64.
    escape: u64,
    malformed: u64,
}

impl Seen {
    #[inline(always)]
    unsafe fn nothing() -> Self {
        let zero = _mm512_setzero_si512();
        Self { bytes: zero, text: zero, raw: zero, digits: zero, categories: zero, escape: 0, malformed: 0 }
    }

    #[inline(always)]
    unsafe fn note(&self, report: &mut Report) {
        let union =
            |x| (_mm512_reduce_or_epi64(x) as u64).to_le_bytes().into_iter().fold(0, |union, lane| union | lane);
        report.note_raw(union(self.raw), _mm512_movepi8_mask(self.bytes) != 0);
        report.note::<false>(report::ESCAPE, self.escape, 0);
        report.note::<false>(report::MALFORMED, self.malformed, 0);
        report.note::<false>(report::LOWER_HEX, lowercase(self.digits), 0);
        report.note_categories(union(self.categories));
    }
}

/// Of digits, which ones are lower-case letters: they alone come from 'a' on.
#[inline(always)]
unsafe fn lowercase(digits: __m512i) -> u64 {
    _mm512_cmpge_epu8_mask(digits, _mm512_set1_epi8(b'a' as i8))
}

impl Inspect {
    #[inline(always)]
    unsafe fn new() -> Self {
        Self { digits: load_table(&DIGITS), raw: AsciiTable::new(&RAW), categories: AsciiTable::new(&CATEGORIES) }
    }

    /// Notes what the lanes of `lanes` hold; the others are zero. `window` is asked for what follows them unless all
    /// are ASCII without a triplet. With `COUNT` it goes to the report, else to what was seen.
    ///
    /// # Safety
    ///
    /// The extract has room for [`LANES`] bytes.
    #[inline(always)]
    unsafe fn block<const COUNT: bool>(
        &self,
        x: __m512i,
        window: impl Fn() -> Window,
        lanes: u64,
        at: usize,
        notes: &mut Notes<'_>,
    ) {
        let raw = self.raw.lookup(lanes, x);
        if COUNT {
            let has = |bits: u8| _mm512_test_epi8_mask(raw, _mm512_set1_epi8(bits as i8));
            let non_ascii = _mm512_movepi8_mask(x);
            notes.report.note::<true>(report::PLUS, has(report::RAW_PLUS), at);
            notes.report.note::<true>(report::NON_ASCII, non_ascii, at);
            notes.report.note::<true>(report::ILLEGAL, has(report::RAW_ILLEGAL) | non_ascii, at);
        } else {
            notes.seen.bytes = _mm512_or_si512(notes.seen.bytes, x);
            notes.seen.raw = _mm512_or_si512(notes.seen.raw, raw);
        }
        let percent = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'%' as i8));
        if percent | _mm512_movepi8_mask(x) | notes.carry == 0 {
            notes.separate();
            return;
        }
        // A block without '%' is taken as one with: what asks would seldom be foreseen.
        let window = window();
        let (escapes, bytes) = window.triplets(percent, self.digits);
        let text = _mm512_mask_blend_epi8(escapes, x, bytes);
        let digits = _mm512_max_epu8(window.next, window.second_next);
        let categories = self.categories.lookup(escapes, bytes);
        if COUNT {
            let report = &mut *notes.report;
            report.note::<true>(report::ESCAPE, escapes, at);
            report.note::<true>(report::MALFORMED, percent & !escapes, at);
            report.note::<true>(report::LOWER_HEX, escapes & lowercase(digits), at);
            for bit in 0..report::CATEGORY_BITS {
                let places = _mm512_test_epi8_mask(categories, _mm512_set1_epi8(1 << bit));
                report.note::<true>(report::NUL + bit, places, at);
            }
        } else {
            let seen = &mut notes.seen;
            seen.escape |= escapes;
            seen.malformed |= percent & !escapes;
            seen.digits = _mm512_mask_max_epu8(seen.digits, escapes, seen.digits, digits);
            seen.categories = _mm512_or_si512(seen.categories, categories);
        }
        let kept = !(escapes << 1 | escapes << 2 | notes.carry) & lanes;
        notes.carry = escapes >> 62 | escapes >> 63;
        // All of the text, without asking whether any of it matters: most blocks with a '%' are among others like them.
        _mm512_storeu_epi8(notes.text.add(notes.length).cast(), _mm512_maskz_compress_epi8(kept, text));
        notes.length += kept.count_ones() as usize;
        notes.is_open = true;
        notes.seen.text = _mm512_or_si512(notes.seen.text, text);
    }
}

/// Where a group's bytes go, three lanes each: `FIRST_LANES` has the first lane of each byte.
const FIRST_LANES: u64 = 0x1249_2492_4924_9249;
const THIRD_LANES: u64 = FIRST_LANES << 2;

/// For each lane of an expanded group where its byte comes from: the first lane of each three from the characters, the second
/// from the high digits, which are the other register.
static FRONT: [u8; 64] = {
    let mut table = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        table[lane] = (lane / 3 + if lane % 3 == 1 { LANES } else { 0 }) as u8;
        lane += 1;
    }
    table
};

/// What encoding needs in registers.
struct Encode {
    escape: Class,
    triplet_digits: __m512i,
    expand: Expand,
}

impl Encode {
    #[inline(always)]
    unsafe fn new(rules: &EncodeRules) -> Self {
        Self {
            escape: Class::new(rules.escape()),
            triplet_digits: load_table(&DIGITS),
            expand: Expand::new(rules.digits),
        }
    }

    #[inline(always)]
    unsafe fn all<const VARIANT: u8, const MODE: u8>(&self, tape: &Tape<'_>, cursor: &mut Cursor) -> Stop {
        let lookahead = if VARIANT & KEEP != 0 { 2 } else { 0 };
        // A run has no more blocks than there are in the input with the lookahead to spare, and than there is room for in the
        // output if each grows threefold and the last stores all it may.
        let mut is_dirty = false;
        loop {
            let mut run = (tape.length() - cursor.read).saturating_sub(lookahead) / LANES;
            if MODE == WRITE {
                run = run.min((tape.capacity() - cursor.written) / (3 * LANES));
            }
            if run == 0 {
                break;
            }
            while run != 0 {
                let group = run.min(GROUP_BLOCKS);
                run -= group;
                let stop = if MODE == WRITE && is_dirty {
                    self.group::<VARIANT, MODE, true>(tape, cursor, group)
                } else {
                    self.group::<VARIANT, MODE, false>(tape, cursor, group)
                };
                if let Some(stop) = stop {
                    return stop;
                }
                is_dirty = cursor.dirty_blocks >= DIRTY_BLOCKS;
            }
        }
        while cursor.read < tape.length() {
            let left = tape.length() - cursor.read;
            let from = tape.source().add(cursor.read);
            let window = if VARIANT & KEEP != 0 { Window::load_end(from, left) } else { Window::of(load(from, left)) };
            let to = tape.target().wrapping_add(cursor.written);
            let room = tape.capacity().wrapping_sub(cursor.written);
            if let Some(stop) = self.block::<VARIANT, MODE, false, false>(window, left.min(LANES), cursor, to, room) {
                return stop;
            }
        }
        Stop::End
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
            let from = tape.source().add(cursor.read);
            let window =
                if VARIANT & KEEP != 0 { Window::load(from) } else { Window::of(_mm512_loadu_epi8(from.cast())) };
            let to = tape.target().wrapping_add(cursor.written);
            let stop = self.block::<VARIANT, MODE, true, DIRTY>(window, LANES, cursor, to, ROOM);
            if stop.is_some() {
                return stop;
            }
        }
        None
    }

    /// Encodes the lowest `length` lanes of a window; the others are zero. Without [`KEEP`], what follows the lanes of the window
    /// is not looked at. A dirty whole block is encoded up to [`DIRTY_LANES`].
    ///
    /// # Safety
    ///
    /// With [`WRITE`], `to` is valid for writes of `room` bytes. If the block is `WHOLE`, that is [`ROOM`] at least.
    #[inline(always)]
    unsafe fn block<const VARIANT: u8, const MODE: u8, const WHOLE: bool, const DIRTY: bool>(
        &self,
        window: Window,
        length: usize,
        cursor: &mut Cursor,
        to: *mut u8,
        room: usize,
    ) -> Option<Stop> {
        let lanes = if WHOLE { u64::MAX } else { low_bits(length) };
        let mut plain = window.x;
        let mut spaces = 0;
        if VARIANT & PLUS != 0 {
            spaces = _mm512_cmpeq_epi8_mask(window.x, _mm512_set1_epi8(b' ' as i8));
            plain = _mm512_mask_blend_epi8(spaces, plain, _mm512_set1_epi8(b'+' as i8));
        }
        let mut escaped = self.escape.members(window.x) & lanes;
        let mut kept = 0;
        if VARIANT & KEEP != 0 {
            let percent = _mm512_cmpeq_epi8_mask(window.x, _mm512_set1_epi8(b'%' as i8));
            if percent | cursor.carry != 0 {
                kept = window.triplets(percent, self.triplet_digits).0;
                escaped &= !(kept | kept << 1 | kept << 2 | cursor.carry);
            }
        }
        if MODE == SCAN && escaped | spaces != 0 {
            cursor.read += (escaped | spaces).trailing_zeros() as usize;
            return Some(Stop::Change);
        }
        let mut advance = length;
        if MODE == WRITE && (DIRTY || escaped != 0) {
            cursor.dirty_blocks += u32::from(!DIRTY || escaped != 0);
            if WHOLE {
                advance = DIRTY_LANES;
                escaped &= low_bits(DIRTY_LANES);
            }
            if !self.expand.store::<WHOLE>(plain, window.x, escaped, advance, to, room) {
                return Some(Stop::Full);
            }
        } else if MODE == WRITE && !store::<WHOLE>(plain, length, to, room) {
            return Some(Stop::Full);
        }
        if VARIANT & KEEP != 0 {
            // The triplets that begin in the last two lanes end in the next block.
            let last = kept >> (advance - 1) & 1;
            let last_but_one = if advance > 1 { kept >> (advance - 2) & 1 } else { 0 };
            cursor.carry = last << 1 | last | last_but_one;
        }
        cursor.read += advance;
        cursor.written = cursor.written.saturating_add(advance + 2 * escaped.count_ones() as usize);
        None
    }
}

/// What stores triplets, in registers.
struct Expand {
    digits: __m512i,
    front: __m512i,
}

impl Expand {
    #[inline(always)]
    unsafe fn new(digits: &[u8; 16]) -> Self {
        Self { digits: broadcast(digits), front: load_table(&FRONT) }
    }

    /// Stores the lowest `length` lanes, those of `escaped` as triplets: three lanes for each, of which those that count are
    /// compressed, always in a register.
    ///
    /// # Safety
    ///
    /// `to` is valid for writes of `room` bytes. If `WHOLE`, of three times `length` and [`LANES`], and what is stored behind what
    /// counts may be anything; so for up to [`GROUP`] lanes, [`LANES`] are enough.
    #[inline(always)]
    unsafe fn store<const WHOLE: bool>(
        &self,
        plain: __m512i,
        x: __m512i,
        escaped: u64,
        length: usize,
        to: *mut u8,
        room: usize,
    ) -> bool {
        // The permutations look at the low six bits of their index: four of a digit, and two that do not matter since the table
        // repeats.
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
            if !WHOLE {
                counted &= low_bits(3 * (length - from));
            }
            let compressed = _mm512_maskz_compress_epi8(counted, lanes);
            let count = counted.count_ones() as usize;
            if !store::<WHOLE>(compressed, count, to.wrapping_add(at), room.wrapping_sub(at)) {
                return false;
            }
            at += count;
            from += GROUP;
        }
        true
    }
}

//! Inspection of the rows of a column.
//!
//! [`inspect`](super::inspect) spends more on a short string than on its block: it sets up tables
//! and reduces the lanes of three registers to a byte each. Here the tables stay in registers, all
//! kinds of a byte or triplet are bits of two class bytes, and the lanes of four rows are reduced
//! together. The only branch on the content is for blocks without `%` and non-ASCII bytes.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/columns.rs, tests/bounds.rs and tests/guarded_heap.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::block::Window;
use super::inspect::Tables;
use super::memory::low_bits;
use crate::kernel::inspection::{self, Extract};

/// Rows whose lanes are reduced together.
const GROUP: usize = 4;

/// The bit of a kind in the first class byte, which has the kinds before [`inspection::NUL`], and
/// those from [`inspection::SEMICOLON`] on, shifted down by [`BETWEEN`]. The kinds between them are
/// in the second class byte, as in [`inspection::CATEGORIES`].
const fn bit(kind: usize) -> u8 {
    1 << if kind < inspection::NUL { kind } else { kind - BETWEEN }
}

/// The number of kinds in [`inspection::CATEGORIES`].
const BETWEEN: usize = inspection::CATEGORY_BITS;

/// The first class byte of each raw ASCII byte.
static RAW: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        let raw = inspection::RAW.of(byte as u8);
        table[byte] = if raw & inspection::RAW_ILLEGAL != 0 {
            bit(inspection::ILLEGAL)
        } else if raw & inspection::RAW_PLUS != 0 {
            bit(inspection::PLUS)
        } else if raw & inspection::RAW_SEMICOLON != 0 {
            bit(inspection::SEMICOLON)
        } else {
            0
        };
        byte += 1;
    }
    table
};

/// See [`InspectRows`](crate::kernel::InspectRows).
#[inline(always)]
pub(super) unsafe fn inspect_rows(text: &[u8], ends: &mut [u16], extract: &mut Extract, found: &mut [u32]) {
    let tables = Tables::new(&RAW);
    let (start, length) = (text.as_ptr(), text.len());
    let last = length.min(inspection::ROWS_CHUNK);
    let extracted: *mut u8 = extract.buffer.as_mut_ptr().cast();
    let (mut at, mut to) = (0, extracted);
    for (ends, found) in ends.chunks_mut(GROUP).zip(found.chunks_mut(GROUP)) {
        let mut classes = [_mm512_setzero_si512(); GROUP];
        for (place, classes) in ends.iter_mut().zip(&mut classes) {
            let end = usize::from(*place).min(last).max(at);
            let (from, left) = (start.add(at), end - at);
            let row = if left <= LANES && length - at >= LANES + 2 {
                let lanes = low_bits(left);
                // The look-ahead may be of the next row, in which no triplet of this one ends.
                let window = Window { x: _mm512_maskz_loadu_epi8(lanes, from.cast()), ..Window::load(from) };
                let mut row = Row::new(to);
                tables.row_block(window, lanes, lanes >> 2, &mut row);
                row
            } else {
                inspect_blocks(from, left, to)
            };
            at = end;
            // ASCII is well-formed, and overwritten. The space ends an incomplete character.
            row.text.write(b' ');
            to = if row.non_ascii == 0 { to } else { row.text.add(1) };
            *place = to.offset_from(extracted) as u16;
            *classes = row.classes();
        }
        for (found, kinds) in found.iter_mut().zip(kinds_of(classes)) {
            *found = kinds;
        }
    }
    (extract.length, extract.is_open) = (to.offset_from(extracted) as usize, false);
}

/// Inspects a row of any length.
///
/// # Safety
///
/// `from` is valid for reads of `length` bytes, `to` for writes of `length + LANES` bytes.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
unsafe fn inspect_blocks(from: *const u8, length: usize, to: *mut u8) -> Row {
    let tables = Tables::new(&RAW);
    let mut row = Row::new(to);
    let mut at = 0;
    while at < length {
        let left = length - at;
        let window = if left >= LANES + 2 { Window::load(from.add(at)) } else { Window::load_end(from.add(at), left) };
        tables.row_block(window, low_bits(left), u64::MAX, &mut row);
        at += LANES;
    }
    row
}

impl Tables {
    /// Adds a block to a row. `lanes` are those of the row, the others are zero; a triplet may
    /// begin in those of `begins`.
    ///
    /// # Safety
    ///
    /// The row's text has room for [`LANES`] bytes.
    #[inline(always)]
    unsafe fn row_block(&self, window: Window, lanes: u64, begins: u64, row: &mut Row) {
        let x = window.x;
        let percent = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'%' as i8));
        let non_ascii = _mm512_movepi8_mask(x);
        let mut classes = self.raw.lookup(lanes, x);
        if percent | non_ascii == 0 {
            row.first = _mm512_or_si512(row.first, classes);
            row.carry = 0;
            // In place of the block: it may follow an incomplete character.
            row.text.write(b' ');
            row.text = row.text.add(1);
            return;
        }
        let (escapes, bytes) = window.triplets(percent & begins, self.digits);
        let text = _mm512_mask_blend_epi8(escapes, x, bytes);
        let digits = _mm512_max_epu8(window.next, window.second_next);
        let lower = _mm512_mask_cmpge_epu8_mask(escapes, digits, _mm512_set1_epi8(b'a' as i8));
        let semicolons = _mm512_mask_cmpeq_epi8_mask(escapes, bytes, _mm512_set1_epi8(b';' as i8));
        // The kinds of a lane are different bits, so they may be added.
        let add = |classes, lanes, kind| _mm512_mask_add_epi8(classes, lanes, classes, _mm512_set1_epi8(kind as i8));
        classes = add(classes, non_ascii, bit(inspection::NON_ASCII) | bit(inspection::ILLEGAL));
        classes = add(classes, percent & !escapes, bit(inspection::MALFORMED));
        classes = add(classes, escapes, bit(inspection::ESCAPE));
        classes = add(classes, lower, bit(inspection::LOWER_HEX));
        classes = add(classes, semicolons, bit(inspection::SEMICOLON));
        row.first = _mm512_or_si512(row.first, classes);
        row.second = _mm512_or_si512(row.second, self.categories.lookup(escapes, bytes));
        let kept = !(escapes << 1 | escapes << 2 | row.carry) & lanes;
        row.carry = escapes >> 62 | escapes >> 63;
        _mm512_storeu_epi8(row.text.cast(), _mm512_maskz_compress_epi8(kept, text));
        row.text = row.text.add(kept.count_ones() as usize);
        row.non_ascii |= _mm512_movepi8_mask(text);
    }
}

/// The state of the inspection of a row.
struct Row {
    /// The union of the first class bytes.
    first: __m512i,
    /// The union of the second class bytes.
    second: __m512i,
    /// Bits 0 and 1: lanes of the next block that are digits of this block's last triplets.
    carry: u64,
    /// The end of the decoded text.
    text: *mut u8,
    /// The non-ASCII lanes of the decoded text, of any block.
    non_ascii: u64,
}

impl Row {
    #[inline(always)]
    unsafe fn new(text: *mut u8) -> Self {
        let zero = _mm512_setzero_si512();
        Self { first: zero, second: zero, carry: 0, text, non_ascii: 0 }
    }

    /// The union of the first class bytes in the lower half of the lanes, that of the second ones
    /// in the upper half.
    #[inline(always)]
    unsafe fn classes(&self) -> __m512i {
        let lower = _mm512_shuffle_i64x2::<0b01_00_01_00>(self.first, self.second);
        let upper = _mm512_shuffle_i64x2::<0b11_10_11_10>(self.first, self.second);
        _mm512_or_si512(lower, upper)
    }
}

/// The bitmasks of the kinds of rows, given [`Row::classes`].
#[inline(always)]
unsafe fn kinds_of([a, b, c, d]: [__m512i; GROUP]) -> [u32; GROUP] {
    // A quarter of the lanes for each class byte of two rows.
    let quarters = |one, other| {
        let even = _mm512_shuffle_i64x2::<0b10_00_10_00>(one, other);
        let odd = _mm512_shuffle_i64x2::<0b11_01_11_01>(one, other);
        _mm512_or_si512(even, odd)
    };
    let (ab, cd) = (quarters(a, b), quarters(c, d));
    // Eight lanes for each class byte: a and c, first and second, then b and d.
    let mut union = _mm512_or_si512(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    union = _mm512_or_si512(union, _mm512_srli_epi64::<32>(union));
    union = _mm512_or_si512(union, _mm512_srli_epi64::<16>(union));
    union = _mm512_or_si512(union, _mm512_srli_epi64::<8>(union));
    let bytes = _mm_cvtsi128_si64(_mm512_cvtepi64_epi8(union)) as u64;
    [(0, 2), (4, 6), (1, 3), (5, 7)].map(|(first, second)| {
        let byte = |number: u32| (bytes >> (8 * number)) as u32 & 0xFF;
        const LOW: u32 = (1 << inspection::NUL) - 1;
        byte(first) & LOW | byte(second) << inspection::NUL | (byte(first) & !LOW) << BETWEEN
    })
}

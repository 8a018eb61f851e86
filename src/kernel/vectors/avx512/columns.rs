//! Rank bitmaps of set members or triplets, for the rows of a column.
//!
//! # Safety
//!
//! As in the parent module. Tested in tests/bounds.rs, tests/guarded_heap.rs and
//! tests/differential.rs.

use core::arch::x86_64::*;

use super::LANES;
use super::block::{DIGITS, Window};
use super::memory::{load, load_table, low_bits};
use super::search::Class;
use crate::byteset::ByteSet;
use crate::kernel::rank::{RankBlock, Selection};
use crate::kernel::vectors::rank::{self, Select};

#[inline(always)]
pub(super) unsafe fn mark<S: Select>(set: &ByteSet, text: &[u8], marks: &mut [RankBlock]) {
    let (start, length) = (text.as_ptr(), text.len());
    let set = Class::new(set);
    let digits = load_table(&DIGITS);
    let percents = _mm512_set1_epi8(b'%' as i8);
    rank::fill(length, marks, |at| {
        let (from, left) = (start.add(at), length - at);
        let x = if left >= LANES { _mm512_loadu_epi8(from.cast()) } else { load(from, left) };
        let percent = _mm512_cmpeq_epi8_mask(x, percents);
        if S::SELECTION == Selection::Percents {
            return percent;
        }
        let finds_triplets = S::SELECTION == Selection::TripletsOfOthers;
        let found = if finds_triplets { 0 } else { set.members(x) & low_bits(left) };
        if S::SELECTION == Selection::Members || percent == 0 {
            return found;
        }
        let window = if left >= LANES + 2 { Window::load(from) } else { Window::load_end(from, left) };
        let (valid, bytes) = window.triplets(percent, digits);
        if finds_triplets { valid & !set.members(bytes) } else { found & !valid }
    });
}

//! Members of a set: the first one, their number, and their bitmask in 64 bytes.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;
use crate::kernel::inout::InOut;
use crate::kernel::swar;

pub(crate) fn find(set: &ByteSet, haystack: &[u8]) -> Option<usize> {
    Rows::of(set).find(InOut::source_only(haystack))
}

pub(crate) fn count(set: &ByteSet, haystack: &[u8]) -> usize {
    Rows::of(set).count(InOut::source_only(haystack))
}

pub(crate) fn members(set: &ByteSet, haystack: &[u8]) -> u64 {
    let rows = Rows::of(set);
    let length = haystack.len();
    let Some(last) = haystack.last_chunk() else {
        // The bytes after the end are replaced by letters, which pass the test of `surely_none`.
        let (word, _) = swar::load(haystack);
        return rows.members(word | ALL_LETTERS << (8 * length)) & ((1 << length) - 1);
    };
    let (words, rest) = haystack.as_chunks::<8>();
    let mut members = 0;
    for (at, word) in words.iter().enumerate() {
        members |= rows.members(u64::from_le_bytes(*word)) << (8 * at);
    }
    if !rest.is_empty() {
        // The last word overlaps the one before; the union is the same.
        members |= rows.members(u64::from_le_bytes(*last)) << (length - 8);
    }
    members
}

/// A set as a row of 16 bits per low nibble. Building it takes a few instructions.
pub(super) struct Rows {
    pub(super) rows: [[u8; 2]; 16],
    /// Whether no ASCII letter or digit is a member, as in all predefined sets.
    pub(super) alphanumeric_is_plain: bool,
}

impl Rows {
    #[inline(always)]
    pub(super) fn of(set: &ByteSet) -> Self {
        let [low, high] = set.rows();
        // Written so that compilers emit an interleave of two registers.
        let mut rows = [[0; 2]; 16];
        for ((row, low), high) in rows.iter_mut().zip(low).zip(high) {
            *row = [*low, *high];
        }
        Self { rows, alphanumeric_is_plain: set.is_disjoint(&ByteSet::ALPHANUMERIC) }
    }

    /// 1 if the byte is a member, else 0.
    #[inline(always)]
    pub(super) fn class(&self, byte: u8) -> u32 {
        u32::from(u16::from_le_bytes(self.rows[usize::from(byte & 15)])) >> (byte >> 4) & 1
    }

    /// Conservative SWAR test: true only if none of the eight bytes is a member.
    #[inline(always)]
    pub(super) fn surely_none(&self, word: u64) -> bool {
        self.alphanumeric_is_plain && swar::is_alphanumeric(word)
    }

    /// The bitmask of the members in eight bytes. Bit *i* is byte *i*.
    #[inline(always)]
    pub(super) fn members(&self, word: u64) -> u64 {
        if self.surely_none(word) {
            return 0;
        }
        (0..8).fold(0, |members, lane| members | u64::from(self.class((word >> (8 * lane)) as u8)) << lane)
    }

    #[inline(always)]
    pub(super) fn find(&self, io: InOut<'_>) -> Option<usize> {
        let mut at = 0;
        while let Some(bytes) = io.read::<8>(at) {
            let members = self.members(u64::from_le_bytes(bytes));
            if members != 0 {
                return Some(at + members.trailing_zeros() as usize);
            }
            at += 8;
        }
        while let Some([byte]) = io.read(at) {
            if self.class(byte) != 0 {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    #[inline(always)]
    pub(super) fn count(&self, io: InOut<'_>) -> usize {
        let (mut at, mut count) = (0, 0);
        while let Some(bytes) = io.read::<8>(at) {
            count += bytes.iter().map(|&byte| self.class(byte)).sum::<u32>() as usize;
            at += 8;
        }
        while let Some([byte]) = io.read(at) {
            count += self.class(byte) as usize;
            at += 1;
        }
        count
    }
}

/// Eight letters.
pub(super) const ALL_LETTERS: u64 = u64::from_le_bytes([b'a'; 8]);

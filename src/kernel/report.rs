//! `Report`: what kernels note of what a string holds.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;
use crate::sets;

/// Kinds of findings, by their bit in [`Report::found`] and their place in its tables.
pub(crate) const ESCAPE: usize = 0;
pub(crate) const PLUS: usize = 1;
pub(crate) const MALFORMED: usize = 2;
/// From here on what triplets stand for, in the order of the bits of [`CATEGORIES`].
pub(crate) const NUL: usize = 3;
pub(crate) const CONTROL: usize = 4;
pub(crate) const SLASH: usize = 5;
pub(crate) const BACKSLASH: usize = 6;
pub(crate) const DOT: usize = 7;
pub(crate) const PERCENT: usize = 8;
pub(crate) const UNRESERVED: usize = 9;
pub(crate) const LOWER_HEX: usize = 10;
pub(crate) const NON_ASCII: usize = 11;
pub(crate) const ILLEGAL: usize = 12;
pub(crate) const INVALID_UTF8: usize = 13;
pub(crate) const KINDS: usize = 14;

/// What was found so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    /// A bit for each kind.
    found: u32,
    /// How often; only kept when counting.
    counts: [usize; KINDS],
    /// Where first, among those counted.
    first: [usize; KINDS],
    /// Offset in the input of what is being looked at.
    pub(crate) base: usize,
}

impl Report {
    /// Notes findings of a kind: the bits of `places` count from the offset `at`.
    #[inline(always)]
    pub(crate) fn note<const COUNT: bool>(&mut self, kind: usize, places: u64, at: usize) {
        self.found |= u32::from(places != 0) << kind;
        if COUNT && places != 0 {
            if self.counts[kind] == 0 {
                // `at` may count backwards from the base.
                self.first[kind] = self.base.wrapping_add(at) + places.trailing_zeros() as usize;
            }
            self.counts[kind] += places.count_ones() as usize;
        }
    }

    /// Notes the union of what triplets stand for, without counting.
    #[inline(always)]
    pub(crate) fn note_categories(&mut self, categories: u8) {
        self.found |= u32::from(categories) << NUL;
    }

    /// Notes what was counted otherwise, and where the first of it is in the input.
    pub(crate) fn note_counted(&mut self, kind: usize, count: usize, first: usize) {
        self.found |= 1 << kind;
        (self.counts[kind], self.first[kind]) = (count, first);
    }

    /// The kinds, a bit for each.
    pub(crate) fn kinds(&self) -> u16 {
        self.found as u16
    }

    /// How often, and where first.
    pub(crate) fn tables(&self) -> ([usize; KINDS], [usize; KINDS]) {
        (self.counts, self.first)
    }
}

/// The most that is inspected at a time.
pub(crate) const CHUNK: usize = 2048;

/// The decoded text of a chunk as far as it matters to whether it is well-formed: without most of what is ASCII, but for a byte of
/// it wherever there was some between others.
pub(crate) struct Extract {
    /// Room for an unfinished character, a chunk, and whole registers behind them.
    pub(crate) buffer: [u8; 3 + CHUNK + 64],
    pub(crate) length: usize,
    /// Whether a character may be unfinished at the end.
    pub(crate) is_open: bool,
}

impl Extract {
    pub(crate) const EMPTY: Self = Self { buffer: [0; 3 + CHUNK + 64], length: 0, is_open: false };

    /// Notes that something that is ASCII follows.
    #[inline(always)]
    pub(crate) fn separate(&mut self) {
        if self.is_open {
            self.push(b' ');
            self.is_open = false;
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.buffer[self.length] = byte;
        self.length += 1;
    }
}

/// Raw bytes that no URI may hold (RFC 3986 2): all but reserved and unreserved characters and '%'.
pub(crate) const ILLEGAL_BYTES: ByteSet = sets::URI.without(b'%');

/// Raw bytes that are findings. Without one of these, nothing is found.
pub(crate) const SUSPECTS: ByteSet = ILLEGAL_BYTES.with(b'%').with(b'+');

/// What each byte is if a triplet stands for it: the kinds from [`NUL`] to [`UNRESERVED`], from the lowest bit on.
pub(crate) static CATEGORIES: [u8; 256] = {
    let mut categories = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        categories[byte] = (byte == 0) as u8
            | ((byte < 0x20 || byte == 0x7F) as u8) << (CONTROL - NUL)
            | ((byte == b'/' as usize) as u8) << (SLASH - NUL)
            | ((byte == b'\\' as usize) as u8) << (BACKSLASH - NUL)
            | ((byte == b'.' as usize) as u8) << (DOT - NUL)
            | ((byte == b'%' as usize) as u8) << (PERCENT - NUL)
            | (sets::UNRESERVED.contains(byte as u8) as u8) << (UNRESERVED - NUL);
        byte += 1;
    }
    categories
};

/// How many bits [`CATEGORIES`] has.
pub(crate) const CATEGORY_BITS: usize = UNRESERVED - NUL + 1;

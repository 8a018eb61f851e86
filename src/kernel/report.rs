//! `Report`: what kernels note of what a string holds.
#![forbid(unsafe_code)]

use crate::byteset::ByteSet;
use crate::sets;

/// Kinds of findings, by their bit in [`Report::found`] and their place in its tables.
pub(crate) const ESCAPE: usize = 0;
pub(crate) const PLUS: usize = 1;
pub(crate) const MALFORMED: usize = 2;
/// From here on what triplets stand for, in the order of the low bits of [`CATEGORIES`].
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
/// How many kinds there are for the public.
pub(crate) const KINDS: usize = 14;
/// Besides: a triplet of a byte from 0x80, so that the decoded text may be ill-formed.
pub(crate) const ESCAPED_NON_ASCII: usize = 14;

/// What was found so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    /// A bit for each kind.
    found: u32,
    /// How often; only kept when counting.
    counts: [usize; KINDS + 1],
    /// Where first, among those counted.
    first: [usize; KINDS + 1],
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
        for bit in 0..8 {
            self.note::<false>(kind_of_category(bit), u64::from(categories >> bit & 1), 0);
        }
    }

    /// Whether this was found.
    pub(crate) fn has(&self, kind: usize) -> bool {
        self.found >> kind & 1 != 0
    }

    /// Forgets the hints that the decoded text may be ill-formed, and returns whether there were any.
    pub(crate) fn take_non_ascii_hint(&mut self, seen: &mut bool) -> bool {
        let hint = self.has(NON_ASCII) || self.has(ESCAPED_NON_ASCII);
        *seen |= self.has(NON_ASCII);
        self.found &= !(1 << NON_ASCII | 1 << ESCAPED_NON_ASCII);
        hint
    }

    /// The kinds for the public, a bit for each.
    pub(crate) fn kinds(&self) -> u16 {
        (self.found & ((1 << KINDS) - 1)) as u16
    }

    /// How often, and where first.
    pub(crate) fn tables(&self) -> ([usize; KINDS], [usize; KINDS]) {
        let (mut counts, mut first) = ([0; KINDS], [0; KINDS]);
        counts.copy_from_slice(&self.counts[..KINDS]);
        first.copy_from_slice(&self.first[..KINDS]);
        (counts, first)
    }
}

/// Raw bytes that no URI may hold (RFC 3986 2): all but reserved and unreserved characters and '%'.
pub(crate) const ILLEGAL_BYTES: ByteSet = sets::URI.without(b'%');

/// Raw bytes that are findings. Without one of these, nothing is found.
pub(crate) const SUSPECTS: ByteSet = ILLEGAL_BYTES.with(b'%').with(b'+');

/// The kind that a bit of [`CATEGORIES`] is of: the low seven from [`NUL`] on, then [`ESCAPED_NON_ASCII`].
#[inline(always)]
pub(crate) const fn kind_of_category(bit: usize) -> usize {
    if bit < 7 { NUL + bit } else { ESCAPED_NON_ASCII }
}

/// What each byte is if a triplet stands for it. The top bit is that of the bytes that have it themselves.
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
            | (sets::UNRESERVED.contains(byte as u8) as u8) << (UNRESERVED - NUL)
            | ((byte >= 0x80) as u8) << 7;
        byte += 1;
    }
    categories
};

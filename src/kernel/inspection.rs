//! `Report`: what kernels note of what a string holds.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::op::{Detail, Presence};
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
    /// State findings of a kind: the bits of `places` count from the offset `at`.
    #[inline(always)]
    pub(crate) fn note<D: Detail>(&mut self, kind: usize, places: u64, at: usize) {
        self.found |= u32::from(places != 0) << kind;
        if D::COUNTS && places != 0 {
            if self.counts[kind] == 0 {
                // `at` may count backwards from the base.
                self.first[kind] = self.base.wrapping_add(at) + places.trailing_zeros() as usize;
            }
            self.counts[kind] += places.count_ones() as usize;
        }
    }

    /// State the union of what raw bytes are, without counting: the bits of [`RAW`], and whether any byte is from 128.
    #[inline(always)]
    pub(crate) fn note_raw(&mut self, raw: u8, is_non_ascii: bool) {
        self.note::<Presence>(PLUS, u64::from(raw & RAW_PLUS != 0), 0);
        self.note::<Presence>(NON_ASCII, u64::from(is_non_ascii), 0);
        self.note::<Presence>(ILLEGAL, u64::from(is_non_ascii || raw & RAW_ILLEGAL != 0), 0);
    }

    /// State the union of what triplets stand for, without counting.
    #[inline(always)]
    pub(crate) fn note_categories(&mut self, categories: u8) {
        self.found |= u32::from(categories) << NUL;
    }

    /// State the union of what triplets stand for, without counting: the bits of [`TRIPLETS`], and whether any is unreserved.
    pub(crate) fn note_triplets(&mut self, triplets: u8, is_unreserved: bool) {
        let delete = u8::from(triplets & TRIPLET_DELETE != 0) << (CONTROL - NUL);
        let unreserved = if is_unreserved { TRIPLET_UNRESERVED } else { 0 };
        self.note_categories(triplets & !TRIPLET_DELETE | delete | unreserved);
    }

    /// State what was counted otherwise, and where the first of it is in the input.
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
pub(crate) const CHUNK: usize = 8192;

/// The decoded text of a chunk as far as it matters to whether it is well-formed: without most of what is ASCII, but for a byte of
/// it wherever there was some between others.
pub(crate) struct Extract {
    /// Room for an unfinished character, a chunk, and whole registers behind them.
    pub(crate) buffer: [MaybeUninit<u8>; 3 + CHUNK + 64],
    /// How much of that is initialised.
    pub(crate) length: usize,
    /// Whether a character may be unfinished at the end.
    pub(crate) is_open: bool,
}

impl Extract {
    #[inline(always)]
    pub(crate) const fn empty() -> Self {
        Self { buffer: [const { MaybeUninit::uninit() }; 3 + CHUNK + 64], length: 0, is_open: false }
    }

    /// State that something that is ASCII follows.
    #[inline(always)]
    pub(crate) fn separate(&mut self) {
        if self.is_open {
            self.push(b' ');
            self.is_open = false;
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.buffer[self.length].write(byte);
        self.length += 1;
    }
}

/// Raw bytes that no URI may hold (RFC 3986 2): all but reserved and unreserved characters and '%'.
pub(crate) const ILLEGAL_BYTES: ByteSet = sets::URI.without(b'%');

/// Raw bytes that are findings. Without one of these, nothing is found.
pub(crate) const SUSPECTS: ByteSet = ILLEGAL_BYTES.with(b'%').with(b'+');

/// What each byte is if a triplet stands for it: the kinds from [`NUL`] to [`UNRESERVED`], from the lowest bit on.
pub(crate) const CATEGORIES: [u8; 256] = {
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

/// For each byte below 128 a union of bits, as what both its low and its high nibble may be: two lookups of 16 entries.
pub(crate) struct ByNibbles {
    pub(crate) low: [u8; 16],
    pub(crate) high: [u8; 16],
}

impl ByNibbles {
    const EMPTY: Self = Self { low: [0; 16], high: [0; 16] };

    /// Gives a bit to the bytes whose nibbles are among these, a bit for each value.
    const fn with(mut self, bit: u8, high: u8, low: u16) -> Self {
        let mut nibble = 0;
        while nibble < 16 {
            if nibble < 8 && high >> nibble & 1 != 0 {
                self.high[nibble] |= bit;
            }
            if low >> nibble & 1 != 0 {
                self.low[nibble] |= bit;
            }
            nibble += 1;
        }
        self
    }

    pub(crate) const fn of(&self, byte: u8) -> u8 {
        self.low[byte as usize & 15] & self.high[byte as usize >> 4]
    }
}

/// Bit of [`RAW`]: '%'. It is the top one, as that of bytes from 128: both want a closer look.
pub(crate) const RAW_PERCENT: u8 = 0x80;
/// Bit of [`RAW`]: '+'.
pub(crate) const RAW_PLUS: u8 = 1;
/// Bits of [`RAW`], and of [`RAW_AND_DIGITS`]: the bytes below 128 of [`ILLEGAL_BYTES`], by any of them.
pub(crate) const RAW_ILLEGAL: u8 = !(DIGIT | RAW_PLUS);

/// What raw bytes below 128 are.
pub(crate) const RAW: ByNibbles = ILLEGAL_AND_PLUS.with(RAW_PERCENT, 1 << 2, 1 << 0x5);

const ILLEGAL_AND_PLUS: ByNibbles = ByNibbles::EMPTY
    .with(RAW_PLUS, 1 << 2, 1 << 0xB)
    // Controls.
    .with(1 << 1, 1 << 0 | 1 << 1, 0xFFFF)
    // Space and '"'.
    .with(1 << 2, 1 << 2, 1 << 0x0 | 1 << 0x2)
    // '<' and '>', and a row of two lower, '\\' and '^'.
    .with(1 << 3, 1 << 3 | 1 << 5, 1 << 0xC | 1 << 0xE)
    // '`'.
    .with(1 << 4, 1 << 6, 1 << 0x0)
    // '{', '|', '}' and delete.
    .with(1 << 5, 1 << 7, 1 << 0xB | 1 << 0xC | 1 << 0xD | 1 << 0xF);

/// Bits of [`RAW_AND_DIGITS`]: the hexadecimal digits, by either of them.
pub(crate) const DIGIT: u8 = 0xC0;

/// [`RAW`], but for '%', and which bytes are hexadecimal digits.
pub(crate) const RAW_AND_DIGITS: ByNibbles =
    ILLEGAL_AND_PLUS.with(0x40, 1 << 3, 0x03FF).with(0x80, 1 << 4 | 1 << 6, 0x007E);

/// Bit of [`TRIPLETS`]: delete, which is a control.
pub(crate) const TRIPLET_DELETE: u8 = 1 << CATEGORY_BITS;
/// The bit of [`CATEGORIES`] that [`TRIPLETS`] leaves out.
pub(crate) const TRIPLET_UNRESERVED: u8 = 1 << (UNRESERVED - NUL);

/// What triplets of bytes below 128 stand for: the bits of [`CATEGORIES`], but for unreserved bytes, which are too many products
/// of nibbles, and for delete, which has a bit of its own.
pub(crate) const TRIPLETS: ByNibbles = ByNibbles::EMPTY
    .with(1, 1 << 0, 1 << 0x0)
    .with(1 << (CONTROL - NUL), 1 << 0 | 1 << 1, 0xFFFF)
    .with(1 << (SLASH - NUL), 1 << 2, 1 << 0xF)
    .with(1 << (BACKSLASH - NUL), 1 << 5, 1 << 0xC)
    .with(1 << (DOT - NUL), 1 << 2, 1 << 0xE)
    .with(1 << (PERCENT - NUL), 1 << 2, 1 << 0x5)
    .with(TRIPLET_DELETE, 1 << 7, 1 << 0xF);

const _: () = {
    let mut byte = 0;
    while byte < 128 {
        let raw = RAW.of(byte);
        assert!((raw & RAW_ILLEGAL != 0) == ILLEGAL_BYTES.contains(byte));
        assert!((raw & RAW_PERCENT != 0) == (byte == b'%') && (raw & RAW_PLUS != 0) == (byte == b'+'));
        let digit = RAW_AND_DIGITS.of(byte);
        assert!((digit & DIGIT != 0) == byte.is_ascii_hexdigit() && digit & !DIGIT == raw & !RAW_PERCENT);
        assert!(digit & DIGIT == 0 || digit & !DIGIT == 0);
        let delete = ((byte == 0x7F) as u8) << (CONTROL - NUL);
        let triplet = TRIPLETS.of(byte) & !TRIPLET_DELETE | delete;
        assert!(triplet == CATEGORIES[byte as usize] & !TRIPLET_UNRESERVED);
        assert!((TRIPLETS.of(byte) & TRIPLET_DELETE != 0) == (byte == 0x7F));
        byte += 1;
    }
};

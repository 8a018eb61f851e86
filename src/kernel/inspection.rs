//! `Report` and `Extract`: the findings of an inspection, and the byte classes that kernels look
//! up.
//!
//! Kernels classify a byte by two 16-entry lookups, one per nibble, and intersect the results
//! ([`ByNibbles`]). The bits of the classes are:
//!
//! ```text
//!  bit                7      6      5      4      3      2      1      0
//!  RAW               '%'    ';'    {|}DEL  `     <>\^   SP "   C0     '+'
//!  RAW_AND_DIGITS    A-F a-f 0-9   {|}DEL  `     <>\^   SP "   C0     '+'
//!  CATEGORIES        '?' '#' unres. '%'   '.'    '\'    '/'    C0,DEL NUL
//!  TRIPLETS          DEL    ';'    '%'    '.'    '\'    '/'    C0     NUL
//! ```
//!
//! - `RAW`: bits 1 to 5 are the illegal bytes ([`RAW_ILLEGAL`]), in five groups that are each a
//!   product of high and low nibbles. Bit 7 is also the top bit of non-ASCII bytes, so one test
//!   finds both.
//! - `RAW_AND_DIGITS` has the [`DIGIT`] bits in place of `%` and `;`, for which kernels compare. A
//!   digit has no other bits.
//! - `CATEGORIES` is a table of all 256 bytes. Its bits are the kinds [`NUL`] to [`PATH_END`] of
//!   [`Report`], shifted down by `NUL`.
//! - `TRIPLETS` is `CATEGORIES` in nibble form. DEL is a product of its own, and unreserved bytes
//!   need a separate lookup, [`UNRESERVED_ROWS`], which also has [`PATH_END`].
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::op::Detail;
use crate::byteset::ByteSet;
use crate::sets;

/// Kinds of findings: bit numbers of [`Report::found`] and indices of its tables.
pub(crate) const ESCAPE: usize = 0;
pub(crate) const PLUS: usize = 1;
pub(crate) const MALFORMED: usize = 2;
/// From here on, kinds of triplets, in the order of the bits of [`CATEGORIES`].
pub(crate) const NUL: usize = 3;
pub(crate) const CONTROL: usize = 4;
pub(crate) const SLASH: usize = 5;
pub(crate) const BACKSLASH: usize = 6;
pub(crate) const DOT: usize = 7;
pub(crate) const PERCENT: usize = 8;
pub(crate) const UNRESERVED: usize = 9;
pub(crate) const PATH_END: usize = 10;
/// From here on, other kinds.
pub(crate) const SEMICOLON: usize = 11;
pub(crate) const LOWER_HEX: usize = 12;
pub(crate) const NON_ASCII: usize = 13;
pub(crate) const ILLEGAL: usize = 14;
pub(crate) const INVALID_UTF8: usize = 15;
pub(crate) const DOT_SEGMENT: usize = 16;
pub(crate) const EMPTY_SEGMENT: usize = 17;
pub(crate) const DOUBLE: usize = 18;
pub(crate) const UNICODE: usize = 19;
pub(crate) const KINDS: usize = 20;

/// Bitmask of the kinds that kernels do not look for, because they depend on several bytes or
/// triplets. The driver looks for them on request.
pub(crate) const ON_REQUEST: u32 = 1 << DOT_SEGMENT | 1 << EMPTY_SEGMENT | 1 << DOUBLE | 1 << UNICODE;

/// The findings so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    /// Bitmask of the kinds found.
    pub(super) found: u32,
    /// The offset in the input of the chunk being inspected.
    pub(crate) base: usize,
    /// Kept with [`Occurrences`](super::op::Occurrences) only. To zero it took 1 of 26 ns on a
    /// Xeon, inspect, lines, typical_urls.txt.
    pub(super) tables: Option<Tables>,
}

/// The count of each kind, and the offset of the first finding of each kind that was counted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tables {
    pub(crate) counts: [usize; KINDS],
    pub(crate) first: [usize; KINDS],
}

impl Report {
    #[inline(always)]
    pub(crate) fn new<D: Detail>() -> Self {
        Self { found: 0, base: 0, tables: D::COUNTS.then(Tables::default) }
    }

    /// Records findings of a kind: the lanes in `places`, relative to offset `at`.
    #[inline(always)]
    pub(crate) fn note<D: Detail>(&mut self, kind: usize, places: u64, at: usize) {
        self.found |= u32::from(places != 0) << kind;
        if D::COUNTS && places != 0 {
            let offset = self.offset(places, at);
            let Some(Tables { counts, first }) = &mut self.tables else { return };
            if counts[kind] == 0 {
                first[kind] = offset;
            }
            counts[kind] += places.count_ones() as usize;
        }
    }

    /// The offset of the first of the lanes in `places`. `at` may be negative (wrapped), relative
    /// to the base.
    #[inline(always)]
    pub(super) fn offset(&self, places: u64, at: usize) -> usize {
        self.base.wrapping_add(at) + places.trailing_zeros() as usize
    }

    /// Records findings that were counted elsewhere, and the offset of the first one.
    pub(crate) fn note_counted(&mut self, kind: usize, count: usize, first: usize) {
        self.found |= 1 << kind;
        if let Some(tables) = &mut self.tables {
            (tables.counts[kind], tables.first[kind]) = (count, first);
        }
    }

    /// Bitmask of the kinds found.
    pub(crate) fn kinds(&self) -> u32 {
        self.found
    }

    /// The counts and first offsets, if they were kept.
    pub(crate) fn tables(&self) -> Option<&Tables> {
        self.tables.as_ref()
    }
}

/// The number of bytes inspected at a time.
pub(crate) const CHUNK: usize = 8192;

/// The number of bytes of rows inspected at a time. Half of [`CHUNK`], because the extract has a
/// byte more for each row that is not empty.
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "used only by columns, which allocate"))]
pub(crate) const ROWS_CHUNK: usize = CHUNK / 2;

/// The decoded text of a chunk, reduced to what UTF-8 validation needs: skipped runs of ASCII are
/// replaced by one space each, or by nothing where no character can be incomplete.
pub(crate) struct Extract {
    /// Capacity for an incomplete character, a chunk, and a full register stored after them.
    pub(crate) buffer: [MaybeUninit<u8>; 3 + CHUNK + 64],
    /// The number of bytes initialised.
    pub(crate) length: usize,
    /// Whether the text may end in an incomplete character.
    pub(crate) is_open: bool,
}

impl Extract {
    #[inline(always)]
    pub(crate) const fn empty() -> Self {
        Self { buffer: [const { MaybeUninit::uninit() }; 3 + CHUNK + 64], length: 0, is_open: false }
    }

    /// Records that ASCII follows: ends an incomplete character with a space.
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

/// Raw bytes that are not allowed in a URI (RFC 3986 2): all but reserved and unreserved characters
/// and `%`.
pub(crate) const ILLEGAL_BYTES: ByteSet = sets::URI.without(b'%');

/// Raw bytes that may be findings. Text without any of them has none but those of segments.
pub(crate) const SUSPECTS: ByteSet = ILLEGAL_BYTES.with(b'%').with(b'+').with(b';');

/// The categories of each byte as decoded from a triplet: the kinds [`NUL`] to [`PATH_END`], bit 0
/// first.
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
            | (sets::UNRESERVED.contains(byte as u8) as u8) << (UNRESERVED - NUL)
            | ((byte == b'?' as usize || byte == b'#' as usize) as u8) << (PATH_END - NUL);
        byte += 1;
    }
    categories
};

/// The number of bits of [`CATEGORIES`].
pub(crate) const CATEGORY_BITS: usize = PATH_END - NUL + 1;

/// A class of each ASCII byte, by two 16-entry lookups, one per nibble: the AND of both entries.
pub(crate) struct ByNibbles {
    pub(crate) low: [u8; 16],
    pub(crate) high: [u8; 16],
}

impl ByNibbles {
    const EMPTY: Self = Self { low: [0; 16], high: [0; 16] };

    /// Gives `bit` to the product of the high nibbles in bitmask `high` and the low nibbles in
    /// bitmask `low`.
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

/// Bit of [`RAW`]: `%`. The top bit, which is also set in non-ASCII bytes: both need a full
/// inspection.
pub(crate) const RAW_PERCENT: u8 = 0x80;
/// Bit of [`RAW`]: `;`.
pub(crate) const RAW_SEMICOLON: u8 = 0x40;
/// Bit of [`RAW`] and [`RAW_AND_DIGITS`]: `+`.
pub(crate) const RAW_PLUS: u8 = 1;
/// Bits of [`RAW`] and [`RAW_AND_DIGITS`]: any of them marks an ASCII byte of [`ILLEGAL_BYTES`].
pub(crate) const RAW_ILLEGAL: u8 = !(DIGIT | RAW_PLUS);

/// The classes of raw ASCII bytes.
pub(crate) const RAW: ByNibbles =
    ILLEGAL_AND_PLUS.with(RAW_PERCENT, 1 << 2, 1 << 0x5).with(RAW_SEMICOLON, 1 << 3, 1 << 0xB);

const ILLEGAL_AND_PLUS: ByNibbles = ByNibbles::EMPTY
    .with(RAW_PLUS, 1 << 2, 1 << 0xB)
    // Controls.
    .with(1 << 1, 1 << 0 | 1 << 1, 0xFFFF)
    // Space and '"'.
    .with(1 << 2, 1 << 2, 1 << 0x0 | 1 << 0x2)
    // `<` and `>`; `\` and `^` have the same low nibbles, two rows further.
    .with(1 << 3, 1 << 3 | 1 << 5, 1 << 0xC | 1 << 0xE)
    // '`'.
    .with(1 << 4, 1 << 6, 1 << 0x0)
    // '{', '|', '}' and delete.
    .with(1 << 5, 1 << 7, 1 << 0xB | 1 << 0xC | 1 << 0xD | 1 << 0xF);

/// Bits of [`RAW_AND_DIGITS`]: either of them marks a hex digit.
pub(crate) const DIGIT: u8 = 0xC0;

/// [`RAW`] without `%` and `;`, and the hex digits.
pub(crate) const RAW_AND_DIGITS: ByNibbles =
    ILLEGAL_AND_PLUS.with(0x40, 1 << 3, 0x03FF).with(0x80, 1 << 4 | 1 << 6, 0x007E);

/// Bit of [`TRIPLETS`]: DEL, which is a control character. It is that of [`PATH_END`] in
/// [`CATEGORIES`].
pub(crate) const TRIPLET_DELETE: u8 = 1 << (PATH_END - NUL);
/// Bit of [`TRIPLETS`]: `;`. It is that of [`UNRESERVED`] in [`CATEGORIES`].
pub(crate) const TRIPLET_SEMICOLON: u8 = 1 << (UNRESERVED - NUL);

/// The classes of triplets of ASCII bytes: the bits of [`CATEGORIES`] except those of
/// [`UNRESERVED_ROWS`], in place of which DEL and `;` have bits of their own.
pub(crate) const TRIPLETS: ByNibbles = ByNibbles::EMPTY
    .with(1, 1 << 0, 1 << 0x0)
    .with(1 << (CONTROL - NUL), 1 << 0 | 1 << 1, 0xFFFF)
    .with(1 << (SLASH - NUL), 1 << 2, 1 << 0xF)
    .with(1 << (BACKSLASH - NUL), 1 << 5, 1 << 0xC)
    .with(1 << (DOT - NUL), 1 << 2, 1 << 0xE)
    .with(1 << (PERCENT - NUL), 1 << 2, 1 << 0x5)
    .with(TRIPLET_SEMICOLON, 1 << 3, 1 << 0xB)
    .with(TRIPLET_DELETE, 1 << 7, 1 << 0xF);

/// Bits of [`UNRESERVED_ROWS`]: `#` and `?`. Rows 0 and 1 have no unreserved characters.
pub(crate) const ROWS_PATH_END: u8 = 1 << 0 | 1 << 1;

/// The unreserved characters by nibbles: `low[l]` is the row bitmap of low nibble `l`, `high[h]`
/// selects bit `h`. The two bits of [`ROWS_PATH_END`] are products of their own.
pub(crate) const UNRESERVED_ROWS: ByNibbles = {
    let high = [0, 0, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 0, 0, 0, 0, 0, 0, 0, 0];
    ByNibbles { low: sets::UNRESERVED.rows()[0], high }.with(1 << 0, 1 << 2, 1 << 0x3).with(1 << 1, 1 << 3, 1 << 0xF)
};

const _: () = {
    let mut byte = 0;
    while byte < 128 {
        let raw = RAW.of(byte);
        assert!((raw & RAW_ILLEGAL != 0) == ILLEGAL_BYTES.contains(byte));
        assert!((raw & RAW_PERCENT != 0) == (byte == b'%') && (raw & RAW_PLUS != 0) == (byte == b'+'));
        assert!((raw & RAW_SEMICOLON != 0) == (byte == b';'));
        let digit = RAW_AND_DIGITS.of(byte);
        assert!((digit & DIGIT != 0) == byte.is_ascii_hexdigit() && digit & !DIGIT == raw & !DIGIT);
        assert!(digit & DIGIT == 0 || digit & !DIGIT == 0);
        let delete = ((byte == 0x7F) as u8) << (CONTROL - NUL);
        let triplet = TRIPLETS.of(byte) & !(TRIPLET_DELETE | TRIPLET_SEMICOLON) | delete;
        let categories = CATEGORIES[byte as usize];
        assert!(triplet == categories & !(1 << (PATH_END - NUL) | 1 << (UNRESERVED - NUL)));
        assert!((TRIPLETS.of(byte) & TRIPLET_SEMICOLON != 0) == (byte == b';'));
        let rows = UNRESERVED_ROWS.of(byte);
        assert!((rows & !ROWS_PATH_END != 0) == (categories & 1 << (UNRESERVED - NUL) != 0));
        assert!((rows & ROWS_PATH_END != 0) == (categories & 1 << (PATH_END - NUL) != 0));
        assert!((TRIPLETS.of(byte) & TRIPLET_DELETE != 0) == (byte == 0x7F));
        byte += 1;
    }
};

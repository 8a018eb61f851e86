//! `ByteSet`: a 256-bit bitmap, in the layout that the kernels load.
#![forbid(unsafe_code)]

use core::fmt;

/// A set of bytes: a 256-bit bitmap. Sets are built and combined in `const`.
///
/// ```
/// use simdpct::ByteSet;
///
/// const DELIMITERS: ByteSet = ByteSet::new(b"/?#").with(b'&');
/// assert!(DELIMITERS.contains(b'?'));
/// assert_eq!(DELIMITERS.find("/a?b".as_bytes()), Some(0));
/// assert_eq!(DELIMITERS.count(b"a=1&b=2&c=3"), 2);
/// ```
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
#[repr(C, align(32))]
pub struct ByteSet {
    /// Bit `b >> 4 & 7` of `rows[b >> 7][b & 15]` is set if `b` is a member. A 16-entry byte
    /// shuffle fetches the rows of 16 or more bytes at once by their low nibbles, and a second one
    /// the bits by their high nibbles.
    rows: [[u8; 16]; 2],
}

impl ByteSet {
    /// The empty set.
    pub const EMPTY: Self = Self { rows: [[0; 16]; 2] };
    /// The set of all bytes.
    pub const ALL: Self = Self { rows: [[0xFF; 16]; 2] };
    /// ASCII alphanumerics: unreserved everywhere, in no predefined set.
    pub(crate) const ALPHANUMERIC: Self =
        Self::range(b'0', b'9').union(Self::range(b'A', b'Z')).union(Self::range(b'a', b'z'));
    /// The bytes 0x80 to 0xFF.
    pub const NON_ASCII: Self = Self { rows: [[0; 16], [0xFF; 16]] };

    /// Creates the set of the bytes in `members`; order and duplicates do not matter.
    #[must_use]
    pub const fn new(members: &[u8]) -> Self {
        let mut set = Self::EMPTY;
        let mut i = 0;
        while i < members.len() {
            set = set.with(members[i]);
            i += 1;
        }
        set
    }

    /// Creates the set of the bytes from `first` to `last`, inclusive. Empty if `first > last`.
    #[must_use]
    pub const fn range(first: u8, last: u8) -> Self {
        let mut set = Self::EMPTY;
        let mut byte = first as u16;
        while byte <= last as u16 {
            set = set.with(byte as u8);
            byte += 1;
        }
        set
    }

    /// Adds `byte`.
    #[must_use]
    pub const fn with(mut self, byte: u8) -> Self {
        self.rows[(byte >> 7) as usize][(byte & 15) as usize] |= Self::bit(byte);
        self
    }

    /// Removes `byte`.
    #[must_use]
    pub const fn without(mut self, byte: u8) -> Self {
        self.rows[(byte >> 7) as usize][(byte & 15) as usize] &= !Self::bit(byte);
        self
    }

    /// The bytes in either set.
    #[must_use]
    pub const fn union(mut self, other: Self) -> Self {
        let mut row = 0;
        while row < 16 {
            self.rows[0][row] |= other.rows[0][row];
            self.rows[1][row] |= other.rows[1][row];
            row += 1;
        }
        self
    }

    /// The bytes in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        self.complement().union(other.complement()).complement()
    }

    /// The bytes not in the set.
    #[must_use]
    pub const fn complement(mut self) -> Self {
        let mut row = 0;
        while row < 16 {
            self.rows[0][row] = !self.rows[0][row];
            self.rows[1][row] = !self.rows[1][row];
            row += 1;
        }
        self
    }

    /// Whether the set contains `byte`.
    #[must_use]
    #[inline]
    pub const fn contains(&self, byte: u8) -> bool {
        self.rows[(byte >> 7) as usize][(byte & 15) as usize] & Self::bit(byte) != 0
    }

    /// Whether the sets have no member in common.
    #[inline(always)]
    pub(crate) const fn is_disjoint(&self, other: &Self) -> bool {
        let mut row = 0;
        while row < 2 {
            if u128::from_le_bytes(self.rows[row]) & u128::from_le_bytes(other.rows[row]) != 0 {
                return false;
            }
            row += 1;
        }
        true
    }

    /// The rows of the ASCII bytes, then those of the others: the kernels' layout.
    #[inline]
    pub(crate) const fn rows(&self) -> &[[u8; 16]; 2] {
        &self.rows
    }

    const fn bit(byte: u8) -> u8 {
        1 << (byte >> 4 & 7)
    }
}

/// Prints the members as ranges in ascending order; graphic ASCII as characters, the rest in
/// hexadecimal.
impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let starts = (0..=0xFF_u8).filter(|&byte| self.contains(byte) && (byte == 0 || !self.contains(byte - 1)));
        let ranges = starts.map(|first| {
            let last = (first..=0xFF).take_while(|&byte| self.contains(byte)).last();
            Range { first, last: last.unwrap_or(first) }
        });
        f.debug_set().entries(ranges).finish()
    }
}

struct Range {
    first: u8,
    last: u8,
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let byte = |f: &mut fmt::Formatter<'_>, byte| match byte {
            b'!'..=b'~' => write!(f, "{:?}", char::from(byte)),
            _ => write!(f, "0x{byte:02X}"),
        };
        byte(f, self.first)?;
        if self.first < self.last {
            f.write_str("..=")?;
            byte(f, self.last)?;
        }
        Ok(())
    }
}

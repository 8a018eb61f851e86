//! `ByteSet`: a 256-bit bitmap, in the layout that the kernels load.
#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of bytes: a 256-bit bitmap. Sets are built and combined in `const`, or with operators.
///
/// ```
/// use simdpct::ByteSet;
///
/// const DELIMITERS: ByteSet = ByteSet::new(b"/?#").with(b'&');
/// assert!(DELIMITERS.contains(b'?'));
/// assert_eq!(DELIMITERS.find("/a?b".as_bytes()), Some(0));
/// assert_eq!(DELIMITERS.count(b"a=1&b=2&c=3"), 2);
///
/// let others = !DELIMITERS & ByteSet::range(b'!', b'~') | ByteSet::new(b"?");
/// assert_eq!((others.len(), others.iter().next()), (91, Some(b'!')));
/// assert_eq!(DELIMITERS.into_iter().collect::<Vec<u8>>(), b"#&/?");
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
    /// ASCII alphanumerics: unreserved everywhere, so no predefined encoder escapes them.
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

    /// Creates the set of the bytes `b` for which bit `b & 7` of `bitmap[b >> 3]` is set.
    ///
    /// ```
    /// # use simdpct::ByteSet;
    /// let mut bitmap = [0; 32];
    /// bitmap[4] = 0b10_0001;
    /// assert_eq!(ByteSet::from_bitmap(bitmap), ByteSet::new(b" %"));
    /// ```
    #[must_use]
    pub const fn from_bitmap(bitmap: [u8; 32]) -> Self {
        let mut set = Self::EMPTY;
        let mut byte = 0;
        while byte < 256 {
            if bitmap[byte >> 3] >> (byte & 7) & 1 != 0 {
                set = set.with(byte as u8);
            }
            byte += 1;
        }
        set
    }

    /// The set as a bitmap: bit `b & 7` of byte `b >> 3` is set if the set contains `b`.
    ///
    /// ```
    /// # use simdpct::ByteSet;
    /// let bitmap = ByteSet::new(b" %").to_bitmap();
    /// assert_eq!(bitmap[4], 0b10_0001);
    /// assert_eq!(ByteSet::from_bitmap(bitmap), ByteSet::new(b" %"));
    /// ```
    #[must_use]
    pub const fn to_bitmap(&self) -> [u8; 32] {
        let mut bitmap = [0; 32];
        let mut byte = 0;
        while byte < 256 {
            bitmap[byte >> 3] |= (self.contains(byte as u8) as u8) << (byte & 7);
            byte += 1;
        }
        bitmap
    }

    /// Number of members.
    #[must_use]
    pub const fn len(&self) -> usize {
        let [ascii, others] = &self.rows;
        (u128::from_le_bytes(*ascii).count_ones() + u128::from_le_bytes(*others).count_ones()) as usize
    }

    /// Whether the set has no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the members, in ascending order.
    pub const fn iter(&self) -> ByteSetIter {
        let (bitmap, mut rest, mut byte) = (self.to_bitmap(), [0; 2], 256);
        while byte > 0 {
            byte -= 8;
            rest[byte >> 7] = rest[byte >> 7] << 8 | bitmap[byte >> 3] as u128;
        }
        ByteSetIter { rest }
    }

    /// The bytes in either set: `self | other`.
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

    /// The bytes in both sets: `self & other`.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        self.complement().union(other.complement()).complement()
    }

    /// The bytes not in the set: `!self`.
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

    /// The rows of the ASCII bytes, then the rows of the other bytes: the kernels' layout.
    #[inline]
    pub(crate) const fn rows(&self) -> &[[u8; 16]; 2] {
        &self.rows
    }

    const fn bit(byte: u8) -> u8 {
        1 << (byte >> 4 & 7)
    }
}

/// The members of a [`ByteSet`] in ascending order; returned by [`ByteSet::iter`].
///
/// ```
/// use simdpct::ByteSet;
///
/// let mut members = ByteSet::new(b"/?#&").iter();
/// assert_eq!((members.next(), members.next_back(), members.len()), (Some(b'#'), Some(b'?'), 2));
/// ```
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ByteSetIter {
    /// Bitmasks of the remaining members: the ASCII bytes, and the others.
    rest: [u128; 2],
}

impl Iterator for ByteSetIter {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let half = usize::from(self.rest[0] == 0);
        let rest = &mut self.rest[half];
        let bit = rest.trailing_zeros();
        // Clears the lowest bit that is set, or nothing.
        *rest &= rest.wrapping_sub(1);
        (bit < 128).then_some((half << 7) as u8 | bit as u8)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.rest.iter().map(|half| half.count_ones() as usize).sum();
        (length, Some(length))
    }
}

impl DoubleEndedIterator for ByteSetIter {
    fn next_back(&mut self) -> Option<u8> {
        let half = usize::from(self.rest[1] != 0);
        let bit = self.rest[half].checked_ilog2()?;
        self.rest[half] &= !(1 << bit);
        Some((half << 7) as u8 | bit as u8)
    }
}

impl ExactSizeIterator for ByteSetIter {}
impl FusedIterator for ByteSetIter {}

impl IntoIterator for ByteSet {
    type Item = u8;
    type IntoIter = ByteSetIter;

    fn into_iter(self) -> ByteSetIter {
        self.iter()
    }
}

impl IntoIterator for &ByteSet {
    type Item = u8;
    type IntoIter = ByteSetIter;

    fn into_iter(self) -> ByteSetIter {
        self.iter()
    }
}

impl Extend<u8> for ByteSet {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, members: I) {
        *self = members.into_iter().fold(*self, Self::with);
    }
}

impl<'a> Extend<&'a u8> for ByteSet {
    fn extend<I: IntoIterator<Item = &'a u8>>(&mut self, members: I) {
        self.extend(members.into_iter().copied());
    }
}

/// ```
/// use simdpct::ByteSet;
///
/// let delimiters: ByteSet = "/?#".bytes().collect();
/// assert_eq!(delimiters, ByteSet::new(b"/?#"));
/// ```
impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(members: I) -> Self {
        members.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl<'a> FromIterator<&'a u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = &'a u8>>(members: I) -> Self {
        members.into_iter().copied().collect()
    }
}

/// The empty set.
impl Default for ByteSet {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Same as [`union`](ByteSet::union).
impl BitOr for ByteSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl BitOrAssign for ByteSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}

/// Same as [`intersection`](ByteSet::intersection).
impl BitAnd for ByteSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.intersection(other)
    }
}

impl BitAndAssign for ByteSet {
    fn bitand_assign(&mut self, other: Self) {
        *self = self.intersection(other);
    }
}

/// Same as [`complement`](ByteSet::complement).
impl Not for ByteSet {
    type Output = Self;

    fn not(self) -> Self {
        self.complement()
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

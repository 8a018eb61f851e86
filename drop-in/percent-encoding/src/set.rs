//! `AsciiSet`: a set of ASCII characters, built in `const`.

use core::{array, fmt, ops};

use simdpct::{ByteSet, Encoder};

/// A set of ASCII characters to escape. Bytes from 0x80 are always escaped.
#[derive(Eq, PartialEq)]
pub struct AsciiSet {
    /// The set without bytes from 0x80.
    set: ByteSet,
    /// Escapes the set. Built here, because encoding borrows it.
    encoder: Encoder,
}

/// The control characters: 0x00 to 0x1F and 0x7F.
pub const CONTROLS: &AsciiSet = &AsciiSet::new(ByteSet::range(0, 0x1F).with(0x7F));

/// All ASCII characters except letters and digits.
pub const NON_ALPHANUMERIC: &AsciiSet = {
    let alphanumeric = ByteSet::range(b'0', b'9').union(ByteSet::range(b'A', b'Z')).union(ByteSet::range(b'a', b'z'));
    &AsciiSet::new(alphanumeric).complement()
};

impl AsciiSet {
    /// The empty set.
    pub const EMPTY: Self = Self::new(ByteSet::EMPTY);

    const fn new(set: ByteSet) -> Self {
        Self { set, encoder: Encoder::new(set) }
    }

    #[inline]
    pub(crate) const fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    pub(crate) const fn contains(&self, byte: u8) -> bool {
        self.set.contains(byte)
    }

    /// Returns this set with a character.
    ///
    /// # Panics
    ///
    /// Panics if the byte is not ASCII.
    pub const fn add(&self, byte: u8) -> Self {
        assert!(byte.is_ascii(), "an AsciiSet has ASCII characters only");
        Self::new(self.set.with(byte))
    }

    /// Returns this set without a character.
    ///
    /// # Panics
    ///
    /// Panics if the byte is not ASCII.
    pub const fn remove(&self, byte: u8) -> Self {
        assert!(byte.is_ascii(), "an AsciiSet has ASCII characters only");
        Self::new(self.set.without(byte))
    }

    /// Returns the characters of either set.
    pub const fn union(&self, other: Self) -> Self {
        Self::new(self.set.union(other.set))
    }

    /// Returns the ASCII characters that are not in this set.
    pub const fn complement(&self) -> Self {
        Self::new(ByteSet::range(0, 0x7F).intersection(self.set.complement()))
    }
}

impl ops::Add for AsciiSet {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.union(other)
    }
}

impl ops::Not for AsciiSet {
    type Output = Self;

    fn not(self) -> Self {
        self.complement()
    }
}

/// Prints four words of 32 bits, as percent-encoding does.
impl fmt::Debug for AsciiSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bit = |byte| u32::from(self.contains(byte));
        let mask: [u32; 4] = array::from_fn(|word| (0..32).map(|at| bit(32 * word as u8 + at) << at).sum());
        f.debug_struct("AsciiSet").field("mask", &mask).finish()
    }
}

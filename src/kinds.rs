//! `Kinds`: the kinds of findings, as a set.
#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign};
use core::str::FromStr;

/// A set of kinds of findings: its constants, combined with `|` and `&`.
///
/// ```
/// use simdpct::Kinds;
///
/// const REFUSED: Kinds = Kinds::NUL.union(Kinds::PERCENT);
/// assert_eq!(REFUSED.names().collect::<Vec<_>>(), ["nul", "percent"]);
/// assert!(REFUSED.iter().eq([Kinds::NUL, Kinds::PERCENT]));
///
/// assert_eq!("nul,percent".parse(), Ok(REFUSED));
/// ```
#[derive(Clone, Copy, Default, Eq, Hash, PartialEq)]
pub struct Kinds(pub(crate) u32);

/// Iterator over the kinds in a set, each as a set of one; returned by [`Kinds::iter`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct KindsIter {
    rest: u32,
}

/// Error: the name is not one of [`Kinds::ALL`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownKind;

impl Kinds {
    /// A triplet (RFC 3986 2.1).
    pub const ESCAPE: Self = Self(1 << 0);
    /// A raw `+`, which forms decode as a space.
    pub const PLUS: Self = Self(1 << 1);
    /// A `%` not followed by two hexadecimal digits.
    pub const MALFORMED: Self = Self(1 << 2);
    /// A triplet that encodes NUL.
    pub const NUL: Self = Self(1 << 3);
    /// A triplet that encodes an ASCII control character: 0x00 to 0x1F (NUL included) or 0x7F.
    pub const CONTROL: Self = Self(1 << 4);
    /// A triplet that encodes `/`.
    pub const SLASH: Self = Self(1 << 5);
    /// A triplet that encodes `\`.
    pub const BACKSLASH: Self = Self(1 << 6);
    /// A triplet that encodes `.`.
    pub const DOT: Self = Self(1 << 7);
    /// A triplet that encodes `%`: a second layer of encoding. To test for double encoding, use
    /// `PERCENT | MALFORMED`: a lenient decoder, which keeps a malformed `%`, also decodes
    /// `%%32%66` to `%2f`.
    pub const PERCENT: Self = Self(1 << 8);
    /// A triplet that encodes an unreserved character, which needs no escaping (RFC 3986 2.3).
    pub const UNRESERVED: Self = Self(1 << 9);
    /// A triplet that encodes `?` or `#`, which would end the path if it were decoded.
    pub const PATH_END: Self = Self(1 << 10);
    /// A `;`, raw or encoded: it begins parameters of a segment (RFC 3986 3.3), which servlet
    /// containers remove.
    pub const SEMICOLON: Self = Self(1 << 11);
    /// A triplet with a lower-case digit, which is not normal (RFC 3986 6.2.2.1).
    pub const LOWER_HEX: Self = Self(1 << 12);
    /// A raw non-ASCII byte (0x80 to 0xFF).
    pub const NON_ASCII: Self = Self(1 << 13);
    /// A raw byte that is not allowed in a URI (RFC 3986 2): every byte except reserved and
    /// unreserved characters and `%`. Includes all non-ASCII bytes.
    pub const ILLEGAL: Self = Self(1 << 14);
    /// Invalid UTF-8 once decoded, overlong forms and surrogates included: each maximal subpart of
    /// an ill-formed sequence (Unicode 3.9), at the byte or triplet where it begins.
    pub const INVALID_UTF8: Self = Self(1 << 15);
    /// A dot segment: `.` or `..` as a whole segment (RFC 3986 3.3), its dots raw, encoded or
    /// mixed, at the first of them.
    ///
    /// The string is split into segments as decoded once: a segment begins with the string or after
    /// a `/` or `\`, raw or encoded, and ends before the next of them, at `;`, `?` or `#`, raw or
    /// encoded, or with the string. The query is no exception: the second `..` of `?f=../../x` is a
    /// dot segment. [On request](Kinds::ON_REQUEST).
    pub const DOT_SEGMENT: Self = Self(1 << 16);
    /// An empty segment: a `/` or `\`, raw or encoded, directly after another one; at the second.
    ///
    /// After a colon, raw or encoded, two are not a finding: in logs, nearly all of them belong to
    /// `https://`, also in queries (`?to=https%3A%2F%2F`). A path may hide an empty segment there;
    /// [`EmptySegments`](crate::path::EmptySegments) makes no such exception. The slashes at the
    /// start (`//host`) and at the end (`/a//`) of a string count. [On request](Kinds::ON_REQUEST).
    pub const EMPTY_SEGMENT: Self = Self(1 << 17);
    /// A triplet that encodes `%`, followed by two hexadecimal digits: a triplet in a second layer
    /// of encoding (`%252F`). A subset of [`PERCENT`](Self::PERCENT). [On
    /// request](Kinds::ON_REQUEST).
    pub const DOUBLE: Self = Self(1 << 18);
    /// A `%u` with four hexadecimal digits: a code unit of UTF-16, as ECMAScript's `unescape`
    /// decodes (ECMA-262 B.2.1.2). A subset of [`MALFORMED`](Self::MALFORMED). [On
    /// request](Kinds::ON_REQUEST).
    pub const UNICODE: Self = Self(1 << 19);

    /// All kinds with their names, in the order of their [bits](Self::bits).
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Kinds::ESCAPE, "escape"),
        (Kinds::PLUS, "plus"),
        (Kinds::MALFORMED, "malformed"),
        (Kinds::NUL, "nul"),
        (Kinds::CONTROL, "control"),
        (Kinds::SLASH, "slash"),
        (Kinds::BACKSLASH, "backslash"),
        (Kinds::DOT, "dot"),
        (Kinds::PERCENT, "percent"),
        (Kinds::UNRESERVED, "unreserved"),
        (Kinds::PATH_END, "path-end"),
        (Kinds::SEMICOLON, "semicolon"),
        (Kinds::LOWER_HEX, "lower-hex"),
        (Kinds::NON_ASCII, "non-ascii"),
        (Kinds::ILLEGAL, "illegal"),
        (Kinds::INVALID_UTF8, "invalid-utf8"),
        (Kinds::DOT_SEGMENT, "dot-segment"),
        (Kinds::EMPTY_SEGMENT, "empty-segment"),
        (Kinds::DOUBLE, "double"),
        (Kinds::UNICODE, "unicode"),
    ];

    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of all kinds.
    pub const EVERY: Self = Self((1 << Self::ALL.len()) - 1);

    /// The kinds that are looked for on request only:
    /// [`DOT_SEGMENT`](Kinds::DOT_SEGMENT), [`EMPTY_SEGMENT`](Kinds::EMPTY_SEGMENT),
    /// [`DOUBLE`](Kinds::DOUBLE) and [`UNICODE`](Kinds::UNICODE).
    ///
    /// They depend on several bytes or triplets in sequence, so that they take a second search. A
    /// method of [`Findings`](crate::Findings) looks for them if they are requested;
    /// [`Counts::among`](crate::Counts::among) counts them.
    pub const ON_REQUEST: Self = Self(Self::DOT_SEGMENT.0 | Self::EMPTY_SEGMENT.0 | Self::DOUBLE.0 | Self::UNICODE.0);

    /// The set as bits: bit `n` stands for `Kinds::ALL[n]`. The bit of a kind never changes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The set with these [bits](Self::bits), or `None` if one is not the bit of a kind.
    ///
    /// ```
    /// use simdpct::Kinds;
    ///
    /// assert_eq!(Kinds::from_bits(0b1001), Some(Kinds::ESCAPE | Kinds::NUL));
    /// assert_eq!(Kinds::from_bits(1 << 31), None);
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        if bits >> Self::ALL.len() == 0 { Some(Self(bits)) } else { None }
    }

    /// The set with these [bits](Self::bits); bits that are not the bit of a kind are ignored.
    ///
    /// ```
    /// use simdpct::Kinds;
    ///
    /// assert_eq!(Kinds::from_bits_truncate(1 << 31 | 1), Kinds::ESCAPE);
    /// ```
    #[must_use]
    pub const fn from_bits_truncate(bits: u32) -> Self {
        Self(bits & Self::EVERY.0)
    }

    /// The kind with this name.
    ///
    /// ```
    /// use simdpct::Kinds;
    ///
    /// assert_eq!(Kinds::from_name("lower-hex"), Some(Kinds::LOWER_HEX));
    /// assert_eq!(Kinds::from_name("upper-hex"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|&(kind, _)| kind)
    }

    /// The name, if the set is a single kind.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        if self.0.count_ones() == 1 { Some(Self::ALL[self.0.trailing_zeros() as usize].1) } else { None }
    }

    /// The kinds in either set: `self | other`.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds in both sets: `self & other`.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The kinds in this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set contains all of `other`.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set contains any of `other`.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns an iterator over the kinds in the set, in the order of [`ALL`](Self::ALL), each as a
    /// set of one.
    pub const fn iter(self) -> KindsIter {
        KindsIter { rest: self.0 }
    }

    /// The names of the kinds in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.iter().filter_map(Self::name)
    }
}

impl Iterator for KindsIter {
    type Item = Kinds;

    fn next(&mut self) -> Option<Kinds> {
        let lowest = self.rest & self.rest.wrapping_neg();
        self.rest ^= lowest;
        (lowest != 0).then_some(Kinds(lowest))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.rest.count_ones() as usize;
        (length, Some(length))
    }
}

impl ExactSizeIterator for KindsIter {}
impl FusedIterator for KindsIter {}

impl IntoIterator for Kinds {
    type Item = Self;
    type IntoIter = KindsIter;

    fn into_iter(self) -> KindsIter {
        self.iter()
    }
}

/// The union of the sets.
impl FromIterator<Kinds> for Kinds {
    fn from_iter<I: IntoIterator<Item = Self>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::union)
    }
}

impl Extend<Kinds> for Kinds {
    fn extend<I: IntoIterator<Item = Self>>(&mut self, kinds: I) {
        *self = kinds.into_iter().fold(*self, Self::union);
    }
}

/// Parses names of kinds, separated by commas or white space. The empty text is the empty set.
///
/// ```
/// use simdpct::Kinds;
///
/// assert_eq!("nul, percent".parse(), Ok(Kinds::NUL | Kinds::PERCENT));
/// assert_eq!("".parse(), Ok(Kinds::NONE));
/// assert!("nul,zero".parse::<Kinds>().is_err());
/// ```
impl FromStr for Kinds {
    type Err = UnknownKind;

    fn from_str(names: &str) -> Result<Self, UnknownKind> {
        let is_separator = |letter: char| letter == ',' || letter.is_whitespace();
        let names = names.split(is_separator).filter(|name| !name.is_empty());
        names.map(|name| Self::from_name(name).ok_or(UnknownKind)).collect()
    }
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown kind of finding: expected")?;
        for (index, (_, name)) in Kinds::ALL.iter().enumerate() {
            let separator = match index {
                0 => " ",
                _ if index + 1 == Kinds::ALL.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{name}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownKind {}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}

impl BitAnd for Kinds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.intersection(other)
    }
}

impl BitAndAssign for Kinds {
    fn bitand_assign(&mut self, other: Self) {
        *self = self.intersection(other);
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

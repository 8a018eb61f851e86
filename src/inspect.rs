//! `Findings`: properties of a string that matter before decoding it.
#![forbid(unsafe_code)]

use core::fmt;
use core::ops::{BitOr, BitOrAssign};

use crate::driver;
use crate::driver::inspect::{Occurrences, Presence};
use crate::level::Level;

/// Inspects a string in one pass, for what a proxy may want to reject or a log analyst to count:
/// double encoding, NUL, invalid UTF-8 and [other kinds](Findings). Does not allocate. Linear, with
/// SIMD.
///
/// ```
/// use simdpct::{Findings, inspect};
///
/// let findings = inspect("/static/..%252f%c0%af");
/// assert!(findings.contains(Findings::PERCENT | Findings::INVALID_UTF8));
/// assert!(!findings.intersects(Findings::NUL | Findings::SLASH));
/// assert_eq!(findings.first(), Some(10));
/// assert!(inspect("/plain/path?q=1").is_empty());
/// ```
#[must_use]
pub fn inspect<T: AsRef<[u8]> + ?Sized>(input: &T) -> Findings {
    Findings::of(input.as_ref(), None)
}

/// Like [`inspect`], and counts each kind of finding.
///
/// ```
/// use simdpct::{Findings, inspect_counting};
///
/// let counts = inspect_counting("/%2e%2E/%00");
/// assert_eq!(counts.count(Findings::DOT), 2);
/// assert_eq!(counts.count(Findings::LOWER_HEX), 1);
/// assert_eq!(counts.first(Findings::NUL), Some(8));
/// ```
#[must_use]
pub fn inspect_counting<T: AsRef<[u8]> + ?Sized>(input: &T) -> Counts {
    Counts::of(input.as_ref(), None)
}

/// Result of [`inspect`]: the [`Kinds`] found, and the position of the first finding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Findings {
    kinds: Kinds,
    first: Option<usize>,
}

/// Result of [`inspect_counting`]: the count and first position of each kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Counts {
    kinds: Kinds,
    counts: [usize; Kinds::ALL.len()],
    first: [usize; Kinds::ALL.len()],
}

/// A set of kinds of findings: the constants of [`Findings`], combined with `|`.
#[derive(Clone, Copy, Default, Eq, Hash, PartialEq)]
pub struct Kinds(u16);

impl Findings {
    /// A triplet (RFC 3986 2.1).
    pub const ESCAPE: Kinds = Kinds(1 << 0);
    /// A raw `+`, which forms decode as a space.
    pub const PLUS: Kinds = Kinds(1 << 1);
    /// A `%` not followed by two hexadecimal digits.
    pub const MALFORMED: Kinds = Kinds(1 << 2);
    /// A triplet that encodes NUL.
    pub const NUL: Kinds = Kinds(1 << 3);
    /// A triplet that encodes an ASCII control character: 0x00 to 0x1F (NUL included) or 0x7F.
    pub const CONTROL: Kinds = Kinds(1 << 4);
    /// A triplet that encodes `/`.
    pub const SLASH: Kinds = Kinds(1 << 5);
    /// A triplet that encodes `\`.
    pub const BACKSLASH: Kinds = Kinds(1 << 6);
    /// A triplet that encodes `.`.
    pub const DOT: Kinds = Kinds(1 << 7);
    /// A triplet that encodes `%`: a second layer of encoding. To test for double encoding, use
    /// `PERCENT | MALFORMED`: a lenient decoder, which keeps a malformed `%`, also decodes
    /// `%%32%66` to `%2f`.
    pub const PERCENT: Kinds = Kinds(1 << 8);
    /// A triplet that encodes an unreserved character, which needs no escaping (RFC 3986 2.3).
    pub const UNRESERVED: Kinds = Kinds(1 << 9);
    /// A triplet with a lower-case digit, which is not normal (RFC 3986 6.2.2.1).
    pub const LOWER_HEX: Kinds = Kinds(1 << 10);
    /// A raw non-ASCII byte (0x80 to 0xFF).
    pub const NON_ASCII: Kinds = Kinds(1 << 11);
    /// A raw byte that is not allowed in a URI (RFC 3986 2): all but reserved and unreserved
    /// characters and `%`. Includes all non-ASCII bytes.
    pub const ILLEGAL: Kinds = Kinds(1 << 12);
    /// Invalid UTF-8 once decoded, overlong forms and surrogates included: each maximal subpart of
    /// an ill-formed sequence (Unicode 3.9), at the byte or triplet where it begins.
    pub const INVALID_UTF8: Kinds = Kinds(1 << 13);

    fn of(input: &[u8], level: Option<Level>) -> Self {
        let kinds = Kinds(driver::inspect::inspect::<Presence>(input, level).kinds());
        // No second pass if nothing was found; otherwise up to the first finding.
        let first = if kinds.is_empty() { None } else { driver::inspect::find_suspect(input, level) };
        Self { kinds, first }
    }

    /// The kinds that were found.
    #[must_use]
    pub const fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Whether all of `kinds` were found.
    #[must_use]
    pub const fn contains(&self, kinds: Kinds) -> bool {
        self.kinds.contains(kinds)
    }

    /// Whether any of `kinds` was found.
    #[must_use]
    pub const fn intersects(&self, kinds: Kinds) -> bool {
        self.kinds.intersects(kinds)
    }

    /// Whether nothing was found.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Offset of the first byte or triplet that is a finding of any kind.
    #[must_use]
    pub const fn first(&self) -> Option<usize> {
        self.first
    }

    /// Like [`inspect`], on the given level.
    #[must_use]
    pub fn on<T: AsRef<[u8]> + ?Sized>(level: Level, input: &T) -> Self {
        Self::of(input.as_ref(), Some(level))
    }
}

impl Counts {
    fn of(input: &[u8], level: Option<Level>) -> Self {
        let report = driver::inspect::inspect::<Occurrences>(input, level);
        let (counts, first) = report.tables();
        Self { kinds: Kinds(report.kinds()), counts, first }
    }

    /// The kinds that were found.
    #[must_use]
    pub const fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Total number of findings of these kinds.
    #[must_use]
    pub fn count(&self, kinds: Kinds) -> usize {
        self.of_kinds(kinds).map(|index| self.counts[index]).sum()
    }

    /// Offset of the first byte or triplet that is a finding of one of these kinds.
    #[must_use]
    pub fn first(&self, kinds: Kinds) -> Option<usize> {
        self.of_kinds(kinds).map(|index| self.first[index]).min()
    }

    fn of_kinds(&self, kinds: Kinds) -> impl Iterator<Item = usize> {
        let found = kinds.0 & self.kinds.0;
        (0..Kinds::ALL.len()).filter(move |index| found >> index & 1 != 0)
    }

    /// Like [`inspect_counting`], on the given level.
    #[must_use]
    pub fn on<T: AsRef<[u8]> + ?Sized>(level: Level, input: &T) -> Self {
        Self::of(input.as_ref(), Some(level))
    }
}

impl Kinds {
    /// All kinds, with their names.
    pub const ALL: [(Self, &'static str); 14] = [
        (Findings::ESCAPE, "escape"),
        (Findings::PLUS, "plus"),
        (Findings::MALFORMED, "malformed"),
        (Findings::NUL, "nul"),
        (Findings::CONTROL, "control"),
        (Findings::SLASH, "slash"),
        (Findings::BACKSLASH, "backslash"),
        (Findings::DOT, "dot"),
        (Findings::PERCENT, "percent"),
        (Findings::UNRESERVED, "unreserved"),
        (Findings::LOWER_HEX, "lower-hex"),
        (Findings::NON_ASCII, "non-ascii"),
        (Findings::ILLEGAL, "illegal"),
        (Findings::INVALID_UTF8, "invalid-utf8"),
    ];

    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set as bits: bit `n` is that of `Kinds::ALL[n]`.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits.
    #[cfg(feature = "alloc")]
    pub(crate) const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The kinds in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
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

    /// The names of the kinds in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(move |&(kind, _)| self.contains(kind)).map(|(_, name)| name)
    }
}

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

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

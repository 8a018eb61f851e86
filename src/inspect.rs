//! `Findings`: properties of a string that matter before decoding it.
#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign};
use core::str::FromStr;

use crate::driver;
use crate::driver::inspect::{Occurrences, Presence, Tables, Walk};
use crate::input::Input;
use crate::level::Level;

/// Inspects a string in one pass, for what a proxy may want to reject or a log analyst to count:
/// double encoding, NUL, invalid UTF-8 and [other kinds](Findings). Does not allocate. Linear, with
/// SIMD.
///
/// Some kinds, such as dot segments, are [looked for on request](Kinds::ON_REQUEST), by a second
/// search.
///
/// ```
/// use simdpct::{Findings, inspect};
///
/// let findings = inspect("/static/..%252f%c0%af");
/// assert!(findings.contains(Findings::PERCENT | Findings::INVALID_UTF8));
/// assert!(!findings.intersects(Findings::NUL | Findings::SLASH));
/// assert_eq!(findings.first(), Some(10));
/// assert_eq!(findings.first_of(Findings::INVALID_UTF8), Some(15));
/// assert!(findings.contains(Findings::DOUBLE));
/// assert!(inspect("/plain/path?q=1").is_empty());
/// ```
#[must_use]
pub fn inspect<T: Input + ?Sized>(input: &T) -> Findings<'_> {
    Findings::of(input.as_bytes(), None)
}

/// Like [`inspect`], and counts each kind of finding, except those that are [looked for on
/// request](Kinds::ON_REQUEST); for them, see [`Counts::among`].
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
pub fn inspect_counting<T: Input + ?Sized>(input: &T) -> Counts {
    Counts::among(Kinds::EVERY.without(Kinds::ON_REQUEST), input)
}

/// Result of [`inspect`]: the [`Kinds`] found, and an iterator over the findings.
///
/// Keeps a reference to the input, in which it looks for positions on demand. To store a result for
/// longer, store its [`kinds`](Self::kinds), or [`Counts`], which own all they hold.
///
/// Methods that are given kinds look for these. Methods that are not are about all kinds but those
/// [on request](Kinds::ON_REQUEST).
///
/// ```
/// use simdpct::{Findings, inspect};
///
/// for finding in inspect("/%2e%2E/%00") {
///     println!("at byte {}: {:?}", finding.position, finding.kinds);
/// }
/// let mut findings = inspect("/%2e%2E/%00").iter().map(|finding| (finding.position, finding.kinds));
/// assert_eq!(
///     findings.next(),
///     Some((1, Findings::ESCAPE | Findings::DOT | Findings::UNRESERVED | Findings::LOWER_HEX))
/// );
/// assert_eq!(findings.next(), Some((4, Findings::ESCAPE | Findings::DOT | Findings::UNRESERVED)));
/// assert_eq!(findings.next(), Some((8, Findings::ESCAPE | Findings::NUL | Findings::CONTROL)));
/// assert_eq!(findings.next(), None);
/// ```
#[derive(Clone, Copy)]
pub struct Findings<'a> {
    input: &'a [u8],
    /// Without those on request.
    kinds: Kinds,
    level: Option<Level>,
}

/// A byte or triplet that is a finding; an item of [`Findings`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Its kinds, at least one.
    pub kinds: Kinds,
    /// Its byte offset in the input.
    pub position: usize,
}

/// Iterator over the findings of a string in order; returned by [`Findings::iter`].
///
/// Each byte or triplet that is a finding is one item, with all its kinds. An ill-formed UTF-8
/// sequence is [`INVALID_UTF8`](Findings::INVALID_UTF8) once, where it begins. Linear; text without
/// findings is skipped with SIMD.
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct FindingsIter<'a> {
    walk: Walk<'a>,
}

/// Result of [`inspect_counting`]: the count and first position of each kind that was looked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Counts {
    kinds: Kinds,
    tables: Tables,
}

/// A set of kinds of findings: the constants of [`Findings`], combined with `|` and `&`.
///
/// ```
/// use simdpct::{Findings, Kinds};
///
/// const REFUSED: Kinds = Findings::NUL.union(Findings::PERCENT);
/// assert_eq!(REFUSED.names().collect::<Vec<_>>(), ["nul", "percent"]);
/// assert!(REFUSED.iter().eq([Findings::NUL, Findings::PERCENT]));
///
/// assert_eq!("nul,percent".parse(), Ok(REFUSED));
/// ```
#[derive(Clone, Copy, Default, Eq, Hash, PartialEq)]
pub struct Kinds(u32);

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

impl Findings<'_> {
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
    /// A triplet that encodes `?` or `#`, which would end the path if it were decoded.
    pub const PATH_END: Kinds = Kinds(1 << 10);
    /// A `;`, raw or encoded: it begins parameters of a segment (RFC 3986 3.3), which servlet
    /// containers remove.
    pub const SEMICOLON: Kinds = Kinds(1 << 11);
    /// A triplet with a lower-case digit, which is not normal (RFC 3986 6.2.2.1).
    pub const LOWER_HEX: Kinds = Kinds(1 << 12);
    /// A raw non-ASCII byte (0x80 to 0xFF).
    pub const NON_ASCII: Kinds = Kinds(1 << 13);
    /// A raw byte that is not allowed in a URI (RFC 3986 2): all but reserved and unreserved
    /// characters and `%`. Includes all non-ASCII bytes.
    pub const ILLEGAL: Kinds = Kinds(1 << 14);
    /// Invalid UTF-8 once decoded, overlong forms and surrogates included: each maximal subpart of
    /// an ill-formed sequence (Unicode 3.9), at the byte or triplet where it begins.
    pub const INVALID_UTF8: Kinds = Kinds(1 << 15);
    /// A dot segment: `.` or `..` as a whole segment (RFC 3986 3.3), its dots raw, encoded or
    /// mixed, at the first of them.
    ///
    /// The string is split into segments as decoded once: a segment begins with the string or after
    /// a `/` or `\`, raw or encoded, and ends before the next of them, at `;`, `?` or `#`, raw or
    /// encoded, or with the string. The query is no exception: the second `..` of `?f=../../x` is a
    /// dot segment. [On request](Kinds::ON_REQUEST).
    pub const DOT_SEGMENT: Kinds = Kinds(1 << 16);
    /// An empty segment: a `/` or `\`, raw or encoded, directly after another one; at the second.
    ///
    /// After a colon, raw or encoded, two are not a finding: in logs, nearly all are those of
    /// `https://`, also in queries (`?to=https%3A%2F%2F`). A path may hide an empty segment there;
    /// [`EmptySegments`](crate::path::EmptySegments) makes no such exception. The slashes at the
    /// start (`//host`) and at the end (`/a//`) of a string count. [On request](Kinds::ON_REQUEST).
    pub const EMPTY_SEGMENT: Kinds = Kinds(1 << 17);
    /// A triplet that encodes `%`, followed by two hexadecimal digits: a triplet in a second layer
    /// of encoding (`%252F`). A subset of [`PERCENT`](Self::PERCENT). [On
    /// request](Kinds::ON_REQUEST).
    pub const DOUBLE: Kinds = Kinds(1 << 18);
    /// A `%u` with four hexadecimal digits: a code unit of UTF-16, as ECMAScript's `unescape`
    /// decodes (ECMA-262 B.2.1.2). A subset of [`MALFORMED`](Self::MALFORMED). [On
    /// request](Kinds::ON_REQUEST).
    pub const UNICODE: Kinds = Kinds(1 << 19);
}

impl<'a> Findings<'a> {
    pub(crate) fn of(input: &'a [u8], level: Option<Level>) -> Self {
        Self { input, kinds: Kinds(driver::inspect::inspect::<Presence>(input, level).kinds()), level }
    }

    /// The kinds that were found, of all but those [on request](Kinds::ON_REQUEST).
    #[must_use]
    pub const fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// The kinds among `wanted` that were found. Linear if a kind [on request](Kinds::ON_REQUEST)
    /// is wanted, which is searched for at each call; else constant.
    ///
    /// ```
    /// use simdpct::{Findings, Kinds, inspect};
    ///
    /// let findings = inspect("/a/%2e%2e/%00");
    /// let wanted = Findings::NUL | Findings::DOT_SEGMENT | Findings::EMPTY_SEGMENT;
    /// assert_eq!(findings.kinds_among(wanted), Findings::NUL | Findings::DOT_SEGMENT);
    /// assert_eq!(findings.kinds_among(Kinds::EVERY), findings.kinds() | Findings::DOT_SEGMENT);
    /// ```
    #[must_use]
    #[inline]
    pub fn kinds_among(&self, wanted: Kinds) -> Kinds {
        Kinds(self.kinds.0 & wanted.0 | driver::inspect::requested_kinds(self.input, self.kinds.0, wanted.0))
    }

    /// Whether all of `kinds` were found. Takes as long as [`kinds_among`](Self::kinds_among).
    #[must_use]
    pub fn contains(&self, kinds: Kinds) -> bool {
        self.kinds_among(kinds) == kinds
    }

    /// Whether any of `kinds` was found. Takes as long as [`kinds_among`](Self::kinds_among).
    #[must_use]
    pub fn intersects(&self, kinds: Kinds) -> bool {
        self.kinds.intersects(kinds) || !self.kinds_among(kinds).is_empty()
    }

    /// Whether nothing was found, of all kinds but those [on request](Kinds::ON_REQUEST).
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Offset of the first byte or triplet that is a finding, of all kinds but those [on
    /// request](Kinds::ON_REQUEST). Linear in it.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.iter().next().map(|finding| finding.position)
    }

    /// Offset of the first byte or triplet that is a finding of one of these kinds. Linear in it,
    /// and constant if there is none; in addition takes as long as
    /// [`kinds_among`](Self::kinds_among).
    #[must_use]
    pub fn first_of(&self, kinds: Kinds) -> Option<usize> {
        self.iter_among(kinds).next().map(|finding| finding.position)
    }

    /// Returns an iterator over the findings, in the order of their positions: of all kinds but
    /// those [on request](Kinds::ON_REQUEST).
    pub fn iter(&self) -> FindingsIter<'a> {
        self.iter_among(Kinds::EVERY.without(Kinds::ON_REQUEST))
    }

    /// Returns an iterator over the findings of these kinds, in the order of their positions. Other
    /// kinds of a finding are left out.
    ///
    /// ```
    /// use simdpct::{Findings, inspect};
    ///
    /// let findings = inspect("/a/%2e%2e/b/./%00");
    /// let wanted = Findings::NUL | Findings::DOT_SEGMENT;
    /// let found: Vec<_> = findings.iter_among(wanted).map(|finding| (finding.position, finding.kinds)).collect();
    /// assert_eq!(found, [(3, Findings::DOT_SEGMENT), (12, Findings::DOT_SEGMENT), (14, Findings::NUL)]);
    /// ```
    pub fn iter_among(&self, kinds: Kinds) -> FindingsIter<'a> {
        let found = self.kinds_among(kinds);
        FindingsIter { walk: Walk::new(if found.is_empty() { &[] } else { self.input }, found.0, self.level) }
    }

    /// Like [`inspect`], on the given level.
    #[must_use]
    pub fn on<T: Input + ?Sized>(level: Level, input: &'a T) -> Self {
        Self::of(input.as_bytes(), Some(level))
    }
}

impl<'a> IntoIterator for Findings<'a> {
    type Item = Finding;
    type IntoIter = FindingsIter<'a>;

    fn into_iter(self) -> FindingsIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Findings<'a> {
    type Item = Finding;
    type IntoIter = FindingsIter<'a>;

    fn into_iter(self) -> FindingsIter<'a> {
        self.iter()
    }
}

impl Iterator for FindingsIter<'_> {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        self.walk.next().map(|(position, kinds)| Finding { kinds: Kinds(kinds), position })
    }
}

impl FusedIterator for FindingsIter<'_> {}

/// Prints the kinds, and the offset of the first finding.
impl fmt::Debug for Findings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Findings").field("kinds", &self.kinds).field("first", &self.first()).finish_non_exhaustive()
    }
}

impl fmt::Debug for FindingsIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindingsIter").field("position", &self.walk.position()).finish_non_exhaustive()
    }
}

impl Counts {
    fn of(input: &[u8], kinds: Kinds, level: Option<Level>) -> Self {
        let mut report = driver::inspect::inspect::<Occurrences>(input, level);
        driver::inspect::count_requested(input, kinds.0, &mut report);
        let tables = report.tables().copied().unwrap_or_default();
        Self { kinds: Kinds(report.kinds()) & kinds, tables }
    }

    /// Like [`inspect_counting`], for these kinds only: those [on request](Kinds::ON_REQUEST) take
    /// a second search.
    ///
    /// ```
    /// use simdpct::{Counts, Findings, Kinds};
    ///
    /// let counts = Counts::among(Kinds::EVERY, "/a/../b//%2e/%252e");
    /// assert_eq!((counts.count(Findings::DOT_SEGMENT), counts.first(Findings::DOT_SEGMENT)), (2, Some(3)));
    /// assert_eq!((counts.count(Findings::EMPTY_SEGMENT), counts.first(Findings::DOUBLE)), (1, Some(13)));
    /// ```
    #[must_use]
    pub fn among<T: Input + ?Sized>(kinds: Kinds, input: &T) -> Self {
        Self::of(input.as_bytes(), kinds, None)
    }

    /// The kinds that were found.
    #[must_use]
    pub const fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Total number of findings of these kinds.
    #[must_use]
    pub fn count(&self, kinds: Kinds) -> usize {
        self.of_kinds(kinds).map(|index| self.tables.counts[index]).sum()
    }

    /// Offset of the first byte or triplet that is a finding of one of these kinds.
    #[must_use]
    pub fn first(&self, kinds: Kinds) -> Option<usize> {
        self.of_kinds(kinds).map(|index| self.tables.first[index]).min()
    }

    fn of_kinds(&self, kinds: Kinds) -> impl Iterator<Item = usize> {
        let found = kinds.0 & self.kinds.0;
        (0..Kinds::ALL.len()).filter(move |index| found >> index & 1 != 0)
    }

    /// Like [`inspect_counting`], on the given level.
    #[must_use]
    pub fn on<T: Input + ?Sized>(level: Level, input: &T) -> Self {
        Self::among_on(level, Kinds::EVERY.without(Kinds::ON_REQUEST), input)
    }

    /// Like [`among`](Self::among), on the given level.
    #[must_use]
    pub fn among_on<T: Input + ?Sized>(level: Level, kinds: Kinds, input: &T) -> Self {
        Self::of(input.as_bytes(), kinds, Some(level))
    }
}

impl Kinds {
    /// All kinds with their names, in the order of their [bits](Self::bits).
    pub const ALL: &'static [(Self, &'static str)] = &[
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
        (Findings::PATH_END, "path-end"),
        (Findings::SEMICOLON, "semicolon"),
        (Findings::LOWER_HEX, "lower-hex"),
        (Findings::NON_ASCII, "non-ascii"),
        (Findings::ILLEGAL, "illegal"),
        (Findings::INVALID_UTF8, "invalid-utf8"),
        (Findings::DOT_SEGMENT, "dot-segment"),
        (Findings::EMPTY_SEGMENT, "empty-segment"),
        (Findings::DOUBLE, "double"),
        (Findings::UNICODE, "unicode"),
    ];

    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of all kinds.
    pub const EVERY: Self = Self((1 << Self::ALL.len()) - 1);

    /// The kinds that are looked for on request only:
    /// [`DOT_SEGMENT`](Findings::DOT_SEGMENT), [`EMPTY_SEGMENT`](Findings::EMPTY_SEGMENT),
    /// [`DOUBLE`](Findings::DOUBLE) and [`UNICODE`](Findings::UNICODE).
    ///
    /// They depend on several bytes or triplets in sequence, so that they take a second search. A
    /// method of [`Findings`] looks for them if it is given them; [`Counts::among`] counts them.
    pub const ON_REQUEST: Self = Self(driver::inspect::ON_REQUEST);

    /// The set as bits: bit `n` is that of `Kinds::ALL[n]`. The bit of a kind never changes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The set with these [bits](Self::bits), or `None` if one is not the bit of a kind.
    ///
    /// ```
    /// use simdpct::{Findings, Kinds};
    ///
    /// assert_eq!(Kinds::from_bits(0b1001), Some(Findings::ESCAPE | Findings::NUL));
    /// assert_eq!(Kinds::from_bits(1 << 31), None);
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        if bits >> Self::ALL.len() == 0 { Some(Self(bits)) } else { None }
    }

    /// The set with these [bits](Self::bits), without those that are not the bit of a kind.
    ///
    /// ```
    /// use simdpct::{Findings, Kinds};
    ///
    /// assert_eq!(Kinds::from_bits_truncate(1 << 31 | 1), Findings::ESCAPE);
    /// ```
    #[must_use]
    pub const fn from_bits_truncate(bits: u32) -> Self {
        Self(bits & Self::EVERY.0)
    }

    /// The set of the kinds in `report`.
    #[cfg(feature = "alloc")]
    pub(crate) fn of_report(report: &driver::inspect::Report) -> Self {
        Self(report.kinds())
    }

    /// The kind with this name.
    ///
    /// ```
    /// use simdpct::{Findings, Kinds};
    ///
    /// assert_eq!(Kinds::from_name("lower-hex"), Some(Findings::LOWER_HEX));
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
/// use simdpct::{Findings, Kinds};
///
/// assert_eq!("nul, percent".parse(), Ok(Findings::NUL | Findings::PERCENT));
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

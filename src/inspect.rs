//! `Findings`: properties of a string that matter before decoding it.
#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;

use crate::driver;
use crate::driver::inspect::{Occurrences, Presence, Tables, Walk};
use crate::input::Input;
use crate::kinds::Kinds;
use crate::level::Level;

const _: () = assert!(Kinds::ON_REQUEST.0 == driver::inspect::ON_REQUEST);

/// Inspects a string in one pass, for patterns that a proxy may want to reject or a log analyst to
/// count: double encoding, NUL, invalid UTF-8 and [other kinds](Kinds). Does not allocate. Linear,
/// with SIMD.
///
/// Some kinds, such as dot segments, are [looked for on request](Kinds::ON_REQUEST), by a second
/// search.
///
/// ```
/// use simdpct::{Kinds, inspect};
///
/// let findings = inspect("/static/..%252f%c0%af");
/// assert!(findings.contains(Kinds::PERCENT | Kinds::INVALID_UTF8));
/// assert!(!findings.intersects(Kinds::NUL | Kinds::SLASH));
/// assert_eq!(findings.first(), Some(10));
/// assert_eq!(findings.first_of(Kinds::INVALID_UTF8), Some(15));
/// assert!(findings.contains(Kinds::DOUBLE));
/// assert!(inspect("/plain/path?q=1").is_empty());
/// ```
///
/// # When to use it
///
/// To know what is in a string without changing it: to count attacks in a log, or to refuse
/// requests by findings. To forward requests, make the path canonical with a
/// [`PathPolicy`](crate::path::PathPolicy) or a [`RequestGuard`](crate::path::RequestGuard), which
/// refuse the same kinds. To learn only whether a string can be decoded, use
/// [`Decoder::check`](crate::Decoder::check).
///
/// # Choosing a form
///
/// | you want | use |
/// |---|---|
/// | whether there is a finding of some kinds | [`Findings::intersects`] |
/// | the first one, or all in order | [`Findings::first_of`], [`Findings::iter_among`] |
/// | how many of each kind | [`inspect_counting`], or [`Counts::among`] with the kinds on request |
/// | a result that does not borrow the string | [`Findings::kinds`], or [`Counts`] |
/// | the kinds of each row of a column | `columns::inspect` |
///
/// # Example: suspicious requests of an access log
///
/// ```
/// use simdpct::{Kinds, inspect};
///
/// const SUSPICIOUS: Kinds =
///     Kinds::NUL.union(Kinds::CONTROL).union(Kinds::INVALID_UTF8).union(Kinds::DOUBLE).union(Kinds::DOT_SEGMENT);
///
/// let log = [
///     "/wiki/%D0%91%D0%B5%D0%BB%D1%8B%D0%B5_%D0%BD%D0%BE%D1%87%D0%B8",
///     "/search?q=rock+%26+roll&sort=date",
///     "/scripts/..%c0%af../winnt/system32/cmd.exe?/c+dir",
///     "/view?file=..%5C..%5Cwindows%5Cwin.ini",
///     "/download?file=report.pdf%00.exe",
///     "/files/a%252Fb.txt",
/// ];
/// let suspicious = log.map(|target| inspect(target).kinds_among(SUSPICIOUS));
/// assert!(suspicious[..2].iter().all(|kinds| kinds.is_empty()));
/// assert_eq!(suspicious[2], Kinds::INVALID_UTF8);
/// assert_eq!(suspicious[3], Kinds::DOT_SEGMENT);
/// assert_eq!(suspicious[4], Kinds::NUL | Kinds::CONTROL);
/// assert_eq!(suspicious[5], Kinds::DOUBLE);
/// ```
///
/// # Mistakes
///
/// * **To refuse every string with a finding.** Most findings are harmless: a triplet
///   ([`ESCAPE`](Kinds::ESCAPE)), a `+`, a raw `é`. Say which kinds you refuse.
/// * **To look for [`DOT_SEGMENT`](Kinds::DOT_SEGMENT) in [`Findings::kinds`].** Kinds on request
///   are found by methods that are given kinds, such as [`Findings::contains`].
/// * **To inspect decoded text.** A `%00` that was decoded is a raw byte 0, an
///   [`ILLEGAL`](Kinds::ILLEGAL) byte like others. The kinds describe the encoded string.
/// * **To inspect a whole target and refuse kinds of paths.** A `;` or an encoded slash is harmless
///   in a query. Split the target first, as [`RequestGuard`](crate::path::RequestGuard) does.
#[must_use]
pub fn inspect<T: Input + ?Sized>(input: &T) -> Findings<'_> {
    Findings::of(input.as_bytes(), None)
}

/// Like [`inspect`], and counts each kind of finding, except those that are [looked for on
/// request](Kinds::ON_REQUEST); for them, see [`Counts::among`].
///
/// ```
/// use simdpct::{Kinds, inspect_counting};
///
/// let counts = inspect_counting("/%2e%2E/%00");
/// assert_eq!(counts.count(Kinds::DOT), 2);
/// assert_eq!(counts.count(Kinds::LOWER_HEX), 1);
/// assert_eq!(counts.first(Kinds::NUL), Some(8));
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
/// use simdpct::{Kinds, inspect};
///
/// for finding in inspect("/%2e%2E/%00") {
///     println!("at byte {}: {:?}", finding.position, finding.kinds);
/// }
/// let mut findings = inspect("/%2e%2E/%00").iter().map(|finding| (finding.position, finding.kinds));
/// assert_eq!(
///     findings.next(),
///     Some((1, Kinds::ESCAPE | Kinds::DOT | Kinds::UNRESERVED | Kinds::LOWER_HEX))
/// );
/// assert_eq!(findings.next(), Some((4, Kinds::ESCAPE | Kinds::DOT | Kinds::UNRESERVED)));
/// assert_eq!(findings.next(), Some((8, Kinds::ESCAPE | Kinds::NUL | Kinds::CONTROL)));
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
/// sequence is [`INVALID_UTF8`](Kinds::INVALID_UTF8) once, where it begins. Linear; text without
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
    /// use simdpct::{Kinds, inspect};
    ///
    /// let findings = inspect("/a/%2e%2e/%00");
    /// let wanted = Kinds::NUL | Kinds::DOT_SEGMENT | Kinds::EMPTY_SEGMENT;
    /// assert_eq!(findings.kinds_among(wanted), Kinds::NUL | Kinds::DOT_SEGMENT);
    /// assert_eq!(findings.kinds_among(Kinds::EVERY), findings.kinds() | Kinds::DOT_SEGMENT);
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
    /// use simdpct::{Kinds, inspect};
    ///
    /// let findings = inspect("/a/%2e%2e/b/./%00");
    /// let wanted = Kinds::NUL | Kinds::DOT_SEGMENT;
    /// let found: Vec<_> = findings.iter_among(wanted).map(|finding| (finding.position, finding.kinds)).collect();
    /// assert_eq!(found, [(3, Kinds::DOT_SEGMENT), (12, Kinds::DOT_SEGMENT), (14, Kinds::NUL)]);
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
    /// use simdpct::{Counts, Kinds};
    ///
    /// let counts = Counts::among(Kinds::EVERY, "/a/../b//%2e/%252e");
    /// assert_eq!((counts.count(Kinds::DOT_SEGMENT), counts.first(Kinds::DOT_SEGMENT)), (2, Some(3)));
    /// assert_eq!((counts.count(Kinds::EMPTY_SEGMENT), counts.first(Kinds::DOUBLE)), (1, Some(13)));
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

//! The parser of forms (WHATWG URL 5.1): its views, from decoded text to the bytes as they stand.
#![forbid(unsafe_code)]

use core::iter::FusedIterator;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

use crate::driver::form::Pairs;
use crate::level::Level;
#[cfg(feature = "alloc")]
use crate::{
    DecodeError, Decoder,
    driver::form::Part,
    driver::form_decode::{decode_part, decode_part_lossy},
};

/// The pairs as they stand in the input, neither decoded nor checked (WHATWG URL 5.1, steps 1 to 3.4).
///
/// A pair without `=` has an empty value, as one with nothing behind it.
///
/// ```
/// let pairs: Vec<_> = simdpct::form::split("a=%31&&b").collect();
/// assert_eq!(pairs, [(&b"a"[..], &b"%31"[..]), (b"b", b"")]);
/// ```
#[must_use]
#[inline]
pub fn split<T: AsRef<[u8]> + ?Sized>(input: &T) -> Split<'_> {
    Split { pairs: Pairs::new(input.as_ref(), None) }
}

/// The pairs as text: strict triplets, strict UTF-8.
///
/// A pair with an error does not end the iteration. Its [`position`](DecodeError::position) counts from the start of the
/// input. Of a pair with two errors, the first is reported.
///
/// ```
/// use simdpct::{DecodeErrorKind, form};
///
/// let pairs: Vec<_> = form::parse("a=1+2&b=100%&c=%63").collect();
/// assert_eq!(pairs[0], Ok(("a".into(), "1 2".into())));
/// let error = pairs[1].as_ref().unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::Malformed, 11));
/// assert_eq!(pairs[2], Ok(("c".into(), "c".into())));
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn parse<T: AsRef<[u8]> + ?Sized>(input: &T) -> Parse<'_> {
    Parse { pairs: Pairs::new(input.as_ref(), None) }
}

/// The pairs as text whatever comes, as the standard has it (WHATWG URL 5.1): a malformed `%` stays, and U+FFFD stands for
/// what is not well-formed UTF-8. A byte order mark is a character like any other.
///
/// ```
/// let pairs: Vec<_> = simdpct::form::parse_lossy("a=100%&%FFb").collect();
/// assert_eq!(pairs, [("a".into(), "100%".into()), ("\u{FFFD}b".into(), "".into())]);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn parse_lossy<T: AsRef<[u8]> + ?Sized>(input: &T) -> ParseLossy<'_> {
    ParseLossy { pairs: Pairs::new(input.as_ref(), None) }
}

/// The pairs as bytes, which need not be text: what the standard has before it decodes UTF-8 (WHATWG URL 5.1, steps 1 to 3.5
/// and percent-decoding). A malformed `%` stays.
///
/// ```
/// use simdpct::form;
///
/// assert_eq!(form::parse_bytes("hash=%00%FF%2").get("hash").as_deref(), Some(&b"\0\xFF%2"[..]));
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn parse_bytes<T: AsRef<[u8]> + ?Sized>(input: &T) -> ParseBytes<'_> {
    ParseBytes { pairs: Pairs::new(input.as_ref(), None) }
}

/// The iterator of [`split`].
#[derive(Clone, Debug)]
pub struct Split<'a> {
    pairs: Pairs<'a>,
}

/// The iterator of [`parse`]. It remembers where it is, so that [`get`](Self::get) looks among the pairs to come.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct Parse<'a> {
    pairs: Pairs<'a>,
}

/// The iterator of [`parse_lossy`]. It remembers where it is, so that [`get`](Self::get) looks among the pairs to come.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct ParseLossy<'a> {
    pairs: Pairs<'a>,
}

/// The iterator of [`parse_bytes`]. It remembers where it is, so that [`get`](Self::get) looks among the pairs to come.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct ParseBytes<'a> {
    pairs: Pairs<'a>,
}

impl Split<'_> {
    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }
}

#[cfg(feature = "alloc")]
impl<'a> Parse<'a> {
    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }

    /// The value of the first pair of this name, if there is one. Other pairs may hold errors.
    ///
    /// # Errors
    ///
    /// The first error in that pair.
    ///
    /// ```
    /// use simdpct::form;
    ///
    /// assert_eq!(form::parse("a=%&b=%31").get("b")?.as_deref(), Some("1"));
    /// assert_eq!(form::parse("a=%&b=%31").get("a").unwrap_err().position, 2);
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn get(&self, name: &str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        self.get_all(name).next().transpose()
    }

    /// The values of all pairs of this name, in order; see [`get`](Self::get).
    pub fn get_all<'n>(
        &self,
        name: &'n str,
    ) -> impl Iterator<Item = Result<Cow<'a, str>, DecodeError>> + Clone + use<'a, 'n> {
        let pairs = self.pairs.clone();
        let found = Found { pairs: pairs.clone(), name: name.as_bytes() };
        found.map(move |pair| Ok(strict_pair(&pairs, pair)?.1))
    }
}

#[cfg(feature = "alloc")]
impl<'a> ParseLossy<'a> {
    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }

    /// The value of the first pair of this name.
    ///
    /// ```
    /// use simdpct::form;
    ///
    /// assert_eq!(form::parse_lossy("a=1&b=2&a=3").get("a").as_deref(), Some("1"));
    /// assert_eq!(form::parse_lossy("a=1&b=2&a=3").get("c"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get_all(name).next()
    }

    /// The values of all pairs of this name, in order.
    pub fn get_all<'n>(&self, name: &'n str) -> impl Iterator<Item = Cow<'a, str>> + Clone + use<'a, 'n> {
        // A name that is not UTF-8 stands for another text than its bytes.
        let level = self.pairs.level();
        LossyFound { pairs: self.pairs.clone(), name }.map(move |(_, value)| lossy(value, level))
    }
}

#[cfg(feature = "alloc")]
impl<'a> ParseBytes<'a> {
    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }

    /// The value of the first pair of this name.
    #[must_use]
    pub fn get<T: AsRef<[u8]> + ?Sized>(&self, name: &T) -> Option<Cow<'a, [u8]>> {
        self.get_all(name).next()
    }

    /// The values of all pairs of this name, in order.
    pub fn get_all<'n, T: AsRef<[u8]> + ?Sized>(
        &self,
        name: &'n T,
    ) -> impl Iterator<Item = Cow<'a, [u8]>> + Clone + use<'a, 'n, T> {
        let level = self.pairs.level();
        Found { pairs: self.pairs.clone(), name: name.as_ref() }.map(move |(_, value)| bytes(value, level))
    }
}

// A pair takes fewer instructions to find than to be handed over in memory, which is how a call would return it: so `next` is always
// inlined, here and below.
impl<'a> Iterator for Split<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next().map(|(name, value)| (name.bytes(), value.bytes()))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

#[cfg(feature = "alloc")]
impl<'a> Iterator for Parse<'a> {
    type Item = Result<(Cow<'a, str>, Cow<'a, str>), DecodeError>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let pair = self.pairs.next()?;
        Some(strict_pair(&self.pairs, pair))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

#[cfg(feature = "alloc")]
impl<'a> Iterator for ParseLossy<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.pairs.next()?;
        let level = self.pairs.level();
        Some((lossy(name, level), lossy(value, level)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

#[cfg(feature = "alloc")]
impl<'a> Iterator for ParseBytes<'a> {
    type Item = (Cow<'a, [u8]>, Cow<'a, [u8]>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let level = self.pairs.level();
        self.pairs.next().map(|(name, value)| (bytes(name, level), bytes(value, level)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

impl FusedIterator for Split<'_> {}
#[cfg(feature = "alloc")]
impl FusedIterator for Parse<'_> {}
#[cfg(feature = "alloc")]
impl FusedIterator for ParseLossy<'_> {}
#[cfg(feature = "alloc")]
impl FusedIterator for ParseBytes<'_> {}

#[cfg(feature = "alloc")]
const STRICT: Decoder = Decoder::new().plus_for_space();

/// The text of a part, or its first error, counted from its own start.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn strict(part: Part<'_>, level: Option<Level>) -> Result<Cow<'_, str>, DecodeError> {
    match part.plain_text() {
        Some(text) => Ok(Cow::Borrowed(text)),
        None => decode_strict(part.bytes(), level),
    }
}

#[cfg(feature = "alloc")]
#[inline]
pub(super) fn lossy(part: Part<'_>, level: Option<Level>) -> Cow<'_, str> {
    match part.plain_text() {
        Some(text) => Cow::Borrowed(text),
        None => decode_lossy(part.bytes(), level).unwrap_or_default(),
    }
}

#[cfg(feature = "alloc")]
#[inline]
pub(super) fn bytes(part: Part<'_>, level: Option<Level>) -> Cow<'_, [u8]> {
    if part.is_plain() { Cow::Borrowed(part.bytes()) } else { decode_bytes(part.bytes(), level).unwrap_or_default() }
}

// Out of line, so that the loops over plain pairs stay small. That the results come as `Option` or `Result` keeps the plain
// ones in registers: a `Cow` would be returned to where the caller builds its pair, and reading that back in one piece waits
// for the stores.
#[cfg(feature = "alloc")]
#[inline(never)]
fn decode_strict(part: &[u8], level: Option<Level>) -> Result<Cow<'_, str>, DecodeError> {
    level.map_or(STRICT, |level| STRICT.level(level)).decode_utf8(part)
}

#[cfg(feature = "alloc")]
#[inline(never)]
fn decode_lossy(part: &[u8], level: Option<Level>) -> Option<Cow<'_, str>> {
    Some(decode_part_lossy(part, level))
}

#[cfg(feature = "alloc")]
#[inline(never)]
fn decode_bytes(part: &[u8], level: Option<Level>) -> Option<Cow<'_, [u8]>> {
    Some(decode_part(part, level))
}

#[cfg(feature = "alloc")]
#[inline]
fn strict_pair<'a>(
    pairs: &Pairs<'a>,
    (name, value): (Part<'a>, Part<'a>),
) -> Result<(Cow<'a, str>, Cow<'a, str>), DecodeError> {
    let decode = |part: Part<'a>| {
        strict(part, pairs.level()).map_err(|error| DecodeError::new(error.kind, pairs.offset(&part) + error.position))
    };
    Ok((decode(name)?, decode(value)?))
}

/// The pairs whose decoded name is these bytes.
#[cfg(feature = "alloc")]
#[derive(Clone)]
struct Found<'a, 'n> {
    pairs: Pairs<'a>,
    name: &'n [u8],
}

#[cfg(feature = "alloc")]
impl<'a> Iterator for Found<'a, '_> {
    type Item = (Part<'a>, Part<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (wanted, level) = (self.name, self.pairs.level());
        self.pairs.find(|(name, _)| {
            if name.is_plain() {
                name.bytes() == wanted
            } else {
                may_become(name.bytes(), wanted) && *bytes(*name, level) == *wanted
            }
        })
    }
}

/// The pairs whose name, decoded as the standard has it, is this text.
#[cfg(feature = "alloc")]
#[derive(Clone)]
struct LossyFound<'a, 'n> {
    pairs: Pairs<'a>,
    name: &'n str,
}

#[cfg(feature = "alloc")]
impl<'a> Iterator for LossyFound<'a, '_> {
    type Item = (Part<'a>, Part<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (wanted, level) = (self.name, self.pairs.level());
        self.pairs.find(|(name, _)| match name.plain_text() {
            Some(text) => text == wanted,
            None => lossy(*name, level) == wanted,
        })
    }
}

/// Whether a part of this length can be these bytes once it is decoded: each takes one byte or three.
#[cfg(feature = "alloc")]
#[inline]
fn may_become(part: &[u8], decoded: &[u8]) -> bool {
    decoded.len() <= part.len() && part.len().div_ceil(3) <= decoded.len()
}

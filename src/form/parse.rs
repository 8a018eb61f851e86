//! The form parser (WHATWG URL 5.1): four iterators, from encoded bytes to decoded text.
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

/// Splits a form into pairs, without decoding or validating them (WHATWG URL 5.1, steps 1 to 3.4).
///
/// A pair without `=` has an empty value, like a pair that ends with it.
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

/// Parses a form into pairs of text. Malformed triplets and invalid UTF-8 are errors.
///
/// An error in a pair does not end the iteration. Its [`position`](DecodeError::position) is
/// relative to the start of the input. If a pair has two errors, the first is reported.
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

/// Parses a form into pairs of text, per the standard (WHATWG URL 5.1). Never fails: a malformed
/// `%` is kept, and each maximal subpart of an ill-formed UTF-8 sequence becomes U+FFFD. A byte
/// order mark is not removed.
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

/// Parses a form into pairs of bytes: the standard's parser without UTF-8 decoding (WHATWG URL 5.1,
/// steps 1 to 3.5 and percent-decoding). A malformed `%` is kept.
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

/// Iterator of [`split`].
#[derive(Clone, Debug)]
pub struct Split<'a> {
    pairs: Pairs<'a>,
}

/// Iterator of [`parse`]. [`get`](Self::get) searches the pairs that it has not yet yielded.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct Parse<'a> {
    pairs: Pairs<'a>,
}

/// Iterator of [`parse_lossy`]. [`get`](Self::get) searches the pairs that it has not yet yielded.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct ParseLossy<'a> {
    pairs: Pairs<'a>,
}

/// Iterator of [`parse_bytes`]. [`get`](Self::get) searches the pairs that it has not yet yielded.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct ParseBytes<'a> {
    pairs: Pairs<'a>,
}

impl Split<'_> {
    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }
}

#[cfg(feature = "alloc")]
impl<'a> Parse<'a> {
    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }

    /// Returns the value of the first pair with this name, if any. Errors in other pairs are
    /// ignored.
    ///
    /// # Errors
    ///
    /// Returns the first error in that pair.
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

    /// Returns the values of all pairs with this name, in order; see [`get`](Self::get).
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
    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }

    /// Returns the value of the first pair with this name, if any.
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

    /// Returns the values of all pairs with this name, in order.
    pub fn get_all<'n>(&self, name: &'n str) -> impl Iterator<Item = Cow<'a, str>> + Clone + use<'a, 'n> {
        // Compares decoded text: a name with invalid UTF-8 decodes to U+FFFD.
        let level = self.pairs.level();
        LossyFound { pairs: self.pairs.clone(), name }.map(move |(_, value)| lossy(value, level))
    }
}

#[cfg(feature = "alloc")]
impl<'a> ParseBytes<'a> {
    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    #[inline]
    pub fn level(mut self, level: Level) -> Self {
        self.pairs.set_level(level);
        self
    }

    /// Returns the value of the first pair with this name, if any.
    #[must_use]
    pub fn get<T: AsRef<[u8]> + ?Sized>(&self, name: &T) -> Option<Cow<'a, [u8]>> {
        self.get_all(name).next()
    }

    /// Returns the values of all pairs with this name, in order.
    pub fn get_all<'n, T: AsRef<[u8]> + ?Sized>(
        &self,
        name: &'n T,
    ) -> impl Iterator<Item = Cow<'a, [u8]>> + Clone + use<'a, 'n, T> {
        let level = self.pairs.level();
        Found { pairs: self.pairs.clone(), name: name.as_ref() }.map(move |(_, value)| bytes(value, level))
    }
}

// `next` is always inlined, here and below: finding a pair is cheaper than returning it through
// memory.
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

/// Decodes a part to text. Error positions are relative to the part.
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

// Outlined, so that loops over plain pairs stay small. Returning `Option` or `Result` keeps plain
// pairs in registers: a `Cow` would be returned through a hidden pointer into the caller's pair,
// and reading the pair back in one load would fail store-to-load forwarding.
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

/// Iterator over the pairs whose decoded name equals `name`.
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

/// Iterator over the pairs whose lossily decoded name equals `name`.
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

/// Whether decoding `part` may yield `decoded`, judged by the lengths: each decoded byte takes one
/// or three bytes.
#[cfg(feature = "alloc")]
#[inline]
fn may_become(part: &[u8], decoded: &[u8]) -> bool {
    decoded.len() <= part.len() && part.len().div_ceil(3) <= decoded.len()
}

//! The form parser (WHATWG URL 5.1): four iterators, from encoded bytes to decoded text.
#![forbid(unsafe_code)]

use core::iter::FusedIterator;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::driver::form::Pairs;
use crate::input::Input;
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
pub fn split<T: Input + ?Sized>(input: &T) -> Split<'_> {
    Split { pairs: Pairs::new(input.as_bytes(), input.as_text().is_some()) }
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
pub fn parse<T: Input + ?Sized>(input: &T) -> Parse<'_> {
    Parse { pairs: Pairs::new(input.as_bytes(), input.as_text().is_some()) }
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
pub fn parse_lossy<T: Input + ?Sized>(input: &T) -> ParseLossy<'_> {
    ParseLossy { pairs: Pairs::new(input.as_bytes(), input.as_text().is_some()) }
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
pub fn parse_bytes<T: Input + ?Sized>(input: &T) -> ParseBytes<'_> {
    ParseBytes { pairs: Pairs::new(input.as_bytes(), input.as_text().is_some()) }
}

/// Iterator of [`split`]. A copy continues at the same pair.
#[derive(Clone, Copy, Debug)]
pub struct Split<'a> {
    pairs: Pairs<'a>,
}

/// Iterator of [`parse`]. [`get`](Self::get) searches the pairs that it has not yet yielded. A copy
/// continues at the same pair.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub struct Parse<'a> {
    pairs: Pairs<'a>,
}

/// Iterator of [`parse_lossy`]. [`get`](Self::get) searches the pairs that it has not yet yielded.
/// A copy continues at the same pair.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub struct ParseLossy<'a> {
    pairs: Pairs<'a>,
}

/// Iterator of [`parse_bytes`]. [`get`](Self::get) searches the pairs that it has not yet yielded.
/// A copy continues at the same pair.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub struct ParseBytes<'a> {
    pairs: Pairs<'a>,
}

/// The methods that all four iterators have.
macro_rules! level_and_rest {
    ($function:literal) => {
        /// Selects the level to run on. If the CPU lacks it, the best available level below it is
        /// used. The result is the same on every level.
        #[must_use]
        #[inline]
        pub fn level(mut self, level: Level) -> Self {
            self.pairs.set_level(level);
            self
        }

        /// The part of the form whose pairs have not yet been yielded.
        ///
        /// ```
        #[doc = concat!("let mut pairs = simdpct::form::", $function, "(\"a=1&b=2&c=3\");")]
        /// pairs.next();
        /// assert_eq!(pairs.rest(), b"b=2&c=3");
        /// ```
        #[must_use]
        #[inline]
        pub fn rest(&self) -> &'a [u8] {
            self.pairs.rest()
        }
    };
}

impl<'a> Split<'a> {
    level_and_rest!("split");
}

#[cfg(feature = "alloc")]
impl<'a> Parse<'a> {
    level_and_rest!("parse");

    /// Returns an iterator over the rest of the pairs as `String`s.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// let map: HashMap<String, String> = simdpct::form::parse("q=fish+%26+chips&page=2").into_owned().collect::<Result<_, _>>()?;
    /// assert_eq!(map["q"], "fish & chips");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn into_owned(self) -> IntoOwned<Self> {
        IntoOwned { pairs: self }
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
        let pairs = self.pairs;
        let found = Found { pairs, name: name.as_bytes() };
        found.map(move |pair| Ok(strict_pair(&pairs, pair)?.1))
    }
}

#[cfg(feature = "alloc")]
impl<'a> ParseLossy<'a> {
    level_and_rest!("parse_lossy");

    /// Returns an iterator over the rest of the pairs as `String`s.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// let map: HashMap<String, String> = simdpct::form::parse_lossy("q=fish+%26+chips&page=2").into_owned().collect();
    /// assert_eq!(map["q"], "fish & chips");
    /// ```
    #[must_use]
    #[inline]
    pub fn into_owned(self) -> IntoOwned<Self> {
        IntoOwned { pairs: self }
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
        LossyFound { pairs: self.pairs, name }.map(move |(_, value)| lossy(value, level))
    }
}

#[cfg(feature = "alloc")]
impl<'a> ParseBytes<'a> {
    level_and_rest!("parse_bytes");

    /// Returns an iterator over the rest of the pairs as byte vectors.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// let map: HashMap<Vec<u8>, Vec<u8>> = simdpct::form::parse_bytes("q=fish+%26+chips&page=2").into_owned().collect();
    /// assert_eq!(map[&b"q"[..]], b"fish & chips");
    /// ```
    #[must_use]
    #[inline]
    pub fn into_owned(self) -> IntoOwned<Self> {
        IntoOwned { pairs: self }
    }

    /// Returns the value of the first pair with this name, if any.
    #[must_use]
    pub fn get<T: Input + ?Sized>(&self, name: &T) -> Option<Cow<'a, [u8]>> {
        self.get_all(name).next()
    }

    /// Returns the values of all pairs with this name, in order.
    pub fn get_all<'n, T: Input + ?Sized>(
        &self,
        name: &'n T,
    ) -> impl Iterator<Item = Cow<'a, [u8]>> + Clone + use<'a, 'n, T> {
        let level = self.pairs.level();
        Found { pairs: self.pairs, name: name.as_bytes() }.map(move |(_, value)| bytes(value, level))
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

/// Iterator over owned pairs: the result of [`into_owned`](ParseLossy::into_owned).
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub struct IntoOwned<P> {
    pairs: P,
}

#[cfg(feature = "alloc")]
impl Iterator for IntoOwned<Parse<'_>> {
    type Item = Result<(String, String), DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next().map(|pair| pair.map(|(name, value)| (name.into_owned(), value.into_owned())))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

#[cfg(feature = "alloc")]
impl Iterator for IntoOwned<ParseLossy<'_>> {
    type Item = (String, String);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next().map(|(name, value)| (name.into_owned(), value.into_owned()))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

#[cfg(feature = "alloc")]
impl Iterator for IntoOwned<ParseBytes<'_>> {
    type Item = (Vec<u8>, Vec<u8>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next().map(|(name, value)| (name.into_owned(), value.into_owned()))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

#[cfg(feature = "alloc")]
impl FusedIterator for IntoOwned<Parse<'_>> {}
#[cfg(feature = "alloc")]
impl FusedIterator for IntoOwned<ParseLossy<'_>> {}
#[cfg(feature = "alloc")]
impl FusedIterator for IntoOwned<ParseBytes<'_>> {}

#[cfg(feature = "alloc")]
const STRICT: Decoder = Decoder::new().plus_for_space();

/// Decodes a part to text. Error positions are relative to the part.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn strict(part: Part<'_>, level: Option<Level>) -> Result<Cow<'_, str>, DecodeError> {
    match part.plain_text() {
        Some(text) => Ok(Cow::Borrowed(text)),
        None => decode_strict(part, level),
    }
}

#[cfg(feature = "alloc")]
#[inline]
pub(super) fn lossy(part: Part<'_>, level: Option<Level>) -> Cow<'_, str> {
    match part.plain_text() {
        Some(text) => Cow::Borrowed(text),
        None => decode_lossy(part, level).unwrap_or_default(),
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
fn decode_strict(part: Part<'_>, level: Option<Level>) -> Result<Cow<'_, str>, DecodeError> {
    let decoder = level.map_or(STRICT, |level| STRICT.level(level));
    decoder.decode_to_text(part.bytes(), part.text())
}

#[cfg(feature = "alloc")]
#[inline(never)]
fn decode_lossy(part: Part<'_>, level: Option<Level>) -> Option<Cow<'_, str>> {
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

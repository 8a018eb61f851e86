//! Encoding without allocating: `Encoded`, for formatting, and `Pieces`, an iterator.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};
use core::fmt;
use core::iter::FusedIterator;

use crate::driver::{self, EncodePlan};
use crate::level::Level;

/// An input to encode, for formatting: the result of [`Encoder::display`](crate::Encoder::display).
///
/// Formatting does not allocate. Runs of unchanged bytes are written from the input, unless they
/// are short. Width, alignment and precision are ignored. Each use takes linear time: the encoded
/// form is not stored.
///
/// ```
/// use simdpct::{Encoded, Encoder};
/// use std::borrow::Cow;
///
/// struct Link<'a> {
///     segment: Encoded<'a>,
///     query: Encoded<'a>,
/// }
///
/// let link = Link { segment: Encoder::PATH_SEGMENT.display("a/b"), query: Encoder::QUERY_VALUE.display("q") };
/// assert_eq!(format!("/{}?{}", link.segment, link.query), "/a%2Fb?q");
///
/// assert_eq!(link.segment.to_string(), "a%2Fb");
/// assert!(matches!(Cow::from(link.query), Cow::Borrowed("q")));
/// ```
#[derive(Clone, Copy)]
pub struct Encoded<'a> {
    input: &'a [u8],
    plan: &'a EncodePlan,
    level: Option<Level>,
}

impl<'a> Encoded<'a> {
    #[inline]
    pub(crate) const fn new(input: &'a [u8], plan: &'a EncodePlan, level: Option<Level>) -> Self {
        Self { input, plan, level }
    }

    /// Returns the encoded form. Faster than formatting: allocates once, exactly as
    /// [`Encoder::encode`](crate::Encoder::encode) does.
    #[cfg(feature = "alloc")]
    #[expect(clippy::inherent_to_string_shadow_display, reason = "returns the same text, faster")]
    #[must_use]
    #[inline]
    pub fn to_string(&self) -> String {
        Cow::from(*self).into_owned()
    }
}

/// Ignores width and precision: a precision could cut a triplet.
impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        driver::pieces::write_encoded(self.input, self.plan, self.level, f)
    }
}

/// Prints the encoded form.
impl fmt::Debug for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoded").field(&format_args!("{self}")).finish()
    }
}

/// Borrows the input if nothing is escaped; see [`Encoder::encode`](crate::Encoder::encode).
#[cfg(feature = "alloc")]
impl<'a> From<Encoded<'a>> for Cow<'a, str> {
    #[inline]
    fn from(encoded: Encoded<'a>) -> Self {
        driver::cow::encode_to_cow(encoded.input, encoded.plan, encoded.level)
    }
}

#[cfg(feature = "alloc")]
impl From<Encoded<'_>> for String {
    #[inline]
    fn from(encoded: Encoded<'_>) -> Self {
        encoded.to_string()
    }
}

/// Iterator over the encoded form: the result of [`Encoder::pieces`](crate::Encoder::pieces).
///
/// Each piece is a run of unchanged bytes, as long as possible, or the escape of a single byte: a
/// triplet, or `+` for a space. Kept triplets and kept non-ASCII characters are unchanged bytes. In
/// total linear, with SIMD. [`fold`](Iterator::fold), and with it
/// [`for_each`](Iterator::for_each) and [`String::extend`](Extend::extend), is faster than a `for`
/// loop.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    pieces: driver::pieces::Pieces<'a>,
}

impl<'a> Pieces<'a> {
    #[inline]
    pub(crate) const fn new(input: &'a [u8], plan: &'a EncodePlan, level: Option<Level>) -> Self {
        Self { pieces: driver::pieces::Pieces::new(input, plan, level) }
    }

    /// The part of the input whose pieces have not yet been yielded.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let mut pieces = Encoder::COMPONENT.pieces("a b");
    /// assert_eq!((pieces.next(), pieces.rest()), (Some("a"), &b" b"[..]));
    /// ```
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.pieces.rest()
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        self.pieces.next()
    }

    /// At least one if any input is left, and at most one for each byte of it.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pieces.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, f: F) -> B {
        self.pieces.fold(init, f)
    }
}

impl FusedIterator for Pieces<'_> {}

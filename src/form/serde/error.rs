//! Errors of form (de)serialization, with key and position.
#![forbid(unsafe_code)]

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use ::serde::de::{Expected, Unexpected};

use crate::DecodeError;

/// Error of deserializing a form or serializing a value.
///
/// ```
/// use simdpct::form;
///
/// let error = form::from_str::<Vec<(String, u8)>>("small=1&large=1000").unwrap_err();
/// assert_eq!(error.key(), Some("large"));
/// assert_eq!(error.position(), Some(8));
/// assert_eq!(error.to_string(), "key \"large\" at byte 8: number too large to fit in target type: \"1000\"");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Error {
    /// Boxed, to keep results small.
    inner: Box<Inner>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
struct Inner {
    what: What,
    key: Option<String>,
    position: Option<usize>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum What {
    Decode(DecodeError),
    TooManyPairs(usize),
    Message(String),
}

impl Error {
    /// Returns the decoded key of the invalid pair. `None` if the error is not about a pair (for
    /// example, a missing field), or if the key itself cannot be decoded.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.inner.key.as_deref()
    }

    /// Returns the byte offset in the input of the first byte of the invalid pair, or, if it cannot
    /// be decoded, of the invalid byte or triplet. `None` if the error is not about a pair, and for
    /// serialization.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.inner.position
    }

    /// Whether the form has more pairs than [`max_pairs`](super::Deserializer::max_pairs) allows.
    #[must_use]
    pub fn is_too_many_pairs(&self) -> bool {
        matches!(self.inner.what, What::TooManyPairs(_))
    }

    pub(super) fn too_many_pairs(most: usize) -> Self {
        Self { inner: Box::new(Inner { what: What::TooManyPairs(most), key: None, position: None }) }
    }

    pub(super) fn message(message: impl ToString) -> Self {
        Self { inner: Box::new(Inner { what: What::Message(message.to_string()), key: None, position: None }) }
    }

    /// Converts a [`DecodeError`], whose position is relative to the part that begins at `start`.
    pub(super) fn decode(error: DecodeError, start: usize) -> Self {
        let error = DecodeError::new(error.kind, start.saturating_add(error.position));
        Self { inner: Box::new(Inner { what: What::Decode(error), key: None, position: Some(error.position) }) }
    }

    /// Adds key and position, unless already known.
    pub(super) fn at(mut self, key: Option<&str>, position: Option<usize>) -> Self {
        let inner = &mut *self.inner;
        if inner.key.is_none() {
            inner.key = key.map(ToOwned::to_owned);
        }
        inner.position = inner.position.or(position);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { what, key, position } = &*self.inner;
        match (key, position) {
            (Some(key), Some(position)) => write!(f, "key {} at byte {position}: ", Quoted(key))?,
            (Some(key), None) => write!(f, "key {}: ", Quoted(key))?,
            (None, Some(position)) => write!(f, "at byte {position}: ")?,
            (None, None) => {}
        }
        match what {
            What::Decode(error) => error.kind.fmt(f),
            What::TooManyPairs(most) => write!(f, "more than {most} pairs"),
            What::Message(message) => f.write_str(message),
        }
    }
}

/// Text of the input in quotation marks, with control characters escaped. Truncated to 64
/// characters: quoting a long value in full would multiply its length.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHARACTERS: usize = 64;
        match self.0.char_indices().nth(CHARACTERS) {
            None => write!(f, "{:?}", self.0),
            Some((end, _)) => write!(f, "{:?}...", &self.0[..end]),
        }
    }
}

/// Serde's description of an unexpected value, with quoted text truncated.
struct Found<'a>(Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Str(text) => write!(f, "string {}", Quoted(text)),
            other => other.fmt(f),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.inner.what {
            What::Decode(error) => Some(error),
            What::TooManyPairs(_) | What::Message(_) => None,
        }
    }
}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::message(message)
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::message(format_args!("invalid type: {}, expected {expected}", Found(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::message(format_args!("invalid value: {}, expected {expected}", Found(unexpected)))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::message(format_args!("unknown variant {}, expected {}", Quoted(variant), OneOf(expected)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::message(format_args!("unknown field {}, expected {}", Quoted(field), OneOf(expected)))
    }
}

/// The list of known names.
struct OneOf(&'static [&'static str]);

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("none"),
            [name] => write!(f, "`{name}`"),
            [first, others @ ..] => {
                write!(f, "one of `{first}`")?;
                others.iter().try_for_each(|name| write!(f, ", `{name}`"))
            }
        }
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::message(message)
    }
}

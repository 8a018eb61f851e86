//! What went wrong between a form and a type, at which key and where.
#![forbid(unsafe_code)]

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use crate::DecodeError;

/// Why a form does not become the type, or the type no form.
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
    /// Behind a pointer, so that results without an error stay small.
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
    Message(String),
}

impl Error {
    /// The key of the pair that is at fault, decoded; `None` where it is no pair, such as a missing field, or where the key
    /// itself cannot be decoded.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.inner.key.as_deref()
    }

    /// Offset in the input of the first byte of the pair that is at fault, or, where it cannot be decoded, of the byte or
    /// triplet that is wrong. `None` where it is no pair, and for serialization.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.inner.position
    }

    pub(super) fn message(message: impl ToString) -> Self {
        Self { inner: Box::new(Inner { what: What::Message(message.to_string()), key: None, position: None }) }
    }

    /// The position of a [`DecodeError`] counts from the start of the part; this is where the part starts.
    pub(super) fn decode(error: DecodeError, start: usize) -> Self {
        let error = DecodeError::new(error.kind, start.saturating_add(error.position));
        Self { inner: Box::new(Inner { what: What::Decode(error), key: None, position: Some(error.position) }) }
    }

    /// Says where it was, unless it is known.
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
            (Some(key), Some(position)) => write!(f, "key {key:?} at byte {position}: ")?,
            (Some(key), None) => write!(f, "key {key:?}: ")?,
            (None, Some(position)) => write!(f, "at byte {position}: ")?,
            (None, None) => {}
        }
        match what {
            What::Decode(error) => error.kind.fmt(f),
            What::Message(message) => f.write_str(message),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.inner.what {
            What::Decode(error) => Some(error),
            What::Message(_) => None,
        }
    }
}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::message(message)
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::message(message)
    }
}

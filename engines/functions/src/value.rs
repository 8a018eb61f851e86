//! `Value`: the operations common to strings and binary values.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::hash::Hash;

use simdpct::{Input, form, uri};

/// A value of a column: `str` or `[u8]`.
pub trait Value: Input<Slice = Self> + AsRef<[u8]> + Eq + Hash + ToOwned {
    /// Whether values are UTF-8.
    const IS_TEXT: bool;

    /// Makes a value of a borrowed text.
    fn of_text(text: &str) -> &Self;

    /// Makes a value of an owned text.
    fn from_text<'v>(text: String) -> Cow<'v, Self>;

    /// Makes a value of bytes that consist of values and ASCII.
    fn from_bytes<'v>(bytes: Vec<u8>) -> Cow<'v, Self>;

    /// The decoded value of a key of the query; see
    /// [`Mapping::QueryValue`](crate::Mapping::QueryValue).
    fn query_value(&self, key: &str) -> Option<Cow<'_, Self>>;

    /// The decoded pairs of the query, in order. They are read as by
    /// [`query_value`](Self::query_value).
    fn query_pairs(&self) -> impl Iterator<Item = (Cow<'_, Self>, Cow<'_, Self>)>;

    /// Escapes all bytes that a URI must not contain.
    fn repair(&self) -> Cow<'_, Self>;
}

impl Value for str {
    const IS_TEXT: bool = true;

    fn of_text(text: &str) -> &Self {
        text
    }

    fn from_text<'v>(text: String) -> Cow<'v, Self> {
        Cow::Owned(text)
    }

    fn from_bytes<'v>(bytes: Vec<u8>) -> Cow<'v, Self> {
        // Parts of text and ASCII are text, so nothing is replaced.
        Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
    }

    fn query_value(&self, key: &str) -> Option<Cow<'_, str>> {
        form::parse_lossy(uri::split(self).query?).get(key)
    }

    fn query_pairs(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        form::parse_lossy(uri::split(self).query.unwrap_or_default())
    }

    fn repair(&self) -> Cow<'_, str> {
        uri::repair(self)
    }
}

impl Value for [u8] {
    const IS_TEXT: bool = false;

    fn of_text(text: &str) -> &Self {
        text.as_bytes()
    }

    fn from_text<'v>(text: String) -> Cow<'v, Self> {
        Cow::Owned(text.into_bytes())
    }

    fn from_bytes<'v>(bytes: Vec<u8>) -> Cow<'v, Self> {
        Cow::Owned(bytes)
    }

    fn query_value(&self, key: &str) -> Option<Cow<'_, [u8]>> {
        form::parse_bytes(uri::split(self).query?).get(key)
    }

    fn query_pairs(&self) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
        form::parse_bytes(uri::split(self).query.unwrap_or_default())
    }

    fn repair(&self) -> Cow<'_, [u8]> {
        match uri::repair(self) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }
}

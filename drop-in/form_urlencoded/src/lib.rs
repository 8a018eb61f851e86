//! The API of form_urlencoded 1.2.2, implemented with simdpct. For `[patch.crates-io]`; see
//! docs/drop-in.md.
//!
//! Items, their order, `size_hint`, the kind of each `Cow` and panics are the same as in
//! form_urlencoded.
#![no_std]

#[cfg(not(feature = "alloc"))]
compile_error!("form_urlencoded needs its feature `alloc`");

extern crate alloc;

use alloc::borrow::{Borrow, Cow};
use alloc::string::String;
use core::fmt;

use simdpct::form::{self, ParseLossy};
use simdpct::{Encoder, Pieces};

/// Parses a form into pairs of names and values.
#[inline]
pub fn parse(input: &[u8]) -> Parse<'_> {
    Parse { pairs: form::parse_lossy(input) }
}

/// Iterator over the pairs of a form: the result of [`parse`].
#[derive(Clone, Copy)]
pub struct Parse<'a> {
    pairs: ParseLossy<'a>,
}

impl<'a> Parse<'a> {
    /// Returns an iterator over pairs of `String`.
    pub fn into_owned(self) -> ParseIntoOwned<'a> {
        ParseIntoOwned { pairs: self }
    }
}

impl<'a> Iterator for Parse<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    // `size_hint` is the default, as in form_urlencoded.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next()
    }
}

/// Like [`Parse`], with pairs of `String`.
pub struct ParseIntoOwned<'a> {
    pairs: Parse<'a>,
}

impl Iterator for ParseIntoOwned<'_> {
    type Item = (String, String);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.pairs.next()?;
        Some((name.into_owned(), value.into_owned()))
    }
}

/// Encodes a name or value. Returns an iterator over runs of unchanged bytes and the escapes of
/// single bytes.
#[inline]
pub fn byte_serialize(input: &[u8]) -> ByteSerialize<'_> {
    ByteSerialize { pieces: const { &Encoder::FORM }.pieces(input) }
}

/// Iterator over the pieces of an encoded name or value: the result of [`byte_serialize`].
pub struct ByteSerialize<'a> {
    pieces: Pieces<'a>,
}

impl<'a> Iterator for ByteSerialize<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        self.pieces.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pieces.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, f: F) -> B {
        self.pieces.fold(init, f)
    }
}

impl fmt::Debug for ByteSerialize<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteSerialize").field("bytes", &self.pieces.rest()).finish()
    }
}

/// Converts text to another encoding before it is escaped.
pub type EncodingOverride<'a> = Option<&'a dyn Fn(&str) -> Cow<'_, [u8]>>;

/// Appends pairs to a form.
pub struct Serializer<'a, T: Target> {
    /// `None` after `finish`.
    target: Option<T>,
    start_position: usize,
    encoding: EncodingOverride<'a>,
}

/// The target of a [`Serializer`].
pub trait Target {
    /// The string to append to.
    fn as_mut_string(&mut self) -> &mut String;
    /// Returns the same as [`Serializer::finish`].
    fn finish(self) -> Self::Finished;
    /// The result of [`Serializer::finish`].
    type Finished;
}

impl Target for String {
    type Finished = Self;

    #[inline]
    fn as_mut_string(&mut self) -> &mut String {
        self
    }

    fn finish(self) -> Self {
        self
    }
}

impl Target for &mut String {
    type Finished = Self;

    #[inline]
    fn as_mut_string(&mut self) -> &mut String {
        self
    }

    fn finish(self) -> Self {
        self
    }
}

impl<'a, T: Target> Serializer<'a, T> {
    /// Appends to the form in `target`.
    pub fn new(target: T) -> Self {
        Self::for_suffix(target, 0)
    }

    /// Appends to the form that starts at a byte of `target`.
    ///
    /// # Panics
    ///
    /// Panics if `target` is shorter.
    pub fn for_suffix(mut target: T, start_position: usize) -> Self {
        let length = target.as_mut_string().len();
        assert!(start_position <= length, "invalid length {start_position} for target of length {length}");
        Self { target: Some(target), start_position, encoding: None }
    }

    /// Removes all pairs.
    ///
    /// # Panics
    ///
    /// Panics after [`finish`](Self::finish), as all methods do.
    pub fn clear(&mut self) -> &mut Self {
        let start = self.start_position;
        self.string().truncate(start);
        self
    }

    /// Sets the encoding of names and values.
    pub fn encoding_override(&mut self, new: EncodingOverride<'a>) -> &mut Self {
        self.encoding = new;
        self
    }

    /// Appends a pair.
    #[inline]
    pub fn append_pair(&mut self, name: &str, value: &str) -> &mut Self {
        let encoding = self.encoding;
        let mut form = self.form();
        match encoding {
            None => form.append_pair(name, value),
            Some(encode) => form.append_pair(&encode(name), &encode(value)),
        };
        self
    }

    /// Appends a name without a value.
    pub fn append_key_only(&mut self, name: &str) -> &mut Self {
        let encoding = self.encoding;
        let mut form = self.form();
        match encoding {
            None => form.append_key_only(name),
            Some(encode) => form.append_key_only(&encode(name)),
        };
        self
    }

    /// Appends pairs.
    pub fn extend_pairs<I, K, V>(&mut self, iter: I) -> &mut Self
    where
        I: IntoIterator,
        I::Item: Borrow<(K, V)>,
        K: AsRef<str>,
        V: AsRef<str>,
    {
        self.string();
        for pair in iter {
            let (name, value) = pair.borrow();
            self.append_pair(name.as_ref(), value.as_ref());
        }
        self
    }

    /// Appends names without values.
    pub fn extend_keys_only<I, K>(&mut self, iter: I) -> &mut Self
    where
        I: IntoIterator,
        I::Item: Borrow<K>,
        K: AsRef<str>,
    {
        self.string();
        for name in iter {
            self.append_key_only(name.borrow().as_ref());
        }
        self
    }

    /// Returns the target.
    ///
    /// ```
    /// let mut serializer = form_urlencoded::Serializer::new(String::from("a=1"));
    /// assert_eq!(serializer.append_pair("b c", "é").append_key_only("d").finish(), "a=1&b+c=%C3%A9&d");
    /// ```
    pub fn finish(&mut self) -> T::Finished {
        self.target.take().expect("url::form_urlencoded::Serializer double finish").finish()
    }

    #[inline]
    fn string(&mut self) -> &mut String {
        self.target.as_mut().expect("url::form_urlencoded::Serializer finished").as_mut_string()
    }

    #[inline]
    fn form(&mut self) -> form::Serializer<&mut String> {
        let start = self.start_position;
        form::Serializer::for_suffix(self.string(), start)
    }
}

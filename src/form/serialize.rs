//! The form serializer (WHATWG URL 5.2), and newline normalization for HTML forms (HTML 4.10.22.4).
#![forbid(unsafe_code)]

use alloc::string::String;
use core::mem::take;

use crate::driver::form_encode::{FormPlan, PartEncoder};
use crate::input::{Input, Pair};
use crate::level::Level;
use crate::output::Output;
use crate::{Encoder, sets};

/// Serializes pairs to a form, per the standard: a space becomes `+`, and all bytes except ASCII
/// letters, digits and `*-._` are escaped.
///
/// ```
/// assert_eq!(simdpct::form::serialize([("name", "Ödön"), ("a&b", "1 + 1")]), "name=%C3%96d%C3%B6n&a%26b=1+%2B+1");
/// ```
#[must_use]
pub fn serialize<I: IntoIterator<Item: Pair>>(pairs: I) -> String {
    let mut serializer = Serializer::new(String::new());
    serializer.extend_pairs(pairs);
    serializer.finish()
}

/// Serializes pairs to a `String` or a `Vec<u8>`, owned or borrowed.
///
/// Names and values are bytes, and need not be UTF-8. Every operation is linear in their length.
/// None fails.
///
/// ```
/// use simdpct::form::Serializer;
///
/// let mut url = String::from("https://example.org/?");
/// let start = url.len();
/// let mut serializer = Serializer::for_suffix(&mut url, start);
/// serializer.append_pair("q", "fish & chips").append_key_only("exact");
/// serializer.extend_pairs([("page", "2"), ("size", "50")]);
/// assert_eq!(url, "https://example.org/?q=fish+%26+chips&exact&page=2&size=50");
/// ```
#[derive(Clone, Debug)]
pub struct Serializer<T: Output> {
    target: T,
    /// Whether the next pair is the first, which takes no `&`. Even an empty name counts as a pair.
    is_first: bool,
    /// Whether a space becomes `%20`.
    percent_20: bool,
    level: Option<Level>,
    newlines: bool,
}

/// The rules of the standard's serializer, and the same with `%20` for a space.
static FORM: FormPlan = FormPlan::new(Encoder::FORM.plan);
static PERCENT_20: FormPlan = FormPlan::new(Encoder::new(sets::whatwg::FORM).plan);

impl<T: Output> Serializer<T> {
    /// Creates a serializer that appends to a form. The existing contents of the target are part of
    /// the form.
    ///
    /// ```
    /// use simdpct::form::Serializer;
    ///
    /// let mut serializer = Serializer::new(String::from("a=1"));
    /// serializer.append_pair("b", "2");
    /// assert_eq!(serializer.finish(), "a=1&b=2");
    /// ```
    #[must_use]
    #[inline]
    pub fn new(target: T) -> Self {
        Self::for_suffix(target, 0)
    }

    /// Creates a serializer that appends to a form that starts at byte `start` of the target. A
    /// `start` greater than the target's length is treated as its length.
    #[must_use]
    #[inline]
    pub fn for_suffix(target: T, start: usize) -> Self {
        let is_first = target.length() <= start;
        Self { target, is_first, percent_20: false, level: None, newlines: false }
    }

    /// Encodes a space as `%20`, which is decoded both by form parsers and as a component of a URI.
    ///
    /// ```
    /// use simdpct::form::Serializer;
    ///
    /// let mut serializer = Serializer::new(String::new()).percent_20();
    /// serializer.append_pair("q", "1 + 1");
    /// assert_eq!(serializer.finish(), "q=1%20%2B%201");
    /// ```
    #[must_use]
    pub const fn percent_20(mut self) -> Self {
        self.percent_20 = true;
        self
    }

    /// Normalizes the newlines of names and values, CR LF, CR and LF, to CR LF, as browsers do on
    /// submission of a form (HTML 4.10.22.4, converting to a list of name-value pairs).
    /// JavaScript's `URLSearchParams` does not.
    ///
    /// ```
    /// use simdpct::form::Serializer;
    ///
    /// let mut serializer = Serializer::new(String::new()).normalize_newlines();
    /// serializer.append_pair("text", "a\nb\r\nc\rd");
    /// assert_eq!(serializer.finish(), "text=a%0D%0Ab%0D%0Ac%0D%0Ad");
    /// ```
    #[must_use]
    pub const fn normalize_newlines(mut self) -> Self {
        self.newlines = true;
        self
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Appends `name=value`, preceded by `&` unless it is the first pair.
    #[inline]
    pub fn append_pair<N: Input + ?Sized, V: Input + ?Sized>(&mut self, name: &N, value: &V) -> &mut Self {
        let (name, value) = (name.as_bytes(), value.as_bytes());
        if self.newlines {
            self.append_key_only(name);
            self.append_part("=", value);
        } else {
            let is_first = take(&mut self.is_first);
            self.target.append_pair(&self.encoder(), is_first, name, value);
        }
        self
    }

    /// Appends a name without `=`, preceded by `&` unless it is the first. Parsers read it as a
    /// name with an empty value, and skip an empty name. The next pair is preceded by `&` in either
    /// case.
    #[inline]
    pub fn append_key_only<N: Input + ?Sized>(&mut self, name: &N) -> &mut Self {
        let separator = if take(&mut self.is_first) { "" } else { "&" };
        self.append_part(separator, name.as_bytes());
        self
    }

    /// Appends pairs, like [`append_pair`](Self::append_pair).
    pub fn extend_pairs<I: IntoIterator<Item: Pair>>(&mut self, pairs: I) -> &mut Self {
        let pairs = pairs.into_iter();
        self.target.expect(pairs.size_hint().0);
        if self.newlines {
            pairs.for_each(|pair| _ = self.append_pair(pair.name(), pair.value()));
            return self;
        }
        let encoder = self.encoder();
        for pair in pairs {
            self.target.append_pair(&encoder, take(&mut self.is_first), pair.name(), pair.value());
        }
        self
    }

    /// Appends names without `=`, like [`append_key_only`](Self::append_key_only).
    pub fn extend_keys_only<I: IntoIterator<Item: Input>>(&mut self, names: I) -> &mut Self {
        for name in names {
            self.append_key_only(name.as_bytes());
        }
        self
    }

    /// Returns the target.
    #[must_use]
    #[inline]
    pub fn finish(self) -> T {
        self.target
    }

    #[inline]
    fn encoder(&self) -> PartEncoder {
        PartEncoder::new(if self.percent_20 { &PERCENT_20 } else { &FORM }, self.level)
    }

    #[inline]
    fn append_part(&mut self, before: &str, part: &[u8]) {
        if self.newlines {
            self.append_lines(before, part);
        } else {
            self.target.append(&self.encoder(), before, part);
        }
    }

    fn append_lines(&mut self, before: &str, mut part: &[u8]) {
        let (encoder, mut before) = (self.encoder(), before);
        while let Some(at) = memchr::memchr2(b'\r', b'\n', part) {
            self.target.append(&encoder, before, &part[..at]);
            let newline = if part[at..].starts_with(b"\r\n") { 2 } else { 1 };
            part = &part[at + newline..];
            before = "%0D%0A";
        }
        self.target.append(&encoder, before, part);
    }
}

//! The serializer of forms (WHATWG URL 5.2), and the newlines of HTML's (HTML 4.10.22.4).
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::take;

use crate::driver::form_encode::{FormRules, PartEncoder};
use crate::level::Level;
use crate::{Encoder, sets};

/// The pairs as a form, as the standard has it: `+` for a space, everything escaped but ASCII letters, digits and `*-._`.
///
/// ```
/// assert_eq!(simdpct::form::serialize([("name", "Ödön"), ("a&b", "1 + 1")]), "name=%C3%96d%C3%B6n&a%26b=1+%2B+1");
/// ```
#[must_use]
pub fn serialize<I, N, V>(pairs: I) -> String
where
    I: IntoIterator<Item = (N, V)>,
    N: AsRef<[u8]>,
    V: AsRef<[u8]>,
{
    let mut serializer = Serializer::new(String::new());
    serializer.extend_pairs(pairs);
    serializer.finish()
}

/// Appends pairs to a `String` or a `Vec<u8>`, owned or borrowed.
///
/// Names and values are bytes, which need not be text. Each operation is linear in their length; none fails.
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
pub struct Serializer<T: Target> {
    target: T,
    /// Nothing has been appended yet, not even an empty name: no `&` is needed.
    is_first: bool,
    /// A space becomes `%20`.
    percent_20: bool,
    level: Option<Level>,
    newlines: bool,
}

/// What a [`Serializer`] appends to: `String`, `Vec<u8>`, and mutable references to them.
pub trait Target: sealed::Target {}

mod sealed {
    use alloc::string::String;
    use alloc::vec::Vec;

    use crate::driver::form_encode::PartEncoder;

    /// What the serializer needs, which is nobody else's business.
    pub trait Target {
        fn length(&self) -> usize;
        /// Makes room for so many pairs, if they are like most. To allocate is less than to grow.
        fn expect(&mut self, pairs: usize);
        /// Appends a text as it is, and an encoded part behind it.
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]);
        /// Appends a pair, behind a '&' unless it is the first.
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]);
    }

    /// Room for so many pairs of 24 bytes, and for what a kernel asks for a last one of 64: growing costs more than all else there is
    /// to do for a pair. A single pair says itself what it takes; many could turn out to be empty, or fewer, so this is a kilobyte
    /// at most.
    #[inline]
    fn expected_room(pairs: usize) -> usize {
        if pairs > 1 { 24 * pairs.min(32) + 256 } else { 0 }
    }

    impl Target for String {
        #[inline]
        fn length(&self) -> usize {
            self.len()
        }

        #[inline]
        fn expect(&mut self, pairs: usize) {
            if self.capacity() == 0 {
                *self = Self::with_capacity(expected_room(pairs));
            } else {
                self.reserve(expected_room(pairs));
            }
        }

        #[inline]
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]) {
            encoder.append_part_to_text(self, before, part);
        }

        #[inline]
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]) {
            encoder.append_pair_to_text(self, is_first, name, value);
        }
    }

    impl Target for Vec<u8> {
        #[inline]
        fn length(&self) -> usize {
            self.len()
        }

        #[inline]
        fn expect(&mut self, pairs: usize) {
            if self.capacity() == 0 {
                *self = Self::with_capacity(expected_room(pairs));
            } else {
                self.reserve(expected_room(pairs));
            }
        }

        #[inline]
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]) {
            encoder.append_part(self, before, part);
        }

        #[inline]
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]) {
            encoder.append_pair(self, is_first, name, value);
        }
    }

    impl<T: Target> Target for &mut T {
        #[inline]
        fn length(&self) -> usize {
            (**self).length()
        }

        #[inline]
        fn expect(&mut self, pairs: usize) {
            (**self).expect(pairs);
        }

        #[inline]
        fn append(&mut self, encoder: &PartEncoder, before: &str, part: &[u8]) {
            (**self).append(encoder, before, part);
        }

        #[inline]
        fn append_pair(&mut self, encoder: &PartEncoder, is_first: bool, name: &[u8], value: &[u8]) {
            (**self).append_pair(encoder, is_first, name, value);
        }
    }
}

impl Target for String {}
impl Target for Vec<u8> {}
impl<T: Target> Target for &mut T {}

/// The standard's serializer, and the same with `%20` for a space.
static FORM: FormRules = FormRules::new(Encoder::FORM.rules);
static PERCENT_20: FormRules = FormRules::new(Encoder::new(sets::whatwg::FORM).rules);

impl<T: Target> Serializer<T> {
    /// Appends to a form: what the target holds already is part of it.
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

    /// Appends to a form that starts at this byte of the target; behind the target's end is the same as at its end.
    #[must_use]
    #[inline]
    pub fn for_suffix(target: T, start: usize) -> Self {
        let is_first = target.length() <= start;
        Self { target, is_first, percent_20: false, level: None, newlines: false }
    }

    /// Writes a space as `%20`, which every reader of forms takes as well, and so does who reads it as a part of a URI.
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

    /// Writes every newline of names and values, CR LF, CR alone or LF alone, as CR LF: what a browser does when it submits
    /// a form (HTML 4.10.22.4, converting to a list of name-value pairs). JavaScript's `URLSearchParams` does not.
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

    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Appends `name=value`, after a `&` unless it is the first pair.
    #[inline]
    pub fn append_pair<N: AsRef<[u8]> + ?Sized, V: AsRef<[u8]> + ?Sized>(&mut self, name: &N, value: &V) -> &mut Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        if self.newlines {
            self.append_key_only(name);
            self.append_part("=", value);
        } else {
            let is_first = take(&mut self.is_first);
            self.target.append_pair(&self.encoder(), is_first, name, value);
        }
        self
    }

    /// Appends a name without `=`, after a `&` unless it is the first. A parser reads it as a name with an empty value; an
    /// empty name it skips; the next pair has its `&` all the same.
    #[inline]
    pub fn append_key_only<N: AsRef<[u8]> + ?Sized>(&mut self, name: &N) -> &mut Self {
        let separator = if take(&mut self.is_first) { "" } else { "&" };
        self.append_part(separator, name.as_ref());
        self
    }

    /// Appends pairs, each as [`append_pair`](Self::append_pair).
    pub fn extend_pairs<I, N, V>(&mut self, pairs: I) -> &mut Self
    where
        I: IntoIterator<Item = (N, V)>,
        N: AsRef<[u8]>,
        V: AsRef<[u8]>,
    {
        let pairs = pairs.into_iter();
        self.target.expect(pairs.size_hint().0);
        if self.newlines {
            pairs.for_each(|(name, value)| _ = self.append_pair(name.as_ref(), value.as_ref()));
            return self;
        }
        let encoder = self.encoder();
        for (name, value) in pairs {
            self.target.append_pair(&encoder, take(&mut self.is_first), name.as_ref(), value.as_ref());
        }
        self
    }

    /// Appends names without `=`, each as [`append_key_only`](Self::append_key_only).
    pub fn extend_keys_only<I, N>(&mut self, names: I) -> &mut Self
    where
        I: IntoIterator<Item = N>,
        N: AsRef<[u8]>,
    {
        for name in names {
            self.append_key_only(name.as_ref());
        }
        self
    }

    /// Gives the target back.
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

//! `Encoder`: a set, encoding policies and every kind of output.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

use crate::byteset::ByteSet;
use crate::driver::{self, EncodePlan};
use crate::encoded::{Encoded, Pieces};
use crate::error::BufferTooSmall;
use crate::hex::LOWERCASE;
use crate::input::Input;
use crate::level::Level;
#[cfg(feature = "alloc")]
use crate::output::Output;
use crate::sets;

/// A percent-encoder: replaces bytes by triplets, `%` and two hexadecimal digits (RFC 3986 2.1).
///
/// An encoder is a small constant. Build it once, in `const`, and use it from any number of
/// threads. A [`ByteSet`], predefined in [`sets`] or custom, determines the bytes that are escaped.
/// Bytes from 0x80 are always escaped, so that the result is ASCII, unless
/// [`keep_non_ascii`](Self::keep_non_ascii) is set. Every operation is linear in the length of the
/// input.
///
/// ```
/// use simdpct::{Encoder, sets};
///
/// assert_eq!(Encoder::COMPONENT.encode("a/b c"), "a%2Fb%20c");
///
/// const FORM_VALUE: Encoder = Encoder::new(sets::whatwg::FORM).plus_for_space();
/// assert_eq!(FORM_VALUE.encode("1 + 1"), "1+%2B+1");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Encoder {
    pub(crate) plan: EncodePlan,
    pub(crate) level: Option<Level>,
}

impl Encoder {
    /// For any component of a URI, delimiters included: keeps unreserved characters only (RFC 3986
    /// 2.3).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::COMPONENT.encode("/a b?c=d~é"), "%2Fa%20b%3Fc%3Dd~%C3%A9");
    /// ```
    pub const COMPONENT: Self = Self::new(sets::COMPONENT);
    /// For one segment of a path: keeps `pchar` (RFC 3986 3.3).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::PATH_SEGMENT.encode("a/b c@1:2;v=3?"), "a%2Fb%20c@1:2;v=3%3F");
    /// ```
    pub const PATH_SEGMENT: Self = Self::new(sets::PATH_SEGMENT);
    /// For a path: keeps `pchar` and `/` (RFC 3986 3.3).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::PATH.encode("/a b/100%?#"), "/a%20b/100%25%3F%23");
    /// ```
    pub const PATH: Self = Self::new(sets::PATH);
    /// For a whole query: keeps `pchar`, `/` and `?` (RFC 3986 3.4).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::QUERY.encode("q=a b&r=1+1/2?#"), "q=a%20b&r=1+1/2?%23");
    /// ```
    pub const QUERY: Self = Self::new(sets::QUERY);
    /// For a name or value within a query of `name=value` pairs.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::QUERY_VALUE.encode("a b&c=1+1/2?;"), "a%20b%26c%3D1%2B1/2?%3B");
    /// ```
    pub const QUERY_VALUE: Self = Self::new(sets::QUERY_VALUE);
    /// For a fragment: keeps `pchar`, `/` and `?` (RFC 3986 3.5).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::FRAGMENT.encode("see §2/3?#"), "see%20%C2%A72/3?%23");
    /// ```
    pub const FRAGMENT: Self = Self::new(sets::FRAGMENT);
    /// For user information: keeps unreserved characters, sub-delims and `:` (RFC 3986 3.2.1).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::USERINFO.encode("user:p@ss/word!"), "user:p%40ss%2Fword!");
    /// ```
    pub const USERINFO: Self = Self::new(sets::USERINFO);
    /// For a name or value of a form: the application/x-www-form-urlencoded serializer, with `+`
    /// for a space (WHATWG URL 5.2).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::FORM.encode("fish & chips ~ 1+1"), "fish+%26+chips+%7E+1%2B1");
    /// ```
    pub const FORM: Self = Self::new(sets::whatwg::FORM).plus_for_space();
    /// For a whole URI that may already contain triplets: keeps reserved and unreserved characters
    /// and existing triplets (RFC 3986 2).
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::URI.encode("http://a.example/b c%20d?e=100%#é"), "http://a.example/b%20c%20d?e=100%25#%C3%A9");
    /// ```
    pub const URI: Self = Self::new(sets::URI).keep_triplets();

    /// Creates an encoder that escapes the bytes of `set` and all bytes from 0x80.
    #[must_use]
    #[inline]
    pub const fn new(set: ByteSet) -> Self {
        Self { plan: EncodePlan::new(set), level: None }
    }

    /// The encoder for a component or standard, by its name in [`sets::NAMED`]:
    /// [`FORM`](Self::FORM) and [`URI`](Self::URI) for theirs, otherwise one that escapes the set.
    /// Classes, such as `reserved`, have none.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::from_name("form"), Some(Encoder::FORM));
    /// assert_eq!(Encoder::from_name("path"), Some(Encoder::PATH));
    /// assert_eq!(Encoder::from_name("reserved"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "form" => Some(Self::FORM),
            "uri" => Some(Self::URI),
            name => sets::named(name).filter(escapes_always).map(Self::new),
        }
    }

    /// The names that [`from_name`](Self::from_name) knows.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert!(Encoder::names().eq(Encoder::names().filter(|name| Encoder::from_name(name).is_some())));
    /// assert_eq!(Encoder::names().next(), Some("component"));
    /// ```
    pub fn names() -> impl Iterator<Item = &'static str> {
        sets::NAMED.iter().filter(|(_, set)| escapes_always(set)).map(|&(name, _)| name)
    }

    /// Encodes a space as `+`, as in forms. A literal `+` is then escaped even if the set does not
    /// contain it; otherwise the result could not be decoded.
    #[must_use]
    #[inline]
    pub const fn plus_for_space(mut self) -> Self {
        self.plan = self.plan.with_plus_for_space();
        self
    }

    /// Writes the digits `a` to `f` in lower case. RFC 3986 2.1 recommends upper case; some
    /// implementations require lower case.
    #[must_use]
    pub const fn lowercase(mut self) -> Self {
        self.plan = self.plan.with_digits(LOWERCASE);
        self
    }

    /// Keeps existing triplets. Any other `%` is escaped if the set contains it.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::PATH.keep_triplets().encode("/a%20b 100%"), "/a%20b%20100%25");
    /// ```
    #[must_use]
    #[inline]
    pub const fn keep_triplets(mut self) -> Self {
        self.plan = self.plan.with_triplets_kept();
        self
    }

    /// Keeps well-formed UTF-8, as in an IRI (RFC 3987 3.1). Other bytes from 0x80 are still
    /// escaped, so the result is valid UTF-8, though not ASCII.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::PATH.keep_non_ascii().encode("/é /".as_bytes()), "/é%20/");
    /// assert_eq!(Encoder::PATH.keep_non_ascii().encode(b"/\xE9 /"), "/%E9%20/");
    /// ```
    #[must_use]
    pub const fn keep_non_ascii(mut self) -> Self {
        self.plan = self.plan.with_non_ascii_kept(true);
        self
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// The set of bytes that are escaped: a byte that is not in it is always copied unchanged.
    ///
    /// Contains the set given to [`new`](Self::new) and all bytes from 0x80. With
    /// [`plus_for_space`](Self::plus_for_space), it also contains `+` and the space, which becomes
    /// `+`. A member occurs unescaped in the output only as part of a sequence that
    /// [`keep_triplets`](Self::keep_triplets) or [`keep_non_ascii`](Self::keep_non_ascii) keeps.
    ///
    /// ```
    /// # use simdpct::{ByteSet, Encoder, sets};
    /// assert_eq!(Encoder::COMPONENT.set(), sets::COMPONENT);
    /// assert_eq!(!Encoder::FORM.set(), sets::ALPHA | sets::DIGIT | ByteSet::new(b"*-._"));
    ///
    /// const MATRIX_VALUE: Encoder = Encoder::new(Encoder::PATH_SEGMENT.set().with(b';').with(b'='));
    /// assert_eq!(MATRIX_VALUE.encode("a;b=c,d"), "a%3Bb%3Dc,d");
    /// ```
    #[must_use]
    pub const fn set(&self) -> ByteSet {
        let escape = *self.plan.rules().escape();
        if self.plan.rules().plus() { escape.with(b' ') } else { escape }
    }

    /// Maximum length of the encoded form of `length` bytes: three times `length`, or `None` on
    /// overflow.
    #[must_use]
    pub const fn max_encoded_len(length: usize) -> Option<usize> {
        length.checked_mul(3)
    }

    /// Returns the exact length of the encoded form. Saturates at `usize::MAX`, which takes an
    /// input of a third of the address space on a 32-bit target.
    #[must_use]
    pub fn encoded_len<T: Input + ?Sized>(&self, input: &T) -> usize {
        driver::measure_encode(input.as_bytes(), &self.plan, self.level)
    }

    /// Encodes to the start of `output` and returns the length of the result. Bytes of `output`
    /// after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// Returns [`BufferTooSmall`], with the length needed, if the result does not fit. On error the
    /// contents of `output` are unspecified.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let mut buffer = [0; 8];
    /// let length = Encoder::COMPONENT.encode_into("a&b", &mut buffer)?;
    /// assert_eq!(&buffer[..length], b"a%26b");
    /// assert_eq!(Encoder::COMPONENT.encode_into("&&&", &mut buffer).unwrap_err().needed, 9);
    /// # Ok::<(), simdpct::BufferTooSmall>(())
    /// ```
    pub fn encode_into<T: Input + ?Sized>(&self, input: &T, output: &mut [u8]) -> Result<usize, BufferTooSmall> {
        driver::encode(input.as_bytes(), driver::as_uninit(output), &self.plan, self.level)
    }

    /// Encodes to the start of possibly uninitialized memory, and returns the initialized part.
    ///
    /// # Errors
    ///
    /// Same as [`encode_into`](Self::encode_into).
    pub fn encode_uninit<'a, T: Input + ?Sized>(
        &self,
        input: &T,
        output: &'a mut [MaybeUninit<u8>],
    ) -> Result<&'a mut [u8], BufferTooSmall> {
        driver::encode_uninit(input.as_bytes(), output, &self.plan, self.level)
    }

    /// Returns a value that encodes the input when formatted, without allocating. Borrows the
    /// encoder, which is a constant or a variable: not the result of a call, unless it is formatted
    /// in the same statement.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let url = format!("https://example.org/?q={}", Encoder::QUERY_VALUE.display("a&b"));
    /// assert_eq!(url, "https://example.org/?q=a%26b");
    /// ```
    #[must_use]
    #[inline]
    pub fn display<'a, T: Input + ?Sized>(&'a self, input: &'a T) -> Encoded<'a> {
        Encoded::new(input.as_bytes(), &self.plan, self.level)
    }

    /// Returns an iterator over the encoded form: runs of unchanged bytes, and the escapes of
    /// single bytes. Borrows the encoder, as [`display`](Self::display) does.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let pieces: Vec<_> = Encoder::COMPONENT.pieces("fish & chips").collect();
    /// assert_eq!(pieces, ["fish", "%20", "%26", "%20", "chips"]);
    /// ```
    #[must_use]
    #[inline]
    pub fn pieces<'a, T: Input + ?Sized>(&'a self, input: &'a T) -> Pieces<'a> {
        Pieces::new(input.as_bytes(), &self.plan, self.level)
    }

    /// Encodes a single byte: its triplet, or the byte itself if it is not escaped. Same as
    /// [`encode`](Self::encode) of `[byte]`, without allocating.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!([b'a', b'/', b' ', 0xFF].map(|byte| Encoder::FORM.encode_byte(byte)), ["a", "%2F", "+", "%FF"]);
    /// ```
    #[must_use]
    #[inline]
    pub fn encode_byte(&self, byte: u8) -> &'static str {
        driver::pieces::encode_byte(byte, &self.plan)
    }
}

/// Whether a set is one to escape: no component may hold control characters or non-ASCII bytes.
fn escapes_always(set: &ByteSet) -> bool {
    let always = sets::CTL.union(ByteSet::NON_ASCII);
    set.intersection(always) == always
}

#[cfg(feature = "alloc")]
impl Encoder {
    /// Encodes to text. Borrows the input if nothing is escaped. Otherwise allocates once: the
    /// length needed and at most 16 bytes more.
    ///
    /// A borrowed result is always the input itself: it means that nothing is escaped.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// use std::borrow::Cow;
    ///
    /// assert!(matches!(Encoder::PATH.encode("/plain/path"), Cow::Borrowed("/plain/path")));
    /// assert_eq!(Encoder::PATH.encode("/säule"), "/s%C3%A4ule");
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn encode<'a, T: Input + ?Sized>(&self, input: &'a T) -> Cow<'a, str> {
        driver::cow::encode_to_cow(input.as_bytes(), &self.plan, self.level)
    }

    /// Appends the encoded form to `output`, a `String` or a `Vec<u8>`, which grows at most once.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let mut url = String::from("https://example.org/");
    /// Encoder::PATH_SEGMENT.encode_to("a/b", &mut url);
    /// assert_eq!(url, "https://example.org/a%2Fb");
    ///
    /// let mut request = b"GET /".to_vec();
    /// Encoder::PATH_SEGMENT.encode_to("a b", &mut request);
    /// assert_eq!(request, b"GET /a%20b");
    /// ```
    #[inline]
    pub fn encode_to<T: Input + ?Sized>(&self, input: &T, output: &mut impl Output) {
        output.append_encoded(input.as_bytes(), &self.plan, self.level);
    }
}

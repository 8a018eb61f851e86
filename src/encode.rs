//! `Encoder`: a set and a policy; every output form.
#![forbid(unsafe_code)]

use core::fmt;
use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};

use crate::byteset::ByteSet;
use crate::driver;
use crate::error::BufferTooSmall;
use crate::hex::LOWERCASE;
use crate::level::Level;
use crate::rules::EncodeRules;
use crate::sets;

/// Percent-encodes: replaces bytes by triplets, `%` and two hexadecimal digits (RFC 3986 2.1).
///
/// An encoder is a small constant: build it once, in `const`, and use it from any number of threads. Which bytes it escapes is
/// said by a [`ByteSet`], one of [`sets`] or one's own; bytes from 0x80 are escaped in any case, so that the result is
/// ASCII, unless [`keep_non_ascii`](Self::keep_non_ascii) is asked for. Every operation is linear in the input's length.
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
    pub(crate) rules: EncodeRules,
    pub(crate) level: Option<Level>,
}

impl Encoder {
    /// For any component of a URI, delimiters included: keeps unreserved characters only (RFC 3986 2.3).
    pub const COMPONENT: Self = Self::new(sets::COMPONENT);
    /// For one segment of a path: keeps `pchar` (RFC 3986 3.3).
    pub const PATH_SEGMENT: Self = Self::new(sets::PATH_SEGMENT);
    /// For a path: keeps `pchar` and `/` (RFC 3986 3.3).
    pub const PATH: Self = Self::new(sets::PATH);
    /// For a whole query: keeps `pchar`, `/` and `?` (RFC 3986 3.4).
    pub const QUERY: Self = Self::new(sets::QUERY);
    /// For a name or value within a query of `name=value` pairs.
    pub const QUERY_VALUE: Self = Self::new(sets::QUERY_VALUE);
    /// For a fragment: keeps `pchar`, `/` and `?` (RFC 3986 3.5).
    pub const FRAGMENT: Self = Self::new(sets::FRAGMENT);
    /// For user information: keeps unreserved characters, sub-delims and `:` (RFC 3986 3.2.1).
    pub const USERINFO: Self = Self::new(sets::USERINFO);
    /// For a name or value of a form: the application/x-www-form-urlencoded serializer's, with `+` for a space (WHATWG URL 5.2).
    pub const FORM: Self = Self::new(sets::whatwg::FORM).plus_for_space();
    /// For a whole URI that may be escaped in part: keeps reserved and unreserved characters and existing triplets (RFC 3986 2).
    pub const URI: Self = Self::new(sets::URI).keep_triplets();

    /// Escapes the bytes of `set`, and all bytes from 0x80.
    #[must_use]
    pub const fn new(set: ByteSet) -> Self {
        Self { rules: EncodeRules::new(set), level: None }
    }

    /// Writes a space as `+`, as forms do, and escapes a literal `+` whatever the set says, or the text would not come back.
    #[must_use]
    pub const fn plus_for_space(mut self) -> Self {
        self.rules = self.rules.with_plus_for_space();
        self
    }

    /// Writes the digits `a` to `f` in lower case. RFC 3986 2.1 asks for upper case; some peers do not.
    #[must_use]
    pub const fn lowercase(mut self) -> Self {
        self.rules.digits = LOWERCASE;
        self
    }

    /// Copies existing triplets as they are. Any other `%` is escaped if the set has it.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::PATH.keep_triplets().encode("/a%20b 100%"), "/a%20b%20100%25");
    /// ```
    #[must_use]
    pub const fn keep_triplets(mut self) -> Self {
        self.rules.keep_triplets = true;
        self
    }

    /// Leaves well-formed UTF-8 as it is, as in an IRI (RFC 3987 3.1). Any other byte from 0x80 is escaped, so the result is
    /// still text, though not ASCII.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// assert_eq!(Encoder::PATH.keep_non_ascii().encode("/é /".as_bytes()), "/é%20/");
    /// assert_eq!(Encoder::PATH.keep_non_ascii().encode(b"/\xE9 /"), "/%E9%20/");
    /// ```
    #[must_use]
    pub const fn keep_non_ascii(mut self) -> Self {
        self.rules.keep_non_ascii = true;
        self
    }

    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// The most bytes that `length` bytes can become: three times as many, or `None` if that is more than a `usize` holds.
    #[must_use]
    pub const fn max_encoded_len(length: usize) -> Option<usize> {
        length.checked_mul(3)
    }

    /// The exact length of the encoded form (`usize::MAX` should it be more, which takes a 32-bit machine and an input that
    /// fills a third of its memory).
    #[must_use]
    pub fn encoded_len<T: AsRef<[u8]> + ?Sized>(&self, input: &T) -> usize {
        driver::measure_encode(input.as_ref(), &self.rules, self.level)
    }

    /// Encodes to the start of `output` and returns the length; what lies behind it in `output` may have been overwritten.
    ///
    /// # Errors
    ///
    /// [`BufferTooSmall`], with the length that is needed, if the result does not fit. The contents of `output` are then
    /// unspecified.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let mut buffer = [0; 8];
    /// let length = Encoder::COMPONENT.encode_into("a&b", &mut buffer)?;
    /// assert_eq!(&buffer[..length], b"a%26b");
    /// assert_eq!(Encoder::COMPONENT.encode_into("&&&", &mut buffer).unwrap_err().needed, 9);
    /// # Ok::<(), simdpct::BufferTooSmall>(())
    /// ```
    pub fn encode_into<T: AsRef<[u8]> + ?Sized>(&self, input: &T, output: &mut [u8]) -> Result<usize, BufferTooSmall> {
        driver::encode(input.as_ref(), driver::as_uninit(output), &self.rules, self.level)
    }

    /// Encodes to the start of memory that need not be initialised, and returns the part that now is.
    ///
    /// # Errors
    ///
    /// [`BufferTooSmall`], as [`encode_into`](Self::encode_into).
    pub fn encode_uninit<'a, T: AsRef<[u8]> + ?Sized>(
        &self,
        input: &T,
        output: &'a mut [MaybeUninit<u8>],
    ) -> Result<&'a mut [u8], BufferTooSmall> {
        driver::encode_uninit(input.as_ref(), output, &self.rules, self.level)
    }

    /// Encodes while it is being formatted, without allocating.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let url = format!("https://example.org/?q={}", Encoder::QUERY_VALUE.display("a&b"));
    /// assert_eq!(url, "https://example.org/?q=a%26b");
    /// ```
    pub fn display<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> impl fmt::Display + use<'a, T> {
        Display { encoder: *self, input: input.as_ref() }
    }
}

#[cfg(feature = "alloc")]
impl Encoder {
    /// Encodes; borrows the input where there is nothing to escape, else allocates once: what is needed, and up to 16 bytes more.
    /// (A single byte needs no allocation: it becomes a piece of a constant.)
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
    pub fn encode<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Cow<'a, str> {
        driver::small::encode_to_cow(input.as_ref(), &self.rules, self.level)
    }

    /// Appends the encoded form to `output`, growing it at most once.
    ///
    /// ```
    /// # use simdpct::Encoder;
    /// let mut url = String::from("https://example.org/");
    /// Encoder::PATH_SEGMENT.encode_to("a/b", &mut url);
    /// assert_eq!(url, "https://example.org/a%2Fb");
    /// ```
    #[inline]
    pub fn encode_to<T: AsRef<[u8]> + ?Sized>(&self, input: &T, output: &mut String) {
        driver::alloc::append_encoded_text(input.as_ref(), output, &self.rules, self.level);
    }
}

struct Display<'a> {
    encoder: Encoder,
    input: &'a [u8],
}

/// Bytes of input that [`Display`] encodes at a time.
const DISPLAY_CHUNK: usize = 256;

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [MaybeUninit::uninit(); 3 * DISPLAY_CHUNK];
        let mut rest = self.input;
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(self.cut(rest));
            let encoded = self.encoder.encode_uninit(chunk, &mut buffer).map_err(|_| fmt::Error)?;
            f.write_str(driver::text::checked_text(encoded, self.encoder.level).ok_or(fmt::Error)?)?;
            rest = behind;
        }
        Ok(())
    }
}

impl Display<'_> {
    /// Where to cut the next chunk off: in no triplet or character that the encoder would keep.
    fn cut(&self, rest: &[u8]) -> usize {
        let Some(next) = rest.get(DISPLAY_CHUNK) else { return rest.len() };
        let chunk = &rest[..DISPLAY_CHUNK];
        if *next < 0x80 {
            // A triplet is cut if '%' is one of the last two bytes.
            let percent = chunk[DISPLAY_CHUNK - 2..].iter().position(|&byte| byte == b'%');
            return percent.map_or(DISPLAY_CHUNK, |at| DISPLAY_CHUNK - 2 + at);
        }
        // A character is cut if one of the last three bytes, a lead byte, promises more. Without one, any place will do.
        let lead = chunk[DISPLAY_CHUNK - 3..].iter().rposition(|&byte| byte >= 0xC0);
        lead.map_or(DISPLAY_CHUNK, |at| DISPLAY_CHUNK - 3 + at)
    }
}

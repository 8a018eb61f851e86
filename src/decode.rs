//! `Decoder`: decoding policies and every kind of output.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::byteset::ByteSet;
#[cfg(feature = "alloc")]
use crate::driver::text::IllFormed;
use crate::driver::{self, DecodePlan};
use crate::error::{DecodeError, DecodeIntoError};
use crate::input::Input;
use crate::level::Level;
#[cfg(feature = "alloc")]
use crate::rules::DecodeRules;

/// A percent-decoder: replaces each triplet, `%` and two hexadecimal digits of either case, by the
/// byte that it encodes (RFC 3986 2.1).
///
/// A decoder is a small constant. Build it once, in `const`, and use it from any number of threads.
/// By default it is strict; see [`lenient`](Self::lenient). Input is decoded only once: `%2541`
/// becomes `%41`. The output is never longer than the input. Every operation is linear in the
/// length of the input.
///
/// If an input has several errors, the one with the smallest position is reported.
///
/// ```
/// use simdpct::{Decoder, DecodeErrorKind};
///
/// assert_eq!(*Decoder::new().decode("a%2Fb")?, *b"a/b");
///
/// let error = Decoder::new().decode("50%-75%25").unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::Malformed, 2));
/// assert_eq!(*Decoder::new().lenient().decode("50%-75%25")?, *b"50%-75%");
/// # Ok::<(), simdpct::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Decoder {
    pub(crate) plan: DecodePlan,
    pub(crate) level: Option<Level>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// Creates a strict decoder: a malformed `%` is an error. `+` is not decoded.
    #[must_use]
    #[inline]
    pub const fn new() -> Self {
        Self { plan: DecodePlan::STRICT, level: None }
    }

    /// Keeps a malformed `%` and continues at the next byte, per WHATWG URL 1.3: `%%41` becomes
    /// `%A`.
    #[must_use]
    #[inline]
    pub const fn lenient(mut self) -> Self {
        self.plan = self.plan.strict(false);
        self
    }

    /// Decodes a raw `+` as a space, as in forms (WHATWG URL 5.1). `%2B` still becomes `+`.
    #[must_use]
    #[inline]
    pub const fn plus_for_space(mut self) -> Self {
        self.plan = self.plan.with_plus();
        self
    }

    /// Does not decode triplets of the bytes in `set`. Replaces any set given before.
    ///
    /// If `set` does not contain `%`, the output is not a URI and must not be decoded again:
    /// `%252F` becomes `%2F`, the same as a `%2F` that was kept.
    ///
    /// If `set` contains `%`, the output contains no triplet that is not in the input. To guarantee
    /// this, a [lenient](Self::lenient) decoder also keeps the triplet of a digit that could
    /// complete a malformed `%`: `%%34%31` becomes `%%341`, not `%41`. Where ill-formed UTF-8 is
    /// [dropped](Self::decode_utf8_dropping), a sequence directly after a malformed `%`, or after
    /// its first digit, becomes U+FFFD instead: `%%FF2F` becomes `%\u{FFFD}2F`, not `%2F`.
    ///
    /// ```
    /// # use simdpct::{ByteSet, Decoder};
    /// let path = Decoder::new().keep(ByteSet::new(b"/"));
    /// assert_eq!(*path.decode("/a%2fb%20c")?, *b"/a%2fb c");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn keep(mut self, set: ByteSet) -> Self {
        self.plan = self.plan.with_keep(set);
        self
    }

    /// Rejects every input whose output would contain a byte of `set`, raw or decoded. Replaces any
    /// set given before.
    ///
    /// ```
    /// # use simdpct::{ByteSet, Decoder, DecodeErrorKind};
    /// let error = Decoder::new().reject(ByteSet::new(b"\0")).decode("a.png%00.txt").unwrap_err();
    /// assert_eq!((error.kind, error.position), (DecodeErrorKind::Rejected(0), 5));
    /// ```
    #[must_use]
    #[inline]
    pub const fn reject(mut self, set: ByteSet) -> Self {
        self.plan = self.plan.with_reject(set);
        self
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Checks that the input can be decoded to bytes, without decoding it.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len).
    pub fn check<T: Input + ?Sized>(&self, input: &T) -> Result<(), DecodeError> {
        self.decoded_len(input).map(|_| ())
    }

    /// Returns the exact length of the decoded form.
    ///
    /// # Errors
    ///
    /// Returns the first malformed `%` (strict decoders only) or the first rejected byte.
    pub fn decoded_len<T: Input + ?Sized>(&self, input: &T) -> Result<usize, DecodeError> {
        driver::measure_decode(input.as_bytes(), &self.plan, self.level)
    }

    /// Decodes to the start of `output` and returns the length of the result. Bytes of `output`
    /// after the result may be overwritten. An output as long as the input always suffices.
    ///
    /// # Errors
    ///
    /// Returns the input's first error, as [`decoded_len`](Self::decoded_len) does. Otherwise, if
    /// the result does not fit, returns the length needed. On error the contents of `output` are
    /// unspecified.
    ///
    /// ```
    /// # use simdpct::{Decoder, DecodeIntoError};
    /// let mut buffer = [0; 4];
    /// assert_eq!(Decoder::new().decode_into("%41bc", &mut buffer), Ok(3));
    /// assert_eq!(&buffer[..3], b"Abc");
    /// let error = Decoder::new().decode_into("abcde", &mut buffer).unwrap_err();
    /// assert!(matches!(error, DecodeIntoError::BufferTooSmall(error) if error.needed == 5));
    /// ```
    pub fn decode_into<T: Input + ?Sized>(&self, input: &T, output: &mut [u8]) -> Result<usize, DecodeIntoError> {
        driver::decode(input.as_bytes(), driver::as_uninit(output), &self.plan, self.level)
    }

    /// Decodes to the start of possibly uninitialized memory, and returns the initialized part.
    ///
    /// # Errors
    ///
    /// Same as [`decode_into`](Self::decode_into).
    pub fn decode_uninit<'a, T: Input + ?Sized>(
        &self,
        input: &T,
        output: &'a mut [MaybeUninit<u8>],
    ) -> Result<&'a mut [u8], DecodeIntoError> {
        driver::decode_uninit(input.as_bytes(), output, &self.plan, self.level)
    }

    /// Decodes in place, to the start of `buffer`, and returns the decoded part.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len). On error the contents of `buffer` are
    /// unspecified.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// let mut buffer = *b"a%20b";
    /// assert_eq!(Decoder::new().decode_in_place(&mut buffer)?, b"a b");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_in_place<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a mut [u8], DecodeError> {
        let written = driver::decode_in_place(buffer, &self.plan, self.level)?;
        Ok(&mut buffer[..written])
    }

    /// Decodes to text at the start of `output`, and returns it. Bytes of `output` after the text
    /// may be overwritten. An output as long as the input always suffices.
    ///
    /// # Errors
    ///
    /// Returns the input's first error: the errors of [`decoded_len`](Self::decoded_len), and
    /// [`DecodeErrorKind::InvalidUtf8`](crate::DecodeErrorKind::InvalidUtf8) at the first byte or
    /// triplet of the first ill-formed UTF-8 sequence. Otherwise, if the text does not fit, returns
    /// the length needed. On error the contents of `output` are unspecified.
    ///
    /// ```
    /// # use simdpct::{Decoder, DecodeErrorKind, DecodeIntoError};
    /// let mut buffer = [0; 8];
    /// assert_eq!(Decoder::new().decode_utf8_into("%E2%82%AC 5", &mut buffer)?, "€ 5");
    /// let error = Decoder::new().decode_utf8_into("/..%c0%af..", &mut buffer).unwrap_err();
    /// let DecodeIntoError::Decode(error) = error else { panic!("{error}") };
    /// assert_eq!((error.kind, error.position), (DecodeErrorKind::InvalidUtf8, 3));
    /// # Ok::<(), DecodeIntoError>(())
    /// ```
    pub fn decode_utf8_into<'a, T: Input + ?Sized>(
        &self,
        input: &T,
        output: &'a mut [u8],
    ) -> Result<&'a mut str, DecodeIntoError> {
        let (bytes, is_text) = (input.as_bytes(), input.as_text().is_some());
        driver::text::decode_text(bytes, is_text, driver::as_uninit(output), &self.plan, self.level)
    }

    /// Decodes to text in place, to the start of `buffer`, and returns the text.
    ///
    /// Does not allocate; up to 1 KiB the text is decoded through a buffer on the stack. A longer
    /// input is checked completely before it is decoded.
    ///
    /// # Errors
    ///
    /// Returns the input's first error, as [`decode_utf8_into`](Self::decode_utf8_into) does, with
    /// its position in the input. On error the contents of `buffer` are unspecified.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// let mut buffer = *b"caf%C3%A9";
    /// assert_eq!(Decoder::new().decode_utf8_in_place(&mut buffer)?, "café");
    /// assert_eq!(Decoder::new().decode_utf8_in_place(&mut b"caf%E9".to_owned()).unwrap_err().position, 3);
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_utf8_in_place<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a mut str, DecodeError> {
        driver::text::decode_text_in_place(buffer, &self.plan, self.level)
    }
}

#[cfg(feature = "alloc")]
impl Decoder {
    /// Decodes to bytes. Borrows the input if nothing is decoded. Otherwise allocates once: the
    /// input's length and at most 16 bytes more. A borrowed result is always the input itself.
    ///
    /// If the only `%`s are malformed, a buffer may be allocated and dropped before the input is
    /// returned borrowed.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len).
    #[inline(always)]
    pub fn decode<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, [u8]>, DecodeError> {
        driver::cow::decode_to_cow(input.as_bytes(), &self.plan, self.level)
    }

    /// Appends the decoded bytes to `output`, which grows at most once.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len). On error nothing is appended.
    #[inline]
    pub fn decode_to<T: Input + ?Sized>(&self, input: &T, output: &mut Vec<u8>) -> Result<(), DecodeError> {
        driver::append::append_decoded(input.as_bytes(), output, &self.plan, self.level)
    }

    /// Decodes to text. Borrows the input if nothing is decoded. Overlong forms and surrogates are
    /// ill-formed. An input that is text is validated only if something is decoded.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len), and
    /// [`InvalidUtf8`](crate::DecodeErrorKind::InvalidUtf8) at the first byte or triplet of the
    /// first ill-formed UTF-8 sequence.
    ///
    /// ```
    /// # use simdpct::{Decoder, DecodeErrorKind};
    /// assert_eq!(Decoder::new().decode_utf8("%E2%82%AC 5")?, "€ 5");
    /// let error = Decoder::new().decode_utf8("/..%c0%af..").unwrap_err();
    /// assert_eq!((error.kind, error.position), (DecodeErrorKind::InvalidUtf8, 3));
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode_utf8<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.text_of(input, |_| IllFormed::INVALID)
    }

    /// Appends the decoded text to `output`, which grows at most once.
    ///
    /// # Errors
    ///
    /// Same as [`decode_utf8`](Self::decode_utf8). On error nothing is appended.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// let mut text = String::from("name: ");
    /// Decoder::new().decode_utf8_to("caf%C3%A9", &mut text)?;
    /// assert_eq!(text, "name: café");
    /// assert!(Decoder::new().decode_utf8_to("a%FF", &mut text).is_err());
    /// assert_eq!(text, "name: café");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_utf8_to<T: Input + ?Sized>(&self, input: &T, output: &mut String) -> Result<(), DecodeError> {
        let (bytes, is_text) = (input.as_bytes(), input.as_text().is_some());
        driver::text::append(bytes, is_text, output, IllFormed::INVALID, &self.plan, self.level)
    }

    /// Decodes to text, and replaces each maximal subpart of an ill-formed sequence by U+FFFD, as
    /// `String::from_utf8_lossy` and the WHATWG Encoding Standard do. Borrows the input if nothing
    /// is decoded or replaced.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len). A lenient decoder that rejects nothing never
    /// fails. If a byte of U+FFFD (EF BF BD) is rejected, so is the first ill-formed sequence.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// assert_eq!(Decoder::new().lenient().decode_utf8_lossy("%E4%20100%")?, "\u{FFFD} 100%");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode_utf8_lossy<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.text_of(input, IllFormed::replaced)
    }

    /// Appends the decoded text to `output`, with U+FFFD for each maximal subpart of an ill-formed
    /// sequence.
    ///
    /// # Errors
    ///
    /// Same as [`decode_utf8_lossy`](Self::decode_utf8_lossy). On error nothing is appended.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// let mut text = String::from("name: ");
    /// Decoder::new().lenient().decode_utf8_lossy_to("caf%E9 100%", &mut text)?;
    /// assert_eq!(text, "name: caf\u{FFFD} 100%");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_utf8_lossy_to<T: Input + ?Sized>(&self, input: &T, output: &mut String) -> Result<(), DecodeError> {
        let (bytes, is_text) = (input.as_bytes(), input.as_text().is_some());
        driver::text::append(bytes, is_text, output, IllFormed::replaced(&self.plan), &self.plan, self.level)
    }

    /// Decodes to text and drops ill-formed sequences. Borrows the input if nothing is decoded or
    /// dropped.
    ///
    /// A lenient decoder that [keeps](Self::keep) `%` replaces a sequence by U+FFFD where dropping
    /// it could create a triplet.
    ///
    /// **Not for security-sensitive text**: dropping bytes joins what they separated. `..%FF/`
    /// becomes `../`, which a check made before this call does not see.
    /// [`decode_utf8_lossy`](Self::decode_utf8_lossy) inserts U+FFFD instead, and
    /// [`decode_utf8`](Self::decode_utf8) rejects such input.
    ///
    /// # Errors
    ///
    /// Same as [`decoded_len`](Self::decoded_len). A lenient decoder that rejects nothing never
    /// fails. If a byte of U+FFFD (EF BF BD) is rejected, so is the first sequence that would be
    /// replaced by it.
    ///
    /// ```
    /// # use simdpct::{ByteSet, Decoder};
    /// let decoder = Decoder::new().lenient();
    /// assert_eq!(decoder.decode_utf8_dropping("caf%E9 100%%FF2F")?, "caf 100%2F");
    /// let decoder = decoder.keep(ByteSet::new(b"%"));
    /// assert_eq!(decoder.decode_utf8_dropping("caf%E9 100%%FF2F")?, "caf 100%\u{FFFD}2F");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode_utf8_dropping<'a, T: Input + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.text_of(input, IllFormed::dropped)
    }

    /// [`decode_utf8`](Self::decode_utf8), where `text` is the input, if it is known to be text.
    pub(crate) fn decode_to_text<'a>(
        &self,
        input: &'a [u8],
        text: Option<&'a str>,
    ) -> Result<Cow<'a, str>, DecodeError> {
        text.map_or_else(|| self.decode_utf8(input), |text| self.decode_utf8(text))
    }

    /// [`decode_utf8_lossy`](Self::decode_utf8_lossy), where `text` is the input, if it is known to
    /// be text.
    pub(crate) fn decode_to_text_lossy<'a>(
        &self,
        input: &'a [u8],
        text: Option<&'a str>,
    ) -> Result<Cow<'a, str>, DecodeError> {
        text.map_or_else(|| self.decode_utf8_lossy(input), |text| self.decode_utf8_lossy(text))
    }

    /// The input, if it is known that decoding does not change it. If `None`, this may still be so.
    #[inline(always)]
    fn plain<'a, T: Input + ?Sized>(&self, input: &'a T) -> Option<Plain<'a>> {
        let bytes = input.as_bytes();
        driver::is_plain(bytes, &self.plan).then(|| input.as_text().map_or(Plain::Bytes(bytes), Plain::Text))
    }

    /// Decodes to text, given what becomes of ill-formed sequences.
    #[inline(always)]
    fn text_of<'a, T: Input + ?Sized>(
        &self,
        input: &'a T,
        ill_formed: impl FnOnce(&DecodeRules) -> IllFormed,
    ) -> Result<Cow<'a, str>, DecodeError> {
        match self.plain(input) {
            Some(Plain::Text(text)) => Ok(Cow::Borrowed(text)),
            Some(Plain::Bytes(bytes)) => {
                driver::text::checked(bytes, Cow::Borrowed(bytes), ill_formed(&self.plan), &self.plan, self.level)
            }
            None => self.coded_text_of(input.as_bytes(), input.as_text(), ill_formed(&self.plan)),
        }
    }

    fn coded_text_of<'a>(
        &self,
        input: &'a [u8],
        text: Option<&'a str>,
        ill_formed: IllFormed,
    ) -> Result<Cow<'a, str>, DecodeError> {
        driver::text::decode_to_cow(input, text, ill_formed, &self.plan, self.level)
    }
}

/// An input that decoding does not change.
#[cfg(feature = "alloc")]
enum Plain<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
}

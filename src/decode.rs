//! `Decoder`: decoding policies and every kind of output.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::byteset::ByteSet;
#[cfg(feature = "alloc")]
use crate::driver::text::TextError;
use crate::driver::{self, DecodePlan};
#[cfg(feature = "alloc")]
use crate::error::DecodeErrorKind;
use crate::error::{DecodeError, DecodeIntoError};
use crate::input::Input;
use crate::level::Level;

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
    /// [dropped](Self::decode_utf8_dropping), a sequence directly after a malformed `%`, or after its
    /// first digit, becomes U+FFFD instead: `%%FF2F` becomes `%\u{FFFD}2F`, not `%2F`.
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

    /// Decodes to the start of possibly uninitialised memory, and returns the initialised part.
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
    /// Returns the input's first error: those of [`decoded_len`](Self::decoded_len), and
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
    /// Same as [`decoded_len`](Self::decoded_len), and [`DecodeErrorKind::InvalidUtf8`] at the
    /// first byte or triplet of the first ill-formed UTF-8 sequence.
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
        match self.plain(input) {
            Some(Plain::Text(text)) => Ok(Cow::Borrowed(text)),
            Some(Plain::Bytes(bytes)) => self.checked_text(bytes, Cow::Borrowed(bytes)),
            None => self.decode_coded(input.as_bytes(), input.as_text()),
        }
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
        self.append_text(input.as_bytes(), input.as_text().is_some(), output)
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
        match self.plain(input) {
            Some(Plain::Text(text)) => Ok(Cow::Borrowed(text)),
            Some(Plain::Bytes(bytes)) => Ok(self.replaced_text(Cow::Borrowed(bytes))),
            None => self.decode_coded_replacing(input.as_bytes(), input.as_text()),
        }
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
        self.append_text_replacing(input.as_bytes(), input.as_text().is_some(), output)
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
        match self.plain(input) {
            Some(Plain::Text(text)) => Ok(Cow::Borrowed(text)),
            Some(Plain::Bytes(bytes)) => Ok(self.dropped_text(Cow::Borrowed(bytes))),
            None => self.decode_coded_dropping(input.as_bytes(), input.as_text()),
        }
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

    /// [`decode_utf8`](Self::decode_utf8) of an input that was not found [plain](Self::plain).
    /// `text` is the input, if it is known to be text: then it is validated only if something is
    /// decoded.
    fn decode_coded<'a>(&self, input: &'a [u8], text: Option<&'a str>) -> Result<Cow<'a, str>, DecodeError> {
        match (driver::cow::decode_not_plain(input, &self.plan, self.level), text) {
            (Ok(Cow::Borrowed(_)), Some(text)) => Ok(Cow::Borrowed(text)),
            (Ok(bytes), _) => self.checked_text(input, bytes),
            (Err(error), _) => Err(self.earlier_ill_formed(input, error)),
        }
    }

    /// Like [`decode_coded`](Self::decode_coded), with U+FFFD for each maximal subpart of an
    /// ill-formed sequence.
    fn decode_coded_replacing<'a>(&self, input: &'a [u8], text: Option<&'a str>) -> Result<Cow<'a, str>, DecodeError> {
        if let Some(kind) = self.plan.error_of_replacement() {
            return self.decode_coded(input, text).map_err(|error| replacement_error(kind, error));
        }
        match (driver::cow::decode_not_plain(input, &self.plan, self.level)?, text) {
            (Cow::Borrowed(_), Some(text)) => Ok(Cow::Borrowed(text)),
            (bytes, _) => Ok(self.replaced_text(bytes)),
        }
    }

    /// Like [`decode_coded`](Self::decode_coded), without ill-formed sequences.
    fn decode_coded_dropping<'a>(&self, input: &'a [u8], text: Option<&'a str>) -> Result<Cow<'a, str>, DecodeError> {
        match (driver::cow::decode_not_plain(input, &self.plan, self.level), text) {
            (Ok(Cow::Borrowed(_)), Some(text)) => Ok(Cow::Borrowed(text)),
            (Ok(bytes), _) => self.error_of_separator(input, &bytes).map_or_else(|| Ok(self.dropped_text(bytes)), Err),
            (Err(error), _) => Err(self.decode_before(input, error, Self::error_of_separator)),
        }
    }

    /// The error for the first sequence of the decoded bytes that would be replaced rather than
    /// dropped, if a byte of U+FFFD is rejected.
    fn error_of_separator(&self, input: &[u8], decoded: &[u8]) -> Option<DecodeError> {
        let kind = self.plan.error_of_separator()?;
        let at = driver::text::find_separated(decoded)?;
        Some(DecodeError::new(kind, driver::offset::input_offset(input, &self.plan, at)))
    }

    /// Validates what was decoded from `input`.
    #[inline(always)]
    fn checked_text<'a>(&self, input: &[u8], decoded: Cow<'a, [u8]>) -> Result<Cow<'a, str>, DecodeError> {
        driver::utf8::into_text(decoded, self.level).map_err(|(_, at)| self.ill_formed(input, at))
    }

    #[inline(always)]
    fn replaced_text<'a>(&self, decoded: Cow<'a, [u8]>) -> Cow<'a, str> {
        driver::utf8::into_text(decoded, self.level)
            .unwrap_or_else(|(bytes, _)| Cow::Owned(driver::utf8::replace_ill_formed(&bytes, REPLACEMENT, self.level)))
    }

    #[inline(always)]
    fn dropped_text<'a>(&self, decoded: Cow<'a, [u8]>) -> Cow<'a, str> {
        driver::utf8::into_text(decoded, self.level)
            .unwrap_or_else(|(bytes, _)| Cow::Owned(driver::text::drop_ill_formed(&bytes, &self.plan, self.level)))
    }

    fn append_text(&self, input: &[u8], is_text: bool, output: &mut String) -> Result<(), DecodeError> {
        driver::text::append_decoded_text(input, is_text, output, &self.plan, self.level).map_err(|error| match error {
            TextError::Decode(error) => self.earlier_ill_formed(input, error),
            TextError::IllFormed(at) => self.ill_formed(input, at),
        })
    }

    fn append_text_replacing(&self, input: &[u8], is_text: bool, output: &mut String) -> Result<(), DecodeError> {
        if let Some(kind) = self.plan.error_of_replacement() {
            return self.append_text(input, is_text, output).map_err(|error| replacement_error(kind, error));
        }
        match driver::text::append_decoded_text(input, is_text, output, &self.plan, self.level) {
            Ok(()) => Ok(()),
            Err(TextError::Decode(error)) => Err(error),
            Err(TextError::IllFormed(_)) => {
                // Rare, so a second pass is acceptable.
                output.push_str(&self.decode_coded_replacing(input, None)?);
                Ok(())
            }
        }
    }

    /// Returns the first error, given that decoding to bytes stopped at `error`: invalid UTF-8 may
    /// precede it.
    #[cold]
    fn earlier_ill_formed(&self, input: &[u8], error: DecodeError) -> DecodeError {
        self.decode_before(input, error, |decoder, before, bytes| {
            Some(decoder.ill_formed(before, driver::utf8::find_ill_formed(bytes, decoder.level)?))
        })
    }

    /// Returns the error that `find` finds in the input before `error` and its decoded bytes, or
    /// `error` itself, which is where decoding to bytes stopped.
    #[cold]
    fn decode_before(
        &self,
        input: &[u8],
        error: DecodeError,
        find: impl Fn(&Self, &[u8], &[u8]) -> Option<DecodeError>,
    ) -> DecodeError {
        // `error` is the first decoding error, so up to there a lenient decoder without rejected
        // bytes yields the same output. A strict one would fail at a kept triplet that is truncated
        // because one of its digits is rejected.
        let before = &input[..error.position];
        let decoder = Self { plan: self.plan.strict(false).without_reject(), ..*self };
        decoder.decode(before).ok().and_then(|bytes| find(self, before, &bytes)).unwrap_or(error)
    }

    /// The error for the ill-formed sequence at `decoded_offset` of the output.
    #[cold]
    fn ill_formed(&self, input: &[u8], decoded_offset: usize) -> DecodeError {
        let position = driver::offset::input_offset(input, &self.plan, decoded_offset);
        DecodeError::new(DecodeErrorKind::InvalidUtf8, position)
    }
}

/// An input that decoding does not change.
#[cfg(feature = "alloc")]
enum Plain<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// The replacement of an ill-formed sequence: U+FFFD.
#[cfg(feature = "alloc")]
const REPLACEMENT: &str = "\u{FFFD}";

/// The error where an ill-formed sequence would be replaced by a rejected byte.
#[cfg(feature = "alloc")]
fn replacement_error(kind: DecodeErrorKind, error: DecodeError) -> DecodeError {
    match error.kind {
        DecodeErrorKind::InvalidUtf8 => DecodeError::new(kind, error.position),
        _ => error,
    }
}

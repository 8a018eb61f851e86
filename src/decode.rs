//! `Decoder`: a policy; every output form.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, vec::Vec};

use crate::byteset::ByteSet;
use crate::driver;
#[cfg(feature = "alloc")]
use crate::error::DecodeErrorKind;
use crate::error::{DecodeError, DecodeIntoError};
use crate::level::Level;
use crate::rules::DecodeRules;

/// Percent-decodes: replaces triplets, `%` and two hexadecimal digits of either case, by the byte they stand for (RFC 3986 2.1).
///
/// A decoder is a small constant: build it once, in `const`, and use it from any number of threads. A new one is strict; see
/// [`lenient`](Self::lenient). Decoding is done once, never twice: `%2541` becomes `%41`. The output is never longer than the
/// input, and every operation is linear in the input's length.
///
/// Of several errors in an input, the one with the smallest position is reported.
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
    pub(crate) rules: DecodeRules,
    pub(crate) level: Option<Level>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// Strict: a malformed `%` is an error. `+` is a plus.
    #[must_use]
    pub const fn new() -> Self {
        Self { rules: DecodeRules::STRICT, level: None }
    }

    /// Passes a malformed `%` on as it is and goes on at the next byte, as WHATWG URL 1.3 has it: `%%41` becomes `%A`.
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.rules.strict = false;
        self
    }

    /// Reads a raw `+` as a space, as forms do (WHATWG URL 5.1). `%2B` still becomes `+`.
    #[must_use]
    pub const fn plus_for_space(mut self) -> Self {
        self.rules.plus = true;
        self
    }

    /// Leaves triplets of the bytes in `set` as the three bytes they are, in place of any set given before.
    ///
    /// Without `%` in `set` the output is not a URI, and must not be decoded again: `%252F` becomes `%2F`, like a `%2F` that was kept.
    /// With `%` in `set` the output holds no triplet that the input does not hold. A [lenient](Self::lenient) decoder then also
    /// leaves the triplet of a digit that could complete a malformed `%`: `%%34%31` becomes `%%341`, not `%41`.
    ///
    /// ```
    /// # use simdpct::{ByteSet, Decoder};
    /// let path = Decoder::new().keep(ByteSet::new(b"/"));
    /// assert_eq!(*path.decode("/a%2fb%20c")?, *b"/a%2fb c");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn keep(mut self, set: ByteSet) -> Self {
        self.rules.keep = Some(set);
        self
    }

    /// Refuses every input whose output would hold a byte of `set`, raw or decoded, in place of any set given before.
    ///
    /// ```
    /// # use simdpct::{ByteSet, Decoder, DecodeErrorKind};
    /// let error = Decoder::new().reject(ByteSet::new(b"\0")).decode("a.png%00.txt").unwrap_err();
    /// assert_eq!((error.kind, error.position), (DecodeErrorKind::Rejected(0), 5));
    /// ```
    #[must_use]
    pub const fn reject(mut self, set: ByteSet) -> Self {
        self.rules.reject = Some(set);
        self
    }

    /// Runs on this level, or on the best available one below it; the result is the same.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Whether the input can be decoded to bytes, without doing it.
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len).
    pub fn check<T: AsRef<[u8]> + ?Sized>(&self, input: &T) -> Result<(), DecodeError> {
        self.decoded_len(input).map(|_| ())
    }

    /// The exact length of the decoded form.
    ///
    /// # Errors
    ///
    /// The first malformed `%` of a strict decoder, or the first rejected byte.
    pub fn decoded_len<T: AsRef<[u8]> + ?Sized>(&self, input: &T) -> Result<usize, DecodeError> {
        driver::measure_decode(input.as_ref(), &self.rules, self.level)
    }

    /// Decodes to the start of `output` and returns the length; what lies behind it in `output` may have been overwritten. As
    /// much room as the input has is always enough.
    ///
    /// # Errors
    ///
    /// The input's first error, as [`decoded_len`](Self::decoded_len), or else the length that is needed if the result does
    /// not fit. The contents of `output` are then unspecified.
    ///
    /// ```
    /// # use simdpct::{Decoder, DecodeIntoError};
    /// let mut buffer = [0; 4];
    /// assert_eq!(Decoder::new().decode_into("%41bc", &mut buffer), Ok(3));
    /// assert_eq!(&buffer[..3], b"Abc");
    /// let error = Decoder::new().decode_into("abcde", &mut buffer).unwrap_err();
    /// assert!(matches!(error, DecodeIntoError::BufferTooSmall(error) if error.needed == 5));
    /// ```
    pub fn decode_into<T: AsRef<[u8]> + ?Sized>(&self, input: &T, output: &mut [u8]) -> Result<usize, DecodeIntoError> {
        driver::decode(input.as_ref(), driver::as_uninit(output), &self.rules, self.level)
    }

    /// Decodes to the start of memory that need not be initialised, and returns the part that now is.
    ///
    /// # Errors
    ///
    /// As [`decode_into`](Self::decode_into).
    pub fn decode_uninit<'a, T: AsRef<[u8]> + ?Sized>(
        &self,
        input: &T,
        output: &'a mut [MaybeUninit<u8>],
    ) -> Result<&'a mut [u8], DecodeIntoError> {
        driver::decode_uninit(input.as_ref(), output, &self.rules, self.level)
    }

    /// Decodes to the start of the buffer that holds the input, and returns that part.
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len). The contents of the buffer are then unspecified.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// let mut buffer = *b"a%20b";
    /// assert_eq!(Decoder::new().decode_in_place(&mut buffer)?, b"a b");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    pub fn decode_in_place<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a mut [u8], DecodeError> {
        let written = driver::decode_in_place(buffer, &self.rules, self.level)?;
        Ok(&mut buffer[..written])
    }
}

#[cfg(feature = "alloc")]
impl Decoder {
    /// Decodes to bytes; borrows the input where there is nothing to decode, else allocates once, the input's length and up
    /// to 16 bytes more. (Where a malformed `%` is all there is, what was allocated may be let go.)
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len).
    #[inline(always)]
    pub fn decode<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, [u8]>, DecodeError> {
        driver::small::decode_to_cow(input.as_ref(), &self.rules, self.level)
    }

    /// Appends the decoded bytes to `output`, growing it at most once.
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len); nothing is appended then.
    #[inline]
    pub fn decode_to<T: AsRef<[u8]> + ?Sized>(&self, input: &T, output: &mut Vec<u8>) -> Result<(), DecodeError> {
        driver::alloc::append_decoded(input.as_ref(), output, &self.rules, self.level)
    }

    /// Decodes to text; borrows where there is nothing to decode. Overlong forms and surrogates are not well-formed.
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len), and [`DecodeErrorKind::InvalidUtf8`] at the first byte or triplet of the first
    /// sequence that is not well-formed UTF-8.
    ///
    /// ```
    /// # use simdpct::{Decoder, DecodeErrorKind};
    /// assert_eq!(Decoder::new().decode_utf8("%E2%82%AC 5")?, "€ 5");
    /// let error = Decoder::new().decode_utf8("/..%c0%af..").unwrap_err();
    /// assert_eq!((error.kind, error.position), (DecodeErrorKind::InvalidUtf8, 3));
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode_utf8<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        let input = input.as_ref();
        match self.decode(input) {
            Ok(bytes) => driver::text::into_text(bytes, self.level).map_err(|(_, at)| self.ill_formed(input, at)),
            Err(error) => Err(self.earlier_ill_formed(input, error)),
        }
    }

    /// Decodes to text, with U+FFFD for each maximal subpart of an ill-formed sequence, as `String::from_utf8_lossy` and WHATWG
    /// Encoding have it; borrows where there is nothing to decode and to replace.
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len); a lenient decoder that rejects nothing has none. If a byte of U+FFFD (EF BF BD) is
    /// rejected, so is the first ill-formed sequence.
    ///
    /// ```
    /// # use simdpct::Decoder;
    /// assert_eq!(Decoder::new().lenient().decode_utf8_lossy("%E4%20100%")?, "\u{FFFD} 100%");
    /// # Ok::<(), simdpct::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode_utf8_lossy<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_utf8_replacing(input.as_ref(), "\u{FFFD}")
    }

    /// Decodes to text and leaves ill-formed sequences out; borrows where there is nothing to decode and to drop.
    ///
    /// **Not for text on which a decision about security depends**: dropping joins what was apart. `..%FF/` becomes `../`, and a check
    /// made before this call saw neither. [`decode_utf8_lossy`](Self::decode_utf8_lossy) leaves U+FFFD in its place, and
    /// [`decode_utf8`](Self::decode_utf8) refuses such input.
    ///
    /// # Errors
    ///
    /// As [`decoded_len`](Self::decoded_len); a lenient decoder that rejects nothing has none.
    #[inline]
    pub fn decode_utf8_dropping<'a, T: AsRef<[u8]> + ?Sized>(&self, input: &'a T) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_utf8_replacing(input.as_ref(), "")
    }

    fn decode_utf8_replacing<'a>(&self, input: &'a [u8], replacement: &str) -> Result<Cow<'a, str>, DecodeError> {
        if let Some(kind) = self.rules.error_of_replacement(replacement) {
            return self.decode_utf8(input).map_err(|error| match error.kind {
                DecodeErrorKind::InvalidUtf8 => DecodeError::new(kind, error.position),
                _ => error,
            });
        }
        driver::text::into_text(self.decode(input)?, self.level)
            .or_else(|(bytes, _)| Ok(Cow::Owned(driver::text::replace_ill_formed(&bytes, replacement, self.level))))
    }

    /// The error to report where `error` stopped the decoding: what came before it may be ill-formed already.
    #[cold]
    fn earlier_ill_formed(&self, input: &[u8], error: DecodeError) -> DecodeError {
        // Up to `error` there is no other but that, so a lenient decoder yields the same bytes; a strict one would stumble
        // over a kept triplet that is cut because one of its digits is rejected.
        let before = &input[..error.position];
        let decoder = Self { rules: DecodeRules { strict: false, reject: None, ..self.rules }, ..*self };
        match decoder.decode(before).map(|bytes| driver::text::find_ill_formed(&bytes, self.level)) {
            Ok(Some(at)) => decoder.ill_formed(before, at),
            _ => error,
        }
    }

    /// The error for what is ill-formed at `decoded_offset` of the output.
    #[cold]
    fn ill_formed(&self, input: &[u8], decoded_offset: usize) -> DecodeError {
        let position = driver::offset::input_offset(input, &self.rules, decoded_offset);
        DecodeError::new(DecodeErrorKind::InvalidUtf8, position)
    }
}

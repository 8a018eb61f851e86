//! The API of percent-encoding 2.3.2, implemented with simdpct. For `[patch.crates-io]`; see
//! docs/drop-in.md.
//!
//! Items, their order, `size_hint`, the kind of each `Cow`, errors and panics are the same as in
//! percent-encoding, except for the number of calls to a formatter.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

mod set;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use alloc::string::String;
use core::fmt;
use core::slice;
#[cfg(feature = "alloc")]
use core::str::Utf8Error;

#[cfg(feature = "alloc")]
use simdpct::Decoder;
use simdpct::{ByteSet, Encoder, Pieces};

pub use self::set::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};

/// Returns the triplet of a byte, in upper case.
#[inline]
pub fn percent_encode_byte(byte: u8) -> &'static str {
    const { &Encoder::new(ByteSet::ALL) }.encode_byte(byte)
}

/// Encodes the bytes of the set, and all bytes from 0x80.
#[inline]
pub fn percent_encode<'a>(input: &'a [u8], ascii_set: &'static AsciiSet) -> PercentEncode<'a> {
    PercentEncode { pieces: ascii_set.encoder().pieces(input), ascii_set }
}

/// Encodes text; see [`percent_encode`].
#[inline]
pub fn utf8_percent_encode<'a>(input: &'a str, ascii_set: &'static AsciiSet) -> PercentEncode<'a> {
    percent_encode(input.as_bytes(), ascii_set)
}

/// The encoded form: an iterator over runs of unchanged bytes and triplets of single bytes, also
/// for formatting and conversion to `Cow`.
#[derive(Clone)]
pub struct PercentEncode<'a> {
    pieces: Pieces<'a>,
    ascii_set: &'static AsciiSet,
}

impl<'a> PercentEncode<'a> {
    /// Returns the encoded form, faster than [`ToString`](alloc::string::ToString).
    #[cfg(feature = "alloc")]
    #[expect(clippy::inherent_to_string_shadow_display, reason = "returns the same text, faster")]
    #[inline]
    pub fn to_string(&self) -> String {
        self.to_cow().into_owned()
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn to_cow(&self) -> Cow<'a, str> {
        match self.pieces.rest() {
            [byte] => Cow::Borrowed(self.ascii_set.encoder().encode_byte(*byte)),
            rest => self.ascii_set.encoder().encode(rest),
        }
    }
}

impl<'a> Iterator for PercentEncode<'a> {
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
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, mut f: F) -> B {
        let rest = self.pieces.rest();
        // The url crate encodes user information as single characters.
        if rest.len() == 1 || rest.len() <= 4 && !rest.iter().any(u8::is_ascii) {
            return rest.iter().fold(init, |result, &byte| f(result, self.ascii_set.encoder().encode_byte(byte)));
        }
        self.pieces.fold(init, f)
    }
}

impl fmt::Display for PercentEncode<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ascii_set.encoder().display(self.pieces.rest()).fmt(f)
    }
}

impl fmt::Debug for PercentEncode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("PercentEncode");
        fields.field("bytes", &self.pieces.rest()).field("ascii_set", &self.ascii_set).finish()
    }
}

impl PartialEq for PercentEncode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.pieces.rest() == other.pieces.rest() && self.ascii_set == other.ascii_set
    }
}

impl Eq for PercentEncode<'_> {}

#[cfg(feature = "alloc")]
impl<'a> From<PercentEncode<'a>> for Cow<'a, str> {
    #[inline]
    fn from(encoded: PercentEncode<'a>) -> Self {
        encoded.to_cow()
    }
}

/// Decodes text; see [`percent_decode`].
#[inline]
pub fn percent_decode_str(input: &str) -> PercentDecode<'_> {
    PercentDecode { bytes: input.as_bytes().iter(), text: input }
}

/// Decodes bytes. A malformed `%` is kept.
#[inline]
pub fn percent_decode(input: &[u8]) -> PercentDecode<'_> {
    PercentDecode { bytes: input.iter(), text: "" }
}

/// The decoded form: an iterator over bytes, also for conversion to `Cow`.
#[derive(Clone)]
pub struct PercentDecode<'a> {
    /// The rest of the input.
    bytes: slice::Iter<'a, u8>,
    /// The whole input, if it is text. Empty otherwise.
    text: &'a str,
}

impl Iterator for PercentDecode<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.next()?;
        if byte == b'%'
            && let [high, low, after @ ..] = self.bytes.as_slice()
            && let Some(high) = char::from(*high).to_digit(16)
            && let Some(low) = char::from(*low).to_digit(16)
        {
            self.bytes = after.iter();
            return Some((high << 4 | low) as u8);
        }
        Some(byte)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let bytes = self.bytes.len();
        (bytes.div_ceil(3), Some(bytes))
    }
}

impl fmt::Debug for PercentDecode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PercentDecode").field("bytes", &self.bytes).finish()
    }
}

#[cfg(feature = "alloc")]
const LENIENT: Decoder = Decoder::new().lenient();

#[cfg(feature = "alloc")]
impl<'a> PercentDecode<'a> {
    /// Decodes to text.
    ///
    /// # Errors
    ///
    /// Returns the first invalid sequence of the decoded bytes.
    #[inline]
    pub fn decode_utf8(self) -> Result<Cow<'a, str>, Utf8Error> {
        let decoded = match self.as_text() {
            Some(text) => LENIENT.decode_utf8(text),
            None => LENIENT.decode_utf8(self.bytes.as_slice()),
        };
        decoded.or_else(|_| ill_formed(self.bytes.as_slice()))
    }

    /// Decodes to text, with U+FFFD for each maximal subpart of an ill-formed sequence.
    #[inline]
    pub fn decode_utf8_lossy(self) -> Cow<'a, str> {
        let decoded = match self.as_text() {
            Some(text) => LENIENT.decode_utf8_lossy(text),
            None => LENIENT.decode_utf8_lossy(self.bytes.as_slice()),
        };
        // Unreachable default: a lenient decoder that rejects nothing never fails.
        decoded.unwrap_or_default()
    }

    /// The whole input, if it is text and no byte has been yielded. After that, the rest may
    /// begin within a character.
    #[inline]
    fn as_text(&self) -> Option<&'a str> {
        (self.bytes.len() == self.text.len()).then_some(self.text)
    }
}

/// The error of decoded bytes that are not UTF-8. Only `str::from_utf8` can make this type.
#[cfg(feature = "alloc")]
#[cold]
fn ill_formed(input: &[u8]) -> Result<Cow<'_, str>, Utf8Error> {
    match LENIENT.decode(input).unwrap_or_default() {
        Cow::Borrowed(bytes) => core::str::from_utf8(bytes).map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|error| error.utf8_error()),
    }
}

#[cfg(feature = "alloc")]
impl<'a> From<PercentDecode<'a>> for Cow<'a, [u8]> {
    #[inline]
    fn from(decoded: PercentDecode<'a>) -> Self {
        LENIENT.decode(decoded.bytes.as_slice()).unwrap_or_default()
    }
}

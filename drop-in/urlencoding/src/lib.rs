//! The API of urlencoding 2.1.3, implemented with simdpct. For `[patch.crates-io]`; see
//! docs/drop-in.md.
//!
//! Results, the kind of each `Cow` and errors are the same as in urlencoding, except for the
//! number of calls to a formatter or writer.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::string::FromUtf8Error;

use simdpct::{Decoder, Encoder};

const LENIENT: Decoder = Decoder::new().lenient();

/// Decodes to text. A malformed `%` is kept. Borrows the input if it contains no `%`.
///
/// # Errors
///
/// Returns the decoded bytes if they are not UTF-8.
#[inline]
pub fn decode(data: &str) -> Result<Cow<'_, str>, FromUtf8Error> {
    match LENIENT.decode_utf8(data) {
        Ok(Cow::Owned(text)) => Ok(Cow::Owned(text)),
        Ok(Cow::Borrowed(text)) if has_percent(text.as_bytes()) => Ok(Cow::Owned(text.to_owned())),
        Ok(Cow::Borrowed(text)) => Ok(Cow::Borrowed(text)),
        Err(_) => Ok(Cow::Owned(String::from_utf8(decode_binary(data.as_bytes()).into_owned())?)),
    }
}

/// Decodes to bytes. A malformed `%` is kept. Borrows the input if it contains no `%`.
#[inline]
pub fn decode_binary(data: &[u8]) -> Cow<'_, [u8]> {
    // Unreachable default: a lenient decoder that rejects nothing never fails.
    match LENIENT.decode(data).unwrap_or_default() {
        Cow::Borrowed(bytes) if has_percent(bytes) => Cow::Owned(bytes.to_owned()),
        decoded => decoded,
    }
}

/// Whether a text that decodes to itself contains a malformed `%`.
#[inline]
fn has_percent(text: &[u8]) -> bool {
    const { simdpct::ByteSet::new(b"%") }.find(text).is_some()
}

/// Encodes text: escapes all bytes except ASCII letters, digits and `-_.~`.
#[inline]
pub fn encode(data: &str) -> Cow<'_, str> {
    const { &Encoder::COMPONENT }.encode(data)
}

/// Encodes bytes; see [`encode`].
#[inline]
pub fn encode_binary(data: &[u8]) -> Cow<'_, str> {
    const { &Encoder::COMPONENT }.encode(data)
}

/// Text or bytes to encode, for formatting.
///
/// ```
/// assert_eq!(format!("{}", urlencoding::Encoded("a b")), "a%20b");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[repr(transparent)]
pub struct Encoded<Str>(pub Str);

impl<Str: AsRef<[u8]>> Encoded<Str> {
    /// Same as `Encoded(string)`.
    #[inline(always)]
    pub fn new(string: Str) -> Self {
        Self(string)
    }

    /// Returns the encoded form; borrowed if nothing is escaped.
    #[inline(always)]
    pub fn to_str(&self) -> Cow<'_, str> {
        encode_binary(self.0.as_ref())
    }

    /// Returns the encoded form.
    #[expect(clippy::inherent_to_string_shadow_display, reason = "returns the same text, faster")]
    #[inline]
    pub fn to_string(&self) -> String {
        self.to_str().into_owned()
    }

    /// Writes the encoded form.
    ///
    /// # Errors
    ///
    /// Returns the writer's error.
    #[inline]
    pub fn write<W: io::Write>(&self, writer: &mut W) -> io::Result<()> {
        write!(writer, "{self}")
    }

    /// Appends the encoded form.
    #[inline]
    pub fn append_to(&self, string: &mut String) {
        const { &Encoder::COMPONENT }.encode_to(self.0.as_ref(), string);
    }
}

impl<'a> Encoded<&'a str> {
    /// Same as `Encoded(string)`, for text.
    #[inline(always)]
    pub fn str(string: &'a str) -> Self {
        Self(string)
    }
}

impl<Str: AsRef<[u8]>> fmt::Display for Encoded<Str> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const { &Encoder::COMPONENT }.display(self.0.as_ref()).fmt(f)
    }
}

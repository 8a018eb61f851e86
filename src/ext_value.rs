//! Extended values of HTTP header parameters (RFC 8187), as in
//! `filename*=UTF-8''na%C3%AFve%20file.txt`.
//!
//! ```text
//! ext-value = charset "'" [ language ] "'" value-chars
//! ```
//!
//! The name of a parameter with such a value ends in `*`. Extended values are used in
//! `Content-Disposition` (RFC 6266 4.3) and `Link` (RFC 8288 3.4.1). An extended value contains no
//! delimiter of header fields and needs no quotes.
//!
//! [`encode`] writes one and [`decode`] reads one. [`Encoder`] and [`ExtValue`] do the same with a
//! language tag, and without the feature `alloc`.
//!
//! ```
//! use simdpct::ext_value::{self, ExtValue};
//!
//! let name = ext_value::encode("naïve file.txt");
//! assert_eq!(
//!     format!("attachment; filename*={name}"),
//!     "attachment; filename*=UTF-8''na%C3%AFve%20file.txt"
//! );
//! assert_eq!(ext_value::decode(&name)?, "naïve file.txt");
//!
//! let title = ExtValue::parse("iso-8859-1'en'%A3%20rates")?;
//! assert_eq!((title.language(), &*title.decode()), ("en", "£ rates"));
//! # Ok::<(), simdpct::ext_value::ExtValueError>(())
//! ```
//!
//! # Security
//!
//! The text may contain any character: `/`, `..`, NUL, line ends. Before using it as the name of a
//! file, keep only its last path segment, and reject or replace the rest (RFC 6266 4.3).
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};

use crate::byteset::ByteSet;
use crate::decode::Decoder;
use crate::encode::Encoder as ValueEncoder;
use crate::error::{BufferTooSmall, DecodeError, DecodeErrorKind};
use crate::input::Input;
use crate::inspect::Findings;
use crate::kinds::Kinds;
use crate::level::Level;
use crate::{driver, hex, sets};

/// Allowed in a `charset`: `mime-charsetc` (RFC 8187 3.2.1).
const CHARSET: ByteSet = sets::ALPHA.union(sets::DIGIT).union(ByteSet::new(b"!#$%&+-^_`{}~"));
/// Bytes that end `value-chars`: neither `attr-char` nor the `%` of a triplet (RFC 8187 3.2.1).
const NOT_VALUE: ByteSet = sets::rfc5987::VALUE_CHARS.without(b'%');
const VALUE: ValueEncoder = ValueEncoder::new(sets::rfc5987::VALUE_CHARS);

/// Encodes text as an extended value in UTF-8, without a language.
///
/// ```
/// assert_eq!(simdpct::ext_value::encode("€ rates"), "UTF-8''%E2%82%AC%20rates");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode(text: &str) -> String {
    Encoder::new().encode(text)
}

/// Decodes an extended value to text. Borrows the input if nothing is decoded.
///
/// # Errors
///
/// Same as [`ExtValue::parse`].
///
/// ```
/// use simdpct::ext_value::{self, ExtValueError};
///
/// assert_eq!(ext_value::decode("UTF-8''%e2%82%ac%20rates")?, "€ rates");
/// let error = ext_value::decode("UTF-8''50%").unwrap_err();
/// assert!(matches!(error, ExtValueError::Decode(_)));
/// assert_eq!(error.position(), 9);
/// # Ok::<(), ExtValueError>(())
/// ```
#[cfg(feature = "alloc")]
pub fn decode<T: Input + ?Sized>(input: &T) -> Result<Cow<'_, str>, ExtValueError> {
    ExtValue::parse(input).map(|value| value.decode())
}

/// A valid extended value, split into its three parts; see [`parse`](Self::parse).
///
/// ```
/// use simdpct::ext_value::{Charset, ExtValue};
///
/// let value = ExtValue::parse("UTF-8'de-AT'Gr%C3%BC%C3%9Fe")?;
/// assert_eq!((value.charset(), value.language()), (Charset::Utf8, "de-AT"));
/// assert_eq!((value.encoded(), &*value.decode()), ("Gr%C3%BC%C3%9Fe", "Grüße"));
/// # Ok::<(), simdpct::ext_value::ExtValueError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ExtValue<'a> {
    charset: Charset,
    language: &'a str,
    /// Only attr-char and triplets, well-formed in the charset.
    encoded: &'a str,
    level: Option<Level>,
}

/// The charset of an [`ExtValue`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Charset {
    /// UTF-8, the only one that RFC 8187 allows producers to use (3.2.1).
    Utf8,
    /// ISO-8859-1, which recipients had to support too (RFC 5987 3.2.1). A triplet `%XX` is the
    /// character U+00XX.
    Latin1,
}

/// Error of parsing an extended value.
///
/// If an input has several errors, the one with the smallest position is reported, and
/// [`UnsupportedCharset`](Self::UnsupportedCharset) before all errors after the charset.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ExtValueError {
    /// The byte at this position, or the end of the input, is not allowed there (RFC 8187 3.2.1).
    #[non_exhaustive]
    Unexpected {
        /// Byte offset in the input.
        position: usize,
    },
    /// The charset, at the start of the input, is neither UTF-8 nor ISO-8859-1.
    UnsupportedCharset,
    /// The last part cannot be decoded: [`Malformed`](DecodeErrorKind::Malformed) or
    /// [`InvalidUtf8`](DecodeErrorKind::InvalidUtf8). The position is that in the whole input.
    Decode(DecodeError),
}

impl Charset {
    /// The name in IANA's registry: `UTF-8` or `ISO-8859-1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "ISO-8859-1",
        }
    }
}

impl ExtValueError {
    /// Byte offset of the error in the input.
    #[must_use]
    pub const fn position(&self) -> usize {
        match self {
            Self::Unexpected { position } => *position,
            Self::UnsupportedCharset => 0,
            Self::Decode(error) => error.position,
        }
    }
}

impl fmt::Display for ExtValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { position } => {
                write!(f, "not an extended value (RFC 8187): unexpected at byte {position}")
            }
            Self::UnsupportedCharset => f.write_str("unsupported charset: expected UTF-8 or ISO-8859-1"),
            Self::Decode(error) => error.fmt(f),
        }
    }
}

// No source: `Display` already prints the inner error.
impl Error for ExtValueError {}

impl<'a> ExtValue<'a> {
    /// Parses an extended value strictly, per RFC 8187 3.2.1, and validates all of it. Linear, with
    /// SIMD. Does not allocate.
    ///
    /// The charset is UTF-8 or ISO-8859-1, in any case. The language may be absent. It is checked
    /// for the form of a tag only: subtags of one to eight letters and digits, the first one of
    /// letters, with `-` between them (RFC 5646 2.1).
    ///
    /// Where this fails, RFC 8187 3.2.1 recommends to handle the error robustly: ignore the
    /// parameter, and use the one without `*` (RFC 6266 4.3).
    ///
    /// # Errors
    ///
    /// Returns the first error. `%` without two hexadecimal digits and ill-formed UTF-8 are
    /// [`Decode`](ExtValueError::Decode), as for a [`Decoder`]. Any other byte that is not
    /// [`ATTR_CHAR`](sets::rfc5987::ATTR_CHAR), such as a space, a quote or a raw non-ASCII
    /// character, is [`Unexpected`](ExtValueError::Unexpected).
    ///
    /// ```
    /// use simdpct::ext_value::{ExtValue, ExtValueError};
    ///
    /// let position = |input: &str| ExtValue::parse(input).unwrap_err().position();
    /// assert_eq!(position("UTF-8'en"), 8);
    /// assert_eq!(position("UTF-8''a b"), 8);
    /// assert_eq!(position("UTF-8''a%C3"), 8);
    /// assert_eq!(ExtValue::parse("UTF-16''a"), Err(ExtValueError::UnsupportedCharset));
    /// ```
    pub fn parse<T: Input + ?Sized>(input: &'a T) -> Result<Self, ExtValueError> {
        Self::of(input.as_bytes(), None)
    }

    /// Like [`parse`](Self::parse), on the given level.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse).
    pub fn parse_on<T: Input + ?Sized>(level: Level, input: &'a T) -> Result<Self, ExtValueError> {
        Self::of(input.as_bytes(), Some(level))
    }

    fn of(input: &'a [u8], level: Option<Level>) -> Result<Self, ExtValueError> {
        let unexpected = |position| ExtValueError::Unexpected { position };
        let charset_end = input.iter().position(|&byte| !CHARSET.contains(byte)).unwrap_or(input.len());
        if charset_end == 0 || input.get(charset_end) != Some(&b'\'') {
            return Err(unexpected(charset_end));
        }
        let is_charset = |charset: &Charset| input[..charset_end].eq_ignore_ascii_case(charset.name().as_bytes());
        let known = [Charset::Utf8, Charset::Latin1].into_iter().find(is_charset);
        let charset = known.ok_or(ExtValueError::UnsupportedCharset)?;

        let language_start = charset_end + 1;
        let language_end =
            language_start + language_length(&input[language_start..]).map_err(|at| unexpected(language_start + at))?;
        if input.get(language_end) != Some(&b'\'') {
            return Err(unexpected(language_end));
        }

        let start = language_end + 1;
        let end = driver::find(&NOT_VALUE, &input[start..], level).map_or(input.len(), |at| start + at);
        let encoded = &input[start..end];
        let findings = Findings::of(encoded, level);
        let (invalid, malformed) = match charset {
            Charset::Utf8 => (findings.first_of(Kinds::INVALID_UTF8), findings.first_of(Kinds::MALFORMED)),
            Charset::Latin1 => (None, findings.first_of(Kinds::MALFORMED)),
        };
        let errors = [
            invalid.map(|at| DecodeError::new(DecodeErrorKind::InvalidUtf8, start + at)),
            malformed.map(|at| DecodeError::new(DecodeErrorKind::Malformed, start + at)),
        ];
        if let Some(error) = errors.into_iter().flatten().min_by_key(|error| error.position) {
            return Err(ExtValueError::Decode(error));
        }
        if end < input.len() {
            return Err(unexpected(end));
        }
        // Never empty for want of UTF-8: everything before `end` is ASCII.
        let text = |bytes| core::str::from_utf8(bytes).unwrap_or_default();
        Ok(Self { charset, language: text(&input[language_start..language_end]), encoded: text(encoded), level })
    }

    /// The charset of the triplets.
    #[must_use]
    pub const fn charset(&self) -> Charset {
        self.charset
    }

    /// The language tag of the text (RFC 5646). Empty if absent.
    #[must_use]
    pub const fn language(&self) -> &'a str {
        self.language
    }

    /// The last part: the text as it is in the input, encoded.
    #[must_use]
    pub const fn encoded(&self) -> &'a str {
        self.encoded
    }

    /// Length of the text in bytes of UTF-8: at most the length of [`encoded`](Self::encoded).
    #[must_use]
    pub fn decoded_len(&self) -> usize {
        match self.charset {
            // Unreachable default: the triplets were validated.
            Charset::Utf8 => self.decoder().decoded_len(self.encoded).unwrap_or_default(),
            Charset::Latin1 => self.latin1().map(char::len_utf8).sum(),
        }
    }

    /// Decodes to the start of `output`, in UTF-8, and returns the length of the result. Bytes of
    /// `output` after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// Returns [`BufferTooSmall`], with the length needed, if the result does not fit. On error the
    /// contents of `output` are unspecified.
    ///
    /// ```
    /// # use simdpct::ext_value::ExtValue;
    /// let value = ExtValue::parse("ISO-8859-1''Gr%FC%DFe")?;
    /// let mut buffer = [0; 7];
    /// assert_eq!(value.decode_into(&mut buffer).unwrap(), 7);
    /// assert_eq!(buffer, *"Grüße".as_bytes());
    /// assert_eq!(value.decode_into(&mut buffer[1..]).unwrap_err().needed, 7);
    /// # Ok::<(), simdpct::ext_value::ExtValueError>(())
    /// ```
    pub fn decode_into(&self, output: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let needed = self.decoded_len();
        let Some(output) = output.get_mut(..needed) else { return Err(BufferTooSmall::new(needed)) };
        match self.charset {
            Charset::Utf8 => self.decoder().decode_into(self.encoded, output).map_err(|_| BufferTooSmall::new(needed)),
            Charset::Latin1 => {
                let mut rest = output;
                for character in self.latin1() {
                    let (place, after) = rest.split_at_mut(character.len_utf8());
                    character.encode_utf8(place);
                    rest = after;
                }
                Ok(needed)
            }
        }
    }

    /// Decodes to text. Borrows the input if it contains no triplet.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn decode(&self) -> Cow<'a, str> {
        match self.charset {
            // Unreachable default: the value was validated.
            Charset::Utf8 => self.decoder().decode_utf8(self.encoded).unwrap_or_default(),
            Charset::Latin1 if !self.encoded.contains('%') => Cow::Borrowed(self.encoded),
            Charset::Latin1 => {
                let mut text = String::with_capacity(self.decoded_len());
                text.extend(self.latin1());
                Cow::Owned(text)
            }
        }
    }

    const fn decoder(&self) -> Decoder {
        match self.level {
            Some(level) => Decoder::new().level(level),
            None => Decoder::new(),
        }
    }

    /// The characters of a value in ISO-8859-1.
    fn latin1(&self) -> impl Iterator<Item = char> + use<'a> {
        let mut rest = self.encoded.as_bytes();
        core::iter::from_fn(move || {
            let (byte, length) = match hex::first_triplet(rest) {
                Some(byte) => (byte, 3),
                None => (*rest.first()?, 1),
            };
            rest = &rest[length..];
            Some(char::from(byte))
        })
    }
}

/// Length of the language tag before the first `'`, or of what precedes the first byte that it
/// cannot contain.
fn language_length(input: &[u8]) -> Result<usize, usize> {
    let length = input.iter().position(|&byte| byte == b'\'').unwrap_or(input.len());
    let mut start = 0;
    for (index, subtag) in input[..length].split(|&byte| byte == b'-').enumerate() {
        let is_allowed = |byte: &u8| byte.is_ascii_alphabetic() || index > 0 && byte.is_ascii_digit();
        let good = subtag.iter().take(8).take_while(|byte| is_allowed(byte)).count();
        // Without any subtag the language is absent.
        if good < subtag.len() || good == 0 && length > 0 {
            return Err(start + good);
        }
        start += subtag.len() + 1;
    }
    Ok(length)
}

/// Writes extended values, always in UTF-8.
///
/// A constant like [`simdpct::Encoder`](crate::Encoder), with a language tag instead of a set. All
/// bytes but [`ATTR_CHAR`](sets::rfc5987::ATTR_CHAR) are escaped.
///
/// ```
/// use simdpct::ext_value::Encoder;
///
/// let german = Encoder::new().language("de")?;
/// assert_eq!(german.encode("Grüße"), "UTF-8'de'Gr%C3%BC%C3%9Fe");
/// assert!(Encoder::new().language("Deutsch!").is_err());
/// # Ok::<(), simdpct::ext_value::ExtValueError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Encoder<'a> {
    language: &'a str,
    level: Option<Level>,
}

impl<'a> Encoder<'a> {
    /// Creates an encoder of values without a language.
    #[must_use]
    pub const fn new() -> Self {
        Self { language: "", level: None }
    }

    /// Sets the language tag of the text (RFC 5646). An empty one is none.
    ///
    /// # Errors
    ///
    /// Returns the position in `language` of the first byte that a tag cannot contain there, as
    /// [`ExtValue::parse`] does.
    pub fn language(mut self, language: &'a str) -> Result<Self, ExtValueError> {
        match language_length(language.as_bytes()) {
            Ok(length) if length == language.len() => self.language = language,
            Ok(position) | Err(position) => return Err(ExtValueError::Unexpected { position }),
        }
        Ok(self)
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Returns the exact length of the extended value. Saturates at `usize::MAX`.
    #[must_use]
    pub fn encoded_len(&self, text: &str) -> usize {
        let prefix: usize = self.prefix().map(str::len).iter().sum();
        self.value().encoded_len(text).saturating_add(prefix)
    }

    /// Writes an extended value to the start of `output` and returns its length. Bytes of `output`
    /// after it may be overwritten.
    ///
    /// # Errors
    ///
    /// Returns [`BufferTooSmall`], with the length needed, if the result does not fit. On error the
    /// contents of `output` are unspecified.
    ///
    /// ```
    /// # use simdpct::ext_value::Encoder;
    /// let mut buffer = [0; 20];
    /// let length = Encoder::new().encode_into("5 €", &mut buffer)?;
    /// assert_eq!(&buffer[..length], b"UTF-8''5%20%E2%82%AC");
    /// # Ok::<(), simdpct::BufferTooSmall>(())
    /// ```
    pub fn encode_into(&self, text: &str, output: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let needed = self.encoded_len(text);
        let Some(output) = output.get_mut(..needed) else { return Err(BufferTooSmall::new(needed)) };
        let mut rest = output;
        for part in self.prefix() {
            let (place, after) = rest.split_at_mut(part.len());
            place.copy_from_slice(part.as_bytes());
            rest = after;
        }
        self.value().encode_into(text, rest).map(|_| needed)
    }

    /// Returns a value that writes the extended value when formatted, without allocating.
    ///
    /// ```
    /// # use simdpct::ext_value::Encoder;
    /// let header = format!("attachment; filename*={}", Encoder::new().display("½.pdf"));
    /// assert_eq!(header, "attachment; filename*=UTF-8''%C2%BD.pdf");
    /// ```
    pub fn display<'t>(&self, text: &'t str) -> impl fmt::Display + use<'a, 't> {
        Display { encoder: *self, text }
    }

    /// Encodes text as an extended value. Allocates once, the length needed and at most 64 bytes
    /// more.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn encode(&self, text: &str) -> String {
        let mut output = String::with_capacity(self.encoded_len(text));
        self.encode_to(text, &mut output);
        output
    }

    /// Appends an extended value to `output`.
    ///
    /// ```
    /// # use simdpct::ext_value::Encoder;
    /// let mut header = String::from("attachment; filename*=");
    /// Encoder::new().encode_to("½.pdf", &mut header);
    /// assert_eq!(header, "attachment; filename*=UTF-8''%C2%BD.pdf");
    /// ```
    #[cfg(feature = "alloc")]
    pub fn encode_to(&self, text: &str, output: &mut String) {
        output.extend(self.prefix());
        self.value().encode_to(text, output);
    }

    /// The parts before the encoded text.
    const fn prefix(&self) -> [&'a str; 4] {
        [Charset::Utf8.name(), "'", self.language, "'"]
    }

    const fn value(&self) -> ValueEncoder {
        match self.level {
            Some(level) => VALUE.level(level),
            None => VALUE,
        }
    }
}

struct Display<'a, 't> {
    encoder: Encoder<'a>,
    text: &'t str,
}

impl fmt::Display for Display<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.encoder.prefix().into_iter().try_for_each(|part| f.write_str(part))?;
        self.encoder.value().display(self.text).fmt(f)
    }
}

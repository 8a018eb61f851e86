//! Error types, with byte positions in the input.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

/// Error of decoding: its kind, and its position in the input.
///
/// If an input has several errors, the one with the smallest position is reported.
///
/// ```
/// use simdpct::{DecodeErrorKind, Decoder};
///
/// let error = Decoder::new().decode("100%").unwrap_err();
/// assert_eq!(error.kind, DecodeErrorKind::Malformed);
/// assert_eq!(error.position, 3);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct DecodeError {
    /// Kind of the error.
    pub kind: DecodeErrorKind,
    /// Byte offset of the first invalid byte or triplet, in the input. For the offset in the
    /// output, see [`Decoder::decoded_offset`](crate::Decoder::decoded_offset).
    pub position: usize,
}

/// Kinds of decoding errors.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// A `%` not followed by two hexadecimal digits (RFC 3986 2.1).
    Malformed,
    /// The decoded bytes are not well-formed UTF-8 (Unicode 3.9, table 3-7). The position is that
    /// of the first byte or triplet of the ill-formed sequence.
    InvalidUtf8,
    /// The output would contain this byte, which is in the set given to
    /// [`Decoder::reject`](crate::Decoder::reject).
    Rejected(u8),
    /// A `%uXXXX` that encodes half of a surrogate pair, without the other half
    /// ([`legacy`](crate::legacy)).
    LoneSurrogate,
    /// A raw character that the charset cannot represent ([`legacy`](crate::legacy)).
    Unencodable(char),
    /// The decoded bytes are invalid in the charset, which is not UTF-8
    /// ([`legacy`](crate::legacy)).
    IllFormed,
}

/// The output buffer is too small for the result.
///
/// All functions that write into the caller's memory and can return this follow the same rules,
/// [`DecodeIntoError`] included:
///
/// * An error of the input comes first, however small the buffer is, and also if it is after the
///   place at which the buffer is full. Its position is in the input.
/// * Otherwise, if the result does not fit, `needed` is the length of the whole result. There is no
///   position.
/// * In both cases the contents of the buffer are unspecified, and no byte outside it is written.
///
/// Functions that work in place never lack room. A [stream](crate::stream) has no such error: it
/// writes as much as there is room for, and returns an error of the input after all output that
/// precedes it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct BufferTooSmall {
    /// Length of the result in bytes.
    pub needed: usize,
}

/// Error of decoding or normalizing to a buffer.
///
/// An error of the input comes first, by the rules of [`BufferTooSmall`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DecodeIntoError {
    /// The input is invalid.
    Decode(DecodeError),
    /// The output buffer is too small.
    BufferTooSmall(BufferTooSmall),
}

impl DecodeError {
    pub(crate) const fn new(kind: DecodeErrorKind, position: usize) -> Self {
        Self { kind, position }
    }
}

impl BufferTooSmall {
    pub(crate) const fn new(needed: usize) -> Self {
        Self { needed }
    }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("malformed percent-encoding: '%' without two hexadecimal digits"),
            Self::InvalidUtf8 => f.write_str("the decoded bytes are not valid UTF-8"),
            Self::Rejected(byte) => write!(f, "rejected byte 0x{byte:02X}"),
            Self::LoneSurrogate => f.write_str("half of a surrogate pair"),
            Self::Unencodable(character) => {
                write!(f, "the charset does not have the character U+{:04X}", u32::from(*character))
            }
            Self::IllFormed => f.write_str("the decoded bytes are not valid in the charset"),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.position)
    }
}

impl fmt::Display for BufferTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output buffer is too small: {} bytes are needed", self.needed)
    }
}

impl fmt::Display for DecodeIntoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::BufferTooSmall(error) => error.fmt(f),
        }
    }
}

impl Error for DecodeError {}
impl Error for BufferTooSmall {}

// No source: `Display` already prints the inner error.
impl Error for DecodeIntoError {}

impl From<DecodeError> for DecodeIntoError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<BufferTooSmall> for DecodeIntoError {
    fn from(error: BufferTooSmall) -> Self {
        Self::BufferTooSmall(error)
    }
}

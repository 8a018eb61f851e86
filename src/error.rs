//! What went wrong, and at which byte of the input.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

/// Why an input could not be decoded, and where.
///
/// Of several errors in one input, the one with the smallest position is reported.
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
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Byte offset in the input (not in the output) of the first byte or triplet that is wrong.
    pub position: usize,
}

/// The ways in which an input can be undecodable.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// A `%` that two hexadecimal digits do not follow (RFC 3986 2.1).
    Malformed,
    /// The decoded bytes are not well-formed UTF-8 (Unicode 3.9, table 3-7): the position is that of the first byte or
    /// triplet of the ill-formed sequence.
    InvalidUtf8,
    /// This byte of the set given to [`Decoder::reject`](crate::Decoder::reject) would stand in the output.
    Rejected(u8),
    /// A `%uXXXX` that is half of a surrogate pair, without the other half ([`legacy`](crate::legacy)).
    LoneSurrogate,
    /// This raw character cannot be in a text of the charset ([`legacy`](crate::legacy)).
    Unencodable(char),
    /// The decoded bytes are no text of the charset, which is not UTF-8 ([`legacy`](crate::legacy)).
    IllFormed,
}

/// An output buffer that cannot hold the result.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct BufferTooSmall {
    /// How many bytes the result has.
    pub needed: usize,
}

/// Why an input could not be decoded into a buffer of the caller's.
///
/// An input that cannot be decoded at all is always [`Decode`](Self::Decode), however small the buffer.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DecodeIntoError {
    /// The input is at fault.
    Decode(DecodeError),
    /// The buffer is at fault.
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

// What it says is all there is to say, so there is no source.
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

//! Errors of `UrlNormalizer`.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

use crate::error::{DecodeError, DecodeErrorKind};

/// Error of normalizing a URL: its kind, and its position in the input.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct UrlError {
    /// Kind of the error.
    pub kind: UrlErrorKind,
    /// Byte offset in the input: of the scheme, host or port that is invalid, of the malformed `%`,
    /// or of the first byte of the ill-formed sequence.
    pub position: usize,
}

/// The ways in which a URL has no normal form.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum UrlErrorKind {
    /// The text before the first `:` is not a scheme (RFC 3986 3.1 and 4.2).
    Scheme,
    /// The scheme requires a host (RFC 9110 4.2).
    NoHost,
    /// IDNA refuses the host (UTS 46), or it is not a valid IP literal (RFC 3986 3.2.2).
    Host,
    /// The port is not a number of 16 bits.
    Port,
    /// A `%` not followed by two hexadecimal digits (RFC 3986 2.1).
    Malformed,
    /// The URL, or its host after decoding, is not well-formed UTF-8.
    InvalidUtf8,
}

impl fmt::Display for UrlErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme => f.write_str("the scheme is invalid"),
            Self::NoHost => f.write_str("the URL has no host"),
            Self::Host => f.write_str("the host is invalid"),
            Self::Port => f.write_str("the port is invalid"),
            Self::Malformed => DecodeErrorKind::Malformed.fmt(f),
            Self::InvalidUtf8 => f.write_str("not valid UTF-8"),
        }
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.position)
    }
}

impl Error for UrlError {}

impl UrlError {
    /// The same error in a text in which `offset` bytes precede the part.
    pub(super) fn shifted_by(self, offset: usize) -> Self {
        Self { position: self.position + offset, ..self }
    }
}

impl From<DecodeError> for UrlError {
    /// Decoding without a byte to reject, from UTF-8.
    fn from(error: DecodeError) -> Self {
        let kind = match error.kind {
            DecodeErrorKind::Malformed => UrlErrorKind::Malformed,
            _ => UrlErrorKind::InvalidUtf8,
        };
        Self { kind, position: error.position }
    }
}

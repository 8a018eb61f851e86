//! `PathError`: why a policy refused a path, and the position.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

use crate::kinds::Kinds;

/// The reason for which a [`PathPolicy`](super::PathPolicy) refused a path.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct PathError {
    /// Kind of the error.
    pub kind: PathErrorKind,
    /// Byte offset in the path (not in the output): of the byte or triplet, or of the start of the
    /// segment.
    pub position: usize,
}

/// Kinds of errors of paths.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// The path does not begin with `/`: it is empty, relative, `*` or an absolute URI.
    NotAbsolute,
    /// The path has findings that the policy refuses: all of their kinds. The position is that of
    /// the first. Or a segment [hides](super::HiddenSegments) a dot segment or an empty segment;
    /// the position is the segment's.
    Refused(Kinds),
    /// A `%` not followed by two hexadecimal digits (RFC 3986 2.1).
    Malformed,
    /// A raw byte that a path must not contain (RFC 3986 3.3).
    IllegalByte(u8),
    /// A triplet that encodes `/`.
    EncodedSlash,
    /// A backslash, raw or encoded.
    Backslash,
    /// A `;`, raw or encoded.
    Parameter,
    /// A segment that is `.` or `..`, however written.
    DotSegment,
    /// A `..` that climbs above the root.
    AboveRoot,
    /// Two slashes without anything between them.
    EmptySegment,
    /// The output, or in place the path itself, has no space for the bytes that are escaped. The
    /// position is 0. This error comes before all others, whatever the path contains.
    OutputTooSmall {
        /// The space needed, as by
        /// [`PathPolicy::output_len_bound`](super::PathPolicy::output_len_bound).
        needed: usize,
    },
}

impl PathError {
    /// The error with these fields, as a policy returns it.
    #[must_use]
    pub const fn new(kind: PathErrorKind, position: usize) -> Self {
        Self { kind, position }
    }
}

impl fmt::Display for PathErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAbsolute => f.write_str("path does not begin with '/'"),
            Self::Refused(kinds) => {
                f.write_str("refused:")?;
                kinds.names().try_for_each(|name| write!(f, " {name}"))
            }
            Self::Malformed => f.write_str("malformed percent-encoding: '%' without two hexadecimal digits"),
            Self::IllegalByte(byte) => write!(f, "illegal byte 0x{byte:02X}"),
            Self::EncodedSlash => f.write_str("encoded slash"),
            Self::Backslash => f.write_str("backslash"),
            Self::Parameter => f.write_str("path parameter"),
            Self::DotSegment => f.write_str("dot segment"),
            Self::AboveRoot => f.write_str("dot segment above the root"),
            Self::EmptySegment => f.write_str("empty segment"),
            Self::OutputTooSmall { needed } => write!(f, "output too small: {needed} bytes needed"),
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.position)
    }
}

impl Error for PathError {}

//! `Outcome`, the header's `simdpct_result`, and its statuses.
#![forbid(unsafe_code)]

use simdpct::path::{PathError, PathErrorKind};
use simdpct::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError};

/// The outcome of a call.
///
/// Status and detail are one word, so that an outcome is returned in two registers. Two fields
/// would be stored one by one and loaded together, so store-to-load forwarding would fail:
/// `simdpct_normalize` of 50 bytes took 23 ns instead of 16.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    value: usize,
    /// The status in the low 32 bits, the detail in the high 32 bits.
    code: u64,
}

/// `simdpct_result`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct CResult {
    pub(crate) value: usize,
    pub(crate) status: Status,
    pub(crate) detail: u32,
}

impl From<Outcome> for CResult {
    #[inline]
    fn from(Outcome { value, code }: Outcome) -> Self {
        Self { value, status: code as u32, detail: (code >> 32) as u32 }
    }
}

/// A number, not an enum, because a caller may pass any number.
pub(crate) type Status = u32;

pub(crate) const OK: Status = 0;
pub(crate) const BAD_ARGUMENT: Status = 1;
pub(crate) const NO_ROOM: Status = 2;
pub(crate) const MALFORMED: Status = 3;
pub(crate) const INVALID_UTF8: Status = 4;
pub(crate) const REJECTED: Status = 5;
pub(crate) const BEYOND_END: Status = 6;
pub(crate) const REFUSED: Status = 7;
pub(crate) const NOT_ABSOLUTE: Status = 8;
pub(crate) const ILLEGAL_BYTE: Status = 9;
pub(crate) const ENCODED_SLASH: Status = 10;
pub(crate) const BACKSLASH: Status = 11;
pub(crate) const PARAMETER: Status = 12;
pub(crate) const DOT_SEGMENT: Status = 13;
pub(crate) const ABOVE_ROOT: Status = 14;
pub(crate) const EMPTY_SEGMENT: Status = 15;

impl Outcome {
    pub(crate) const BAD_ARGUMENT: Self = Self::new(BAD_ARGUMENT, 0);

    pub(crate) const fn new(status: Status, value: usize) -> Self {
        Self::with_detail(status, 0, value)
    }

    const fn with_detail(status: Status, detail: u32, value: usize) -> Self {
        Self { value, code: status as u64 | (detail as u64) << 32 }
    }

    pub(crate) const fn ok(value: usize) -> Self {
        Self::new(OK, value)
    }

    pub(crate) const fn no_room(needed: usize) -> Self {
        Self::new(NO_ROOM, needed)
    }

    /// The outcome of a decoding error at `position`.
    pub(crate) fn decode_error(kind: DecodeErrorKind, position: usize) -> Self {
        let (status, detail) = match kind {
            DecodeErrorKind::InvalidUtf8 => (INVALID_UTF8, 0),
            DecodeErrorKind::Rejected(byte) => (REJECTED, u32::from(byte)),
            // `Malformed`. The other kinds occur in legacy formats only, which this library does
            // not offer.
            _ => (MALFORMED, 0),
        };
        Self::with_detail(status, detail, position)
    }
}

impl From<DecodeError> for Outcome {
    fn from(error: DecodeError) -> Self {
        Self::decode_error(error.kind, error.position)
    }
}

impl From<BufferTooSmall> for Outcome {
    fn from(error: BufferTooSmall) -> Self {
        Self::no_room(error.needed)
    }
}

impl From<DecodeIntoError> for Outcome {
    fn from(error: DecodeIntoError) -> Self {
        match error {
            DecodeIntoError::Decode(error) => error.into(),
            DecodeIntoError::BufferTooSmall(error) => error.into(),
            // The library has no other reasons.
            _ => Self::BAD_ARGUMENT,
        }
    }
}

impl From<PathError> for Outcome {
    fn from(error: PathError) -> Self {
        let (status, detail) = match error.kind {
            PathErrorKind::OutputTooSmall { needed } => return Self::no_room(needed),
            PathErrorKind::Refused(kinds) => (REFUSED, kinds.bits()),
            PathErrorKind::NotAbsolute => (NOT_ABSOLUTE, 0),
            PathErrorKind::Malformed => (MALFORMED, 0),
            PathErrorKind::IllegalByte(byte) => (ILLEGAL_BYTE, u32::from(byte)),
            PathErrorKind::EncodedSlash => (ENCODED_SLASH, 0),
            PathErrorKind::Backslash => (BACKSLASH, 0),
            PathErrorKind::Parameter => (PARAMETER, 0),
            PathErrorKind::DotSegment => (DOT_SEGMENT, 0),
            PathErrorKind::AboveRoot => (ABOVE_ROOT, 0),
            PathErrorKind::EmptySegment => (EMPTY_SEGMENT, 0),
            // Kinds of a later version of the library that have no status here yet.
            _ => (REFUSED, 0),
        };
        Self::with_detail(status, detail, error.position)
    }
}

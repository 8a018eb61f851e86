//! `Outcome`, the header's `simdpct_result`, and its statuses.
//!
//! # Safety
//!
//! The contract of the functions is that of include/simdpct.h: each pointer is null, or valid for the length that comes
//! with it. Covered by tests/functions.c.

use core::ffi::{c_char, c_void};
use core::fmt::Write;

use simdpct::path::{PathError, PathErrorKind};
use simdpct::{BufferTooSmall, DecodeError, DecodeErrorKind, DecodeIntoError, Kinds};

use crate::memory;
use crate::text::{Text, c_name};

/// `simdpct_result`: 16 bytes, returned in two registers on x86-64 and AArch64.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(C)]
pub struct Outcome {
    pub(crate) value: usize,
    pub(crate) status: Status,
    pub(crate) detail: u32,
}

/// A number, not an enum: a caller may pass any.
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

/// The names, by status.
const NAMES: [&core::ffi::CStr; 16] = [
    c"ok",
    c"bad-argument",
    c"no-room",
    c"malformed",
    c"invalid-utf8",
    c"rejected",
    c"beyond-end",
    c"refused",
    c"not-absolute",
    c"illegal-byte",
    c"encoded-slash",
    c"backslash",
    c"parameter",
    c"dot-segment",
    c"above-root",
    c"empty-segment",
];

impl Outcome {
    pub(crate) const BAD_ARGUMENT: Self = Self::new(BAD_ARGUMENT, 0);

    pub(crate) const fn new(status: Status, value: usize) -> Self {
        Self { value, status, detail: 0 }
    }

    pub(crate) const fn ok(value: usize) -> Self {
        Self::new(OK, value)
    }

    pub(crate) const fn no_room(needed: usize) -> Self {
        Self::new(NO_ROOM, needed)
    }

    /// The outcome of decoding that failed at `position`.
    pub(crate) fn decode_error(kind: DecodeErrorKind, position: usize) -> Self {
        let (status, detail) = match kind {
            DecodeErrorKind::InvalidUtf8 => (INVALID_UTF8, 0),
            DecodeErrorKind::Rejected(byte) => (REJECTED, u32::from(byte)),
            // `Malformed`. The other kinds are those of legacy formats, which this library does not offer.
            _ => (MALFORMED, 0),
        };
        Self { value: position, status, detail }
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
            // The library has no other.
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
            // Kinds that the library gets later, until they have a status here.
            _ => (REFUSED, 0),
        };
        Self { value: error.position, status, detail }
    }
}

#[unsafe(no_mangle)]
extern "C" fn simdpct_status_name(status: Status) -> *const c_char {
    NAMES.get(status as usize).unwrap_or(&c"unknown").as_ptr()
}

/// Bytes of the input that a text shows.
const SHOWN: usize = 24;

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_result_write(
    result: Outcome,
    src: *const c_void,
    len: usize,
    dst: *mut c_char,
    cap: usize,
) -> usize {
    // SAFETY: by the contract of the file header.
    let (input, output) = unsafe { (memory::input(src, len), memory::output(dst.cast(), cap)) };
    let Some(output) = output else { return 0 };
    let mut text = Text::new(output);
    describe(result, input.unwrap_or_default(), &mut text);
    text.finish()
}

fn describe(result: Outcome, input: &[u8], text: &mut Text<'_>) {
    // Writing to a `Text` never fails.
    let _ = text.write_str(NAMES.get(result.status as usize).and_then(|name| name.to_str().ok()).unwrap_or("unknown"));
    let _ = match result.status {
        OK | BAD_ARGUMENT => return,
        NO_ROOM => return write!(text, ": {} bytes needed", result.value).unwrap_or_default(),
        BEYOND_END => return write!(text, ": the decoded form has {} bytes", result.value).unwrap_or_default(),
        REJECTED | ILLEGAL_BYTE => write!(text, " 0x{:02X}", result.detail),
        REFUSED => write!(text, " ").map(|()| crate::findings::write_names(result.detail, text)),
        _ => Ok(()),
    };
    let _ = write!(text, " at byte {}", result.value);
    let Some(shown) = input.get(result.value..).filter(|rest| !rest.is_empty()) else { return };
    let _ = text.write_str(": \"");
    for &byte in shown.iter().take(SHOWN) {
        let _ = match byte {
            b'"' | b'\\' => write!(text, "\\{}", char::from(byte)),
            b' '..=b'~' => write!(text, "{}", char::from(byte)),
            _ => write!(text, "\\x{byte:02X}"),
        };
    }
    let _ = text.write_str(if shown.len() > SHOWN { "\"..." } else { "\"" });
}

/// The names of statuses and kinds fit the length that the header promises.
const _: () = {
    let mut longest = 0;
    let mut index = 0;
    while index < Kinds::ALL.len() {
        longest += Kinds::ALL[index].1.len() + 1;
        index += 1;
    }
    assert!("refused ".len() + longest + " at byte : \"\"...".len() + 20 + 4 * SHOWN < 512);
    assert!(c_name("refused")[7] == 0);
};

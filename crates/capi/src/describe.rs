//! Results as text: the names of statuses, and lines for a log.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::{CStr, c_char, c_void};
use core::fmt::Write;

use simdpct::Kinds;

use crate::findings;
use crate::memory::{get, input, output};
use crate::outcome::{
    BAD_ARGUMENT, BEYOND_END, CResult, ILLEGAL_BYTE, NO_ROOM, OK, Outcome, REFUSED, REJECTED, Status,
};
use crate::text::{Text, c_name};

/// The names, by status.
const NAMES: [&CStr; 20] = [
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
    // Statuses of libsimdpct_url: the same functions describe its results.
    c"url-scheme",
    c"url-no-host",
    c"url-host",
    c"url-port",
];

#[unsafe(no_mangle)]
extern "C" fn simdpct_status_name(status: Status) -> *const c_char {
    NAMES.get(status as usize).unwrap_or(&c"unknown").as_ptr()
}

/// Maximum number of input bytes that a text quotes.
const SHOWN: usize = 24;

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_result_write(
    result: *const CResult,
    src: *const c_void,
    len: usize,
    dst: *mut c_char,
    cap: usize,
) -> usize {
    // SAFETY: by the contract of the file header.
    let (result, input, output) = unsafe { (get(result), input(src, len), output(dst.cast(), cap)) };
    let Some(output) = output else { return 0 };
    let mut text = Text::new(output);
    describe(result.unwrap_or(Outcome::BAD_ARGUMENT.into()), input.unwrap_or_default(), &mut text);
    text.finish()
}

fn describe(result: CResult, input: &[u8], text: &mut Text<'_>) {
    // Writing to a `Text` never fails.
    let _ = text.write_str(NAMES.get(result.status as usize).and_then(|name| name.to_str().ok()).unwrap_or("unknown"));
    let _ = match result.status {
        OK | BAD_ARGUMENT => return,
        NO_ROOM => return write!(text, ": {} bytes needed", result.value).unwrap_or_default(),
        BEYOND_END => return write!(text, ": the decoded form has {} bytes", result.value).unwrap_or_default(),
        REJECTED | ILLEGAL_BYTE => write!(text, " 0x{:02X}", result.detail),
        REFUSED => write!(text, " ").map(|()| findings::write_names(result.detail, text)),
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
    let mut longest = "unknown".len();
    let mut index = 0;
    while index < Kinds::ALL.len() {
        longest += Kinds::ALL[index].1.len() + 1;
        index += 1;
    }
    assert!("refused ".len() + longest + " at byte : \"\"...".len() + 20 + 4 * SHOWN < 512);
    assert!(c_name("refused")[7] == 0);
};

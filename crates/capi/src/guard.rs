//! Guards: the decision on a request target.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::{c_char, c_void};
use core::fmt::Write;

use simdpct::Kinds;
use simdpct::path::{Action, PathError, PathErrorKind, PathPolicy, Refusal, RequestGuard, RequestMethod, TargetPart};

use crate::findings::write_names;
use crate::memory::{buffers_apart, get, input, output, put, report, zeroed};
use crate::opaque::{Opaque, load, store, with};
use crate::outcome::{
    ABOVE_ROOT, BACKSLASH, BAD_ARGUMENT, CResult, DOT_SEGMENT, EMPTY_SEGMENT, ENCODED_SLASH, ILLEGAL_BYTE, MALFORMED,
    NO_ROOM, NOT_ABSOLUTE, OK, Outcome, PARAMETER, REFUSED, Status,
};
use crate::path::{store_from_text, write_error};
use crate::text::Text;

impl Opaque for RequestGuard {
    const WORDS: usize = 128;
    const MAGIC: u64 = u64::from_be_bytes(*b"simdpcG\0");
}

const REPORT_ONLY: u32 = 1;
const KEEP_HIDDEN_SEGMENTS: u32 = 2;

const ACTION_PASS: u32 = 0;
const ACTION_REWRITE: u32 = 1;
const ACTION_REFUSE: u32 = 2;

const PART_PATH: u32 = 0;
const PART_QUERY: u32 = 1;
const PART_TARGET: u32 = 2;

/// `simdpct_verdict`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CVerdict {
    value: usize,
    status: Status,
    detail: u32,
    action: u32,
    part: u32,
}

impl CVerdict {
    const BAD_ARGUMENT: Self =
        Self { value: 0, status: BAD_ARGUMENT, detail: 0, action: ACTION_REFUSE, part: PART_TARGET };

    /// The refusal. `None` if the status is not a refusal.
    fn refusal(&self) -> Option<Refusal> {
        let kind = match self.status {
            NO_ROOM => PathErrorKind::OutputTooSmall { needed: self.value },
            REFUSED => PathErrorKind::Refused(Kinds::from_bits_truncate(self.detail)),
            NOT_ABSOLUTE => PathErrorKind::NotAbsolute,
            MALFORMED => PathErrorKind::Malformed,
            ILLEGAL_BYTE => PathErrorKind::IllegalByte(self.detail as u8),
            ENCODED_SLASH => PathErrorKind::EncodedSlash,
            BACKSLASH => PathErrorKind::Backslash,
            PARAMETER => PathErrorKind::Parameter,
            DOT_SEGMENT => PathErrorKind::DotSegment,
            ABOVE_ROOT => PathErrorKind::AboveRoot,
            EMPTY_SEGMENT => PathErrorKind::EmptySegment,
            _ => return None,
        };
        let part = match self.part {
            PART_PATH => TargetPart::Path,
            PART_QUERY => TargetPart::Query,
            _ => TargetPart::Target,
        };
        Some(Refusal::new(kind, if self.status == NO_ROOM { 0 } else { self.value }, part))
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_guard_init(
    guard: *mut c_void,
    policy: *const c_void,
    path_kinds: u32,
    query_kinds: u32,
    flags: u32,
) -> bool {
    let (Some(path), Some(query)) = (Kinds::from_bits(path_kinds), Kinds::from_bits(query_kinds)) else { return false };
    if flags & !(REPORT_ONLY | KEEP_HIDDEN_SEGMENTS) != 0 {
        return false;
    }
    let policy = match policy.is_null() {
        true => None,
        // SAFETY: by the contract of the file header.
        false => match unsafe { load::<PathPolicy>(policy) } {
            None => return false,
            policy => policy,
        },
    };
    let mut made = RequestGuard::new().policy(policy).refuse_in_path(path).refuse_in_query(query);
    if flags & REPORT_ONLY != 0 {
        made = made.report_only();
    }
    if flags & KEEP_HIDDEN_SEGMENTS != 0 {
        made = made.keep_hidden_segments();
    }
    // SAFETY: by the contract of the file header.
    unsafe { store(guard, made) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_guard_from_text(
    guard: *mut c_void,
    text: *const c_char,
    len: usize,
    result: *mut CResult,
) -> Status {
    // SAFETY: by the contract of the file header.
    unsafe { report(store_from_text::<RequestGuard>(guard, text, len), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_guard_error(text: *const c_char, len: usize, dst: *mut c_char, cap: usize) -> usize {
    // SAFETY: by the contract of the file header.
    unsafe { write_error::<RequestGuard>(text, len, dst, cap) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_guard_check(
    guard: *const c_void,
    method: u32,
    target: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
    verdict: *mut CVerdict,
) -> u32 {
    // SAFETY: by the contract of the file header.
    let decided = unsafe {
        with(guard, |guard: &RequestGuard| {
            let (target, output) = buffers_apart(target, len, dst, cap)?;
            let method = match method {
                0 => RequestMethod::Other,
                1 => RequestMethod::Connect,
                2 => RequestMethod::Options,
                _ => return None,
            };
            let found = guard.check_with(method, target, |needed| zeroed(output, needed));
            let (action, length) = match found.action {
                Action::Pass => (ACTION_PASS, len),
                Action::Rewrite(target) => (ACTION_REWRITE, target.len()),
                Action::Refuse => (ACTION_REFUSE, 0),
            };
            let Some(refusal) = found.refusal else {
                return Some(CVerdict { value: length, status: OK, detail: 0, action, part: PART_PATH });
            };
            let part = match refusal.part {
                TargetPart::Path => PART_PATH,
                TargetPart::Query => PART_QUERY,
                _ => PART_TARGET,
            };
            let outcome = Outcome::from(PathError::new(refusal.kind, refusal.position));
            let CResult { value, status, detail } = outcome.into();
            Some(CVerdict { value, status, detail, action, part })
        })
    };
    let decided = decided.flatten().unwrap_or(CVerdict::BAD_ARGUMENT);
    // SAFETY: by the contract of the file header.
    unsafe { put(verdict, decided) };
    decided.action
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_verdict_write(
    verdict: *const CVerdict,
    target: *const c_void,
    len: usize,
    dst: *mut c_char,
    cap: usize,
) -> usize {
    // SAFETY: by the contract of the file header.
    let (verdict, target, output) = unsafe { (get(verdict), input(target, len), output(dst.cast(), cap)) };
    let Some(output) = output else { return 0 };
    let mut text = Text::new(output);
    // Writing to a `Text` never fails.
    let _ = match verdict.unwrap_or(CVerdict::BAD_ARGUMENT) {
        CVerdict { status: OK, .. } => text.write_str("ok"),
        verdict => match verdict.refusal() {
            Some(refusal) => write!(text, "{}", refusal.line(target.unwrap_or_default())),
            None => text.write_str("refused: bad-argument"),
        },
    };
    text.finish()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_kinds_from_text(text: *const c_char, len: usize, kinds: *mut u32) -> bool {
    // SAFETY: by the contract of the file header.
    let text = unsafe { input(text.cast(), len) }.and_then(|text| str::from_utf8(text).ok());
    let named = text.and_then(|text| RequestGuard::kinds_from_text(text).ok());
    // SAFETY: by the contract of the file header.
    named.is_some_and(|named| unsafe { put(kinds, named.bits()) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_findings_write(src: *const c_void, len: usize, dst: *mut c_char, cap: usize) -> usize {
    // SAFETY: by the contract of the file header.
    let (input, output) = unsafe { (input(src, len), output(dst.cast(), cap)) };
    let Some(output) = output else { return 0 };
    let mut text = Text::new(output);
    let found = input.map(|input| simdpct::inspect(input).kinds_among(Kinds::EVERY));
    // Writing to a `Text` never fails.
    let _ = match found {
        None => text.write_str("unknown"),
        Some(Kinds::NONE) => text.write_str("-"),
        Some(found) => {
            write_names(found.bits(), &mut text);
            Ok(())
        }
    };
    text.finish()
}

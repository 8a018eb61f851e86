//! C library of whole URLs, documented in `include/simdpct_url.h` and docs/c.md.
//!
//! # Safety
//! The function has the contract of include/simdpct_url.h: each pointer is null, or valid for the
//! length that comes with it, or for its type. tests/url.c covers this, under AddressSanitizer with
//! buffers of exact size.

// `cargo check` and clippy have profiles that unwind, which needs `std`. The profile `capi` aborts.
#![cfg_attr(panic = "abort", no_std)]
#![deny(unsafe_op_in_unsafe_fn)]

extern crate alloc;

#[cfg(panic = "abort")]
mod heap;
#[cfg(panic = "abort")]
mod panic;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ffi::{c_char, c_void};
use core::{ptr, slice};

use simdpct::uri::{UrlError, UrlErrorKind, UrlNormalizer};
use simdpct::{Malformed, Normalizer};

/// `simdpct_result`.
#[repr(C)]
struct CResult {
    value: usize,
    status: u32,
    detail: u32,
}

const OK: u32 = 0;
const BAD_ARGUMENT: u32 = 1;
const NO_ROOM: u32 = 2;
const MALFORMED: u32 = 3;
const INVALID_UTF8: u32 = 4;
const URL_SCHEME: u32 = 16;
const URL_NO_HOST: u32 = 17;
const URL_HOST: u32 = 18;
const URL_PORT: u32 = 19;

/// The flags of the header.
const KEEP: u32 = 1;
const ESCAPE: u32 = 2;
const SORT_QUERY: u32 = 4;
const DROP_FRAGMENT: u32 = 8;
const DROP_WWW: u32 = 16;
const TARGETS: u32 = 32;
const LENIENT: u32 = 64;
const ALL: u32 = 127;

/// `simdpct_url_is_dropped`.
// SAFETY: takes a name of that length with a NUL after it, and the `data` of the caller
// (tests/url.c).
type IsDropped = unsafe extern "C" fn(*const c_char, usize, *mut c_void) -> bool;

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_url_normalize(
    flags: u32,
    is_dropped: Option<IsDropped>,
    data: *mut c_void,
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
    result: *mut CResult,
) -> u32 {
    // SAFETY: by the contract of the file header.
    let url = unsafe { input(src, len) };
    let is_dropped = is_dropped.map(|is_dropped| {
        move |name: &str| {
            let with_nul = [name.as_bytes(), b"\0"].concat();
            // SAFETY: the name is valid for its length and a NUL; the caller's function takes
            // `data`, which is the caller's.
            unsafe { is_dropped(with_nul.as_ptr().cast(), name.len(), data) }
        }
    });
    let is_dropped = is_dropped.as_ref().map(|is_dropped| is_dropped as &dyn Fn(&str) -> bool);
    let (status, value) = match (normalizer(flags), url) {
        (Some(normalizer), Some(url)) => match normal(&normalizer, flags, is_dropped, url) {
            // SAFETY: by the contract of the file header.
            Ok(normal) => (unsafe { write(&normal, dst, cap) }, normal.len()),
            Err(error) => (status(error.kind), error.position),
        },
        _ => (BAD_ARGUMENT, 0),
    };
    let value = if status == BAD_ARGUMENT { 0 } else { value };
    if !result.is_null() {
        // SAFETY: not null, and valid for writes by the contract of the file header; it needs no
        // alignment.
        unsafe { result.write_unaligned(CResult { value, status, detail: 0 }) };
    }
    status
}

/// Makes the normalizer of these flags. Returns `None` if a flag is unknown, or two contradict each
/// other.
fn normalizer(flags: u32) -> Option<UrlNormalizer> {
    const NEW: UrlNormalizer = UrlNormalizer::new();
    let malformed = match flags & (KEEP | ESCAPE) {
        _ if flags & !ALL != 0 => return None,
        0 if flags & LENIENT == 0 => Malformed::Refuse,
        0 | KEEP => Malformed::Keep,
        ESCAPE => Malformed::Escape,
        _ => return None,
    };
    let mut normalizer = NEW.triplets(Normalizer::new().malformed(malformed));
    for (flag, with) in [
        (SORT_QUERY, UrlNormalizer::sort_query as fn(UrlNormalizer) -> UrlNormalizer),
        (DROP_FRAGMENT, UrlNormalizer::drop_fragment),
        (DROP_WWW, UrlNormalizer::drop_www),
        (TARGETS, UrlNormalizer::targets),
    ] {
        if flags & flag != 0 {
            normalizer = with(normalizer);
        }
    }
    Some(normalizer)
}

fn normal<'u>(
    normalizer: &UrlNormalizer,
    flags: u32,
    is_dropped: Option<&dyn Fn(&str) -> bool>,
    url: &'u [u8],
) -> Result<Cow<'u, [u8]>, UrlError> {
    match is_dropped {
        _ if flags & LENIENT != 0 => {
            let mut output = Vec::with_capacity(url.len() + 1);
            normalizer.normalize_reporting(url, is_dropped, |_| {}, &mut output);
            Ok(Cow::Owned(output))
        }
        Some(is_dropped) => normalizer.normalize_without(url, is_dropped),
        None => normalizer.normalize(url),
    }
}

fn status(kind: UrlErrorKind) -> u32 {
    match kind {
        UrlErrorKind::Scheme => URL_SCHEME,
        UrlErrorKind::NoHost => URL_NO_HOST,
        UrlErrorKind::Port => URL_PORT,
        UrlErrorKind::Malformed => MALFORMED,
        UrlErrorKind::InvalidUtf8 => INVALID_UTF8,
        // `Host`, and kinds of a later version of the library that have no status here yet.
        _ => URL_HOST,
    }
}

/// The maximum length of a slice in Rust: a longer one cannot be valid.
const MAX: usize = isize::MAX as usize;

/// The input as a slice; `None` if pointer and length cannot be valid.
unsafe fn input<'a>(src: *const c_void, len: usize) -> Option<&'a [u8]> {
    match (src.is_null(), len) {
        (_, 0) => Some(&[]),
        // SAFETY: not null, at most `isize::MAX` bytes, and valid by the contract of the file
        // header.
        (false, ..=MAX) => Some(unsafe { slice::from_raw_parts(src.cast(), len) }),
        _ => None,
    }
}

/// Copies the normal form to the output, which may overlap the input. Returns the status.
unsafe fn write(normal: &[u8], dst: *mut c_void, cap: usize) -> u32 {
    if cap > MAX || dst.is_null() && cap > 0 {
        return BAD_ARGUMENT;
    }
    if normal.len() > cap {
        return NO_ROOM;
    }
    if !normal.is_empty() {
        // SAFETY: `dst` is valid for `cap` bytes by the contract of the file header. A normal form
        // may be the input itself, which `dst` may overlap: `copy` allows that (tests/url.c).
        // Nothing reads it afterwards.
        unsafe { ptr::copy(normal.as_ptr(), dst.cast(), normal.len()) };
    }
    OK
}

//! Forms and queries.
//!
//! # Safety
//!
//! The function has the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::c_void;

use crate::memory::{input, put};

/// `simdpct_pair`.
#[repr(C)]
struct Pair {
    name: *const u8,
    name_len: usize,
    value: *const u8,
    value_len: usize,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_form_next(src: *const c_void, len: usize, at: *mut usize, pair: *mut c_void) -> bool {
    if at.is_null() || pair.is_null() {
        return false;
    }
    // SAFETY: not null, and valid by the contract of the file header.
    let (input, start) = unsafe { (input(src, len), at.read_unaligned()) };
    let Some(rest) = input.and_then(|input| input.get(start..)) else { return false };
    let Some((name, value)) = simdpct::form::split(rest).next() else {
        // SAFETY: as above.
        unsafe { put(at, len) };
        return false;
    };
    // Name and value are parts of `rest`, except the empty value of a pair without '='.
    let name_end = name.as_ptr().addr() - rest.as_ptr().addr() + name.len();
    let value = if rest.get(name_end) == Some(&b'=') { value } else { &rest[name_end..name_end] };
    let end = value.as_ptr().addr() - rest.as_ptr().addr() + value.len();
    let next = start + end + usize::from(end < rest.len());
    let found = Pair { name: name.as_ptr(), name_len: name.len(), value: value.as_ptr(), value_len: value.len() };
    // SAFETY: as above.
    unsafe { put(at, next) && put(pair.cast(), found) }
}

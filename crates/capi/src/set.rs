//! Sets of bytes.
//!
//! # Safety
//!
//! The functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it, or for its type. Covered by tests/functions.c.

use core::ffi::{c_char, c_void};

use simdpct::{ByteSet, sets};

use crate::memory::{input, put};
use crate::opaque::load_set;

pub(crate) fn named(name: &[u8]) -> Option<ByteSet> {
    sets::named(str::from_utf8(name).ok()?)
}

/// Makes a set from the input and stores it. Returns false if the input or the pointer is a bad
/// argument.
unsafe fn make(to: *mut ByteSet, src: *const c_void, len: usize, set: impl FnOnce(&[u8]) -> Option<ByteSet>) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { input(src, len).and_then(set).is_some_and(|set| put(to, set)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_from_name(to: *mut ByteSet, name: *const c_char, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { make(to, name.cast(), len, named) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_from_bytes(to: *mut ByteSet, members: *const c_void, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { make(to, members, len, |members| Some(ByteSet::new(members))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_from_bitmap(to: *mut ByteSet, bitmap: *const u8) -> bool {
    let set = |bitmap: &[u8]| Some(ByteSet::from_bitmap(bitmap.try_into().ok()?));
    // SAFETY: by the contract of the file header: a bitmap has 32 bytes.
    unsafe { make(to, bitmap.cast(), 32, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_to_bitmap(set: *const ByteSet, bitmap: *mut [u8; 32]) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { load_set(set.cast()).is_some_and(|set| put(bitmap, set.to_bitmap())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_add(to: *mut ByteSet, members: *const c_void, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { make(to, members, len, |members| Some(load_set(to.cast())? | ByteSet::new(members))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_remove(to: *mut ByteSet, members: *const c_void, len: usize) -> bool {
    // SAFETY: by the contract of the file header.
    unsafe { make(to, members, len, |members| Some(load_set(to.cast())? & !ByteSet::new(members))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_find(set: *const ByteSet, src: *const c_void, len: usize) -> usize {
    // SAFETY: by the contract of the file header.
    match unsafe { (load_set(set.cast()), input(src, len)) } {
        (Some(set), Some(input)) => set.find(input).unwrap_or(usize::MAX),
        _ => 0,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simdpct_set_count(set: *const ByteSet, src: *const c_void, len: usize) -> usize {
    // SAFETY: by the contract of the file header.
    match unsafe { (load_set(set.cast()), input(src, len)) } {
        (Some(set), Some(input)) => set.count(input),
        _ => len,
    }
}

//! Slices from the pointers and lengths of C.
//!
//! # Safety
//!
//! These functions have the contract of include/simdpct.h: each pointer is null, or valid for
//! the length that comes with it for the rest of the call, for writes too if it is not const. The
//! caller uses the slices in that call only. Covered by tests/functions.c, under AddressSanitizer
//! with buffers of exact size.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::{ptr, slice};

use crate::outcome::{CResult, Outcome, Status};

/// The input and output of an operation.
pub(crate) enum Buffers<'a> {
    /// `dst == src`: the input, to be overwritten.
    InPlace(&'a mut [u8]),
    /// Two buffers that do not overlap.
    Apart(&'a [u8], &'a mut [MaybeUninit<u8>]),
}

/// The maximum length of a slice in Rust: a longer one cannot be valid.
const MAX: usize = isize::MAX as usize;

/// The input as a slice; `None` if pointer and length cannot be valid.
pub(crate) unsafe fn input<'a>(src: *const c_void, len: usize) -> Option<&'a [u8]> {
    match (src.is_null(), len) {
        (_, 0) => Some(&[]),
        (false, ..=MAX) => {
            // SAFETY: not null, at most `isize::MAX` bytes, and valid by the contract of the file
            // header. Nothing writes to the bytes in this call: `buffers` refuses an output that
            // overlaps, and the header forbids other overlaps.
            Some(unsafe { slice::from_raw_parts(src.cast(), len) })
        }
        _ => None,
    }
}

/// The output as a slice, which may be uninitialized; `None` if pointer and length cannot be valid.
pub(crate) unsafe fn output<'a>(dst: *mut c_void, cap: usize) -> Option<&'a mut [MaybeUninit<u8>]> {
    match (dst.is_null(), cap) {
        (_, 0) => Some(&mut []),
        (false, ..=MAX) => {
            // SAFETY: as in `input`. Nothing else refers to the bytes: `buffers` refuses an input
            // that overlaps, and the header forbids other overlaps. `MaybeUninit` has no invalid
            // value.
            Some(unsafe { slice::from_raw_parts_mut(dst.cast(), cap) })
        }
        _ => None,
    }
}

/// The input and output of an operation. `None` if they overlap without being the same.
#[inline]
pub(crate) unsafe fn buffers<'a>(
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
) -> Result<Buffers<'a>, Outcome> {
    let distance = dst.addr().wrapping_sub(src.addr());
    let may_overlap = distance < len || distance.wrapping_neg() < cap;
    if src.is_null() || dst.is_null() || may_overlap || len > MAX || cap > MAX {
        // SAFETY: by the contract of the file header.
        return unsafe { unusual_buffers(src, len, dst, cap) };
    }
    // SAFETY: not null, at most `isize::MAX` bytes, and valid by the contract of the file header.
    // They do not overlap: the output does not begin in the input, and does not reach it from
    // before.
    Ok(unsafe { Buffers::Apart(slice::from_raw_parts(src.cast(), len), slice::from_raw_parts_mut(dst.cast(), cap)) })
}

/// Handles the uncommon cases: buffers that are null, empty, the same, or overlap.
#[cold]
unsafe fn unusual_buffers<'a>(
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
) -> Result<Buffers<'a>, Outcome> {
    // SAFETY: by the contract of the file header. If both are returned, one of them is empty.
    match unsafe { (input(src, len), output(dst, cap)) } {
        (Some(input), Some(output)) if len == 0 || cap == 0 => Ok(Buffers::Apart(input, output)),
        (Some(_), Some(_)) if src == dst.cast_const() && cap < len => Err(Outcome::no_room(len)),
        (Some(_), Some(_)) if src == dst.cast_const() => {
            // SAFETY: not null, at most `isize::MAX` bytes, initialized as an input and valid for
            // writes as an output, by the contract of the file header. The two slices above are no
            // longer used.
            Ok(Buffers::InPlace(unsafe { slice::from_raw_parts_mut(dst.cast(), len) }))
        }
        _ => Err(Outcome::BAD_ARGUMENT),
    }
}

/// The input and output of an operation that does not work in place.
#[inline]
pub(crate) unsafe fn buffers_apart<'a>(
    src: *const c_void,
    len: usize,
    dst: *mut c_void,
    cap: usize,
) -> Option<(&'a [u8], &'a mut [MaybeUninit<u8>])> {
    // SAFETY: by the contract of the file header.
    match unsafe { buffers(src, len, dst, cap) } {
        Ok(Buffers::Apart(input, output)) => Some((input, output)),
        Ok(Buffers::InPlace(_)) | Err(_) => None,
    }
}

/// Copies the input to the start of the output, to be processed there. Returns `None` if the output
/// is too small.
pub(crate) fn copy_to_output<'a>(input: &[u8], output: &'a mut [MaybeUninit<u8>]) -> Option<&'a mut [u8]> {
    let output = output.get_mut(..input.len())?;
    // SAFETY: both have the same length, and a shared and a mutable reference do not overlap. The
    // bytes are initialized once copied, so they are valid as `u8` (tests/functions.c).
    unsafe {
        ptr::copy_nonoverlapping(input.as_ptr(), output.as_mut_ptr().cast(), input.len());
        Some(slice::from_raw_parts_mut(output.as_mut_ptr().cast(), input.len()))
    }
}

/// The first bytes of the output, zeroed; `None` if the output is too small.
pub(crate) fn zeroed(output: &mut [MaybeUninit<u8>], length: usize) -> Option<&mut [u8]> {
    let output = output.get_mut(..length)?;
    // SAFETY: the slice is valid for writes of its own length, and the writes initialize its bytes
    // (tests/functions.c).
    unsafe {
        ptr::write_bytes(output.as_mut_ptr(), 0, length);
        Some(slice::from_raw_parts_mut(output.as_mut_ptr().cast(), length))
    }
}

/// Copies the input to the output and calls `in_place` on it. Calls `apart` instead, with the first
/// `room` bytes of the output, zeroed, in three cases: there is no `in_place`, the output is
/// smaller than the input, or `in_place` returns `None` because its result would be longer than its
/// input.
#[inline]
pub(crate) fn in_copy<R>(
    input: &[u8],
    output: &mut [MaybeUninit<u8>],
    in_place: Option<impl FnOnce(&mut [u8]) -> Option<R>>,
    room: impl FnOnce() -> usize,
    apart: impl FnOnce(&[u8], &mut [u8]) -> R,
) -> R {
    match in_place.and_then(|in_place| in_place(copy_to_output(input, output)?)) {
        Some(result) => result,
        None => apart(input, zeroed(output, room()).unwrap_or_default()),
    }
}

/// Writes a value through an out-pointer of any alignment. Returns false if the pointer is null.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) -> bool {
    if to.is_null() {
        return false;
    }
    // SAFETY: not null, and valid for writes by the contract of the file header. An unaligned write
    // needs no alignment. The old value is C's, so nothing is dropped.
    unsafe { to.write_unaligned(value) };
    true
}

/// Reads a value of C through a pointer of any alignment. Returns `None` if the pointer is null.
pub(crate) unsafe fn get<T: Copy>(from: *const T) -> Option<T> {
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and initialized by the contract of the file header. Reading unaligned needs
    // no alignment.
    Some(unsafe { from.read_unaligned() })
}

/// Writes the result of a function through the caller's pointer, unless it is null. Returns the
/// status.
#[inline]
pub(crate) unsafe fn report(outcome: Outcome, result: *mut CResult) -> Status {
    let outcome = CResult::from(outcome);
    // SAFETY: by the contract of the file header.
    unsafe { put(result, outcome) };
    outcome.status
}

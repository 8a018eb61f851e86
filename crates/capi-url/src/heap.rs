//! The allocator without `std`: C's.
//!
//! # Safety
//!
//! The functions of C have the contract of the C standard, and the methods have the contract of
//! `GlobalAlloc`. Covered by tests/url.c.

use alloc::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;
use core::ptr;

// SAFETY: as C declares them. (tests/url.c is linked with them)
unsafe extern "C" {
    safe fn malloc(size: usize) -> *mut c_void;
    unsafe fn realloc(memory: *mut c_void, size: usize) -> *mut c_void;
    unsafe fn free(memory: *mut c_void);
}

struct C;

/// The alignment of `malloc` on 64-bit targets. No type that is allocated here needs more.
const ALIGNMENT: usize = 2 * align_of::<usize>();

// SAFETY: `malloc` and `realloc` return null, or memory of the size and of at least `ALIGNMENT`,
// which belongs to no other allocation until it is freed; nothing here unwinds. (tests/url.c, under
// AddressSanitizer)
unsafe impl GlobalAlloc for C {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGNMENT { ptr::null_mut() } else { malloc(layout.size()).cast() }
    }

    unsafe fn realloc(&self, memory: *mut u8, _: Layout, size: usize) -> *mut u8 {
        // SAFETY: `alloc` has returned the memory, by the contract of the trait.
        unsafe { realloc(memory.cast(), size).cast() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: as in `realloc`.
        unsafe { free(memory.cast()) }
    }
}

#[global_allocator]
static ALLOCATOR: C = C;

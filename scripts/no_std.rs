//! The program of scripts/check-no-std: it defines what `std` would define, and what `alloc` would ask for only if told to.
//!
//! The compiler refuses a second panic handler, so `std` is not in it; and it refuses `alloc` without a global allocator.

#![no_std]

use core::panic::PanicInfo;

use simdpct as _;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

#[cfg(allocator)]
mod allocator {
    use core::alloc::{GlobalAlloc, Layout};
    use core::ptr;

    struct None;

    // SAFETY: a null pointer is a well-formed refusal, so nothing is ever freed.
    unsafe impl GlobalAlloc for None {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            ptr::null_mut()
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    #[global_allocator]
    static ALLOCATOR: None = None;
}

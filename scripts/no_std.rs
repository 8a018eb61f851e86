//! The program that scripts/check-no-std links: it defines the panic handler that `std` would
//! define, and with `--cfg allocator` the global allocator that `alloc` needs.
//!
//! The compiler rejects a second panic handler, so `std` is not linked, and rejects `alloc` without
//! a global allocator.

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

    // SAFETY: `alloc` always fails by returning null, which is allowed, so `dealloc` is never
    // called.
    unsafe impl GlobalAlloc for None {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            ptr::null_mut()
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    #[global_allocator]
    static ALLOCATOR: None = None;
}

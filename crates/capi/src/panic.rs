//! What a panic does without `std`: it aborts the process. No function panics, whatever its input.
//!
//! # Safety
//!
//! `abort` of C takes nothing and has no condition. scripts/check-capi links with it.

use core::panic::PanicInfo;

unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

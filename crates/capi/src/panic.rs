//! The panic handler without `std`: it aborts the process. No function panics, whatever its input.

use core::panic::PanicInfo;

// SAFETY: as C declares it; it has no condition. (tests/functions.c is linked with it)
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

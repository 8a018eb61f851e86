//! The panic handler without `std`: it aborts the process. Only exhausted memory panics.

#[cfg(target_os = "linux")]
use core::arch::global_asm;
use core::panic::PanicInfo;

// SAFETY: as C declares it; it has no condition. (tests/url.c is linked with it)
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

// The crate `alloc` is compiled for programs that unwind, so its code refers to the personality
// function. Nothing calls it.
#[cfg(target_os = "linux")]
global_asm!(
    ".section .rodata.rust_eh_personality",
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    ".byte 0",
    ".text",
);

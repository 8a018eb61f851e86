//! The module that scripts/check-targets links for wasm32: it decodes in place in its own memory.

#![no_std]

use core::panic::PanicInfo;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Decodes the text at `buffer`, and returns its length, or the number of bytes after which it is
/// malformed, as a negative number less one.
///
/// # Safety
///
/// `buffer` is valid for reads and writes of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(buffer: *mut u8, length: usize) -> isize {
    // SAFETY: the caller guarantees the buffer.
    let text = unsafe { core::slice::from_raw_parts_mut(buffer, length) };
    match simdpct::Decoder::new().decode_in_place(text) {
        Ok(text) => text.len() as isize,
        Err(error) => -1 - error.position as isize,
    }
}

//! Environment variables: by `std`, or by `getenv` of C with the feature `getenv`; without either,
//! there are none.
//!
//! Its unsafe code is covered by crates/capi/tests/functions.c, which runs with each value of
//! `SIMDPCT_LEVEL`.

use core::ffi::CStr;

/// Applies `read` to the value of a variable; `None` if it is not set.
#[cfg(feature = "std")]
pub(crate) fn with<T>(name: &CStr, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    read(&std::env::var(name.to_str().ok()?).ok()?)
}

#[cfg(all(feature = "getenv", not(feature = "std")))]
pub(crate) fn with<T>(name: &CStr, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    use core::ffi::c_char;

    // SAFETY: as C declares it. (crates/capi/tests/functions.c)
    unsafe extern "C" {
        fn getenv(name: *const c_char) -> *const c_char;
    }

    // SAFETY: the name ends with NUL. As for each `getenv` in C, the program must not change the
    // environment meanwhile in another thread: docs/c.md says so.
    let value = unsafe { getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: not null, so C has returned a string that ends with NUL, which stays until the
    // environment changes.
    read(unsafe { CStr::from_ptr(value) }.to_str().ok()?)
}

#[cfg(not(any(feature = "std", feature = "getenv")))]
pub(crate) fn with<T>(_: &CStr, _: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    None
}

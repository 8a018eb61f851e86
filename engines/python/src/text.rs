//! `str` objects from decoded bytes: the only file with unsafe code.
//! engines/python/tests/test_random.py compares its results with Python's own.

use pyo3::prelude::*;

/// Creates a `str` from bytes as `bytes.decode('utf-8', 'replace')` does: each maximal subpart of
/// an ill-formed sequence becomes U+FFFD.
///
/// Safe functions would copy to a `bytes` object or a `String` first, and decode UTF-8 twice. A
/// line of non-Latin URLs would take 293 ns instead of 260, a line of hostile.txt 306 ns instead of
/// 170 (Xeon, bench.py).
#[inline]
pub(crate) fn new_str_replacing<'py>(py: Python<'py>, utf8: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: pointer and length come from a slice, whose length is at most `isize::MAX`; the name
    // of the error handler ends with NUL; the result is a new reference, or null with an exception
    // set. `py` shows that this thread is attached to the interpreter. Tested in
    // tests/test_random.py.
    unsafe {
        let string =
            pyo3::ffi::PyUnicode_DecodeUTF8(utf8.as_ptr().cast(), utf8.len().cast_signed(), c"replace".as_ptr());
        Bound::from_owned_ptr_or_err(py, string)
    }
}

//! `str` objects from decoded bytes: the only file with unsafe code.
//! engines/python/tests/test_random.py compares its results with Python's own.

use pyo3::prelude::*;

/// Creates a `str` from UTF-8, with U+FFFD for each maximal subpart of an ill-formed sequence:
/// `bytes.decode('utf-8', 'replace')`.
///
/// By safe functions, a copy is made into a `bytes` object or a `String` first, and UTF-8 is
/// decoded twice: 293 instead of 260 ns for a line of non-Latin URLs, 306 instead of 170 for one of
/// hostile.txt (Xeon, bench.py).
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

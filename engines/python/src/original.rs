//! The functions of the running Python's `urllib.parse`, for all cases that this package does not
//! handle.
//! They are looked up when the module is imported, so our functions may replace them later.
#![forbid(unsafe_code)]

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A function of `urllib.parse`.
#[derive(Clone, Copy)]
#[repr(usize)]
pub(crate) enum Original {
    ParseQs,
    ParseQsl,
    Quote,
    QuoteFromBytes,
    QuotePlus,
    Unquote,
    UnquotePlus,
    UnquoteToBytes,
    Urlencode,
}

/// In the order of the variants.
const NAMES: [&str; 9] = [
    "parse_qs",
    "parse_qsl",
    "quote",
    "quote_from_bytes",
    "quote_plus",
    "unquote",
    "unquote_plus",
    "unquote_to_bytes",
    "urlencode",
];

static FUNCTIONS: PyOnceLock<[Py<PyAny>; NAMES.len()]> = PyOnceLock::new();

/// Looks up the functions, once.
pub(crate) fn functions(py: Python<'_>) -> PyResult<&[Py<PyAny>; NAMES.len()]> {
    FUNCTIONS.get_or_try_init(py, || {
        let module = py.import("urllib.parse")?;
        let mut functions = NAMES.map(|_| py.None());
        for (function, name) in functions.iter_mut().zip(NAMES) {
            *function = module.getattr(name)?.unbind();
        }
        Ok(functions)
    })
}

impl Original {
    /// Calls the function, and returns its result or its exception.
    #[cold]
    pub(crate) fn call<'py>(self, py: Python<'py>, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        functions(py)?[self as usize].bind(py).call1(arguments)
    }

    /// Whether `object` is this function.
    pub(crate) fn is(self, object: &Bound<'_, PyAny>) -> bool {
        functions(object.py()).is_ok_and(|functions| functions[self as usize].is(object))
    }
}

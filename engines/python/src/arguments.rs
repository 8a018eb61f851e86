//! Arguments of `urllib.parse`, reduced to the cases that this package handles.
//!
//! A method that returns `None` leaves the case to Python's function.
#![forbid(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use std::convert::Infallible;
use std::ffi::CString;

/// An argument whose default is not `None`: passing `None` differs from leaving it out.
#[derive(Clone, Copy)]
pub(crate) enum Argument<'a, 'py> {
    Default,
    Given(Borrowed<'a, 'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Argument<'a, 'py> {
    type Error = Infallible;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Self::Given(object))
    }
}

impl<'py> Argument<'_, 'py> {
    /// The argument or its default, to pass on.
    pub(crate) fn or_default(self, py: Python<'py>, default: &str) -> Bound<'py, PyAny> {
        match self {
            Self::Default => PyString::new(py, default).into_any(),
            Self::Given(object) => object.to_owned(),
        }
    }
}

/// The text of a `str`, not of a subclass. `None` also if it has lone surrogates.
#[inline]
pub(crate) fn text<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    object.cast_exact::<PyString>().ok()?.to_str().ok()
}

/// The truth value of a flag; `None` if evaluating it could call a user-defined method.
#[inline]
pub(crate) fn flag(object: Option<&Bound<'_, PyAny>>) -> Option<bool> {
    let Some(object) = object else { return Some(false) };
    let is_plain = object.is_exact_instance_of::<PyBool>() || object.is_exact_instance_of::<PyInt>();
    if is_plain { object.is_truthy().ok() } else { None }
}

/// A flag, to pass on.
pub(crate) fn or_false<'py>(py: Python<'py>, object: Option<&Bound<'py, PyAny>>) -> Bound<'py, PyAny> {
    match object {
        Some(object) => object.clone(),
        None => PyBool::new(py, false).to_owned().into_any(),
    }
}

/// How to convert between text and bytes.
#[derive(Clone, Copy)]
pub(crate) enum Codec<'a> {
    /// UTF-8, with U+FFFD for each invalid sequence: `errors='replace'`.
    Utf8Replacing,
    /// UTF-8, with another error handler of Python's own. It matters only for invalid input.
    Utf8,
    /// Any encoding and error handler, which may not exist.
    Other { encoding: &'a str, errors: &'a str },
}

impl<'a> Codec<'a> {
    /// Reads names as Python's functions take them. Only the usual spellings of `encoding` count as
    /// UTF-8.
    #[inline]
    pub(crate) fn new(encoding: &'a str, errors: &'a str) -> Self {
        match (encoding, errors) {
            ("utf-8" | "utf8" | "UTF-8", "replace") => Self::Utf8Replacing,
            // An unknown handler is an error in Python's development mode, even if it is not
            // called.
            (
                "utf-8" | "utf8" | "UTF-8",
                "strict" | "ignore" | "surrogateescape" | "surrogatepass" | "backslashreplace" | "namereplace"
                | "xmlcharrefreplace",
            ) => Self::Utf8,
            _ => Self::Other { encoding, errors },
        }
    }

    /// The codec of `unquote`, `unquote_plus`, `parse_qs` and `parse_qsl`. `None` as an argument
    /// is the default for text, and an error for bytes.
    #[inline]
    pub(crate) fn for_decoding(
        encoding: &'a Argument<'_, '_>,
        errors: &'a Argument<'_, '_>,
        is_none_allowed: bool,
    ) -> Option<Self> {
        if let (Argument::Default, Argument::Default) = (encoding, errors) {
            return Some(Self::Utf8Replacing);
        }
        let name = |argument: &'a Argument<'_, '_>, default| match argument {
            Argument::Default => Some(default),
            Argument::Given(object) if object.is_none() => is_none_allowed.then_some(default),
            Argument::Given(object) => text(object),
        };
        Some(Self::new(name(encoding, "utf-8")?, name(errors, "replace")?))
    }

    /// The codec of `quote`, `quote_plus` and `urlencode`.
    #[inline]
    pub(crate) fn for_encoding(
        encoding: Option<&'a Bound<'_, PyAny>>,
        errors: Option<&'a Bound<'_, PyAny>>,
    ) -> Option<Self> {
        if encoding.is_none() && errors.is_none() {
            return Some(Self::Utf8);
        }
        let name = |argument: Option<&'a Bound<'_, PyAny>>, default| argument.map_or(Some(default), text);
        Some(match Self::new(name(encoding, "utf-8")?, name(errors, "strict")?) {
            // In text, only lone surrogates could be replaced.
            Self::Utf8Replacing => Self::Utf8,
            codec => codec,
        })
    }

    /// Encoding and handler for calls to C.
    pub(crate) fn names(self) -> Option<(CString, CString)> {
        let (encoding, errors) = match self {
            Self::Utf8Replacing => ("utf-8", "replace"),
            Self::Utf8 => return None,
            Self::Other { encoding, errors } => (encoding, errors),
        };
        Some((CString::new(encoding).ok()?, CString::new(errors).ok()?))
    }
}

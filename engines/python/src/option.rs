//! `TextOption`: a text that a function of `simdpct.columns` takes in addition to its
//! column.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// An argument that should be text. If it is not text, the error names its function. Extracting a
/// `&str` would not name it.
pub(crate) enum TextOption {
    Text(Cow<'static, str>),
    /// The name of another type.
    Other(String),
}

impl TextOption {
    pub(crate) const fn text(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// The text. `what` is the function and its parameter, as in `encode: set`.
    pub(crate) fn of(&self, what: &str) -> PyResult<&str> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Other(name) => Err(PyTypeError::new_err(format!("simdpct.columns.{what} is a str, not {name}"))),
        }
    }
}

impl FromPyObject<'_, '_> for TextOption {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => Ok(Self::Text(text.to_cow()?.into_owned().into())),
            Err(_) => Ok(Self::Other(object.get_type().name()?.to_string())),
        }
    }
}

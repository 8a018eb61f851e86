//! Functions by their names in SQL, for `simdpct.duckdb` and `simdpct.spark`.
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, StringArray};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use simdpct_arrow::{InvalidValue, apply, apply_each};
use simdpct_functions::Function;

use crate::capsule::{Import, import};
use crate::columns::exception;
use crate::result::{Array, Values};

fn function(name: &str) -> PyResult<Function> {
    Function::from_name(name).ok_or_else(|| PyValueError::new_err(format!("unknown function '{name}'")))
}

/// Applies a function to a column: an object with `__arrow_c_array__`. The option is a `str` for
/// all rows, an object with a value for each row, or `None`.
///
/// Errors begin with the name of the function. They omit the row of an invalid value, because
/// engines cut columns into chunks that the user does not know.
#[pyfunction]
#[pyo3(name = "apply")]
pub(crate) fn apply_function<'py>(
    py: Python<'py>,
    name: &str,
    column: &Bound<'py, PyAny>,
    option: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, Array>> {
    let function = function(name)?;
    let column = array(column)?;
    let result = match option {
        Some(option) => match option.extract::<String>() {
            Ok(option) => py.detach(|| {
                let operation = function.operation(Some(&option)).map_err(invalid_option)?;
                apply(&column, &operation)
            }),
            Err(_) => {
                let options = array(option)?;
                py.detach(|| {
                    let options = texts(&options)?;
                    let operation = |option: &str| function.operation(Some(option));
                    apply_each(&column, &options, operation, &function.any_operation())
                })
            }
        },
        None => py.detach(|| apply(&column, &function.operation(None).map_err(invalid_option)?)),
    };
    let array = result.map_err(|error| named(function, error))?;
    Bound::new(py, Array(Values { name: None, data_type: array.data_type().clone(), chunks: vec![array] }))
}

/// Raises an error if the function does not take the option, which may be `None`.
#[pyfunction]
pub(crate) fn check_option(name: &str, option: Option<&str>) -> PyResult<()> {
    let function = function(name)?;
    match option {
        Some(_) if *function.arity().end() == 1 => {
            Err(PyValueError::new_err(format!("{name} takes no second argument")))
        }
        option => match function.operation(option) {
            Ok(_) => Ok(()),
            Err(error) => Err(named(function, invalid_option(error))),
        },
    }
}

fn array(column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    match import(column)? {
        Some(Import::Array(array)) => Ok(array.array),
        _ => Err(PyTypeError::new_err("expected an object with __arrow_c_array__")),
    }
}

fn invalid_option(error: simdpct_functions::InvalidOption) -> ArrowError {
    // Does not use `InvalidArgumentError`, which here means a wrong type.
    ArrowError::ParseError(error.to_string())
}

/// A column of options.
fn texts(options: &ArrayRef) -> Result<Arc<StringArray>, ArrowError> {
    match options.data_type() {
        DataType::Utf8 => Ok(Arc::new(options.as_string().clone())),
        DataType::LargeUtf8 => Ok(Arc::new(options.as_string::<i64>().iter().collect())),
        DataType::Utf8View => Ok(Arc::new(options.as_string_view().iter().collect())),
        DataType::Null => Ok(Arc::new(StringArray::new_null(options.len()))),
        other => Err(ArrowError::InvalidArgumentError(format!("the second argument is a string, not {other}"))),
    }
}

/// The exception of a function.
fn named(function: Function, error: ArrowError) -> PyErr {
    let name = function.name();
    if let Some(invalid) = InvalidValue::of(&error) {
        return PyValueError::new_err(format!("{name}: '{}': {}{}", invalid.value(), invalid.error, function.hint()));
    }
    match error {
        ArrowError::InvalidArgumentError(message) => PyTypeError::new_err(format!("{name}: {message}")),
        ArrowError::ParseError(message) => PyValueError::new_err(format!("{name}: {message}")),
        error => exception(error, 0),
    }
}

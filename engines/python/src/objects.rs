//! The arguments that `simdpct.columns` takes: objects that export Arrow's arrays, lists, and
//! objects of pandas and NumPy.
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, LargeStringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, NullArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::capsule::{Import, ImportedArray, import};

/// A column to read.
pub(crate) struct Source<'py> {
    pub(crate) column: Import,
    /// A name that is not in the column itself.
    pub(crate) name: Option<String>,
    /// The series of pandas that was read.
    pub(crate) series: Option<Bound<'py, PyAny>>,
}

/// Reads an object.
pub(crate) fn source<'py>(object: &Bound<'py, PyAny>) -> PyResult<Source<'py>> {
    let without_name = |column| Source { column, name: None, series: None };
    if let Some(column) = of_sequence(object)? {
        return Ok(without_name(column));
    }
    // Objects of pandas and NumPy have no `__arrow_c_array__`.
    if object.getattr_opt("__arrow_c_array__")?.is_none() {
        let helper = object.py().import("simdpct._objects")?;
        let (column, series, name): (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, Option<String>) =
            helper.call_method1("as_column", (object,))?.extract()?;
        if let Some(column) = column {
            let column = match of_sequence(&column)? {
                Some(column) => column,
                None => import(&column)?.ok_or_else(|| unsupported(object))?,
            };
            return Ok(Source { column, name, series });
        }
    }
    import(object)?.map(without_name).ok_or_else(|| unsupported(object))
}

fn unsupported(object: &Bound<'_, PyAny>) -> PyErr {
    let name = object.get_type().qualname().map_or_else(|_| String::from("?"), |name| name.to_string());
    PyTypeError::new_err(format!(
        "expected an Arrow array (with __arrow_c_array__ or __arrow_c_stream__), a list, an array of NumPy or a column of \
         pandas, not {name}"
    ))
}

/// The column of a list or tuple; `None` if the object is neither.
fn of_sequence(object: &Bound<'_, PyAny>) -> PyResult<Option<Import>> {
    let array = if let Ok(list) = object.cast::<PyList>() {
        of_items(list.len(), || list.iter())?
    } else if let Ok(tuple) = object.cast::<PyTuple>() {
        of_items(tuple.len(), || tuple.iter())?
    } else {
        return Ok(None);
    };
    Ok(Some(Import::Array(ImportedArray { array, name: String::new() })))
}

/// Collects items of one type: the type of the first item that is not missing. If all items are
/// missing, the result is a column of type null.
fn of_items<'py, I: Iterator<Item = Bound<'py, PyAny>>>(rows: usize, items: impl Fn() -> I) -> PyResult<ArrayRef> {
    let mut first = None;
    for (row, item) in items().enumerate() {
        if !is_missing(&item)? {
            first = Some((row, item));
            break;
        }
    }
    let Some((row, first)) = first else { return Ok(Arc::new(NullArray::new(rows))) };
    // Uses 64-bit offsets, because results may be longer than the texts.
    if first.is_instance_of::<PyString>() {
        let mut builder = LargeStringBuilder::with_capacity(rows, 0);
        for (row, item) in items().enumerate() {
            match item.cast::<PyString>() {
                Ok(text) => builder.append_value(&*text.to_cow()?),
                Err(_) if is_missing(&item)? => builder.append_null(),
                Err(_) => return Err(wrong_item(row, &item, "str")),
            }
        }
        Ok(Arc::new(builder.finish()))
    } else if first.is_instance_of::<PyBytes>() {
        let mut builder = LargeBinaryBuilder::with_capacity(rows, 0);
        for (row, item) in items().enumerate() {
            match item.cast::<PyBytes>() {
                Ok(bytes) => builder.append_value(bytes.as_bytes()),
                Err(_) if is_missing(&item)? => builder.append_null(),
                Err(_) => return Err(wrong_item(row, &item, "bytes")),
            }
        }
        Ok(Arc::new(builder.finish()))
    } else if first.is_instance_of::<PyInt>() && !first.is_instance_of::<PyBool>() {
        // `finding_names` needs them.
        let mut builder = UInt32Builder::with_capacity(rows);
        for (row, item) in items().enumerate() {
            if is_missing(&item)? {
                builder.append_null();
            } else {
                builder.append_value(item.extract().map_err(|_| wrong_item(row, &item, "a number of findings"))?);
            }
        }
        Ok(Arc::new(builder.finish()))
    } else {
        Err(wrong_item(row, &first, "str, bytes"))
    }
}

/// Whether an item is `None` or a missing value of pandas: NaN, `NA`, `NaT`.
fn is_missing(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        return Ok(true);
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    if item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>() || item.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    Ok(matches!(&*item.get_type().name()?.to_cow()?, "NAType" | "NaTType"))
}

fn wrong_item(row: usize, item: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let name = item.get_type().qualname().map_or_else(|_| String::from("?"), |name| name.to_string());
    PyTypeError::new_err(format!("row {row}: expected {expected} or None, not {name}"))
}

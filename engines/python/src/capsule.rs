//! Arrow's C data and C stream interfaces, in Python's capsules: the PyCapsule interface.
//!
//! Tests: tests/test_columns.py, with the arrays of pyarrow, Polars, DuckDB and pandas.

use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{NonNull, null};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, NullArray, make_array, new_empty_array};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
const STREAM: &CStr = c"arrow_array_stream";

/// The capsules that an object exports.
pub(crate) enum Import {
    Array(ImportedArray),
    Stream(Stream),
}

/// An array, with the name in its schema, which may be empty.
pub(crate) struct ImportedArray {
    pub(crate) array: ArrayRef,
    pub(crate) name: String,
}

/// Imports an object by `__arrow_c_array__`, or else by `__arrow_c_stream__`; `None` if it has
/// neither.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<Import>> {
    if let Some(method) = object.getattr_opt("__arrow_c_array__")? {
        let capsules = method.call0()?;
        let capsules = capsules.cast::<PyTuple>()?;
        import_array(&capsules.get_item(0)?, &capsules.get_item(1)?).map(Import::Array).map(Some)
    } else if let Some(method) = object.getattr_opt("__arrow_c_stream__")? {
        import_stream(&method.call0()?).map(Import::Stream).map(Some)
    } else {
        Ok(None)
    }
}

/// A pointer to the structure in a capsule of this name, which owns it.
fn structure<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast())
}

fn import_array(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<ImportedArray> {
    // SAFETY: a capsule of this name has a valid structure of this type, and keeps it until
    // `schema` is dropped, which outlives this use. tests/test_columns.py
    let schema = unsafe { structure::<FFI_ArrowSchema>(schema, SCHEMA)?.as_ref() };
    // SAFETY: as above; no other thread uses it, since this one is attached to the interpreter.
    // What stays in the capsule is marked as released. tests/test_columns.py
    let array = unsafe { FFI_ArrowArray::from_raw(structure(array, ARRAY)?.as_ptr()) };
    if schema.release.is_none() || array.is_released() {
        return Err(released());
    }
    let data_type = DataType::try_from(schema).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let name = name_of(schema);
    // SAFETY: the array is not released, and its schema came with it. tests/test_columns.py
    let array = unsafe { array_of_ffi(array, data_type) };
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(ImportedArray { array, name })
}

/// The name in a schema that is not released. `FFI_ArrowSchema::name` would require a name.
fn name_of(schema: &FFI_ArrowSchema) -> String {
    if schema.name.is_null() { String::new() } else { schema.name().unwrap_or_default().to_owned() }
}

fn import_stream(stream: &Bound<'_, PyAny>) -> PyResult<Stream> {
    // SAFETY: a capsule of this name has a valid structure of this type, which no other thread
    // uses, since this one is attached to the interpreter. What stays in the capsule is marked as
    // released. tests/test_columns.py
    let mut raw = unsafe { FFI_ArrowArrayStream::from_raw(structure(stream, STREAM)?.as_ptr()) };
    let (Some(get_schema), Some(_)) = (raw.get_schema, raw.release) else { return Err(released()) };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released; the schema is a place for the result.
    // tests/test_columns.py
    if unsafe { get_schema(&raw mut raw, &raw mut schema) } != 0 {
        return Err(PyValueError::new_err(last_error(&mut raw)));
    }
    let data_type = DataType::try_from(&schema).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let name = name_of(&schema);
    Ok(Stream { raw, data_type, name })
}

/// An array of a producer.
///
/// # Safety
///
/// The array is not released, and of this type. tests/test_columns.py
pub(crate) unsafe fn array_of_ffi(array: FFI_ArrowArray, data_type: DataType) -> Result<ArrayRef, ArrowError> {
    // For a column of type null, Polars exports a buffer, which violates the format. arrow-rs
    // refuses it.
    if data_type == DataType::Null {
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    // SAFETY: as this function requires. tests/test_columns.py
    let data = unsafe { from_ffi_and_data_type(array, data_type) }?;
    // An imported empty slice has offsets beyond its values, which are empty. It would not be a
    // valid export.
    Ok(if data.is_empty() { new_empty_array(data.data_type()) } else { make_array(data) })
}

fn released() -> PyErr {
    PyValueError::new_err("the capsule was consumed before")
}

/// The error message of the last call, which failed.
fn last_error(stream: &mut FFI_ArrowArrayStream) -> String {
    let Some(get_last_error) = stream.get_last_error else { return "the Arrow stream failed".into() };
    // SAFETY: a stream whose call failed is not released. Its message, if any, ends with NUL and is
    // valid until the next call. tests/test_columns.py
    unsafe {
        let message = get_last_error(stream);
        if message.is_null() {
            "the Arrow stream failed".into()
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        }
    }
}

/// A producer's stream of arrays. It may be read without being attached to the interpreter.
pub(crate) struct Stream {
    /// Not released.
    raw: FFI_ArrowArrayStream,
    pub(crate) data_type: DataType,
    /// The name of the column, which may be empty.
    pub(crate) name: String,
}

impl Iterator for Stream {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released; the array is a place for the result.
        // tests/test_columns.py
        if unsafe { self.raw.get_next?(&raw mut self.raw, &raw mut array) } != 0 {
            return Some(Err(ArrowError::CDataInterface(last_error(&mut self.raw))));
        }
        if array.is_released() {
            return None;
        }
        // SAFETY: the array is not released, and all of a stream have its type.
        // tests/test_columns.py
        Some(unsafe { array_of_ffi(array, self.data_type.clone()) })
    }
}

/// The schema of a column.
fn schema_of(name: &str, data_type: &DataType) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(Field::new(name, data_type.clone(), true))
}

/// The result of `__arrow_c_schema__`.
pub(crate) fn export_schema<'py>(py: Python<'py>, name: &str, data_type: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = schema_of(name, data_type).map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The result of `__arrow_c_array__`.
pub(crate) fn export_array<'py>(
    py: Python<'py>,
    name: &str,
    array: &dyn Array,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let schema = export_schema(py, name, array.data_type())?;
    Ok((schema, PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?))
}

/// The result of `__arrow_c_stream__`.
pub(crate) fn export_stream<'py>(
    py: Python<'py>,
    name: &str,
    data_type: &DataType,
    chunks: &[ArrayRef],
) -> PyResult<Bound<'py, PyCapsule>> {
    let exported = Exported {
        name: name.to_owned(),
        data_type: data_type.clone(),
        chunks: chunks.to_vec().into(),
        last_error: None,
    };
    let stream = FFI_ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(Box::new(exported)).cast(),
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// The private data of a stream that is exported here.
struct Exported {
    name: String,
    data_type: DataType,
    chunks: VecDeque<ArrayRef>,
    last_error: Option<CString>,
}

/// # Safety
///
/// The stream is from [`export_stream`], not released, and used by no other thread; `out` is valid
/// for a write. The consumer promises both, by the C stream interface. tests/test_columns.py
unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: a stream that is not released has the private data that `export_stream` gave it, and
    // `out` is a place for the result. tests/test_columns.py
    unsafe {
        let exported = &mut *(*stream).private_data.cast::<Exported>();
        match schema_of(&exported.name, &exported.data_type) {
            Ok(schema) => {
                out.write(schema);
                0
            }
            Err(error) => {
                exported.last_error = CString::new(error.to_string()).ok();
                INVALID
            }
        }
    }
}

/// `EINVAL`.
const INVALID: c_int = 22;

/// # Safety
///
/// Same as [`get_schema`]. tests/test_columns.py
unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as in `get_schema`. tests/test_columns.py
    unsafe {
        let exported = &mut *(*stream).private_data.cast::<Exported>();
        let chunk = exported.chunks.pop_front();
        out.write(chunk.map_or_else(FFI_ArrowArray::empty, |chunk| FFI_ArrowArray::new(&chunk.to_data())));
    }
    0
}

/// # Safety
///
/// The contract of [`get_schema`] holds for the stream. tests/test_columns.py
unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`. tests/test_columns.py
    let exported = unsafe { &*(*stream).private_data.cast::<Exported>() };
    exported.last_error.as_deref().map_or(null(), CStr::as_ptr)
}

/// # Safety
///
/// The contract of [`get_schema`] holds for the stream. tests/test_columns.py
unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the private data is a box that `export_stream` made; it is dropped once, since a
    // consumer never calls a stream that is marked as released. tests/test_columns.py
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Exported>()));
        (*stream).release = None;
    }
}

//! `Array` and `ChunkedArray`: the results of `simdpct.columns`, and their values as objects of
//! Python.
#![forbid(unsafe_code)]

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array as _, ArrayRef, make_array};
use arrow_data::transform::MutableArrayData;
use arrow_schema::DataType;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySlice, PyString};

use crate::capsule::{export_array, export_schema, export_stream};

/// Values in chunks of one type, with the name of the source column.
#[derive(Clone)]
pub(crate) struct Values {
    pub(crate) name: Option<String>,
    pub(crate) data_type: DataType,
    pub(crate) chunks: Vec<ArrayRef>,
}

/// The selection by an index.
enum Selection<'py> {
    Value(Bound<'py, PyAny>),
    Values(Values),
}

impl Values {
    fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// The name, which Arrow leaves empty if a field has none.
    fn arrow_name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for chunk in &self.chunks {
            for row in 0..chunk.len() {
                list.append(value(py, chunk, row)?)?;
            }
        }
        Ok(list)
    }

    fn get<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Selection<'py>> {
        let length = self.len();
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(length as isize)?;
            let rows = (0..indices.slicelength as isize).map(|row| (indices.start + row * indices.step) as usize);
            return Ok(Selection::Values(if indices.step == 1 {
                self.slice(indices.start as usize, indices.slicelength)
            } else {
                self.take(rows)?
            }));
        }
        // Uses `__index__`, so that NumPy's numbers work.
        let wrong = |_| {
            let name = index.get_type().qualname().map_or_else(|_| String::from("?"), |name| name.to_string());
            PyTypeError::new_err(format!("expected an integer or a slice as index, not {name}"))
        };
        let number = index.call_method0("__index__").map_err(wrong)?.extract::<isize>()?;
        let row = if number < 0 { number + length as isize } else { number };
        let mut row = usize::try_from(row).ok().filter(|row| *row < length).ok_or_else(|| {
            PyIndexError::new_err(format!("index {number} is out of range of a column of {length} rows"))
        })?;
        for chunk in &self.chunks {
            if row < chunk.len() {
                return Ok(Selection::Value(value(index.py(), chunk, row)?));
            }
            row -= chunk.len();
        }
        Err(PyIndexError::new_err("index out of range"))
    }

    /// Takes consecutive rows. Shares their memory.
    fn slice(&self, mut start: usize, mut length: usize) -> Self {
        let mut chunks = Vec::new();
        for chunk in &self.chunks {
            let skipped = start.min(chunk.len());
            let taken = length.min(chunk.len() - skipped);
            if taken > 0 || self.chunks.len() == 1 {
                chunks.push(chunk.slice(skipped, taken));
            }
            start -= skipped;
            length -= taken;
        }
        Self { chunks, ..self.clone() }
    }

    /// Takes rows in any order, in one chunk.
    fn take(&self, rows: impl ExactSizeIterator<Item = usize>) -> PyResult<Self> {
        let data: Vec<_> = self.chunks.iter().map(|chunk| chunk.to_data()).collect();
        let mut ends = Vec::new();
        let mut end = 0;
        for chunk in &self.chunks {
            end += chunk.len();
            ends.push(end);
        }
        let mut chunks = Vec::new();
        if !data.is_empty() {
            let mut taken = MutableArrayData::new(data.iter().collect(), false, rows.len());
            for row in rows {
                let chunk = ends.partition_point(|end| *end <= row);
                let row = row - chunk.checked_sub(1).map_or(0, |before| ends[before]);
                taken.try_extend(chunk, row, row + 1).map_err(|error| PyOverflowError::new_err(error.to_string()))?;
            }
            chunks.push(make_array(taken.freeze()));
        }
        Ok(Self { chunks, ..self.clone() })
    }

    fn repr(&self, class: &str) -> String {
        let name = self.name.as_ref().map(|name| format!("{name:?}, ")).unwrap_or_default();
        format!("<simdpct.columns.{class}: {name}{} rows, {}>", self.len(), self.data_type)
    }
}

/// A value as an object of Python. The array is of a type that [`simdpct_arrow::return_type`]
/// returns.
fn value<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Utf8 => PyString::new(py, array.as_string::<i32>().value(row)).into_any(),
        DataType::LargeUtf8 => PyString::new(py, array.as_string::<i64>().value(row)).into_any(),
        DataType::Utf8View => PyString::new(py, array.as_string_view().value(row)).into_any(),
        DataType::Binary => PyBytes::new(py, array.as_binary::<i32>().value(row)).into_any(),
        DataType::LargeBinary => PyBytes::new(py, array.as_binary::<i64>().value(row)).into_any(),
        DataType::BinaryView => PyBytes::new(py, array.as_binary_view().value(row)).into_any(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Boolean => array.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any(),
        DataType::Null => py.None().into_bound(py),
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            let list = PyList::empty(py);
            for item in 0..items.len() {
                list.append(value(py, &items, item)?)?;
            }
            list.into_any()
        }
        // Maps become lists of pairs, structures become `dict`s, as in pyarrow.
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let list = PyList::empty(py);
            for entry in 0..entries.len() {
                list.append((value(py, entries.column(0), entry)?, value(py, entries.column(1), entry)?))?;
            }
            list.into_any()
        }
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), value(py, column, row)?)?;
            }
            dict.into_any()
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            // The key of the row. It is not negative, and within the values.
            let key = array.slice(row, 1).as_any_dictionary().normalized_keys()[0];
            value(py, dictionary.values(), key)?
        }
        other => return Err(PyTypeError::new_err(format!("{other} has no values in Python"))),
    })
}

/// An iterator of values.
#[pyclass(module = "simdpct.columns")]
struct Iterator {
    chunks: Vec<ArrayRef>,
    chunk: usize,
    row: usize,
}

#[pymethods]
impl Iterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        while let Some(chunk) = self.chunks.get(self.chunk) {
            if self.row < chunk.len() {
                self.row += 1;
                return value(py, chunk, self.row - 1).map(Some);
            }
            self.chunk += 1;
            self.row = 0;
        }
        Ok(None)
    }

    fn __length_hint__(&self) -> usize {
        let rest = self.chunks.iter().skip(self.chunk).map(|chunk| chunk.len()).sum::<usize>();
        rest.saturating_sub(self.row)
    }
}

/// A column in one piece: the result for an object with `__arrow_c_array__`.
///
/// It is a sequence of `str`, `bytes`, `None` and so on. Any consumer of Arrow's arrays accepts it:
/// `pyarrow.array(a)`, `polars.Series(a)`. pandas and NumPy take it as a sequence.
#[pyclass(module = "simdpct.columns", frozen, sequence)]
pub(crate) struct Array(pub(crate) Values);

/// A column in several pieces: the result for an object with `__arrow_c_stream__`.
///
/// It is a sequence of `str`, `bytes`, `None` and so on. Any consumer of Arrow's streams accepts
/// it: `pyarrow.chunked_array(a)`, `polars.Series(a)`. pandas and NumPy take it as a sequence.
#[pyclass(module = "simdpct.columns", frozen, sequence)]
pub(crate) struct ChunkedArray(pub(crate) Values);

#[pymethods]
impl Array {
    /// The name of the source column; `None` if it has no name.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// All values, as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.0.to_pylist(py)
    }

    /// The type, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, self.0.arrow_name(), &self.0.data_type)
    }

    /// Type and values, as capsules. A requested type is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        export_array(py, self.0.arrow_name(), &self.0.chunks[0])
    }

    /// A NumPy array. It has objects, unless all values are numbers or all are booleans.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf.as_any(), dtype, copy)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.get(index)? {
            Selection::Value(value) => Ok(value),
            Selection::Values(values) => Ok(Bound::new(index.py(), Self(values))?.into_any()),
        }
    }

    fn __iter__(&self) -> Iterator {
        Iterator { chunks: self.0.chunks.clone(), chunk: 0, row: 0 }
    }

    fn __repr__(&self) -> String {
        self.0.repr("Array")
    }
}

#[pymethods]
impl ChunkedArray {
    /// The name of the source column; `None` if it has no name.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// All values, as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.0.to_pylist(py)
    }

    /// The type, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, self.0.arrow_name(), &self.0.data_type)
    }

    /// A stream of the pieces, as a capsule. A requested type is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        export_stream(py, self.0.arrow_name(), &self.0.data_type, &self.0.chunks)
    }

    /// The `pyarrow.ChunkedArray`, which pyarrow requests when it makes a table.
    #[pyo3(signature = (r#type=None))]
    fn __arrow_array__<'py>(slf: &Bound<'py, Self>, r#type: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let array = slf.py().import("pyarrow")?.call_method1("chunked_array", (slf,))?;
        match r#type {
            Some(data_type) => array.call_method1("cast", (data_type,)),
            None => Ok(array),
        }
    }

    /// A NumPy array. It has objects, unless all values are numbers or all are booleans.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf.as_any(), dtype, copy)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.get(index)? {
            Selection::Value(value) => Ok(value),
            Selection::Values(values) => Ok(Bound::new(index.py(), Self(values))?.into_any()),
        }
    }

    fn __iter__(&self) -> Iterator {
        Iterator { chunks: self.0.chunks.clone(), chunk: 0, row: 0 }
    }

    fn __repr__(&self) -> String {
        self.0.repr("ChunkedArray")
    }
}

/// The result of `__array__`.
fn numpy<'py>(
    column: &Bound<'py, PyAny>,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    column.py().import("simdpct._objects")?.call_method1("to_numpy", (column, dtype, copy))
}

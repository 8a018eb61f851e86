//! The functions of columns as expression plugins of Polars, for version 0.1 of its C interface.
//!
//! Polars loads this library and looks for two symbols, and for two symbols for each function: one
//! returns the type of the result, and one converts series. `simdpct/polars.py` registers them.
//!
//! Tests: tests/test_polars.py.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field};
use simdpct_arrow::{InvalidValue, apply, return_type};
use simdpct_functions::{Function, Operation};

use crate::capsule::array_of_ffi;

/// A series, as Polars exports and imports it.
#[repr(C)]
pub(crate) struct Series {
    field: *mut FFI_ArrowSchema,
    /// The importer moves the arrays out.
    arrays: *mut *mut FFI_ArrowArray,
    chunks: usize,
    /// SAFETY: called once, with this series. tests/test_polars.py
    release: Option<unsafe extern "C" fn(*mut Series)>,
    /// Not null: null would mean no result.
    private_data: *mut c_void,
}

impl Drop for Series {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the series is not released. tests/test_polars.py
            unsafe { release(self) }
        }
    }
}

/// The private data of a series that is exported here: the memory that its pointers refer to.
struct Exported {
    field: FFI_ArrowSchema,
    arrays: Vec<*mut FFI_ArrowArray>,
}

/// # Safety
///
/// The series is from [`Series::new`] and not released, and its arrays were moved out.
/// tests/test_polars.py
unsafe extern "C" fn release(series: *mut Series) {
    // SAFETY: all pointers come from boxes that `Series::new` made. They are not used again,
    // because the series is marked as released. The arrays belong to the importer, so only their
    // memory is freed. tests/test_polars.py
    unsafe {
        let exported = Box::from_raw((*series).private_data.cast::<Exported>());
        for array in exported.arrays {
            drop(Box::from_raw(array.cast::<std::mem::ManuallyDrop<FFI_ArrowArray>>()));
        }
        (*series).release = None;
    }
}

impl Series {
    fn new(field: &Field, chunks: &[ArrayRef]) -> Result<Self, ArrowError> {
        let field = FFI_ArrowSchema::try_from(field)?;
        let export = |chunk: &ArrayRef| Box::into_raw(Box::new(FFI_ArrowArray::new(&chunk.to_data())));
        let arrays = chunks.iter().map(export).collect();
        let exported = Box::into_raw(Box::new(Exported { field, arrays }));
        // SAFETY: a box that was made here. tests/test_polars.py
        let (field, arrays) = unsafe { (&raw mut (*exported).field, (*exported).arrays.as_mut_ptr()) };
        Ok(Self { field, arrays, chunks: chunks.len(), release: Some(release), private_data: exported.cast() })
    }

    /// Name, type and chunks of a series.
    ///
    /// # Safety
    ///
    /// The series is valid and not released, as its exporter promises. tests/test_polars.py
    unsafe fn import(self) -> Result<(Field, Vec<ArrayRef>), ArrowError> {
        // SAFETY: the field of a valid series is valid, and so is its array of pointers to arrays.
        // The arrays are moved out here, and the exporter does not release them.
        // tests/test_polars.py
        let (field, arrays) = unsafe {
            let arrays = (0..self.chunks).map(|chunk| (*self.arrays.add(chunk)).read()).collect::<Vec<_>>();
            (&*self.field, arrays)
        };
        let field = Field::try_from(field)?;
        // SAFETY: the arrays of a valid series are not released, and have its type.
        // tests/test_polars.py
        let import = |array| unsafe { array_of_ffi(array, field.data_type().clone()) };
        let chunks = arrays.into_iter().map(import).collect::<Result<_, _>>()?;
        Ok((field, chunks))
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Calls a function, catches a panic, and keeps the error for
/// [`_polars_plugin_get_last_error_message`].
fn guard(work: impl FnOnce() -> Result<(), ArrowError>) {
    let message = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => message(error),
        Err(_) => "simdpct panicked: please report this".into(),
    };
    // Values are quoted with control characters escaped.
    LAST_ERROR.set(CString::new(message).unwrap_or_default());
}

/// The message omits the row number, which counts within a chunk and means nothing to a user.
fn message(error: ArrowError) -> String {
    if let Some(invalid) = InvalidValue::of(&error) {
        return format!("'{}': {}", invalid.value(), invalid.error);
    }
    match error {
        ArrowError::InvalidArgumentError(message) => message,
        error => error.to_string(),
    }
}

/// The version of the interface: 0.1.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_version() -> u32 {
    1
}

/// The message of the last error in this thread.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    // The pointer is valid until the next error of this thread. Polars copies the text immediately.
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}

struct Plugin {
    function: Function,
    /// A valid option, for calls in which only the type of the result matters.
    any_option: &'static str,
}

impl Plugin {
    /// The operation of the function with an option, which is empty if it takes none.
    fn operation(&self, option: &str) -> Result<Operation, ArrowError> {
        self.function.operation(Some(option)).map_err(|error| ArrowError::InvalidArgumentError(error.to_string()))
    }

    fn field(&self, input: &Field) -> Result<Field, ArrowError> {
        if !matches!(input.data_type(), DataType::Utf8View | DataType::BinaryView | DataType::UInt32 | DataType::Null) {
            let message = format!("expected String or Binary, not {}: cast the column", input.data_type());
            return Err(ArrowError::InvalidArgumentError(message));
        }
        let data_type = return_type(&self.operation(self.any_option)?, input.data_type())?;
        Ok(Field::new(input.name(), data_type, true))
    }

    /// Converts the first input. The first row of the second input, if any, is the option.
    fn convert(&self, inputs: Vec<(Field, Vec<ArrayRef>)>) -> Result<Series, ArrowError> {
        let mut inputs = inputs.into_iter();
        let Some((input, chunks)) = inputs.next() else {
            return Err(ArrowError::InvalidArgumentError("expected a column".into()));
        };
        let option = inputs.next().map(|(_, chunks)| first_string(&chunks).unwrap_or_default());
        let field = self.field(&input)?;
        let is_empty = chunks.iter().all(|chunk| chunk.is_empty());
        // A column without rows may come with an option without rows.
        let option = if is_empty { self.any_option } else { option.as_deref().unwrap_or_default() };
        let operation = self.operation(option)?;
        let converted = chunks.iter().map(|chunk| apply(chunk, &operation)).collect::<Result<Vec<_>, _>>()?;
        Series::new(&field, &converted)
    }
}

fn first_string(chunks: &[ArrayRef]) -> Option<String> {
    let chunk = chunks.iter().find(|chunk| !chunk.is_empty())?;
    let strings = chunk.as_string_view_opt().filter(|strings| strings.is_valid(0))?;
    Some(strings.value(0).to_owned())
}

/// # Safety
///
/// The inputs are valid fields, and `result` is valid for a write. tests/test_polars.py
unsafe fn write_field(plugin: &Plugin, inputs: *const FFI_ArrowSchema, count: usize, result: *mut FFI_ArrowSchema) {
    guard(|| {
        if count == 0 {
            return Err(ArrowError::InvalidArgumentError("expected a column".into()));
        }
        // SAFETY: the first of the inputs, and a place for the result. tests/test_polars.py
        unsafe { result.write(FFI_ArrowSchema::try_from(plugin.field(&Field::try_from(&*inputs)?)?)?) };
        Ok(())
    });
}

/// # Safety
///
/// The inputs are valid series, which the caller does not use again, and `result` is valid for a
/// write. tests/test_polars.py
unsafe fn write_series(plugin: &Plugin, inputs: *const Series, count: usize, result: *mut Series) {
    guard(|| {
        // SAFETY: as this function requires, each is valid, and moved out once.
        // tests/test_polars.py
        let inputs: Vec<Series> = unsafe { (0..count).map(|input| inputs.add(input).read()).collect() };
        // SAFETY: as this function requires. tests/test_polars.py
        let import = |input: Series| unsafe { input.import() };
        let series = plugin.convert(inputs.into_iter().map(import).collect::<Result<_, _>>()?)?;
        // SAFETY: a place for the result, which holds an empty series. tests/test_polars.py
        unsafe { result.write(series) };
        Ok(())
    });
}

/// Defines the two symbols of each function. The arguments of Python, and the context, are not
/// used.
macro_rules! plugins {
    ($($name:ident, $series_symbol:literal, $field_symbol:literal, $any_option:literal, $function:ident;)*) => {$(
        mod $name {
            use super::*;

            const PLUGIN: Plugin = Plugin { function: Function::$function, any_option: $any_option };

            /// # Safety
            ///
            /// As Polars promises: see [`write_field`]. tests/test_polars.py
            #[unsafe(export_name = $field_symbol)]
            unsafe extern "C" fn field(
                inputs: *const FFI_ArrowSchema,
                count: usize,
                result: *mut FFI_ArrowSchema,
                _arguments: *const u8,
                _length: usize,
            ) {
                // SAFETY: the caller promises the same. tests/test_polars.py
                unsafe { write_field(&PLUGIN, inputs, count, result) }
            }

            /// # Safety
            ///
            /// As Polars promises: see [`write_series`]. tests/test_polars.py
            #[unsafe(export_name = $series_symbol)]
            unsafe extern "C" fn series(
                inputs: *const Series,
                count: usize,
                _arguments: *const u8,
                _length: usize,
                result: *mut Series,
                _context: *const c_void,
            ) {
                // SAFETY: the caller promises the same. tests/test_polars.py
                unsafe { write_series(&PLUGIN, inputs, count, result) }
            }
        }
    )*};
}

plugins! {
    canonical_path, "_polars_plugin_canonical_path", "_polars_plugin_field_canonical_path", "default", UrlPathCanonical;
    cut, "_polars_plugin_cut", "_polars_plugin_field_cut", "query", UrlCut;
    decode, "_polars_plugin_decode", "_polars_plugin_field_decode", "", PctDecode;
    decode_java, "_polars_plugin_decode_java", "_polars_plugin_field_decode_java", "", SparkUrlDecode;
    decode_lossy, "_polars_plugin_decode_lossy", "_polars_plugin_field_decode_lossy", "", PctDecodeLossy;
    domain, "_polars_plugin_domain", "_polars_plugin_field_domain", "", UrlDomain;
    encode, "_polars_plugin_encode", "_polars_plugin_field_encode", "component", PctEncode;
    finding_names, "_polars_plugin_finding_names", "_polars_plugin_field_finding_names", "", UrlFindingNames;
    findings, "_polars_plugin_findings", "_polars_plugin_field_findings", "", UrlFindings;
    form_decode, "_polars_plugin_form_decode", "_polars_plugin_field_form_decode", "", FormDecode;
    form_decode_lossy, "_polars_plugin_form_decode_lossy", "_polars_plugin_field_form_decode_lossy", "", FormDecodeLossy;
    form_encode, "_polars_plugin_form_encode", "_polars_plugin_field_form_encode", "", FormEncode;
    has, "_polars_plugin_has", "_polars_plugin_field_has", "nul", UrlHas;
    join, "_polars_plugin_join", "_polars_plugin_field_join", "", UrlJoin;
    normalize, "_polars_plugin_normalize", "_polars_plugin_field_normalize", "", PctNormalize;
    normalize_url, "_polars_plugin_normalize_url", "_polars_plugin_field_normalize_url", "", UrlNormalize;
    part, "_polars_plugin_part", "_polars_plugin_field_part", "path", UrlPart;
    parts, "_polars_plugin_parts", "_polars_plugin_field_parts", "", UrlParts;
    query_keys, "_polars_plugin_query_keys", "_polars_plugin_field_query_keys", "", UrlQueryKeys;
    query_map, "_polars_plugin_query_map", "_polars_plugin_field_query_map", "", UrlQueryMap;
    query_value, "_polars_plugin_query_value", "_polars_plugin_field_query_value", "", UrlQueryValue;
    repair, "_polars_plugin_repair", "_polars_plugin_field_repair", "", UrlRepair;
    try_decode, "_polars_plugin_try_decode", "_polars_plugin_field_try_decode", "", TryPctDecode;
    try_decode_java, "_polars_plugin_try_decode_java", "_polars_plugin_field_try_decode_java", "", SparkTryUrlDecode;
    try_form_decode, "_polars_plugin_try_form_decode", "_polars_plugin_field_try_form_decode", "", TryFormDecode;
}

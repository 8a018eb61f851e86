//! Applies operations that are chosen at run time, as engines choose them: [`apply`] and
//! [`return_type`].
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_schema::{ArrowError, DataType, Field};
use simdpct::columns::OnError;
use simdpct_functions::Operation;

use crate::nested;

/// Applies an operation to an array. The result has the [`return_type`].
///
/// # Errors
///
/// Returns the errors of the function that has the name of the operation, and
/// [`ArrowError::InvalidArgumentError`] if the operation does not take arrays of this type.
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use simdpct_arrow::apply;
/// use simdpct_functions::Function;
///
/// let urls = StringArray::from(vec!["http://e.org/a", "/b"]);
/// let hosts = apply(&urls, &Function::UrlPart.operation(Some("host"))?)?;
/// assert_eq!(hosts.as_string::<i32>(), &StringArray::from(vec![Some("e.org"), None]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply(array: &dyn Array, operation: &Operation) -> Result<ArrayRef, ArrowError> {
    // Checks the type first: `as_primitive` would panic.
    let result = return_type(operation, array.data_type())?;
    if *array.data_type() == DataType::Null {
        return Ok(new_null_array(&result, array.len()));
    }
    match operation {
        Operation::Decode(decoder, on_error) => crate::decode(array, decoder, *on_error),
        Operation::DecodeLossy(decoder) => crate::decode_lossy(array, &decoder.lenient(), OnError::Refuse),
        Operation::DecodeJava(on_error) => crate::decode_java(array, *on_error),
        Operation::Encode(encoder) => crate::encode(array, encoder),
        Operation::Normalize(normalizer) => crate::normalize(array, normalizer, OnError::Refuse),
        Operation::Map(mapping) => crate::map(array, mapping),
        Operation::QueryKeys => Ok(Arc::new(crate::query_keys(array)?)),
        Operation::QueryMap => Ok(Arc::new(crate::query_map(array)?)),
        Operation::Parts => Ok(Arc::new(crate::parts(array)?)),
        Operation::Findings => Ok(Arc::new(crate::findings(array)?)),
        Operation::FindingNames => Ok(Arc::new(crate::finding_names(array.as_primitive::<UInt32Type>()))),
        Operation::Has(kinds) => Ok(Arc::new(crate::has(array, *kinds)?)),
    }
}

/// The type of the result of an operation on an array of this type. An array of type null keeps its
/// type if the operation keeps the type of strings.
///
/// # Errors
///
/// Returns [`ArrowError::InvalidArgumentError`] if the operation does not take such an array.
pub fn return_type(operation: &Operation, input: &DataType) -> Result<DataType, ArrowError> {
    let unsupported = |expected| Err(ArrowError::InvalidArgumentError(format!("expected {expected}, not {input}")));
    match operation {
        Operation::FindingNames if !matches!(input, DataType::UInt32 | DataType::Null) => {
            unsupported("the numbers that findings returns")
        }
        Operation::FindingNames => Ok(DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))),
        _ if !crate::is_supported(input) && *input != DataType::Null => {
            unsupported("strings, binary values or a dictionary of them")
        }
        Operation::Findings => Ok(DataType::UInt32),
        Operation::Has(_) => Ok(DataType::Boolean),
        Operation::QueryKeys => Ok(nested::list_type(input)),
        Operation::QueryMap => Ok(nested::map_type(input)),
        Operation::Parts => Ok(nested::parts_type(input)),
        _ => Ok(input.clone()),
    }
}

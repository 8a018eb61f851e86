//! Conversion of arrays of any layout: dispatch by type, and dictionaries.
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::builder::GenericByteBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, ByteArrayType};
use arrow_array::{Array, ArrayRef, DictionaryArray, GenericByteArray, PrimitiveArray, downcast_dictionary_array};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType};
use simdpct_functions::{Mapping, Value};

use crate::error::Failure;
use crate::is_supported;
use crate::unchecked::{Job, convert_offsets, convert_views, map_views};

/// Applies a job to an array. Returns the array itself if nothing changes.
pub(crate) fn convert(array: &dyn Array, job: &impl Job) -> Result<ArrayRef, ArrowError> {
    apply(array, &|array, nulls| match array.data_type() {
        DataType::Utf8 => convert_offsets(array.as_string::<i32>(), nulls, job),
        DataType::LargeUtf8 => convert_offsets(array.as_string::<i64>(), nulls, job),
        DataType::Utf8View => convert_views(array.as_string_view(), nulls, job),
        DataType::Binary => convert_offsets(array.as_binary::<i32>(), nulls, job),
        DataType::LargeBinary => convert_offsets(array.as_binary::<i64>(), nulls, job),
        DataType::BinaryView => convert_views(array.as_binary_view(), nulls, job),
        _ => Err(Failure::Unsupported),
    })
}

/// Maps each value of an array. Returns the array itself if nothing changes.
pub(crate) fn map(array: &dyn Array, map: &Mapping) -> Result<ArrayRef, ArrowError> {
    apply(array, &|array, nulls| match array.data_type() {
        DataType::Utf8 => map_offsets(array.as_string::<i32>(), nulls, map),
        DataType::LargeUtf8 => map_offsets(array.as_string::<i64>(), nulls, map),
        DataType::Utf8View => Ok(map_views(array.as_string_view(), |value| map.of(value))),
        DataType::Binary => map_offsets(array.as_binary::<i32>(), nulls, map),
        DataType::LargeBinary => map_offsets(array.as_binary::<i64>(), nulls, map),
        DataType::BinaryView => Ok(map_views(array.as_binary_view(), |value| map.of(value))),
        _ => Err(Failure::Unsupported),
    })
}

/// Returns `None` if nothing changes. The builder takes `str`s, which need no validation.
fn map_offsets<T>(
    array: &GenericByteArray<T>,
    nulls: Option<&NullBuffer>,
    map: &Mapping,
) -> Result<Option<ArrayRef>, Failure>
where
    T: ByteArrayType<Native: Value>,
{
    let is_valid = |row| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let changes = |row| {
        let value = array.value(row);
        !map.of(value).is_some_and(|mapped| is_same((*mapped).as_ref(), value.as_ref()))
    };
    // Rows before the first change are mapped twice.
    if !(0..array.len()).any(|row| is_valid(row) && changes(row)) {
        return Ok(None);
    }
    let mut builder = GenericByteBuilder::<T>::with_capacity(array.len(), 0);
    for row in 0..array.len() {
        match is_valid(row).then(|| map.of(array.value(row))).flatten() {
            Some(mapped) => {
                let bytes: &[u8] = (*mapped).as_ref();
                let end = builder.values_slice().len() + bytes.len();
                // Otherwise the builder would panic.
                if T::Offset::from_usize(end).is_none() {
                    return Err(Failure::TooLong);
                }
                builder.append_value(&*mapped);
            }
            None => builder.append_null(),
        }
    }
    Ok(Some(Arc::new(builder.finish())))
}

/// Whether two slices are the same memory.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    std::ptr::eq(a, b)
}

/// Converts the values of an array or dictionary. Rows that are null in the second argument are not
/// converted and are null in the result. `None` means that nothing changes.
type Convert<'a> = &'a dyn Fn(&dyn Array, Option<&NullBuffer>) -> Result<Option<ArrayRef>, Failure>;

/// Applies a conversion to an array, or to the values of a dictionary.
fn apply(array: &dyn Array, convert: Convert<'_>) -> Result<ArrayRef, ArrowError> {
    // An empty array from the C data interface may have an offset beyond its values, whose length
    // is 0.
    if array.is_empty() && is_supported(array.data_type()) {
        return Ok(array.slice(0, 0));
    }
    let result = match array.as_any_dictionary_opt() {
        Some(_) => apply_to_dictionary(array, convert),
        None => convert(array, array.nulls()),
    };
    match result {
        Ok(Some(converted)) => Ok(converted),
        // Shares all buffers.
        Ok(None) => Ok(array.slice(0, array.len())),
        Err(failure) => Err(failure.of(array)),
    }
}

fn apply_to_dictionary(array: &dyn Array, convert: Convert<'_>) -> Result<Option<ArrayRef>, Failure> {
    downcast_dictionary_array!(
        array => {
            let values = array.values();
            if let Some(nulls) = values.nulls() && nulls.null_count() == values.len() {
                return Ok(None);
            }
            // Which values are in use is determined only if the dictionary has more values than the
            // array has rows, or one of them is invalid.
            let first = if values.len() > array.len() { None } else { Some(convert(values, values.nulls())) };
            let converted = match first {
                Some(Ok(converted)) => converted,
                Some(Err(failure)) if !matches!(failure, Failure::Invalid { .. }) => return Err(failure),
                _ => {
                    let used = NullBuffer::new(used_values(array.keys(), values.len()));
                    let nulls = NullBuffer::union(values.nulls(), Some(&used));
                    convert(values, nulls.as_ref()).map_err(|failure| failure.of_row(|value| first_row(array, value)))?
                }
            };
            Ok(converted.map(|converted| with_values(array, converted)))
        }
        _ => Err(Failure::Unsupported)
    )
}

/// Computes which of `values` values are in use, as a bit for each value.
fn used_values<K>(keys: &PrimitiveArray<K>, values: usize) -> BooleanBuffer
where
    K: ArrowDictionaryKeyType,
{
    let mut used = vec![false; values];
    for key in keys.iter().flatten() {
        used[key.as_usize()] = true;
    }
    BooleanBuffer::from(used)
}

/// The first row whose key refers to `value`.
fn first_row<K>(array: &DictionaryArray<K>, value: usize) -> usize
where
    K: ArrowDictionaryKeyType,
{
    array.keys().iter().position(|key| key.is_some_and(|key| key.as_usize() == value)).unwrap_or(0)
}

/// Returns the dictionary with other values. Rows whose values are null become null themselves,
/// because many functions look at the keys only.
fn with_values<K>(array: &DictionaryArray<K>, values: ArrayRef) -> ArrayRef
where
    K: ArrowDictionaryKeyType,
{
    let keys = array.keys();
    let Some(null_values) = values.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Arc::new(array.with_values(values));
    };
    let is_valid = |key: Option<K::Native>| key.is_some_and(|key| null_values.is_valid(key.as_usize()));
    let nulls: NullBuffer = keys.iter().map(is_valid).collect::<Vec<bool>>().into();
    if nulls.null_count() == keys.null_count() {
        return Arc::new(array.with_values(values));
    }
    let keys = PrimitiveArray::<K>::new(keys.values().clone(), Some(nulls));
    Arc::new(DictionaryArray::new(keys, values))
}

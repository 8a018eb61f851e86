//! Findings: what the values contain, as numbers, names and booleans.
#![forbid(unsafe_code)]

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, BooleanArray, GenericByteArray, GenericByteViewArray, ListArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType};
use simdpct::Kinds;
use simdpct::columns::{Column, Inspection, Offset};

use crate::error::Failure;

/// The findings of each value, as the bits of [`Kinds::bits`]; null where the value is null. Kinds
/// found only [on request](Kinds::ON_REQUEST) are not included: use [`has`] for them.
///
/// [`simdpct::Findings`] describes the kinds.
///
/// # Errors
///
/// Returns [`ArrowError::InvalidArgumentError`] if the array has no strings or binary values.
///
/// ```
/// use arrow_array::{Array, StringArray};
/// use simdpct::Kinds;
///
/// let urls = StringArray::from(vec![Some("/plain"), None, Some("/%00")]);
/// let findings = simdpct_arrow::findings(&urls)?;
/// assert_eq!((findings.value(0), findings.is_null(1)), (0, true));
/// assert_eq!(findings.value(2), (Kinds::ESCAPE | Kinds::NUL | Kinds::CONTROL).bits());
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn findings(array: &dyn Array) -> Result<UInt32Array, ArrowError> {
    bits(array, Kinds::EVERY.without(Kinds::ON_REQUEST)).map_err(|failure| failure.of(array))
}

/// Whether each value has a finding of any of these kinds; null where the value is null.
///
/// # Errors
///
/// Returns [`ArrowError::InvalidArgumentError`] if the array has no strings or binary values.
///
/// ```
/// use arrow_array::{BooleanArray, StringArray};
/// use simdpct::Kinds;
///
/// let urls = StringArray::from(vec![Some("/%2e%2E"), None, Some("/..")]);
/// let has_dots = simdpct_arrow::has(&urls, Kinds::DOT)?;
/// assert_eq!(has_dots, BooleanArray::from(vec![Some(true), None, Some(false)]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn has(array: &dyn Array, kinds: Kinds) -> Result<BooleanArray, ArrowError> {
    let findings = bits(array, kinds).map_err(|failure| failure.of(array))?;
    let has = findings.values().iter().map(|bits| bits & kinds.bits() != 0);
    Ok(BooleanArray::new(BooleanBuffer::from_iter(has), findings.nulls().cloned()))
}

/// The names of the findings whose bits [`findings`] returned: a list for each row, in the order of
/// [`Kinds::ALL`]. Unknown bits have no name.
///
/// ```
/// use arrow_array::{Array, UInt32Array, cast::AsArray};
///
/// let names = simdpct_arrow::finding_names(&UInt32Array::from(vec![Some(0b1001), None, Some(0)]));
/// assert_eq!(names.value(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["escape", "nul"]);
/// assert!(names.is_null(1) && names.value(2).is_empty());
/// ```
#[must_use]
pub fn finding_names(findings: &UInt32Array) -> ListArray {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for bits in findings {
        let kinds = Kinds::from_bits_truncate(bits.unwrap_or(0));
        kinds.names().for_each(|name| lists.values().append_value(name));
        lists.append(bits.is_some());
    }
    lists.finish()
}

/// The findings of these kinds.
fn bits(array: &dyn Array, kinds: Kinds) -> Result<UInt32Array, Failure> {
    match array.data_type() {
        DataType::Utf8 => of_offsets(array.as_string::<i32>(), kinds),
        DataType::LargeUtf8 => of_offsets(array.as_string::<i64>(), kinds),
        DataType::Utf8View => Ok(of_views(array.as_string_view(), kinds)),
        DataType::Binary => of_offsets(array.as_binary::<i32>(), kinds),
        DataType::LargeBinary => of_offsets(array.as_binary::<i64>(), kinds),
        DataType::BinaryView => Ok(of_views(array.as_binary_view(), kinds)),
        DataType::Dictionary(..) => of_dictionary(array, kinds),
        _ => Err(Failure::Unsupported),
    }
}

fn of_offsets<T: ByteArrayType<Offset: Offset>>(
    array: &GenericByteArray<T>,
    kinds: Kinds,
) -> Result<UInt32Array, Failure> {
    // See `convert::apply`.
    if array.is_empty() {
        return Ok(UInt32Array::from(Vec::<u32>::new()));
    }
    let mut column = Column::new(array.value_data(), array.value_offsets())?;
    if let Some(nulls) = array.nulls() {
        column = column.with_validity(nulls.validity(), nulls.offset())?;
    }
    Ok(UInt32Array::new(Inspection::among(kinds, &column).into_bits().into(), array.nulls().cloned()))
}

fn of_views<T: ByteViewType>(array: &GenericByteViewArray<T>, kinds: Kinds) -> UInt32Array {
    let rows = (0..array.len()).map(|row| array.is_valid(row).then(|| array.value(row).as_ref()));
    let bits = Inspection::among_rows::<&[u8]>(kinds, rows).into_bits();
    UInt32Array::new(bits.into(), array.nulls().cloned())
}

fn of_dictionary(array: &dyn Array, kinds: Kinds) -> Result<UInt32Array, Failure> {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    let nulls = array.logical_nulls();
    if values.is_empty() {
        return Ok(UInt32Array::new(vec![0; array.len()].into(), nulls));
    }
    let found = bits(values, kinds)?;
    let of_row = |key: usize| found.value(key);
    let bits: Vec<u32> = dictionary.normalized_keys().into_iter().map(of_row).collect();
    Ok(UInt32Array::new(bits.into(), nulls.filter(|nulls: &NullBuffer| nulls.null_count() > 0)))
}

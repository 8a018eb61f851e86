//! The bytes of a value of any array.
#![forbid(unsafe_code)]

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

/// The bytes of the value of a row. A key of a dictionary is followed to its value. `None` if the
/// value is null, or neither a string nor binary.
pub(crate) fn bytes_of(array: &dyn Array, row: usize) -> Option<&[u8]> {
    if row >= array.len() || array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => Some(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                return None;
            }
            bytes_of(dictionary.values(), dictionary.normalized_keys()[row])
        }
        _ => None,
    }
}

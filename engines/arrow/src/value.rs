//! `Value`: what strings and binary values have in common.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use simdpct::uri::Part;
use simdpct::{form, uri};

/// A value of an array: `str` or `[u8]`.
pub(crate) trait Value: AsRef<[u8]> + ToOwned {
    /// Whether values are UTF-8.
    const IS_TEXT: bool;

    fn part(&self, part: Part) -> Option<&Self>;

    fn query_value(&self, key: &str) -> Option<Cow<'_, Self>>;

    fn repair(&self) -> Cow<'_, Self>;
}

impl Value for str {
    const IS_TEXT: bool = true;

    fn part(&self, part: Part) -> Option<&str> {
        uri::part(self, part)
    }

    fn query_value(&self, key: &str) -> Option<Cow<'_, str>> {
        form::parse_lossy(uri::split(self).query?).get(key)
    }

    fn repair(&self) -> Cow<'_, str> {
        uri::repair(self)
    }
}

impl Value for [u8] {
    const IS_TEXT: bool = false;

    fn part(&self, part: Part) -> Option<&[u8]> {
        uri::part(self, part)
    }

    fn query_value(&self, key: &str) -> Option<Cow<'_, [u8]>> {
        form::parse_bytes(uri::split(self).query?).get(key)
    }

    fn repair(&self) -> Cow<'_, [u8]> {
        match uri::repair(self) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }
}

/// The bytes of a value; of a dictionary, those that the key refers to. `None` if it is null or the
/// array has other values.
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

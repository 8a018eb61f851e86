//! Arrays of every type from rows, and rows from arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryType, BinaryViewType, ByteArrayType, ByteViewType, Int8Type, Int64Type,
    LargeBinaryType, LargeUtf8Type, StringViewType, UInt32Type, Utf8Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, GenericByteArray, GenericByteViewArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;
use proptest::prelude::*;

pub type Rows = Vec<Option<Vec<u8>>>;

/// Types of values.
pub const FLAT: [DataType; 6] = [
    DataType::Utf8,
    DataType::LargeUtf8,
    DataType::Utf8View,
    DataType::Binary,
    DataType::LargeBinary,
    DataType::BinaryView,
];

pub fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        data_type => matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

/// An array of `rows`. Null rows have the bytes `hidden`.
pub fn flat(data_type: &DataType, rows: &[Option<Vec<u8>>], hidden: &str) -> ArrayRef {
    fn offsets<T: ByteArrayType>(values: Vec<&T::Native>, nulls: NullBuffer) -> ArrayRef {
        let (offsets, values, _) = GenericByteArray::<T>::from_iter_values(values).into_parts();
        Arc::new(GenericByteArray::<T>::new(offsets, values, Some(nulls)))
    }
    fn views<T: ByteViewType>(values: Vec<&T::Native>, nulls: NullBuffer) -> ArrayRef {
        let (views, buffers, _) = GenericByteViewArray::<T>::from_iter_values(values).into_parts();
        Arc::new(GenericByteViewArray::<T>::new(views, buffers, Some(nulls)))
    }
    let bytes: Vec<&[u8]> = rows.iter().map(|row| row.as_deref().unwrap_or(hidden.as_bytes())).collect();
    let text = || bytes.iter().map(|bytes| std::str::from_utf8(bytes).unwrap()).collect();
    let nulls = NullBuffer::from_iter(rows.iter().map(Option::is_some));
    match data_type {
        DataType::Utf8 => offsets::<Utf8Type>(text(), nulls),
        DataType::LargeUtf8 => offsets::<LargeUtf8Type>(text(), nulls),
        DataType::Utf8View => views::<StringViewType>(text(), nulls),
        DataType::Binary => offsets::<BinaryType>(bytes, nulls),
        DataType::LargeBinary => offsets::<LargeBinaryType>(bytes, nulls),
        DataType::BinaryView => views::<BinaryViewType>(bytes, nulls),
        other => panic!("{other} is not a type of values"),
    }
}

/// A slice of [`flat`], with `before` rows before it and one after it.
pub fn sliced(data_type: &DataType, rows: &[Option<Vec<u8>>], before: usize) -> ArrayRef {
    let others = (0..before).map(|number| (number % 3 != 1).then(|| b"before %zz, which is hidden".to_vec()));
    let all: Rows = others.chain(rows.iter().cloned()).chain([Some(b"%C3".to_vec())]).collect();
    flat(data_type, &all, "%hidden in a null row").slice(before, rows.len())
}

/// A dictionary of `rows` with keys of type `K`. Its first and last values are invalid, and no key
/// uses them. With `null_values`, null rows have keys of null values.
pub fn dictionary<K: ArrowDictionaryKeyType>(
    values: &DataType,
    rows: &[Option<Vec<u8>>],
    null_values: bool,
) -> ArrayRef {
    let mut distinct: Rows = vec![Some(b"%unused".to_vec()), None];
    let mut key_of = |row: &Option<Vec<u8>>| {
        if row.is_none() && !null_values {
            return None;
        }
        let key = distinct.iter().skip(1).position(|value| value == row).map(|position| position + 1);
        let key = key.unwrap_or_else(|| {
            distinct.push(row.clone());
            distinct.len() - 1
        });
        Some(K::Native::from_usize(key).unwrap())
    };
    // A key that is not in the slice refers to an invalid value.
    let keys: Vec<_> = [&Some(b"%sliced off".to_vec())].into_iter().chain(rows).map(&mut key_of).collect();
    distinct.push(Some(b"%FF%unused".to_vec()));
    let keys: PrimitiveArray<K> = keys.into_iter().collect();
    let array = DictionaryArray::<K>::new(keys, flat(values, &distinct, "%hidden"));
    Array::slice(&array, 1, rows.len())
}

/// `rows` as arrays of all types. For strings, invalid UTF-8 is replaced.
pub fn arrays(rows: &[Option<Vec<u8>>], before: usize) -> Vec<ArrayRef> {
    let text: Rows =
        rows.iter().map(|row| row.as_ref().map(|row| String::from_utf8_lossy(row).into_owned().into_bytes())).collect();
    let mut arrays = Vec::new();
    for data_type in &FLAT {
        let rows = if is_text(data_type) { &text[..] } else { rows };
        arrays.push(sliced(data_type, rows, before));
        arrays.push(match data_type {
            DataType::Utf8 | DataType::BinaryView => dictionary::<Int8Type>(data_type, rows, false),
            DataType::LargeUtf8 | DataType::Binary => dictionary::<UInt32Type>(data_type, rows, true),
            _ => dictionary::<Int64Type>(data_type, rows, before.is_multiple_of(2)),
        });
    }
    arrays
}

/// The rows of an array.
pub fn rows(array: &dyn Array) -> Rows {
    fn bytes<'a, V: AsRef<[u8]> + ?Sized + 'a>(values: impl Iterator<Item = Option<&'a V>>) -> Rows {
        values.map(|value| value.map(|value| value.as_ref().to_vec())).collect()
    }
    match array.data_type() {
        DataType::Utf8 => bytes(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => bytes(array.as_string::<i64>().iter()),
        DataType::Utf8View => bytes(array.as_string_view().iter()),
        DataType::Binary => bytes(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => bytes(array.as_binary::<i64>().iter()),
        DataType::BinaryView => bytes(array.as_binary_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = rows(dictionary.values());
            let keys = dictionary.normalized_keys();
            (0..array.len()).map(|row| if array.is_null(row) { None } else { values[keys[row]].clone() }).collect()
        }
        other => panic!("{other} has no strings"),
    }
}

/// Each case makes twelve arrays, and converts them in several ways.
pub fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Rows of pieces that matter to a codec, and of URLs. Some rows are null, some are longer than a
/// view.
pub fn any_rows() -> impl Strategy<Value = Rows> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["%20", "%C3%A9", "%41", "%2f", "%25", "%00", "+", "é", "/", "a", "0"]),
        1 => prop::sample::select(vec!["%", "%4", "%zz", "%FF", "%C3", "%E4%BD", "\u{FFFD}", "%2B"]),
        2 => prop::sample::select(vec!["plain text", "http://u:p@host:80/", "?q=1&k=%20", "#f", "k=v", "[::1]", "@", ":", "&", "="]),
    ];
    let text = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat().into_bytes());
    let row = prop_oneof![
        10 => text,
        2 => Just(b"a row without anything to do".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(prop::option::weighted(0.85, row), 0..40)
}

/// Panics unless an array is valid in every respect, UTF-8 included.
pub fn validate(array: &dyn Array) {
    array.to_data().validate_full().unwrap();
}

/// Whether two arrays are the same memory.
pub fn is_same(a: &dyn Array, b: &dyn Array) -> bool {
    a.to_data().ptr_eq(&b.to_data())
}

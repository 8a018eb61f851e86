//! Conversions of arrays of every type, compared with the reference implementation row by row.

mod common;

use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, NullArray, StringArray, StringViewArray};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use common::rows as rows_of;
use common::{any_rows, arrays, is_same, is_text, rows, validate};
use proptest::prelude::*;
use simdpct::legacy::java;
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Malformed, Normalizer, reference, sets};
use simdpct_arrow::{
    InvalidValue, OnError, apply, apply_each, decode, decode_java, decode_lossy, encode, normalize, return_type,
};
use simdpct_functions::Function;

const POLICIES: [OnError; 3] = [OnError::Refuse, OnError::Null, OnError::Keep];

/// The result of the reference implementation for a row. The second argument tells whether the row
/// is text.
type Reference<'a> = &'a dyn Fn(&[u8], bool) -> Result<Vec<u8>, DecodeError>;

/// Compares the conversion of `rows`, as arrays of every type, with the reference.
fn compare(
    input: &[Option<Vec<u8>>],
    before: usize,
    on_error: OnError,
    convert: &dyn Fn(&dyn Array) -> Result<ArrayRef, ArrowError>,
    reference: Reference<'_>,
) {
    for array in arrays(input, before) {
        let is_text = is_text(array.data_type());
        let input = rows(&array);
        let results: Vec<_> = input.iter().map(|row| row.as_ref().map(|row| reference(row, is_text))).collect();
        let output = match convert(&array) {
            Ok(output) => output,
            Err(error) => {
                assert_eq!(on_error, OnError::Refuse, "{error}");
                let invalid = InvalidValue::of(&error).expect("an invalid value");
                assert_eq!(results[invalid.row], Some(Err(invalid.error)), "{:?}", array.data_type());
                let is_first = !results[..invalid.row].iter().flatten().any(Result::is_err);
                assert!(is_first || matches!(array.data_type(), DataType::Dictionary(..)));
                continue;
            }
        };
        validate(&output);
        assert_eq!(output.data_type(), array.data_type());
        let expected: Vec<_> = results
            .iter()
            .zip(&input)
            .map(|(result, row)| match (result, on_error) {
                (Some(Err(error)), OnError::Refuse) => panic!("{:?} did not fail: {error}", array.data_type()),
                (Some(Err(_)), OnError::Keep) => row.clone(),
                (None | Some(Err(_)), _) => None,
                (Some(Ok(bytes)), _) => Some(bytes.clone()),
            })
            .collect();
        assert_eq!(rows(&output), expected, "{:?}", array.data_type());
        // Functions that look at the keys of a dictionary only must see its nulls.
        if expected != input {
            assert_eq!(output.null_count(), expected.iter().filter(|row| row.is_none()).count());
        } else if !matches!(array.data_type(), DataType::Dictionary(..)) {
            assert!(is_same(&output, &array), "{:?}", array.data_type());
        }
    }
}

proptest! {
    #![proptest_config(common::config())]

    #[test]
    fn decoded_array_is_that_of_reference(rows in any_rows(), before in 0..20_usize) {
        let decoders = [
            Decoder::new(),
            Decoder::new().plus_for_space(),
            Decoder::new().lenient(),
            Decoder::new().keep(ByteSet::new(b"/%")).reject(ByteSet::new(b"\0a")),
        ];
        for decoder in &decoders {
            for on_error in POLICIES {
                let reference = |row: &[u8], is_text| {
                    if is_text {
                        reference::decode_utf8(decoder, row).map(String::into_bytes)
                    } else {
                        reference::decode(decoder, row)
                    }
                };
                compare(&rows, before, on_error, &|array| decode(array, decoder, on_error), &reference);
            }
        }
    }

    #[test]
    fn lossily_decoded_array_is_that_of_reference(rows in any_rows(), before in 0..20_usize) {
        for decoder in [Decoder::new(), Decoder::new().plus_for_space().lenient()] {
            for on_error in POLICIES {
                let reference = |row: &[u8], is_text| {
                    if is_text {
                        reference::decode_utf8_replacing(&decoder, row, "\u{FFFD}").map(String::into_bytes)
                    } else {
                        reference::decode(&decoder, row)
                    }
                };
                compare(&rows, before, on_error, &|array| decode_lossy(array, &decoder, on_error), &reference);
            }
        }
    }

    #[test]
    fn array_decoded_as_java_is_that_of_rows(rows in any_rows(), before in 0..20_usize) {
        // Checks that a kept binary value becomes text too.
        for on_error in [OnError::Refuse, OnError::Null] {
            let reference = |row: &[u8], _| java::decode(row).map(|text| text.into_owned().into_bytes());
            compare(&rows, before, on_error, &|array| decode_java(array, on_error), &reference);
        }
    }

    #[test]
    fn encoded_array_is_that_of_reference(rows in any_rows(), before in 0..20_usize) {
        let encoders = [
            Encoder::COMPONENT,
            Encoder::FORM,
            Encoder::URI,
            Encoder::PATH.keep_triplets().keep_non_ascii(),
            Encoder::new(sets::DIGIT).keep_triplets(),
        ];
        for encoder in &encoders {
            let reference = |row: &[u8], _| Ok(reference::encode(encoder, row).into_bytes());
            compare(&rows, before, OnError::Refuse, &|array| encode(array, encoder), &reference);
        }
    }

    #[test]
    fn normalized_array_is_that_of_reference(rows in any_rows(), before in 0..20_usize) {
        for malformed in [Malformed::Refuse, Malformed::Keep, Malformed::Escape] {
            let normalizer = Normalizer::new().malformed(malformed);
            for on_error in POLICIES {
                let reference = |row: &[u8], _| reference::normalize(&normalizer, row);
                compare(&rows, before, on_error, &|array| normalize(array, &normalizer, on_error), &reference);
            }
        }
    }
}

#[test]
fn view_without_escapes_keeps_its_buffer() {
    let array = StringViewArray::from(vec!["a long value without any escape", "and%20another%20long%20value", "%41"]);
    let decoded = decode(&array, &Decoder::new(), OnError::Refuse).unwrap();
    let decoded = decoded.as_string_view();
    assert_eq!(decoded.value(0).as_ptr(), array.value(0).as_ptr());
    assert_eq!(decoded.iter().flatten().collect::<Vec<_>>(), [array.value(0), "and another long value", "A"]);
    assert_eq!(decoded.data_buffers().len(), 2);
}

#[test]
fn large_dictionary_with_few_keys_converts_only_their_values() {
    let values: Vec<String> =
        (0..100).map(|number| if number == 7 { "%20".into() } else { format!("%{number}x") }).collect();
    let array = DictionaryArray::<Int8Type>::new(vec![7, 7].into(), std::sync::Arc::new(StringArray::from(values)));
    let decoded = decode(&array, &Decoder::new(), OnError::Refuse).unwrap();
    assert_eq!(rows(&decoded), [Some(b" ".to_vec()), Some(b" ".to_vec())]);
}

#[test]
fn empty_dictionary_is_returned() {
    let array =
        DictionaryArray::<Int8Type>::new(vec![None, None].into(), std::sync::Arc::new(StringArray::new_null(0)));
    assert!(is_same(&decode(&array, &Decoder::new(), OnError::Refuse).unwrap(), &array));
}

#[test]
fn null_of_dictionary_is_in_its_keys() {
    let array: DictionaryArray<Int8Type> = ["%20", "%", "b", "%"].into_iter().collect();
    let decoded = decode(&array, &Decoder::new(), OnError::Null).unwrap();
    assert_eq!(decoded.nulls().unwrap().iter().collect::<Vec<_>>(), [true, false, true, false]);
}

#[test]
fn other_type_is_an_error() {
    let error = decode(&Int32Array::from(vec![1]), &Decoder::new(), OnError::Refuse).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid argument error: expected strings, binary values or a dictionary of them, not Int32"
    );
}

#[test]
fn long_value_is_cut_in_message() {
    let value = format!("{}'\n{}%", "é".repeat(60), "x".repeat(1000));
    let error = decode(&StringArray::from(vec![value]), &Decoder::new(), OnError::Refuse).unwrap_err();
    let invalid = InvalidValue::of(&error).unwrap();
    assert_eq!(invalid.value(), format!("{}\\'\\nxx…", "é".repeat(60)));
    assert_eq!((invalid.error.kind, invalid.error.position), (DecodeErrorKind::Malformed, 1122));
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn value_of_64_characters_is_quoted_whole() {
    let value = format!("{}%", "é".repeat(63));
    let error = decode(&StringArray::from(vec![value.clone()]), &Decoder::new(), OnError::Refuse).unwrap_err();
    assert_eq!(InvalidValue::of(&error).unwrap().value(), value);
}

#[test]
fn output_beyond_32_bits_is_an_error() {
    let zeros = vec![0_u8; i32::MAX as usize / 3 + 1];
    let array = BinaryArray::from_vec(vec![&zeros[..]]);
    let error = encode(&array, &Encoder::COMPONENT).unwrap_err();
    assert!(matches!(error, ArrowError::OffsetOverflowError(_)), "{error}");
}

/// In the C data interface, an empty array has no values, whatever its offset.
#[test]
fn empty_array_with_offset_beyond_its_values_is_empty() {
    let data =
        ArrayData::builder(DataType::Utf8).add_buffer(Buffer::from_vec(vec![5_i32])).add_buffer(Buffer::default());
    // SAFETY: no value is read from an array without rows.
    let array = StringArray::from(unsafe { data.build_unchecked() });
    assert_eq!(array.value_offsets(), [5]);
    let decoded = decode(&array, &Decoder::new(), OnError::Refuse).unwrap();
    assert_eq!((decoded.len(), decoded.data_type()), (0, &DataType::Utf8));
    assert_eq!(simdpct_arrow::repair(&array).unwrap().len(), 0);
    assert_eq!(simdpct_arrow::findings(&array).unwrap().len(), 0);
}

#[test]
fn array_of_type_null_stays_null() {
    for &function in Function::OWN {
        let option =
            ["nul", "host", "path", "query"].into_iter().find(|option| function.operation(Some(option)).is_ok());
        let operation = function.operation(option).unwrap();
        for length in [0, 3] {
            let result = apply(&NullArray::new(length), &operation).unwrap();
            assert_eq!(*result.data_type(), return_type(&operation, &DataType::Null).unwrap(), "{function:?}");
            assert_eq!((result.len(), result.logical_null_count()), (length, length), "{function:?}");
        }
    }
}

/// Options that differ per row: each result equals the result of the row alone with its option.
#[test]
fn option_of_row_is_applied_to_it() {
    let options = [Some("host"), Some("path"), None, Some("path"), Some("query"), Some("host"), Some("scheme")];
    let urls = ["http://e.org/a/long/path/beyond/twelve?q", "/b", "", "//h/%41?x=1"];
    let operation = |option: &str| Function::UrlPart.operation(Some(option));
    for rows in 0..9 {
        let text: Vec<_> = (0..rows).map(|row| (row % 5 != 4).then(|| urls[row % 4].as_bytes().to_vec())).collect();
        for shift in 0..options.len() {
            let options: StringArray = (0..rows).map(|row| options[(row + shift) % options.len()]).collect();
            for array in arrays(&text, 0) {
                let result = apply_each(&array, &options, operation, &operation("path").unwrap()).unwrap();
                validate(&result);
                let expected: Vec<_> = (0..rows)
                    .map(|row| {
                        let option = options.is_valid(row).then(|| options.value(row))?;
                        rows_of(&apply(&array.slice(row, 1), &operation(option).unwrap()).unwrap()).swap_remove(0)
                    })
                    .collect();
                assert_eq!(rows_of(&result), expected, "{:?}", array.data_type());
            }
        }
    }
}

#[test]
fn invalid_row_and_option_are_named() {
    let texts = StringArray::from(vec!["a", "b", "50%", "c"]);
    let options = StringArray::from(vec!["x", "y", "x", "y"]);
    let decode = |_: &str| Function::PctDecode.operation(None);
    let error = apply_each(&texts, &options, decode, &decode("").unwrap()).unwrap_err();
    assert_eq!(InvalidValue::of(&error).unwrap().row, 2);
    let part = |option: &str| Function::UrlPart.operation(Some(option));
    let error = apply_each(&texts, &options, part, &part("path").unwrap()).unwrap_err();
    assert!(error.to_string().contains("'x': unknown part"), "{error}");
}

/// A dictionary is not converted once for each option.
#[test]
fn options_of_rows_take_linear_time() {
    let time = |count: usize| {
        let urls: Vec<_> = (0..count).map(|row| format!("/?k{row}=v{row}")).collect();
        let keys: StringArray = (0..count).map(|row| Some(format!("k{row}"))).collect();
        let values = Arc::new(StringArray::from_iter_values(&urls));
        let key = Int32Array::from_iter_values(0..count as i32);
        let dictionary = DictionaryArray::<Int32Type>::new(key, values);
        let operation = |key: &str| Function::UrlQueryValue.operation(Some(key));
        let start = Instant::now();
        let results = apply_each(&dictionary, &keys, operation, &operation("").unwrap()).unwrap();
        let expected: StringArray = (0..count).map(|row| Some(format!("v{row}"))).collect();
        assert_eq!(results.as_string::<i32>(), &expected);
        start.elapsed()
    };
    let least = |count| (0..3).map(|_| time(count)).min().unwrap();
    let (small, large) = (least(2_000), least(64_000));
    // With 32 times as many rows, quadratic time would be 1024 times as long.
    assert!(large < small * 250, "{small:?} {large:?}");
}

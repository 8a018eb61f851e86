//! Functions of URLs and findings on arrays of every type, compared with simple ones row by row.

mod common;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_schema::DataType;
use common::{any_rows, arrays, is_same, is_text, rows, validate};
use proptest::prelude::*;
use simdpct::{Kinds, form, reference, uri};
use simdpct_arrow::{
    Part, apply, finding_names, findings, has, part, parts, query_keys, query_map, query_value, repair, return_type,
};
use simdpct_functions::{Function, Operation};

/// A function of one row. The second argument tells whether the row is text.
type OfRow<'a> = &'a dyn Fn(&[u8], bool) -> Option<Vec<u8>>;

/// Compares the map of `rows`, as arrays of every type, with a function of one row.
fn compare(input: &[Option<Vec<u8>>], before: usize, map: &dyn Fn(&dyn Array) -> ArrayRef, expected: OfRow<'_>) {
    for array in arrays(input, before) {
        let is_text = is_text(array.data_type());
        let output = map(&array);
        validate(&output);
        assert_eq!(output.data_type(), array.data_type());
        let input = rows(&array);
        let expected: Vec<_> = input.iter().map(|row| expected(row.as_ref()?, is_text)).collect();
        assert_eq!(rows(&output), expected, "{:?}", array.data_type());
        if expected == input && !matches!(array.data_type(), DataType::Dictionary(..)) {
            assert!(is_same(&output, &array));
        }
    }
}

proptest! {
    #![proptest_config(common::config())]

    #[test]
    fn part_is_that_of_reference(rows in any_rows(), before in 0..20_usize) {
        for &name in Part::ALL {
            let expected = |row: &[u8], _| reference::uri_part(row, name).map(<[u8]>::to_vec);
            compare(&rows, before, &|array| part(array, name).unwrap(), &expected);
        }
    }

    #[test]
    fn query_value_is_that_of_first_pair(rows in any_rows(), before in 0..20_usize) {
        for key in ["q", "k", "", "é"] {
            let expected = |row: &[u8], is_text| {
                let query = uri::split(row).query?;
                if is_text {
                    form::parse_lossy(query).find(|(name, _)| name == key).map(|(_, value)| value.into_owned().into_bytes())
                } else {
                    form::parse_bytes(query).find(|(name, _)| **name == *key.as_bytes()).map(|(_, value)| value.into_owned())
                }
            };
            compare(&rows, before, &|array| query_value(array, key).unwrap(), &expected);
        }
    }

    #[test]
    fn mapped_array_is_that_of_its_rows(rows in any_rows(), before in 0..20_usize) {
        for (function, option) in [
            ("url_normalize", Some("sort-query,drop-query:k*,drop-fragment")),
            ("url_domain", None),
            ("url_join", Some("../a?b")),
            ("url_cut", Some("key:k,fragment")),
            ("url_path_canonical", Some("rfc3986")),
            ("url_part", Some("file")),
            ("url_part", Some("segment:-1")),
            ("url_part", Some("extension")),
        ] {
            let operation = Function::from_name(function).unwrap().operation(option).unwrap();
            let Operation::Map(mapping) = &operation else { unreachable!("{function}") };
            let expected = |row: &[u8], is_text| match is_text {
                true => mapping.of(str::from_utf8(row).unwrap()).map(|text| text.into_owned().into_bytes()),
                false => mapping.of(row).map(|bytes| bytes.into_owned()),
            };
            compare(&rows, before, &|array| apply(array, &operation).unwrap(), &expected);
        }
    }

    #[test]
    fn pairs_and_parts_are_those_of_rows(input in any_rows(), before in 0..20_usize) {
        for array in arrays(&input, before) {
            let is_text = is_text(array.data_type());
            let (keys, maps, structures) = (query_keys(&array).unwrap(), query_map(&array).unwrap(), parts(&array).unwrap());
            let results: [&dyn Array; 3] = [&keys, &maps, &structures];
            for (result, function) in results.iter().zip([Function::UrlQueryKeys, Function::UrlQueryMap, Function::UrlParts]) {
                validate(*result);
                let operation = function.operation(None).unwrap();
                prop_assert_eq!(result.data_type(), &return_type(&operation, array.data_type()).unwrap());
                prop_assert_eq!(result.len(), array.len());
            }
            for (row, url) in rows(&array).into_iter().enumerate() {
                let Some(url) = url else {
                    prop_assert!(results.iter().all(|result| result.is_null(row)));
                    continue;
                };
                prop_assert!(results.iter().all(|result| result.is_valid(row)));
                let query = uri::split(&url[..]).query.unwrap_or_default();
                let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
                for (name, value) in form::parse_bytes(query) {
                    let lossy = |bytes: &[u8]| match is_text {
                        true => String::from_utf8_lossy(bytes).into_owned().into_bytes(),
                        false => bytes.to_vec(),
                    };
                    if !pairs.iter().any(|(other, _)| *other == lossy(&name)) {
                        pairs.push((lossy(&name), lossy(&value)));
                    }
                }
                let of_pairs = |column: &dyn Array| common::rows(column).into_iter().flatten().collect::<Vec<_>>();
                let names: Vec<_> = pairs.iter().map(|(name, _)| name.clone()).collect();
                let values: Vec<_> = pairs.into_iter().map(|(_, value)| value).collect();
                prop_assert_eq!(of_pairs(&keys.value(row)), names.clone());
                let entries = maps.value(row);
                prop_assert_eq!((of_pairs(entries.column(0)), of_pairs(entries.column(1))), (names, values));
                for (&part, column) in Part::ALL.iter().zip(structures.columns()) {
                    let expected = reference::uri_part(&url, part).map(<[u8]>::to_vec);
                    prop_assert_eq!(&common::rows(column)[row], &expected, "{}", part);
                }
            }
        }
    }

    #[test]
    fn repaired_array_is_that_of_reference(rows in any_rows(), before in 0..20_usize) {
        let expected = |row: &[u8], _| Some(reference::repair(row).into_bytes());
        compare(&rows, before, &|array| repair(array).unwrap(), &expected);
    }

    #[test]
    fn findings_are_those_of_reference(input in any_rows(), before in 0..20_usize) {
        for array in arrays(&input, before) {
            let kinds = |row: &Vec<u8>| reference::findings(row).into_iter().map(|(_, kinds)| kinds).collect::<Kinds>();
            let every: Vec<Option<Kinds>> = rows(&array).iter().map(|row| row.as_ref().map(kinds)).collect();
            let expected: Vec<_> = every.iter().map(|kinds| kinds.map(|kinds| kinds.without(Kinds::ON_REQUEST))).collect();
            let found = findings(&array).unwrap();
            validate(&found);
            let bits: Vec<Option<u32>> = expected.iter().map(|kinds| kinds.map(Kinds::bits)).collect();
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), bits, "{:?}", array.data_type());

            for wanted in [Kinds::NUL | Kinds::MALFORMED, Kinds::ON_REQUEST, Kinds::DOT_SEGMENT | Kinds::SLASH] {
                let is_wanted: Vec<_> = every.iter().map(|kinds| kinds.map(|kinds| kinds.intersects(wanted))).collect();
                prop_assert_eq!(has(&array, wanted).unwrap().iter().collect::<Vec<_>>(), is_wanted);
            }

            let names = finding_names(&found);
            validate(&names);
            let names: Vec<Option<Vec<String>>> = names
                .iter()
                .map(|names| names.map(|names| names.as_string::<i32>().iter().flatten().map(str::to_owned).collect()))
                .collect();
            let expected: Vec<_> = expected.iter().map(|kinds| kinds.map(|kinds| kinds.names().map(str::to_owned).collect())).collect();
            prop_assert_eq!(names, expected);
        }
    }
}

#[test]
fn part_of_view_shares_its_buffer() {
    let array = StringViewArray::from(vec!["http://example.com/a/path/of/some/length?q", "http://h"]);
    let paths = part(&array, Part::Path).unwrap();
    let paths = paths.as_string_view();
    assert_eq!(paths.iter().collect::<Vec<_>>(), [Some("/a/path/of/some/length"), Some("")]);
    assert_eq!(paths.value(0).as_ptr(), array.value(0)[18..].as_ptr());
}

#[test]
fn long_query_value_of_view_is_in_new_buffer() {
    let array =
        StringViewArray::from(vec!["/?k=a%20value%20to%20decode%20of%20some%20length", "/?k=one that is as it is"]);
    let values = query_value(&array, "k").unwrap();
    let values = values.as_string_view();
    assert_eq!(
        values.iter().flatten().collect::<Vec<_>>(),
        ["a value to decode of some length", "one that is as it is"]
    );
    assert_eq!(values.value(1).as_ptr(), array.value(1)[4..].as_ptr());
}

//! `pct form`: converts form data (WHATWG URL 5), also that of URLs, to and from JSON or TSV.
#![forbid(unsafe_code)]

mod from_form;
mod json;
mod plain;
mod range;
mod to_form;
mod tsv;

use std::borrow::Cow;

use clap::ValueEnum;

pub(crate) use from_form::FromForm;
pub(crate) use to_form::ToForm;

/// Format of the decoded pairs of a form. The comments of the variants are help texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Shape {
    /// {"q":"fish & chips","tag":["a","b"]}: an object, with an array for a repeated name
    Json,
    /// [["q","fish & chips"],["tag","a"],["tag","b"]]: all pairs in order
    Pairs,
    /// A cell q=fish & chips for each pair; with --names, only the values of these names
    Tsv,
}

/// A decoded name and its value.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// From about this number of names on, hashing them is faster than comparing them.
const MAX_COMPARED_NAMES: usize = 16;

/// Appends items with a separator between them.
fn write_separated<T>(items: &[T], separator: u8, output: &mut Vec<u8>, write: impl Fn(&T, &mut Vec<u8>)) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            output.push(separator);
        }
        write(item, output);
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;
    use simdpct::form;

    use super::{FromForm, Shape, ToForm};
    use crate::operation::{Operation, Reading};

    fn through(operation: &dyn Operation, text: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        assert_eq!(operation.apply(text, &mut output), None);
        output
    }

    fn from_form(shape: Shape) -> FromForm {
        FromForm { shape, reading: Reading::Reference, names: Vec::new(), decoding: None }
    }

    fn encoded(pairs: &[(String, String)]) -> String {
        form::serialize(pairs)
    }

    proptest! {
        /// Round trip through each lossless shape.
        #[test]
        fn forms_round_trip(pairs: Vec<(String, String)>) {
            let expected = encoded(&pairs);
            for shape in [Shape::Pairs, Shape::Tsv] {
                let text = through(&from_form(shape), expected.as_bytes());
                prop_assert!(!text.iter().any(|byte| b"\0\n\r".contains(byte)));
                let again = through(&ToForm { shape, names: Vec::new() }, &text);
                prop_assert_eq!(String::from_utf8(again).unwrap(), &expected[..]);
            }
        }

        /// An object may change the order of pairs, but only once.
        #[test]
        fn objects_keep_all_pairs(mut pairs in proptest::collection::vec(("[ab=]{1,2}", any::<String>()), 0..6)) {
            let to_object = from_form(Shape::Json);
            let from_object = ToForm { shape: Shape::Json, names: Vec::new() };
            let object = through(&to_object, encoded(&pairs).as_bytes());
            let again = through(&from_object, &object);
            prop_assert_eq!(through(&to_object, &again), object);
            let owned = |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into_owned(), value.into_owned());
            let mut found: Vec<_> = form::parse_lossy(&again).map(owned).collect();
            found.sort();
            pairs.sort();
            prop_assert_eq!(found, pairs);
        }
    }
}

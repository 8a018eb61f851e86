//! Comparison of every form of normalization with the reference implementation.

use std::borrow::Cow;

use simdpct::{Level, Malformed, Normalizer, reference};

use super::Surrounded;

/// Compares every form, on every level, with the reference implementation.
pub fn compare_normalizing(normalizer: &Normalizer, input: &str) {
    let expected = reference::normalize(normalizer, input);
    for level in Level::available() {
        let normalizer = normalizer.level(level);
        let context = || format!("{input:?} by {normalizer:?}");

        let result = normalizer.normalize(input);
        assert_eq!(result.as_deref(), expected.as_deref(), "{}", context());
        let is_borrowed = matches!(result, Ok(Cow::Borrowed(_)));
        assert_eq!(is_borrowed, expected.as_deref() == Ok(input), "borrowed: {}", context());
        let is_well_formed = reference::normalize(&normalizer.malformed(Malformed::Error), input).is_ok();
        let is_normal =
            is_borrowed && (is_well_formed || result == normalizer.malformed(Malformed::Keep).normalize(input));
        assert_eq!(normalizer.is_normal(input), is_normal, "{}", context());

        let mut output = String::from("before %");
        assert_eq!(normalizer.normalize_to(input, &mut output), expected.as_ref().map(|_| ()).map_err(|&error| error));
        assert_eq!(output.strip_prefix("before %"), Some(expected.as_deref().unwrap_or_default()), "{}", context());

        let mut buffer = Surrounded::new(input.as_bytes());
        let untouched = Surrounded::new(input.as_bytes());
        let result = normalizer.normalize_in_place(buffer.input_mut()).map(|text| text.to_vec());
        let escapes = result.as_ref().is_err_and(|_| expected.is_ok());
        if escapes {
            // In place, there may be no room for `%25`.
            let error = reference::normalize(&normalizer.malformed(Malformed::Error), input).unwrap_err();
            assert_eq!(result, Err(error), "{}", context());
        } else {
            assert_eq!(result, expected.clone().map(String::into_bytes), "in place: {}", context());
        }
        assert!(buffer.margins_equal(&untouched), "{}", context());
    }
}

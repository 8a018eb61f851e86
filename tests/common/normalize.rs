//! Comparison of every form of normalization with the reference implementation.

use std::borrow::Cow;

use simdpct::{Malformed, Normalizer, reference};

use super::{Canaries, Failure, Surrounded};

/// Compares every form, on every level, with the reference implementation.
pub fn compare_normalizing(normalizer: &Normalizer, input: &str) {
    let expected = reference::normalize(normalizer, input.as_bytes()).map(|text| String::from_utf8(text).unwrap());
    for level in super::levels() {
        let normalizer = normalizer.level(level);
        let context = || format!("{input:?} by {normalizer:?}");

        let result = normalizer.normalize(input);
        assert_eq!(result.as_deref(), expected.as_deref(), "{}", context());
        let is_borrowed = matches!(result, Ok(Cow::Borrowed(_)));
        assert_eq!(is_borrowed, expected.as_deref() == Ok(input), "borrowed: {}", context());
        let is_well_formed = reference::normalize(&normalizer.malformed(Malformed::Refuse), input.as_bytes()).is_ok();
        let is_normal =
            is_borrowed && (is_well_formed || result == normalizer.malformed(Malformed::Keep).normalize(input));
        assert_eq!(normalizer.is_normal(input), is_normal, "{}", context());

        let mut output = String::from("before %");
        assert_eq!(normalizer.normalize_to(input, &mut output), expected.as_ref().map(|_| ()).map_err(|&error| error));
        assert_eq!(output.strip_prefix("before %"), Some(expected.as_deref().unwrap_or_default()), "{}", context());
    }
    compare_normalizing_bytes(normalizer, input.as_bytes());
}

/// Compares the forms that take any bytes, on every level, with the reference implementation.
pub fn compare_normalizing_bytes(normalizer: &Normalizer, input: &[u8]) {
    let expected = reference::normalize(normalizer, input);
    let surrounded = Surrounded::new(input);
    for level in super::levels() {
        let normalizer = normalizer.level(level);
        let context = || format!("\"{}\" by {normalizer:?}", input.escape_ascii());

        let needed = expected.as_ref().map_or_else(|error| error.position, Vec::len);
        for capacity in super::capacities(needed, input.len()) {
            let expected = match &expected {
                Err(error) => Err(Failure::Decode(*error)),
                Ok(normal) if normal.len() > capacity => Err(Failure::Needs(normal.len())),
                Ok(normal) => Ok(normal.as_slice()),
            };
            let mut output = Canaries::around(capacity);
            let written = normalizer.normalize_into(surrounded.input(), output.buffer()).map_err(Failure::from);
            assert_eq!(written, expected.map(<[u8]>::len), "capacity {capacity}: {}", context());
            assert!(output.hold(expected.unwrap_or_default()), "capacity {capacity}: {}", context());
        }

        let mut buffer = Surrounded::new(input);
        let result = normalizer.normalize_in_place(buffer.input_mut()).map(|text| text.to_vec());
        let escapes = result.as_ref().is_err_and(|_| expected.is_ok());
        if escapes {
            // In place, there may be no room for `%25`.
            let error = reference::normalize(&normalizer.malformed(Malformed::Refuse), input).unwrap_err();
            assert_eq!(result, Err(error), "{}", context());
        } else {
            assert_eq!(result, expected, "in place: {}", context());
        }
        assert!(buffer.margins_equal(&surrounded), "{}", context());
    }
}

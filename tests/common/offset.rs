//! Comparison of input offsets with the reference implementation.

use simdpct::offset::OffsetMap;
use simdpct::{Decoder, Level, reference};

/// Compares every offset, including those past the end, on every level and with the map.
pub fn compare_offsets(decoder: &Decoder, input: &[u8]) {
    let last = input.len() + 2;
    for level in Level::available() {
        let decoder = decoder.level(level);
        let map = OffsetMap::new(&decoder, input);
        assert_eq!(map.as_ref().err(), decoder.check(input).as_ref().err());
        for decoded in (0..=last).chain([usize::MAX - 1, usize::MAX]) {
            let expected = reference::input_offset(&decoder, input, decoded);
            let case = || format!("{decoded} of \"{}\" by {decoder:?}", input.escape_ascii());
            assert_eq!(decoder.input_offset(input, decoded), expected, "{}", case());
            let expected_decoded = reference::decoded_offset(&decoder, input, decoded);
            assert_eq!(decoder.decoded_offset(input, decoded), expected_decoded, "{}", case());
            if let Ok(map) = &map {
                assert_eq!(map.input_offset(decoded), expected.ok(), "{}", case());
            }
        }
        if let Ok(map) = &map {
            assert_eq!(Ok(map.decoded_len()), decoder.decoded_len(input));
        }
    }
}

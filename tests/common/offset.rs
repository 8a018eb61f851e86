//! Comparison of input offsets with the reference implementation.

use simdpct::offset::OffsetMap;
use simdpct::{Decoder, reference};

/// Compares every offset, including those past the end, on every level and with the map.
pub fn compare_offsets(decoder: &Decoder, input: &[u8]) {
    let offsets = || (0..input.len() + 3).chain([usize::MAX - 1, usize::MAX]);
    // Once for all levels: the reference implementation starts over for each offset.
    let expected: Vec<_> = offsets()
        .map(|at| (reference::input_offset(decoder, input, at), reference::decoded_offset(decoder, input, at)))
        .collect();
    for level in super::levels() {
        let decoder = decoder.level(level);
        let map = OffsetMap::new(&decoder, input);
        assert_eq!(map.as_ref().err(), decoder.check(input).as_ref().err());
        for (at, &(expected_input, expected_decoded)) in offsets().zip(&expected) {
            let case = || format!("{at} of \"{}\" by {decoder:?}", input.escape_ascii());
            assert_eq!(decoder.input_offset(input, at), expected_input, "{}", case());
            assert_eq!(decoder.decoded_offset(input, at), expected_decoded, "{}", case());
            if let Ok(map) = &map {
                assert_eq!(map.input_offset(at), expected_input.ok(), "{}", case());
            }
        }
        if let Ok(map) = &map {
            assert_eq!(Ok(map.decoded_len()), decoder.decoded_len(input));
        }
    }
}

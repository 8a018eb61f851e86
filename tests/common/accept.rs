//! Comparison of decoding with accepted characters with the reference implementation.

use std::ops::RangeInclusive;

use simdpct::accept::Ranges;
use simdpct::{Decoder, reference};

/// Compares both forms, on every level, with the reference implementation.
pub fn compare_accepting(decoder: &Decoder, ranges: &[RangeInclusive<char>], input: &[u8]) {
    let accepted = Ranges::new(ranges);
    let accept = |character| ranges.iter().any(|range| range.contains(&character));
    let expected = reference::decode_utf8_accepting(decoder, input, accept);
    for level in super::levels() {
        let decoder = decoder.level(level);
        for result in [decoder.decode_utf8_accepting(input, &accepted), decoder.decode_utf8_accepting_if(input, accept)]
        {
            assert_eq!(result.as_deref(), expected.as_deref(), "{} by {decoder:?}", input.escape_ascii());
        }
    }
}

//! Differential test: every level, output form and option against the reference implementation, on
//! random inputs that are hard for SIMD code.

use crate::common::strategies::{any_decoder, any_encoder, byte_set, input};
use crate::common::{compare_decoding, compare_encoding, compare_searching, decoders, encoders, is_quick};
use proptest::prelude::*;
use simdpct::ByteSet;

proptest! {
    #[test]
    fn decoding_by_grid_matches_reference(input in input()) {
        for decoder in decoders() {
            compare_decoding(&decoder, &input);
        }
    }

    #[test]
    fn encoding_by_grid_matches_reference(input in input()) {
        for encoder in encoders() {
            compare_encoding(&encoder, &input);
        }
    }

    #[test]
    fn decoding_by_random_sets_matches_reference(decoders in prop::collection::vec(any_decoder(), 8), input in input()) {
        for decoder in decoders {
            compare_decoding(&decoder, &input);
        }
    }

    #[test]
    fn encoding_by_random_sets_matches_reference(encoders in prop::collection::vec(any_encoder(), 8), input in input()) {
        for encoder in encoders {
            compare_encoding(&encoder, &input);
        }
    }

    #[test]
    fn find_and_count_match_reference(sets in prop::collection::vec(byte_set(), 16), haystack in input()) {
        for set in sets {
            compare_searching(&set, &haystack);
            // Sets with one late member, because members of most random sets occur within a few
            // bytes.
            for member in haystack.iter().rev().take(4) {
                compare_searching(&ByteSet::new(&[*member]), &haystack);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// At least 520 bytes, to reach `decode_runs`.
    #[test]
    fn decoding_long_input_by_grid_matches_reference(inputs in prop::collection::vec(input(), 4..8)) {
        let input = inputs.concat();
        let input = input.repeat(520_usize.div_ceil(input.len().max(1)));
        for decoder in decoders() {
            compare_decoding(&decoder, &input);
        }
    }

    /// At least 1100 bytes, longer than any output that is encoded to the stack first.
    #[test]
    fn encoding_long_input_by_grid_matches_reference(input in input().prop_filter("not empty", |input| !input.is_empty())) {
        let input = input.repeat(1100_usize.div_ceil(input.len()));
        // A quick run takes every eighth encoder, others for each length.
        let (first, step) = if is_quick() { (input.len() % 8, 8) } else { (0, 1) };
        for encoder in encoders().into_iter().skip(first).step_by(step) {
            compare_encoding(&encoder, &input);
        }
    }
}

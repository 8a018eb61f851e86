//! Maps an offset in the output back to the input.
#![forbid(unsafe_code)]

use crate::hex::{first_triplet, incomplete_triplet};
use crate::rules::DecodeRules;

/// Offset in the input of the byte or triplet that produces the byte at `decoded` of the output.
/// Linear; for error positions.
pub(crate) fn input_offset(input: &[u8], rules: &DecodeRules, decoded: usize) -> usize {
    let mut at = 0;
    for _ in 0..decoded {
        let stays = |byte: u8| {
            rules.keep.is_some_and(|keep| keep.contains(byte))
                || byte.is_ascii_hexdigit() && open_triplet(&input[..at], rules) > 0
        };
        at += if first_triplet(&input[at..]).is_some_and(|byte| !stays(byte)) { 3 } else { 1 };
    }
    at
}

/// Length of the suffix of `before` that affects whether the following triplet is decoded. If no
/// triplets may be created, this is a malformed `%` that a digit could complete, with its first
/// digit if present.
pub(crate) fn open_triplet(before: &[u8], rules: &DecodeRules) -> usize {
    if rules.creates_no_triplets() { incomplete_triplet(before) } else { 0 }
}

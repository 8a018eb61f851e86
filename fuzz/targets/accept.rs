//! Decoding to text of accepted characters only.
#![no_main]

use std::ops::RangeInclusive;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct_fuzz::common::accept::compare_accepting;
use simdpct_fuzz::{Decoding, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    decoding: Decoding,
    ranges: [Option<(char, char)>; 3],
    repeat: u8,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let ranges: Vec<RangeInclusive<char>> = case.ranges.iter().flatten().map(|&(first, last)| first..=last).collect();
    let input = exact(&case.input.repeat(usize::from(case.repeat % 8) + 1));
    compare_accepting(&case.decoding.decoder(), &ranges, &input);
});

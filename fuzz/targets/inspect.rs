//! Inspection: every kind is found and counted, with its position.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct_fuzz::common::inspect::compare_inspecting;
use simdpct_fuzz::exact;

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    repeat: u8,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let input = exact(case.input);
    compare_inspecting(&input);
    // Longer than a chunk, with the special bytes at varying distances from a chunk's end. Rarely,
    // because it is slow.
    if case.repeat % 32 == 1 && !input.is_empty() && input.len() < 100 {
        compare_inspecting(&input.repeat(9000 / input.len()));
    }
});

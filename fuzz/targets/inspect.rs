//! Inspection: all that a string holds is found and counted, where it stands.
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
    // Longer than the chunks in which it is done; what is special stands at their ends by turns. Rarely, since it takes long.
    if case.repeat % 32 == 1 && !input.is_empty() && input.len() < 100 {
        compare_inspecting(&input.repeat(4500 / input.len()));
    }
});

//! Request targets, and the texts of guards and policies.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::Kinds;
use simdpct::path::{PathPolicy, RequestGuard, RequestMethod};
use simdpct_fuzz::common::target::{compare_guard, compare_split};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    /// A preset, or none, by its remainder.
    policy: u8,
    method: u8,
    path_kinds: u32,
    query_kinds: u32,
    target: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let methods = [RequestMethod::Other, RequestMethod::Options, RequestMethod::Connect];
    let method = methods[usize::from(case.method) % methods.len()];
    let policy = PathPolicy::PRESETS.get(usize::from(case.policy) % (PathPolicy::PRESETS.len() + 1));
    let kinds = |bits: u32| Kinds::from_bits(bits & Kinds::EVERY.bits()).unwrap_or_default();
    compare_split(method, case.target);
    compare_guard(policy.map(|&(_, policy)| policy), kinds(case.path_kinds), kinds(case.query_kinds), method, case.target);

    // A text that can be read can be written, and read again.
    let Ok(text) = str::from_utf8(case.target) else { return };
    match text.parse::<RequestGuard>() {
        Ok(guard) => assert_eq!(guard.to_string().parse(), Ok(guard), "{text:?}"),
        Err(error) => assert!(text.is_char_boundary(error.position()) && !error.to_string().is_empty()),
    }
});

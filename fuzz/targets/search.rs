//! Finding and counting the members of a set.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::{Level, reference};
use simdpct_fuzz::{Set, common::compare_searching, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    set: Set,
    haystack: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let Set(set) = case.set;
    compare_searching(&set, case.haystack);

    let haystack = exact(case.haystack);
    let expected = (reference::find(&set, &haystack), reference::count(&set, &haystack));
    for level in Level::available() {
        assert_eq!((set.find_on(level, &haystack), set.count_on(level, &haystack)), expected, "{level}");
    }
});

//! Canonical paths by any policy.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::path::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathPolicy,
};
use simdpct::{Kinds, Level, Malformed};
use simdpct_fuzz::Set;
use simdpct_fuzz::common::path::compare;

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    refuse: u32,
    /// One option each, by its remainder.
    options: [u8; 8],
    decode: Option<Set>,
    path: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let [malformed, slash, backslash, dots, empty, parameters, illegal, hidden] = case.options.map(usize::from);
    let mut policy = PathPolicy::new()
        .refuse(
            Kinds::ALL
                .iter()
                .enumerate()
                .filter(|(bit, _)| case.refuse >> bit & 1 != 0)
                .map(|(_, &(kind, _))| kind)
                .collect(),
        )
        .malformed([Malformed::Refuse, Malformed::Keep, Malformed::Escape][malformed % 3])
        .slash([EncodedSlash::Keep, EncodedSlash::Decode, EncodedSlash::Refuse][slash % 3])
        .backslash([Backslash::Keep, Backslash::ToSlash, Backslash::Refuse][backslash % 3])
        .dot_segments([DotSegments::Keep, DotSegments::Remove, DotSegments::Clamp, DotSegments::Refuse][dots % 4])
        .empty_segments([EmptySegments::Keep, EmptySegments::Merge, EmptySegments::Refuse][empty % 3])
        .parameters(
            [Parameters::Keep, Parameters::StripFromDots, Parameters::Strip, Parameters::Refuse][parameters % 4],
        )
        .illegal([IllegalBytes::Keep, IllegalBytes::Escape, IllegalBytes::Refuse, IllegalBytes::Nginx][illegal % 4])
        .hidden_segments([HiddenSegments::Keep, HiddenSegments::Refuse][hidden % 2]);
    if let Some(Set(set)) = case.decode {
        policy = policy.decode(set);
    }
    Level::available().for_each(|level| compare(&policy.level(level), case.path));
});

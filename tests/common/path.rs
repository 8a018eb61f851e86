//! Compares every form of making a path canonical with the reference implementation, and lists
//! every combination of options.

use std::borrow::Cow;

use simdpct::path::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathErrorKind,
    PathPolicy,
};
use simdpct::{Kinds, Malformed, reference};

/// The path up to a raw `#`, if the policy cuts it there.
fn cut<'a>(policy: &PathPolicy, path: &'a [u8]) -> &'a [u8] {
    let cuts = reference::canonical_path(policy, b"/#").is_ok_and(|path| path == b"/");
    let end = path.iter().position(|&byte| cuts && byte == b'#');
    &path[..end.unwrap_or(path.len())]
}

/// Compares results in place, in a slice and as text, and the test without output. Checks the
/// properties of the result.
#[track_caller]
pub fn compare(policy: &PathPolicy, path: &[u8]) {
    let expected = reference::canonical_path(policy, path);
    let is_unchanged = expected.as_deref() == Ok(path);
    let context = || format!("\"{}\" by {policy:?}", path.escape_ascii());

    let mut output = vec![0xC5; policy.output_len_bound(path)];
    let into = policy.canonicalize_into(path, &mut output).map(|length| output[..length].to_vec());
    assert_eq!(into, expected, "into a slice: {}", context());

    let mut buffer = path.to_vec();
    match policy.canonicalize_in_place(&mut buffer).map(|path| path.to_vec()) {
        Err(error) if matches!(error.kind, PathErrorKind::OutputTooSmall { .. }) => {
            assert!(output.len() > cut(policy, path).len(), "in place: {}", context());
        }
        in_place => assert_eq!(in_place, expected, "in place: {}", context()),
    }
    assert_eq!(policy.is_canonical(path), is_unchanged, "is canonical: {}", context());
    let found = policy.canonicalize(path);
    // A path that is only cut is borrowed too.
    let is_borrowed = matches!(found, Ok(Cow::Borrowed(_)));
    assert_eq!(is_borrowed, expected.as_deref() == Ok(cut(policy, path)), "bytes are borrowed: {}", context());
    assert_eq!(found.map(Cow::into_owned), expected, "as bytes: {}", context());

    let mut appended = b"before".to_vec();
    let result = policy.canonicalize_to(path, &mut appended);
    let (canonical, error) = (expected.as_deref().unwrap_or_default(), expected.as_ref().err().copied());
    assert_eq!(appended, [b"before", canonical].concat(), "appended: {}", context());
    assert_eq!(result.err(), error, "appended: {}", context());

    if let Ok(text) = str::from_utf8(path) {
        let found = policy.canonicalize(text);
        // A path that is only cut is borrowed too.
        let is_borrowed = matches!(found, Ok(Cow::Borrowed(_)));
        assert_eq!(is_borrowed, expected.as_deref() == Ok(cut(policy, path)), "borrowed: {}", context());
        assert_eq!(found.map(|text| text.into_owned().into_bytes()), expected, "as text: {}", context());
    }

    let Ok(canonical) = expected else { return };
    assert!(canonical.len() <= output.len(), "length: {}", context());
    let again = reference::canonical_path(policy, &canonical);
    assert_eq!(again, Ok(canonical), "again: {}", context());
}

/// The number of values of each option of a policy.
pub const VALUES: [usize; 8] = [3, 3, 3, 4, 3, 4, 2, 4];

/// The policy with the values of these numbers.
fn policy_of(values: [usize; 8]) -> PathPolicy {
    let [malformed, slash, backslash, dots, empty, parameters, hidden, illegal] = values;
    PathPolicy::DEFAULT
        .refuse(Kinds::NONE)
        .malformed([Malformed::Refuse, Malformed::Keep, Malformed::Escape][malformed])
        .slash([EncodedSlash::Keep, EncodedSlash::Decode, EncodedSlash::Refuse][slash])
        .backslash([Backslash::Keep, Backslash::ToSlash, Backslash::Refuse][backslash])
        .dot_segments([DotSegments::Keep, DotSegments::Remove, DotSegments::Clamp, DotSegments::Refuse][dots])
        .empty_segments([EmptySegments::Keep, EmptySegments::Merge, EmptySegments::Refuse][empty])
        .parameters([Parameters::Keep, Parameters::StripFromDots, Parameters::Strip, Parameters::Refuse][parameters])
        .hidden_segments([HiddenSegments::Keep, HiddenSegments::Refuse][hidden])
        .illegal([IllegalBytes::Keep, IllegalBytes::Nginx, IllegalBytes::Escape, IllegalBytes::Refuse][illegal])
}

/// Every combination of options. The values are the digits of the number of a policy.
pub fn every_policy() -> Vec<PathPolicy> {
    let count = VALUES.iter().product();
    let digits = |mut number: usize| {
        VALUES.map(|values| {
            let digit = number % values;
            number /= values;
            digit
        })
    };
    (0..count).map(|number| policy_of(digits(number))).collect()
}

//! Compares every form of making a path canonical with the reference implementation.

use std::borrow::Cow;

use simdpct::path::{PathErrorKind, PathPolicy};
use simdpct::reference;

/// In place, to a slice, as text, the test without output, and the properties of the result.
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
            assert!(output.len() > path.len(), "in place: {}", context());
        }
        in_place => assert_eq!(in_place, expected, "in place: {}", context()),
    }
    assert_eq!(policy.is_canonical(path), is_unchanged, "is canonical: {}", context());
    if let Ok(text) = str::from_utf8(path) {
        let found = policy.canonicalize(text);
        assert_eq!(matches!(found, Ok(Cow::Borrowed(_))), is_unchanged, "borrowed: {}", context());
        assert_eq!(found.map(|text| text.into_owned().into_bytes()), expected, "as text: {}", context());
    }

    let Ok(canonical) = expected else { return };
    assert!(canonical.len() <= output.len(), "length: {}", context());
    let again = reference::canonical_path(policy, &canonical);
    assert_eq!(again, Ok(canonical), "again: {}", context());
}

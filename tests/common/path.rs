//! Compares every form of making a path canonical with the reference implementation.

use std::borrow::Cow;

use simdpct::path::{PathErrorKind, PathPolicy};
use simdpct::reference;

/// The path up to a raw `#`, if the policy cuts it there.
fn cut<'a>(policy: &PathPolicy, path: &'a [u8]) -> &'a [u8] {
    let cuts = reference::canonical_path(policy, b"/#").is_ok_and(|path| path == b"/");
    let end = path.iter().position(|&byte| cuts && byte == b'#');
    &path[..end.unwrap_or(path.len())]
}

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
            assert!(output.len() > cut(policy, path).len(), "in place: {}", context());
        }
        in_place => assert_eq!(in_place, expected, "in place: {}", context()),
    }
    assert_eq!(policy.is_canonical(path), is_unchanged, "is canonical: {}", context());
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

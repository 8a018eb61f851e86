//! Compares the parts of request targets with the grammar, and a guard with its policy and with
//! inspection.

use simdpct::path::{
    Action, HiddenSegments, PathErrorKind, PathPolicy, RequestGuard, RequestMethod, Target, TargetForm,
};
use simdpct::{Kinds, inspect, uri};

/// The form, the length of the origin, and the length of the path, by RFC 9112 3.2.
fn expected_parts(method: RequestMethod, target: &[u8]) -> Option<(TargetForm, usize, usize)> {
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:[]%".contains(byte);
    let end_of_path = |from: usize| target[from..].iter().position(|&byte| byte == b'?').unwrap_or(target.len() - from);
    if method == RequestMethod::Connect {
        let colon = target.iter().rposition(|&byte| byte == b':')?;
        let (host, port) = (&target[..colon], &target[colon + 1..]);
        let is_authority = !host.is_empty() && host.iter().all(is_host) && !port.is_empty();
        return (is_authority && port.iter().all(u8::is_ascii_digit)).then_some((
            TargetForm::Authority,
            0,
            target.len(),
        ));
    }
    if target.starts_with(b"/") {
        return Some((TargetForm::Origin, 0, end_of_path(0)));
    }
    if target == b"*" {
        return (method == RequestMethod::Options).then_some((TargetForm::Asterisk, 0, 1));
    }
    let parts = uri::split(target);
    let (scheme, authority) = (parts.scheme?, parts.authority?);
    let start = scheme.len() + "://".len() + authority.len();
    let has_host = !authority.is_empty() && !authority.starts_with(b":");
    (has_host && authority.iter().all(is_host)).then(|| (TargetForm::Absolute, start, end_of_path(start)))
}

#[track_caller]
pub fn compare_split(method: RequestMethod, target: &[u8]) {
    let found = Target::split(method, target);
    let context = || format!("{method:?} {}", target.escape_ascii());
    if let Ok(parts) = &found {
        assert_eq!([parts.origin, parts.path, parts.query].concat(), target, "{}", context());
    }
    let lengths = found.ok().map(|parts| (parts.form, parts.origin.len(), parts.path.len()));
    assert_eq!(lengths, expected_parts(method, target), "{}", context());
}

/// Checks the verdict of a guard with this policy and these refused kinds.
#[track_caller]
pub fn compare_guard(
    policy: Option<PathPolicy>,
    path_kinds: Kinds,
    query_kinds: Kinds,
    method: RequestMethod,
    target: &[u8],
) {
    let guard = RequestGuard::new().policy(policy).refuse_in_path(path_kinds).refuse_in_query(query_kinds);
    let mut output = vec![0; RequestGuard::output_len_bound(target.len())];
    let verdict = guard.check(method, target, &mut output);
    let context = || format!("{method:?} {} by {guard}", target.escape_ascii());
    let found = match (verdict.action, verdict.refusal) {
        (Action::Pass, None) => Ok(target.to_vec()),
        (Action::Rewrite(new), None) => {
            assert_ne!(new, target, "{}", context());
            Ok(new.to_vec())
        }
        (Action::Refuse, Some(refusal)) => Err((refusal.kind, refusal.position)),
        verdict => panic!("{verdict:?}: {}", context()),
    };
    assert_eq!(found, by_parts(policy, path_kinds, query_kinds, method, target), "{}", context());
    let Ok(target) = found else { return };
    // A guard lets its result pass again, without memory.
    let again = guard.check(method, &target, &mut []);
    assert_eq!((again.action, again.refusal), (Action::Pass, None), "again: {}", context());
}

/// The expected verdict from the parts of a target: the new target, or the kind and the position of
/// the refusal.
fn by_parts(
    policy: Option<PathPolicy>,
    path_kinds: Kinds,
    query_kinds: Kinds,
    method: RequestMethod,
    target: &[u8],
) -> Result<Vec<u8>, (PathErrorKind, usize)> {
    let parts = Target::split(method, target).map_err(|error| (error.kind, error.position))?;
    assert_eq!([parts.origin, parts.path, parts.query].concat(), target);
    if matches!(parts.form, TargetForm::Authority | TargetForm::Asterisk) {
        return Ok(target.to_vec());
    }
    if let Some(at) = target.iter().position(|&byte| byte == b'#') {
        return Err((PathErrorKind::IllegalByte(b'#'), at));
    }
    let refuse = |kinds: Kinds, text: &[u8], start: usize| {
        let findings = inspect(text);
        match findings.kinds_among(kinds) {
            found if found.is_empty() => Ok(()),
            found => Err((PathErrorKind::Refused(found), start + findings.first_of(found).unwrap())),
        }
    };
    let start = parts.origin.len();
    let mut path = parts.path.to_vec();
    match policy {
        None => refuse(path_kinds, &path, start)?,
        Some(policy) => {
            if path.is_empty() {
                path = b"/".to_vec();
            }
            let mut output = vec![0; policy.output_len_bound(&path)];
            let length = policy
                .refuse(policy.refused() | path_kinds)
                .hidden_segments(HiddenSegments::Refuse)
                .canonicalize_into(&path, &mut output)
                .map_err(|error| (error.kind, start + error.position))?;
            path = output[..length].to_vec();
        }
    }
    refuse(query_kinds, parts.query.get(1..).unwrap_or_default(), start + parts.path.len() + 1)?;
    Ok([parts.origin, &path, parts.query].concat())
}

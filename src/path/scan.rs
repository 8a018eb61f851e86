//! Finds out without writing whether a path may need to be rewritten, and refuses its findings.
#![forbid(unsafe_code)]

use super::policy::{DotSegments, EmptySegments, PathPolicy};
use super::{PathError, PathErrorKind};
use crate::driver;
use crate::driver::segments::may_follow_slash;
use crate::inspect::{Findings, Kinds};

/// Whether the path is certainly canonical. If not, it may be, and has to be rewritten.
///
/// Most paths have no `%` and no illegal byte: one search for those and one for `//` and `/.` are
/// all that is done.
pub(super) fn is_canonical(policy: &PathPolicy, path: &[u8]) -> Result<bool, PathError> {
    if path.first() != Some(&b'/') {
        return Err(PathError::new(PathErrorKind::NotAbsolute, 0));
    }
    let watched = driver::find(&policy.watched, path, policy.level);
    let refuses_segments = policy.refuse.intersects(PathPolicy::SEGMENTS);
    let needs_segments =
        refuses_segments || policy.dot_segments != DotSegments::Keep || policy.empty_segments != EmptySegments::Keep;
    let has_suspect_segment = needs_segments && may_follow_slash(path);
    if (watched.is_some() || has_suspect_segment && refuses_segments) && policy.refuse != Kinds::NONE {
        refuse(policy, path)?;
    }
    let Some(at) = watched else { return Ok(!has_suspect_segment) };
    let rest = &path[at..];
    Ok(!has_suspect_segment
        && driver::find(&policy.suspects, rest, policy.level).is_none()
        && matches!(driver::scan_decode(rest, &policy.plan, policy.level), Ok(None)))
}

/// Fails with the first finding of a refused kind.
fn refuse(policy: &PathPolicy, path: &[u8]) -> Result<(), PathError> {
    let findings = Findings::of(path, policy.level);
    let found = findings.kinds_among(policy.refuse);
    match findings.first_of(found) {
        Some(position) => Err(PathError::new(PathErrorKind::Refused(found), position)),
        None => Ok(()),
    }
}

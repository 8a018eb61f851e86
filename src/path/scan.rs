//! Finds out without writing whether a path may need to be rewritten, and refuses its findings.
#![forbid(unsafe_code)]

use super::policy::{DotSegments, EmptySegments, PathPolicy};
use super::{PathError, PathErrorKind};
use crate::driver;
use crate::inspect::{Findings, Kinds};

/// Whether the path is certainly canonical. If not, it may be, and has to be rewritten.
///
/// Most paths have no `%` and no illegal byte: one search for those and one for `//` and `/.` are all that is done.
pub(super) fn is_canonical(policy: &PathPolicy, path: &[u8]) -> Result<bool, PathError> {
    if path.first() != Some(&b'/') {
        return Err(PathError::new(PathErrorKind::NotAbsolute, 0));
    }
    let watched = driver::find(&policy.watched, path, policy.level);
    let needs_segments = policy.dot_segments != DotSegments::Keep || policy.empty_segments != EmptySegments::Keep;
    let has_suspect_segment = needs_segments && may_have_dot_or_empty_segment(path);
    if watched.is_some() && policy.refuse != Kinds::NONE {
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
    let found = findings.kinds().intersection(policy.refuse);
    match findings.first_of(found) {
        Some(position) => Err(PathError::new(PathErrorKind::Refused(found), position)),
        None => Ok(()),
    }
}

/// Whether a `/` is followed by `/` or `.`, eight bytes at a time; may be wrongly true.
fn may_have_dot_or_empty_segment(path: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    // The top bit of each byte that equals `byte`, and of some that follow such a byte.
    let equal = |word: u64, byte: u8| {
        let differences = word ^ (ONES * u64::from(byte));
        differences.wrapping_sub(ONES) & !differences & TOPS
    };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    let mut rest = path;
    while rest.len() > 8 {
        let (slashes, next) = (equal(word(&rest[..8]), b'/'), word(&rest[1..9]));
        if slashes & (equal(next, b'/') | equal(next, b'.')) != 0 {
            return true;
        }
        rest = &rest[8..];
    }
    rest.windows(2).any(|pair| pair[0] == b'/' && matches!(pair[1], b'/' | b'.'))
}

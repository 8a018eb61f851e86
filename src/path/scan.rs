//! Finds out without writing whether a path may need to be rewritten, and refuses its findings.
#![forbid(unsafe_code)]

use super::policy::{DotSegments, EmptySegments, HiddenSegments, Parameters, PathPolicy};
use super::{PathError, PathErrorKind, rewrite};
use crate::driver;
use crate::driver::segments::{may_have_hidden, suspect_slash};
use crate::inspect::Findings;
use crate::kinds::Kinds;

/// The changes that a path needs if no finding refuses it.
#[derive(Clone, Copy)]
pub(super) enum Scan {
    /// Nothing: the path is canonical.
    Canonical,
    /// From this offset on, its triplets have to be normalized: the decoder [`PathPolicy::plan`]
    /// makes it canonical.
    Triplets(usize),
    /// It has to be rewritten symbol by symbol, beginning with the segment that has this offset.
    Symbols(usize),
}

impl Scan {
    /// Continues from the offset at which a scan found the path suspect, up to the first change:
    /// `/a%2Fb` and `/.well-known` are canonical. Rewriting then begins at the change, so that it
    /// reads few bytes again.
    #[inline]
    pub(super) fn narrow(self, policy: &PathPolicy, path: &[u8]) -> Self {
        match self {
            Self::Canonical => Self::Canonical,
            Self::Triplets(from) => match driver::scan_decode(&path[from..], &policy.plan, policy.level) {
                Ok(None) => Self::Canonical,
                Ok(Some(change)) => Self::Triplets(from + change),
                Err(error) => Self::Triplets(from + error.position),
            },
            Self::Symbols(from) => rewrite::first_change(policy, path, from).map_or(Self::Canonical, Self::Symbols),
        }
    }
}

/// Scans a path, which [`PathPolicy::cut`] has returned.
///
/// Most paths have no `%` and no illegal byte: only one search for these and one for `//`, `/.` and
/// `/;` are needed. Most of the other paths have only triplets of data.
pub(super) fn scan(policy: &PathPolicy, path: &[u8]) -> Result<Scan, PathError> {
    if path.first() != Some(&b'/') {
        return Err(PathError::new(PathErrorKind::NotAbsolute, 0));
    }
    let watched = driver::find(&policy.watched, path, policy.level);
    let refuses_segments = policy.refuse.intersects(PathPolicy::SEGMENTS);
    let needs_segments = refuses_segments
        || policy.dot_segments != DotSegments::Keep
        || policy.empty_segments != EmptySegments::Keep
        || policy.parameters == Parameters::StripFromDots
        || policy.hidden_segments == HiddenSegments::Refuse;
    let slash = if needs_segments { suspect_slash(path) } else { None };
    let Some(at) = watched else {
        if refuses_segments && slash.is_some() {
            refuse(policy, &Findings::of(path, policy.level))?;
        }
        return Ok(slash.map_or(Scan::Canonical, Scan::Symbols));
    };
    let findings = Findings::of(path, policy.level);
    refuse(policy, &findings)?;
    if let Some(slash) = slash {
        return Ok(Scan::Symbols(at.min(slash)));
    }
    let found = findings.kinds();
    let has_segments = || {
        let delimiters = Kinds::SLASH.union(Kinds::BACKSLASH);
        let may_have = found.contains(Kinds::DOT) || found.intersects(delimiters) && may_have_hidden(path);
        needs_segments && may_have && !findings.kinds_among(PathPolicy::SEGMENTS).is_empty()
    };
    if found.intersects(policy.special)
        || driver::find(&policy.suspects, &path[at..], policy.level).is_some()
        || has_segments()
    {
        return Ok(Scan::Symbols(at));
    }
    Ok(if found.contains(Kinds::ESCAPE) { Scan::Triplets(at) } else { Scan::Canonical })
}

/// Fails with the first finding of a refused kind.
fn refuse(policy: &PathPolicy, findings: &Findings<'_>) -> Result<(), PathError> {
    let found = findings.kinds_among(policy.refuse);
    if found.is_empty() {
        return Ok(());
    }
    let position = findings.first_of(found).unwrap_or_default();
    Err(PathError::new(PathErrorKind::Refused(found), position))
}

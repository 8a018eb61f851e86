//! `RequestGuard`: the decision on a request target.
#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use super::scan::{Scan, scan};
use super::text::{Expected, PolicyError, Reader, words, write_kinds};
use super::{HiddenSegments, PathErrorKind, PathPolicy, Refusal, RequestMethod, Target, TargetForm, TargetPart};
use crate::inspect::Findings;
use crate::kinds::Kinds;

/// Decides on a request by its target: pass, rewrite to the canonical path, or refuse.
///
/// A guard has a [`PathPolicy`] for the path, and further kinds of findings to refuse in the path
/// and in the query. Whatever the policy, it refuses [hidden segments](HiddenSegments), unless told
/// to [keep](Self::keep_hidden_segments) them: a rule cannot see the path that they hide. A raw `#`
/// is refused in any part: a request target has no fragment (RFC 9112 3.2), and servers cut there.
/// One pass over the path, which also tests for the further kinds; nothing is allocated.
///
/// A server has to replace its own target by the result before it decides anything: a route, a
/// rule, a cache key. docs/embedding.md of the source shows how eight servers do that.
///
/// ```
/// use simdpct::Kinds;
/// use simdpct::path::{Action, RequestGuard, RequestMethod};
///
/// const GUARD: RequestGuard = RequestGuard::new().refuse_in_query(Kinds::NUL);
///
/// let mut output = [0; 256];
/// let mut decide = |target: &[u8]| match GUARD.check(RequestMethod::Other, target, &mut output).action {
///     Action::Pass => format!("pass"),
///     Action::Rewrite(target) => format!("rewrite to {}", target.escape_ascii()),
///     Action::Refuse => format!("refuse"),
/// };
/// assert_eq!(decide(b"/a/b?c"), "pass");
/// assert_eq!(decide(b"/a/../%7euser?c"), "rewrite to /~user?c");
/// assert_eq!(decide(b"http://host?c"), "rewrite to http://host/?c");
/// assert_eq!(decide(b"/public/..%2Fadmin"), "refuse");
/// assert_eq!(decide(b"/a?b=%00"), "refuse");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RequestGuard {
    /// With `refuse_path` among its kinds, and `keeps_hidden` as its option.
    policy: Option<PathPolicy>,
    keeps_hidden: bool,
    refuse_path: Kinds,
    refuse_query: Kinds,
    only_reports: bool,
}

/// The action on a request. Exhaustive, so that no caller needs an arm for an unknown action, which
/// would let a request pass.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Action<'o> {
    /// Use the target as it is.
    Pass,
    /// Use this target, which is at the start of the output.
    Rewrite(&'o [u8]),
    /// Do not handle the request. Answer with 400 (Bad Request).
    Refuse,
}

/// The decision of a [`RequestGuard`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Verdict<'o> {
    /// The action on the request.
    pub action: Action<'o>,
    /// Why the request is refused. If the guard only reports, the action is nevertheless
    /// [`Action::Pass`].
    pub refusal: Option<Refusal>,
}

impl Default for RequestGuard {
    fn default() -> Self {
        Self::new()
    }
}

impl RequestGuard {
    /// Kinds of findings that no honest client sends, which the word `default` names in a guard's
    /// text: `NUL`, `CONTROL`, `MALFORMED`, `INVALID_UTF8` and `BACKSLASH`.
    pub const DEFAULT_KINDS: Kinds =
        Kinds::NUL.union(Kinds::CONTROL).union(Kinds::MALFORMED).union(Kinds::INVALID_UTF8).union(Kinds::BACKSLASH);

    /// A guard with [`PathPolicy::DEFAULT`] that refuses nothing else.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            policy: Some(PathPolicy::DEFAULT),
            keeps_hidden: false,
            refuse_path: Kinds::NONE,
            refuse_query: Kinds::NONE,
            only_reports: false,
        }
    }

    /// Sets the policy for the path. With `None`, no path is rewritten. The policy's option for
    /// hidden segments has no effect: see [`keep_hidden_segments`](Self::keep_hidden_segments).
    #[must_use]
    pub const fn policy(mut self, policy: Option<PathPolicy>) -> Self {
        self.policy = policy;
        self.united()
    }

    /// Keeps [hidden segments](HiddenSegments). The rule for a path does then not hold for a server
    /// that reads the path which they hide.
    #[must_use]
    pub const fn keep_hidden_segments(mut self) -> Self {
        self.keeps_hidden = true;
        self.united()
    }

    /// Refuses these kinds in the path, besides the kinds of the policy and of earlier calls.
    #[must_use]
    pub const fn refuse_in_path(mut self, kinds: Kinds) -> Self {
        self.refuse_path = self.refuse_path.union(kinds);
        self.united()
    }

    /// The guard whose policy has the guard's own options.
    const fn united(mut self) -> Self {
        if let Some(policy) = self.policy {
            let hidden = if self.keeps_hidden { HiddenSegments::Keep } else { HiddenSegments::Refuse };
            self.policy = Some(policy.refuse(policy.refused().union(self.refuse_path)).hidden_segments(hidden));
        }
        self
    }

    /// Refuses these kinds in the query, besides the kinds of earlier calls.
    #[must_use]
    pub const fn refuse_in_query(mut self, kinds: Kinds) -> Self {
        self.refuse_query = self.refuse_query.union(kinds);
        self
    }

    /// Only reports: every request passes unchanged, and the verdict says why it would be refused.
    #[must_use]
    pub const fn report_only(mut self) -> Self {
        self.only_reports = true;
        self
    }

    /// Whether the guard [only reports](Self::report_only).
    #[must_use]
    pub const fn only_reports(&self) -> bool {
        self.only_reports
    }

    /// The space that [`check`](Self::check) needs for any target of this length: three times the
    /// length, and 3 bytes.
    #[must_use]
    pub const fn output_len_bound(target_len: usize) -> usize {
        target_len.saturating_mul(3).saturating_add(3)
    }

    /// Decides on a request target. A rewritten target is written to `output`, whose contents are
    /// unspecified otherwise.
    ///
    /// Reasons to refuse are looked for in this order: the form of the target, a raw `#`, the path,
    /// the query. If `output` has less space than the rewritten path needs, the refusal is
    /// [`PathErrorKind::OutputTooSmall`], with the space needed for the whole target; it takes
    /// precedence over the path's other refusals, as in [`PathPolicy::canonicalize_into`].
    /// [`output_len_bound`](Self::output_len_bound) always suffices. A guard that only reports
    /// needs the same space.
    #[must_use]
    pub fn check<'o>(&self, method: RequestMethod, target: &[u8], output: &'o mut [u8]) -> Verdict<'o> {
        self.check_with(method, target, |needed| output.get_mut(..needed))
    }

    /// Like [`check`](Self::check), with memory that `room` returns for the required length. It is
    /// called at most once, and not for a canonical path.
    #[must_use]
    pub fn check_with<'o>(
        &self,
        method: RequestMethod,
        target: &[u8],
        room: impl FnOnce(usize) -> Option<&'o mut [u8]>,
    ) -> Verdict<'o> {
        match self.decide(method, target, room) {
            Ok(Some(target)) if !self.only_reports => Verdict { action: Action::Rewrite(target), refusal: None },
            Ok(_) => Verdict { action: Action::Pass, refusal: None },
            Err(refusal) => {
                let action = if self.only_reports { Action::Pass } else { Action::Refuse };
                Verdict { action, refusal: Some(refusal) }
            }
        }
    }

    /// The rewritten target; `None` if the target is canonical.
    fn decide<'o>(
        &self,
        method: RequestMethod,
        target: &[u8],
        room: impl FnOnce(usize) -> Option<&'o mut [u8]>,
    ) -> Result<Option<&'o [u8]>, Refusal> {
        let parts = Target::split(method, target)
            .map_err(|error| Refusal::new(error.kind, error.position, TargetPart::Target))?;
        if matches!(parts.form, TargetForm::Authority | TargetForm::Asterisk) {
            return Ok(None);
        }
        let query = parts.origin.len() + parts.path.len();
        if let Some(position) = memchr::memchr(b'#', target) {
            let part = if position < query { TargetPart::Path } else { TargetPart::Query };
            return Err(Refusal::new(PathErrorKind::IllegalByte(b'#'), position, part));
        }
        let rewritten = self.decide_on_path(&parts, room)?;
        if !self.refuse_query.is_empty() && parts.query.len() > 1 {
            refuse(self.refuse_query, &parts.query[1..], query + 1, TargetPart::Query)?;
        }
        Ok(rewritten)
    }

    /// The target with its canonical path; `None` if the path is canonical.
    fn decide_on_path<'o>(
        &self,
        parts: &Target<'_>,
        room: impl FnOnce(usize) -> Option<&'o mut [u8]>,
    ) -> Result<Option<&'o [u8]>, Refusal> {
        let start = parts.origin.len();
        let path = if parts.path.is_empty() { b"/" } else { parts.path };
        let Some(policy) = &self.policy else {
            refuse(self.refuse_path, path, start, TargetPart::Path)?;
            return Ok(None);
        };
        let found = scan(policy, path).map(|found| found.narrow(policy, path));
        if !parts.path.is_empty() && matches!(found, Ok(Scan::Canonical)) {
            return Ok(None);
        }
        let refusal = |kind, position| Refusal::new(kind, start + position, TargetPart::Path);
        let end = start.saturating_add(policy.room(path, &found));
        let needed = end.saturating_add(parts.query.len());
        let Some(output) = room(needed).and_then(|room| room.get_mut(..needed)) else {
            return Err(refusal(PathErrorKind::OutputTooSmall { needed }, 0));
        };
        let length = found
            .and_then(|found| policy.write(path, found, &mut output[start..end]))
            .map_err(|error| refusal(error.kind, error.position))?;
        let canonical = start + length;
        output[..start].copy_from_slice(parts.origin);
        output[canonical..canonical + parts.query.len()].copy_from_slice(parts.query);
        Ok(Some(&output[..canonical + parts.query.len()]))
    }
}

/// Fails if a part of the target, at this position, has findings of these kinds.
fn refuse(kinds: Kinds, text: &[u8], position: usize, part: TargetPart) -> Result<(), Refusal> {
    if kinds.is_empty() {
        return Ok(());
    }
    let findings = Findings::of(text, None);
    let found = findings.kinds_among(kinds);
    match findings.first_of(found) {
        Some(first) => Err(Refusal::new(PathErrorKind::Refused(found), position + first, part)),
        None => Ok(()),
    }
}

/// Words, separated by white space: `report-only`, `path=KINDS` and `query=KINDS`, each at most
/// once, and the text of a [`PathPolicy`], or `off` for none. Hidden segments are kept only after
/// the word `hidden-segments=keep`, not by a preset that keeps them. `KINDS` are names of kinds,
/// separated by commas, or `default` for [`DEFAULT_KINDS`](RequestGuard::DEFAULT_KINDS).
///
/// ```
/// use simdpct::Kinds;
/// use simdpct::path::{PathPolicy, RequestGuard};
///
/// let guard: RequestGuard = "query=nul report-only strict".parse()?;
/// assert_eq!(guard, RequestGuard::new().policy(Some(PathPolicy::STRICT)).refuse_in_query(Kinds::NUL).report_only());
/// assert_eq!(guard.to_string(), "report-only query=nul strict");
/// # Ok::<(), simdpct::path::PolicyError>(())
/// ```
impl FromStr for RequestGuard {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let (mut guard, mut reader, mut has_policy) = (Self::new(), Reader::new(), false);
        let (mut path, mut query, mut is_off) = (None, None, false);
        let mut keeps_hidden = false;
        for (position, word) in words(text) {
            let error = |expected| Err(PolicyError::new(position, word, expected));
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let slot = match name {
                "path" => &mut path,
                "query" => &mut query,
                "report-only" if word == name => {
                    if guard.only_reports {
                        return error(Expected::Once);
                    }
                    guard = guard.report_only();
                    continue;
                }
                "off" if word == name && !has_policy => {
                    if is_off {
                        return error(Expected::Once);
                    }
                    is_off = true;
                    continue;
                }
                _ if is_off || word == "off" => return error(Expected::NothingAfterOff),
                _ => {
                    reader.read(position, word).map_err(PolicyError::in_guard)?;
                    keeps_hidden |= word == "hidden-segments=keep";
                    has_policy = true;
                    continue;
                }
            };
            if slot.is_some() {
                return error(Expected::Once);
            }
            let Ok(kinds) = parse_kinds(value) else { return error(Expected::Kinds) };
            *slot = Some(kinds);
        }
        let policy = if is_off { None } else { Some(reader.policy()) };
        let guard = if keeps_hidden { guard.keep_hidden_segments() } else { guard };
        Ok(guard
            .policy(policy)
            .refuse_in_path(path.unwrap_or(Kinds::NONE))
            .refuse_in_query(query.unwrap_or(Kinds::NONE)))
    }
}

impl RequestGuard {
    /// Kinds from their names, separated by commas or white space; `default` for
    /// [`DEFAULT_KINDS`](Self::DEFAULT_KINDS).
    ///
    /// # Errors
    ///
    /// A name is not the name of a kind.
    pub fn kinds_from_text(text: &str) -> Result<Kinds, crate::kinds::UnknownKind> {
        parse_kinds(text)
    }
}

fn parse_kinds(text: &str) -> Result<Kinds, crate::kinds::UnknownKind> {
    let is_separator = |byte: char| byte == ',' || byte.is_whitespace();
    text.split(is_separator).filter(|name| !name.is_empty()).try_fold(Kinds::NONE, |kinds, name| match name {
        "default" => Ok(kinds.union(RequestGuard::DEFAULT_KINDS)),
        _ => name.parse().map(|kind| kinds.union(kind)),
    })
}

/// The text that [`FromStr`] reads. Kinds of the path that the policy refuses are its words.
impl fmt::Display for RequestGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.only_reports {
            f.write_str("report-only ")?;
        }
        for (name, kinds) in [("path", self.refuse_path), ("query", self.refuse_query)] {
            if !kinds.is_empty() {
                write!(f, "{name}=")?;
                write_kinds(f, kinds)?;
                f.write_str(" ")?;
            }
        }
        match &self.policy {
            Some(policy) => {
                policy.fmt(f)?;
                // The text of the policy leaves it out if it is the preset's.
                let is_left_out = policy.nearest_preset().1.hidden_segments == HiddenSegments::Keep;
                f.write_str(if self.keeps_hidden && is_left_out { " hidden-segments=keep" } else { "" })
            }
            None => f.write_str("off"),
        }
    }
}

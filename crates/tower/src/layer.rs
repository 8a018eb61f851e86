//! `PathGuardLayer`: its options, and its decision on a request.

use std::borrow::Cow;
use std::fmt;

use http::request::Parts;
use http::uri::PathAndQuery;
use http::{Method, Response, Uri};
use simdpct::Kinds;
use simdpct::path::{Action, PathErrorKind, PathPolicy, RequestGuard, RequestMethod, Target, TargetPart};
use tower_layer::Layer;

use crate::{BadRequest, PathGuard, Reason, Refusal, Verdict};

/// A layer that refuses requests by their path and query, and makes the paths of other requests
/// canonical.
///
/// The layer has to wrap a router from outside, as [the crate](crate) explains. All options can be
/// set in constants:
///
/// ```
/// use simdpct::Kinds;
/// use simdpct::path::{EncodedSlash, PathPolicy};
/// use simdpct_tower::PathGuardLayer;
///
/// const GUARD: PathGuardLayer = PathGuardLayer::new()
///     .policy(PathPolicy::DEFAULT.slash(EncodedSlash::Refuse))
///     .refuse_path(Kinds::PERCENT)
///     .refuse_query(Kinds::NUL.union(Kinds::MALFORMED));
/// ```
#[derive(Clone, Copy)]
pub struct PathGuardLayer<R = BadRequest> {
    guard: RequestGuard,
    pub(crate) records_findings: bool,
    pub(crate) only_reports: bool,
    pub(crate) on_refused: R,
}

impl Default for PathGuardLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl PathGuardLayer {
    /// Makes a layer that refuses and rewrites paths by [`PathPolicy::DEFAULT`]. It ignores
    /// queries. [`BadRequest`] answers refused requests.
    #[must_use]
    pub const fn new() -> Self {
        Self { guard: RequestGuard::new(), records_findings: false, only_reports: false, on_refused: BadRequest }
    }

    /// Sets the response to refused requests. Log refused requests here, too.
    ///
    /// This is required if the body of responses cannot be made from a `String`, as [`BadRequest`]
    /// does.
    ///
    /// ```
    /// use http::{Response, StatusCode};
    /// use simdpct_tower::PathGuardLayer;
    ///
    /// let layer = PathGuardLayer::new().on_refused(|request, refusal| {
    ///     // refused: backslash at byte 8 of path: "/user/..%5cx"
    ///     eprintln!("{} {refusal}", request.method);
    ///     let mut response = Response::new(String::new());
    ///     *response.status_mut() = StatusCode::NOT_FOUND;
    ///     response
    /// });
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub const fn on_refused<B, F>(self, on_refused: F) -> PathGuardLayer<F>
    where
        F: Fn(&Parts, &Refusal) -> Response<B>,
    {
        PathGuardLayer {
            guard: self.guard,
            records_findings: self.records_findings,
            only_reports: self.only_reports,
            on_refused,
        }
    }
}

impl<R> PathGuardLayer<R> {
    /// Sets the rules by which paths are refused or rewritten. [`refuse_path`](Self::refuse_path)
    /// adds kinds to refuse. Hidden segments are refused under every policy, as by every
    /// [`RequestGuard`]: no route can see the path that they hide.
    #[must_use]
    pub const fn policy(mut self, policy: PathPolicy) -> Self {
        self.guard = self.guard.policy(Some(policy));
        self
    }

    /// Adds kinds of findings to refuse in paths.
    #[must_use]
    pub const fn refuse_path(mut self, kinds: Kinds) -> Self {
        self.guard = self.guard.refuse_in_path(kinds);
        self
    }

    /// Adds kinds of findings to refuse in the raw query, which is never rewritten. None by
    /// default. Values of forms may contain anything, line breaks included, so few kinds make
    /// sense: `NUL`, `MALFORMED`, `INVALID_UTF8`.
    #[must_use]
    pub const fn refuse_query(mut self, kinds: Kinds) -> Self {
        self.guard = self.guard.refuse_in_query(kinds);
        self
    }

    /// Adds [`PathFindings`](crate::PathFindings) to the extensions of every request that is not
    /// refused. The default is not to, because extensions allocate.
    #[must_use]
    pub const fn record_findings(mut self) -> Self {
        self.records_findings = true;
        self
    }

    /// Refuses and rewrites nothing, to try out a policy. The [`Verdict`] and the
    /// [`PathFindings`](crate::PathFindings) are in the extensions of every request.
    #[must_use]
    pub const fn report_only(mut self) -> Self {
        self.only_reports = true;
        self
    }

    /// Decides on a request with this method and target. [`report_only`](Self::report_only) does
    /// not affect the verdict. Allocates only if the path is not canonical. Takes linear time.
    ///
    /// ```
    /// use http::{Method, Uri};
    /// use simdpct_tower::{PathGuardLayer, Verdict};
    ///
    /// let target = Uri::from_static("http://example.com/a/../%61dmin?a=%2e");
    /// let Verdict::Rewritten(uri) = PathGuardLayer::new().verdict(&Method::GET, &target) else {
    ///     panic!("the path is not canonical");
    /// };
    /// assert_eq!(uri, "http://example.com/admin?a=%2e");
    /// ```
    #[must_use]
    pub fn verdict(&self, method: &Method, target: &Uri) -> Verdict {
        let refused = |reason, position| Verdict::Refused(Refusal::new(reason, position, target));
        let authority = target.authority().map_or("", |authority| authority.as_str());
        // The authority form (RFC 9112 3.2.3) is the only one without a path and a query.
        let Some(text) = target.path_and_query() else {
            let method = RequestMethod::from_name(method.as_str().as_bytes());
            return match Target::split(method, authority.as_bytes()) {
                Ok(_) => Verdict::Unchanged,
                Err(error) => refused(Reason::Target(error.kind), error.position),
            };
        };
        // `http` checks the other bytes of an authority.
        if let Some(at) = authority.find('@') {
            let start = target.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
            return refused(Reason::Target(PathErrorKind::IllegalByte(b'@')), start + at);
        }
        // An absolute target without a path has the path "/".
        let text = match text.as_str() {
            query if query.starts_with('?') => Cow::Owned(format!("/{query}")),
            text => Cow::Borrowed(text),
        };
        let method = if *method == Method::OPTIONS { RequestMethod::Options } else { RequestMethod::Other };
        let mut output = Vec::new();
        let verdict = self.guard.check_with(method, text.as_bytes(), |needed| {
            output.resize(needed, 0);
            Some(&mut output)
        });
        match (verdict.action, verdict.refusal) {
            (Action::Rewrite(text), _) => match with_path_and_query(target, text) {
                Some(uri) => Verdict::Rewritten(uri),
                None => refused(Reason::TooLong, 0),
            },
            (_, None) => Verdict::Unchanged,
            (_, Some(refusal)) => match (refusal.part, refusal.kind) {
                (TargetPart::Query, PathErrorKind::Refused(kinds)) => {
                    refused(Reason::Query(kinds), refusal.position - target.path().len() - 1)
                }
                (TargetPart::Target, kind) => refused(Reason::Target(kind), refusal.position),
                (_, kind) => refused(Reason::Path(kind), refusal.position),
            },
        }
    }
}

/// Returns the target with another path and query, or `None` if it is too long.
fn with_path_and_query(target: &Uri, text: &[u8]) -> Option<Uri> {
    let mut parts = target.clone().into_parts();
    // A canonical path has no byte that `http` would refuse, unless the received path had it.
    parts.path_and_query = Some(PathAndQuery::try_from(text).ok()?);
    Uri::from_parts(parts).ok()
}

impl<S, R: Clone> Layer<S> for PathGuardLayer<R> {
    type Service = PathGuard<S, R>;

    fn layer(&self, inner: S) -> PathGuard<S, R> {
        PathGuard::new(inner, self.clone())
    }
}

/// Omits `on_refused`, because closures cannot be printed.
impl<R> fmt::Debug for PathGuardLayer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathGuardLayer")
            .field("guard", &self.guard)
            .field("records_findings", &self.records_findings)
            .field("only_reports", &self.only_reports)
            .finish_non_exhaustive()
    }
}

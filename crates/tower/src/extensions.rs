//! The values that the layer adds to the extensions of a request.

use http::{Request, Uri};
use simdpct::{Kinds, inspect};

/// The target as received. The layer adds it to the extensions if it changes the target.
///
/// ```
/// use http::Request;
/// use simdpct_tower::ReceivedUri;
///
/// // The layer has not changed this request.
/// let request = Request::get("/a/b").body(()).unwrap();
/// assert_eq!(ReceivedUri::of(&request), "/a/b");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReceivedUri(pub Uri);

impl ReceivedUri {
    /// The target of a request as received: from the extension, or otherwise the request's own.
    #[must_use]
    pub fn of<B>(request: &Request<B>) -> &Uri {
        request.extensions().get::<Self>().map_or(request.uri(), |Self(uri)| uri)
    }
}

/// The kinds of findings in a target as received, refused or not. The layer adds them to the
/// extensions if it [records](crate::PathGuardLayer::record_findings) them.
///
/// ```
/// use http::Uri;
/// use simdpct::Kinds;
/// use simdpct_tower::PathFindings;
///
/// let findings = PathFindings::of(&Uri::from_static("/%2e%2E/a?x=%00"));
/// assert!(findings.path.contains(Kinds::DOT | Kinds::LOWER_HEX));
/// assert_eq!(findings.query, Kinds::ESCAPE | Kinds::NUL | Kinds::CONTROL);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct PathFindings {
    /// The kinds in the path.
    pub path: Kinds,
    /// The kinds in the query.
    pub query: Kinds,
}

impl PathFindings {
    /// Inspects the path and the query of a target. Takes linear time.
    #[must_use]
    pub fn of(target: &Uri) -> Self {
        let found = |text: &str| inspect(text).kinds_among(Kinds::EVERY);
        Self { path: found(target.path()), query: found(target.query().unwrap_or_default()) }
    }
}

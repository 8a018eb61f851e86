//! The values that the layer adds to the extensions of a request.

use http::{Request, Uri};
use simdpct::{Kinds, inspect};

/// The target as received. In the extensions if the layer changed it.
///
/// ```
/// use http::Request;
/// use simdpct_tower::ReceivedUri;
///
/// // The layer has not changed this one.
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

/// The kinds of findings in a target as received, refused or not. In the extensions if the layer
/// [records](crate::PathGuardLayer::record_findings) them.
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
    /// Those of the path.
    pub path: Kinds,
    /// Those of the query.
    pub query: Kinds,
}

impl PathFindings {
    /// Inspects the path and the query of a target. Linear.
    #[must_use]
    pub fn of(target: &Uri) -> Self {
        let found = |text: &str| inspect(text).kinds_among(Kinds::EVERY);
        Self { path: found(target.path()), query: found(target.query().unwrap_or_default()) }
    }
}

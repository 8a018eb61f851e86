//! `Verdict` and `Refusal`: the decision on a request, and its text.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use http::{StatusCode, Uri};
use simdpct::Kinds;
use simdpct::path::{self, PathErrorKind, TargetPart};

/// The decision on the target of a request: the result of
/// [`PathGuardLayer::verdict`](crate::PathGuardLayer::verdict).
///
/// If the layer [only reports](crate::PathGuardLayer::report_only), the verdict is in the
/// extensions of every request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The path is canonical, or the target has no path (`OPTIONS *`, `CONNECT host:port`).
    Unchanged,
    /// The target with its canonical path.
    Rewritten(Uri),
    /// The request is refused.
    Refused(Refusal),
}

/// Writes `unchanged`, `rewritten: /a`, or [`Refusal`]'s line. A rewritten target is escaped as by
/// [`str::escape_default`].
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged => f.write_str("unchanged"),
            Self::Rewritten(uri) => write!(f, "rewritten: {}", uri.to_string().escape_default()),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

/// Reason, position and target of a refused request.
///
/// `Display` is the line for a log, [`simdpct::path::Refusal::line`]. It names the reason and the
/// position, and quotes up to 128 bytes of the path or query around the position, escaped, so that
/// the line is printable ASCII without line breaks.
///
/// ```
/// use http::{Method, Uri};
/// use simdpct_tower::{PathGuardLayer, Verdict};
///
/// let Verdict::Refused(refusal) = PathGuardLayer::new().verdict(&Method::GET, &Uri::from_static("/user/%00")) else {
///     panic!("NUL is refused");
/// };
/// assert_eq!(refusal.to_string(), r#"refused: nul,control at byte 6 of path: "/user/%00""#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// Position of the reason as a byte offset in the received path, query (without its `?`) or
    /// whole target.
    pub position: usize,
    /// The target as received.
    pub target: Uri,
}

/// Reasons to refuse a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The policy refuses the path.
    Path(PathErrorKind),
    /// The method does not allow the form of the target ([`PathErrorKind::NotAbsolute`], RFC 9112
    /// 3.2): `*` needs `OPTIONS`, and an authority needs `CONNECT`. Or the authority has user
    /// information ([`PathErrorKind::IllegalByte`] for the `@`, RFC 9110 4.2.4).
    Target(PathErrorKind),
    /// The query has findings of these refused kinds. The position belongs to the first finding.
    Query(Kinds),
    /// The target with the canonical path would be longer than the maximum for an [`http::Uri`]
    /// (65,534 bytes).
    TooLong,
}

impl Reason {
    /// The status of the default response: 414 (URI Too Long) for [`TooLong`](Self::TooLong),
    /// otherwise 400 (Bad Request).
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::URI_TOO_LONG,
            Self::Path(_) | Self::Target(_) | Self::Query(_) => StatusCode::BAD_REQUEST,
        }
    }
}

impl Refusal {
    pub(crate) fn new(reason: Reason, position: usize, target: &Uri) -> Self {
        Self { reason, position, target: target.clone() }
    }

    /// Reason and position, without text of the target: the body of the default response.
    ///
    /// ```
    /// use http::{Method, Uri};
    /// use simdpct_tower::{PathGuardLayer, Verdict};
    ///
    /// let layer = PathGuardLayer::new();
    /// let Verdict::Refused(refusal) = layer.verdict(&Method::GET, &Uri::from_static("/user/%zz")) else {
    ///     panic!("a malformed '%' is refused");
    /// };
    /// assert_eq!(refusal.summary().to_string(), "malformed at byte 6 of path");
    /// ```
    pub fn summary(&self) -> impl fmt::Display + '_ {
        Summary(self)
    }

    /// The refusal, and the text that it quotes. `None` for [`Reason::TooLong`].
    fn in_target(&self) -> Option<(path::Refusal, Cow<'_, [u8]>)> {
        let text = self.target.path_and_query().map_or("", |text| text.as_str()).as_bytes();
        let (kind, start, part) = match self.reason {
            Reason::Path(kind) => (kind, 0, TargetPart::Path),
            Reason::Query(kinds) => {
                let query = text.iter().position(|&byte| byte == b'?').map_or(0, |mark| mark + 1);
                (PathErrorKind::Refused(kinds), query, TargetPart::Query)
            }
            Reason::Target(kind) => {
                let refusal = path::Refusal::new(kind, self.position, TargetPart::Target);
                return Some((refusal, Cow::Owned(self.target.to_string().into_bytes())));
            }
            Reason::TooLong => return None,
        };
        Some((path::Refusal::new(kind, start + self.position, part), Cow::Borrowed(text)))
    }
}

const TOO_LONG: &str = "canonical path too long";

struct Summary<'a>(&'a Refusal);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.in_target() {
            Some((refusal, text)) => refusal.summary(&text).fmt(f),
            None => f.write_str(TOO_LONG),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.in_target() {
            Some((refusal, text)) => refusal.line(&text).fmt(f),
            None => write!(f, "refused: {TOO_LONG}"),
        }
    }
}

impl Error for Refusal {}

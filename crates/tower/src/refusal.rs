//! `Verdict` and `Refusal`: the decision on a request, and how it is told.

use std::error::Error;
use std::fmt;

use http::{StatusCode, Uri};
use simdpct::Kinds;
use simdpct::path::PathErrorKind;

/// The decision on the target of a request; returned by [`PathGuardLayer::verdict`](crate::PathGuardLayer::verdict).
///
/// If the layer [only reports](crate::PathGuardLayer::report_only), it is in the extensions of every request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The path is canonical, or the target has none (`OPTIONS *`, `CONNECT host:port`).
    Unchanged,
    /// The target with its canonical path.
    Rewritten(Uri),
    /// The request is refused.
    Refused(Refusal),
}

/// A word and the result: `unchanged`, `rewritten: /a`, or [`Refusal`]'s line. A rewritten target is escaped as by
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
/// `Display` is the line for a log. It names the reason and the position, and quotes up to [`Refusal::EXCERPT`] bytes of
/// the path or query around the position. They are escaped as by [`slice::escape_ascii`], so that the line is
/// printable ASCII without line breaks.
///
/// ```
/// use http::{Method, Uri};
/// use simdpct_tower::{PathGuardLayer, Verdict};
///
/// let Verdict::Refused(refusal) = PathGuardLayer::new().verdict(&Method::GET, &Uri::from_static("/user/%00")) else {
///     panic!("NUL is refused");
/// };
/// assert_eq!(refusal.to_string(), r#"refused: nul control at byte 6 of path: "/user/%00""#);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// Byte offset of the reason, in the path or in the query (without its `?`), as received.
    pub position: usize,
    /// The target as received.
    pub target: Uri,
}

/// Reasons to refuse a request.
///
/// `Display` writes no byte of the request but the value of an illegal one, in hexadecimal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The policy refuses the path. [`PathErrorKind::NotAbsolute`] also if the target is `*` and the method is not
    /// `OPTIONS`, or an authority and the method is not `CONNECT` (RFC 9112 3.2).
    Path(PathErrorKind),
    /// The query has findings of refused kinds: all of those kinds. The position is that of the first.
    Query(Kinds),
    /// The target with the canonical path would be longer than an [`http::Uri`] can be (65,534 bytes).
    TooLong,
}

impl Reason {
    /// The status of the default response: 414 (URI Too Long) for [`TooLong`](Self::TooLong), otherwise 400 (Bad
    /// Request).
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::URI_TOO_LONG,
            Self::Path(_) | Self::Query(_) => StatusCode::BAD_REQUEST,
        }
    }
}

/// Names the kinds, or the error.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(PathErrorKind::Refused(kinds)) | Self::Query(kinds) => {
                for (index, name) in kinds.names().enumerate() {
                    if index > 0 {
                        f.write_str(" ")?;
                    }
                    f.write_str(name)?;
                }
                Ok(())
            }
            Self::Path(kind) => kind.fmt(f),
            Self::TooLong => f.write_str("canonical path too long"),
        }
    }
}

impl Refusal {
    /// The most bytes of the path or query that `Display` quotes.
    pub const EXCERPT: usize = 128;

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
    /// assert_eq!(
    ///     refusal.summary().to_string(),
    ///     "malformed percent-encoding: '%' without two hexadecimal digits at byte 6 of path"
    /// );
    /// ```
    pub fn summary(&self) -> impl fmt::Display + '_ {
        Summary(self)
    }

    /// The name of the part of the target that is refused, and its text.
    fn part(&self) -> (&'static str, &str) {
        match self.reason {
            Reason::Query(_) => ("query", self.target.query().unwrap_or_default()),
            Reason::Path(_) | Reason::TooLong => ("path", self.target.path()),
        }
    }
}

struct Summary<'a>(&'a Refusal);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, _) = self.0.part();
        write!(f, "{} at byte {} of {part}", self.0.reason, self.0.position)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.part().1.as_bytes();
        let last_start = text.len().saturating_sub(Self::EXCERPT);
        let start = self.position.saturating_sub(Self::EXCERPT / 2).min(last_start);
        let end = text.len().min(start + Self::EXCERPT);
        let mark = |is_cut| if is_cut { "..." } else { "" };
        let (before, after) = (mark(start > 0), mark(end < text.len()));
        write!(f, "refused: {}: {before}\"{}\"{after}", self.summary(), text[start..end].escape_ascii())
    }
}

impl Error for Refusal {}

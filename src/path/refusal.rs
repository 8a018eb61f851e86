//! `Refusal`: why a request is refused, and the line for a log.
#![forbid(unsafe_code)]

use core::fmt;

use super::text::write_kinds;
use super::{PathErrorKind, RequestMethod, Target};

/// The part of a request target that is refused.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum TargetPart {
    /// The path.
    Path,
    /// The query.
    Query,
    /// The target as a whole: it has no form that the method allows, or its authority is malformed.
    Target,
}

/// Why a [`RequestGuard`](super::RequestGuard) refuses a request.
///
/// `Display` names the reason and the part, as in `nul,control in path`, and writes no byte of the
/// request but the value of an illegal one. [`line`](Self::line) is for a log.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Refusal {
    /// The reason.
    pub kind: PathErrorKind,
    /// Byte offset of the reason in the target.
    pub position: usize,
    /// The part of the target that has the reason.
    pub part: TargetPart,
}

impl Refusal {
    /// The most bytes of the target that [`line`](Self::line) quotes.
    pub const EXCERPT: usize = 128;

    /// The refusal with these fields, as a guard returns it.
    #[must_use]
    pub const fn new(kind: PathErrorKind, position: usize, part: TargetPart) -> Self {
        Self { kind, position, part }
    }

    /// The line for a log. It names the reason, the part, and the position in that part (the query
    /// begins after its `?`), and quotes up to [`EXCERPT`](Self::EXCERPT) bytes around it. They are
    /// escaped as by [`slice::escape_ascii`], so that the line is printable ASCII without a line
    /// break. `target` is the one that was refused.
    ///
    /// ```
    /// use simdpct::path::{RequestGuard, RequestMethod};
    ///
    /// let mut output = [0; 32];
    /// let verdict = RequestGuard::new().check(RequestMethod::Other, b"/user/%00", &mut output);
    /// let refusal = verdict.refusal.unwrap();
    /// assert_eq!(refusal.line(b"/user/%00").to_string(), r#"refused: nul,control at byte 6 of path: "/user/%00""#);
    /// assert_eq!(refusal.to_string(), "nul,control in path");
    /// ```
    pub fn line<'t>(&self, target: &'t [u8]) -> impl fmt::Display + use<'t> {
        Line(self.within(target))
    }

    /// The reason, the part, and the position in that part, as in [`line`](Self::line), without any
    /// text of the target: for a response.
    ///
    /// ```
    /// use simdpct::path::{PathErrorKind, Refusal, TargetPart};
    ///
    /// let refusal = Refusal::new(PathErrorKind::Malformed, 6, TargetPart::Path);
    /// assert_eq!(refusal.summary(b"/user/%zz").to_string(), "malformed at byte 6 of path");
    /// ```
    pub fn summary<'t>(&self, target: &'t [u8]) -> impl fmt::Display + use<'t> {
        Summary(self.within(target))
    }

    fn within<'t>(&self, target: &'t [u8]) -> Within<'t> {
        let (start, end) = match self.part {
            TargetPart::Target => (0, target.len()),
            // The method has no effect: the target has a path or a query.
            TargetPart::Path => {
                let parts = Target::split(RequestMethod::Other, target).ok();
                parts.map_or((0, target.len()), |parts| (parts.origin.len(), parts.origin.len() + parts.path.len()))
            }
            TargetPart::Query => {
                let query = memchr::memchr(b'?', target).map_or(0, |mark| mark + 1);
                (query, target.len())
            }
        };
        Within { refusal: *self, text: &target[start..end], position: self.position.saturating_sub(start) }
    }
}

impl fmt::Display for TargetPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Target => "target",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", Reason(self.kind), self.part)
    }
}

impl core::error::Error for Refusal {}

/// The name of a kind of error: kinds of findings, or the name of the status in C.
struct Reason(PathErrorKind);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            PathErrorKind::Refused(kinds) => write_kinds(f, kinds),
            PathErrorKind::NotAbsolute => f.write_str("not-absolute"),
            PathErrorKind::Malformed => f.write_str("malformed"),
            PathErrorKind::IllegalByte(byte) => write!(f, "illegal-byte 0x{byte:02X}"),
            PathErrorKind::EncodedSlash => f.write_str("encoded-slash"),
            PathErrorKind::Backslash => f.write_str("backslash"),
            PathErrorKind::Parameter => f.write_str("parameter"),
            PathErrorKind::DotSegment => f.write_str("dot-segment"),
            PathErrorKind::AboveRoot => f.write_str("above-root"),
            PathErrorKind::EmptySegment => f.write_str("empty-segment"),
            PathErrorKind::OutputTooSmall { .. } => f.write_str("no-room"),
        }
    }
}

/// A refusal in the text of its part.
#[derive(Clone, Copy)]
struct Within<'t> {
    refusal: Refusal,
    text: &'t [u8],
    /// In the part.
    position: usize,
}

struct Summary<'t>(Within<'t>);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Within { refusal, position, .. } = &self.0;
        write!(f, "{} at byte {position} of {}", Reason(refusal.kind), refusal.part)
    }
}

struct Line<'t>(Within<'t>);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Within { text, position, .. } = self.0;
        let last_start = text.len().saturating_sub(Refusal::EXCERPT);
        let start = position.saturating_sub(Refusal::EXCERPT / 2).min(last_start);
        let end = text.len().min(start + Refusal::EXCERPT);
        let mark = |is_cut| if is_cut { "..." } else { "" };
        let (before, after) = (mark(start > 0), mark(end < text.len()));
        write!(f, "refused: {}: {before}\"{}\"{after}", Summary(self.0), text[start..end].escape_ascii())
    }
}

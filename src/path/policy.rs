//! `PathPolicy`: the rules by which paths are kept, rewritten and refused, and its presets.
#![forbid(unsafe_code)]

use core::fmt;

use crate::byteset::ByteSet;
use crate::driver::DecodePlan;
use crate::kinds::Kinds;
use crate::level::Level;
use crate::normalize::Malformed;
use crate::sets;

/// A triplet that encodes `/`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum EncodedSlash {
    /// Keep it: data, not a delimiter (RFC 3986 2.2).
    #[default]
    Keep,
    /// Decode it: a delimiter, as nginx and lighttpd treat it.
    Decode,
    /// Fail with [`PathErrorKind::EncodedSlash`](super::PathErrorKind::EncodedSlash).
    Refuse,
}

/// A backslash, raw or encoded.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Backslash {
    /// Keep a triplet. A raw one is an illegal byte like others (RFC 3986 3.3).
    #[default]
    Keep,
    /// A delimiter, as the WHATWG URL Standard (4.4) has it for a raw one in special URLs.
    ToSlash,
    /// Fail with [`PathErrorKind::Backslash`](super::PathErrorKind::Backslash).
    Refuse,
}

/// The segments `.` and `..`, also written with `%2e` (RFC 3986 5.2.4).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DotSegments {
    /// Keep them. `%2e` is decoded nevertheless.
    Keep,
    /// Remove them. Climbing above the root fails with
    /// [`PathErrorKind::AboveRoot`](super::PathErrorKind::AboveRoot).
    #[default]
    Remove,
    /// Remove them. A `..` at the root has no effect, as in RFC 3986 5.2.4.
    Clamp,
    /// Fail with [`PathErrorKind::DotSegment`](super::PathErrorKind::DotSegment).
    Refuse,
}

/// Empty segments: `//`, and `/;x/` once its parameters are removed. The empty segment at the end,
/// as in `/a/`, is never one of them.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum EmptySegments {
    /// Keep them (RFC 3986 3.3).
    ///
    /// The canonical form begins with `//` only if the path does. Elsewhere `/.//host` is written,
    /// as by the WHATWG URL Standard (4.5, URL serializing): in a `Location` header `//host` would
    /// be another host. If the policy refuses dot segments, the path fails with
    /// [`PathErrorKind::EmptySegment`](super::PathErrorKind::EmptySegment) instead.
    Keep,
    /// Write one slash.
    #[default]
    Merge,
    /// Fail with [`PathErrorKind::EmptySegment`](super::PathErrorKind::EmptySegment).
    Refuse,
}

/// Segments that another reader takes for `.`, `..` or an empty segment: a reader that decodes
/// `%2F` or `%5C`, reads a backslash as a slash, or ends a segment at a `;`, `?` or `#`, raw or
/// encoded.
///
/// `/public/..%2Fadmin`, `/a%2F../b`, `/a/..%3Bx/b`, `/a/..%3F` and `/a%2F/b` have one. The answer
/// depends on the segment as it is written, even if a later `..` removes it.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HiddenSegments {
    /// Keep them.
    Keep,
    /// Fail with [`PathErrorKind::Refused`](super::PathErrorKind::Refused) and the kinds
    /// [`DOT_SEGMENT`](Kinds::DOT_SEGMENT) and [`EMPTY_SEGMENT`](Kinds::EMPTY_SEGMENT), as
    /// the segment has them.
    #[default]
    Refuse,
}

/// Parameters of segments (RFC 3986 3.3): a raw or decoded `;` and the rest of the segment.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Parameters {
    /// Keep them.
    Keep,
    /// Remove them from dot segments, and keep them elsewhere: `/a/..;x/b` is `/a/../b`, as servlet
    /// containers read it. A segment of nothing but parameters, as in `/a/;x/b`, is an empty
    /// segment, unless it is the last one.
    #[default]
    StripFromDots,
    /// Remove them.
    Strip,
    /// A `;`, raw or encoded, fails with
    /// [`PathErrorKind::Parameter`](super::PathErrorKind::Parameter).
    Refuse,
}

/// Raw bytes that a path must not contain (RFC 3986 3.3): every byte except `pchar`, `/` and `%`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum IllegalBytes {
    /// Keep them, also a space, a control character, `?` and `#`. The canonical form is then not a
    /// path by RFC 3986, and must not be written to a request line.
    Keep,
    /// As nginx (1.22): a space or a control character fails with
    /// [`PathErrorKind::IllegalByte`](super::PathErrorKind::IllegalByte), a `#` ends the path and
    /// is removed with everything after it, and other illegal bytes are kept.
    Nginx,
    /// Escape them.
    #[default]
    Escape,
    /// Fail with [`PathErrorKind::IllegalByte`](super::PathErrorKind::IllegalByte).
    Refuse,
}

/// The rules for paths: which bytes and segments are kept, rewritten or refused.
///
/// A small constant. The default of each option is its value in [`DEFAULT`](Self::DEFAULT). [The
/// module](super) has the order of the steps.
///
/// ```
/// use simdpct::Kinds;
/// use simdpct::path::{EncodedSlash, PathPolicy};
///
/// const POLICY: PathPolicy =
///     PathPolicy::DEFAULT.slash(EncodedSlash::Refuse).refuse(PathPolicy::DEFAULT.refused().union(Kinds::PERCENT));
/// assert_eq!(POLICY.canonicalize("/a%252fb").unwrap_err().to_string(), "refused: percent at byte 2");
/// ```
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct PathPolicy {
    pub(crate) refuse: Kinds,
    pub(crate) malformed: Malformed,
    pub(crate) slash: EncodedSlash,
    pub(crate) backslash: Backslash,
    pub(crate) dot_segments: DotSegments,
    pub(crate) empty_segments: EmptySegments,
    pub(crate) parameters: Parameters,
    pub(crate) hidden_segments: HiddenSegments,
    pub(crate) illegal: IllegalBytes,
    pub(crate) decode: ByteSet,
    /// Raw bytes that need a closer look: `%`, the suspects, and bytes that may be refused
    /// findings.
    pub(super) watched: ByteSet,
    /// Raw bytes other than `%` that may be rewritten or refused.
    pub(super) suspects: ByteSet,
    /// Findings that have to be examined symbol by symbol. [`Kinds`] of segments are not among
    /// them.
    pub(super) special: Kinds,
    /// The decoder that makes a path canonical that has no suspects, no special findings, and no
    /// segment of interest.
    pub(super) plan: DecodePlan,
    pub(super) level: Option<Level>,
}

/// The options, without the values derived from them.
impl fmt::Debug for PathPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathPolicy")
            .field("refuse", &self.refuse)
            .field("malformed", &self.malformed)
            .field("slash", &self.slash)
            .field("backslash", &self.backslash)
            .field("dot_segments", &self.dot_segments)
            .field("empty_segments", &self.empty_segments)
            .field("parameters", &self.parameters)
            .field("hidden_segments", &self.hidden_segments)
            .field("illegal", &self.illegal)
            .field("decode", &self.decode)
            .field("level", &self.level)
            .finish()
    }
}

impl Default for PathPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl PathPolicy {
    /// Raw bytes that a path must not contain.
    pub(crate) const ILLEGAL: ByteSet = sets::PATH.without(b'%');

    /// The kinds of findings that depend on segments.
    pub(super) const SEGMENTS: Kinds = Kinds::DOT_SEGMENT.union(Kinds::EMPTY_SEGMENT);

    /// For routers, cache keys and access rules. Refuses bytes that no honest client sends: NUL and
    /// other control characters, malformed `%`s, invalid UTF-8, backslashes, climbing above the
    /// root, and [hidden](HiddenSegments) dot segments and empty segments, because no canonical
    /// form can resolve a `..` for one reader and not for another. Removes dot segments, merges
    /// slashes, escapes illegal bytes. An encoded slash is kept: a fifth of the escaped paths on
    /// the web have one.
    ///
    /// The canonical form has no finding of the kinds `DOT_SEGMENT`, `EMPTY_SEGMENT`, `NUL`,
    /// `CONTROL`, `BACKSLASH`, `MALFORMED` or `INVALID_UTF8`.
    pub const DEFAULT: Self = Self {
        refuse: Kinds::NUL.union(Kinds::CONTROL).union(Kinds::INVALID_UTF8),
        malformed: Malformed::Refuse,
        slash: EncodedSlash::Keep,
        backslash: Backslash::Refuse,
        dot_segments: DotSegments::Remove,
        empty_segments: EmptySegments::Merge,
        parameters: Parameters::StripFromDots,
        hidden_segments: HiddenSegments::Refuse,
        illegal: IllegalBytes::Escape,
        decode: sets::UNRESERVED,
        watched: ByteSet::EMPTY,
        suspects: ByteSet::EMPTY,
        special: Kinds::NONE,
        plan: DecodePlan::STRICT,
        level: None,
    }
    .compile();

    /// [`DEFAULT`](Self::DEFAULT), and refuses everything else that two of nine servers were seen
    /// to treat differently: encoded slashes, a second layer of encoding, `%uXXXX`, encoded `?` and
    /// `#`, dot segments, empty segments, parameters and illegal raw bytes. Only triplets are
    /// rewritten.
    pub const STRICT: Self = Self::DEFAULT
        .refuse(
            Self::DEFAULT
                .refuse
                .union(Kinds::PERCENT)
                .union(Kinds::DOUBLE)
                .union(Kinds::PATH_END)
                .union(Kinds::UNICODE),
        )
        .slash(EncodedSlash::Refuse)
        .dot_segments(DotSegments::Refuse)
        .empty_segments(EmptySegments::Refuse)
        .parameters(Parameters::Refuse)
        .illegal(IllegalBytes::Refuse);

    /// RFC 3986 6.2.2, with path segment normalization (6.2.2.3). Refuses nothing but a malformed
    /// `%`. Keeps backslashes, parameters, empty segments and hidden dot segments, because the RFC
    /// gives them no meaning: for comparing URIs, not for access rules.
    pub const RFC3986: Self = Self::DEFAULT
        .refuse(Kinds::NONE)
        .backslash(Backslash::Keep)
        .dot_segments(DotSegments::Clamp)
        .empty_segments(EmptySegments::Keep)
        .parameters(Parameters::Keep)
        .hidden_segments(HiddenSegments::Keep);

    /// nginx's `proxy_pass` with a URI (1.22): the path is decoded, resolved and encoded again. As
    /// nginx does, refuses NUL, raw control characters and spaces, ends the path at a `#`, and
    /// decodes `%2F`, so that `..%2F` is resolved. Keeps the dot segments that are hidden from
    /// nginx: `..%5C`, `..;x`, `..%3F`.
    pub const NGINX: Self = Self::DEFAULT
        .refuse(Kinds::NUL)
        .slash(EncodedSlash::Decode)
        .backslash(Backslash::Keep)
        .parameters(Parameters::Keep)
        .hidden_segments(HiddenSegments::Keep)
        .illegal(IllegalBytes::Nginx)
        .decode(sets::PCHAR);

    /// Envoy (1.40) with `normalize_path`, `merge_slashes` and `REJECT_REQUEST` for escaped
    /// slashes. Unlike Envoy, writes the digits of triplets in upper case, and refuses
    /// [hidden](HiddenSegments) dot segments (`..%3B`, `..%3F`), which Envoy forwards to servers
    /// that resolve them.
    pub const ENVOY: Self = Self::DEFAULT
        .refuse(Kinds::NUL.union(Kinds::NON_ASCII).union(Kinds::BACKSLASH))
        .malformed(Malformed::Keep)
        .slash(EncodedSlash::Refuse)
        .backslash(Backslash::ToSlash)
        .dot_segments(DotSegments::Clamp);

    /// lighttpd (1.4.69) by default. As lighttpd does, decodes `%2F`, so that `..%2F` is resolved,
    /// and escapes malformed `%`s. Keeps the dot segments that are hidden from lighttpd: `..%5C`,
    /// `..;x`, `..%3F`.
    pub const LIGHTTPD: Self = Self::DEFAULT
        .malformed(Malformed::Escape)
        .slash(EncodedSlash::Decode)
        .backslash(Backslash::Keep)
        .dot_segments(DotSegments::Clamp)
        .parameters(Parameters::Keep)
        .hidden_segments(HiddenSegments::Keep);

    /// The presets, with their names. A later version may refuse more under any of them.
    pub const PRESETS: &[(&str, Self)] = &[
        ("default", Self::DEFAULT),
        ("strict", Self::STRICT),
        ("rfc3986", Self::RFC3986),
        ("nginx", Self::NGINX),
        ("envoy", Self::ENVOY),
        ("lighttpd", Self::LIGHTTPD),
    ];

    /// [`DEFAULT`](Self::DEFAULT).
    #[must_use]
    pub const fn new() -> Self {
        Self::DEFAULT
    }

    /// Replaces the kinds of findings to refuse.
    #[must_use]
    pub const fn refuse(mut self, kinds: Kinds) -> Self {
        self.refuse = kinds;
        self.compile()
    }

    /// The kinds of findings that are refused.
    #[must_use]
    pub const fn refused(&self) -> Kinds {
        self.refuse
    }

    /// Sets how to treat a malformed `%`. Refused by default.
    #[must_use]
    pub const fn malformed(mut self, malformed: Malformed) -> Self {
        self.malformed = malformed;
        self.compile()
    }

    /// Sets how to treat an encoded slash. Kept by default.
    #[must_use]
    pub const fn slash(mut self, slash: EncodedSlash) -> Self {
        self.slash = slash;
        self.compile()
    }

    /// Sets how to treat a backslash. Refused by default.
    #[must_use]
    pub const fn backslash(mut self, backslash: Backslash) -> Self {
        self.backslash = backslash;
        self.compile()
    }

    /// Sets how to treat dot segments. Removed by default.
    #[must_use]
    pub const fn dot_segments(mut self, dot_segments: DotSegments) -> Self {
        self.dot_segments = dot_segments;
        self.compile()
    }

    /// Sets how to treat empty segments. Merged by default.
    #[must_use]
    pub const fn empty_segments(mut self, empty_segments: EmptySegments) -> Self {
        self.empty_segments = empty_segments;
        self.compile()
    }

    /// Sets how to treat parameters. Stripped from dot segments by default.
    #[must_use]
    pub const fn parameters(mut self, parameters: Parameters) -> Self {
        self.parameters = parameters;
        self.compile()
    }

    /// Sets how to treat hidden dot segments and hidden empty segments. Refused by default.
    #[must_use]
    pub const fn hidden_segments(mut self, hidden_segments: HiddenSegments) -> Self {
        self.hidden_segments = hidden_segments;
        self.compile()
    }

    /// Sets how to treat raw bytes that a path must not contain. Escaped by default.
    #[must_use]
    pub const fn illegal(mut self, illegal: IllegalBytes) -> Self {
        self.illegal = illegal;
        self.compile()
    }

    /// Sets the bytes whose triplets are decoded. Unreserved characters are always decoded. Other
    /// characters of `pchar` (RFC 3986 3.3) are decoded if they are in `set`, except `+` if a raw
    /// `+` is refused. Other bytes are never decoded: the result would be another path.
    #[must_use]
    pub const fn decode(mut self, set: ByteSet) -> Self {
        self.decode = set.intersection(sets::PCHAR).union(sets::UNRESERVED);
        self.compile()
    }

    /// Selects the level to run on. If the CPU lacks it, the best available level below it is used.
    /// The result is the same on every level.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// The bytes whose triplets are decoded, without the bytes that are refused raw, which would
    /// pass once, and not twice.
    pub(super) const fn decoded(&self) -> ByteSet {
        if self.refuse.contains(Kinds::PLUS) { self.decode.without(b'+') } else { self.decode }
    }

    /// Raw bytes that are refused although `illegal` does not say so, mostly because their triplets
    /// are: an escaped one would pass once, and not twice.
    pub(super) const fn refused_raw(&self) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        if self.refuse.contains(Kinds::NUL) {
            set = set.with(0);
        }
        if self.refuse.contains(Kinds::CONTROL) {
            set = set.union(ByteSet::range(0, 0x1F).with(0x7F));
        }
        if self.refuse.contains(Kinds::BACKSLASH) {
            set = set.with(b'\\');
        }
        if self.refuse.contains(Kinds::PATH_END) {
            set = set.with(b'?').with(b'#');
        }
        if self.refuse.contains(Kinds::ESCAPE) {
            set = set.union(Self::ILLEGAL);
        }
        if matches!(self.illegal, IllegalBytes::Nginx) {
            set = set.union(ByteSet::range(0, 0x20).with(0x7F));
        }
        set
    }

    /// Whether a malformed `%` can be written as `%25`.
    pub(super) const fn allows_percent(&self) -> bool {
        !self.refuse.intersects(Kinds::PERCENT.union(Kinds::ESCAPE))
    }

    /// Raw bytes that are escaped, if illegal bytes are.
    pub(super) const fn escaped(&self) -> ByteSet {
        match self.backslash {
            Backslash::Keep => Self::ILLEGAL,
            Backslash::ToSlash | Backslash::Refuse => Self::ILLEGAL.without(b'\\'),
        }
    }

    /// Derives the sets that are searched for.
    const fn compile(mut self) -> Self {
        let mut suspects = match self.illegal {
            IllegalBytes::Keep | IllegalBytes::Nginx => ByteSet::EMPTY,
            IllegalBytes::Escape | IllegalBytes::Refuse => Self::ILLEGAL,
        };
        suspects = suspects.union(self.refused_raw());
        if !matches!((self.backslash, self.hidden_segments), (Backslash::Keep, HiddenSegments::Keep)) {
            suspects = suspects.with(b'\\');
        }
        // `..;` and `;x` are found as segments that begin with a dot or a semicolon.
        if matches!(self.parameters, Parameters::Strip | Parameters::Refuse) {
            suspects = suspects.with(b';');
        }
        // Other kinds of findings are triplets, begin with `%`, or are segments.
        let mut watched = suspects.with(b'%');
        if self.refuse.contains(Kinds::PLUS) {
            watched = watched.with(b'+');
        }
        if self.refuse.contains(Kinds::SEMICOLON) {
            watched = watched.with(b';');
        }
        if self.refuse.intersects(Self::SEGMENTS) {
            watched = watched.with(b'\\');
        }
        if self.refuse.intersects(Kinds::ILLEGAL.union(Kinds::NON_ASCII).union(Kinds::INVALID_UTF8)) {
            watched = watched.union(Self::ILLEGAL);
        }
        let mut special = Kinds::MALFORMED;
        if !matches!(self.slash, EncodedSlash::Keep) {
            special = special.union(Kinds::SLASH);
        }
        if !matches!(self.backslash, Backslash::Keep) {
            special = special.union(Kinds::BACKSLASH);
        }
        // A raw `;` is a suspect, or follows a slash or a dot segment.
        if matches!(self.parameters, Parameters::Refuse) || self.decode.contains(b';') {
            special = special.union(Kinds::SEMICOLON);
        }
        // A decoded digit could complete it.
        if self.refuse.contains(Kinds::DOUBLE) {
            special = special.union(Kinds::PERCENT);
        }
        (self.suspects, self.watched, self.special) = (suspects, watched, special);
        self.plan = DecodePlan::normalize(self.decoded().complement());
        self
    }
}

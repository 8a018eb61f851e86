//! Canonical paths: one auditable meaning of the path of a request, before a router, a cache key or
//! an access rule sees it.
//!
//! Servers disagree about `%2f`, `\`, dot segments, `//`, `;` and malformed `%`s. A path that one
//! of them allows as `/public/..%2fadmin`, the next one serves as `/admin`. A [`PathPolicy`] says
//! for each of these whether it is kept, rewritten or refused. It helps only if the path that a
//! rule is evaluated on is the path that is forwarded: make it canonical before any decision.
//!
//! ```
//! use simdpct::path::{PathErrorKind, PathPolicy};
//!
//! let mut path = *b"/a/%2e%2e/%7euser//x%2fy";
//! assert_eq!(PathPolicy::DEFAULT.canonicalize_in_place(&mut path)?, b"/~user/x%2Fy");
//!
//! let error = PathPolicy::DEFAULT.canonicalize_in_place(&mut b"/static/../../etc/passwd".to_owned()).unwrap_err();
//! assert_eq!((error.kind, error.position), (PathErrorKind::AboveRoot, 11));
//! # Ok::<(), simdpct::path::PathError>(())
//! ```
//!
//! # Whole requests
//!
//! A [`RequestGuard`] decides on the target of a request as a server received it, in each of the
//! four forms of RFC 9112 3.2: pass it, replace it by the same target with the canonical path, or
//! refuse the request, with a line for the log. It has a policy, kinds to refuse in the path and in
//! the query, and can only report. It and its policy are also texts, for configuration files.
//!
//! ```
//! use simdpct::path::{Action, RequestGuard, RequestMethod};
//!
//! let guard: RequestGuard = "query=nul default slash=refuse".parse()?;
//! let mut output = [0; 256];
//! let verdict = guard.check(RequestMethod::Other, b"http://host/a/../%61dmin?x", &mut output);
//! assert_eq!(verdict.action, Action::Rewrite(b"http://host/admin?x"));
//!
//! let target = b"/public%2F../admin";
//! let verdict = guard.check(RequestMethod::Other, target, &mut output);
//! assert_eq!(verdict.action, Action::Refuse);
//! let line = verdict.refusal.map(|refusal| refusal.line(target).to_string());
//! assert_eq!(line.as_deref(), Some(r#"refused: encoded-slash at byte 7 of path: "/public%2F../admin""#));
//! # Ok::<(), simdpct::path::PolicyError>(())
//! ```
//!
//! # When to use it
//!
//! Before anything is decided by the path of a request: in a proxy, in front of a router, an access
//! rule or a cache. To compare or store whole URLs use `uri::UrlNormalizer` (feature `idna`), to
//! compare only their triplets [`equivalent`](fn@crate::equivalent), and to count suspicious
//! requests without changing any [`inspect`](fn@crate::inspect).
//!
//! # Choosing a policy
//!
//! | policy | use it |
//! |---|---|
//! | [`DEFAULT`](PathPolicy::DEFAULT) | for the web at large: refuses only paths that no honest client sends |
//! | [`STRICT`](PathPolicy::STRICT) | for an API whose clients you know: also refuses paths that servers were seen to read differently |
//! | [`RFC3986`](PathPolicy::RFC3986) | to compare URIs, never for access rules: refuses only a malformed `%` |
//! | [`NGINX`](PathPolicy::NGINX), [`ENVOY`](PathPolicy::ENVOY), [`LIGHTTPD`](PathPolicy::LIGHTTPD) | to see the path as that server does |
//!
//! Change one option of the nearest preset rather than all of them.
//!
//! # Choosing a form
//!
//! | you have | use |
//! |---|---|
//! | a request target | [`RequestGuard::check`] |
//! | a path, and an allocator | `PathPolicy::canonicalize`, `canonicalize_to` |
//! | a path that may be overwritten | [`PathPolicy::canonicalize_in_place`] |
//! | a buffer for the result | [`PathPolicy::canonicalize_into`] |
//! | an arena or a pool, and mostly canonical paths | [`PathPolicy::canonicalize_with`] |
//! | only the question | [`PathPolicy::is_canonical`] |
//!
//! # Example: targets of an access log
//!
//! ```
//! use simdpct::path::{PathPolicy, split};
//!
//! # #[cfg(feature = "alloc")] {
//! let answer = |policy: PathPolicy, target: &str| match policy.canonicalize(split(target).0) {
//!     Ok(path) => path.into_owned(),
//!     Err(error) => error.to_string(),
//! };
//! let web = |target: &str| answer(PathPolicy::DEFAULT, target);
//! // An encoded slash is data of a segment. It stays encoded, so the path has the same segments.
//! assert_eq!(web("/repos/team%2Fproject/%62ranches/feature%2Flogin"), "/repos/team%2Fproject/branches/feature%2Flogin");
//! assert_eq!(web("/files/na%C3%AFve Bayes.pdf"), "/files/na%C3%AFve%20Bayes.pdf");
//! assert_eq!(web("/static/%2e%2e/%2e%2e/%2E%2E/etc/shadow"), "dot segment above the root at byte 15");
//! assert_eq!(web("/scripts/..%c0%af../winnt/system32/cmd.exe?/c+dir"), "refused: invalid-utf8 at byte 11");
//! // A second layer of encoding is data too, but an API has no need of it.
//! assert_eq!(web("/files/a%252Fb.txt"), "/files/a%252Fb.txt");
//! assert_eq!(answer(PathPolicy::STRICT, "/files/a%252Fb.txt"), "refused: percent double at byte 8");
//! # }
//! ```
//!
//! # Mistakes
//!
//! * **To check one path and forward another.** Replace the server's own path, then decide.
//! * **To decode the path before it is split into segments.** `/a%2Fb` has one segment. Split the
//!   canonical path with [`uri::segments`](crate::uri::segments), then decode each segment.
//! * **To pass the query too.** A `?` is an illegal byte of a path: `/a?b` becomes `/a%3Fb`. Split
//!   the target first, or give it to a [`RequestGuard`].
//! * **To decode the result once more.** The canonical form of `/%252e%252e/` is `/%252e%252e/`,
//!   and only a server that decodes twice makes `/../` of it. [`STRICT`](PathPolicy::STRICT)
//!   refuses it.
//! * **To compare with a prefix that ends within a segment.** `/admin` is a prefix of
//!   `/administrators`.
//!
//! # Order
//!
//! The order of the steps is fixed. No option can decode after dot segments were removed.
//!
//! 1. **Refuse.** If the path has findings of the kinds given to [`refuse`](PathPolicy::refuse),
//!    the first one is the error. Nothing else has been looked at then.
//! 2. **Decode once.** Triplets of unreserved characters are decoded, and triplets that the policy
//!    adds. `%` is never decoded. All other triplets get upper-case digits (RFC 3986 6.2.2.1).
//!    Illegal raw bytes are escaped.
//! 3. **Segments.** In each segment, in order: parameters, dot segments (RFC 3986 5.2.4), empty
//!    segments.
//!
//! Errors are reported segment by segment: first errors of its bytes, then errors of the segment
//! itself, of which a [hidden](HiddenSegments) segment is the last. If removing parameters makes
//! segments of a kind that is refused (`/a%2F;x/b`), the position is that of the first parameter
//! that was removed.
//!
//! # Properties
//!
//! * The result is longer than the path only if raw bytes or malformed `%`s are escaped, or if
//!   [`EmptySegments::Keep`] writes `/.` before an empty first segment.
//! * Idempotent: the canonical form of a canonical path is the same. A raw byte is therefore
//!   refused, not escaped, if the policy refuses its triplet, and a triplet kept, not decoded, if
//!   the policy refuses its raw byte.
//! * No triplet is created, except `%25` and the triplets of escaped bytes.
//! * The result begins with `//` only if the path does.
//! * Nothing is allocated, except by `canonicalize` if the result differs. Linear time. If a path
//!   has no `%` and nothing else to rewrite, one pass with SIMD and no write.
//!
//! # What a policy cannot know
//!
//! A path that is canonical may still name one thing for a rule and another for the server behind
//! it, if that server does more than decode once:
//!
//! * Windows ignores dots and spaces at the end of a name, and reads `file::$DATA` as `file`.
//! * Letter case: `/Admin` and `/admin` are two paths, but one file on some file systems.
//! * `+` is data in a path. Software that decodes paths as forms reads a space.
//! * C1 control characters (U+0080 to U+009F), full-width forms (U+FF0E, U+FF0F) and other
//!   compatibility characters are data. Software that normalizes Unicode (NFKC) may make dots and
//!   slashes of them. Two spellings of one text (NFC, NFD) are two paths.
//! * A server may decode twice. [`PathPolicy::STRICT`] refuses `%25`.
//! * Parameters (`;x`) belong to their segment. With [`Parameters::StripFromDots`], a rule for the
//!   exact path `/admin` does not match `/admin;x`, which a servlet container serves as `/admin`.
//!   Use [`Parameters::Strip`] before such servers.
//!
//! # Input
//!
//! A policy takes the path of the request target: absolute, without the query. [`Target::split`]
//! splits a target of any form, [`split`] one in origin form. To a policy, the asterisk form (`*`)
//! and the absolute form (`http://...`) of RFC 9112 3.2 are not paths, and an error.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, vec::Vec};

mod error;
mod guard;
mod policy;
mod refusal;
mod rewrite;
mod scan;
mod target;
mod text;

pub use error::{PathError, PathErrorKind};
pub use guard::{Action, RequestGuard, Verdict};
pub use policy::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathPolicy,
};
pub use refusal::{Refusal, TargetPart};
pub use target::{RequestMethod, Target, TargetForm};
pub use text::PolicyError;

use crate::driver;
use crate::error::{DecodeError, DecodeIntoError};
use crate::input::{Input, SealedSlice as _};
use scan::Scan;

/// Splits a request target (RFC 9112 3.2.1) at its first `?`: the path, and the query with its `?`,
/// which is empty if there is none.
///
/// A `#` does not end the path. Clients send no fragment, so a raw `#` is an illegal byte of the
/// path.
///
/// ```
/// use simdpct::path::split;
///
/// assert_eq!(split("/a?b?c"), ("/a", "?b?c"));
/// assert_eq!(split(b"/a"), (&b"/a"[..], &b""[..]));
/// ```
#[must_use]
pub fn split<T: Input + ?Sized>(target: &T) -> (&T::Slice, &T::Slice) {
    let bytes = target.as_bytes();
    let end = memchr::memchr(b'?', bytes).unwrap_or(bytes.len());
    let target = target.as_same();
    (target.part(0..end), target.part(end..bytes.len()))
}

impl PathPolicy {
    /// Makes a path canonical in place, at the start of `path`, and returns that part.
    ///
    /// # Errors
    ///
    /// [`PathErrorKind::OutputTooSmall`] if [`output_len_bound`](Self::output_len_bound) is more
    /// than the length of the path, because bytes have to be escaped: use
    /// [`canonicalize_into`](Self::canonicalize_into). This error comes first. Otherwise the first
    /// thing that the policy refuses. On error, the contents of `path` are unspecified.
    pub fn canonicalize_in_place<'a>(&self, path: &'a mut [u8]) -> Result<&'a mut [u8], PathError> {
        let length = self.cut(path).len();
        let path = &mut path[..length];
        let scan = scan::scan(self, path);
        if matches!(scan, Ok(Scan::Symbols(_)) | Err(_)) {
            let needed = self.output_len_bound(path);
            if needed > length {
                return Err(PathError::new(PathErrorKind::OutputTooSmall { needed }, 0));
            }
        }
        let length = match scan? {
            Scan::Canonical => length,
            Scan::Triplets(_) => driver::decode_in_place(path, &self.plan, self.level).map_err(malformed)?,
            Scan::Symbols(from) => rewrite::rewrite(self, path, 0, from)?,
        };
        Ok(&mut path[..length])
    }

    /// Writes the canonical form to the start of `output`, and returns its length.
    ///
    /// # Errors
    ///
    /// [`PathErrorKind::OutputTooSmall`] if `output` is shorter than
    /// [`output_len_bound`](Self::output_len_bound). This error comes first. Otherwise the first
    /// thing that the policy refuses. On error, the contents of `output` are unspecified.
    ///
    /// ```
    /// use simdpct::path::PathPolicy;
    ///
    /// let mut output = [0; 32];
    /// let length = PathPolicy::DEFAULT.canonicalize_into("/caf\u{e9} %e2%82%ac".as_bytes(), &mut output)?;
    /// assert_eq!(&output[..length], b"/caf%C3%A9%20%E2%82%AC");
    /// # Ok::<(), simdpct::path::PathError>(())
    /// ```
    pub fn canonicalize_into<T: Input + ?Sized>(&self, path: &T, output: &mut [u8]) -> Result<usize, PathError> {
        if let Some(canonical) = self.canonicalize_with(path, |needed| output.get_mut(..needed))? {
            return Ok(canonical.len());
        }
        let path = self.cut(path).as_bytes();
        let needed = path.len();
        let output = output.get_mut(..needed).ok_or(PathError::new(PathErrorKind::OutputTooSmall { needed }, 0))?;
        output.copy_from_slice(path);
        Ok(path.len())
    }

    /// Writes the canonical form to memory that `room` returns for the length that is needed, at
    /// most [`output_len_bound`](Self::output_len_bound), and returns it. `None` if the path, as
    /// far as the policy [looks](Self::cut) at it, is canonical; `room` is then not called.
    ///
    /// # Errors
    ///
    /// As [`canonicalize_into`](Self::canonicalize_into). [`PathErrorKind::OutputTooSmall`] if
    /// `room` returns `None` or less.
    ///
    /// ```
    /// use simdpct::path::PathPolicy;
    ///
    /// let mut memory = Vec::new();
    /// let canonical = PathPolicy::DEFAULT.canonicalize_with(b"/a/../b", |needed| {
    ///     memory.resize(needed, 0);
    ///     Some(&mut memory)
    /// })?;
    /// assert_eq!(canonical.as_deref(), Some(&b"/b"[..]));
    /// assert!(PathPolicy::DEFAULT.canonicalize_with(b"/b", |_| unreachable!())?.is_none());
    /// # Ok::<(), simdpct::path::PathError>(())
    /// ```
    pub fn canonicalize_with<'o, T: Input + ?Sized>(
        &self,
        path: &T,
        room: impl FnOnce(usize) -> Option<&'o mut [u8]>,
    ) -> Result<Option<&'o mut [u8]>, PathError> {
        let path = self.cut(path).as_bytes();
        let scan = scan::scan(self, path).map(|scan| scan.narrow(self, path));
        if matches!(scan, Ok(Scan::Canonical)) {
            return Ok(None);
        }
        let needed = self.room(path, &scan);
        let output = room(needed)
            .and_then(|room| room.get_mut(..needed))
            .ok_or(PathError::new(PathErrorKind::OutputTooSmall { needed }, 0))?;
        let length = self.write(path, scan?, output)?;
        Ok(Some(&mut output[..length]))
    }

    /// The space that the canonical form of a scanned path needs.
    fn room(&self, path: &[u8], scan: &Result<Scan, PathError>) -> usize {
        match scan {
            Ok(Scan::Canonical | Scan::Triplets(_)) => path.len(),
            _ => self.output_len_bound(path),
        }
    }

    /// Writes the canonical form to `output`, which has the length that [`room`](Self::room)
    /// returns.
    fn write(&self, path: &[u8], scan: Scan, output: &mut [u8]) -> Result<usize, PathError> {
        match scan {
            Scan::Canonical => output.copy_from_slice(path),
            Scan::Triplets(from) => {
                output[..from].copy_from_slice(&path[..from]);
                let rest = driver::as_uninit(&mut output[from..]);
                return match driver::decode(&path[from..], rest, &self.plan, self.level) {
                    Ok(length) => Ok(from + length),
                    Err(DecodeIntoError::Decode(error)) => Err(malformed(error)),
                    Err(DecodeIntoError::BufferTooSmall(error)) => {
                        Err(PathError::new(PathErrorKind::OutputTooSmall { needed: error.needed }, 0))
                    }
                };
            }
            Scan::Symbols(from) => {
                let start = output.len() - path.len();
                output[start..].copy_from_slice(path);
                return rewrite::rewrite(self, output, start, from);
            }
        }
        Ok(path.len())
    }

    /// The space that [`canonicalize_into`](Self::canonicalize_into) asks for: the length of the
    /// path, and two bytes more for each byte that is escaped. At most three times the length.
    #[must_use]
    pub fn output_len_bound<T: Input + ?Sized>(&self, path: &T) -> usize {
        rewrite::len_bound(self, self.cut(path).as_bytes())
    }

    /// The part of a path that the policy looks at: with [`IllegalBytes::Nginx`], up to a raw `#`;
    /// otherwise all of it.
    #[must_use]
    pub fn cut<'a, T: Input + ?Sized>(&self, path: &'a T) -> &'a T::Slice {
        let end = match self.illegal {
            IllegalBytes::Nginx => memchr::memchr(b'#', path.as_bytes()),
            _ => None,
        };
        end.map_or(path.as_same(), |end| path.as_same().part(0..end))
    }

    /// Whether the path is canonical: making it so would succeed and change nothing.
    ///
    /// ```
    /// use simdpct::path::PathPolicy;
    ///
    /// assert!(PathPolicy::DEFAULT.is_canonical(b"/~user/x%2Fy"));
    /// assert!(!PathPolicy::DEFAULT.is_canonical(b"/a/../b"));
    /// assert!(!PathPolicy::DEFAULT.is_canonical(b"/%00"));
    /// ```
    #[must_use]
    pub fn is_canonical<T: Input + ?Sized>(&self, path: &T) -> bool {
        let path = path.as_bytes();
        self.cut(path).len() == path.len()
            && scan::scan(self, path).is_ok_and(|scan| matches!(scan.narrow(self, path), Scan::Canonical))
    }
}

/// Not reached: [`Scan::Triplets`] excludes a malformed `%`.
#[cold]
fn malformed(error: DecodeError) -> PathError {
    PathError::new(PathErrorKind::Malformed, error.position)
}

#[cfg(feature = "alloc")]
impl PathPolicy {
    /// The canonical form: text if the path is text, otherwise bytes. Borrows the path if it is
    /// canonical.
    ///
    /// # Errors
    ///
    /// Returns the first thing that the policy refuses.
    ///
    /// ```
    /// use simdpct::Kinds;
    /// use simdpct::path::PathPolicy;
    ///
    /// assert_eq!(PathPolicy::DEFAULT.canonicalize("/a/./b|c")?, "/a/b%7Cc");
    /// let policy = PathPolicy::DEFAULT.refuse(Kinds::NONE);
    /// assert_eq!(policy.canonicalize(b"/a/./\xFF")?, &b"/a/%FF"[..]);
    /// # Ok::<(), simdpct::path::PathError>(())
    /// ```
    pub fn canonicalize<'a, T: Input + ?Sized>(&self, path: &'a T) -> Result<Cow<'a, T::Slice>, PathError> {
        // The policy cuts at an ASCII byte only.
        let path = self.cut(path);
        let scan = scan::scan(self, path.as_bytes())?.narrow(self, path.as_bytes());
        if matches!(scan, Scan::Canonical) {
            return Ok(Cow::Borrowed(path));
        }
        let mut output = Vec::new();
        self.append(path.as_bytes(), scan, &mut output)?;
        Ok(Cow::Owned(T::Slice::owned(output)))
    }

    /// Appends the canonical form to `output`.
    ///
    /// # Errors
    ///
    /// Returns the first thing that the policy refuses. On error, `output` is unchanged.
    ///
    /// ```
    /// use simdpct::path::PathPolicy;
    ///
    /// let mut output = b"GET ".to_vec();
    /// PathPolicy::DEFAULT.canonicalize_to("/a/../b", &mut output)?;
    /// assert_eq!(output, b"GET /b");
    /// # Ok::<(), simdpct::path::PathError>(())
    /// ```
    pub fn canonicalize_to<T: Input + ?Sized>(&self, path: &T, output: &mut Vec<u8>) -> Result<(), PathError> {
        let path = self.cut(path).as_bytes();
        self.append(path, scan::scan(self, path)?, output)
    }

    /// Appends the canonical form of a scanned path. On error, `output` is unchanged.
    fn append(&self, path: &[u8], scan: Scan, output: &mut Vec<u8>) -> Result<(), PathError> {
        let start = output.len();
        output.resize(start + self.room(path, &Ok(scan)), 0);
        let written = self.write(path, scan, &mut output[start..]);
        output.truncate(start + written.unwrap_or(0));
        written.map(drop)
    }
}

//! Canonical paths: one auditable meaning of the path of a request, before a router, a cache key or
//! an access rule sees it.
//!
//! Servers disagree about `%2f`, `\`, dot segments, `//`, `;` and malformed `%`s. A path that one
//! of them allows as `/public/..%2fadmin`, the next one serves as `/admin`. A [`PathPolicy`] says
//! for each of these whether it is kept, rewritten or refused. Its result means the same to every
//! server that decodes once.
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
//! # Order
//!
//! The order of the steps is fixed. No option can decode after dot segments were removed.
//!
//! 1. **Refuse.** If the path has findings of the kinds given to [`refuse`](PathPolicy::refuse),
//!    the first one is the error. Nothing else has been looked at then.
//! 2. **Decode once.** Triplets of unreserved characters are decoded, and those that the policy
//!    adds. `%` is never decoded. All other triplets get upper-case digits (RFC 3986 6.2.2.1).
//!    Illegal raw bytes are escaped.
//! 3. **Segments.** In each segment, in order: parameters, dot segments (RFC 3986 5.2.4), empty
//!    segments.
//!
//! Errors are reported segment by segment: first those of its bytes, then those of the segment
//! itself. If removing parameters makes segments of a kind that is refused (`/a%2F;x/b`), the
//! position is that of the first parameter.
//!
//! # Properties
//!
//! * The result is longer than the path only if raw bytes or malformed `%`s are escaped.
//! * Idempotent: the canonical form of a canonical path is the same. A raw byte is therefore
//!   refused, not escaped, if the policy refuses its triplet, and a triplet kept, not decoded, if
//!   the policy refuses its raw byte.
//! * No triplet is created, except `%25` and the triplets of escaped bytes.
//! * Nothing is allocated, except by `canonicalize` if the result differs. Linear time. If nothing
//!   is to do, one pass with SIMD and no write.
//!
//! # Input
//!
//! The path of the request target: absolute, without the query. [`split`] cuts a target. The
//! asterisk form (`*`) and the absolute form (`http://...`) of RFC 9112 3.2 are not paths, and are
//! an error.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec};

mod error;
mod policy;
mod rewrite;
mod scan;

pub use error::{PathError, PathErrorKind};
pub use policy::{Backslash, DotSegments, EmptySegments, EncodedSlash, IllegalBytes, Parameters, PathPolicy};

/// Splits a request target (RFC 9112 3.2.1) at its first `?`: the path, and the query with its `?`,
/// which is empty if there is none.
///
/// A `#` does not end the path. Clients send no fragment, so a raw `#` is an illegal byte of the
/// path.
///
/// ```
/// use simdpct::path::split;
///
/// assert_eq!(split(b"/a?b?c"), (&b"/a"[..], &b"?b?c"[..]));
/// assert_eq!(split(b"/a"), (&b"/a"[..], &b""[..]));
/// ```
#[must_use]
pub fn split(target: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'?', target).unwrap_or(target.len());
    target.split_at(end)
}

impl PathPolicy {
    /// Makes a path canonical in place, at the start of `path`, and returns that part.
    ///
    /// # Errors
    ///
    /// Returns the first thing that the policy refuses. [`PathErrorKind::OutputTooSmall`] if bytes
    /// have to be escaped, for which there is no room in place: use
    /// [`canonicalize_into`](Self::canonicalize_into). On error, the contents of `path` are
    /// unspecified.
    pub fn canonicalize_in_place<'a>(&self, path: &'a mut [u8]) -> Result<&'a mut [u8], PathError> {
        if scan::is_canonical(self, path)? {
            return Ok(path);
        }
        let needed = self.output_len_bound(path);
        if needed > path.len() {
            return Err(PathError::new(PathErrorKind::OutputTooSmall { needed }, path.len()));
        }
        let length = rewrite::rewrite(self, path.len(), |buffer, at| buffer[at], path)?;
        Ok(&mut path[..length])
    }

    /// Writes the canonical form to the start of `output`, and returns its length.
    ///
    /// # Errors
    ///
    /// Returns the first thing that the policy refuses. [`PathErrorKind::OutputTooSmall`] if
    /// `output` is shorter than [`output_len_bound`](Self::output_len_bound). On error, the
    /// contents of `output` are unspecified.
    ///
    /// ```
    /// use simdpct::path::PathPolicy;
    ///
    /// let mut output = [0; 32];
    /// let length = PathPolicy::DEFAULT.canonicalize_into("/caf\u{e9} %e2%82%ac".as_bytes(), &mut output)?;
    /// assert_eq!(&output[..length], b"/caf%C3%A9%20%E2%82%AC");
    /// # Ok::<(), simdpct::path::PathError>(())
    /// ```
    pub fn canonicalize_into(&self, path: &[u8], output: &mut [u8]) -> Result<usize, PathError> {
        let is_canonical = scan::is_canonical(self, path)?;
        let needed = self.output_len_bound(path);
        let room = output.len();
        let output = output
            .get_mut(..needed)
            .ok_or(PathError::new(PathErrorKind::OutputTooSmall { needed }, room.min(path.len())))?;
        if is_canonical {
            output.copy_from_slice(path);
            return Ok(path.len());
        }
        rewrite::rewrite(self, path.len(), |_, at| path[at], output)
    }

    /// The room that [`canonicalize_into`](Self::canonicalize_into) asks for: the length of the
    /// path, and two bytes more for each byte that is escaped. At most three times the length.
    #[must_use]
    pub fn output_len_bound(&self, path: &[u8]) -> usize {
        rewrite::len_bound(self, path)
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
    pub fn is_canonical(&self, path: &[u8]) -> bool {
        match scan::is_canonical(self, path) {
            Ok(true) => true,
            Err(_) => false,
            // What the scan suspects may still be canonical: `/a;b`, `/.well-known`.
            Ok(false) => rewrite::is_unchanged(self, path),
        }
    }
}

#[cfg(feature = "alloc")]
impl PathPolicy {
    /// The canonical form as text. Borrows the path if it is canonical.
    ///
    /// # Errors
    ///
    /// Returns the first thing that the policy refuses.
    ///
    /// ```
    /// use simdpct::path::PathPolicy;
    ///
    /// assert_eq!(PathPolicy::DEFAULT.canonicalize("/a/./b|c")?, "/a/b%7Cc");
    /// # Ok::<(), simdpct::path::PathError>(())
    /// ```
    pub fn canonicalize<'a>(&self, path: &'a str) -> Result<Cow<'a, str>, PathError> {
        // What the scan suspects may still be canonical: `/a;b`, `/.well-known`.
        if scan::is_canonical(self, path.as_bytes())? || rewrite::is_unchanged(self, path.as_bytes()) {
            return Ok(Cow::Borrowed(path));
        }
        let mut output = vec![0; self.output_len_bound(path.as_bytes())];
        let length = rewrite::rewrite(self, path.len(), |_, at| path.as_bytes()[at], &mut output)?;
        output.truncate(length);
        // Only ASCII is decoded, and only whole segments and parameters are removed, so text stays
        // text.
        Ok(Cow::Owned(String::from_utf8(output).expect("the canonical form of text is text")))
    }
}

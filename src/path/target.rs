//! `Target`: the parts of a request target.
#![forbid(unsafe_code)]

use super::{PathError, PathErrorKind};
use crate::byteset::ByteSet;
use crate::sets;

/// The methods by which forms of targets are allowed (RFC 9112 3.2).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RequestMethod {
    /// `CONNECT`: the target is in authority form.
    Connect,
    /// `OPTIONS`: the target may be in asterisk form.
    Options,
    /// Any other method: the target is in origin form or absolute form.
    #[default]
    Other,
}

impl RequestMethod {
    /// The method with this name. Names are case-sensitive (RFC 9110 9.1).
    #[must_use]
    pub fn from_name(name: &[u8]) -> Self {
        match name {
            b"CONNECT" => Self::Connect,
            b"OPTIONS" => Self::Options,
            _ => Self::Other,
        }
    }
}

/// The form of a request target (RFC 9112 3.2).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum TargetForm {
    /// `/path?query`: begins with a slash, also with `//`.
    Origin,
    /// `http://host/path?query`, to a proxy.
    Absolute,
    /// `host:port`, of `CONNECT`.
    Authority,
    /// `*`, of `OPTIONS`.
    Asterisk,
}

/// The parts of a request target (RFC 9112 3.2). One after the other they are the target.
///
/// ```
/// use simdpct::path::{RequestMethod, Target, TargetForm};
///
/// let target = Target::split(RequestMethod::Other, b"http://host?q")?;
/// assert_eq!(target.form, TargetForm::Absolute);
/// assert_eq!((target.origin, target.path, target.query), (&b"http://host"[..], &b""[..], &b"?q"[..]));
/// # Ok::<(), simdpct::path::PathError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The form.
    pub form: TargetForm,
    /// In absolute form the scheme and the authority, otherwise empty.
    pub origin: &'a [u8],
    /// The path. Empty if an absolute form has none; all of an authority form or asterisk form.
    pub path: &'a [u8],
    /// The query with its `?`, or empty.
    pub query: &'a [u8],
}

/// Bytes of an authority without user information, which RFC 9110 4.2.4 deprecates.
const AUTHORITY: ByteSet = sets::UNRESERVED.union(sets::SUB_DELIMS).union(ByteSet::new(b":[]%"));

impl<'a> Target<'a> {
    /// Splits a request target.
    ///
    /// # Errors
    ///
    /// [`PathErrorKind::NotAbsolute`] if it has none of the forms that the method allows;
    /// [`PathErrorKind::IllegalByte`] for the first byte that an authority must not have, also the
    /// `@` of user information (RFC 9110 4.2.4). Positions are in the target.
    pub fn split(method: RequestMethod, target: &'a [u8]) -> Result<Self, PathError> {
        let whole = |form| Ok(Self { form, origin: b"", path: target, query: b"" });
        match (method, target) {
            (RequestMethod::Connect, _) => {
                check_authority(target, 0)?;
                let port = target.rsplit(|&byte| byte == b':').next().unwrap_or_default();
                let has_host = target.len() > port.len() + 1;
                let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
                if has_host && is_port { whole(TargetForm::Authority) } else { Err(not_absolute(0)) }
            }
            (_, [b'/', ..]) => {
                let (path, query) = super::split(target);
                Ok(Self { form: TargetForm::Origin, origin: b"", path, query })
            }
            (RequestMethod::Options, b"*") => whole(TargetForm::Asterisk),
            _ => {
                let start = end_of_scheme(target).ok_or(not_absolute(0))?;
                let rest = &target[start..];
                let length = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
                check_authority(&rest[..length], start)?;
                if matches!(rest[..length].first(), None | Some(b':')) {
                    // RFC 9110 4.2.1: an empty host is invalid.
                    return Err(not_absolute(start));
                }
                let (origin, rest) = target.split_at(start + length);
                let (path, query) = super::split(rest);
                Ok(Self { form: TargetForm::Absolute, origin, path, query })
            }
        }
    }
}

const fn not_absolute(position: usize) -> PathError {
    PathError::new(PathErrorKind::NotAbsolute, position)
}

/// Where the authority begins: after a scheme (RFC 3986 3.1) and `://`.
fn end_of_scheme(target: &[u8]) -> Option<usize> {
    let colon = target.iter().position(|&byte| byte == b':')?;
    let (scheme, rest) = target.split_at(colon);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (is_scheme && rest.starts_with(b"://")).then_some(colon + b"://".len())
}

/// Fails at the first byte that an authority must not have.
fn check_authority(authority: &[u8], start: usize) -> Result<(), PathError> {
    match authority.iter().position(|&byte| !AUTHORITY.contains(byte)) {
        Some(at) => Err(PathError::new(PathErrorKind::IllegalByte(authority[at]), start + at)),
        None => Ok(()),
    }
}

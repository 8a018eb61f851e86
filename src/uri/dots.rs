//! Dot segments of paths, and references resolved with them (RFC 3986 5.2).
#![forbid(unsafe_code)]

use alloc::borrow::{Cow, ToOwned};
use alloc::vec::Vec;

use memchr::{memchr, memmem, memrchr};

use super::split::{Parts, split};
use crate::input::{Input, SealedSlice as _};

/// Removes the dot segments of a path (RFC 3986 5.2.4): text of text, bytes of bytes. Borrows a
/// path without them.
///
/// A path without a slash at its start is returned as it is, since only a base says what its dot
/// segments mean: [`resolve`]. Escaped dots are not dots here: [`Normalizer`](crate::Normalizer)
/// makes dots of them, and a [`PathPolicy`](crate::path::PathPolicy) reads paths as servers do.
///
/// Linear in the length of the path.
///
/// ```
/// use simdpct::uri;
///
/// assert_eq!(uri::remove_dot_segments("/a/b/c/./../../g"), "/a/g");
/// assert_eq!(uri::remove_dot_segments("/../a/.."), "/");
/// assert_eq!(uri::remove_dot_segments("../a"), "../a");
/// ```
#[must_use]
pub fn remove_dot_segments<T: Input + ?Sized>(path: &T) -> Cow<'_, T::Slice> {
    let bytes = path.as_bytes();
    if bytes.first() != Some(&b'/') || memmem::find(bytes, b"/.").is_none() {
        return Cow::Borrowed(path.as_same());
    }
    let mut output = bytes.to_vec();
    remove(&mut output, 0);
    if output == bytes { Cow::Borrowed(path.as_same()) } else { Cow::Owned(T::Slice::owned(output)) }
}

/// Resolves a reference against a base URI (RFC 3986 5.2.2, strictly): text of text, bytes of
/// bytes. Nothing is escaped, decoded or validated; with the feature `idna`, `UrlNormalizer` makes
/// the result normal. `None` if neither has a scheme.
///
/// Linear in the lengths.
///
/// ```
/// use simdpct::uri;
///
/// let base = "http://a/b/c/d;p?q";
/// assert_eq!(uri::resolve(base, "../g#s").as_deref(), Some("http://a/b/g#s"));
/// assert_eq!(uri::resolve(base, "//g").as_deref(), Some("http://g"));
/// assert_eq!(uri::resolve(base, "?y").as_deref(), Some("http://a/b/c/d;p?y"));
/// assert_eq!(uri::resolve("/b/c", "g"), None);
/// ```
#[must_use]
pub fn resolve<B, R>(base: &B, reference: &R) -> Option<<B::Slice as ToOwned>::Owned>
where
    B: Input + ?Sized,
    R: Input<Slice = B::Slice> + ?Sized,
{
    let (base, reference) = (split(base.as_bytes()), split(reference.as_bytes()));
    let mut output = reference.scheme.or(base.scheme)?.to_vec();
    output.push(b':');
    // RFC 3986 5.2.2: the first component that the reference has says where the base ends.
    let is_whole = reference.scheme.is_some() || reference.authority.is_some();
    let is_same_path = !is_whole && reference.path.is_empty();
    let authority = if is_whole { reference.authority } else { base.authority };
    let query = if is_same_path { reference.query.or(base.query) } else { reference.query };
    if let Some(authority) = authority {
        output.extend_from_slice(b"//");
        output.extend_from_slice(authority);
    }
    let start = output.len();
    if is_same_path {
        output.extend_from_slice(base.path);
    } else {
        if !is_whole {
            append_folder(&base, reference.path, &mut output);
        }
        output.extend_from_slice(reference.path);
        remove_leading_dots(&mut output, start);
        remove(&mut output, start);
    }
    if authority.is_none() {
        keep_from_authority(&mut output, start);
    }
    for (delimiter, component) in [(b'?', query), (b'#', reference.fragment)] {
        if let Some(component) = component {
            output.push(delimiter);
            output.extend_from_slice(component);
        }
    }
    Some(B::Slice::owned(output))
}

/// Appends the part of the base's path that precedes a relative path (RFC 3986 5.2.3).
fn append_folder(base: &Parts<&[u8]>, path: &[u8], output: &mut Vec<u8>) {
    if path.first() == Some(&b'/') {
        return;
    }
    match memrchr(b'/', base.path) {
        Some(last) => output.extend_from_slice(&base.path[..=last]),
        None if base.authority.is_some() => output.push(b'/'),
        None => {}
    }
}

/// Removes dot segments that no slash precedes (RFC 3986 5.2.4, steps A and D).
fn remove_leading_dots(text: &mut Vec<u8>, start: usize) {
    let mut rest = &text[start..];
    while let Some(next) = rest.strip_prefix(b"../").or_else(|| rest.strip_prefix(b"./")) {
        rest = next;
    }
    if matches!(rest, b"." | b"..") {
        rest = &[];
    }
    let removed = text.len() - start - rest.len();
    text.drain(start..start + removed);
}

/// Puts `/.` before a path at `start` that would be read as an authority (RFC 3986 3.3).
pub(super) fn keep_from_authority(text: &mut Vec<u8>, start: usize) {
    if text[start..].starts_with(b"//") {
        text.splice(start..start, *b"/.");
    }
}

/// Removes the dot segments of the path that `text` ends with, from `start` on. The path begins
/// with a slash. Linear.
pub(super) fn remove(text: &mut Vec<u8>, start: usize) {
    let Some(first) = memmem::find(&text[start..], b"/.") else { return };
    // Length of the text with the path so far, and the start of the next segment, with its slash.
    let (mut length, mut next) = (start + first, start + first);
    while next < text.len() {
        let end = memchr(b'/', &text[next + 1..]).map_or(text.len(), |at| next + 1 + at);
        let is_last = end == text.len();
        let is_removed = match &text[next + 1..end] {
            b"." => true,
            b".." => {
                length = memrchr(b'/', &text[start..length]).map_or(start, |at| start + at);
                true
            }
            _ => false,
        };
        if !is_removed {
            text.copy_within(next..end, length);
            length += end - next;
        } else if is_last {
            text[length] = b'/';
            length += 1;
        }
        next = end;
    }
    text.truncate(length);
}

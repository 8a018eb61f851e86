//! Paths in keys: no dot segments, repeated slashes and session IDs.
#![forbid(unsafe_code)]

use memchr::{memchr, memchr_iter, memmem};
use simdpct::ByteSet;

use super::escapes;

/// Appends the path. Dot segments and repeated slashes stay in a URL without a host.
pub(super) fn append(path: &[u8], has_host: bool, escaped: ByteSet, output: &mut Vec<u8>) {
    let start = output.len();
    escapes::decode(path, output);
    if has_host {
        normalize(start, output);
    }
    escapes::escape(start, escaped, output);
    if memchr(b'(', &output[start..]).is_some() {
        drop_session(start, chained_len, output);
        drop_session(start, simple_len, output);
    }
    if output.len() > start + 1 && output.ends_with(b"/") {
        output.pop();
    }
}

/// Removes dot segments and repeated slashes of the path that `output` ends with. It is empty or
/// begins with a slash.
fn normalize(start: usize, output: &mut Vec<u8>) {
    let path = &output[start..];
    if path.is_empty() {
        return output.push(b'/');
    }
    if !memchr_iter(b'/', path).any(|at| matches!(path.get(at + 1), Some(b'/' | b'.'))) {
        return;
    }
    let path = output.split_off(start);
    // A segment is a slash and what follows it. An empty one is a segment that `..` removes.
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in path[1..].split(|&byte| byte == b'/') {
        match segment {
            b"." => {}
            // Archives keep `..` at the root.
            b".." if !segments.is_empty() => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    let last = segments.pop().unwrap_or_default();
    for segment in segments.into_iter().filter(|segment| !segment.is_empty()) {
        output.push(b'/');
        output.extend_from_slice(segment);
    }
    output.push(b'/');
    output.extend_from_slice(last);
}

const ASPX: &[u8] = b".aspx";

/// Drops the last segment that is a session ID of ASP.NET before a page: `/(S(...))/a.aspx`.
/// `length` is the length of the ID at the start of a text, if it has one. The path is in lower
/// case.
fn drop_session(start: usize, length: fn(&[u8]) -> Option<usize>, output: &mut Vec<u8>) {
    let path = &output[start..];
    let (mut found, mut page, mut query) = (None, 0, 0);
    for open in memmem::find_iter(path, b"/(") {
        let Some(length) = length(&path[open + 1..]).filter(|length| path.get(open + 1 + length) == Some(&b'/')) else {
            continue;
        };
        let end = open + 1 + length + 1;
        // The page has a name, and no `?` before its extension. Both searches go on where they
        // ended before.
        let next = |at: usize, from: usize, find: &dyn Fn(&[u8]) -> Option<usize>| match at >= from {
            true => at,
            false => path.get(from..).and_then(find).map_or(path.len(), |found| from + found),
        };
        page = next(page, end + 1, &|text| memmem::find(text, ASPX));
        query = next(query, end, &|text| memchr(b'?', text));
        if page < path.len() && page < query {
            found = Some(open + 1..end);
        }
    }
    if let Some(found) = found {
        output.drain(start + found.start..start + found.end);
    }
}

/// `(` 24 letters or digits `)`
fn simple_len(text: &[u8]) -> Option<usize> {
    let id = text.strip_prefix(b"(")?.get(..24)?;
    (id.iter().all(u8::is_ascii_alphanumeric) && text.get(25) == Some(&b')')).then_some(26)
}

/// `(`, letters that are each followed by a simple ID, `)`
fn chained_len(text: &[u8]) -> Option<usize> {
    let mut length = 1;
    let mut rest = text.strip_prefix(b"(")?;
    while rest.first().is_some_and(u8::is_ascii_alphabetic)
        && let Some(simple) = simple_len(&rest[1..])
    {
        rest = &rest[1 + simple..];
        length += 1 + simple;
    }
    (length > 1 && rest.first() == Some(&b')')).then_some(length + 1)
}

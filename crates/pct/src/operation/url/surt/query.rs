//! Queries in keys: sorted, without session IDs.
#![forbid(unsafe_code)]

use memchr::{memchr, memchr_iter, memmem, memrchr};
use simdpct::ByteSet;

use super::escapes;

/// Appends `?` and the query, unless nothing is left of it; a slash before it if the path is empty.
pub(super) fn append(query: &[u8], is_path_empty: bool, escaped: ByteSet, output: &mut Vec<u8>) {
    if query.is_empty() {
        return;
    }
    let before = output.len();
    if is_path_empty {
        output.push(b'/');
    }
    output.push(b'?');
    let start = output.len();
    escapes::append(query, escaped, output);
    drop_sessions(start, output);
    if output.len() == start {
        return output.truncate(before);
    }
    sort(start, output);
}

/// Sorts the pairs by name and then by value; a pair without `=` is first.
fn sort(start: usize, output: &mut Vec<u8>) {
    if memchr(b'&', &output[start..]).is_none() {
        return;
    }
    let query = &output[start..];
    let split = |pair| match memchr(b'=', pair) {
        Some(at) => (&pair[..at], Some(&pair[at + 1..])),
        None => (pair, None),
    };
    let mut pairs: Vec<(&[u8], Option<&[u8]>)> = query.split(|&byte| byte == b'&').map(split).collect();
    if pairs.is_sorted() {
        return;
    }
    pairs.sort_unstable();
    let mut sorted = Vec::with_capacity(query.len());
    for (name, value) in pairs {
        sorted.extend_from_slice(name);
        if let Some(value) = value {
            sorted.push(b'=');
            sorted.extend_from_slice(value);
        }
        sorted.push(b'&');
    }
    sorted.pop();
    output.truncate(start);
    output.extend_from_slice(&sorted);
}

/// Whether a name of a session ID may end before some `=`.
fn may_have_session(query: &[u8]) -> bool {
    memchr_iter(b'=', query).any(|at| {
        let name = &query[..at];
        let is_asp = || name.len().checked_sub(ASP.len() + 8).is_some_and(|asp| name[asp..].starts_with(ASP));
        name.ends_with(b"sid") || name.ends_with(b"jsessionid") || name.ends_with(b"cftoken") || is_asp()
    })
}

const ASP: &[u8] = b"aspsessionid";

/// Drops one session ID of each kind. The query is in lower case.
fn drop_sessions(start: usize, output: &mut Vec<u8>) {
    if !may_have_session(&output[start..]) {
        return;
    }
    let digits = |text: &[u8]| text.get(..32).is_some_and(|id| id.iter().all(u8::is_ascii_alphanumeric)).then_some(32);
    for name in ["jsessionid=", "phpsessid=", "sid="] {
        drop_last(start, name.as_bytes(), digits, output);
    }
    let letters = |text: &[u8]| {
        let is_all = |range| text.get(range).is_some_and(|part: &[u8]| part.iter().all(u8::is_ascii_lowercase));
        (is_all(0..8) && text.get(8) == Some(&b'=') && is_all(9..33)).then_some(33)
    };
    drop_last(start, ASP, letters, output);
    drop_cold_fusion(start, output);
}

/// Drops the last occurrence of a name with a value that ends the pair, and the `&` after it.
/// `length` is the length of the value at the start of a text, if it has one.
fn drop_last(start: usize, name: &[u8], length: impl Fn(&[u8]) -> Option<usize>, output: &mut Vec<u8>) {
    let query = &output[start..];
    let found = memmem::rfind_iter(query, name).find_map(|at| {
        let value = at + name.len();
        let end = value + length(&query[value..])?;
        matches!(query.get(end), None | Some(b'&')).then_some(at..(end + 1).min(query.len()))
    });
    if let Some(found) = found {
        output.drain(start + found.start..start + found.end);
    }
}

/// Drops the last `cfid=ID&cftoken=TOKEN`, and the `&` after it.
fn drop_cold_fusion(start: usize, output: &mut Vec<u8>) {
    const TOKEN: &[u8] = b"&cftoken=";
    let query = &output[start..];
    let found = memmem::rfind_iter(query, TOKEN).find_map(|token| {
        let value = token + TOKEN.len();
        let end = memchr(b'&', &query[value..]).map_or(query.len(), |at| value + at);
        let pair = memrchr(b'&', &query[..token]).map_or(0, |at| at + 1);
        // Neither value is empty.
        let id = memmem::rfind(&query[pair..token.checked_sub(1)?.max(pair)], b"cfid=")?;
        (end > value).then_some(pair + id..(end + 1).min(query.len()))
    });
    if let Some(found) = found {
        output.drain(start + found.start..start + found.end);
    }
}

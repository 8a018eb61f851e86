//! What browsers make of a URL of a special scheme, `http` and the like (WHATWG URL 4.4).
#![forbid(unsafe_code)]

use simdpct::{Decoder, Encoder, sets, uri};

/// Host and path as a browser reads and sends them.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Request {
    /// As in the URL; `None` if there is no authority.
    pub(super) host: Option<Vec<u8>>,
    pub(super) path: Vec<u8>,
}

/// The request for a URL or a request target. User information and ports are removed, and the host
/// is not converted.
pub(super) fn request(url: &[u8]) -> Request {
    // Tabs and line ends are removed, spaces and controls around the URL too.
    let is_around = |byte: &u8| *byte <= b' ';
    let start = url.iter().position(|byte| !is_around(byte)).unwrap_or(url.len());
    let end = url.iter().rposition(|byte| !is_around(byte)).map_or(start, |last| last + 1);
    let mut url: Vec<u8> = url[start..end].iter().copied().filter(|byte| !b"\t\n\r".contains(byte)).collect();
    // A backslash before the query is a slash.
    let query = url.iter().position(|byte| b"?#".contains(byte)).unwrap_or(url.len());
    url[..query].iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    let parts = uri::split(&url);
    let host = parts.authority.map(|authority| {
        let start = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
        match str::from_utf8(&authority[start..]) {
            Ok(text) => uri::split_authority(text).host.as_bytes().to_vec(),
            Err(_) => authority[start..].to_vec(),
        }
    });
    Request { host, path: path(parts.path) }
}

/// "Path state": dot segments, raw or encoded, are removed, and nothing is decoded.
fn path(path: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(path.len() + 1);
    for segment in path.strip_prefix(b"/").unwrap_or(path).split(|&byte| byte == b'/') {
        normal.push(b'/');
        let dots = if segment.len() <= "%2e%2e".len() { Decoder::new().decode(segment).ok() } else { None };
        normal.extend_from_slice(
            dots.as_deref().filter(|dots| matches!(**dots, [b'.'] | [b'.', b'.'])).unwrap_or(segment),
        );
    }
    // The state goes from segment to segment, so a dot segment at the start does not make an
    // authority.
    Encoder::new(sets::whatwg::PATH).encode(&*uri::remove_dot_segments(&normal)).into_owned().into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::request;

    proptest! {
        #[test]
        fn host_and_path_are_those_of_the_url_crate(
            host in prop::sample::select(vec!["h", "a.b", "u:p@h", "a\\@b", "h:1", "[::1]"]),
            path in "([/\\\\]([.%2eEa\u{e9} |\"]|%2e|%2E|%41){0,4}){0,6}",
            query in "(\\?[a.\\\\/]{0,4})?",
        ) {
            // url takes a Windows drive letter for one in every scheme, the standard in "file" only
            // ("shorten a URL's path").
            prop_assume!(!["E|", "a|", "e|"].iter().any(|drive| path.contains(drive)));
            let text = format!("http://{host}{path}{query}");
            let expected = Url::parse(&text).unwrap();
            let found = request(text.as_bytes());
            prop_assert_eq!(String::from_utf8(found.path).unwrap(), expected.path());
            prop_assert_eq!(String::from_utf8(found.host.unwrap()).unwrap(), expected.host_str().unwrap());
        }
    }
}

//! Removal of dot segments (RFC 3986 5.2.4).
#![forbid(unsafe_code)]

use memchr::{memchr, memmem, memrchr};

/// Removes the dot segments of the path that `text` ends with, from `start` on. The path begins with a slash. Linear.
pub(crate) fn remove(text: &mut Vec<u8>, start: usize) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use simdpct::path::PathPolicy;

    fn removed(path: &str) -> String {
        let mut text = format!("before/../{path}").into_bytes();
        super::remove(&mut text, "before/../".len());
        String::from_utf8(text).unwrap().strip_prefix("before/../").unwrap().to_owned()
    }

    #[test]
    fn dot_segments_are_removed_as_in_the_examples_of_the_rfc() {
        for (path, expected) in [
            // RFC 3986 5.2.4.
            ("/a/b/c/./../../g", "/a/g"),
            // RFC 3986 5.4, merged with the path of its base, `/b/c/d;p`.
            ("/b/c/g", "/b/c/g"),
            ("/b/c/./g", "/b/c/g"),
            ("/b/c/g/", "/b/c/g/"),
            ("/g", "/g"),
            ("/b/c/;x", "/b/c/;x"),
            ("/b/c/g;x", "/b/c/g;x"),
            ("/b/c/.", "/b/c/"),
            ("/b/c/./", "/b/c/"),
            ("/b/c/..", "/b/"),
            ("/b/c/../", "/b/"),
            ("/b/c/../g", "/b/g"),
            ("/b/c/../..", "/"),
            ("/b/c/../../", "/"),
            ("/b/c/../../g", "/g"),
            // 5.4.2: more ".." than there are segments.
            ("/b/c/../../../g", "/g"),
            ("/b/c/../../../../g", "/g"),
            // 5.4.2: dots that are only part of a segment.
            ("/./g", "/g"),
            ("/../g", "/g"),
            ("/b/c/g.", "/b/c/g."),
            ("/b/c/.g", "/b/c/.g"),
            ("/b/c/g..", "/b/c/g.."),
            ("/b/c/..g", "/b/c/..g"),
            // 5.4.2: nonsensical forms.
            ("/b/c/./../g", "/b/g"),
            ("/b/c/./g/.", "/b/c/g/"),
            ("/b/c/g/./h", "/b/c/g/h"),
            ("/b/c/g/../h", "/b/c/h"),
            ("/b/c/g;x=1/./y", "/b/c/g;x=1/y"),
            ("/b/c/g;x=1/../y", "/b/c/y"),
            // Empty segments are segments.
            ("/a//../b", "/a/b"),
            ("//..", "/"),
            ("/..//a", "//a"),
            ("/.", "/"),
            ("/..", "/"),
            ("/...", "/..."),
        ] {
            assert_eq!(removed(path), expected, "{path}");
        }
    }

    proptest! {
        /// The library's policy is an independent implementation.
        #[test]
        fn dot_segments_are_removed_as_by_the_library(segments in prop::collection::vec("|\\.|\\.\\.|\\.\\.\\.|a|b\\.", 1..12)) {
            let path = format!("/{}", segments.join("/"));
            let canonical = PathPolicy::RFC3986.canonicalize(&path).unwrap();
            // After an authority, an empty first segment needs no dot before it (WHATWG URL Standard 4.5).
            let after_authority = canonical.strip_prefix("/.").filter(|rest| rest.starts_with("//"));
            prop_assert_eq!(removed(&path), after_authority.unwrap_or(&canonical));
        }
    }
}

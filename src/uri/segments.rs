//! The segments of a path, and the extension of a file name in it.
#![forbid(unsafe_code)]

use memchr::memrchr;

use crate::input::{Input, SealedSlice as _};

/// The segments of a path (RFC 3986 3.3), without slashes: text of text, bytes of bytes. A slash at
/// the start begins the first segment, and an empty path has none. Nothing is decoded.
///
/// ```
/// use simdpct::uri;
///
/// assert!(uri::segments("/a/b%2Fc").eq(["a", "b%2Fc"]));
/// assert!(uri::segments("a//").eq(["a", "", ""]));
/// assert!(uri::segments("/").eq([""]));
/// assert_eq!(uri::segments("").next(), None);
/// ```
pub fn segments<T: Input + ?Sized>(path: &T) -> impl DoubleEndedIterator<Item = &T::Slice> {
    let bytes = path.as_bytes();
    let rest = bytes.strip_prefix(b"/").unwrap_or(bytes);
    let start = bytes.as_ptr().addr();
    let is_empty = bytes.is_empty();
    rest.split(|&byte| byte == b'/').filter(move |_| !is_empty).map(move |segment| {
        // Slashes are ASCII, so segments of text are text.
        let at = segment.as_ptr().addr() - start;
        path.as_same().part(at..at + segment.len())
    })
}

/// The extension of the last segment of a path, without its dot, as that of
/// [`Path::extension`](https://doc.rust-lang.org/std/path/struct.Path.html#method.extension): a dot
/// at the start of the segment begins none. `None` if there is no extension.
///
/// ```
/// use simdpct::uri;
///
/// assert_eq!(uri::extension("/a.b/c.tar.gz"), Some("gz"));
/// assert_eq!(uri::extension("/a.b/.profile"), None);
/// assert_eq!(uri::extension("/a.b/"), None);
/// ```
#[must_use]
pub fn extension<T: Input + ?Sized>(path: &T) -> Option<&T::Slice> {
    let bytes = path.as_bytes();
    let name = segments(bytes).next_back().filter(|name| *name != b"..")?;
    let dot = memrchr(b'.', name).filter(|&dot| dot > 0)?;
    Some(path.as_same().part(bytes.len() - (name.len() - dot - 1)..bytes.len()))
}

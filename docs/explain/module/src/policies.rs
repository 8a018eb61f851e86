//! The canonical path under each preset of `simdpct::path`, as JSON.
#![forbid(unsafe_code)]

use std::ops::Range;

use simdpct::path::PathPolicy;
use simdpct::uri;

use crate::json::{array, object, string};
use crate::marks::IllegalBytes;
use crate::report::text;

/// Under `start` and `end` the range of the path in the URL, and under `results` for each policy
/// the path, or the error with its position in the URL.
pub(super) fn report(url: &[u8]) -> String {
    let range = path(url);
    // For a URL without a path, clients send "/".
    let path = if range.is_empty() && !url.is_empty() { b"/" } else { &url[range.clone()] };
    let results = PathPolicy::PRESETS.iter().map(|(name, policy)| match policy.canonicalize(path) {
        Ok(canonical) => object([("policy", string(name)), ("path", text(&canonical, IllegalBytes::Report))]),
        Err(error) => object([
            ("policy", string(name)),
            ("error", string(&error.kind.to_string())),
            ("position", (range.start + error.position).to_string()),
        ]),
    });
    object([
        ("start", range.start.to_string()),
        ("end", range.end.to_string()),
        ("text", text(path, IllegalBytes::Report)),
        ("results", array(results)),
    ])
}

/// The range of the path that a client sends. A request target ends its path at a `?`, also if a
/// `#` precedes it. Of a text that is neither a target nor a URL with an authority, all is given to
/// the policies, which refuse it.
fn path(url: &[u8]) -> Range<usize> {
    if url.starts_with(b"/") {
        return 0..simdpct::path::split(url).0.len();
    }
    let parts = uri::split(url);
    let Some(authority) = parts.authority else { return 0..url.len() };
    let start = parts.scheme.map_or(0, |scheme| scheme.len() + ":".len()) + "//".len() + authority.len();
    start..start + parts.path.len()
}

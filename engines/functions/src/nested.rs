//! The lists, maps and structures that functions extract from a URL.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::HashSet;

use simdpct::uri::{self, Part};

use crate::value::Value;

/// The decoded pairs in the query of a URL, read as a form (WHATWG URL 5.1). The first pair with a
/// name counts.
///
/// ```
/// use simdpct_functions::query_map;
///
/// assert_eq!(query_map("/?a=1&b=%25&%61=2"), [("a".into(), "1".into()), ("b".into(), "%".into())]);
/// ```
pub fn query_map<V: Value + ?Sized>(url: &V) -> Vec<(Cow<'_, V>, Cow<'_, V>)> {
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    for (name, value) in url.query_pairs() {
        if seen.insert(name.clone()) {
            pairs.push((name, value));
        }
    }
    pairs
}

/// The parts of a URL in the order of [`Part::ALL`], with their names.
///
/// ```
/// use simdpct_functions::url_parts;
///
/// let hosts: Vec<_> = url_parts("//h?q").filter(|(name, _)| *name == "host").collect();
/// assert_eq!(hosts, [("host", Some("h"))]);
/// ```
pub fn url_parts<V: Value + ?Sized>(url: &V) -> impl Iterator<Item = (&'static str, Option<&V>)> {
    let uri::Parts { scheme, authority, path, query, fragment } = uri::split(url);
    let split = authority.map(uri::split_authority);
    Part::ALL.iter().map(move |part| {
        let value = match part {
            Part::Scheme => scheme,
            Part::Authority => authority,
            Part::Userinfo => split.and_then(|parts| parts.userinfo),
            Part::Host => split.map(|parts| parts.host),
            Part::Port => split.and_then(|parts| parts.port),
            Part::Path => Some(path),
            Part::Query => query,
            Part::Fragment => fragment,
            // The enumeration is non-exhaustive.
            other => uri::part(url, *other),
        };
        (part.name(), value)
    })
}

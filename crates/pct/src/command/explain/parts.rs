//! The components of a URL, each with its layers of encoding. The page docs/explain/ uses this file
//! too.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use simdpct::Decoder;
use simdpct::uri::{self, Authority, Parts};

use super::marks::{self, Finding};
use crate::text::shown;

/// Receives the rows of an explanation, in the order in which they are shown.
pub(super) trait Rows {
    /// A component as it is in the URL, and its offset there.
    fn component(&mut self, name: &str, start: usize, text: &[u8]);

    /// A component, or a value of the query, after a step of decoding. `depth` is the number of
    /// steps by which its label is indented.
    fn layer(&mut self, depth: usize, label: &str, text: &[u8]);

    /// The host was shown, with its layers.
    fn host(&mut self, host: &str);
}

/// A finding, with the component that contains it. Its range is in the URL.
pub(super) struct Located {
    pub(super) component: &'static str,
    pub(super) finding: Finding,
}

/// Gives the components of a URL and their layers to `rows`. Returns the findings, in order.
pub(super) fn explain(url: &[u8], rows: &mut impl Rows) -> Vec<Located> {
    let Parts { scheme, authority, path, query, fragment } = uri::split(url);
    let mut findings = Vec::new();
    let mut at = 0;
    let mut component = |rows: &mut _, name: &'static str, text: &[u8], before: usize| {
        at += before;
        findings.extend(marks::findings(text).into_iter().map(|Finding { range, kinds }| Located {
            component: name,
            finding: Finding { range: at + range.start..at + range.end, kinds },
        }));
        Rows::component(rows, name, at, text);
        at += text.len();
    };
    if let Some(scheme) = scheme {
        component(rows, "scheme", scheme, 0);
    }
    // Delimiters between the preceding component and the next.
    let mut before = usize::from(scheme.is_some());
    if let Some(authority) = authority {
        before += 2;
        // An authority of ill-formed UTF-8 is shown as a whole.
        let split = str::from_utf8(authority).map(uri::split_authority);
        let Authority { userinfo, host, port } = split.unwrap_or_default();
        if let Some(userinfo) = userinfo {
            component(rows, "userinfo", userinfo.as_bytes(), before);
            layers(rows, userinfo.as_bytes(), Decoder::new().lenient());
            before = 1;
        }
        match split {
            Ok(_) => component(rows, "host", host.as_bytes(), before),
            Err(_) => component(rows, "authority", authority, before),
        }
        before = 0;
        layers(rows, host.as_bytes(), Decoder::new().lenient());
        rows.host(host);
        if let Some(port) = port {
            component(rows, "port", port.as_bytes(), 1);
        }
    }
    component(rows, "path", path, before);
    layers(rows, path, Decoder::new().lenient());
    if let Some(query) = query {
        component(rows, "query", query, 1);
        pairs(rows, query);
    }
    if let Some(fragment) = fragment {
        component(rows, "fragment", fragment, 1);
        layers(rows, fragment, Decoder::new().lenient());
    }
    findings
}

/// The maximum number of layers, as for `decode --times`.
const MAX_LAYERS: usize = 16;

/// A row for each time that the text can be decoded. A malformed `%` is kept.
fn layers(rows: &mut impl Rows, text: &[u8], decoder: Decoder) {
    let mut text = Cow::Borrowed(text);
    for times in 1..=MAX_LAYERS {
        // In a form, only the first layer has '+' for a space.
        let decoder = if times == 1 { decoder } else { Decoder::new().lenient() };
        let Ok(decoded) = decoder.decode(&*text) else { return };
        if decoded == text {
            return;
        }
        text = Cow::Owned(decoded.into_owned());
        let label = match times {
            1 => "decoded".to_owned(),
            2 => "twice".to_owned(),
            _ => format!("{times} times"),
        };
        rows.layer(1, &label, &text);
    }
}

/// The pairs of a query, decoded as a form; without a `=`, the query as a text.
fn pairs(rows: &mut impl Rows, query: &[u8]) {
    const FORM: Decoder = Decoder::new().lenient().plus_for_space();
    if !query.contains(&b'=') {
        return layers(rows, query, FORM);
    }
    for pair in query.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
        let (name, value) = split_pair(pair);
        let name = FORM.decode(name).unwrap_or_default();
        let value = FORM.decode(value).unwrap_or_default();
        rows.layer(1, &shown::excerpt(&name), &value);
        let mut text = value;
        for times in 2..=MAX_LAYERS {
            let Ok(decoded) = Decoder::new().lenient().decode(&*text) else { break };
            if decoded == text {
                break;
            }
            text = Cow::Owned(decoded.into_owned());
            rows.layer(2, &if times == 2 { "twice".to_owned() } else { format!("{times} times") }, &text);
        }
    }
}

/// Name and value of a pair. A pair without a `=` is a name.
pub(super) fn split_pair(pair: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'=', pair) {
        Some(at) => (&pair[..at], &pair[at + 1..]),
        None => (pair, b""),
    }
}

//! Parts of URLs and of request targets, found byte by byte.

use simdpct::{Decoder, reference, uri};

/// A part for `pct get`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    Uri(uri::Part),
    Segment(i32),
    Extension,
    Keys,
    Key(&'static str),
}

impl Part {
    pub(super) fn is_of_form(self) -> bool {
        matches!(self, Self::Keys | Self::Key(_))
    }

    pub(super) fn suffix(self) -> String {
        match self {
            Self::Uri(part) => format!("_{part}"),
            Self::Segment(number) => format!("_segment{number}"),
            Self::Extension => "_extension".into(),
            Self::Keys => "_keys".into(),
            Self::Key(name) => format!("_{name}"),
        }
    }
}

/// The values of a part, as written in the URL. Names are compared decoded, or as written.
pub(super) fn values(url: &[u8], part: Part, is_target: bool, is_decoded: bool) -> Vec<&[u8]> {
    let component = |part| if is_target { of_target(url, part) } else { reference::uri_part(url, part) };
    let path = || segments(component(uri::Part::Path).unwrap_or_default());
    let pairs = || pairs(component(uri::Part::Query).unwrap_or_default());
    match part {
        Part::Uri(part) => component(part).into_iter().collect(),
        Part::Segment(number @ 1..) => path().into_iter().nth(number as usize - 1).into_iter().collect(),
        Part::Segment(number) => path().into_iter().rev().nth(-number as usize - 1).into_iter().collect(),
        Part::Extension => path().pop().and_then(extension).into_iter().collect(),
        Part::Keys => {
            let mut seen = Vec::new();
            let mut is_new = |key: &&[u8]| {
                let key = if is_decoded { decoded(key) } else { key.to_vec() };
                let is_new = !seen.contains(&key);
                seen.push(key);
                is_new
            };
            pairs().into_iter().map(|(key, _)| key).filter(|key| is_new(key)).collect()
        }
        Part::Key(name) => {
            pairs().into_iter().filter(|(key, _)| decoded(key) == name.as_bytes()).map(|(_, value)| value).collect()
        }
    }
}

fn decoded(key: &[u8]) -> Vec<u8> {
    reference::decode(&Decoder::new().lenient().plus_for_space(), key).expect("lenient")
}

/// A part of the target of a request (RFC 9112 3.2).
pub(super) fn of_target(target: &[u8], part: uri::Part) -> Option<&[u8]> {
    if target.starts_with(b"/") {
        let mut parts = target.splitn(2, |&byte| byte == b'?');
        let (path, query) = (parts.next(), parts.next());
        return match part {
            uri::Part::Path => path,
            uri::Part::Query => query,
            _ => None,
        };
    }
    let mut parts = target.rsplitn(2, |&byte| byte == b':');
    if let (Some(port), Some(host)) = (parts.next(), parts.next())
        && !port.is_empty()
        && port.iter().all(u8::is_ascii_digit)
        && !host.contains(&b'/')
    {
        return match part {
            uri::Part::Authority => Some(target),
            uri::Part::Host => Some(host),
            uri::Part::Port => Some(port),
            _ => None,
        };
    }
    reference::uri_part(target, part)
}

/// The pairs of a form, not decoded (WHATWG URL 5.1).
pub(super) fn pairs(form: &[u8]) -> Vec<(&[u8], &[u8])> {
    let pair = |pair: &[u8]| pair.iter().position(|&byte| byte == b'=').unwrap_or(pair.len());
    let pairs = form.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    pairs.map(|text| (&text[..pair(text)], text.get(pair(text) + 1..).unwrap_or_default())).collect()
}

fn segments(path: &[u8]) -> Vec<&[u8]> {
    match path {
        [] => Vec::new(),
        [b'/', rest @ ..] | rest => rest.split(|&byte| byte == b'/').collect(),
    }
}

fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0 && name != b"..")?;
    Some(&name[dot + 1..])
}

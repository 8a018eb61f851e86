//! `pct get`: a part of a URL or of a request target.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::HashSet;
use std::num::NonZero;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memrchr};
use simdpct::uri::{self, Part as UriPart};
use simdpct::{ByteSet, Decoder, form};

use super::{Fault, FaultKind, Operation, Stream};
use crate::text::pattern::Pattern;

/// The name of a key, which may be a pattern.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct KeyName {
    text: String,
    /// `None` for a name without wildcards.
    pattern: Option<Pattern>,
}

impl KeyName {
    fn of(text: &str) -> Self {
        Self { text: text.to_owned(), pattern: Pattern::of(text) }
    }

    /// Whether it is the name of a pair, decoded.
    fn matches(&self, name: &[u8]) -> bool {
        match &self.pattern {
            None => name == self.text.as_bytes(),
            Some(pattern) => pattern.matches(&String::from_utf8_lossy(name)),
        }
    }
}

/// A part of a URL.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Part {
    Uri(UriPart),
    /// A segment of the path: counted from 1, or from the end if negative.
    Segment(NonZero<i32>),
    /// What follows the last dot of the last segment.
    Extension,
    /// The names in the query.
    Keys,
    /// The values of a name in the query, or of all names that a pattern matches.
    Key(KeyName),
}

impl Part {
    /// Names of all parts, with placeholders, and their help texts.
    pub(crate) const HELP: [(&str, &str); 12] = [
        ("scheme", "http, https, mailto, ..."),
        ("authority", "User information, host and port"),
        ("userinfo", "User name and password"),
        ("host", "Host name or IP address"),
        ("port", "Port, as a number"),
        ("path", "Path, with its slashes"),
        ("segment:N", "Segment of the path: 1 is the first, -1 the last"),
        ("extension", "What follows the last dot of the last segment"),
        ("query", "What is between '?' and '#'"),
        ("keys", "Names in the query, each once"),
        ("key:NAME", "All values of a name in the query, decoded as a form; in NAME, * is any text, ? any character"),
        ("fragment", "What follows '#'"),
    ];

    /// Suffix of the names of new columns.
    pub(crate) fn suffix(&self) -> String {
        match self {
            Self::Uri(part) => format!("_{part}"),
            Self::Segment(number) => format!("_segment{number}"),
            Self::Extension => "_extension".into(),
            Self::Keys => "_keys".into(),
            Self::Key(key) => format!("_{}", key.text),
        }
    }

    /// Whether a query has it.
    pub(crate) fn is_of_query(&self) -> bool {
        matches!(self, Self::Keys | Self::Key(_) | Self::Uri(UriPart::Query))
    }

    /// Whether it is part of a form, in which '+' is a space.
    pub(crate) fn is_of_form(&self) -> bool {
        matches!(self, Self::Keys | Self::Key(_))
    }
}

impl FromStr for Part {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.split_once(':') {
            Some(("segment", number)) => number.parse().map(Self::Segment).map_err(drop),
            Some(("key", name)) => Ok(Self::Key(KeyName::of(name))),
            Some(_) => Err(()),
            None if text == "extension" => Ok(Self::Extension),
            None if text == "keys" => Ok(Self::Keys),
            None => {
                let part = text.parse::<UriPart>().map_err(drop)?;
                if part.name() == text { Ok(Self::Uri(part)) } else { Err(()) }
            }
        }
    }
}

/// How URLs are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// As references (RFC 3986 4.1).
    Reference,
    /// As targets of requests (RFC 9112 3.2): what begins with a slash has no authority, and a host with a port is one.
    Target,
    /// As the queries of URLs, or forms. A leading `?` is dropped, and `-` alone is how logs write that there is none.
    Query,
}

impl Reading {
    /// A part, as it is in the text.
    pub(super) fn part(self, url: &[u8], part: UriPart) -> Option<&[u8]> {
        if self == Self::Query {
            return (part == UriPart::Query && url != b"-").then(|| url.strip_prefix(b"?").unwrap_or(url));
        }
        if self == Self::Target {
            if url.starts_with(b"/") {
                return of_origin_form(url, part);
            }
            if let Some(colon) = port_separator(url) {
                return of_authority_form(url, colon, part);
            }
        }
        uri::part(url, part)
    }
}

/// Whether some URL of a run had the part: shared by its operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartSeen(Arc<AtomicBool>);

impl PartSeen {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        // A store for each URL would move the cache line from core to core.
        if !self.get() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes a part of a URL, or nothing if it does not have it.
pub(crate) struct Get {
    part: Part,
    reading: Reading,
    /// `None` leaves values as they are.
    decode: Option<Box<dyn Operation>>,
    /// Between several values.
    separator: Vec<u8>,
    seen: PartSeen,
}

impl Get {
    /// `decode` is for values. `safe` are the bytes that a result must not contain; they are escaped in the separator, too.
    pub(crate) fn new(
        part: Part,
        reading: Reading,
        decode: Option<Box<dyn Operation>>,
        separator: &str,
        safe: ByteSet,
        seen: PartSeen,
    ) -> Self {
        let escape = |byte| match safe.contains(byte) {
            true => format!("%{byte:02X}").into_bytes(),
            false => vec![byte],
        };
        Self { part, reading, decode, separator: separator.bytes().flat_map(escape).collect(), seen }
    }

    /// Calls `each` with every value, as it is in the text.
    fn each_value<'f>(&self, url: &'f [u8], mut each: impl FnMut(&'f [u8])) {
        let component = |part| self.reading.part(url, part);
        let path = || component(UriPart::Path).unwrap_or_default();
        let pairs = || form::split(component(UriPart::Query).unwrap_or_default());
        match &self.part {
            Part::Uri(part) => component(*part).into_iter().for_each(each),
            Part::Segment(number) => segment(path(), *number).into_iter().for_each(each),
            Part::Extension => uri::extension(path()).into_iter().for_each(each),
            Part::Key(name) => {
                pairs().filter(|(key, _)| name.matches(&decoded(key))).for_each(|(_, value)| each(value));
            }
            Part::Keys => {
                let mut seen = Seen::default();
                pairs().map(|(key, _)| key).filter(|key| seen.insert(self.comparable(key))).for_each(each);
            }
        }
    }

    /// A name as it is written, but for bytes that stay escaped.
    fn comparable<'f>(&self, key: &'f [u8]) -> Cow<'f, [u8]> {
        if self.decode.is_some() { decoded(key) } else { Cow::Borrowed(key) }
    }

    /// Appends a value, which is a part of `url`.
    fn append(&self, value: &[u8], url: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let Some(decode) = &self.decode else {
            output.extend_from_slice(value);
            return None;
        };
        let start = value.as_ptr().addr() - url.as_ptr().addr();
        decode.apply(value, output).map(|fault| fault.shifted_by(start))
    }
}

impl Operation for Get {
    fn apply(&self, url: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        let mut is_first = true;
        self.each_value(url, |value| {
            if !is_first {
                output.extend_from_slice(&self.separator);
            }
            is_first = false;
            fault = Fault::first(fault, self.append(value, url, output));
        });
        if is_first {
            return Some(Fault::new(FaultKind::Missing, 0));
        }
        self.seen.set();
        fault
    }

    /// Whether the URL has the part.
    fn matches(&self, _: &[u8], fault: Option<&Fault>) -> bool {
        fault.is_none_or(|fault| fault.kind != FaultKind::Missing)
    }

    /// Where a part begins can depend on any byte before it.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

/// A part of a target that is a path with an optional query (RFC 9112 3.2.1).
fn of_origin_form(target: &[u8], part: UriPart) -> Option<&[u8]> {
    let (path, query) = simdpct::path::split(target);
    match part {
        UriPart::Path => Some(path),
        UriPart::Query => query.get(1..),
        _ => None,
    }
}

/// A part of the target of CONNECT: a host and a port (RFC 9112 3.2.3).
fn of_authority_form(target: &[u8], colon: usize, part: UriPart) -> Option<&[u8]> {
    match part {
        UriPart::Authority => Some(target),
        UriPart::Host => Some(&target[..colon]),
        UriPart::Port => Some(&target[colon + 1..]),
        _ => None,
    }
}

/// Position of the last colon, if only digits follow it and no slash precedes it.
fn port_separator(target: &[u8]) -> Option<usize> {
    let colon = memrchr(b':', target)?;
    let port = &target[colon + 1..];
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    (is_port && memchr(b'/', &target[..colon]).is_none()).then_some(colon)
}

fn segment(path: &[u8], number: NonZero<i32>) -> Option<&[u8]> {
    let skipped = number.unsigned_abs().get() as usize - 1;
    let mut segments = uri::segments(path);
    if number.is_positive() { segments.nth(skipped) } else { segments.nth_back(skipped) }
}

/// A name of a form, decoded.
fn decoded(key: &[u8]) -> Cow<'_, [u8]> {
    const FORM: Decoder = Decoder::new().lenient().plus_for_space();
    // Lenient decoding has no errors.
    FORM.decode(key).unwrap_or_default()
}

/// Names seen so far.
#[derive(Default)]
struct Seen<'k> {
    few: Vec<Cow<'k, [u8]>>,
    many: HashSet<Cow<'k, [u8]>>,
}

/// From about this number of names on, hashing them is faster than comparing them.
const MANY: usize = 16;

impl<'k> Seen<'k> {
    /// Whether the name is new.
    fn insert(&mut self, name: Cow<'k, [u8]>) -> bool {
        if self.few.len() < MANY && self.many.is_empty() {
            let is_new = !self.few.contains(&name);
            if is_new {
                self.few.push(name);
            }
            return is_new;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    #[test]
    fn names_are_new_once() {
        for most in [3, 15, 16, 17, 100_u32] {
            let mut seen = Seen::default();
            for number in 0..300 {
                let is_new = seen.insert((number % most).to_string().into_bytes().into());
                assert_eq!(is_new, number < most, "{number} of {most}");
            }
        }
    }
}

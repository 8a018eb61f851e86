//! `Part`: the names of the parts of a URL, as users write them.
#![forbid(unsafe_code)]

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;

use simdpct::uri::Part as UriPart;

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
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        match &self.pattern {
            None => name == self.text.as_bytes(),
            Some(pattern) => pattern.matches(&String::from_utf8_lossy(name)),
        }
    }
}

/// A part of a URL. Displayed as users write it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Part {
    Uri(UriPart),
    /// The registrable domain of the host.
    Domain,
    /// A segment of the path: counted from 1, or from the end if negative.
    Segment(NonZero<i32>),
    /// What follows the last dot of the last segment.
    Extension,
    /// The names in the query.
    Keys,
    /// The values of a name in the query, or of all names that a pattern matches.
    Key(KeyName),
    /// The pairs with such a name: the names and their values.
    Pair(KeyName),
}

impl Part {
    /// Names of all parts, with placeholders, and their help texts.
    pub(crate) const HELP: [(&str, &str); 14] = [
        ("scheme", "http, https, mailto, ..."),
        ("authority", "User information, host and port"),
        ("userinfo", "User name and password"),
        ("host", "Host name or IP address"),
        ("domain", "Registrable domain of the host, by the public suffix list, in lower case and ASCII"),
        ("port", "Port, as a number"),
        ("path", "Path, with its slashes"),
        ("segment:N", "Segment of the path: 1 is the first, -1 the last"),
        ("extension", "What follows the last dot of the last segment"),
        ("query", "What is between '?' and '#'"),
        ("keys", "Names in the query, each once"),
        ("key:NAME", "All values of a name in the query, decoded as a form; in NAME, * is any text, ? any character"),
        ("pair:NAME", "The same with their names: NAME=value"),
        ("fragment", "What follows '#'"),
    ];

    /// Suffix of the names of new columns.
    pub(crate) fn suffix(&self) -> String {
        match self {
            Self::Uri(part) => format!("_{part}"),
            Self::Domain => "_domain".into(),
            Self::Segment(number) => format!("_segment{number}"),
            Self::Extension => "_extension".into(),
            Self::Keys => "_keys".into(),
            Self::Key(key) | Self::Pair(key) => format!("_{}", key.text),
        }
    }

    /// Whether a query has it.
    pub(crate) fn is_of_query(&self) -> bool {
        self.is_form_part() || *self == Self::Uri(UriPart::Query)
    }

    /// Whether it is part of a form, in which '+' is a space.
    pub(crate) fn is_form_part(&self) -> bool {
        matches!(self, Self::Keys | Self::Key(_) | Self::Pair(_))
    }

    /// Whether every reference has it.
    pub(super) fn is_in_all(&self) -> bool {
        *self == Self::Uri(UriPart::Path)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = match text.split_once(':') {
            Some(("segment", number)) => number.parse().ok().map(Self::Segment),
            Some(("key", name)) => Some(Self::Key(KeyName::of(name))),
            Some(("pair", name)) => Some(Self::Pair(KeyName::of(name))),
            Some(_) => None,
            None if text == "domain" => Some(Self::Domain),
            None if text == "extension" => Some(Self::Extension),
            None if text == "keys" => Some(Self::Keys),
            None => text.parse::<UriPart>().ok().filter(|part| part.name() == text).map(Self::Uri),
        };
        part.ok_or_else(|| {
            let names = Self::HELP.map(|(name, _)| name);
            format!("invalid part '{text}': expected one of {}", names.join(", "))
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uri(part) => part.fmt(f),
            Self::Domain => f.write_str("domain"),
            Self::Segment(number) => write!(f, "segment:{number}"),
            Self::Extension => f.write_str("extension"),
            Self::Keys => f.write_str("keys"),
            Self::Key(key) => write!(f, "key:{}", key.text),
            Self::Pair(key) => write!(f, "pair:{}", key.text),
        }
    }
}

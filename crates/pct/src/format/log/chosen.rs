//! `Chosen`: the names of the selected fields of a log.
#![forbid(unsafe_code)]

use super::LogFields;
use crate::text::pattern::Pattern;

/// Fields that have URLs or parts of them, and are processed by default.
const BY_DEFAULT: [&str; 10] = [
    "request",
    "request_uri",
    "args",
    "query_string",
    "http_referer",
    "redirect_url",
    "cs-uri",
    "cs-uri-stem",
    "cs-uri-query",
    "cs(Referer)",
];

/// Those of them that have the targets of requests.
pub(super) const TARGETS: [&str; 4] = ["request", "request_uri", "cs-uri", "cs-uri-stem"];

/// Those of them that have queries, without a path before them.
pub(super) const QUERIES: [&str; 3] = ["args", "query_string", "cs-uri-query"];

/// The names of the selected fields.
pub(super) enum Chosen {
    /// One of the lists above.
    Default(&'static [&'static str]),
    /// Names, and those that are patterns.
    Names(Vec<(String, Option<Pattern>)>),
}

impl Chosen {
    pub(super) fn of(fields: LogFields<'_>) -> Self {
        let names = match fields {
            LogFields::Targets => return Self::Default(&TARGETS),
            LogFields::Queries => return Self::Default(&QUERIES),
            LogFields::All([]) => return Self::Default(&BY_DEFAULT),
            LogFields::All(names) => names,
        };
        let names = names.iter().map(|name| {
            let name = name.strip_prefix('$').unwrap_or(name);
            (name.to_owned(), Pattern::of(name))
        });
        Self::Names(names.collect())
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        match self {
            Self::Default(names) => names.contains(&name),
            Self::Names(names) => names.iter().any(|chosen| is_meant(chosen, name)),
        }
    }

    /// The chosen names that are none of these fields.
    pub(super) fn missing_in<'c>(&'c self, fields: &[impl AsRef<str>]) -> Vec<&'c str> {
        match self {
            Self::Default(_) => Vec::new(),
            Self::Names(names) => names
                .iter()
                .filter(|chosen| !fields.iter().any(|name| is_meant(chosen, name.as_ref())))
                .map(|(name, _)| &name[..])
                .collect(),
        }
    }

    /// Checks that each chosen name is one of these fields, and that some is chosen.
    pub(super) fn check(&self, fields: &[&str]) -> Result<(), String> {
        let listed = || format!("'{}'", fields.join("', '"));
        if let Some(missing) = self.missing_in(fields).first() {
            return Err(format!("invalid --log-field '{missing}': expected one of {}", listed()));
        }
        if fields.iter().any(|name| self.contains(name)) {
            return Ok(());
        }
        Err(format!("invalid --log: expected --log-field with one of {}", listed()))
    }
}

fn is_meant((chosen, pattern): &(String, Option<Pattern>), name: &str) -> bool {
    chosen == name || pattern.as_ref().is_some_and(|pattern| pattern.matches(name))
}

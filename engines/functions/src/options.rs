//! Options of functions as text, for SQL and scripts: sets of characters, kinds of findings, parts.
//!
//! # Errors
//!
//! All functions return [`InvalidOption`], whose message quotes the text, cut to 64 characters, and
//! names the expected values.

use std::error::Error;
use std::fmt;

use simdpct::path::PathPolicy;
use simdpct::{ByteSet, Encoder, Kinds, sets, uri};
use wildmatch::WildMatch;

use crate::excerpt::excerpt;
use crate::url::{Cut, Mapping, Part, UrlNormal};

/// Error: the text is not the name of an option.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidOption(String);

impl fmt::Display for InvalidOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidOption {}

impl InvalidOption {
    /// Error: the function needs an option and has none.
    pub(crate) fn missing() -> Self {
        Self(String::from("needs a second argument"))
    }
}

/// The encoder of a set. The text is a name, or the characters to keep besides the unreserved
/// characters.
///
/// [`Encoder::from_name`] has the same names. A text of letters, digits and hyphens is always a
/// name, because these characters are kept anyway. So a misspelt name is an error.
///
/// # Errors
///
/// The name is unknown, or a character to keep is not ASCII.
///
/// ```
/// use simdpct_functions::options::encoder;
///
/// assert_eq!(encoder("path")?.encode("/a b?"), "/a%20b%3F");
/// assert_eq!(encoder("/:")?.encode("/a:b?"), "/a:b%3F");
/// assert!(encoder("pth").unwrap_err().to_string().starts_with("unknown set 'pth': expected component, path-segment"));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn encoder(set: &str) -> Result<Encoder, InvalidOption> {
    if let Some(encoder) = Encoder::from_name(set) {
        return Ok(encoder);
    }
    let may_be_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if set.bytes().all(may_be_name) {
        let names: Vec<&str> = Encoder::names().collect();
        return Err(InvalidOption(format!(
            "unknown set '{}': expected {}, or characters to keep, such as '/:'",
            excerpt(set),
            names.join(", ")
        )));
    }
    if !set.is_ascii() {
        return Err(InvalidOption(format!("invalid set '{}': only ASCII characters can be kept", excerpt(set))));
    }
    Ok(Encoder::new(sets::COMPONENT & !ByteSet::new(set.as_bytes())))
}

/// Kinds of findings by their names, separated by commas.
///
/// # Errors
///
/// A name is unknown.
///
/// ```
/// use simdpct::Kinds;
/// use simdpct_functions::options::kinds;
///
/// assert_eq!(kinds("nul, percent")?, Kinds::NUL | Kinds::PERCENT);
/// assert!(kinds("null").unwrap_err().to_string().starts_with("'null': unknown kind of finding: expected escape"));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn kinds(names: &str) -> Result<Kinds, InvalidOption> {
    let kind = |name: &str| {
        let name = name.trim();
        // `parse` accepts an empty text as no kinds. In SQL it is a mistake.
        let kind = if name.is_empty() { "?".parse() } else { name.parse::<Kinds>() };
        kind.map_err(|error| InvalidOption(format!("'{}': {error}", excerpt(name))))
    };
    names.split(',').map(kind).collect()
}

/// A part of a URL by its name, in any case.
///
/// The names are the names of [`uri::Part`]; `extension`, `segment:N` and `key:NAME` as in `pct
/// get`; and `protocol`, `ref` and `file` as in Java and Spark.
///
/// # Errors
///
/// The name is unknown.
///
/// ```
/// use simdpct_functions::options::part;
///
/// let ending = part("Segment:-1")?;
/// assert_eq!(ending.of("http://e.org/a/b?c"), Some("b".into()));
/// assert_eq!(part("REF")?.of("/a#b"), Some("b".into()));
/// assert!(part("rf").unwrap_err().to_string().starts_with("'rf': unknown part of a URI: expected scheme, authority"));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn part(name: &str) -> Result<Mapping, InvalidOption> {
    let unknown = || {
        let names = uri::Part::ALL.iter().map(|part| part.name());
        let expected =
            names.chain(["extension", "segment:N", "key:NAME", "protocol", "ref", "file"]).collect::<Vec<_>>();
        InvalidOption(format!("'{}': unknown part of a URI: expected {}", excerpt(name), expected.join(", ")))
    };
    let lower = name.to_ascii_lowercase();
    Ok(Mapping::Part(match lower.split_once(':') {
        // The name of a key is case-sensitive.
        Some(("key", _)) => return Ok(Mapping::QueryValue(name["key:".len()..].to_owned())),
        Some(("segment", number)) => Part::Segment(number.parse().map_err(|_| unknown())?),
        Some(_) => return Err(unknown()),
        None => match &*lower {
            "protocol" => Part::Uri(uri::Part::Scheme),
            "ref" => Part::Uri(uri::Part::Fragment),
            "file" => Part::File,
            "extension" => Part::Extension,
            other => Part::Uri(other.parse().map_err(|_| unknown())?),
        },
    }))
}

/// The rules of a normal form: `sort-query`, `drop-query:PATTERN`, `drop-fragment`, `drop-www` and
/// `targets`, separated by commas. `pct normalize --url` has options with the same names. The empty
/// text means RFC 3986 alone.
///
/// A pattern matches decoded names; `*` in it is any text, `?` any character.
///
/// # Errors
///
/// A rule is unknown.
///
/// ```
/// use simdpct_functions::{Mapping, options::normal};
///
/// let canonical = Mapping::Normalize(Box::new(normal("drop-query:utm_*, drop-fragment")?));
/// assert_eq!(canonical.of("HTTP://E.org?utm_source=x&a=1#top"), Some("http://e.org/?a=1".into()));
/// assert!(normal("sort").unwrap_err().to_string().starts_with("'sort': unknown rule: expected sort-query, "));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn normal(rules: &str) -> Result<UrlNormal, InvalidOption> {
    let expected = "sort-query, drop-query:PATTERN, drop-fragment, drop-www or targets";
    let mut normal = UrlNormal::new();
    for rule in words(rules) {
        normal.normalizer = match rule.split_once(':').unwrap_or((rule, "")) {
            ("sort-query", "") => normal.normalizer.sort_query(),
            ("drop-fragment", "") => normal.normalizer.drop_fragment(),
            ("drop-www", "") => normal.normalizer.drop_www(),
            ("targets", "") => normal.normalizer.targets(),
            ("drop-query", pattern) if !pattern.is_empty() => {
                normal.dropped.push(WildMatch::new(pattern));
                normal.normalizer
            }
            _ => return Err(InvalidOption(format!("'{}': unknown rule: expected {expected}", excerpt(rule)))),
        };
    }
    Ok(normal)
}

/// The parts to remove from a URL: `query`, `fragment` and `key:PATTERN`, separated by commas. A
/// pattern matches decoded names; `*` in it is any text, `?` any character.
///
/// # Errors
///
/// A part is unknown, or the text names no part.
///
/// ```
/// use simdpct_functions::{Mapping, options::cut};
///
/// assert_eq!(Mapping::Cut(cut("key:utm_*,fragment")?).of("/a?utm_x=1&b#c"), Some("/a?b".into()));
/// assert!(cut("path").unwrap_err().to_string().starts_with("'path': cannot be cut: expected query, "));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn cut(parts: &str) -> Result<Cut, InvalidOption> {
    let expected = "query, fragment or key:NAME, separated by commas";
    let mut cut = Cut::default();
    for part in words(parts) {
        match part.split_once(':') {
            None if part == "query" => cut.query = true,
            None if part == "fragment" => cut.fragment = true,
            Some(("key", name)) => cut.keys.push(WildMatch::new(name)),
            _ => return Err(InvalidOption(format!("'{}': cannot be cut: expected {expected}", excerpt(part)))),
        }
    }
    match words(parts).next() {
        Some(_) => Ok(cut),
        None => Err(InvalidOption(format!("nothing to cut: expected {expected}"))),
    }
}

/// A policy of paths by its name, or as text: see [`PathPolicy`].
///
/// # Errors
///
/// The text is not a policy.
///
/// ```
/// use simdpct_functions::{Mapping, options::policy};
///
/// let path = Mapping::CanonicalPath(Box::new(policy("rfc3986")?));
/// assert_eq!(path.of("http://e.org/a/%2e%2e/%7eb?c"), Some("/~b".into()));
/// assert!(policy("lax").unwrap_err().to_string().starts_with("'lax': "));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn policy(text: &str) -> Result<PathPolicy, InvalidOption> {
    text.parse().map_err(|error| InvalidOption(format!("'{}': {error}", excerpt(text))))
}

/// The words between commas, without the spaces around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_is_name_or_kept_characters() {
        assert_eq!(encoder("form").unwrap().encode("a b"), "a+b");
        assert_eq!(encoder("/ %").unwrap().encode("/ %é"), "/ %%C3%A9");
        assert!(encoder("").unwrap_err().to_string().starts_with("unknown set ''"));
        assert!(encoder("reserved").unwrap_err().to_string().starts_with("unknown set 'reserved'"));
        assert!(encoder("é").unwrap_err().to_string().contains("only ASCII"));
    }

    #[test]
    fn kinds_are_names_between_commas() {
        assert_eq!(kinds("nul,percent"), kinds(" nul ,\tpercent"));
        assert!(kinds("nul,null").unwrap_err().to_string().starts_with("'null': unknown kind"));
        for names in ["", " ", "nul,", ",nul"] {
            assert!(kinds(names).unwrap_err().to_string().starts_with("'': unknown kind"), "{names:?}");
        }
    }
}

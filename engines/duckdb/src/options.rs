//! Options of functions, which are SQL arguments: sets of characters, kinds of findings, parts.

#![forbid(unsafe_code)]

use simdpct::uri::Part;
use simdpct::{ByteSet, Encoder, Kinds, sets};

/// Encoders by the name of a component or standard, as in `pct encode --set`.
static ENCODERS: &[(&str, Encoder)] = &[
    ("component", Encoder::COMPONENT),
    ("path-segment", Encoder::PATH_SEGMENT),
    ("path", Encoder::PATH),
    ("query", Encoder::QUERY),
    ("query-value", Encoder::QUERY_VALUE),
    ("fragment", Encoder::FRAGMENT),
    ("userinfo", Encoder::USERINFO),
    ("reg-name", Encoder::new(sets::REG_NAME)),
    ("uri", Encoder::URI),
    ("form", Encoder::FORM),
    ("whatwg-c0-control", Encoder::new(sets::whatwg::C0_CONTROL)),
    ("whatwg-fragment", Encoder::new(sets::whatwg::FRAGMENT)),
    ("whatwg-query", Encoder::new(sets::whatwg::QUERY)),
    ("whatwg-special-query", Encoder::new(sets::whatwg::SPECIAL_QUERY)),
    ("whatwg-path", Encoder::new(sets::whatwg::PATH)),
    ("whatwg-userinfo", Encoder::new(sets::whatwg::USERINFO)),
    ("whatwg-component", Encoder::new(sets::whatwg::COMPONENT)),
    ("js-encode-uri", Encoder::new(sets::js::ENCODE_URI)),
    ("js-encode-uri-component", Encoder::new(sets::js::ENCODE_URI_COMPONENT)),
    ("rfc1738-url", Encoder::new(sets::rfc1738::URL)),
    ("rfc1738-component", Encoder::new(sets::rfc1738::COMPONENT)),
    ("rfc5987", Encoder::new(sets::rfc5987::VALUE_CHARS)),
    ("aws-object-key", Encoder::new(sets::aws::OBJECT_KEY)),
];

/// The encoder of a set: by name, or the characters to keep besides the unreserved ones.
///
/// A value of letters, digits and hyphens is a name, so that a misspelt name is an error: letters
/// and digits are kept anyway, and so is `-`.
pub(crate) fn encoder(set: &str) -> Result<Encoder, String> {
    if let Some((_, encoder)) = ENCODERS.iter().find(|(name, _)| *name == set) {
        return Ok(*encoder);
    }
    let may_be_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if set.is_empty() || set.bytes().all(may_be_name) {
        let names: Vec<&str> = ENCODERS.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "unknown set '{}': expected {}, or characters to keep, such as '/:'",
            excerpt(set),
            names.join(", ")
        ));
    }
    if !set.is_ascii() {
        return Err(format!("invalid set '{}': only ASCII characters can be kept", excerpt(set)));
    }
    Ok(Encoder::new(sets::COMPONENT.intersection(ByteSet::new(set.as_bytes()).complement())))
}

/// Kinds of findings by their names, separated by commas.
pub(crate) fn kinds(names: &str) -> Result<Kinds, String> {
    let kind = |name: &str| {
        let name = name.trim();
        name.parse::<Kinds>().map_err(|error| format!("'{}': {error}", excerpt(name)))
    };
    names.split(',').map(kind).collect()
}

/// A part of a URL by its name, in any case.
pub(crate) fn part(name: &str) -> Result<Part, String> {
    name.parse()
        .map_err(|error| format!("'{}': {error}: expected {}", excerpt(name), Part::ALL.map(Part::name).join(", ")))
}

/// The start of a value, for messages: 64 characters, and `…` if there are more.
pub(crate) fn excerpt(text: &str) -> String {
    const EXCERPT: usize = 64;
    let mut excerpt: String = text.chars().take(EXCERPT).flat_map(char::escape_debug).collect();
    if text.chars().nth(EXCERPT).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_is_name_or_kept_characters() {
        assert_eq!(encoder("path").unwrap().encode("/a b?"), "/a%20b%3F");
        assert_eq!(encoder("/ %").unwrap().encode("/ %é"), "/ %%C3%A9");
        assert!(encoder("pth").unwrap_err().starts_with("unknown set 'pth': expected component, path-segment"));
        assert!(encoder("").unwrap_err().starts_with("unknown set ''"));
        assert!(encoder("é").unwrap_err().contains("only ASCII"));
    }

    #[test]
    fn excerpt_has_64_characters_at_most() {
        assert_eq!(excerpt(&"é".repeat(64)), "é".repeat(64));
        assert_eq!(excerpt(&"é".repeat(65)), "é".repeat(64) + "…");
        assert_eq!(excerpt("a\nb"), "a\\nb");
    }
}

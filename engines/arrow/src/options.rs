//! Options of functions as text, for SQL and scripts: sets of characters, kinds of findings, parts.
//!
//! # Errors
//!
//! All functions return [`ArrowError::InvalidArgumentError`] with a message that quotes the text, cut
//! to 64 characters, and says what was expected.
#![forbid(unsafe_code)]

use arrow_schema::ArrowError;
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
/// The names are those of `pct encode --set`. A value of letters, digits and hyphens is a name, so
/// that a misspelt name is an error: letters and digits are kept anyway, and so is `-`.
///
/// # Errors
///
/// The name is unknown, or a character to keep is not ASCII.
///
/// ```
/// use simdpct_arrow::options::encoder;
///
/// assert_eq!(encoder("path")?.encode("/a b?"), "/a%20b%3F");
/// assert_eq!(encoder("/:")?.encode("/a:b?"), "/a:b%3F");
/// assert!(encoder("pth").unwrap_err().to_string().contains("unknown set 'pth': expected component, path-segment"));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn encoder(set: &str) -> Result<Encoder, ArrowError> {
    if let Some((_, encoder)) = ENCODERS.iter().find(|(name, _)| *name == set) {
        return Ok(*encoder);
    }
    let may_be_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if set.is_empty() || set.bytes().all(may_be_name) {
        let names: Vec<&str> = ENCODERS.iter().map(|(name, _)| *name).collect();
        let expected = names.join(", ");
        return Err(invalid(format!(
            "unknown set '{}': expected {expected}, or characters to keep, such as '/:'",
            excerpt(set)
        )));
    }
    if !set.is_ascii() {
        return Err(invalid(format!("invalid set '{}': only ASCII characters can be kept", excerpt(set))));
    }
    Ok(Encoder::new(sets::COMPONENT.intersection(ByteSet::new(set.as_bytes()).complement())))
}

/// Kinds of findings by their names, separated by commas.
///
/// # Errors
///
/// A name is unknown.
///
/// ```
/// use simdpct::Findings;
/// use simdpct_arrow::options::kinds;
///
/// assert_eq!(kinds("nul, percent")?, Findings::NUL | Findings::PERCENT);
/// assert!(kinds("null").unwrap_err().to_string().contains("'null': unknown kind of finding: expected escape"));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn kinds(names: &str) -> Result<Kinds, ArrowError> {
    let kind = |name: &str| {
        let name = name.trim();
        name.parse::<Kinds>().map_err(|error| invalid(format!("'{}': {error}", excerpt(name))))
    };
    names.split(',').map(kind).collect()
}

/// A part of a URL by its name, in any case.
///
/// # Errors
///
/// The name is unknown.
///
/// ```
/// use simdpct_arrow::{Part, options::part};
///
/// assert_eq!(part("HOST")?, Part::Host);
/// assert!(part("ref").unwrap_err().to_string().contains("'ref': unknown part of a URI: expected scheme, authority"));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub fn part(name: &str) -> Result<Part, ArrowError> {
    name.parse().map_err(|error| {
        invalid(format!("'{}': {error}: expected {}", excerpt(name), Part::ALL.map(Part::name).join(", ")))
    })
}

fn invalid(message: String) -> ArrowError {
    ArrowError::InvalidArgumentError(message)
}

/// The start of an argument, for messages.
fn excerpt(text: &str) -> String {
    text.chars().take(64).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_is_name_or_kept_characters() {
        assert_eq!(encoder("path").unwrap().encode("/a b?"), "/a%20b%3F");
        assert_eq!(encoder("form").unwrap().encode("a b"), "a+b");
        assert_eq!(encoder("/ %").unwrap().encode("/ %é"), "/ %%C3%A9");
        assert!(
            encoder("pth").unwrap_err().to_string().contains("unknown set 'pth': expected component, path-segment")
        );
        assert!(encoder("").unwrap_err().to_string().contains("unknown set ''"));
        assert!(encoder("é").unwrap_err().to_string().contains("only ASCII"));
    }

    #[test]
    fn kinds_are_names_between_commas() {
        assert_eq!(kinds("nul, percent").unwrap(), simdpct::Findings::NUL | simdpct::Findings::PERCENT);
        assert!(
            kinds("nul,null").unwrap_err().to_string().contains("'null': unknown kind of finding: expected escape")
        );
        assert!(kinds("").is_err());
    }

    #[test]
    fn part_is_name_in_any_case() {
        assert_eq!(part("HOST").unwrap(), Part::Host);
        assert!(
            part("ref").unwrap_err().to_string().contains("'ref': unknown part of a URI: expected scheme, authority")
        );
    }
}

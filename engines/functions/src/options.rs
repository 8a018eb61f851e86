//! Options of functions as text, for SQL and scripts: sets of characters, kinds of findings, parts.
//!
//! # Errors
//!
//! All functions return [`InvalidOption`], whose message quotes the text, cut to 64 characters, and
//! says what was expected.

use std::error::Error;
use std::fmt;

use simdpct::uri::Part;
use simdpct::{ByteSet, Encoder, Kinds, sets};

use crate::excerpt::excerpt;

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

/// The encoder of a set: by name, or the characters to keep besides the unreserved ones.
///
/// The names are those of [`Encoder::from_name`]. A value of letters, digits and hyphens is a name, so
/// that a misspelt name is an error: letters and digits are kept anyway, and so is `-`.
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
        // An empty text would be no kind for `parse`: to a user of SQL, it is a mistake.
        let kind = if name.is_empty() { "?".parse() } else { name.parse::<Kinds>() };
        kind.map_err(|error| InvalidOption(format!("'{}': {error}", excerpt(name))))
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
/// use simdpct::uri::Part;
/// use simdpct_functions::options::part;
///
/// assert_eq!(part("HOST")?, Part::Host);
/// assert!(part("ref").unwrap_err().to_string().starts_with("'ref': unknown part of a URI: expected scheme, authority"));
/// # Ok::<(), simdpct_functions::InvalidOption>(())
/// ```
pub fn part(name: &str) -> Result<Part, InvalidOption> {
    name.parse().map_err(|error| {
        let expected = Part::ALL.iter().map(|part| part.name()).collect::<Vec<_>>().join(", ");
        InvalidOption(format!("'{}': {error}: expected {expected}", excerpt(name)))
    })
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

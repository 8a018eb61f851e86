//! Writes JSON.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

/// A string, in quotes.
pub(super) fn string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Writing to a String does not fail.
            '\0'..' ' => _ = write!(json, "\\u{:04x}", u32::from(character)),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

/// An array of values, which are JSON already.
pub(super) fn array(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

/// An object, of names and values. The values are JSON already.
pub(super) fn object<const N: usize>(members: [(&str, String); N]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("{}:{value}", string(name))).collect();
    format!("{{{}}}", members.join(","))
}

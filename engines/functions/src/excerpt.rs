//! Quotes the start of a value in messages.

/// Maximum number of characters of a value in a message.
const LENGTH: usize = 64;

/// The first 64 characters of a value, and `…` if there are more. Control characters, quotes and
/// backslashes are escaped as in Rust.
///
/// ```
/// assert_eq!(simdpct_functions::excerpt("a\nb"), "a\\nb");
/// ```
#[must_use]
pub fn excerpt(value: &str) -> String {
    let mut excerpt: String = value.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    if value.chars().nth(LENGTH).is_some() {
        excerpt.push('…');
    }
    excerpt
}

/// The [`excerpt`] of bytes; invalid UTF-8 becomes U+FFFD.
#[must_use]
pub fn excerpt_of_bytes(value: &[u8]) -> String {
    // A character takes at most 4 bytes.
    excerpt(&String::from_utf8_lossy(&value[..value.len().min(4 * (LENGTH + 1))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_has_64_characters_at_most() {
        assert_eq!(excerpt(&"é".repeat(64)), "é".repeat(64));
        assert_eq!(excerpt(&"é".repeat(65)), "é".repeat(64) + "…");
        assert_eq!(excerpt_of_bytes("\u{10FFFF}".repeat(100_000).as_bytes()), "\\u{10ffff}".repeat(64) + "…");
        assert_eq!(excerpt_of_bytes(&[0xFF; 64]), "\u{FFFD}".repeat(64));
        assert_eq!(excerpt_of_bytes(&[0xFF; 65]), "\u{FFFD}".repeat(64) + "…");
        assert_eq!(excerpt("'\0"), "\\'\\0");
    }
}

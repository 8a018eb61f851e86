//! Escapes text for terminals and messages, so that it can neither control a terminal nor imitate a
//! message.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write as _};

use simdpct::stream::incomplete_character_len;

/// Notation of escaped characters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Notation {
    /// `%1B`
    Triplets,
    /// `\u001b`, as in strings of JSON
    Json,
    /// `\u{1b}`
    Rust,
}

/// Whether a character is active: a control character of C0 or C1, or one that changes the
/// direction of text.
fn is_active(character: char) -> bool {
    let is_directional = matches!(
        character,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    );
    character.is_control() || is_directional
}

/// Escapes a message to a single line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_active) {
        return text.into();
    }
    let mut shown = Vec::new();
    write(text.as_bytes(), Notation::Rust, |_| false, &mut shown);
    String::from_utf8_lossy(&shown).into_owned().into()
}

/// Escapes an excerpt of any text, including invalid UTF-8.
pub(crate) fn excerpt(text: &[u8]) -> String {
    let mut shown = Vec::new();
    write(text, Notation::Rust, |_| false, &mut shown);
    String::from_utf8_lossy(&shown).into_owned()
}

/// Escapes a JSON document; the result is still JSON.
pub(crate) fn json(document: &str) -> String {
    let mut shown = Vec::new();
    write(document.as_bytes(), Notation::Json, |_| false, &mut shown);
    String::from_utf8_lossy(&shown).into_owned()
}

/// Appends the text with all active characters escaped, except those allowed by `is_allowed`.
fn write(text: &[u8], notation: Notation, is_allowed: impl Fn(char) -> bool, output: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            if !is_active(character) || is_allowed(character) {
                output.extend_from_slice(bytes);
                continue;
            }
            // Writing to memory does not fail.
            let _ = match notation {
                Notation::Triplets => bytes.iter().try_for_each(|byte| write!(output, "%{byte:02X}")),
                Notation::Json => write!(output, "\\u{:04x}", u32::from(character)),
                Notation::Rust => write!(output, "{}", character.escape_default()),
            };
        }
        for byte in chunk.invalid() {
            let _ = match notation {
                Notation::Triplets => write!(output, "%{byte:02X}"),
                Notation::Json | Notation::Rust => write!(output, "\\x{byte:02x}"),
            };
        }
    }
}

/// Streaming filter for output to a terminal, in parts cut anywhere. Line ends and tabs are kept.
pub(crate) struct Filter {
    notation: Notation,
    /// End of records, also kept.
    ending: Option<u8>,
    /// An incomplete character, or a CR that may precede an LF.
    held: Vec<u8>,
}

impl Filter {
    pub(crate) fn new(notation: Notation, ending: Option<u8>) -> Self {
        Self { notation, ending, held: Vec::new() }
    }

    /// Appends all output that does not depend on further input.
    pub(crate) fn feed(&mut self, text: &[u8], output: &mut Vec<u8>) {
        self.held.extend_from_slice(text);
        self.write(self.held.len() - incomplete_len(&self.held), output);
    }

    /// Appends the rest.
    pub(crate) fn finish(&mut self, output: &mut Vec<u8>) {
        self.write(self.held.len(), output);
    }

    fn write(&mut self, length: usize, output: &mut Vec<u8>) {
        let (notation, ending) = (self.notation, self.ending);
        let is_allowed = |character| matches!(character, '\n' | '\t') || ending.map(char::from) == Some(character);
        for line in self.held[..length].split_inclusive(|&byte| byte == b'\n') {
            let (text, crlf) = match line {
                [text @ .., b'\r', b'\n'] => (text, &b"\r\n"[..]),
                _ => (line, &b""[..]),
            };
            write(text, notation, is_allowed, output);
            output.extend_from_slice(crlf);
        }
        self.held.drain(..length);
    }
}

/// Length of an incomplete character, or a CR, at the end.
fn incomplete_len(text: &[u8]) -> usize {
    if text.ends_with(b"\r") {
        return 1;
    }
    incomplete_character_len(text)
}

/// Writes a line to standard error, escaped for a terminal. Errors are ignored, as only the exit
/// code could report them; `eprintln` would panic.
pub(crate) fn write_stderr(message: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(format!("{}\n", line(&message.to_string())).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Filter, Notation, excerpt, json, line};

    /// Output in three notations, for every cut of the text.
    #[test]
    fn active_characters_are_escaped_wherever_the_text_is_cut() {
        let cases: [(&[u8], [&str; 3]); 10] = [
            ("aé\u{4e00}\u{1F600}\t\r\n\n".as_bytes(), ["aé\u{4e00}\u{1F600}\t\r\n\n"; 3]),
            (b"\x1B[31m\x07\x7F", ["%1B[31m%07%7F", "\\u001b[31m\\u0007\\u007f", "\\u{1b}[31m\\u{7}\\u{7f}"]),
            ("\u{9B}31m".as_bytes(), ["%C2%9B31m", "\\u009b31m", "\\u{9b}31m"]),
            (b"\x9B\xFF", ["%9B%FF", "\\x9b\\xff", "\\x9b\\xff"]),
            ("\u{202E}x".as_bytes(), ["%E2%80%AEx", "\\u202ex", "\\u{202e}x"]),
            ("\u{2066}\u{2069}".as_bytes(), ["%E2%81%A6%E2%81%A9", "\\u2066\\u2069", "\\u{2066}\\u{2069}"]),
            ("\u{200E}\u{61C}".as_bytes(), ["%E2%80%8E%D8%9C", "\\u200e\\u061c", "\\u{200e}\\u{61c}"]),
            (b"a\rb\r\r\n", ["a%0Db%0D\r\n", "a\\u000db\\u000d\r\n", "a\\rb\\r\r\n"]),
            (b"a\r", ["a%0D", "a\\u000d", "a\\r"]),
            (b"\xE2\x82", ["%E2%82", "\\xe2\\x82", "\\xe2\\x82"]),
        ];
        for (text, expected) in cases {
            for (notation, expected) in [Notation::Triplets, Notation::Json, Notation::Rust].into_iter().zip(expected) {
                for cut in 0..=text.len() {
                    let mut filter = Filter::new(notation, Some(b'\n'));
                    let mut output = Vec::new();
                    filter.feed(&text[..cut], &mut output);
                    filter.feed(&text[cut..], &mut output);
                    filter.finish(&mut output);
                    let context = text.escape_ascii();
                    assert_eq!(String::from_utf8(output).unwrap(), expected, "{notation:?}: {context} cut at {cut}");
                }
            }
        }
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(line("é: none"), "é: none");
        assert_eq!(line("a\n\tb\u{9B}"), "a\\n\\tb\\u{9b}");
        assert_eq!(excerpt(b"a\n\x9B\xC2\x9B"), "a\\n\\x9b\\u{9b}");
        assert_eq!(json("{\"\u{202E}\":\"\u{7F}\"}"), "{\"\\u202e\":\"\\u007f\"}");
    }
}

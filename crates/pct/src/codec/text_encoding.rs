//! `TextEncoding`: encodes text in any charset, and characters as `%uXXXX`.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use simdpct::{ByteSet, Encoder};

use super::charset::Charset;
use super::encoding::Encoding;

const ASCII: ByteSet = ByteSet::NON_ASCII.complement();

/// Rules for encoding text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextEncoding {
    encoder: Encoder,
    /// `None` for UTF-8.
    charset: Option<Charset>,
    /// Whether characters that the charset does not have, and all that are not ASCII if there is no
    /// charset, become `%uXXXX`.
    unicode: bool,
    lower: bool,
    /// Whether characters that the charset does not have become references to their numbers.
    replace: bool,
}

impl TextEncoding {
    pub(crate) fn new(charset: Option<Charset>, unicode: bool, encoding: Encoding) -> Self {
        let charset = charset.filter(|&charset| charset != Charset::UTF_8);
        Self { encoder: encoding.encoder(), charset, unicode, lower: encoding.lower, replace: false }
    }

    /// Sets whether characters that the charset does not have become references.
    pub(crate) fn replacing(self, replace: bool) -> Self {
        Self { replace, ..self }
    }

    /// Whether invalid text is replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.replace
    }

    /// Encodes bytes that are no text, or ASCII text if that [is itself](Self::keeps_ascii).
    pub(crate) fn encode_bytes_to(&self, bytes: &[u8], output: &mut Vec<u8>) {
        self.encoder.encode_to(bytes, output);
    }

    /// Whether ASCII text is itself in the charset.
    pub(crate) fn keeps_ascii(&self) -> bool {
        !self.charset.is_some_and(Charset::is_stateful)
    }

    /// Encodes text. Returns the first character that cannot be encoded, and its position.
    pub(crate) fn encode_to(&self, text: &str, output: &mut String) -> Option<(char, usize)> {
        match self.charset {
            None if self.unicode => {
                self.encode_unicode_to(text, output);
                None
            }
            None => {
                self.encoder.encode_to(text, output);
                None
            }
            Some(charset) => self.encode_charset_to(text, charset, output),
        }
    }

    fn encode_unicode_to(&self, text: &str, output: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            let (ascii, after) = split_at_first(rest, ByteSet::NON_ASCII);
            let (others, after) = split_at_first(after, ASCII);
            self.encoder.encode_to(ascii, output);
            others.chars().for_each(|character| self.push_unicode(character, output));
            rest = after;
        }
    }

    fn push_unicode(&self, character: char, output: &mut String) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a String does not fail.
            let _ = if self.lower { write!(output, "%u{unit:04x}") } else { write!(output, "%u{unit:04X}") };
        }
    }

    fn encode_charset_to(&self, text: &str, charset: Charset, output: &mut String) -> Option<(char, usize)> {
        let mut first = None;
        let mut at = 0;
        loop {
            let rest = &text[at..];
            let unencodable = match charset.encode(rest, &self.encoder) {
                Ok(encoded) => {
                    output.push_str(&encoded);
                    return first;
                }
                Err(unencodable) => unencodable,
            };
            // Without the character, the text before it can be encoded.
            let before = charset.encode(&rest[..unencodable.position], &self.encoder);
            output.push_str(&before.unwrap_or_default());
            at += unencodable.position;
            if self.unicode {
                self.push_unicode(unencodable.character, output);
            } else {
                first = first.or(Some((unencodable.character, at)));
                if self.replace {
                    let reference = format!("&#{};", u32::from(unencodable.character));
                    Encoder::COMPONENT.encode_to(&reference, output);
                } else {
                    self.encoder.encode_to(unencodable.character.encode_utf8(&mut [0; 4]), output);
                }
            }
            at += unencodable.character.len_utf8();
        }
    }
}

/// Splits before the first byte in `set`, which has all non-ASCII bytes or all others, so that no
/// character is split.
fn split_at_first(text: &str, set: ByteSet) -> (&str, &str) {
    text.split_at(set.find(text.as_bytes()).unwrap_or(text.len()))
}

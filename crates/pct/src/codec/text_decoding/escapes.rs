//! Triplets and `%uXXXX`.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, Encoder};

/// A text in which each `%uXXXX` is written as the triplets of its character in UTF-8.
pub(crate) struct AsTriplets {
    text: Vec<u8>,
    /// The position in the text from which each byte comes.
    origins: Vec<usize>,
}

impl AsTriplets {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut spelled = Self { text: Vec::with_capacity(text.len()), origins: Vec::new() };
        let mut at = 0;
        while at < text.len() {
            let length = match unicode_escape(&text[at..]) {
                Some((length, Some(character))) => {
                    let mut bytes = [0; 4];
                    let triplets = Encoder::new(ByteSet::ALL).encode(character.encode_utf8(&mut bytes).as_bytes());
                    spelled.text.extend_from_slice(triplets.as_bytes());
                    length
                }
                _ => {
                    spelled.text.push(text[at]);
                    1
                }
            };
            spelled.origins.resize(spelled.text.len(), at);
            at += length;
        }
        spelled
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The position in the original text of the byte at `position`.
    pub(crate) fn origin(&self, position: usize) -> usize {
        self.origins.get(position).copied().unwrap_or(position)
    }
}

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The byte of the triplet at the start of a text.
pub(super) fn triplet(text: &[u8]) -> Option<u8> {
    let &[b'%', first, second, ..] = text else { return None };
    Some(digit(first)? << 4 | digit(second)?)
}

/// The length of the `%uXXXX` at the start of a text, or of two that are a surrogate pair, and the
/// character; `None` for a lone surrogate.
pub(super) fn unicode_escape(text: &[u8]) -> Option<(usize, Option<char>)> {
    let unit = |text: &[u8]| {
        let &[b'%', b'u', a, b, c, d, ..] = text else { return None };
        Some(u16::from_be_bytes([digit(a)? << 4 | digit(b)?, digit(c)? << 4 | digit(d)?]))
    };
    let first = unit(text)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((6, Some(character)));
    }
    let pair = char::decode_utf16([first, unit(&text[6..]).unwrap_or(0)]).next()?.ok();
    Some((if pair.is_some() { 12 } else { 6 }, pair))
}

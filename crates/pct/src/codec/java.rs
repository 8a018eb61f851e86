//! Triplets that only Java accepts.
//!
//! `URLDecoder` passes the two characters after a '%' to `Integer.parseInt`, which accepts a sign
//! before a digit, and every digit known to `Character.digit`: those of other scripts, and
//! full-width letters. A negative result is rejected, but "-0" is 0.
#![forbid(unsafe_code)]

/// The byte and the length of the triplet at the start of `text`, if there is one.
pub(super) fn triplet(text: &[u8]) -> Option<(u8, usize)> {
    let characters = text.strip_prefix(b"%")?;
    let (first, first_length) = first_character(characters)?;
    let (second, second_length) = first_character(&characters[first_length..])?;
    let byte = match (first, digit(second)?) {
        ('+', value) => value,
        ('-', 0) => 0,
        (first, value) => digit(first)? << 4 | value,
    };
    Some((byte, 1 + first_length + second_length))
}

/// The first character, if it is well-formed, and its length.
fn first_character(text: &[u8]) -> Option<(char, usize)> {
    let chunk = text[..text.len().min(4)].utf8_chunks().next()?;
    chunk.valid().chars().next().map(|character| (character, character.len_utf8()))
}

/// `Character.digit(character, 16)`. Java passes UTF-16 code units, so no character above U+FFFF is
/// a digit.
fn digit(character: char) -> Option<u8> {
    let code = u32::from(character);
    let value = match character {
        '\0'..='\x7F' => character.to_digit(16),
        // The full-width forms of ASCII, in its order.
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(code - 0xFF01 + 0x21)?.to_digit(16),
        _ => ZEROS.iter().map(|&zero| code.wrapping_sub(u32::from(zero))).find(|&value| value < 10),
    };
    value.and_then(|value| u8::try_from(value).ok())
}

/// The zeros of all other runs of ten decimal digits (general category Nd) up to U+FFFF, per
/// Unicode 13, the version of Java 17.
#[rustfmt::skip]
const ZEROS: [char; 35] = [
    '\u{0660}', '\u{06F0}', '\u{07C0}', '\u{0966}', '\u{09E6}', '\u{0A66}', '\u{0AE6}', '\u{0B66}', '\u{0BE6}',
    '\u{0C66}', '\u{0CE6}', '\u{0D66}', '\u{0DE6}', '\u{0E50}', '\u{0ED0}', '\u{0F20}', '\u{1040}', '\u{1090}',
    '\u{17E0}', '\u{1810}', '\u{1946}', '\u{19D0}', '\u{1A80}', '\u{1A90}', '\u{1B50}', '\u{1BB0}', '\u{1C40}',
    '\u{1C50}', '\u{A620}', '\u{A8D0}', '\u{A900}', '\u{A9D0}', '\u{A9F0}', '\u{AA50}', '\u{ABF0}',
];

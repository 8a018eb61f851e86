//! Triplets and `%uXXXX`.
#![forbid(unsafe_code)]

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

//! Incomplete suffixes: the cut triplet or character at the end of a chunk.
#![forbid(unsafe_code)]

use simdpct::Decoder;
use simdpct::stream::{complete_len, incomplete_character_len};

/// As [`complete_len`], but also without an incomplete character in the decoded text.
pub(crate) fn complete_len_decoded(text: &[u8]) -> usize {
    let mut cut = complete_len(text);
    // An incomplete character has at most three bytes, each a triplet.
    let end = &text[cut.saturating_sub(12)..cut];
    // A lenient decoder without rejected bytes has no errors.
    let decoded = Decoder::new().lenient().decode(end).unwrap_or_default();
    for _ in 0..incomplete_character_len(&decoded) {
        cut -= match &text[..cut] {
            [.., b'%', first, second] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => 3,
            _ => 1,
        };
    }
    cut
}

/// The length of the longest prefix whose findings, with those of the rest, are those of `text`.
///
/// That is certain between two letters that are neither digits nor `u`: no triplet, `%uXXXX`,
/// segment or character is cut. If there are none, only characters and triplets are complete.
pub(crate) fn separable_len(text: &[u8]) -> usize {
    let is_neutral =
        |byte: &u8| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit() && !matches!(byte, b'u' | b'U');
    let between = text.windows(2).rposition(|pair| pair.iter().all(is_neutral));
    between.map_or_else(|| complete_len_decoded(text), |at| at + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn characters_made_of_triplets_are_held_back() {
        let cases: [(&[u8], usize); 9] = [
            (b"a%C3", 1),
            (b"a%C3%", 1),
            (b"a%C3%A9", 7),
            (b"a%E2%82%4", 1),
            (b"a%F0%9F%98", 1),
            (b"a%F0\x9F%98", 1),
            (b"%F0%9F%98%80%F0%9F%98", 12),
            (b"%C3%C3", 3),
            (b"%ED%A0", 6),
        ];
        for (text, length) in cases {
            assert_eq!(super::complete_len_decoded(text), length, "{}", text.escape_ascii());
        }
    }
}

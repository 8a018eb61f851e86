//! Handling of decoded bytes that are ill-formed UTF-8.
#![forbid(unsafe_code)]

use simdpct::legacy::java;
use simdpct::stream::incomplete_character_len;

/// Requirement on decoded bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Text {
    /// None: any bytes are allowed.
    Bytes,
    /// Ill-formed UTF-8 is an error.
    WellFormed,
    /// Each maximal subpart of an ill-formed sequence becomes U+FFFD.
    Replaced,
    /// As `Replaced`, but the three bytes of a surrogate become one U+FFFD.
    ReplacedAsJava,
}

/// Splits bytes into pairs of a well-formed part and the ill-formed sequence after it, which is
/// empty at the end.
fn parts(bytes: &[u8], text: Text) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let chunk = rest.utf8_chunks().next()?;
        let (good, from) = rest.split_at(chunk.valid().len());
        let length = match text {
            // Java replaces an encoded surrogate as one sequence of three bytes.
            Text::ReplacedAsJava => (1..=from.len().min(3)).rev().find(|&length| is_one_as_java(&from[..length])),
            _ => None,
        };
        let (bad, after) = from.split_at(length.unwrap_or(chunk.invalid().len()));
        rest = after;
        Some((good, bad))
    })
}

/// Whether Java replaces these bytes by one U+FFFD.
fn is_one_as_java(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err() && java::text(bytes).as_bytes() == REPLACEMENT
}

const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

pub(super) fn replace(bytes: &[u8], text: Text) -> Vec<u8> {
    if text == Text::ReplacedAsJava {
        return java::text(bytes).into_owned().into_bytes();
    }
    let mut replaced = Vec::with_capacity(bytes.len());
    for (good, bad) in parts(bytes, text) {
        replaced.extend_from_slice(good);
        if !bad.is_empty() {
            replaced.extend_from_slice(REPLACEMENT);
        }
    }
    replaced
}

/// Maps a position after replacement to the position in `bytes`.
pub(super) fn before_replacement(bytes: &[u8], position: usize, text: Text) -> usize {
    let (mut before, mut after) = (0, 0);
    if !matches!(text, Text::Bytes | Text::WellFormed) {
        for (good, bad) in parts(bytes, text) {
            let next = after + good.len() + REPLACEMENT.len();
            if bad.is_empty() || next > position {
                break;
            }
            before += good.len() + bad.len();
            after = next;
        }
    }
    before + (position - after)
}

/// The length of `bytes` without an incomplete sequence at the end.
pub(super) fn complete_len(bytes: &[u8], text: Text) -> usize {
    let incomplete = match bytes {
        // Java replaces an encoded surrogate as one sequence of three bytes.
        [.., 0xED, 0xA0..=0xBF] if text == Text::ReplacedAsJava => 2,
        _ => incomplete_character_len(bytes),
    };
    bytes.len() - incomplete
}

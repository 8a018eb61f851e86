//! Streams: every chunking of every short string, against the reference implementation on the whole string.

use simdpct::{ByteSet, reference, sets, stream};

use crate::common::stream::{Outcome, Text, decode, encode, expected};
use crate::common::{decoder, encoder};
use crate::longest;

/// The chunks of `input`: bit *i* of `cuts` ends a chunk after byte *i*.
pub fn chunks(input: &[u8], cuts: u32) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    (1..=input.len()).filter_map(move |end| {
        let is_end = end == input.len() || cuts >> (end - 1) & 1 != 0;
        is_end.then(|| &input[std::mem::replace(&mut start, end)..end])
    })
}

/// '%', a decimal digit, a letter digit of either kind, a letter that is none, '+', and the three
/// bytes of '€'.
const ALPHABET: [u8; 9] = [b'%', b'4', b'f', b'g', b'+', b'a', 0xE2, 0x82, 0xAC];

/// Calls `start` with every string over the alphabet, then `each` with every way to cut it.
fn for_each_chunking(mut start: impl FnMut(&[u8]), mut each: impl FnMut(&[u8], u32)) {
    let longest = longest(5, 3);
    for length in 0..=longest as u32 {
        for number in 0..ALPHABET.len().pow(length) {
            let string: Vec<u8> =
                (0..length).map(|at| ALPHABET[number / ALPHABET.len().pow(at) % ALPHABET.len()]).collect();
            start(&string);
            for cuts in 0..1 << length.saturating_sub(1) {
                each(&string, cuts);
            }
        }
    }
}

/// Output lengths: the minimum, and longer ones that kernels write to directly.
fn rooms(text: Text, cuts: u32) -> usize {
    match (text, cuts % 3) {
        (_, 0) => 64,
        (Text::Any, 1) => 1,
        (_, 1) => 4,
        _ => 17,
    }
}

fn compare_every_chunking(text: Text) {
    // `%4f` and `%f4` are kept, '4', 'f' and the middle of '€' are rejected, raw or decoded.
    let kept = Some(ByteSet::new(b"O\xF4\xFF"));
    for decoder in [
        decoder(false, false, None, None),
        decoder(true, false, None, None),
        decoder(false, true, kept, None),
        decoder(true, true, kept, Some(ByteSet::new(b"f"))),
        decoder(true, false, Some(ByteSet::new(b"%\x82")), None),
        decoder(true, false, Some(ByteSet::new(b"%\x82")), Some(ByteSet::new(b"4"))),
        decoder(true, false, Some(ByteSet::new(b"%")), Some(ByteSet::new(b"a\xBF"))),
        decoder(false, false, kept, Some(ByteSet::new(b"4\x82"))),
        decoder(true, false, None, Some(ByteSet::new(b"%\xAC"))),
    ] {
        let outcome = std::cell::RefCell::new(Outcome::default());
        for_each_chunking(
            |string| *outcome.borrow_mut() = expected(&decoder, text, string),
            |string, cuts| {
                let actual = decode(text.stream(decoder), chunks(string, cuts), rooms(text, cuts), text);
                assert_eq!(
                    actual,
                    *outcome.borrow(),
                    "\"{}\" cut as {cuts:b} by {decoder:?} to {text:?}",
                    string.escape_ascii()
                );
            },
        );
    }
}

#[test]
fn every_chunking_decodes_to_bytes() {
    compare_every_chunking(Text::Any);
}

#[test]
fn every_chunking_decodes_to_text() {
    compare_every_chunking(Text::WellFormed);
}

#[test]
fn every_chunking_decodes_to_lossy_text() {
    compare_every_chunking(Text::Lossy);
}

#[test]
fn every_chunking_decodes_to_dropping_text() {
    compare_every_chunking(Text::Dropping);
}

#[test]
fn every_chunking_encodes() {
    for set in [sets::COMPONENT, ByteSet::ALL] {
        for policies in 0..16 {
            // The case of the digits is independent of the chunking, so it is not a separate
            // dimension.
            let encoder = encoder(set, policies & !2 | (policies & 1) << 1);
            if policies & 2 != 0 {
                continue;
            }
            let outcome = std::cell::RefCell::new(String::new());
            for_each_chunking(
                |string| *outcome.borrow_mut() = reference::encode(&encoder, string),
                |string, cuts| {
                    let actual =
                        encode(stream::Encoder::new(encoder), chunks(string, cuts), [64, 4, 17][cuts as usize % 3]);
                    assert_eq!(
                        actual,
                        outcome.borrow().as_bytes(),
                        "\"{}\" cut as {cuts:b} by {encoder:?}",
                        string.escape_ascii()
                    );
                },
            );
        }
    }
}

//! Streams: every chunking of every short string, against the reference implementation on the whole
//! string.

use simdpct::stream::complete_len;
use simdpct::{ByteSet, DecodeError, Malformed, Normalizer, reference, sets, stream};

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

/// '%', a decimal digit, a letter digit of either kind, a letter that is not a digit, '+', and the
/// three bytes of '€'.
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

type Process<'a> = dyn Fn(&[u8]) -> Result<Vec<u8>, DecodeError> + 'a;

/// Cut at any place, the complete part and the rest give the same result as the whole.
#[test]
fn complete_prefix_can_be_processed_by_itself() {
    let decoders = [
        decoder(false, false, None, None),
        decoder(true, true, None, Some(ByteSet::new(b"f"))),
        decoder(true, false, Some(ByteSet::new(b"%")), None),
    ];
    let encoder = encoder(ByteSet::ALL, 12);
    let normalizers = [Malformed::Refuse, Malformed::Keep, Malformed::Escape]
        .map(|policy| Normalizer::new().decode(ByteSet::new(b"OD4f")).malformed(policy));
    let moved = |cut: usize| move |error: DecodeError| (error.kind, cut + error.position);
    for_each_chunking(
        |string| {
            for end in 0..=string.len() {
                let cut = complete_len(&string[..end]);
                assert!(end - cut <= 4);
                let (before, after) = string.split_at(cut);
                let of_both = |process: &Process<'_>| {
                    Ok([process(before).map_err(moved(0))?, process(after).map_err(moved(cut))?].concat())
                };
                let assert_same = |process: &Process<'_>| {
                    let whole = process(string).map_err(moved(0));
                    assert_eq!(of_both(process), whole, "\"{}\" cut at {cut}", string.escape_ascii());
                };
                for decoder in &decoders {
                    assert_same(&|text| reference::decode(decoder, text));
                }
                for normalizer in &normalizers {
                    assert_same(&|text| reference::normalize(normalizer, text));
                }
                assert_same(&|text| Ok(reference::encode(&encoder, text).into_bytes()));
            }
        },
        |_, _| (),
    );
}

#[test]
fn incomplete_ends_are_not_part_of_the_complete_prefix() {
    let cases: [(&[u8], usize); 22] = [
        (b"", 0),
        (b"a", 1),
        (b"a%", 1),
        (b"%%", 0),
        (b"%%%", 1),
        (b"a%4", 1),
        (b"a%f", 1),
        (b"a%%4", 1),
        (b"a%g", 3),
        (b"a%41", 4),
        (b"a%4%", 1),
        (b"a%4%4", 1),
        (b"a\r", 2),
        (b"%\r", 2),
        (b"\xE2\x82\xAC", 3),
        (b"a\xE2\x82", 1),
        (b"a\xF0\x9F\x98", 1),
        (b"\xC3\xC3", 1),
        // No continuation makes these a character (Unicode 3.9, table 3-7).
        (b"\xED\xA0", 2),
        (b"\xFF", 1),
        (b"\x80\x80\x80", 3),
        (b"\xE2\x82a", 3),
    ];
    for (text, length) in cases {
        assert_eq!(complete_len(text), length, "{}", text.escape_ascii());
    }
}

//! Exhaustive test of short strings on every level, alone and across block boundaries.
//!
//! `DecodingCheck` and `EncodingCheck` compare fewer forms than `common::compare_*`, for speed. The
//! full length takes seconds in a release build; other builds and `SIMDPCT_QUICK=1` (emulators)
//! have shorter strings.

mod chunkings;
mod common;
mod every_path;
mod triplets;

use std::borrow::Cow;

use common::{Failure, Surrounded, compare_decoding, compare_encoding, compare_searching, decoders, encoders};
use simdpct::{ByteSet, DecodeError, Decoder, Encoder, reference, sets};

/// One byte of each kind: '%', digits of every ASCII column, letters just outside the digits in
/// both cases, and bytes that only some set contains.
const ALPHABET: [u8; 9] = [b'%', b'4', b'f', b'g', b'G', b'+', b'a', 0x00, 0x80];

/// Bytes that no operation changes and that are not digits; longer than three 64-byte blocks.
const CLEAN: [u8; 256] = [b'z'; 256];

/// Fills outputs first, so that a kernel that writes nothing does not pass with another's result.
const STALE: u8 = 0xC5;

/// Ends of blocks of 8, 16, 32 and 64 bytes, and the three positions preceding them.
const BLOCK_ENDS: [usize; 16] = [5, 6, 7, 8, 13, 14, 15, 16, 29, 30, 31, 32, 61, 62, 63, 64];

fn is_quick() -> bool {
    cfg!(miri) || common::is_quick()
}

/// The maximum string length: in a release build (`scripts/check exhaustive`), with debug
/// assertions one byte less, and in a quick run.
fn longest(full: usize, quick: usize) -> usize {
    if is_quick() { quick } else { full - usize::from(cfg!(debug_assertions)) }
}

/// Calls `each` with every string over the alphabet of up to `longest` bytes, surrounded by bytes
/// that would change the result if they were read.
fn for_each_string(longest: usize, mut each: impl FnMut(&[u8])) {
    for length in 0..=longest {
        let mut letters = vec![0; length];
        let mut string = Surrounded::new(&vec![ALPHABET[0]; length]);
        'strings: loop {
            each(string.input());
            for at in 0..length {
                letters[at] = (letters[at] + 1) % ALPHABET.len();
                string.input_mut()[at] = ALPHABET[letters[at]];
                if letters[at] != 0 {
                    continue 'strings;
                }
            }
            break;
        }
    }
}

/// Decodes on every level into a buffer of the exact size, and measures; runs the reference once.
struct DecodingCheck {
    decoder: Decoder,
    levels: Vec<Decoder>,
    output: Vec<u8>,
}

impl DecodingCheck {
    fn new(decoder: Decoder) -> Self {
        Self { decoder, levels: common::levels().map(|level| decoder.level(level)).collect(), output: vec![0; 1024] }
    }

    fn check(&mut self, input: &[u8]) {
        _ = self.checked(input);
    }

    /// Like `check`, and returns the expected result.
    fn checked(&mut self, input: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let expected = reference::decode(&self.decoder, input);
        let room = expected.as_ref().map_or(input.len(), Vec::len);
        for decoder in &self.levels {
            let output = &mut self.output[..room];
            output.fill(STALE);
            let written = decoder.decode_into(input, output).map(|length| &output[..length]).map_err(Failure::from);
            let same = match (&written, &expected) {
                (Ok(written), Ok(expected)) => written == expected,
                (Err(Failure::Decode(error)), Err(expected)) => error == expected,
                _ => false,
            };
            let measured = decoder.decoded_len(input);
            let same_length = match (&measured, &expected) {
                (Ok(measured), Ok(expected)) => *measured == expected.len(),
                (Err(error), Err(expected)) => error == expected,
                _ => false,
            };
            assert!(
                same && same_length,
                "\"{}\" by {decoder:?}: {written:?} of length {measured:?}, not {expected:?}",
                input.escape_ascii()
            );
        }
        expected
    }

    /// Checks `decode` too, which scans for the first change: unchanged input is borrowed.
    fn check_with_scan(&mut self, input: &[u8]) {
        let expected = self.checked(input);
        let is_changed = expected.as_ref().is_ok_and(|expected| expected != input);
        for decoder in &self.levels {
            let decoded = decoder.decode(input);
            assert!(
                decoded.as_deref() == expected.as_deref() && matches!(decoded, Ok(Cow::Owned(_))) == is_changed,
                "\"{}\" by {decoder:?}: {decoded:?}, not {expected:?}",
                input.escape_ascii()
            );
        }
    }
}

/// Encodes on every level into a buffer of the exact size, and measures; runs the reference once.
struct EncodingCheck {
    encoder: Encoder,
    levels: Vec<Encoder>,
    output: Vec<u8>,
}

impl EncodingCheck {
    fn new(encoder: Encoder) -> Self {
        Self { encoder, levels: common::levels().map(|level| encoder.level(level)).collect(), output: vec![0; 1024] }
    }

    fn check(&mut self, input: &[u8]) {
        _ = self.checked(input);
    }

    /// Like `check`, and returns the expected result.
    fn checked(&mut self, input: &[u8]) -> String {
        let expected = reference::encode(&self.encoder, input);
        for encoder in &self.levels {
            let output = &mut self.output[..expected.len()];
            output.fill(STALE);
            let written = encoder.encode_into(input, output).map(|length| &output[..length]);
            let measured = encoder.encoded_len(input);
            assert!(
                written == Ok(expected.as_bytes()) && measured == expected.len(),
                "\"{}\" by {encoder:?}: {written:?} of length {measured}, not {expected:?}",
                input.escape_ascii()
            );
        }
        expected
    }

    /// Checks `encode` too, which scans for the first change: unchanged input is borrowed, and so
    /// is the result of a single byte.
    fn check_with_scan(&mut self, input: &[u8]) {
        let expected = self.checked(input);
        let is_changed = expected.as_bytes() != input;
        for encoder in &self.levels {
            let encoded = encoder.encode(input);
            assert!(
                encoded == expected && (matches!(encoded, Cow::Owned(_)) == is_changed || input.len() == 1),
                "\"{}\" by {encoder:?}: {encoded:?}, not {expected:?}",
                input.escape_ascii()
            );
        }
    }
}

/// Every string on its own, and shorter ones across block boundaries in a longer text.
fn check_decoder(decoder: Decoder) {
    let mut check = DecodingCheck::new(decoder);
    for_each_string(longest(7, 5), |string| check.check(string));
    for_each_embedded(|text| check.check_with_scan(text));
}

fn check_encoder(encoder: Encoder, longest: usize) {
    let mut check = EncodingCheck::new(encoder);
    for_each_string(longest, |string| check.check_with_scan(string));
    for_each_embedded(|text| check.check_with_scan(text));
}

/// Calls `each` with longer texts that contain a string: of up to four bytes across block
/// boundaries, of up to two at every position; at the end of the text, and with more blocks after
/// it.
fn for_each_embedded(mut each: impl FnMut(&[u8])) {
    let mut text = CLEAN;
    let mut embed = |string: &[u8], at: usize| {
        let end = at + string.len();
        text[at..end].copy_from_slice(string);
        each(&text[..end]);
        each(&text[..end + 130]);
        text[at..end].fill(CLEAN[0]);
    };
    for_each_string(longest(4, 3), |string| BLOCK_ENDS.into_iter().for_each(|at| embed(string, at)));
    for_each_string(2, |string| (0..=120).for_each(|at| embed(string, at)));
}

// The option sets for which kernels differ; one test each, so that they run in parallel.

#[test]
fn every_short_string_decoded_strictly() {
    check_decoder(Decoder::new());
}

#[test]
fn every_short_string_decoded_leniently() {
    check_decoder(Decoder::new().lenient());
}

#[test]
fn every_short_string_decoded_leniently_with_plus() {
    check_decoder(Decoder::new().lenient().plus_for_space());
}

/// Kept triplets have digits of both cases and values in both halves of the byte range: 'O', 0xF4,
/// 0xAA.
#[test]
fn every_short_string_decoded_with_kept_triplets() {
    check_decoder(Decoder::new().lenient().keep(ByteSet::new(b"O\xF4\xAA")));
}

/// `%25` is kept, so decoding must not create a triplet: `%44`, a digit, stays after a malformed
/// '%'.
#[test]
fn every_short_string_decoded_with_kept_percents() {
    check_decoder(Decoder::new().lenient().keep(ByteSet::new(b"%O\xF4")));
}

/// Raw and decoded bytes are rejected: 'D' occurs only decoded, 'g' only raw, 0xA4 is in the upper
/// half.
#[test]
fn every_short_string_decoded_with_rejected_bytes() {
    check_decoder(Decoder::new().lenient().reject(ByteSet::new(b"\0Dg\xA4")));
}

/// All policies together, strict; digits of a kept triplet can be rejected.
#[test]
fn every_short_string_decoded_with_everything() {
    let (keep, reject) = (ByteSet::new(b"D\xF4\xAA"), ByteSet::new(b"\0G\xFFO "));
    check_decoder(Decoder::new().plus_for_space().keep(keep).reject(reject));
}

#[test]
fn every_short_string_encoded_for_a_component() {
    check_encoder(Encoder::COMPONENT, longest(7, 5));
}

#[test]
fn every_short_string_encoded_for_a_form() {
    check_encoder(Encoder::FORM.lowercase(), longest(7, 5));
}

#[test]
fn every_short_string_encoded_with_kept_triplets() {
    check_encoder(Encoder::new(sets::COMPONENT.with(b'a')).keep_triplets(), longest(7, 5));
}

#[test]
fn every_short_string_encoded_with_plus_and_kept_triplets() {
    check_encoder(Encoder::FORM.keep_triplets(), longest(7, 5));
}

/// A set with digits, '%' and letters, which no standard has, and lower-case digits.
#[test]
fn every_short_string_encoded_by_a_custom_set() {
    check_encoder(Encoder::new(ByteSet::new(b"%4ag")).lowercase(), longest(6, 5));
}

/// The strings are shorter, because no kernel has a variant for this.
#[test]
fn every_short_string_encoded_with_kept_non_ascii() {
    check_encoder(Encoder::URI.keep_non_ascii(), longest(6, 5));
}

/// All output forms and all options, on even shorter strings.
#[test]
fn every_form_of_every_codec() {
    let (decoders, encoders) = (decoders(), encoders());
    for_each_string(longest(3, 2), |string| {
        decoders.iter().for_each(|decoder| compare_decoding(decoder, string));
        encoders.iter().for_each(|encoder| compare_encoding(encoder, string));
    });
}

/// RFC 3986 2.1: which two bytes make a triplet with '%', and its value.
#[test]
fn every_pair_of_bytes_after_percent() {
    let mut decoding = [Decoder::new(), Decoder::new().lenient()].map(DecodingCheck::new);
    let mut encoding = EncodingCheck::new(Encoder::COMPONENT.keep_triplets());
    let mut text = CLEAN;
    for &at in if is_quick() { &[30][..] } else { &[0, 14, 30, 62] } {
        for pair in 0..=u16::MAX {
            text[at] = b'%';
            text[at + 1..at + 3].copy_from_slice(&pair.to_be_bytes());
            for text in [&text[..at + 3], &text[..at + 3 + 64]] {
                decoding.iter_mut().for_each(|check| check.check(text));
                encoding.check(text);
            }
        }
        text[at..at + 3].fill(CLEAN[0]);
    }
}

/// A '%' without two digits (RFC 3986 2.1; WHATWG URL 1.3) at every position in a block: a strict
/// decoder reports its exact offset, a lenient one copies the '%' and continues after it.
#[test]
fn every_malformed_pattern_at_every_offset() {
    let patterns: [&[u8]; 17] = [
        b"%", b"%4", b"%g", b"%g4", b"%4g", b"%%", b"%%41", b"%4%41", b"%%%41", b"%4%4%41", b"%G1", b"%1G", b"%\0",
        b"%4\0", b"%\x804", b"%+4", b"%41%4",
    ];
    let decoders = [false, true].map(|plus| {
        [Decoder::new(), Decoder::new().lenient()].map(|decoder| if plus { decoder.plus_for_space() } else { decoder })
    });
    let step = if is_quick() { 7 } else { 1 };
    for pattern in patterns {
        for at in (0..=200).step_by(step) {
            let mut text = [&CLEAN[..at], pattern, &CLEAN[..80]].concat();
            for length in [text.len(), at + pattern.len()] {
                text.truncate(length);
                decoders.iter().flatten().for_each(|decoder| compare_decoding(decoder, &text));
            }
        }
    }
}

/// `decode_runs` alternates between runs of blocks with and without triplets: runs of many lengths,
/// from every offset, with and without an error after them, then another run.
#[test]
fn every_run_length_of_escaped_and_clean_blocks() {
    let decoders = [
        Decoder::new(),
        Decoder::new().lenient(),
        Decoder::new().plus_for_space(),
        Decoder::new().lenient().plus_for_space(),
    ];
    let step = if is_quick() { 17 } else { 1 };
    for at in (0..=70).step_by(step) {
        for triplets in if is_quick() { &[2, 11, 43][..] } else { &[1, 2, 3, 5, 6, 10, 11, 16, 21, 22, 43] } {
            for between in [&b""[..], b"%", b"%4", b"+%+", b"%g4%4"] {
                let run = b"%41".repeat(*triplets);
                let mut text = [&CLEAN[..at], &run, between, &CLEAN[..70], b"%e2%82%AC", &CLEAN[..150]].concat();
                text.resize(text.len().max(516) + at % 5, b'z');
                decoders.iter().for_each(|decoder| compare_decoding(decoder, &text));
            }
        }
    }
}

/// One special byte or triplet at every position of every text that the short paths handle.
#[test]
fn every_position_in_every_short_text() {
    let pieces: [&[u8]; 6] = [b"%", b"%41", b"+", b" ", b"\0", b"\xFF"];
    let mut decoding =
        [Decoder::new(), Decoder::new().lenient(), Decoder::new().lenient().plus_for_space()].map(DecodingCheck::new);
    let with_letters = Encoder::new(sets::whatwg::COMPONENT.with(b'z').with(b'4'));
    let mut encoding = [
        Encoder::COMPONENT,
        Encoder::COMPONENT.lowercase(),
        Encoder::FORM,
        Encoder::URI,
        Encoder::URI.keep_non_ascii(),
        with_letters,
    ]
    .map(EncodingCheck::new);
    for length in 0..=70 {
        for piece in pieces {
            for at in 0..=length {
                let text = [&CLEAN[..at], piece, &CLEAN[..length - at]].concat();
                decoding.iter_mut().for_each(|check| check.check_with_scan(&text));
                encoding.iter_mut().for_each(|check| check.check_with_scan(&text));
            }
        }
    }
}

/// Of two errors of any kind and distance, the first is reported.
#[test]
fn every_distance_of_two_errors() {
    let errors: [&[u8]; 4] = [b"%", b"%4", b"\0", b"%00"];
    let mut strict = DecodingCheck::new(Decoder::new().reject(ByteSet::new(b"\0")));
    let mut lenient = DecodingCheck::new(Decoder::new().lenient().reject(ByteSet::new(b"\0")));
    for first in errors {
        for second in errors {
            for at in BLOCK_ENDS {
                for distance in 0..=70 {
                    let text = [&CLEAN[..at], first, &CLEAN[..distance], second, &CLEAN[..40]].concat();
                    strict.check(&text);
                    lenient.check(&text);
                }
            }
        }
    }
}

/// Every byte at every offset: encoded, and searched for among bytes that differ from it in one
/// bit.
#[test]
fn every_byte_at_every_offset() {
    let mut checks = [Encoder::COMPONENT, Encoder::FORM, Encoder::new(ByteSet::EMPTY)].map(EncodingCheck::new);
    for byte in 0..=u8::MAX {
        let only = ByteSet::new(&[byte]);
        for at in (0..=130).step_by(if is_quick() { 13 } else { 1 }) {
            let mut text = CLEAN;
            text[at] = byte;
            checks.iter_mut().for_each(|check| check.check_with_scan(&text[..at + 1]));
            checks.iter_mut().for_each(|check| check.check_with_scan(&text[..at + 70]));
        }
        for bit in 0..8 {
            let neighbour = byte ^ 1 << bit;
            for at in BLOCK_ENDS {
                let mut haystack = [neighbour; 150];
                haystack[at] = byte;
                haystack[at + 70] = byte;
                compare_searching(&only, &haystack);
                compare_searching(&only, &haystack[..at + 1]);
                compare_searching(&only, &haystack[..at]);
                compare_searching(&only.complement(), &haystack);
            }
        }
    }
}

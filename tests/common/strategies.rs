//! Random inputs, sets and codecs. The inputs are hard for SIMD code: dense in special bytes, with
//! lengths near block boundaries.

use proptest::prelude::*;
use proptest::sample::select;
use simdpct::{ByteSet, Decoder, Encoder, Level, sets};

use super::{decoder, encoder};

/// Bytes that are special to some operation, and their neighbours.
const SPECIAL: &[u8] = b"%%%%0479afAFgG/:@`+ ,*-\0\x01\x1F\x7F\x80\xBF\xC0\xFF";

const MALFORMED: [&[u8]; 17] = [
    b"%",
    b"%%",
    b"%4",
    b"%g",
    b"%4g",
    b"%g4",
    b"%G1",
    b"%1G",
    b"%%41",
    b"%4%41",
    b"%%34%31",
    b"%%%33%34%31",
    b"%4%31",
    b"%\0",
    b"%4\0",
    b"%\x80\x80",
    b"%+4",
];

const TEXTS: [&str; 6] = [
    "naïve café",
    "Привет, мир",
    "こんにちは世界",
    "مرحبا بالعالم",
    "😀👩‍👩‍👧",
    "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
];

/// Clean text of up to several 64-byte blocks.
fn clean() -> impl Strategy<Value = Vec<u8>> {
    (0..200_usize, any::<u8>()).prop_map(|(length, start)| {
        b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFXYZ-._~"
            .iter()
            .copied()
            .cycle()
            .skip(start.into())
            .take(length)
            .collect()
    })
}

fn triplet() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), any::<bool>())
        .prop_map(|(byte, upper)| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") }.into())
}

fn escaped(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|byte| format!("%{byte:02X}").into_bytes()).collect()
}

/// Part of a text in some script, possibly cut within a character, raw or escaped.
fn script() -> impl Strategy<Value = Vec<u8>> {
    (select(&TEXTS[..]), 0..8_usize, 0..24_usize, any::<bool>()).prop_map(|(text, skip, length, escape)| {
        let bytes: Vec<u8> = text.bytes().skip(skip).take(length).collect();
        if escape { escaped(&bytes) } else { bytes }
    })
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => prop::collection::vec(select(SPECIAL), 1..12),
        3 => triplet(),
        2 => select(&MALFORMED[..]).prop_map(<[u8]>::to_vec),
        2 => clean(),
        2 => script(),
        1 => (triplet(), 0..80_usize).prop_map(|(triplet, times)| triplet.repeat(times)),
        1 => (any::<u8>(), 0..80_usize).prop_map(|(byte, times)| vec![byte; times]),
        1 => prop::collection::vec(any::<u8>(), 0..80),
    ]
}

/// Lengths near multiples of the vector widths.
fn near_a_block_end() -> impl Strategy<Value = usize> {
    (select(&[8_usize, 16, 32, 48, 64, 96, 128, 192, 256][..]), 0..5_usize).prop_map(|(end, step)| end + step - 2)
}

/// Concatenated pieces; half of them are truncated or padded, at the front or at the back, to a
/// length near a block boundary.
pub fn input() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::collection::vec(piece(), 0..16);
    (pieces, prop::option::of(near_a_block_end()), any::<bool>()).prop_map(|(pieces, length, at_the_front)| {
        let mut text = pieces.concat();
        let Some(length) = length else { return text };
        if at_the_front {
            text.reverse();
        }
        text.resize(length, b'z');
        if at_the_front {
            text.reverse();
        }
        text
    })
}

pub fn byte_set() -> impl Strategy<Value = ByteSet> {
    prop_oneof![
        select(&[ByteSet::EMPTY, ByteSet::ALL, ByteSet::NON_ASCII, sets::UNRESERVED, sets::COMPONENT, sets::URI][..]),
        prop::collection::vec(select(SPECIAL), 0..8).prop_map(|members| ByteSet::new(&members)),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(|members| ByteSet::new(&members)),
        prop::collection::vec(any::<u8>(), 0..200).prop_map(|members| ByteSet::new(&members)),
        any::<u8>().prop_map(|byte| ByteSet::ALL.without(byte)),
        any::<(u8, u8)>().prop_map(|(first, last)| ByteSet::range(first, last)),
    ]
}

pub fn any_decoder() -> impl Strategy<Value = Decoder> {
    (any::<bool>(), any::<bool>(), prop::option::of(byte_set()), prop::option::of(byte_set()))
        .prop_map(|(lenient, plus, keep, reject)| decoder(lenient, plus, keep, reject))
}

pub fn any_encoder() -> impl Strategy<Value = Encoder> {
    (byte_set(), 0..16_u8).prop_map(|(set, policies)| encoder(set, policies))
}

pub fn any_level() -> impl Strategy<Value = Level> {
    select(super::levels().collect::<Vec<_>>())
}

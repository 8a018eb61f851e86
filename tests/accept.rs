//! Decoding with accepted characters: the first other character is an error, with its position in
//! the input.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::common::accept::compare_accepting;
use crate::common::strategies::{any_decoder, input};
use proptest::prelude::*;
use simdpct::accept::{AcceptError, Ranges};
use simdpct::{ByteSet, DecodeErrorKind, Decoder};

const DIGITS: Ranges = Ranges::new(&['0'..='9']);
const GREEK: Ranges = Ranges::new(&['Ͱ'..='Ͽ', ' '..=' ']);
const NOTHING: Ranges = Ranges::new(&[]);
const EVERYTHING: Ranges = Ranges::new(&['\0'..=char::MAX]);
const OVERLAPPING: Ranges = Ranges::new(&['a'..='m', 'z'..='b', 'g'..='é', '€'..='€', '\u{10000}'..='\u{10FFFF}']);

enum Outcome {
    Text(&'static str),
    Other(char, usize),
    Error(DecodeErrorKind, usize),
}

use Outcome::{Error, Other, Text};

#[test]
fn known_inputs_give_known_results() {
    let strict = Decoder::new();
    let lenient = strict.lenient();
    let table: &[(Decoder, Ranges<'_>, &[u8], Outcome)] = &[
        // A search field that accepts only Latin.
        (strict, Ranges::LATIN, b"%E8%B5%B7%E5%8F%B8%E5%A0%A1", Other('起', 0)),
        (strict, Ranges::LATIN, b"Cura%C3%A7ao %E2%80%93 %22x%22", Text("Curaçao – \"x\"")),
        (strict, Ranges::LATIN, "naïve %E8%B5%B7".as_bytes(), Other('起', 7)),
        (strict, Ranges::LATIN, b"e%CC%81", Text("e\u{301}")),
        (strict, Ranges::LATIN, b"a%00", Other('\0', 1)),
        (strict, Ranges::LATIN, b"a%0Ab", Other('\n', 1)),
        (strict, Ranges::LATIN, b"%C2%85", Other('\u{85}', 0)),
        (strict, Ranges::LATIN, b"%D0%B0", Other('а', 0)), // Cyrillic
        (strict, DIGITS, b"12%33a", Other('a', 5)),
        (strict, DIGITS, b"%D9%A1", Other('\u{661}', 0)),
        (strict, GREEK, b"%CE%B1 %CE%B2", Text("α β")),
        (strict.plus_for_space(), GREEK, b"%CE%B1+%CE%B2x", Other('x', 13)),
        (strict, NOTHING, b"", Text("")),
        (strict, NOTHING, b"%41", Other('A', 0)),
        (strict, EVERYTHING, b"%F4%8F%BF%BF%00", Text("\u{10FFFF}\0")),
        // It is the position of the character's first triplet.
        (strict, OVERLAPPING, b"a%C3%A9%C3%AA", Other('ê', 7)),
        (strict, OVERLAPPING, b"a%E2%82%AC%F0%90%80%80", Text("a€\u{10000}")),
        // The range from 'z' to 'b' is empty.
        (strict, OVERLAPPING, b"zA", Other('A', 1)),
        // A kept triplet is three characters of output.
        (strict.keep(ByteSet::new(b"/")), DIGITS, b"1%2F", Other('%', 1)),
        (strict.keep(ByteSet::new(b"0")), Ranges::new(&['%'..='%', '0'..='9']), b"1%30%41", Other('A', 4)),
        (lenient, DIGITS, b"1%%32", Other('%', 1)),
        // The first error is reported, of either kind.
        (strict, DIGITS, b"12a%", Other('a', 2)),
        (strict, DIGITS, b"12%a", Error(DecodeErrorKind::Malformed, 2)),
        (strict, DIGITS, b"%FFa%", Error(DecodeErrorKind::InvalidUtf8, 0)),
        (strict, DIGITS, b"a%FF%", Other('a', 0)),
        (strict, GREEK, b"%CE%B1%CE", Error(DecodeErrorKind::InvalidUtf8, 6)),
        (strict.reject(ByteSet::new(b"7")), DIGITS, b"67a", Error(DecodeErrorKind::Rejected(b'7'), 1)),
        (strict.reject(ByteSet::new(b"7")), DIGITS, b"6a7", Other('a', 1)),
    ];
    for (decoder, accepted, input, expected) in table {
        let case = input.escape_ascii();
        let results = [
            decoder.decode_utf8_accepting(input, accepted),
            decoder.decode_utf8_accepting_if(input, |character| accepted.contains(character)),
        ];
        for result in results {
            match (expected, result) {
                (Text(expected), Ok(text)) => assert_eq!(text, *expected, "{case}"),
                (&Other(expected, at), Err(error)) => {
                    assert!(
                        matches!(error, AcceptError::NotAccepted { character, position, .. } if (character, position) == (expected, at)),
                        "{error:?}: {case}"
                    );
                    assert_eq!(error.position(), at);
                }
                (&Error(kind, at), Err(AcceptError::Decode(error))) => {
                    assert_eq!((error.kind, error.position), (kind, at), "{case}");
                }
                (_, result) => panic!("{case}: {result:?}"),
            }
        }
    }
}

#[test]
fn error_message_names_character_and_position() {
    let error = Decoder::new().decode_utf8_accepting("ab%0A", &Ranges::LATIN).unwrap_err();
    assert_eq!(error.to_string(), "character '\\n' (U+000A) is not accepted, at byte 2");
}

#[test]
fn input_without_triplets_is_borrowed() {
    for text in ["plain", "", "naïve"] {
        assert!(matches!(Decoder::new().decode_utf8_accepting(text, &Ranges::LATIN), Ok(Cow::Borrowed(_))));
        assert!(matches!(Decoder::new().decode_utf8_accepting_if(text, |_| true), Ok(Cow::Borrowed(_))));
    }
}

/// The byte set that the SIMD search uses must agree with the ranges on every ASCII character.
#[test]
fn every_ascii_character_is_accepted_iff_in_ranges() {
    for ranges in [DIGITS, GREEK, NOTHING, EVERYTHING, OVERLAPPING, Ranges::LATIN] {
        for byte in 0..0x80_u8 {
            let accepted = ranges.contains(char::from(byte));
            for text in [vec![byte], format!("%{byte:02x}").into_bytes()] {
                let decoder = Decoder::new().lenient();
                assert_eq!(
                    decoder.decode_utf8_accepting(&text, &ranges).is_ok(),
                    accepted,
                    "{byte:#04X} by {ranges:?}"
                );
            }
        }
    }
}

/// An unaccepted character at every position of texts whose lengths are near multiples of the block
/// sizes, and on both sides of the length at which the predicate's algorithm changes.
#[test]
fn unaccepted_character_at_every_position_is_reported_there() {
    for length in [1, 15, 16, 17, 31, 63, 64, 65, 130, 511, 512, 513] {
        for at in 0..length {
            for (other, width) in [("!", 1), ("%21", 3), ("é", 2), ("%C3%A9", 6), ("\u{10000}", 4)] {
                let text = ["a".repeat(at), other.to_string(), "%61".repeat(length - at - 1)].concat();
                assert!(text.len() >= at + width);
                for result in [
                    Decoder::new().decode_utf8_accepting(&text, &Ranges::new(&['a'..='z'])),
                    Decoder::new().decode_utf8_accepting_if(&text, |character| character.is_ascii_lowercase()),
                ] {
                    assert_eq!(result.unwrap_err().position(), at, "{other} in {length}");
                }
            }
        }
    }
}

/// Ranges wide enough that random text is sometimes accepted.
fn ranges() -> impl Strategy<Value = Vec<RangeInclusive<char>>> {
    let any_range = prop_oneof![
        Just('\0'..='\u{7F}'),
        Just('\u{80}'..='\u{7FF}'),
        Just('\u{800}'..='\u{FFFF}'),
        Just('\u{10000}'..=char::MAX),
        any::<(char, char)>().prop_map(|(first, last)| first..=last),
        (0..0x80_u8, 0..0x80_u8).prop_map(|(first, last)| char::from(first)..=char::from(last)),
    ];
    prop::collection::vec(any_range, 0..6)
}

proptest! {
    #[test]
    fn random_input_matches_reference(input in input(), decoder in any_decoder(), ranges in ranges(), repeat in 1..20_usize) {
        compare_accepting(&decoder, &ranges, &input.repeat(repeat));
    }

    #[test]
    fn accepting_every_character_equals_decode_utf8(input in input(), decoder in any_decoder()) {
        let expected = decoder.decode_utf8(&input).map_err(AcceptError::from);
        assert_eq!(decoder.decode_utf8_accepting(&input, &EVERYTHING), expected);
        assert_eq!(decoder.decode_utf8_accepting_if(&input, |_| true), expected);
    }
}

//! Properties of the public API that hold for every input, without the reference implementation.

use crate::common::encoder;
use crate::common::strategies::{any_level, byte_set, input};
use proptest::prelude::*;
use simdpct::columns::{self, Column, OnError};
use simdpct::legacy::{UnicodeDecoder, latin1};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, Level, decode_utf8_lossy, stream};

/// Policy bits of `crate::common::encoder`.
const PLUS: u8 = 1;
const LOWERCASE: u8 = 2;
const KEEP_TRIPLETS: u8 = 4;
const KEEP_NON_ASCII: u8 = 8;

/// The bytes outside triplets.
fn literals(text: &[u8]) -> Vec<u8> {
    let mut literals = Vec::new();
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        rest = match rest {
            [b'%', high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => after,
            _ => {
                literals.push(first);
                tail
            }
        };
    }
    literals
}

proptest! {
    /// RFC 3986 2.4: encoding that escapes '%' is reversible, with every set and on every pair of
    /// levels.
    #[test]
    fn decode_of_encode_is_identity(
        input in input(), set in byte_set(), policies in 0..16_u8, there in any_level(), back in any_level()
    ) {
        let encoder = encoder(set.with(b'%'), policies & !KEEP_TRIPLETS).level(there);
        let mut decoder = Decoder::new().level(back);
        if policies & PLUS != 0 {
            decoder = decoder.plus_for_space();
        }
        let encoded = encoder.encode(&input).into_owned();
        assert_eq!(decoder.decode(&encoded).as_deref(), Ok(input.as_slice()));
    }

    /// An encoder that keeps triplets does not change the decoded value.
    #[test]
    fn encoding_with_kept_triplets_decodes_to_the_same(input in input(), set in byte_set(), level in any_level()) {
        let encoded = encoder(set.with(b'%'), KEEP_TRIPLETS).level(level).encode(&input).into_owned();
        assert_eq!(Decoder::new().decode(&encoded), Decoder::new().lenient().decode(&input));
    }

    /// Encoding is idempotent if triplets are kept or '%' is not in the set. Not with plus, because
    /// '+' is escaped.
    #[test]
    fn encoding_is_idempotent_if_percent_is_kept(input in input(), set in byte_set(), policies in 0..16_u8, level in any_level()) {
        for encoder in [
            encoder(set, policies & !PLUS | KEEP_TRIPLETS),
            encoder(set.without(b'%').intersection(ByteSet::new(b"0123456789abcdefABCDEF").complement()), policies & !PLUS),
        ] {
            let encoder = encoder.level(level);
            let once = encoder.encode(&input).into_owned();
            assert_eq!(encoder.encode(&once), once.as_str());
        }
    }

    /// Outside triplets, the output has no byte of the set, and no non-ASCII byte unless the policy
    /// keeps it.
    #[test]
    fn encoded_text_has_no_byte_of_the_set(input in input(), set in byte_set(), policies in 0..16_u8, level in any_level()) {
        let encoded = encoder(set, policies).level(level).encode(&input).into_owned();
        assert!(policies & KEEP_NON_ASCII != 0 || encoded.is_ascii());
        let allowed = |byte: u8| match byte {
            b'+' | b' ' if policies & PLUS != 0 => byte == b'+',
            _ => byte >= 0x80 || !set.contains(byte),
        };
        for byte in literals(encoded.as_bytes()) {
            assert!(allowed(byte), "{:#04X} in {}", byte, encoded);
        }
        // RFC 3986 2.1: the digits have the requested case.
        if policies & (KEEP_TRIPLETS | KEEP_NON_ASCII) == 0 && set.contains(b'%') {
            let digits: String = encoded.split('%').skip(1).map(|part| &part[..2]).collect();
            let wrong = |c: char| if policies & LOWERCASE != 0 { c.is_uppercase() } else { c.is_lowercase() };
            assert!(!digits.contains(wrong), "{}", encoded);
        }
    }

    /// Without policies for triplets and characters, encoding works on single bytes, so the
    /// encodings of two parts concatenate.
    #[test]
    fn encoding_of_parts_concatenates(input in input(), set in byte_set(), policies in 0..4_u8, at in any::<prop::sample::Index>(), level in any_level()) {
        let encoder = encoder(set, policies).level(level);
        let (front, back) = input.split_at(at.index(input.len() + 1));
        assert_eq!([encoder.encode(front), encoder.encode(back)].concat(), encoder.encode(&input));
    }

    /// WHATWG URL 1.3: percent-decoding has no failure.
    #[test]
    fn lenient_decoding_never_fails(input in input(), plus in any::<bool>(), keep in byte_set(), level in any_level()) {
        let decoder = crate::common::decoder(true, plus, Some(keep), None).level(level);
        assert_eq!(decoder.check(&input), Ok(()));
        assert!(decoder.decode_utf8_lossy(&input).is_ok() && decoder.decode_utf8_dropping(&input).is_ok());
    }

    /// If a strict decoder succeeds, a lenient one has the same result.
    #[test]
    fn strict_success_equals_lenient_result(input in input(), level in any_level()) {
        let lenient = Decoder::new().lenient().level(level).decode(&input);
        match Decoder::new().level(level).decode(&input) {
            Ok(bytes) => assert_eq!(Ok(bytes), lenient),
            Err(error) => {
                assert_eq!(error.kind, DecodeErrorKind::Malformed);
                let (before, rest) = input.split_at(error.position);
                assert!(Decoder::new().decode(before).is_ok());
                assert!(rest[0] == b'%' && !literals(&rest[..rest.len().min(3)]).is_empty());
            }
        }
    }

    /// The output has no rejected byte; an error names the first one and the position it comes
    /// from.
    #[test]
    fn rejected_bytes_are_not_in_the_output(input in input(), reject in byte_set(), level in any_level()) {
        let decoder = Decoder::new().lenient().level(level);
        match decoder.reject(reject).decode(&input) {
            Ok(bytes) => assert_eq!(reject.count(&bytes), 0),
            Err(error) => {
                let DecodeErrorKind::Rejected(byte) = error.kind else { panic!("{error}") };
                assert!(reject.contains(byte));
                let before = decoder.decode(&input[..error.position]).unwrap();
                assert_eq!(reject.count(&before), 0);
                assert_eq!(decoder.decode(&input).unwrap()[before.len()], byte);
            }
        }
    }

    /// Nor does output that is replaced, dropped or converted after decoding, in one piece, in a
    /// stream or in a column.
    #[test]
    fn rejected_bytes_are_not_in_converted_output(input in input(), reject in byte_set(), level in any_level()) {
        let reject = reject.union(ByteSet::new(b"\xBD"));
        let decoder = Decoder::new().lenient().level(level).reject(reject);
        let mut stream = stream::Decoder::new(decoder).utf8_lossy();
        let mut streamed = Vec::new();
        let is_streamed = stream.feed_to(&input, &mut streamed).and_then(|()| stream.finish());
        if let Ok(tail) = &is_streamed {
            streamed.extend_from_slice(tail);
        }
        let column = Column::new(&input, &[0_i64, input.len() as i64][..]).map(|column| {
            columns::decode_utf8_lossy(&column, &decoder, OnError::Null).unwrap()
        });
        let text = String::from_utf8_lossy(&input);
        let latin1 = latin1::decode_with(&text, &decoder);
        for (form, output) in [
            ("lossy", decoder.decode_utf8_lossy(&input).ok().map(|text| text.as_bytes().to_vec())),
            ("dropping", decoder.decode_utf8_dropping(&input).ok().map(|text| text.as_bytes().to_vec())),
            ("stream", Some(streamed)),
            ("column", Some(column.unwrap().values)),
            ("latin1", latin1.ok().map(|text| text.as_bytes().to_vec())),
            ("unicode", UnicodeDecoder::new(decoder).decode_utf8_lossy(&input).ok().map(|text| text.as_bytes().to_vec())),
        ] {
            prop_assert_eq!(output.map_or(0, |output| reject.count(&output)), 0, "{}", form);
        }
        prop_assert_eq!(decoder.decode_utf8_lossy(&input).is_ok(), is_streamed.is_ok());
    }

    /// Keeping every triplet leaves the input unchanged. Keeping some, '%' included, leaves a text
    /// that decodes to the same.
    #[test]
    fn kept_triplets_are_unchanged(input in input(), keep in byte_set(), level in any_level()) {
        let decoder = Decoder::new().lenient().level(level);
        let all = decoder.keep(ByteSet::ALL).decode(&input);
        assert_eq!(all.as_deref(), Ok(input.as_slice()));
        // With '%' kept, the remaining triplets can be decoded later.
        let first = decoder.keep(keep.with(b'%')).decode(&input).unwrap().into_owned();
        if Decoder::new().check(&input).is_ok() {
            assert_eq!(decoder.decode(&first), decoder.decode(&input));
        }
    }

    /// The position of an ill-formed sequence is the input position after the longest well-formed
    /// prefix.
    #[test]
    fn ill_formed_utf8_position_follows_well_formed_prefix(input in input(), level in any_level()) {
        let decoder = Decoder::new().lenient().level(level);
        let bytes = decoder.decode(&input).unwrap();
        match decoder.decode_utf8(&input) {
            Ok(text) => assert_eq!(text.as_bytes(), &*bytes),
            Err(error) => {
                assert_eq!(error.kind, DecodeErrorKind::InvalidUtf8);
                let well_formed = std::str::from_utf8(&bytes).unwrap_err().valid_up_to();
                let before = decoder.decode(&input[..error.position]).unwrap();
                assert_eq!(&*before, &bytes[..well_formed]);
            }
        }
    }

    /// Unicode 3.9: the same as the standard library's replacement.
    #[test]
    fn decode_utf8_lossy_matches_std(input in input(), level in any_level()) {
        let decoder = Decoder::new().lenient().level(level);
        let bytes = decoder.decode(&input).unwrap().into_owned();
        let lossy = String::from_utf8_lossy(&bytes);
        assert_eq!(decoder.decode_utf8_lossy(&input).as_deref(), Ok(&*lossy));
        assert_eq!(decode_utf8_lossy(&input), lossy);
    }
}

/// The properties pick a level from this list; with an empty one they would prove nothing.
#[test]
fn active_level_is_among_available_levels() {
    assert!(Level::available().any(|level| level == Level::active()));
}

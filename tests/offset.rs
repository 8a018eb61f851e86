//! Every offset in decoded output maps to the input byte or triplet it comes from.

use crate::common::offset::compare_offsets;
use crate::common::strategies::{any_decoder, input};
use crate::common::{decoders, is_quick};
use proptest::prelude::*;
use simdpct::offset::OffsetError;
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, reference};

type Offset = Result<usize, OffsetError>;

fn malformed(position: usize) -> OffsetError {
    decode_error(DecodeErrorKind::Malformed, position)
}

/// Errors cannot be constructed outside the crate, so this modifies a real one.
fn decode_error(kind: DecodeErrorKind, position: usize) -> OffsetError {
    let mut error: DecodeError = Decoder::new().check("%").unwrap_err();
    (error.kind, error.position) = (kind, position);
    OffsetError::Decode(error)
}

/// RFC 3986 2.1 and the policies: an output byte comes from a byte, a triplet, or a byte of a kept
/// triplet.
#[test]
fn known_inputs_give_known_offsets() {
    let strict = Decoder::new();
    let lenient = strict.lenient();
    let keep_slash = strict.keep(ByteSet::new(b"/"));
    let end = |decoded_len| Err(OffsetError::BeyondEnd { decoded_len });
    let table: &[(Decoder, &str, &[Offset])] = &[
        (strict, "", &[Ok(0), end(0)]),
        (strict, "ab", &[Ok(0), Ok(1), Ok(2), end(2), end(2)]),
        (strict, "%41b%43", &[Ok(0), Ok(3), Ok(4), Ok(7), end(3)]),
        (strict, "a+%2B", &[Ok(0), Ok(1), Ok(2), Ok(5), end(3)]),
        (strict.plus_for_space(), "a+%2B", &[Ok(0), Ok(1), Ok(2), Ok(5), end(3)]),
        // A kept triplet is three bytes of output.
        (keep_slash, "%2fa%41", &[Ok(0), Ok(1), Ok(2), Ok(3), Ok(4), Ok(7), end(5)]),
        (keep_slash, "%41%2F", &[Ok(0), Ok(3), Ok(4), Ok(5), Ok(6), end(4)]),
        // WHATWG URL 1.3: `%%41` is `%A`.
        (lenient, "%%41", &[Ok(0), Ok(1), Ok(4), end(2)]),
        (lenient, "%4%41", &[Ok(0), Ok(1), Ok(2), Ok(5), end(3)]),
        (lenient, "a%", &[Ok(0), Ok(1), Ok(2), end(2)]),
        // The input after the position is not read.
        (strict, "%41b%4", &[Ok(0), Ok(3), Ok(4), Err(malformed(4)), Err(malformed(4))]),
        (
            strict.reject(ByteSet::new(b"B")),
            "%41%42%43",
            &[Ok(0), Ok(3), Err(decode_error(DecodeErrorKind::Rejected(b'B'), 3))],
        ),
        (
            keep_slash.reject(ByteSet::new(b"2")),
            "a%2F",
            &[Ok(0), Ok(1), Ok(2), Err(decode_error(DecodeErrorKind::Rejected(b'2'), 2))],
        ),
    ];
    for (decoder, input, expected) in table {
        for (decoded, expected) in expected.iter().enumerate() {
            assert_eq!(decoder.input_offset(input, decoded), *expected, "{decoded} of {input:?} by {decoder:?}");
        }
    }
}

/// All texts of up to five significant bytes, with every policy.
#[test]
fn every_short_input_matches_reference() {
    let alphabet = b"%4fg2";
    let mut texts = vec![Vec::new()];
    let mut longest = texts.clone();
    for _ in 0..5 {
        longest =
            longest.iter().flat_map(|text| alphabet.iter().map(|&byte| [text.as_slice(), &[byte]].concat())).collect();
        texts.extend_from_slice(&longest);
    }
    for decoder in decoders() {
        for text in &texts {
            for decoded in 0..text.len() + 2 {
                let expected = reference::input_offset(&decoder, text, decoded);
                assert_eq!(decoder.input_offset(text, decoded), expected, "{decoded} of {text:?} by {decoder:?}");
                let expected = reference::decoded_offset(&decoder, text, decoded);
                assert_eq!(decoder.decoded_offset(text, decoded), expected, "{decoded} of {text:?} by {decoder:?}");
            }
        }
    }
}

/// Decoded, kept and malformed triplets around the map's checkpoints, at each of their bytes.
#[test]
fn triplets_around_checkpoints_match_reference() {
    let keep_slash = Decoder::new().keep(ByteSet::new(b"/"));
    for piece in ["%41", "%2F", "%2F%41", "%41%2F%42"] {
        for before in (250..260).step_by(if is_quick() { 3 } else { 1 }) {
            let text = ["a".repeat(before), piece.repeat(90), "b".repeat(300)].concat();
            compare_offsets(&Decoder::new(), text.as_bytes());
            compare_offsets(&keep_slash, text.as_bytes());
        }
    }
    for piece in ["%%41", "%4%41", "%"] {
        for before in 250..258 {
            compare_offsets(&Decoder::new().lenient(), ["a".repeat(before), piece.repeat(4)].concat().as_bytes());
        }
    }
    // The bytes before a checkpoint decide how the triplet after it is treated.
    let keep_percent = Decoder::new().lenient().keep(ByteSet::new(b"%"));
    for piece in ["%%41", "%4%41", "%%34%31"] {
        for before in 250..258 {
            compare_offsets(&keep_percent, ["a".repeat(before), piece.repeat(60)].concat().as_bytes());
        }
    }
}

/// The input and the offsets of its bytes in the output.
#[test]
fn known_input_offsets_give_known_decoded_offsets() {
    let strict = Decoder::new();
    let keep_slash = strict.keep(ByteSet::new(b"/"));
    let table: &[(Decoder, &str, &[usize])] = &[
        (strict, "", &[0, 0]),
        (strict, "%41b%43", &[0, 0, 0, 1, 2, 2, 2, 3, 3]),
        // A malformed `%` counts as kept, a rejected byte as accepted.
        (strict, "a%%41", &[0, 1, 2, 2, 2, 3]),
        (strict.reject(ByteSet::new(b"A")), "a%41b", &[0, 1, 1, 1, 2, 3]),
        (strict.plus_for_space(), "+%2B", &[0, 1, 1, 1, 2]),
        // A kept triplet is three bytes of output.
        (keep_slash, "%2fa%41", &[0, 1, 2, 3, 4, 4, 4, 5]),
    ];
    for (decoder, input, expected) in table {
        for (at, expected) in expected.iter().enumerate() {
            assert_eq!(decoder.decoded_offset(input, at), *expected, "{at} of {input:?} by {decoder:?}");
        }
    }
}

proptest! {
    /// The offset of invalid UTF-8 in the output equals the standard library's.
    #[test]
    fn decoded_offset_of_invalid_utf8_is_valid_up_to(input in input(), plus in any::<bool>()) {
        let decoder = crate::common::decoder(true, plus, None, None);
        let bytes = decoder.decode(&input).unwrap();
        let expected = str::from_utf8(&bytes).err().map(|error| error.valid_up_to());
        let error = decoder.decode_utf8(&input).err();
        assert_eq!(error.map(|error| decoder.decoded_offset(&input, error.position)), expected);
    }

    #[test]
    fn random_input_matches_reference(input in input(), decoder in any_decoder()) {
        compare_offsets(&decoder, &input);
    }

    /// Cuts a text as a router does: both halves of the raw text decode to the halves of the
    /// decoded text.
    #[test]
    fn input_cut_at_offset_decodes_to_output_halves(input in input(), plus in any::<bool>(), place in any::<prop::sample::Index>()) {
        let decoder = crate::common::decoder(true, plus, None, None);
        let decoded = decoder.decode(&input).unwrap();
        let at = place.index(decoded.len() + 1);
        let (front, back) = input.split_at(decoder.input_offset(&input, at).unwrap());
        assert_eq!(decoder.decode(front).unwrap(), &decoded[..at]);
        assert_eq!(decoder.decode(back).unwrap(), &decoded[at..]);
    }
}

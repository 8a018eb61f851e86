//! No new triplet in the output: every function that promises it, on every short string.

use simdpct::columns::{Column, ColumnBuf, Conversion, OnError};
use simdpct::legacy::charset::{self, Encoding};
use simdpct::legacy::{LoneSurrogates, UnicodeDecoder, latin1, rfc1738};
use simdpct::{ByteSet, Decoder, Malformed, Normalizer, reference};

use crate::chunkings::chunks;
use crate::common::stream::{TEXTS, decode};
use crate::{is_quick, longest};

/// `%`, digits of both kinds, triplets of these and of an ill-formed byte, raw ill-formed bytes,
/// and characters of well-formed text.
const SYMBOLS: [&[u8]; 12] =
    [b"%", b"2F", b"F", b"%25", b"%32", b"%46", b"%FF", b"\xFF", b"2", b"\xE2\x82", "\u{FFFD}".as_bytes(), b"z+"];

/// Calls `each` with every string of up to `longest` of the symbols.
fn for_each_string(symbols: &[&[u8]], longest: usize, mut each: impl FnMut(&[u8])) {
    for length in 0..=longest as u32 {
        for number in 0..symbols.len().pow(length) {
            let string: Vec<_> =
                (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]).collect();
            each(&string.concat());
        }
    }
}

/// The triplets of a text, in upper case, including overlapping triplets.
fn triplets(text: &[u8]) -> impl Iterator<Item = u8> {
    (0..text.len()).filter_map(|at| reference::triplet(text, at))
}

/// Asserts that the triplets of the output are triplets of the input, in its order.
#[track_caller]
fn assert_no_new(input: &[u8], output: &[u8], by: impl std::fmt::Debug) {
    let mut of_input = triplets(input);
    assert!(
        triplets(output).all(|triplet| of_input.any(|other| other == triplet)),
        "\"{}\" becomes \"{}\" by {by:?}",
        input.escape_ascii(),
        output.escape_ascii()
    );
}

/// Decoders that keep `%`, with each other option.
fn decoders() -> Vec<Decoder> {
    let mut decoders = Vec::new();
    for kept in [&b"%"[..], b"%2\xFF", b"%F\xE2"].map(ByteSet::new).into_iter().chain([ByteSet::ALL]) {
        for reject in [&b""[..], b"z", b"\xBF", b"+\xEF"].map(ByteSet::new) {
            let decoder = Decoder::new().keep(kept).reject(reject);
            let lenient = decoder.lenient();
            decoders.extend([decoder, decoder.plus_for_space(), lenient, lenient.plus_for_space()]);
        }
    }
    decoders
}

#[test]
fn no_form_of_decoding_creates_a_triplet() {
    let decoders = decoders();
    for_each_string(&SYMBOLS, longest(5, 3), |input| {
        for decoder in &decoders {
            let results = [
                decoder.decode(input).map(|output| output.into_owned()),
                decoder.decode_utf8(input).map(|output| output.into_owned().into_bytes()),
                decoder.decode_utf8_lossy(input).map(|output| output.into_owned().into_bytes()),
                decoder.decode_utf8_dropping(input).map(|output| output.into_owned().into_bytes()),
            ];
            let expected = [
                reference::decode(decoder, input),
                reference::decode_utf8(decoder, input).map(String::into_bytes),
                reference::decode_utf8_replacing(decoder, input, "\u{FFFD}").map(String::into_bytes),
                reference::decode_utf8_replacing(decoder, input, "").map(String::into_bytes),
            ];
            for (result, expected) in results.iter().zip(&expected) {
                assert_eq!(result, expected, "\"{}\" by {decoder:?}", input.escape_ascii());
                if let Ok(output) = result {
                    assert_no_new(input, output, decoder);
                }
            }
            assert_eq!(results[3].is_ok(), results[0].is_ok() && expected[3].is_ok());
        }
    });
}

/// Lookahead is not needed: a sequence after a malformed `%` is replaced, whatever follows. All
/// other sequences are dropped.
#[test]
fn only_sequences_after_a_malformed_percent_are_not_dropped() {
    let decoder = Decoder::new().lenient().keep(ByteSet::new(b"%"));
    for (input, output) in [
        ("%%FF2F", "%\u{FFFD}2F"),
        ("%2%FFF", "%2\u{FFFD}F"),
        ("%%FF", "%\u{FFFD}"),
        ("%%FF%FF2F", "%\u{FFFD}2F"),
        ("%%E2%82%322F", "%\u{FFFD}22F"),
        ("%2z%FFF", "%2zF"),
        ("%z%FF2F", "%z2F"),
        ("%25%FF2F", "%252F"),
        ("%25%FF%2F", "%25/"),
        ("a%FFb", "ab"),
        ("%FF%2F", "/"),
    ] {
        assert_eq!(decoder.decode_utf8_dropping(input).as_deref(), Ok(output), "{input}");
        let all_dropped = output.replace('\u{FFFD}', "");
        let without = Decoder::new().lenient().keep(ByteSet::new(b"z")).decode_utf8_dropping(input).unwrap();
        assert_eq!(without, all_dropped.replace("%25", "%"), "{input}");
    }
}

#[test]
fn no_chunking_of_a_stream_creates_a_triplet() {
    let symbols = &SYMBOLS[..8];
    for decoder in decoders() {
        for_each_string(symbols, longest(4, 2), |input| {
            if input.len() > 8 {
                return;
            }
            for text in TEXTS {
                for cuts in 0..1 << input.len().saturating_sub(1) {
                    let room = [64, 4, 17][cuts as usize % 3];
                    let (output, _) = decode(text.stream(decoder), chunks(input, cuts), room, text);
                    assert_no_new(input, &output, (decoder, text, cuts));
                }
            }
        });
    }
}

/// All strings are the rows of one column, so a new triplet across rows would show too.
#[test]
fn no_column_has_a_new_triplet() {
    let (mut values, mut offsets) = (Vec::new(), vec![0_i64]);
    for_each_string(&SYMBOLS, longest(4, 3), |input| {
        values.extend_from_slice(input);
        offsets.push(values.len() as i64);
    });
    let column = Column::new(&values, &offsets).unwrap();
    for decoder in decoders() {
        for conversion in
            [Conversion::decode(&decoder), Conversion::decode_utf8(&decoder), Conversion::decode_utf8_lossy(&decoder)]
        {
            let mut output = ColumnBuf::new();
            conversion.on_error(OnError::Null).append(&column, &mut output).unwrap();
            for (row, ends) in output.offsets.windows(2).enumerate() {
                let output = &output.values[ends[0] as usize..ends[1] as usize];
                assert_no_new(column.row(row).unwrap(), output, decoder);
            }
        }
    }
}

#[test]
fn no_legacy_decoder_creates_a_triplet_or_an_escape() {
    const WITH_UNICODE: [&[u8]; 10] =
        [b"%", b"u", b"00", b"2F", b"%75", b"%FF", b"%u0025", b"%u0032", b"%uD800", b"\xFF"];
    let escapes = |text: &[u8]| {
        text.windows(6).filter(|text| text.starts_with(b"%u") && text[2..].iter().all(u8::is_ascii_hexdigit)).count()
    };
    let policies = [LoneSurrogates::Refuse, LoneSurrogates::Replace, LoneSurrogates::Keep];
    let decoders = decoders();
    for_each_string(&WITH_UNICODE, longest(5, 3), |input| {
        for decoder in &decoders {
            for unicode in policies.map(|policy| UnicodeDecoder::new(*decoder).lone_surrogates(policy)) {
                for unicode in [unicode, unicode.keep_triplets()] {
                    for output in [unicode.decode_utf8(input), unicode.decode_utf8_lossy(input)].into_iter().flatten() {
                        assert_no_new(input, output.as_bytes(), unicode);
                        assert!(escapes(output.as_bytes()) <= escapes(input), "{input:?} by {unicode:?}");
                    }
                }
            }
        }
    });
    for_each_string(&SYMBOLS, longest(5, 3), |input| {
        if let Ok(output) = rfc1738::decode(input) {
            assert_no_new(input, output.as_bytes(), "RFC 1738");
        }
        for decoder in &decoders {
            if let Ok(input) = str::from_utf8(input)
                && let Ok(output) = latin1::decode_with(input, decoder)
            {
                assert_no_new(input.as_bytes(), output.as_bytes(), ("latin1", decoder));
            }
        }
    });
}

/// All charsets in which each ASCII byte is its character, unless it is part of another character.
#[test]
fn no_charset_but_those_of_other_bytes_creates_a_triplet() {
    let labels = "big5 euc-jp euc-kr gb18030 gbk ibm866 iso-8859-2 koi8-r shift_jis utf-8 windows-1252 replacement \
                  x-user-defined";
    let named = |label: &str| Encoding::for_label(label.as_bytes()).unwrap();
    let charsets: Vec<_> = labels.split(' ').map(named).collect();
    let lead: [&[u8]; 5] = [b"\x81", b"%8E", b"\x8F", b"0", b"\x1B(B"];
    let symbols = [&SYMBOLS[..8], &lead[..]].concat();
    let decoders = [ByteSet::new(b"%"), ByteSet::new(b"%2\x81")].map(|kept| Decoder::new().lenient().keep(kept));
    for_each_string(&symbols, longest(4, 3), |input| {
        for decoder in &decoders {
            for &charset in &charsets {
                let results =
                    [charset::decode(input, charset, decoder), charset::decode_lossy(input, charset, decoder)];
                for output in results.into_iter().flatten() {
                    assert_no_new(input, output.as_bytes(), (charset, decoder));
                }
            }
        }
    });
    // In other charsets, an ASCII byte may have another meaning: an escape sequence of ISO-2022-JP
    // and a NUL of UTF-16 are not characters, so the output has a new triplet.
    let [decoder, _] = decoders;
    assert_eq!(charset::decode(b"%\x1B(B2F", named("iso-2022-jp"), &decoder).as_deref(), Ok("%2F"));
    assert_eq!(charset::decode(b"\0%\x002\0F", named("utf-16be"), &decoder).as_deref(), Ok("%2F"));
}

#[test]
fn no_normal_form_has_a_new_triplet_but_an_escaped_percent() {
    let sets = [ByteSet::new(b"2F"), ByteSet::new(b"2F%\xFF"), ByteSet::ALL];
    let length = if is_quick() { 3 } else { longest(5, 3) };
    for_each_string(&SYMBOLS, length, |input| {
        for set in sets {
            for policy in [Malformed::Refuse, Malformed::Keep, Malformed::Escape] {
                let normalizer = Normalizer::new().decode(set).malformed(policy);
                let mut output = [0; 64];
                let Ok(written) = normalizer.normalize_into(input, &mut output) else { continue };
                let mut of_input = triplets(input);
                let is_escape = |triplet| policy == Malformed::Escape && triplet == b'%';
                assert!(
                    triplets(&output[..written])
                        .all(|triplet| is_escape(triplet) || of_input.any(|other| other == triplet)),
                    "\"{}\" by {normalizer:?}",
                    input.escape_ascii()
                );
            }
        }
    });
}

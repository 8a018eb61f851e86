//! Extended values of header parameters: the examples of the RFCs, errors with positions, and
//! agreement with the reference implementation on every level.

use crate::common::ext_value::compare_ext_value;
use crate::common::strategies;
use proptest::prelude::*;
use simdpct::DecodeErrorKind::{InvalidUtf8, Malformed};
use simdpct::ext_value::{self, Charset, Encoder, ExtValue, ExtValueError};

/// Asserts that every form of encoding gives the same value, and that it decodes to the text.
#[track_caller]
fn assert_round_trip(language: &str, text: &str) -> String {
    let mut encoded = String::new();
    for level in crate::common::levels() {
        let encoder = Encoder::new().language(language).unwrap().level(level);
        encoded = encoder.encode(text);
        assert_eq!(encoder.encoded_len(text), encoded.len());
        assert_eq!(encoder.display(text).to_string(), encoded);
        let mut appended = String::from("title*=");
        encoder.encode_to(text, &mut appended);
        assert_eq!(appended, format!("title*={encoded}"));
        let mut output = vec![0xAA; encoded.len() + 1];
        assert_eq!(encoder.encode_into(text, &mut output[..encoded.len()]), Ok(encoded.len()));
        assert_eq!((&output[..encoded.len()], output[encoded.len()]), (encoded.as_bytes(), 0xAA));
        for short in [0, encoded.len() / 2, encoded.len() - 1] {
            assert_eq!(encoder.encode_into(text, &mut output[..short]).unwrap_err().needed, encoded.len());
        }
    }
    let value = ExtValue::parse(&encoded).unwrap();
    assert_eq!((value.charset(), value.language(), &*value.decode()), (Charset::Utf8, language, text));
    assert_eq!(encoded, format!("UTF-8'{language}'{}", value.encoded()));
    compare_ext_value(encoded.as_bytes());
    encoded
}

#[test]
fn examples_of_the_rfcs_match() {
    for (input, charset, language, text) in [
        // RFC 5987 3.2.2
        ("iso-8859-1'en'%A3%20rates", Charset::Latin1, "en", "£ rates"),
        // RFC 8187 3.2.3 and 4.2
        ("UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", Charset::Utf8, "", "£ and € rates"),
        ("utf-8'en'%e2%82%ac%20exchange%20rates", Charset::Utf8, "en", "€ exchange rates"),
        ("UTF-8''%e2%82%ac%20exchange%20rates", Charset::Utf8, "", "€ exchange rates"),
        // RFC 6266 5
        ("UTF-8''%e2%82%ac%20rates", Charset::Utf8, "", "€ rates"),
        // RFC 8288 3.5
        ("UTF-8'de'letztes%20Kapitel", Charset::Utf8, "de", "letztes Kapitel"),
        ("UTF-8'de'n%c3%a4chstes%20Kapitel", Charset::Utf8, "de", "nächstes Kapitel"),
    ] {
        let value = ExtValue::parse(input).unwrap();
        assert_eq!((value.charset(), value.language(), &*value.decode()), (charset, language, text), "{input}");
        compare_ext_value(input.as_bytes());
        if charset == Charset::Utf8 {
            // The RFCs write some digits and names in lower case.
            assert!(assert_round_trip(language, text).eq_ignore_ascii_case(input), "{input}");
        }
    }
}

#[test]
fn language_tags_are_checked() {
    // RFC 5646 appendix A, and grandfathered tags of 2.2.8.
    for tag in
        ["", "de", "zh-cmn-Hans-CN", "sl-rozaj-biske-1994", "de-CH-x-phonebk", "x-whatever", "i-klingon", "en-GB-oed"]
    {
        assert_round_trip(tag, "a b");
    }
    for (tag, position) in
        [("-", 0), ("de-", 3), ("de--AT", 3), ("1", 0), ("d1", 1), ("abcdefghi", 8), ("de_AT", 2), ("dé", 1)]
    {
        let expected = |position| format!("not an extended value (RFC 8187): unexpected at byte {position}");
        assert_eq!(Encoder::new().language(tag).unwrap_err().to_string(), expected(position), "{tag}");
        let input = format!("UTF-8'{tag}'a");
        assert_eq!(ExtValue::parse(&input).unwrap_err().to_string(), expected(6 + position), "{tag}");
        compare_ext_value(input.as_bytes());
    }
    assert_eq!(Encoder::new().language("de'a").unwrap_err().position(), 2);
}

#[test]
fn errors_have_kind_and_position() {
    let unexpected = [
        ("", 0),
        ("UTF-8", 5),
        ("naive file.txt", 5),
        ("na\u{ef}ve.txt", 2),
        ("''a", 0),
        ("'en'a", 0),
        ("UTF-8'", 6),
        ("UTF-8'en", 8),
        ("UTF-8''a b", 8),
        ("UTF-8''a'b", 8),
        ("UTF-8''\"a\"", 7),
        ("UTF-8''a\u{e9}", 8),
        ("UTF-8''a;b", 8),
        ("ISO-8859-1''a/b", 13),
    ];
    for (input, position) in unexpected {
        let error = ExtValue::parse(input).unwrap_err();
        assert!(
            matches!(error, ExtValueError::Unexpected { position: at, .. } if at == position),
            "{input}: {error:?}"
        );
        assert_eq!(error.position(), position);
        compare_ext_value(input.as_bytes());
    }
    for input in ["UTF-16''a", "windows-1252''%", "UTF-8x'!'", "utf8''a"] {
        assert_eq!(ExtValue::parse(input), Err(ExtValueError::UnsupportedCharset), "{input}");
        assert_eq!(ExtValue::parse(input).unwrap_err().position(), 0);
        compare_ext_value(input.as_bytes());
    }
    for (input, kind, position) in [
        ("UTF-8''50%", Malformed, 9),
        ("UTF-8''%zz", Malformed, 7),
        ("UTF-8''%4 ", Malformed, 7),
        ("UTF-8''a%C3", InvalidUtf8, 8),
        ("UTF-8''a%C3%", InvalidUtf8, 8),
        ("UTF-8''a%C3 ", InvalidUtf8, 8),
        ("UTF-8''a%C3\u{a9}", InvalidUtf8, 8),
        ("UTF-8''%ED%A0%80", InvalidUtf8, 7),
        ("ISO-8859-1'en'%C3%", Malformed, 17),
    ] {
        let Err(ExtValueError::Decode(error)) = ExtValue::parse(input) else { panic!("{input}") };
        assert_eq!((error.kind, error.position), (kind, position), "{input}");
        assert_eq!(ExtValueError::Decode(error).to_string(), error.to_string());
        compare_ext_value(input.as_bytes());
    }
}

/// RFC 8187 3.2.1: attr-char is kept, everything else becomes triplets.
#[test]
fn every_character_of_latin1_round_trips() {
    let text: String = (0..=0xFF_u8).map(char::from).collect();
    let encoded = assert_round_trip("", &text);
    let kept: String = encoded["UTF-8''".len()..].split('%').map(|part| part.get(2..).unwrap_or_default()).collect();
    assert_eq!(kept, "!#$&+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~");
    let triplets: String = (0..=0xFF_u8).map(|byte| format!("%{byte:02x}")).collect();
    let value = format!("ISO-8859-1''{triplets}");
    assert_eq!(ext_value::decode(&value).as_deref(), Ok(&*text));
    compare_ext_value(value.as_bytes());
    assert_round_trip("", "");
}

proptest! {
    #[test]
    fn any_text_round_trips(text: String, language in "([a-z]{2}(-[A-Z0-9]{1,8}){0,2})?") {
        assert_round_trip(&language, &text);
    }

    #[test]
    fn random_values_match_reference(
        prefix in "(UTF-8|utf-8|ISO-8859-1|UTF|)'?([a-z1]{0,9}-?[A-Z1]{0,9})?'?",
        value in strategies::input(),
        keep in any::<bool>(),
    ) {
        let mut input = prefix.into_bytes();
        let is_value = |byte: &u8| *byte == b'%' || simdpct::sets::rfc5987::ATTR_CHAR.contains(*byte);
        input.extend(value.iter().filter(|byte| keep || is_value(byte)).take(500));
        compare_ext_value(&input);
    }
}

//! Encoding and decoding with legacy charsets, per the WHATWG URL and Encoding Standards.
//!
//! The vectors of the web platform tests are in a folder outside the project (`SIMDPCT_CORPORA`, by
//! default `../shared/corpora`). Without the folder, this test prints a note and passes.

use std::borrow::Cow;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use simdpct::DecodeErrorKind::{IllFormed, InvalidUtf8, Malformed, Rejected};
use simdpct::legacy::charset::{self, Encoding};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, Encoder, reference, sets};

use crate::common::{self, strategies};

/// WHATWG URL 4.4, query state: the percent-encode set of a special scheme.
const QUERY: Encoder = Encoder::new(sets::whatwg::SPECIAL_QUERY);

#[track_caller]
fn named(label: &str) -> &'static Encoding {
    Encoding::for_label(label.as_bytes()).unwrap_or_else(|| panic!("no charset {label}"))
}

#[test]
fn wpt_vectors_match() {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("SIMDPCT_CORPORA").map_or_else(default, PathBuf::from);
    let path = folder.join("vectors/wpt_percent-encoding.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("not tested: there is no {}", path.display());
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for case in cases.iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        for (label, expected) in case["output"].as_object().unwrap() {
            let expected = expected.as_str().unwrap();
            assert_eq!(charset::encode_with_references(input, named(label), &QUERY), expected, "{input:?} in {label}");
            compared += 1;
        }
    }
    assert!(compared > 10);
}

/// WHATWG URL 1.3, percent-encode after encoding; the bytes are from WHATWG Encoding's indexes.
#[test]
fn percent_encode_after_encoding() {
    for (label, text, expected) in [
        ("utf-8", "a é€", "a%20%C3%A9%E2%82%AC"),
        ("windows-1252", "a é€", "a%20%E9%80"),
        ("windows-1252", "☃&#9731;", "%26%239731%3B&%239731;"),
        ("windows-1252", "😀", "%26%23128512%3B"),
        // 4.2: labels of ISO-8859-1 mean windows-1252, which maps all bytes.
        ("iso-8859-1", "€\u{81}", "%80%81"),
        ("windows-1251", "Привет", "%CF%F0%E8%E2%E5%F2"),
        ("koi8-r", "Привет", "%F0%D2%C9%D7%C5%D4"),
        ("x-user-defined", "\u{F780}\u{F7FF}", "%80%FF"),
        ("shift_jis", "表", "%95\\"),
        ("shift_jis", "¥‾", "\\~"),
        ("shift_jis", "ｱ日本", "%B1%93%FA%96{"),
        ("euc-jp", "日本", "%C6%FC%CB%DC"),
        ("euc-kr", "한글", "%C7%D1%B1%DB"),
        ("big5", "中文", "%A4%A4%A4%E5"),
        ("gbk", "中€", "%D6%D0%80"),
        ("gb18030", "中€😀", "%D6%D0%A2%E3%949%FC6"),
        // 12.2.2: escape sequences between the states ASCII, Roman and jis0208, back to ASCII at
        // the end.
        ("iso-2022-jp", "abc", "abc"),
        ("iso-2022-jp", "あ", "%1B$B$%22%1B(B"),
        ("iso-2022-jp", "aあbい", "a%1B$B$%22%1B(Bb%1B$B$$%1B(B"),
        ("iso-2022-jp", "¥a\\~", "%1B(J\\a%1B(B\\~"),
        // An unmappable character: jis0208 switches back to ASCII, Roman stays.
        ("iso-2022-jp", "あ☃あ", "%1B$B$%22%1B(B%26%239731%3B%1B$B$%22%1B(B"),
        ("iso-2022-jp", "¥☃¥", "%1B(J\\%26%239731%3B\\%1B(B"),
        // Bytes that switch the encoder's state are reported as U+FFFD, in either state.
        ("iso-2022-jp", "\x0E\x0F\x1B", "%26%2365533%3B%26%2365533%3B%26%2365533%3B"),
        ("iso-2022-jp", "¥\x0E", "%1B(J\\%26%2365533%3B%1B(B"),
        // 4.3: no encoder, so UTF-8.
        ("utf-16le", "é", "%C3%A9"),
        ("utf-16be", "é", "%C3%A9"),
        ("replacement", "é", "%C3%A9"),
    ] {
        let charset = named(label);
        let encoded = charset::encode_with_references(text, charset, &QUERY);
        assert_eq!(encoded, expected, "{text} in {label}");
        assert_eq!(matches!(encoded, Cow::Borrowed(_)), text == expected, "{text} in {label}");
        let first = text.char_indices().find(|&(_, character)| {
            matches!(charset::encode(character.encode_utf8(&mut [0; 4]), charset, &QUERY), Err(error) if error.position == 0)
        });
        match (charset::encode(text, charset, &QUERY), first) {
            (Ok(strict), None) => assert_eq!(strict, expected, "{text} in {label}"),
            (result, first) => {
                assert_eq!(result.map_err(|error| (error.position, error.character)), Err(first.unwrap()));
            }
        }
    }
    let error = charset::encode("aé☃", charset::WINDOWS_1252, &QUERY).unwrap_err();
    assert_eq!((error.character, error.position), ('☃', 3));
    let error = charset::encode("¥\x1B", charset::ISO_2022_JP, &QUERY).unwrap_err();
    assert_eq!((error.character, error.position), ('\x1B', 2));
}

/// The policies apply to the charset's bytes.
#[test]
fn encoder_policies_apply_to_charset_bytes() {
    use simdpct::legacy::charset::{ISO_2022_JP, SHIFT_JIS, UTF_8, WINDOWS_1252};
    let form = Encoder::FORM.lowercase();
    assert_eq!(charset::encode_with_references("1 + ï", WINDOWS_1252, &form), "1+%2b+%ef");
    assert_eq!(charset::encode_with_references("1 + ☃", WINDOWS_1252, &form), "1+%2b+%26%239731%3B");
    let uri = Encoder::URI.keep_non_ascii();
    assert_eq!(charset::encode_with_references("Ã©%41%", WINDOWS_1252, &uri), "%C3%A9%41%25");
    assert_eq!(charset::encode_with_references("é%41%", UTF_8, &uri), "é%41%25");
    // In jis0208, these two characters are 25 34 31 26, which looks like a triplet and '&'.
    assert_eq!(charset::encode_with_references("ゴ右%41", ISO_2022_JP, &uri), "%1B$B%2541&%1B(B%2541");
    assert_eq!(charset::decode("%1B$B%2541&%1B(B%2541", ISO_2022_JP, &Decoder::new()).as_deref(), Ok("ゴ右%41"));
    let path = Encoder::COMPONENT;
    assert_eq!(charset::encode_with_references("表", SHIFT_JIS, &path), "%95%5C");
}

/// WHATWG Encoding 4.1, and 10 to 12 for ill-formed input.
#[test]
fn decode_matches_encoding_standard() {
    let (strict, lenient) = (Decoder::new(), Decoder::new().lenient().plus_for_space());
    let not_b = strict.reject(ByteSet::new(b"b"));
    type Expected<'a> = Result<&'a str, (DecodeErrorKind, usize)>;
    let cases: [(&str, Decoder, &str, Expected<'_>, &str); 34] = [
        ("utf-8", strict, "%C3%A9", Ok("é"), "é"),
        ("utf-8", strict, "a%E9", Err((InvalidUtf8, 1)), "a\u{FFFD}"),
        ("windows-1252", strict, "plain", Ok("plain"), "plain"),
        ("windows-1252", strict, "%41b", Ok("Ab"), "Ab"),
        ("windows-1252", strict, "%80%e9%81", Ok("€é\u{81}"), "€é\u{81}"),
        ("windows-1252", strict, "%C3%A9", Ok("Ã©"), "Ã©"),
        ("windows-1252", strict, "%80%", Err((Malformed, 3)), ""),
        ("windows-1252", lenient, "%80+%", Ok("€ %"), "€ %"),
        ("windows-1251", strict, "%CF%F0%E8%E2%E5%F2", Ok("Привет"), "Привет"),
        ("windows-1253", strict, "a%D2", Err((IllFormed, 1)), "a\u{FFFD}"),
        ("shift_jis", strict, "%95\\%95%5C", Ok("表表"), "表表"),
        ("shift_jis", strict, "%93%FA%96{", Ok("日本"), "日本"),
        ("shift_jis", strict, "%95%5C%95", Err((IllFormed, 6)), "表\u{FFFD}"),
        // The rejected set also applies to the charset's output, with the position of its input
        // sequence.
        ("windows-1252", strict.reject(ByteSet::new(b"\xAC")), "%80", Err((Rejected(0xAC), 0)), ""),
        ("shift_jis", strict.reject(ByteSet::new(b"\xE6")), "a\u{5C}%93%FA%96{", Err((Rejected(0xE6), 2)), ""),
        ("utf-16be", strict.reject(ByteSet::new(b"\xF0")), "%00a%D8%3D%DE%00", Err((Rejected(0xF0), 4)), ""),
        ("iso-2022-jp", strict.reject(ByteSet::new(b"\x82")), "a%1B$B$%22%1B(B", Err((Rejected(0x82), 1)), ""),
        ("euc-kr", strict.reject(ByteSet::new(b"\xED")), "%C7%D1%FF", Err((Rejected(0xED), 0)), ""),
        ("euc-kr", strict.reject(ByteSet::new(b"\xED")), "%C7%D1%", Err((Rejected(0xED), 0)), ""),
        // 12.3.1: an ASCII byte after a lead byte that it does not complete is a separate
        // character.
        ("shift_jis", strict, "a%81!b", Err((IllFormed, 1)), "a\u{FFFD}!b"),
        ("euc-jp", strict, "%C6%FC%8F%A2", Err((IllFormed, 6)), "日\u{FFFD}"),
        ("euc-kr", strict, "%C7%D1%FF%B1%DB", Err((IllFormed, 6)), "한\u{FFFD}글"),
        ("euc-kr", strict, "%FF%", Err((IllFormed, 0)), ""),
        ("euc-kr", strict, "%C7%D1%", Err((Malformed, 6)), ""),
        ("euc-kr", not_b, "%FFb", Err((IllFormed, 0)), ""),
        ("euc-kr", not_b, "%C7%D1%62", Err((Rejected(b'b'), 6)), ""),
        ("big5", strict, "%A4%A4%A4%E5", Ok("中文"), "中文"),
        ("gb18030", strict, "%949%FC6", Ok("😀"), "😀"),
        ("gb18030", strict, "a%949%FC%20", Err((IllFormed, 1)), "a\u{FFFD}9\u{FFFD} "),
        ("iso-2022-jp", strict, "%1B$B$%22%1B(Ba", Ok("あa"), "あa"),
        ("iso-2022-jp", strict, "abc", Ok("abc"), "abc"),
        ("iso-2022-jp", strict, "%1B(J\\~%1B(B\\", Ok("¥‾\\"), "¥‾\\"),
        ("utf-16le", strict, "a%00%AC%20", Ok("a€"), "a€"),
        ("utf-16be", strict, "%D8%3D%DE%00%D8%3D", Err((IllFormed, 12)), "😀\u{FFFD}"),
    ];
    for (label, decoder, input, expected, lossy) in cases {
        let result = charset::decode(input, named(label), &decoder);
        assert_eq!(matches!(result, Ok(Cow::Borrowed(_))), expected == Ok(input), "{input} in {label}");
        let result = result.map_err(|error| (error.kind, error.position));
        assert_eq!(result.as_deref(), expected.as_deref(), "{input} in {label}");
        let result = charset::decode_lossy(input, named(label), &decoder);
        match expected {
            Err((kind @ (Malformed | Rejected(_)), _)) => assert_eq!(result.unwrap_err().kind, kind),
            _ if lossy.is_empty() => assert!(result.is_err(), "{input} in {label}"),
            _ => assert_eq!(result.as_deref(), Ok(lossy), "{input} in {label}"),
        }
    }
    // Only lossy text has U+FFFD.
    let no_replacement = strict.reject(ByteSet::new(b"\xEF"));
    let error = charset::decode_lossy("%C7%D1a%FF", charset::EUC_KR, &no_replacement).unwrap_err();
    assert_eq!((error.kind, error.position), (Rejected(0xEF), 7));
    let error = charset::decode("%C7%D1a%FF", charset::EUC_KR, &no_replacement).unwrap_err();
    assert_eq!((error.kind, error.position), (IllFormed, 7));
    let raw = charset::decode(b"\xC7\xD1", charset::EUC_KR, &strict);
    assert_eq!(raw.as_deref(), Ok("한"));
    let error = charset::decode("%FF", charset::EUC_KR, &strict).unwrap_err();
    assert_eq!(error.to_string(), "the decoded bytes are not valid in the charset at byte 0");
}

const CHARSETS: [&Encoding; 13] = [
    charset::BIG5,
    charset::EUC_JP,
    charset::EUC_KR,
    charset::GB18030,
    charset::GBK,
    charset::ISO_2022_JP,
    charset::ISO_8859_2,
    charset::KOI8_U,
    charset::SHIFT_JIS,
    charset::UTF_8,
    charset::WINDOWS_1251,
    charset::WINDOWS_1252,
    charset::X_USER_DEFINED,
];

fn text() -> impl Strategy<Value = String> {
    let pieces =
        ["%", "41", "+", " ", "é", "Привет", "日本", "ア", "表", "한글", "¥", "‾", "☃", "😀", "\\", "\x1B", "\u{F780}"];
    let piece = prop_oneof![select(Vec::from(pieces)).prop_map(String::from), "\\PC{0,9}", "[a-z]{0,70}"];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Decoding gives the characters to which the charset maps the bytes. They may differ from the
    /// text: Shift_JIS encodes `¥` as `\\`.
    #[test]
    fn representable_text_round_trips(text in text(), charset in select(&CHARSETS[..]), plus: bool) {
        let mut encoder = Encoder::COMPONENT;
        if plus {
            encoder = encoder.plus_for_space();
        }
        let (mut bytes, _, is_lossy) = charset.encode(&text);
        let encoded = charset::encode(&text, charset, &encoder);
        prop_assert_eq!(encoded.is_err(), is_lossy);
        if let Ok(encoded) = encoded {
            prop_assert_eq!(&encoded, &reference::encode(&encoder, bytes.to_mut()));
            let expected = charset.decode_without_bom_handling_and_without_replacement(&bytes);
            let decoder = common::decoder(false, plus, None, None);
            let back = charset::decode(&*encoded, charset, &decoder);
            prop_assert_eq!(back.ok(), expected);
        }
    }

    #[test]
    fn random_bytes_decode_as_by_reference(
        input in strategies::input(),
        charset in select(&CHARSETS[..]),
        decoder in strategies::any_decoder(),
    ) {
        let is_rejected = |byte: u8| decoder.check(&[byte]).is_err_and(|error| error.kind == Rejected(byte));
        let holds_rejected = |text: &str| text.bytes().any(is_rejected);
        let (symbols, failure) = reference::symbols(&decoder, &input);
        let bytes: Vec<u8> = symbols.iter().map(|&(_, byte)| byte).collect();
        let lossy_text = charset.decode_without_bom_handling(&bytes).0;
        match (charset::decode_lossy(&input, charset, &decoder), failure) {
            (Ok(text), None) => prop_assert!(text == lossy_text && !holds_rejected(&text)),
            (Err(error), _) if holds_rejected(&lossy_text) => {
                prop_assert!(matches!(error.kind, Rejected(byte) if is_rejected(byte)));
                // The preceding bytes have no rejected byte.
                let before = symbols.iter().position(|&(from, _)| from == error.position).expect("a byte starts there");
                prop_assert!(!holds_rejected(&charset.decode_without_bom_handling(&bytes[..before]).0));
            }
            (Err(error), Some(failure)) => prop_assert_eq!(error, failure),
            (result, failure) => prop_assert!(false, "{result:?}, {failure:?}"),
        }
        let strict = charset::decode(&input, charset, &decoder);
        match (strict, charset.decode_without_bom_handling_and_without_replacement(&bytes), failure) {
            (Ok(result), Some(expected), None) => prop_assert!(result == expected && !holds_rejected(&result)),
            (Err(error), Some(text), _) if holds_rejected(&text) => {
                prop_assert!(matches!(error.kind, Rejected(byte) if is_rejected(byte)));
            }
            (Err(error), Some(_), Some(failure)) => prop_assert_eq!(error, failure),
            (Err(error), None, _) => {
                let before = symbols.iter().position(|&(from, _)| from == error.position);
                let before = &bytes[..before.expect("a byte starts there")];
                let text = charset.decode_without_bom_handling_and_without_replacement(before);
                match error.kind {
                    IllFormed | InvalidUtf8 => prop_assert!(text.is_some_and(|text| !holds_rejected(&text))),
                    kind => prop_assert!(matches!(kind, Rejected(byte) if is_rejected(byte)), "{kind:?}"),
                }
            }
            (result, expected, failure) => prop_assert!(false, "{result:?}, {expected:?}, {failure:?}"),
        }
    }
}

#[test]
fn unrepresentable_text_takes_linear_time() {
    for (charset, piece, expected) in [
        (charset::WINDOWS_1252, "a☃", "a%26%239731%3B"),
        // The byte is reported as U+FFFD, because it would switch the state.
        (charset::ISO_2022_JP, "\u{E}", "%26%2365533%3B"),
        (charset::SHIFT_JIS, "☃", "%26%239731%3B"),
        (charset::GB18030, "\u{E5E5}", "%26%2358853%3B"),
    ] {
        let encoded = charset::encode_with_references(&piece.repeat(1000), charset, &QUERY).into_owned();
        assert_eq!(encoded, expected.repeat(1000), "{}", charset.name());
        common::assert_linear(piece, |text| {
            let _encoded = charset::encode_with_references(text, charset, &QUERY);
        });
        common::assert_linear(piece, |text| {
            charset::decode_lossy(text, charset, &Decoder::new().lenient()).unwrap();
            let _first = charset::decode(text, charset, &Decoder::new().lenient());
        });
    }
}

/// Long text is converted in slices; states and triplets continue across their ends.
#[test]
fn long_text_encodes_as_one_piece() {
    for piece in ["あ", "aあ", "%41表", "%", "%4", "é☃%41"] {
        for before in 1015..1030 {
            let text = format!("{}{}", "z".repeat(before), piece.repeat(400));
            for charset in CHARSETS {
                for encoder in [QUERY, QUERY.keep_triplets(), Encoder::COMPONENT] {
                    // The expected bytes, with character references: the output of encoding_rs for
                    // the whole text.
                    let (bytes, _, has_unencodable) = charset.output_encoding().encode(&text);
                    if has_unencodable {
                        continue;
                    }
                    let mut encoder = encoder;
                    if charset.name() == "ISO-2022-JP" {
                        encoder = QUERY;
                    }
                    let expected = reference::encode(&encoder, &bytes);
                    assert_eq!(
                        charset::encode(&text, charset, &encoder).as_deref(),
                        Ok(&*expected),
                        "{before} {piece}"
                    );
                }
            }
        }
    }
}

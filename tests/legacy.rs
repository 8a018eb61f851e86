//! `%uXXXX`, ECMAScript's functions, ISO-8859-1 and RFC 1738's converter against their definitions,
//! errors included.
//!
//! The reference implementations process the input character by character, as the definitions do.

use std::borrow::Cow;

use crate::common::legacy::{
    UnicodeCase, code_unit, compare_escaping, compare_java, compare_latin1_decoding, compare_unescaping,
    compare_unicode_decoding,
};
use crate::common::strategies;
use proptest::prelude::*;
use proptest::sample::select;
use simdpct::DecodeErrorKind::{InvalidUtf8, LoneSurrogate, Malformed, Rejected, Unencodable};
use simdpct::legacy::{LoneSurrogates, UnicodeDecoder, java, js, latin1, rfc1738};
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Level, reference, sets};

type Expected<'a> = Result<&'a str, (DecodeErrorKind, usize)>;

/// Lengths of padding that move a case across block boundaries.
const PADDINGS: [usize; 7] = [0, 9, 15, 30, 31, 62, 63];

/// Compares at several positions in a block, and asserts that a result is borrowed if and only if
/// it equals the input.
#[track_caller]
fn assert_decodes<'f>(
    input: &str,
    expected: Expected<'_>,
    decode: impl for<'a> Fn(&'a str) -> Result<Cow<'a, str>, DecodeError> + 'f,
) {
    for padding in PADDINGS {
        let pad = "z".repeat(padding);
        let padded = format!("{pad}{input}{pad}");
        let result = decode(&padded);
        if let Ok(text) = &result {
            assert_eq!(matches!(text, Cow::Borrowed(_)), *text == padded, "borrowed, unchanged: {padded}");
        }
        let result = result.map_err(|error| (error.kind, error.position));
        let expected =
            expected.map(|text| format!("{pad}{text}{pad}")).map_err(|(kind, position)| (kind, position + padding));
        assert_eq!(result.as_deref(), expected.as_deref(), "{padded}");
    }
}

/// ECMA-262 B.2.1.1: the unescaped set; two digits for a code unit below 256, four for others,
/// upper case.
#[test]
fn js_escape_matches_ecma_262() {
    let unescaped = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@*_+-./";
    assert!(matches!(js::escape(unescaped), Cow::Borrowed(text) if text == unescaped));
    assert!(matches!(js::escape(""), Cow::Borrowed("")));
    for (text, expected) in [
        (" ", "%20"),
        ("%", "%25"),
        ("~!'(),;:=&$#?[]", "%7E%21%27%28%29%2C%3B%3A%3D%26%24%23%3F%5B%5D"),
        ("\0\u{7F}", "%00%7F"),
        ("\u{80}é\u{FF}", "%80%E9%FF"),
        ("\u{100}€\u{FFFF}", "%u0100%u20AC%uFFFF"),
        ("ćeské", "%u0107esk%E9"),
        // 6.1.4: a character above U+FFFF is two code units.
        ("\u{10000}😀\u{10FFFF}", "%uD800%uDC00%uD83D%uDE00%uDBFF%uDFFF"),
    ] {
        for padding in PADDINGS {
            let pad = "z".repeat(padding);
            assert_eq!(js::escape(&format!("{pad}{text}{pad}")), format!("{pad}{expected}{pad}"));
        }
    }
}

/// ECMA-262 B.2.1.2: text that is neither `%uXXXX` nor `%XX` stays, and the result is not decoded
/// again.
#[test]
fn js_unescape_matches_ecma_262() {
    for (input, expected) in [
        ("plain é €", Ok("plain é €")),
        ("%20%7e%7E", Ok(" ~~")),
        ("%E9%e9%FF%80", Ok("éé\u{FF}\u{80}")),
        // Not decoded as UTF-8: two code units.
        ("%C3%A9", Ok("Ã©")),
        ("%u20AC%u20ac%u0041%u00e9", Ok("€€Aé")),
        ("%uD83D%uDE00%ud83d%ude00", Ok("😀😀")),
        ("%", Ok("%")),
        ("%%41", Ok("%A")),
        ("%4", Ok("%4")),
        ("%4%41", Ok("%4A")),
        ("%u", Ok("%u")),
        ("%u20A", Ok("%u20A")),
        ("%u20A%u20AC", Ok("%u20A€")),
        ("%u%u20AC", Ok("%u€")),
        ("%%u20AC", Ok("%€")),
        ("%uu20AC", Ok("%uu20AC")),
        ("%u20G0", Ok("%u20G0")),
        ("%u+0AC", Ok("%u+0AC")),
        ("%U20AC", Ok("%U20AC")),
        ("%éC%4é%u00é0", Ok("%éC%4é%u00é0")),
        ("+", Ok("+")),
        ("%2541%25u0041", Ok("%41%u0041")),
        ("%u002541", Ok("%41")),
        ("%u0025u0041", Ok("%u0041")),
        ("é%E9€%u20AC😀%41", Ok("éé€€😀A")),
        ("%uD83D", Err((LoneSurrogate, 0))),
        ("%uDE00%uD83D", Err((LoneSurrogate, 0))),
        ("a%uD83Db%uDE00", Err((LoneSurrogate, 1))),
        ("%uD83D%uD83D%uDE00", Err((LoneSurrogate, 0))),
        ("%uD83D%uDE00%uDE00", Err((LoneSurrogate, 12))),
        ("é%uD83D%u0041", Err((LoneSurrogate, 2))),
        ("%uD83D%u0000", Err((LoneSurrogate, 0))),
        ("%uDBFF%uE000", Err((LoneSurrogate, 0))),
    ] {
        assert_decodes(input, expected, js::unescape);
    }
    assert_eq!(js::unescape_lossy("%uDE00%uD83Da%uD83D%uD83D%uDE00"), "\u{FFFD}\u{FFFD}a\u{FFFD}😀");
    assert!(matches!(js::unescape_lossy("5 €%"), Cow::Borrowed("5 €%")));
}

/// ECMA-262 19.2.6: `decodeURI` keeps the escapes of its reserved set as written, `encodeURI` its
/// characters.
#[test]
fn js_uri_functions_match_ecma_262() {
    let reserved = ";/?:@&=+$,#";
    assert_eq!(js::encode_uri(reserved), reserved);
    assert_eq!(js::encode_uri_component(reserved), "%3B%2F%3F%3A%40%26%3D%2B%24%2C%23");
    let escaped = "%3b%2F%3F%3A%40%26%3D%2B%24%2C%23";
    for (input, uri, component) in [
        (escaped, Ok(escaped), Ok(reserved)),
        ("%5B%5D%25%7E%20%C3%A9", Ok("[]%~ é"), Ok("[]%~ é")),
        ("%252F", Ok("%2F"), Ok("%2F")),
        ("é%", Err((Malformed, 2)), Err((Malformed, 2))),
        ("%2F%C3", Err((InvalidUtf8, 3)), Err((InvalidUtf8, 3))),
        ("%C3%2F", Err((InvalidUtf8, 0)), Err((InvalidUtf8, 0))),
        ("%ED%A0%80", Err((InvalidUtf8, 0)), Err((InvalidUtf8, 0))),
        ("%u20AC", Err((Malformed, 0)), Err((Malformed, 0))),
    ] {
        assert_decodes(input, uri, js::decode_uri);
        assert_decodes(input, component, js::decode_uri_component);
    }
    for byte in 0..=0x7F_u8 {
        let text = char::from(byte).to_string();
        let escape = format!("%{byte:02X}");
        assert_eq!(js::RESERVED.contains(byte), reserved.contains(&text));
        assert_eq!(js::decode_uri(&escape).as_deref() == Ok(&escape), reserved.contains(&text), "{escape}");
    }
}

/// `%uXXXX` next to UTF-8 triplets, on every level.
#[test]
fn unicode_escapes_mixed_with_triplets_decode() {
    const STRICT: UnicodeDecoder = UnicodeDecoder::new(Decoder::new());
    const LENIENT: UnicodeDecoder = UnicodeDecoder::new(Decoder::new().lenient().plus_for_space());
    const ALONE: UnicodeDecoder = STRICT.keep_triplets();
    const ALONE_LENIENT: UnicodeDecoder = UnicodeDecoder::new(Decoder::new().lenient()).keep_triplets();
    const GUARDED: UnicodeDecoder = UnicodeDecoder::new(Decoder::new().reject(ByteSet::new(b"\0/\xBD")));
    const KEEPING: UnicodeDecoder = UnicodeDecoder::new(Decoder::new().keep(ByteSet::new(b"/\xC3\xA9")));
    let replacing = STRICT.lone_surrogates(LoneSurrogates::Replace);
    let verbatim = STRICT.lone_surrogates(LoneSurrogates::Keep);
    let verbatim_lenient = UnicodeDecoder::new(Decoder::new().lenient()).lone_surrogates(LoneSurrogates::Keep);
    for (decoder, input, expected) in [
        (STRICT, "é%u20AC%E2%82%AC€", Ok("é€€€")),
        (STRICT, "%uD83D%uDE00%F0%9F%98%80", Ok("😀😀")),
        (STRICT, "%u0025%32%35", Ok("%25")),
        (STRICT, "%C3%A9", Ok("é")),
        (STRICT, "plain", Ok("plain")),
        (STRICT, "%E9", Err((InvalidUtf8, 0))),
        (STRICT, "%u20AC%C3%u00A9", Err((InvalidUtf8, 6))),
        (STRICT, "%u00C3%A9", Err((InvalidUtf8, 6))),
        (STRICT, "%u20A", Err((Malformed, 0))),
        (STRICT, "%u20AC%u20AG", Err((Malformed, 6))),
        (STRICT, "%u20AC%U20AC", Err((Malformed, 6))),
        (STRICT, "%4%u20AC", Err((Malformed, 0))),
        (STRICT, "%%u20AC", Err((Malformed, 0))),
        (STRICT, "%uD800%", Err((LoneSurrogate, 0))),
        (STRICT, "%%uD800", Err((Malformed, 0))),
        (STRICT, "%u20AC%uD800x%uDC00", Err((LoneSurrogate, 6))),
        // A surrogate encoded in triplets is ill-formed and does not form a pair.
        (STRICT, "%ED%A0%BD%uDE00", Err((InvalidUtf8, 0))),
        (LENIENT, "a+%u20AC%u20A+%", Ok("a €%u20A %")),
        (LENIENT, "%%u20AC+%2B", Ok("%€ +")),
        (ALONE, "%u20AC%20%E9+", Ok("€%20%E9+")),
        (ALONE, "%C3%A9", Ok("%C3%A9")),
        (ALONE, "%u20AC%2", Err((Malformed, 6))),
        // If escapes are kept, no escape is created.
        (ALONE, "%u00252F", Ok("%u00252F")),
        (ALONE, "%u0025%u0032%u0046", Ok("%u00252F")),
        (ALONE_LENIENT, "%%u0032%u0046", Ok("%%u0032F")),
        (ALONE_LENIENT, "%2%u0046%4", Ok("%2%u0046%4")),
        (ALONE_LENIENT, "%%u0075D800", Ok("%%u0075D800")),
        (ALONE_LENIENT, "%u00%u0032%u0046", Ok("%u00%u0032F")),
        (ALONE_LENIENT, "%g%u0032%u0046", Ok("%g2F")),
        (verbatim, "%u0025uD800", Ok("%u0025uD800")),
        (verbatim, "%25uD800", Ok("%25uD800")),
        (verbatim, "%u0041%42", Ok("AB")),
        (verbatim_lenient, "%%75D800", Ok("%%75D800")),
        (verbatim_lenient, "%uD8%30%30", Ok("%uD8%300")),
        (verbatim_lenient, "%u%44800", Ok("%u%44800")),
        (verbatim_lenient, "%%34%31", Ok("%%341")),
        (GUARDED, "a%u0000", Err((Rejected(0), 1))),
        (GUARDED, "%u20AC%u002F", Err((Rejected(b'/'), 6))),
        (GUARDED, "%u20AC/", Err((Rejected(b'/'), 6))),
        // U+00BD is C2 BD.
        (GUARDED, "%u20AC%u00BD", Err((Rejected(0xBD), 6))),
        (GUARDED, "%u2044", Ok("\u{2044}")),
        (KEEPING, "%u002F%2f%u00E9%C3%A9%u00C9%u0041", Ok("%u002F%2f%u00E9%C3%A9ÉA")),
        (KEEPING, "%u002F%2f", Ok("%u002F%2f")),
        (replacing, "%uD83D%uD83D%uDE00%uDE00", Ok("\u{FFFD}😀\u{FFFD}")),
        (replacing, "%uDE00%uD83D", Ok("\u{FFFD}\u{FFFD}")),
        (verbatim, "%uD83D%ud83d%uDE00%ude00", Ok("%uD83D😀%ude00")),
        (verbatim, "%uD83D%uD83D", Ok("%uD83D%uD83D")),
    ] {
        assert_decodes(input, expected, |text| decoder.decode_utf8(text));
    }
    // A rejected digit of a kept escape is reported at its own position.
    let decoder = UnicodeDecoder::new(Decoder::new().reject(ByteSet::new(b"8"))).lone_surrogates(LoneSurrogates::Keep);
    assert_decodes("a%uD8FF", Err((Rejected(b'8'), 4)), |text| decoder.decode_utf8(text));
    // Raw bytes that are not UTF-8.
    assert_eq!(STRICT.decode_utf8(b"%u20AC\xFF").unwrap_err().position, 6);
    assert_eq!(STRICT.decode_utf8_lossy(b"%u20AC\xFF").as_deref(), Ok("€\u{FFFD}"));
    // A byte of U+FFFD is rejected, so a lone surrogate or an ill-formed sequence must not become
    // one.
    let guarded = UnicodeDecoder::new(Decoder::new().reject(ByteSet::new(b"\xEF")));
    let guarded = guarded.lone_surrogates(LoneSurrogates::Replace);
    for input in ["a%uD800", "a%FF", "a%FF%u0041"] {
        let error = guarded.decode_utf8_lossy(input).unwrap_err();
        assert_eq!((error.kind, error.position), (Rejected(0xEF), 1), "{input}");
    }
    assert_eq!(STRICT.decode_utf8_lossy("%C3%u00A9%E2%82").as_deref(), Ok("\u{FFFD}©\u{FFFD}"));
    let verbatim_and_lossy = verbatim.decode_utf8_lossy(b"%uD800\xFF");
    assert_eq!(verbatim_and_lossy.as_deref(), Ok("%uD800\u{FFFD}"));
}

/// RFC 1738 2.2: octets are ISO-8859-1, whose characters are the first 256 of Unicode.
#[test]
fn latin1_matches_iso_8859_1() {
    let all: String = (0..=0xFF_u8).map(char::from).collect();
    let escaped: String = (0..=0xFF_u8).map(|byte| format!("%{byte:02X}")).collect();
    assert_eq!(latin1::encode_with(&all, &Encoder::new(ByteSet::ALL)).as_deref(), Ok(&*escaped));
    assert_eq!(latin1::decode_with(&escaped, &Decoder::new()).as_deref(), Ok(&*all));
    assert_eq!(latin1::decode(&escaped).as_deref(), Ok(&*all));
    assert_eq!(latin1::encode(&all), latin1::encode_with(&all, &Encoder::COMPONENT));
    assert_eq!(latin1::encode(&all).map(|encoded| latin1::decode(&encoded).map(Cow::into_owned)), Ok(Ok(all)));

    for (text, expected) in [
        ("", Ok("")),
        ("abc", Ok("abc")),
        ("a b", Ok("a+b")),
        ("é", Ok("%E9")),
        // ISO-8859-1 text that looks like UTF-8 is escaped too.
        ("Ã©", Ok("%C3%A9")),
        ("é\u{100}", Err(('\u{100}', 2))),
        ("€", Err(('€', 0))),
        ("é 😀 €", Err(('😀', 3))),
    ] {
        let encoder = Encoder::FORM.keep_non_ascii();
        for padding in PADDINGS {
            let pad = "z".repeat(padding);
            let padded = format!("{pad}{text}{pad}");
            let result = latin1::encode_with(&padded, &encoder);
            assert_eq!(matches!(result, Ok(Cow::Borrowed(_))), expected == Ok(text), "{padded}");
            let expected = expected.map(|text| format!("{pad}{text}{pad}")).map_err(|(c, at)| (c, at + padding));
            let result = result.map_err(|error| (error.character, error.position));
            assert_eq!(result.as_deref(), expected.as_deref(), "{padded}");
        }
    }
    let strict = Decoder::new();
    for (decoder, input, expected) in [
        (strict, "abc", Ok("abc")),
        (strict, "é", Ok("é")),
        (strict, "%C3%A9", Ok("Ã©")),
        (strict, "é%e9\u{FF}%2B+", Ok("éé\u{FF}++")),
        (strict, "éé%4", Err((Malformed, 4))),
        (strict, "%%41", Err((Malformed, 0))),
        (strict, "%E9€%", Err((Unencodable('€'), 3))),
        (strict, "%4€", Err((Malformed, 0))),
        (strict, "é€", Err((Unencodable('€'), 2))),
        (strict.lenient().plus_for_space(), "%4é+%E9%", Ok("%4é é%")),
        (strict.lenient(), "%€", Err((Unencodable('€'), 1))),
        (strict.keep(ByteSet::NON_ASCII), "%e9%41é", Ok("%e9Aé")),
        (strict.reject(ByteSet::new(b"\xE9")), "aé", Err((Rejected(0xE9), 1))),
        (strict.reject(ByteSet::new(b"\xE9")), "à%E9", Err((Rejected(0xE9), 2))),
        // The output is UTF-8, in which é is C3 A9.
        (strict.reject(ByteSet::new(b"\xC3")), "a%E9", Err((Rejected(0xC3), 1))),
        (strict.reject(ByteSet::new(b"\xA9")), "aàé", Err((Rejected(0xA9), 3))),
        (strict.reject(ByteSet::new(b"\xC2")), "a%E9", Ok("aé")),
    ] {
        assert_decodes(input, expected, |text| latin1::decode_with(text, &decoder));
    }
}

/// RFC 1738 2.2: `; / ? : @ = &` are reserved; 3.3: `#` is not part of a URL.
#[test]
fn rfc1738_converter_matches_rfc() {
    let delimiters = ";/?:@=#&";
    assert_eq!(rfc1738::encode(delimiters), delimiters);
    for byte in 0..=0x7F_u8 {
        let (character, escape) = (char::from(byte).to_string(), format!("%{byte:02x}"));
        let is_delimiter = delimiters.contains(&character);
        assert_eq!(rfc1738::DELIMITERS.contains(byte), is_delimiter);
        let stays = is_delimiter || byte == b'%';
        assert_eq!(rfc1738::decode(&escape).unwrap(), if stays { &*escape } else { &*character });
    }
    // 2.2: these and alphanumerics are safe. "<>\"#%{}|\\^~[]`" and space are unsafe.
    assert_eq!(rfc1738::encode("$-_.+!*'(),aZ9"), "$-_.+!*'(),aZ9");
    assert_eq!(rfc1738::encode("<>\"%{}|\\^~[]` "), "%3C%3E%22%25%7B%7D%7C%5C%5E%7E%5B%5D%60%20");
    assert_decodes("/%2f%3D%C3%A9%25+", Ok("/%2f%3Dé%25+"), rfc1738::decode);
    // Text escaped twice stays distinct from text escaped once.
    assert_decodes("%252F", Ok("%252F"), rfc1738::decode);
    assert_decodes("%2F", Ok("%2F"), rfc1738::decode);
    assert_decodes("/é%2", Err((Malformed, 3)), rfc1738::decode);
    assert_decodes("/%E9/", Err((InvalidUtf8, 1)), rfc1738::decode);
}

#[test]
fn errors_name_kind_and_position() {
    let error = js::unescape("ab%uD800").unwrap_err();
    assert_eq!(error.to_string(), "half of a surrogate pair at byte 2");
    let error = latin1::decode_with("a€", &Decoder::new()).unwrap_err();
    assert_eq!(error.to_string(), "the charset does not have the character U+20AC at byte 1");
    assert_eq!(latin1::decode("a€"), Err(error));
    let error = latin1::encode_with("é€", &Encoder::COMPONENT).unwrap_err();
    assert_eq!(latin1::encode("é€"), Err(error));
    assert_eq!(error.to_string(), "the charset does not have U+20AC at byte 2");
}

const FRAGMENTS: &[&str] = &[
    "%u0041",
    "%u002F",
    "%u20ac",
    "%uD83D",
    "%uDE00",
    "%ud83d%ude00",
    "%uDBFF%uDFFF",
    "%u00E9",
    "%u0000",
    "%uFFFD",
    "%u",
    "%u4",
    "%u20A",
    "%uu",
    "%U0041",
    "%",
    "%4",
    "%41",
    "%C3",
    "%A9",
    "%c3%a9",
    "%25",
    "%2F",
    "%FF",
    "u",
    "0041",
    "D800",
    "%u0025",
    "%u0044",
    "%u0075",
    "%75",
    "%38",
    "+",
    " ",
    "/",
    "é",
    "€",
    "😀",
    "abc",
    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![4 => select(FRAGMENTS).prop_map(String::from), 1 => "\\PC{0,9}"], 0..24)
        .prop_map(|pieces| pieces.concat())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => text().prop_map(String::into_bytes),
        1 => (text(), strategies::input(), text()).prop_map(|(a, b, c)| [a.as_bytes(), &b, c.as_bytes()].concat()),
    ]
}

/// The triplets and the `%uXXXX` of a text, in order.
fn escapes(text: &str) -> Vec<&str> {
    let (bytes, mut escapes, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let length = match (code_unit(bytes, at), reference::triplet(bytes, at)) {
            (Some(_), _) => 6,
            (None, Some(_)) => 3,
            (None, None) => 1,
        };
        if length > 1 {
            escapes.push(&text[at..at + length]);
        }
        at += length;
    }
    escapes
}

fn set() -> impl Strategy<Value = Option<ByteSet>> {
    const SETS: [Option<ByteSet>; 4] =
        [None, Some(ByteSet::new(b"/A")), Some(ByteSet::new(b"%D\xC3\xA9")), Some(ByteSet::NON_ASCII)];
    select(&SETS[..])
}

/// Answers of Java 17; crates/pct/tests/dialects has more.
#[test]
fn java_vectors_decode_as_by_url_decoder() {
    let cases: [(&str, Expected<'_>); 16] = [
        ("a+b%20c", Ok("a b c")),
        ("%C3%A9é", Ok("éé")),
        ("%+4%-0%+f", Ok("\u{4}\0\u{f}")),
        ("%-1", Err((Malformed, 0))),
        ("a%+g", Err((Malformed, 1))),
        ("%", Err((Malformed, 0))),
        ("%4", Err((Malformed, 0))),
        ("%%41", Err((Malformed, 0))),
        ("%１２%ｆＦ%٣٤", Ok("\u{12}\u{FFFD}4")),
        ("%𝟏𝟐", Err((Malformed, 0))),
        ("%ED%A0%80", Ok("\u{FFFD}")),
        ("%ED%A0%BD%ED%B8%80", Ok("\u{FFFD}\u{FFFD}")),
        ("%ED%A0", Ok("\u{FFFD}")),
        ("%ED%A0a", Ok("\u{FFFD}a")),
        ("%C0%AF", Ok("\u{FFFD}\u{FFFD}")),
        ("%F0%9F%98", Ok("\u{FFFD}")),
    ];
    for (input, expected) in cases {
        assert_decodes(input, expected, java::decode::<str>);
        compare_java(input);
    }
}

proptest! {
    #[test]
    fn random_java_text_matches_reference(parts in prop::collection::vec(prop_oneof![
        select(&["%+4", "%-0", "%-", "%+", "%１F", "%٣", "%ED%A0%80", "%ED", "%ED%BF", "%A0", "%E2%82", "+", "%C3", "é", "%4"][..]).prop_map(str::to_owned),
        text(),
    ], 0..8)) {
        compare_java(&parts.concat());
    }

    #[test]
    fn random_js_unescape_matches_reference(text in text()) {
        compare_unescaping(&text);
    }

    #[test]
    fn random_js_escape_matches_reference(text in text()) {
        compare_escaping(&text);
    }

    #[test]
    fn random_unicode_decoding_matches_reference(
        input in bytes(),
        lenient: bool,
        plus: bool,
        kept in set(),
        rejected in set(),
        alone: bool,
        policy in select(&[LoneSurrogates::Refuse, LoneSurrogates::Replace, LoneSurrogates::Keep][..]),
        level in strategies::any_level(),
    ) {
        compare_unicode_decoding(UnicodeCase { lenient, plus, kept, rejected, alone, policy, level }, &input);
    }

    /// If escapes are kept, the output has only escapes of the input, and decoding it again changes
    /// nothing.
    #[test]
    fn unicode_decoding_with_kept_escapes_creates_no_escape(input in text(), alone: bool, keep_percent: bool) {
        let decoder = Decoder::new().lenient();
        let decoder = if keep_percent { decoder.keep(ByteSet::new(b"%")) } else { decoder };
        let mut unicode = UnicodeDecoder::new(decoder).lone_surrogates(LoneSurrogates::Keep);
        if alone {
            unicode = unicode.keep_triplets();
        }
        let Ok(once) = unicode.decode_utf8(&input) else { return Ok(()) };
        let mut of_input = escapes(&input).into_iter();
        for escape in escapes(&once) {
            prop_assert!(of_input.any(|other| other == escape), "{escape} of {input:?} in {once:?}");
        }
        prop_assert_eq!(unicode.decode_utf8(&*once), Ok(Cow::from(&*once)));
    }

    #[test]
    fn latin1_round_trips(characters in prop::collection::vec(any::<u8>(), 0..200), policies in 0..4_u8) {
        let text: String = characters.iter().copied().map(char::from).collect();
        let encoder = crate::common::encoder(sets::COMPONENT, policies);
        let encoded = latin1::encode_with(&text, &encoder).unwrap();
        prop_assert_eq!(&encoded, &reference::encode(&encoder, &characters));
        let decoder = crate::common::decoder(false, policies & 1 != 0, None, None);
        prop_assert_eq!(latin1::decode_with(&encoded, &decoder), Ok(Cow::from(&text)));
    }

    #[test]
    fn random_latin1_decoding_matches_reference(text in text(), lenient: bool, plus: bool, kept in set(), rejected in set()) {
        compare_latin1_decoding(&crate::common::decoder(lenient, plus, kept, rejected), &text);
    }

    #[test]
    fn rfc1738_round_trips(text in text()) {
        let (rfc1738, uri, component) = (rfc1738::encode(&text), js::encode_uri(&text), js::encode_uri_component(&text));
        prop_assert_eq!(rfc1738::decode(&*rfc1738), Ok(Cow::from(text.replace('%', "%25"))));
        prop_assert_eq!(simdpct::decode_utf8(&*rfc1738), Ok(Cow::from(&text)));
        prop_assert_eq!(js::decode_uri(&uri), Ok(Cow::from(&text)));
        prop_assert_eq!(js::decode_uri_component(&component), Ok(Cow::from(&text)));
    }
}

/// Every case takes linear time.
#[test]
fn many_escapes_take_linear_time() {
    let count = 100_000;
    for (piece, expected) in [("%uD83D%uDE00", "😀"), ("%u", "%u"), ("%E9é", "éé"), ("%%u0041", "%A")] {
        assert_eq!(js::unescape(&piece.repeat(count)).unwrap(), expected.repeat(count));
    }
    let decoder =
        UnicodeDecoder::new(Decoder::new().lenient().level(Level::Scalar)).lone_surrogates(LoneSurrogates::Keep);
    assert_eq!(decoder.decode_utf8(&"%uD800".repeat(count)).unwrap(), "%uD800".repeat(count));
    assert_eq!(js::escape(&"aé😀".repeat(count)), "a%E9%uD83D%uDE00".repeat(count));
}

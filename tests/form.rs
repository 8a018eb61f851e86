//! Form parsing and serializing per the WHATWG URL Standard (5), on every level and at every
//! position in a block.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::common::form::{Pairs, compare_parsing, with_normal_newlines};
use crate::common::is_quick;
use proptest::prelude::*;
use serde_json::Value;
use simdpct::form::{self, Serializer};
use simdpct::{DecodeErrorKind, Encoder};

/// Lengths of padding that move a case across block boundaries.
const PADDINGS: [usize; 9] = [0, 2, 31, 32, 33, 62, 63, 64, 65];

/// The steps of the parser in 5.1.
#[test]
fn parser_matches_standard() {
    for (input, pairs) in [
        // Step 1: split on '&'. Step 3.1: an empty sequence is skipped.
        ("", &[][..]),
        ("&", &[]),
        ("&&&", &[]),
        ("one=1&two=2", &[("one", "1"), ("two", "2")]),
        ("&&one=1&&two=2&&", &[("one", "1"), ("two", "2")]),
        // ';' and '?' are ordinary bytes.
        ("?one=1;two=2", &[("?one", "1;two=2")]),
        // Step 3.2: the first '=' ends the name.
        ("one=1=2", &[("one", "1=2")]),
        ("one==", &[("one", "=")]),
        ("=1", &[("", "1")]),
        ("=", &[("", "")]),
        ("==", &[("", "=")]),
        ("one=&=&two", &[("one", ""), ("", ""), ("two", "")]),
        // Step 3.3: no '=', no value.
        ("one", &[("one", "")]),
        ("one&two=2&three", &[("one", ""), ("two", "2"), ("three", "")]),
        // Step 3.4: '+' becomes a space, in names too, before triplets are decoded.
        ("o+n+e=+1+", &[("o n e", " 1 ")]),
        ("%2B+%2b=%20+", &[("+ +", "  ")]),
        // An escaped delimiter is data.
        ("a%26b=c%3Dd%26e", &[("a&b", "c=d&e")]),
        // Step 3.5: decoded once, and malformed '%' stay (1.3, percent-decode).
        ("%2541=%2526", &[("%41", "%26")]),
        ("a%=%&%4=%%41&%zz=%+1", &[("a%", "%"), ("%4", "%A"), ("%zz", "% 1")]),
        // A triplet does not extend past its name or value.
        ("a%=41&b%4&1", &[("a%", "41"), ("b%4", ""), ("1", "")]),
        // Step 3.5: UTF-8 decode without BOM: a byte order mark stays, an ill-formed sequence
        // becomes U+FFFD.
        ("%EF%BB%BFa=\u{FEFF}", &[("\u{FEFF}a", "\u{FEFF}")]),
        ("ä=%C3%A4&%C3=%A4", &[("ä", "ä"), ("\u{FFFD}", "\u{FFFD}")]),
        ("a=%F0%9F%98%80%F0%9F%98", &[("a", "😀\u{FFFD}")]),
        ("%00=\0", &[("\0", "\0")]),
    ] {
        let expected: Vec<_> = pairs.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        assert_eq!(form::parse_lossy(input).collect::<Pairs<Cow<'_, str>>>(), expected, "{input}");
        for padding in PADDINGS {
            compare_parsing([&"p".repeat(padding), "&", input].concat().as_bytes());
            compare_parsing([&"p".repeat(padding), input, &"=".repeat(padding)].concat().as_bytes());
        }
    }
}

/// The 64-byte window ends at every position: in a name, at a '=', in a value, at a '&', at the end
/// of the input.
#[test]
fn pairs_across_blocks_match_reference() {
    for length in (0..140).step_by(if is_quick() { 7 } else { 1 }) {
        for pair in ["a=b&", "&", "=", "name=value&", "%41=+&", "n&"] {
            let long = "x".repeat(length);
            for input in [
                pair.repeat(length),
                [&long, pair, pair].concat(),
                [pair, &long, pair].concat(),
                [pair, &long, "=", &long, pair, &long].concat(),
            ] {
                compare_parsing(input.as_bytes());
            }
        }
    }
}

#[test]
fn ill_formed_utf8_at_every_position_is_replaced() {
    for before in 0..40 {
        for after in 0..40 {
            compare_parsing(format!("a={}%FF{}", "x".repeat(before), "x".repeat(after)).as_bytes());
        }
    }
}

#[test]
fn unescaped_parts_are_borrowed() {
    let input = format!("name=value&{0}={0}&é=100%", "long".repeat(40));
    let is_borrowed = |part: &Cow<'_, str>| matches!(part, Cow::Borrowed(_));
    let pairs: Pairs<_> = form::parse_lossy(&input).collect();
    assert!(pairs.len() == 3 && pairs.iter().all(|(name, value)| is_borrowed(name) && is_borrowed(value)));
    assert!(form::parse(&input).flatten().all(|(name, value)| is_borrowed(&name) && is_borrowed(&value)));
    assert!(form::parse_bytes(&input).all(|(_, value)| matches!(value, Cow::Borrowed(_))));
}

/// `get` ignores errors in other pairs, and a malformed name matches no name.
#[test]
fn strict_get_ignores_errors_in_other_pairs() {
    let pairs = form::parse("a=%&b=1&b=%FF&%=x&b=2&%62=3");
    let at = |result: Result<Option<Cow<'_, str>>, simdpct::DecodeError>| {
        result.map_err(|error| (error.kind, error.position)).map(|value| value.map(Cow::into_owned))
    };
    assert_eq!(at(pairs.get("a")), Err((DecodeErrorKind::Malformed, 2)));
    assert_eq!(at(pairs.get("b")), Ok(Some("1".to_owned())));
    assert_eq!(at(pairs.get("c")), Ok(None));
    assert_eq!(at(pairs.get("%")), Err((DecodeErrorKind::Malformed, 14)));
    let all: Vec<_> = pairs.get_all("b").map(|value| value.map_err(|error| error.position)).collect();
    assert_eq!(all, [Ok("1".into()), Err(10), Ok("2".into()), Ok("3".into())]);
    // Pairs already consumed are not searched.
    let mut rest = form::parse_lossy("a=1&b=2&a=3");
    rest.next();
    assert_eq!(rest.get("a").as_deref(), Some("3"));
}

/// The web platform tests' `url/resources/urlencoded-parser` cases.
#[test]
fn wpt_parser_vectors_match() {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("SIMDPCT_CORPORA").map_or_else(default, PathBuf::from);
    let path = folder.join("vectors/wpt_urlencoded-parser-data.json");
    let Ok(json) = std::fs::read_to_string(&path) else {
        eprintln!("not tested: there is no {}", path.display());
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&json).unwrap();
    for case in &cases {
        let input = case["input"].as_str().unwrap();
        for level in crate::common::levels() {
            let pairs: Vec<_> = form::parse_lossy(input).level(level).collect();
            let pairs: Value = pairs.iter().map(|(name, value)| Value::from(vec![name.as_ref(), value])).collect();
            assert_eq!(pairs, case["output"], "{input}");
        }
        for padding in PADDINGS {
            compare_parsing([&"p".repeat(padding), "&", input].concat().as_bytes());
        }
    }
    assert_eq!(cases.len(), 35);
}

/// The serializer of 5.2 with the percent-encode set of 1.3: only ASCII letters, digits and "*-._"
/// are not escaped.
#[test]
fn serializer_matches_standard() {
    let all: Vec<u8> = (0..=0xFF).collect();
    let form = form::serialize([("", &all[..])]);
    let kept: String = form.chars().filter(|&c| !c.is_ascii_alphanumeric()).collect();
    assert_eq!(kept.replace('%', ""), "=+*-._");
    assert_eq!(form.len(), 1 + 256 + 2 * (256 - 1 - 62 - 4));
    for (pairs, expected) in [
        (&[][..], ""),
        (&[("", "")], "="),
        (&[("a", ""), ("", "b")], "a=&=b"),
        (&[("a b", "c&d=e+f"), ("é", "%41")], "a+b=c%26d%3De%2Bf&%C3%A9=%2541"),
    ] {
        assert_eq!(form::serialize(pairs.iter().copied()), expected);
    }
}

#[test]
fn serializer_appends_to_any_target() {
    let mut text = String::from("x?");
    Serializer::for_suffix(&mut text, 2).append_pair("a", "1").append_key_only("b c").append_key_only("");
    assert_eq!(text, "x?a=1&b+c&");
    Serializer::for_suffix(&mut text, usize::MAX).append_pair("d", "e");
    assert_eq!(text, "x?a=1&b+c&d=e");
    Serializer::new(&mut text).extend_keys_only(["f", "g"]);
    assert_eq!(text, "x?a=1&b+c&d=e&f&g");

    // A pair with an empty name is written.
    for newlines in [false, true] {
        let serializer = || {
            let serializer = Serializer::new(String::new());
            if newlines { serializer.normalize_newlines() } else { serializer }
        };
        assert_eq!(serializer().append_key_only("").append_pair("a", "1").clone().finish(), "&a=1");
        assert_eq!(serializer().append_key_only("").append_key_only("").clone().finish(), "&");
        assert_eq!(serializer().extend_keys_only(["", "a"]).clone().finish(), "&a");
        assert_eq!(
            serializer().append_key_only("").extend_pairs([("a", "1"), ("b", "2")]).clone().finish(),
            "&a=1&b=2"
        );
        assert_eq!(serializer().append_pair("", "").append_key_only("a").clone().finish(), "=&a");
    }

    let mut serializer = Serializer::new(b"\xFF".to_vec());
    serializer.extend_pairs([(&b"\xFF"[..], &b" "[..])]);
    assert_eq!(serializer.clone().finish(), b"\xFF&%FF=+");
    let mut serializer = serializer.percent_20();
    serializer.append_pair(" ", "+");
    assert_eq!(serializer.finish(), b"\xFF&%FF=+&%20=%2B");
}

/// HTML 4.10.22.4: every CR without a following LF and every LF without a preceding CR becomes CR
/// LF, in names and values.
#[test]
fn newlines_are_normalized_to_crlf() {
    for (text, normal) in [
        ("", ""),
        ("plain", "plain"),
        ("\n", "\r\n"),
        ("\r", "\r\n"),
        ("\r\n", "\r\n"),
        ("\n\r", "\r\n\r\n"),
        ("\r\r\n\n", "\r\n\r\n\r\n"),
        ("a\nb\rc\r\nd", "a\r\nb\r\nc\r\nd"),
        ("\u{85}\u{2028}\x0B\x0C", "\u{85}\u{2028}\x0B\x0C"),
    ] {
        let mut serializer = Serializer::new(String::new()).normalize_newlines();
        serializer.append_pair(text, text).append_key_only(text);
        assert_eq!(serializer.finish(), form::serialize([(normal, normal)]) + "&" + &Encoder::FORM.encode(normal));
    }
}

/// Random forms with frequent delimiters, triplets and cut triplets.
fn forms() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[a-z]{0,12}".prop_map(String::into_bytes),
        3 => Just(b"&".to_vec()),
        3 => Just(b"=".to_vec()),
        1 => Just(b"+".to_vec()),
        1 => prop::sample::select(vec!["%41", "%", "%4", "%26", "%3D", "%2B", "%C3%A9", "%FF", "é", "a"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn random_form_parses_as_by_reference(input in forms()) {
        compare_parsing(&input);
    }

    #[test]
    fn random_form_parses_as_by_form_urlencoded(input in forms()) {
        prop_assert!(form_urlencoded::parse(&input).eq(form::parse_lossy(&input)));
    }

    #[test]
    fn random_pairs_round_trip(pairs: Vec<(Vec<u8>, Vec<u8>)>, percent_20: bool) {
        for level in crate::common::levels() {
            let mut serializer = Serializer::new(String::new()).level(level);
            if percent_20 {
                serializer = serializer.percent_20();
            }
            serializer.extend_pairs(&pairs);
            let form = serializer.finish();
            let back = form::parse_bytes(&form);
            prop_assert!(back.eq(pairs.iter().map(|(name, value)| (Cow::from(name), Cow::from(value)))));
            prop_assert!(!(percent_20 && form.contains('+')));
        }
    }

    #[test]
    fn random_pairs_serialize_as_by_form_urlencoded(pairs: Vec<(String, String)>, start in 0..3_usize) {
        let mut theirs = form_urlencoded::Serializer::for_suffix("a?b".to_owned(), start);
        let theirs = theirs.extend_pairs(&pairs).finish();
        for level in crate::common::levels() {
            let mut ours = Serializer::for_suffix("a?b".to_owned(), start).level(level);
            ours.extend_pairs(&pairs);
            prop_assert_eq!(ours.finish(), &theirs[..]);
            // The same to a byte vector.
            let mut bytes = Serializer::for_suffix(b"a?b".to_vec(), start).level(level);
            bytes.extend_pairs(&pairs);
            prop_assert_eq!(bytes.finish(), theirs.as_bytes());
        }
    }

    #[test]
    fn percent_20_changes_only_spaces(pairs: Vec<(String, String)>) {
        let mut serializer = Serializer::new(String::new()).percent_20();
        serializer.extend_pairs(&pairs);
        let plus = form::serialize(&pairs);
        prop_assert_eq!(serializer.finish(), plus.replace('+', "%20"));
    }

    #[test]
    fn newline_normalization_changes_nothing_else(value in r"[\r\nab\\rn]{0,80}") {
        let mut serializer = Serializer::new(String::new()).normalize_newlines();
        serializer.append_pair("a", &value);
        let form = serializer.finish();
        let back = form::parse_bytes(&form).get("a").unwrap().into_owned();
        prop_assert_eq!(back, with_normal_newlines(value.as_bytes()));
    }
}

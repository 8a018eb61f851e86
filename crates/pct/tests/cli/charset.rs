//! `--charset`, `--fallback` and `--unicode`. Expected outputs were written by hand, from the
//! tables of the Encoding Standard and the documents that are named.

use proptest::prelude::*;
use serde_json::Value;
use simdpct::legacy::charset::{Encoding, UTF_8, WINDOWS_1252};
use simdpct::legacy::{UnicodeDecoder, js};
use simdpct::{Decoder, Encoder};

use crate::{output, run, text};

/// Arguments, input, output and summary.
type Told<'a> = (&'a [&'a str], &'a [u8], &'a [u8], &'a str);

#[track_caller]
fn assert_told(cases: &[Told<'_>]) {
    for &(arguments, input, expected, told) in cases {
        let found = run(arguments, input);
        assert_eq!(text(&found.stdout), text(expected), "{arguments:?} < {}", text(input));
        let told = if told.is_empty() { String::new() } else { format!("pct: <stdin>: {told}\n") };
        assert_eq!(str::from_utf8(&found.stderr).unwrap(), told, "{arguments:?} < {}", text(input));
    }
}

#[test]
fn bytes_are_decoded_in_their_charset() {
    assert_told(&[
        (&["decode", "--charset", "windows-1252"], b"caf%E9 %80\n", "café €\n".as_bytes(), ""),
        // The Encoding Standard has windows-1252 by the name of ISO-8859-1.
        (&["decode", "--charset", "iso-8859-1"], b"%80", "€".as_bytes(), ""),
        (&["decode", "--charset", "latin1-exact"], b"%80%E9", "\u{80}é".as_bytes(), ""),
        (&["decode", "--charset", "euc-kr"], b"%C7%D1%B1%DB\n", "한글\n".as_bytes(), ""),
        (&["decode", "--charset", "gb18030"], b"%B1%B1%BE%A9", "北京".as_bytes(), ""),
        (&["decode", "--charset", "koi8-r"], b"%ED%CF%D3%CB%D7%C1", "Москва".as_bytes(), ""),
        (&["decode", "--charset", "big5"], b"%A4%A4%A4%E5", "中文".as_bytes(), ""),
        (&["decode", "--charset", "utf-8"], b"caf%C3%A9", "café".as_bytes(), ""),
        // The second byte of a character can be ASCII, raw or as a triplet: even if triplets of
        // that are kept.
        (&["decode", "--charset", "shift_jis"], b"%95%5C%95\\%83e", "表表テ".as_bytes(), ""),
        (&["decode", "--charset", "shift_jis", "--keep", "\\|"], b"%95%5C%5C%7C", "表%5C%7C".as_bytes(), ""),
        // Not even a malformed sequence makes a line end.
        (&["decode", "--charset", "shift_jis", "-q"], b"%95%0A|\n", b"\x95%0A|\n", ""),
        (&["decode", "--charset", "gb18030", "-q"], b"%81%30%81%0A\n", b"\x810\x81%0A\n", ""),
        (&["decode", "--charset", "iso-2022-jp", "-q"], b"%1B(J%5C%0A\n", "¥%0A\n".as_bytes(), ""),
        // ISO-2022-JP switches with ESC, raw or as a triplet.
        (&["decode", "--charset", "iso-2022-jp"], b"%1B$BF|K%5C%1B(B!\n", "日本!\n".as_bytes(), ""),
        (&["decode", "--charset", "iso-2022-jp"], b"\x1B$BF|K\\\x1B(B\n", "日本\n".as_bytes(), ""),
        // Raw characters of text that is UTF-8 stay; else raw bytes are in the charset.
        (&["decode", "--charset", "latin1"], "é %E9\n".as_bytes(), "é é\n".as_bytes(), ""),
        (&["decode", "--charset", "latin1"], b"\xE9 %E9\n", "é é\n".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "--plus"], b"a+%2B%E9", "a +é".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "--keep", "/"], b"%2F%E9", "%2Fé".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "--times", "2"], b"%25E9 %E9", "é é".as_bytes(), ""),
        // Line ends and delimiters stay escaped.
        (&["decode", "--charset", "latin1"], b"%E9%0A%0D\n", "é%0A%0D\n".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "-f", "2"], b"%E9\t%E9%09\n", "%E9\té%09\n".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "-c", "u"], b"u\n%E9%2C\n", "u\n\"é,\"\n".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "--raw"], b"%E9%0A", "é\n".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "-0", "--append"], b"%E9\0", "%E9\té\0".as_bytes(), ""),
        (&["decode", "--charset", "latin1", "-k", "u"], "{\"u\":\"é%E9\"}".as_bytes(), "{\"u\":\"éé\"}".as_bytes(), ""),
    ]);
}

#[test]
fn invalid_bytes_of_a_charset_follow_the_policy() {
    let input = b"%C7%D1\na%FF%41\n%zz\n";
    for (policy, expected, status) in [
        ("keep", &b"\xED\x95\x9C\na\xFFA\n%zz\n"[..], 0),
        ("replace", b"\xED\x95\x9C\na\xEF\xBF\xBDA\n%zz\n", 0),
        ("skip", b"\xED\x95\x9C\na%FF%41\n%zz\n", 0),
        ("drop", b"\xED\x95\x9C\n", 0),
        ("fail", b"\xED\x95\x9C\n", 1),
    ] {
        let found = run(&["decode", "--charset", "euc-kr", "--errors", policy], input);
        assert_eq!((text(&found.stdout), found.status.code()), (text(expected), Some(status)), "{policy}");
        let told = match policy {
            "fail" => "pct: <stdin>:2:2: the decoded bytes are not valid in the charset\n",
            _ => "pct: <stdin>: 1 malformed, 1 not in the charset; first at 2:2\n",
        };
        assert_eq!(str::from_utf8(&found.stderr).unwrap(), told, "{policy}");
    }
    assert_told(&[(&["decode", "--charset", "euc-kr"], b"a%C7", b"a\xC7", "1 not in the charset; first at 1:2")]);
    // In the first pass and in a later one, at their origins.
    assert_told(&[
        (
            &["decode", "--charset", "euc-kr", "--times", "2"],
            b"ab%2541%25C7\n",
            b"abA\xC7\n",
            "1 not in the charset; first at 1:8",
        ),
        (
            &["decode", "--charset", "latin1", "--reject", "%00"],
            b"%E9%00",
            "é%00".as_bytes(),
            "1 with rejected bytes; first at 1:4",
        ),
        (
            &["decode", "--charset", "latin1", "--reject", "%C3"],
            b"a%E9",
            b"a%E9",
            "1 with rejected bytes; first at 1:2",
        ),
    ]);
}

#[test]
fn fallback_charset_is_that_of_text_that_is_not_utf8() {
    let arguments = ["decode", "--fallback", "windows-1252"];
    assert_told(&[
        (&arguments, b"caf%C3%A9\ncaf%E9\n", "café\ncafé\n".as_bytes(), "1 in the fallback charset"),
        // The whole field is in it.
        (&arguments, b"%C3%A9 %E9\n", "Ã© é\n".as_bytes(), "1 in the fallback charset"),
        (&arguments, "é %E9\n".as_bytes(), "é é\n".as_bytes(), "1 in the fallback charset"),
        (&arguments, b"\xE9\n", "é\n".as_bytes(), "1 in the fallback charset"),
        (&arguments, b"%E9%\n%C3%A9\n", "é%\né\n".as_bytes(), "1 malformed, 1 in the fallback charset; first at 1:4"),
        // Invalid in both.
        (
            &["decode", "--fallback", "euc-kr"],
            b"a%FF\n",
            b"a\xFF\n",
            "1 not in the charset, 1 in the fallback charset; first at 1:2",
        ),
        (
            &["decode", "--charset", "euc-kr", "--fallback", "latin1"],
            b"%C7%D1\n%C7\n",
            "한\nÇ\n".as_bytes(),
            "1 in the fallback charset",
        ),
        // A field is in the fallback charset, and another has an error.
        (
            &["decode", "--fallback", "latin1", "-f", "1-"],
            b"%E9\t%\n",
            "é\t%\n".as_bytes(),
            "1 malformed, 1 in the fallback charset; first at 1:5",
        ),
    ]);
    // Such records are not invalid.
    for policy in ["keep", "replace", "skip", "drop", "fail"] {
        let found = run(&["decode", "--fallback", "latin1", "--errors", policy], b"%E9\n%41\n");
        assert_eq!((text(&found.stdout), found.status.code()), (text("é\nA\n".as_bytes()), Some(0)), "{policy}");
    }
    let found = run(&["decode", "--fallback", "latin1", "--max-errors", "0"], b"%E9\n");
    assert_eq!((text(&found.stdout), found.status.code()), (text("é\n".as_bytes()), Some(0)));
    let found = run(&["decode", "--fallback", "latin1", "--report", "json"], b"%E9\n%\n%FC\n");
    let report: Value = serde_json::from_slice(&found.stderr).unwrap();
    let file = &report["files"][0];
    assert_eq!(
        (&file["counts"]["fallback"], &file["counts"]["malformed"], &file["invalid"]),
        (&2.into(), &1.into(), &1.into())
    );
}

#[test]
fn parts_of_urls_are_in_a_charset() {
    let get = |options: &[&'static str]| [&["get", "key:q"], options].concat();
    let cases: [(&[&str], &str, &str); 3] = [
        (&["--charset", "shift_jis"], "", "表 a\n"),
        (&["--fallback", "windows-1252"], "1 in the fallback charset", "•\\ a\n"),
        (&["--raw", "--charset", "shift_jis"], "", "%95%5C+a\n"),
    ];
    for (options, told, expected) in cases {
        let found = run(&get(options), b"http://h/?q=%95%5C+a\n");
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{options:?}");
        assert!(str::from_utf8(&found.stderr).unwrap().contains(told), "{options:?}");
    }
    assert_eq!(text(&output(&get(&["--unicode"]), b"/?q=%u20AC+a\n")), text("€ a\n".as_bytes()));
}

#[test]
fn check_finds_bytes_that_are_not_in_the_charset() {
    for (arguments, input, expected) in [
        (
            &["check", "--charset", "euc-kr"][..],
            "%C7%D1\na%FF\n",
            "<stdin>:2:2: the decoded bytes are not valid in the charset\n",
        ),
        (
            &["check", "--fallback", "latin1"],
            "%E9\n%zz\n",
            "<stdin>:2:1: malformed percent-encoding: '%' without two hexadecimal digits\n",
        ),
        (&["check", "--unicode"], "%u20AC\n%uD800%u0041\n", "<stdin>:2:1: half of a surrogate pair\n"),
        (&["check", "--unicode", "--find", "nul"], "%u20AC%00\n", "<stdin>:1:7: an encoded NUL\n"),
    ] {
        let found = run(arguments, input.as_bytes());
        assert_eq!(str::from_utf8(&found.stdout).unwrap(), expected, "{arguments:?}");
        assert_eq!(found.status.code(), Some(1), "{arguments:?}");
    }
    assert_eq!(run(&["check", "--fallback", "latin1"], b"%E9\n").status.code(), Some(0));
}

#[test]
fn code_units_are_decoded_and_encoded() {
    assert_told(&[
        (&["decode", "--unicode"], b"%u20AC%20%C3%A9%uD83D%uDE00\n", "€ é😀\n".as_bytes(), ""),
        (&["decode", "--unicode"], b"%u0041%u00e9%u000A%u0025\n", "Aé%u000A%\n".as_bytes(), ""),
        (&["decode", "--unicode"], b"%u20A %U20AC\n", b"%u20A %U20AC\n", "1 malformed; first at 1:1"),
        (&["decode", "--unicode"], b"a%uD83Dx\n", b"a%uD83Dx\n", "1 not UTF-8; first at 1:2"),
        (
            &["decode", "--unicode", "--errors", "replace"],
            b"a%uD83Dx\n",
            "a\u{FFFD}x\n".as_bytes(),
            "1 not UTF-8; first at 1:2",
        ),
        (
            &["decode", "--unicode", "--keep", "/", "--reject", "%00"],
            b"%u002F%u0000\n",
            b"%u002F%u0000\n",
            "1 with rejected bytes; first at 1:7",
        ),
        // Two passes: the first makes an escape.
        (&["decode", "--unicode", "--times", "2"], b"%25u20AC\n", "€\n".as_bytes(), ""),
        // ECMA-262 B.2.1.2.
        (&["decode", "--unicode", "--charset", "latin1-exact"], b"%E9%u20AC%80\n", "é€\u{80}\n".as_bytes(), ""),
        (&["encode", "--unicode"], "é €😀 a\n".as_bytes(), b"%u00E9%20%u20AC%uD83D%uDE00%20a\n", ""),
        (&["encode", "--unicode", "--lower", "--space-as-plus"], "é€/ +\n".as_bytes(), b"%u00e9%u20ac%2f+%2b\n", ""),
        (&["encode", "--unicode", "--keep-triplets"], "%20é%\n".as_bytes(), b"%20%u00E9%25\n", ""),
        (&["encode", "--unicode", "--charset", "latin1-exact"], "é€ \n".as_bytes(), b"%E9%u20AC%20\n", ""),
    ]);
}

#[test]
fn text_is_encoded_in_a_charset() {
    assert_told(&[
        (&["encode", "--charset", "windows-1252"], "5 €\n".as_bytes(), b"5%20%80\n", ""),
        (&["encode", "--charset", "latin1-exact"], "é\u{80}\n".as_bytes(), b"%E9%80\n", ""),
        (&["encode", "--charset", "shift_jis"], "表\n".as_bytes(), b"%95%5C\n", ""),
        // WHATWG URL 1.3, percent-encode after encoding.
        (
            &["encode", "--charset", "shift_jis", "--set", "whatwg-special-query"],
            "表 ☃\n".as_bytes(),
            b"%95\\%20%E2%98%83\n",
            "1 not in the charset; first at 1:5",
        ),
        (
            &["encode", "--charset", "shift_jis", "--errors", "replace", "--set", "whatwg-special-query"],
            "表 ☃\n".as_bytes(),
            b"%95\\%20%26%239731%3B\n",
            "1 not in the charset; first at 1:5",
        ),
        (
            &["encode", "--charset", "latin1", "--errors", "skip"],
            "é\n☃é☃\n".as_bytes(),
            "%E9\n☃é☃\n".as_bytes(),
            "1 not in the charset; first at 2:1",
        ),
    ]);
    let found = run(&["encode", "--charset", "latin1", "--strict"], "é\n ☃\n".as_bytes());
    assert_eq!(text(&found.stdout), "%E9\\n");
    assert_eq!(text(&found.stderr), "pct: <stdin>:2:2: the charset does not have the character U+2603\\n");
    assert_told(&[
        (&["encode", "--charset", "latin1"], b"\xE9\xC3\xA9\n", b"%E9%E9\n", "1 not UTF-8; first at 1:1"),
        (
            &["encode", "--charset", "utf-8", "--errors", "replace"],
            b"\xFF\n",
            b"%EF%BF%BD\n",
            "1 not UTF-8; first at 1:1",
        ),
        (
            &["encode", "--charset", "latin1", "--keep-triplets", "--set", "path"],
            "/é%20\r\n".as_bytes(),
            b"/%E9%20\r\n",
            "",
        ),
        (
            &["encode", "--charset", "latin1", "-c", "u", "--append"],
            "u\né\n".as_bytes(),
            "u,u_encoded\né,%E9\n".as_bytes(),
            "",
        ),
    ]);
}

/// Many blocks, records across their borders, and more than one thread.
#[test]
fn output_in_a_charset_does_not_depend_on_threads() {
    let lines: String = (0..60_000).map(|number| format!("http://h/{number}?q=%E9{}%C3%A9\n", number % 7)).collect();
    let lines = lines + &"%E9%95%5C".repeat(60_000) + "\n%E9";
    for arguments in [
        &["decode", "--charset", "windows-1252"][..],
        &["decode", "--charset", "shift_jis", "--errors", "skip"],
        &["decode", "--fallback", "windows-1252"],
        &["decode", "--unicode", "--errors", "replace"],
        &["encode", "--charset", "latin1"],
    ] {
        let [one, many] = ["1", "3"].map(|threads| run(&[arguments, &["-j", threads]].concat(), lines.as_bytes()));
        assert!(one.stdout == many.stdout, "{arguments:?}");
        assert_eq!(text(&one.stderr), text(&many.stderr), "{arguments:?}");
        assert_eq!(one.stdout.iter().filter(|&&byte| byte == b'\n').count(), 60_001, "{arguments:?}");
    }
}

/// Decodes a value without kept bytes: ASCII text of a value that is UTF-8, or all of it.
fn reference(value: &[u8], charset: &'static Encoding) -> String {
    let bytes = |part: &[u8]| Decoder::new().lenient().decode(part).unwrap().into_owned();
    let convert = |part: &[u8]| charset.decode_without_bom_handling(&bytes(part)).0.into_owned();
    match str::from_utf8(value) {
        Ok(text) if charset != UTF_8 => text
            .split_inclusive(|character: char| !character.is_ascii())
            .map(|part| {
                let ascii = part.trim_end_matches(|character: char| !character.is_ascii());
                convert(ascii.as_bytes()) + &part[ascii.len()..]
            })
            .collect(),
        _ => convert(value),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Random lines, as encoding_rs converts the bytes of each.
    #[test]
    fn lines_are_decoded_as_encoding_rs_converts_them(
        lines in prop::collection::vec(
            prop::collection::vec(
                prop::sample::select(vec![
                    &b"a"[..], b"%41", b"%E9", b"%95", b"%5C", b"\\", b"%C3", b"%A9", b"%", b"%4", b"\xC3\xA9", b"\xE9", b"%C7%D1", b"%81%30%81%30",
                    b"%25", b" ", b"%1B", b"$B", b"(B", b"@", b"(J",
                ]),
                0..12,
            ),
            1..12,
        ),
        label in prop::sample::select(vec!["utf-8", "windows-1252", "shift_jis", "euc-kr", "gb18030", "iso-2022-jp", "big5", "euc-jp"]),
    ) {
        let charset = Encoding::for_label(label.as_bytes()).unwrap();
        let lines: Vec<_> = lines.iter().map(|parts| parts.concat()).collect();
        let expected: Vec<_> = lines.iter().map(|line| reference(line, charset)).collect();
        // A decoded line end would not be one.
        let found = output(&["decode", "--charset", label, "--errors", "replace"], &lines.join(&b'\n'));
        prop_assert_eq!(text(&found), text(expected.join("\n").as_bytes()), "{}", text(&lines.join(&b'\n')));
    }

    /// Line ends are kept in every charset and state.
    #[test]
    fn decoding_in_a_charset_never_makes_line_ends(
        parts in prop::collection::vec(
            prop::sample::select(vec!["%0A", "%0d", "%81", "%30", "%95", "%1B", "$B", "(J", "(B", "a", "%E9", "%8E", "%A1", "%FE", "\n", "%", "+", "%u000A", "%u20AC"]),
            0..40,
        ),
        label in prop::sample::select(vec!["utf-8", "windows-1252", "shift_jis", "euc-kr", "gb18030", "iso-2022-jp", "big5", "euc-jp", "latin1-exact"]),
        policy in prop::sample::select(vec!["keep", "replace", "skip"]),
    ) {
        let input = parts.concat();
        let count = |bytes: &[u8]| bytes.iter().filter(|byte| b"\n\r".contains(byte)).count();
        for option in ["--charset", "--fallback"] {
            let found = output(&["decode", "--unicode", option, label, "--errors", policy], input.as_bytes());
            prop_assert_eq!(count(&found), count(input.as_bytes()), "{} {}", input, text(&found));
        }
    }

    /// With a fallback, each line is in one of the two charsets.
    #[test]
    fn lines_are_in_utf8_or_in_the_fallback_charset(
        lines in prop::collection::vec("(%41|%C3%A9|%E9|a|%C3|%|é){0,8}", 1..12),
    ) {
        let mut fallen = 0;
        let expected: Vec<_> = lines.iter().map(|line| {
            let bytes = Decoder::new().lenient().decode(line.as_bytes()).unwrap();
            String::from_utf8(bytes.into_owned()).unwrap_or_else(|_| {
                fallen += 1;
                reference(line.as_bytes(), WINDOWS_1252)
            })
        }).collect();
        let found = run(&["decode", "--fallback", "windows-1252", "--report", "json"], lines.join("\n").as_bytes());
        prop_assert_eq!(text(&found.stdout), text(expected.join("\n").as_bytes()));
        let report: Value = serde_json::from_slice(&found.stderr).unwrap();
        prop_assert_eq!(report["files"][0]["counts"]["fallback"].as_u64(), Some(fallen));
    }

    #[test]
    fn code_units_are_those_of_the_library(text in "(%u00e9|%uD83D|%uDE00|%u0041|%C3%A9|%41|%|a|é|%u25){0,8}") {
        use simdpct::legacy::LoneSurrogates::Replace;
        let decoder = UnicodeDecoder::new(Decoder::new().lenient()).lone_surrogates(Replace);
        let expected = decoder.decode_utf8_lossy(&text).unwrap();
        let found = output(&["decode", "--unicode", "--errors", "replace"], text.as_bytes());
        prop_assert_eq!(String::from_utf8(found).unwrap(), expected);
    }

    /// What is encoded is what was there, and ECMAScript's functions agree.
    #[test]
    fn encoded_text_is_decoded_to_itself(value in "[ -~é€😀ß]{0,20}") {
        let encoded = output(&["encode", "--unicode"], value.as_bytes());
        prop_assert_eq!(&js::unescape(str::from_utf8(&encoded).unwrap()).unwrap(), &value);
        let decoded = output(&["decode", "--unicode"], &encoded);
        prop_assert_eq!(String::from_utf8(decoded).unwrap(), value.clone());
        let escaped = output(&["encode", "--unicode", "--charset", "latin1-exact", "--set", "js-encode-uri-component"], value.as_bytes());
        prop_assert_eq!(&js::unescape(str::from_utf8(&escaped).unwrap()).unwrap(), &value);
        let gb = output(&["encode", "--charset", "gb18030"], value.as_bytes());
        let gb_bytes = Encoding::for_label(b"gb18030").unwrap().encode(&value).0;
        prop_assert_eq!(text(&gb), text(Encoder::COMPONENT.encode(&gb_bytes[..]).as_bytes()));
    }
}

/// A long field is converted in parts, which end between characters.
#[test]
fn long_fields_are_decoded_as_short_ones() {
    for (charset, shift, piece, expected) in [
        ("windows-1252", "", "caf%E9+", "café+"),
        ("latin1-exact", "", "%E9%80", "é\u{80}"),
        ("shift_jis", "", "%83%5C", "ソ"),
        ("shift_jis", "", "a", "a"),
        ("gb18030", "", "%D6%D0a", "中a"),
        ("utf-8", "", "%C3%A9%F0%9F%98%80", "é😀"),
        // What a byte means depends on the text before.
        ("iso-2022-jp", "%1B$B", "%3D%26", "拾"),
    ] {
        for offset in 0..4 {
            let (before, count) = ("x".repeat(offset), 200_000 / piece.len());
            let input = format!("{before}%u20AC{shift}{}", piece.repeat(count));
            let found = output(&["decode", "--charset", charset, "--unicode"], input.as_bytes());
            let expected = format!("{before}€{}", expected.repeat(count));
            assert!(found == expected.as_bytes(), "{charset} {piece} {offset}");
        }
    }
    // The place of a fault after several parts.
    let field =
        |piece: &str, fault: &[u8]| [piece.repeat(30_000).as_bytes(), fault, "c".repeat(100_000).as_bytes()].concat();
    let found = run(&["decode", "--charset", "shift_jis"], &field("ab%83%5C", b"%81 "));
    assert_eq!(text(&found.stderr), "pct: <stdin>: 1 not in the charset; first at 1:240001\\n");
    assert!(found.stdout == field("abソ", b"\x81 "));
}

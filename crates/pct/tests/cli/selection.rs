//! The choice of columns and keys: implied formats, patterns, ranges; CDXJ.

use proptest::prelude::*;
use serde_json::Value;

use crate::{assert_outputs, output, run, text};

#[test]
fn columns_and_keys_imply_their_format() {
    assert_outputs(&[
        (&["decode", "-c", "u"], "u,v\n\"%41,\",%42\n", "u,v\n\"A,\",%42\n"),
        (&["decode", "-c", "2", "-d", ";"], "%41;%42\n", "%41;B\n"),
        (&["decode", "-c", "2", "--header", "--append"], "u,v\n%41,%42\n", "u,v,v_decoded\n%41,%42,B\n"),
        (&["encode", "-c", "u"], "u\na b\n", "u\na%20b\n"),
        (&["decode", "-k", "u"], "{\"u\":\"%41%22\"}\n", "{\"u\":\"A\\\"\"}\n"),
    ]);
    assert_eq!(text(&run(&["stats", "-k", "u"], b"{\"u\":\"\"}\n").stdout), "<stdin>: 1 record, 0 with findings\\n");
}

#[test]
fn columns_are_chosen_by_patterns_and_ranges() {
    let header = "id,url,url_2,ref,\u{e9}*\n";
    let row = "%41,%42,%43,%44,%45\n";
    for (columns, expected) in [
        ("url*", "%41,B,C,%44,%45\n"),
        ("url?2", "%41,%42,C,%44,%45\n"),
        ("url??", "%41,%42,C,%44,%45\n"),
        ("?d,ref", "A,%42,%43,D,%45\n"),
        ("*", "A,B,C,D,E\n"),
        // A name in the header is no pattern.
        ("\u{e9}*", "%41,%42,%43,%44,E\n"),
        ("url:ref", "%41,B,C,D,%45\n"),
        (":url", "A,B,%43,%44,%45\n"),
        ("ref:", "%41,%42,%43,D,E\n"),
        ("id,3-4", "A,%42,C,D,%45\n"),
        ("id,4-", "A,%42,%43,D,E\n"),
        ("2-4", "%41,B,C,D,%45\n"),
    ] {
        // Numbers alone need no header.
        let arguments = ["decode", "-q", "--csv", "--header", "-c", columns];
        let found = run(&arguments, [header, row].concat().as_bytes());
        assert_eq!(text(&found.stdout), text([header, expected].concat().as_bytes()), "{columns}");
    }
    for (columns, problem) in [
        ("x*", "invalid column 'x*': expected a pattern that matches one of 'id', 'url', 'url_2', 'ref', '\u{e9}*'"),
        ("id,7-9", "invalid column '7-9': expected numbers from 1 to 5, as in the header"),
        ("url:x", "invalid range 'url:x': expected two of 'id', 'url', 'url_2', 'ref', '\u{e9}*'"),
        ("ref:url", "invalid range 'ref:url': expected the first column first"),
        ("typo", "invalid column 'typo': expected one of 'id', 'url', 'url_2', 'ref', '\u{e9}*'"),
    ] {
        let found = run(&["decode", "-c", columns], [header, row].concat().as_bytes());
        assert_eq!((found.status.code(), text(&found.stdout)), (Some(2), String::new()), "{columns}");
        assert_eq!(str::from_utf8(&found.stderr).unwrap(), format!("pct: <stdin>: {problem}\n"));
    }
}

#[test]
fn two_asterisks_are_any_number_of_keys() {
    let line = r#"{"url":"%41","a":{"url":"%42","b":[{"url":"%43"},[{"url":["%44"]}]]},"urls":"%45","c":"%46"}"#;
    let decoded = |letters: &str| {
        letters.chars().fold(line.to_owned(), |line, letter| {
            line.replace(&format!("%{:X}", u32::from(letter)), &letter.to_string())
        })
    };
    assert_outputs(&[
        (&["decode", "-k", "**.url"], line, &decoded("ABCD")),
        (&["decode", "-k", "a.**.url"], line, &decoded("BCD")),
        (&["decode", "-k", "**.b.url"], line, &decoded("CD")),
        (&["decode", "-k", "**"], line, &decoded("ABCDEF")),
        (&["decode", "-k", "a.**"], line, &decoded("BCD")),
        (&["decode", "-k", "**.url", "-k", "c"], line, &decoded("ABCDF")),
        (&["decode", "-k", "**.url*"], line, &decoded("ABCDE")),
        (&["decode", "-k", "\\*\\*"], r#"{"**":"%41","a":"%41"}"#, r#"{"**":"A","a":"%41"}"#),
        (
            &["decode", "-k", "**.u", "--append"],
            r#"{"a":{"u":"%41"},"u":"%42"}"#,
            r#"{"a":{"u":"%41","u_decoded":"A"},"u":"%42","u_decoded":"B"}"#,
        ),
        (&["decode", "--cdxj", "-k", "**.url"], r#"a)/ 1 {"x":{"url":"%41"}}"#, r#"a)/ 1 {"x":{"url":"A"}}"#),
        (&["decode", "-k", "**.url", "--print-field"], r#"{"a":{"url":"%41"},"url":"%42"}"#, "A B"),
    ]);
    // Objects are searched down to the depth at which serde_json gives up, and no deeper.
    let nested = |depth: usize| format!("{}{{\"u\":\"%41\"}}{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    for depth in [60, 63, 64, 65, 100, 127] {
        assert_outputs(&[(&["decode", "-k", "**.u"], &nested(depth), &nested(depth).replace("%41", "A"))]);
    }
    for depth in [128, 100_000] {
        let found = run(&["decode", "-k", "**.u"], nested(depth).as_bytes());
        assert!(found.stdout == nested(depth).as_bytes(), "{depth}");
        assert!(text(&found.stderr).contains("1 not in the format"), "{depth}: {}", text(&found.stderr));
    }
    let found = run(&["decode", "-k", "**.typo"], line.as_bytes());
    assert_eq!(text(&found.stderr), "pct: warning: no record has a string at key \\'**.typo\\'\\n");
}

#[test]
fn keys_are_chosen_by_patterns() {
    assert_outputs(&[
        (
            &["decode", "-k", "url*"],
            r#"{"url":"%41","url_2":["%42"],"u":"%43"}"#,
            r#"{"url":"A","url_2":["B"],"u":"%43"}"#,
        ),
        (
            &["decode", "-k", "*.q"],
            r#"{"a":{"q":"%41","r":"%42"},"b":{"q":"%43"},"q":"%44"}"#,
            r#"{"a":{"q":"A","r":"%42"},"b":{"q":"C"},"q":"%44"}"#,
        ),
        // A key has the paths of all patterns that match.
        (
            &["decode", "-k", "a*.x", "-k", "*b.y", "-k", "ab.z"],
            r#"{"ab":{"x":"%41","y":"%42","z":"%43","w":"%44"},"a":{"y":"%45"}}"#,
            r#"{"ab":{"x":"A","y":"B","z":"C","w":"%44"},"a":{"y":"%45"}}"#,
        ),
        (&["decode", "-k", "\\*"], r#"{"*":"%41","a":"%41"}"#, r#"{"*":"A","a":"%41"}"#),
        (&["decode", "-k", "?"], r#"{"é":"%41","\u00e9":"%42","ab":"%43"}"#, r#"{"é":"A","\u00e9":"B","ab":"%43"}"#),
        (
            &["decode", "-k", "u*", "--append"],
            r#"{"u1":"%41","u2":"%42"}"#,
            r#"{"u1":"%41","u1_decoded":"A","u2":"%42","u2_decoded":"B"}"#,
        ),
    ]);
    let found = run(&["decode", "-k", "x*", "-k", "u"], br#"{"u":"%41"}"#);
    assert_eq!(text(&found.stderr), "pct: warning: no record has a string at key \\'x*\\'\\n");
    let found = run(&["decode", "-k", "u*", "--append"], br#"{"u1":"%41","u1_decoded":"x"}"#);
    assert!(text(&found.stderr).contains("1 that already have the new key"), "{}", text(&found.stderr));
}

/// A line of an index as of pywb and Common Crawl: an index key, a time, and JSON.
fn cdxj(json: &str) -> String {
    format!("com,example)/caf%c3%a9?q={{ 20261122200000 {json}\n")
}

#[test]
fn strings_in_cdxj() {
    let line = cdxj(r#"{"url": "https://example.com/caf%C3%A9", "mime": "text/html", "filename": "a%20b.warc.gz"}"#);
    let decoded = line.replace("/caf%C3%A9\"", "/café\"");
    assert_outputs(&[
        (&["decode", "--cdxj"], &line, &decoded),
        (&["decode", "--cdxj", "-k", "url", "-k", "filename"], &line, &decoded.replace("a%20b", "a b")),
        (&["decode", "--cdxj", "--append"], &cdxj(r#"{"url":"/%41"}"#), &cdxj(r#"{"url":"/%41","url_decoded":"/A"}"#)),
        // Directives and empty lines are copied.
        (
            &["decode", "--cdxj"],
            &format!("!meta {{\"url\":\"%41\"}}\n\n{line}"),
            &format!("!meta {{\"url\":\"%41\"}}\n\n{decoded}"),
        ),
        (&["decode", "--cdxj"], &line.replace('\n', "\r\n"), &decoded.replace('\n', "\r\n")),
        (&["normalize", "--cdxj"], &cdxj(r#"{"url":"/%7e%2f"}"#), &cdxj(r#"{"url":"/~%2F"}"#)),
    ]);
    for (input, place) in [
        ("com,example)/ 20261122200000 x\n", "1:1"),
        ("com,example)/ 20261122200000 {\"url\":\"%41\"\n", "1:41"),
        ("a 1 {\"url\":\"x\"}\na 1 {\"url\":\"%zz\"}\n", "2:13"),
    ] {
        let found = run(&["decode", "--cdxj"], input.as_bytes());
        assert_eq!(text(&found.stdout), text(input.as_bytes()));
        let told = text(&found.stderr);
        assert!(told.contains(&format!("first at {place}\\n")), "{told}");
    }
}

/// Many blocks, and lines of other shapes among those of one.
#[test]
fn cdxj_does_not_depend_on_threads() {
    let mut input = String::new();
    for number in 0..12_000 {
        let json = match number % 9 {
            0 => format!(r#"{{"status":"{number}","url":"/%41\u0025"}}"#),
            1 => r#"{"url":null}"#.to_owned(),
            2 if number % 5 == 0 => "{".to_owned(),
            _ => format!(r#"{{"url":"/{number}%C3%A9?a","length":{number}}}"#),
        };
        input += &cdxj(&json);
    }
    let [one, many] = ["1", "4"].map(|threads| run(&["decode", "--cdxj", "-j", threads], input.as_bytes()));
    assert!(one.stdout == many.stdout);
    assert_eq!(text(&one.stderr), text(&many.stderr));
    for (before, after) in input.lines().zip(str::from_utf8(&one.stdout).unwrap().lines()) {
        let (before_key, before) = before.split_once(" {").unwrap();
        let (after_key, after) = after.split_once(" {").unwrap();
        assert_eq!(before_key, after_key);
        let Ok(mut before) = serde_json::from_str::<Value>(&format!("{{{before}")) else { continue };
        if let Some(url) = before["url"].as_str() {
            before["url"] = url.replace("%41", "A").replace("%C3%A9", "é").into();
        }
        assert_eq!(before, serde_json::from_str::<Value>(&format!("{{{after}")).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// After its prefix, a line is one of JSON Lines.
    #[test]
    fn lines_of_cdxj_are_those_of_json_after_a_prefix(
        values in prop::collection::vec(
            ("[a-z){(,]{0,5}( [0-9]{0,3})?", prop::sample::select(vec![
                r#"{"url":"%41"}"#, r#"{"a":1,"url":["%42",{}]}"#, r#"{"url":"\u0025\n"}"#, r#"{"url":"%zz"}"#, r#"{"url":"#, "{}", r#"{"url":"%C3"}"#,
            ])),
            1..10,
        ),
    ) {
        let lines: String = values.iter().map(|(prefix, json)| format!("{prefix} {json}\n")).collect();
        let json: String = values.iter().map(|(_, json)| format!("{json}\n")).collect();
        let found = String::from_utf8(output(&["decode", "--cdxj"], lines.as_bytes())).unwrap();
        let plain = String::from_utf8(output(&["decode", "-k", "url"], json.as_bytes())).unwrap();
        let expected: String = values.iter().zip(plain.lines()).map(|((prefix, _), json)| format!("{prefix} {json}\n")).collect();
        prop_assert_eq!(found, expected);
    }
}

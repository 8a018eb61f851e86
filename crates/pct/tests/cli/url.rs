//! `pct normalize --url`.

use std::fs;

use proptest::prelude::*;

use crate::{data, output, run, text};

/// Rows of the table: input, normal form, fault, source.
fn rows() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = include_str!("normal-urls.tsv").lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        fields.try_into().unwrap_or_else(|_| panic!("four fields: {line}"))
    })
}

#[test]
fn urls_become_normal_as_the_standards_say() {
    let rows: Vec<_> = rows().collect();
    assert!(rows.len() > 70);
    for [input, expected, fault, source] in rows {
        let found = run(&["normalize", "--url", "-q", "-s", input], b"");
        assert_eq!(text(&found.stdout), text(format!("{expected}\n").as_bytes()), "{input}: {source}");
        let strict = run(&["normalize", "--url", "--strict", "-s", input], b"");
        let stderr = String::from_utf8(strict.stderr).unwrap();
        match fault {
            "-" => assert_eq!((strict.status.code(), &*stderr), (Some(0), ""), "{input}: {source}"),
            "malformed" => assert!(stderr.contains("'%' without two hexadecimal digits"), "{input}: {stderr}"),
            _ => assert!(stderr.ends_with(&format!(": {fault}\n")), "{input}: {source}: {stderr}"),
        }
        // A normal form is its own.
        assert_eq!(
            text(&run(&["normalize", "--url", "-q", "-s", expected], b"").stdout),
            text(&found.stdout),
            "{input}"
        );
    }
}

#[test]
fn more_is_changed_only_on_request() {
    for (options, input, expected) in [
        (&[][..], "http://www.a.com/?b=2&a=1&utm_source=x#f", "http://www.a.com/?b=2&a=1&utm_source=x#f"),
        (&["--sort-query"], "/?b=2&a=3&b=1&a=1&&A=0", "/?A=0&a=3&a=1&b=2&b=1"),
        (&["--sort-query"], "/?%62=1&a=2&=3&c", "/?=3&a=2&b=1&c"),
        (&["--sort-query"], "/?&&", "/"),
        (&["--sort-query"], "/", "/"),
        (&["--drop-query", "utm_*"], "/?utm_source=x&a=1&utm=2&%75tm_medium=y", "/?a=1&utm=2"),
        (&["--drop-query", "utm_*", "--drop-query", "fbclid"], "/?fbclid=x&utm_x", "/"),
        (&["--drop-query", "a b"], "/?a+b=1&a%20b=2&ab=3", "/?ab=3"),
        (&["--drop-query", "*"], "/?a#f", "/#f"),
        (&["--drop-query", "?"], "/?a=1&%C3%A9=2&ab=3", "/?ab=3"),
        (&["--drop-fragment"], "/a?b#c", "/a?b"),
        (&["--drop-fragment"], "/a#", "/a"),
        (&["--drop-www"], "http://WWW.example.com:80/", "http://example.com/"),
        (&["--drop-www"], "http://u@www.www.example.com:8080/", "http://u@example.com:8080/"),
        (&["--drop-www"], "http://www.com/", "http://www.com/"),
        (&["--drop-www"], "http://www.com./", "http://www.com./"),
        (&["--drop-www"], "http://www2.example.com/", "http://www2.example.com/"),
        (&["--keep", "~"], "/%7e%41", "/%7EA"),
        (&["--escape-malformed"], "/100%?%", "/100%25?%25"),
    ] {
        let arguments = [&["normalize", "--url", "-s", input][..], options].concat();
        assert_eq!(text(&output(&arguments, b"")), text(format!("{expected}\n").as_bytes()), "{arguments:?}");
    }
}

#[test]
fn urls_are_found_in_every_format() {
    let url = "http://A.example:80/%7e/../b c";
    for (options, input, expected) in [
        (&["-0"][..], format!("{url}\0{url}\0"), "http://a.example/b%20c\0http://a.example/b%20c\0".to_owned()),
        (&["-f", "2"], format!("x\t{url}\tHTTP://X\n"), "x\thttp://a.example/b%20c\tHTTP://X\n".to_owned()),
        (&["--csv", "-c", "u"], format!("u,v\n\"{url}\",1\n"), "u,v\n\"http://a.example/b%20c\",1\n".to_owned()),
        (
            &["--csv", "-c", "u", "--append"],
            format!("u\n{url}\n"),
            format!("u,u_normalized\n{url},http://a.example/b%20c\n"),
        ),
        (&["--jsonl", "-k", "u"], format!("{{\"u\":\"{url}\"}}\n"), "{\"u\":\"http://a.example/b%20c\"}\n".to_owned()),
    ] {
        let arguments = [&["normalize", "--url"], options].concat();
        assert_eq!(text(&output(&arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?}");
    }
}

#[test]
fn in_a_log_a_target_is_a_path_and_escapes_of_the_log_are_kept() {
    let line =
        |target: &str, referer: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1 \"{referer}\" \"agent\"\n");
    for (target, referer, expected_target, expected_referer) in [
        ("//A.b/../c?q", "HTTP://A.b", "//c?q", "http://a.b/"),
        ("/a#b/./c", "-", "/a%23b/c", "-"),
        ("/..//a", "-", "//a", "-"),
        ("HTTP://A:80", "-", "http://a/", "-"),
        ("A:443", "-", "a:443", "-"),
        ("/\\x22a", "http://a/\\\"b", "/\\x22a", "http://a/\\\"b"),
        ("/%22%20%7e", "http://a/%22", "/%22%20~", "http://a/%22"),
    ] {
        let found = output(&["normalize", "--url", "--log", "combined"], line(target, referer).as_bytes());
        assert_eq!(text(&found), text(line(expected_target, expected_referer).as_bytes()), "{target} {referer}");
    }
}

/// IDNA and an empty path can make a delimiter of fields.
#[test]
fn no_field_delimiter_is_made() {
    for (delimiter, input) in [(".", "//a。b:1"), ("-", "//é")] {
        let arguments = ["normalize", "--url", "-q", "-f", "1", "-d", delimiter];
        let found = run(&arguments, format!("{input}{delimiter}HTTP://B").as_bytes());
        let fields = text(&found.stdout).matches(delimiter).count();
        assert_eq!(fields, format!("{input}{delimiter}HTTP://B").matches(delimiter).count(), "{arguments:?} {input}");
    }
    let found = run(&["normalize", "--url", "-f", "1", "-d", "."], "//a。b.x".as_bytes());
    assert_eq!(text(&found.stdout), text("//a。b.x".as_bytes()));
    assert!(text(&found.stderr).contains("1 with an invalid URL"), "{}", text(&found.stderr));
}

#[test]
fn an_invalid_url_is_an_invalid_record() {
    let input = "http://a/../b\nhttp://xn--a/../b\nhttp://c/../d\n";
    for (policy, expected) in [
        ("keep", "http://a/b\nhttp://xn--a/b\nhttp://c/d\n"),
        ("replace", "http://a/b\nhttp://xn--a/b\nhttp://c/d\n"),
        ("skip", "http://a/b\nhttp://xn--a/../b\nhttp://c/d\n"),
        ("drop", "http://a/b\nhttp://c/d\n"),
        ("fail", "http://a/b\n"),
    ] {
        let found = run(&["normalize", "--url", "--errors", policy], input.as_bytes());
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{policy}");
        let message = if policy == "fail" {
            "pct: <stdin>:2:8: the host is invalid\\n"
        } else {
            "pct: <stdin>: 1 with an invalid URL; first at 2:8\\n"
        };
        assert_eq!(text(&found.stderr), message, "{policy}");
    }
    let found = run(&["normalize", "--url", "--report", "json"], input.as_bytes());
    let report: serde_json::Value = serde_json::from_slice(&found.stderr).unwrap();
    assert_eq!(report["files"][0]["counts"]["invalid-url"], 1);
}

#[test]
fn options_of_urls_need_the_option_url() {
    for arguments in [
        &["--sort-query"][..],
        &["--drop-query", "a"],
        &["--drop-fragment"],
        &["--drop-www"],
        &["--url", "--path", "strict"],
    ] {
        let found = run(&[&["normalize"], arguments].concat(), b"");
        assert_eq!(found.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn real_lists_have_normal_forms_that_do_not_depend_on_the_threads() {
    let log = fs::read(data("access.log")).unwrap();
    let log = log.repeat((1 << 20) / log.len() + 1);
    let expected = run(&["normalize", "--url", "--log", "combined", "-j", "1"], &log);
    let found = run(&["normalize", "--url", "--log", "combined", "-j", "4"], &log);
    assert!(found.stdout == expected.stdout);
    assert_eq!(text(&found.stderr), text(&expected.stderr));
    let again = run(&["normalize", "--url", "--log", "combined", "-q"], &expected.stdout);
    assert!(again.stdout == expected.stdout);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Many lines for each run of the command.
    #[test]
    fn normal_forms_are_stable_under_every_option(
        lines in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![
            "http", "HTTPS", ":", "//", "/", ".", "..", "%2e", "%2E", "?", "#", "&", "=", "a", "B", "www.", "www.a.b", "@", "[::1]", "[", ":80",
            ":443", ":x", "é", "%C3%A9", "%c3", "%", "%4", "%41", "%2541", " ", "\\", "|", "\u{3002}", "xn--", "+", "%00", "utm_x",
        ]), 0..12).prop_map(|parts| parts.concat()), 1..40),
        options in prop::sample::subsequence(
            vec!["--sort-query", "--drop-fragment", "--drop-www", "--escape-malformed", "--drop-query=utm_*"], 0..=5),
    ) {
        let arguments = [&["normalize", "--url", "--quiet"][..], &options].concat();
        let once = run(&arguments, lines.join("\n").as_bytes()).stdout;
        let twice = run(&arguments, &once).stdout;
        prop_assert_eq!(String::from_utf8(once).unwrap(), String::from_utf8(twice).unwrap());
    }
}

//! `pct normalize --url --base`.

use proptest::prelude::*;

use crate::{assert_outputs, output, run, text};

/// RFC 3986 5.4.1 and 5.4.2, with the base of 5.4. `http:g` is read strictly.
const EXAMPLES: [(&str, &str); 42] = [
    ("g:h", "g:h"),
    ("g", "http://a/b/c/g"),
    ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"),
    ("..", "http://a/b/"),
    ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"),
    ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("https:g", "https:g"),
];

#[test]
fn references_are_resolved_as_in_the_standard() {
    for (reference, expected) in EXAMPLES {
        // The record is the reference, without a line end: an empty text has no record.
        let found = run(&["normalize", "--url", "-q", "--base", "http://a/b/c/d;p?q", "-s", reference], b"");
        // RFC 3986 6.2.3: the normal form of an empty path is `/`.
        let expected = if expected == "http://g" { "http://g/" } else { expected };
        assert_eq!(text(&found.stdout), format!("{expected}\\n"), "{reference}");
    }
}

#[test]
fn bases_have_any_scheme_and_any_path() {
    let resolved = |base: &str, reference: &str, expected: &str| {
        let arguments = ["normalize", "--url", "--base", base];
        assert_outputs(&[(&arguments, &format!("{reference}\n"), &format!("{expected}\n"))]);
    };
    resolved("http://a", "b", "http://a/b");
    resolved("http://a", "?b", "http://a/?b");
    resolved("http://a", "#b", "http://a/#b");
    resolved("http://a?q", "", "http://a/?q");
    resolved("http://a?q#f", "b", "http://a/b");
    resolved("HTTP://A:80/%7Eb/./c", "d", "http://a/~b/d");
    resolved("http://u:p@[::1]:8/b?c/d", "e", "http://u:p@[::1]:8/e");
    resolved("file:///a/b", "../c", "file:///c");
    resolved("file:/a/b", "../c", "file:/c");
    resolved("file:/a/b", "..//c", "file:/.//c");
    resolved("a:/b", "//C/d", "a://c/d");
    resolved("http://a/b/", "%2e%2E/c", "http://a/c");
    resolved("http://a/é", "ü", "http://a/%C3%BC");
    // Other options apply to the target.
    assert_outputs(&[(
        &["normalize", "--url", "--base", "http://www.a/x?b=2&a=1", "--sort-query", "--drop-www", "--drop-fragment"],
        "#f\n../?d&c\n",
        "http://www.a/x?a=1&b=2\nhttp://www.a/?c&d\n",
    )]);
}

#[test]
fn a_base_that_is_none_is_refused() {
    for base in ["", "a/b", "//a/b", "mailto:a", "urn:a:b", "http:", "http://a:b/", "http://a/%", "http://xn--a/"] {
        let found = run(&["normalize", "--url", "--base", base], b"");
        assert_eq!(found.status.code(), Some(2), "{base}");
        assert!(text(&found.stderr).contains("--base"), "{base}: {}", text(&found.stderr));
    }
    assert_eq!(run(&["normalize", "--base", "http://a/"], b"").status.code(), Some(2));
}

#[test]
fn targets_of_a_log_have_no_host_of_their_own() {
    let line = |target: &str, referer: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1 \"{referer}\" \"a\"\n");
    for (target, referer, expected, expected_referer) in [
        ("//a/../b?q", "-", "http://h//b?q", "-"),
        ("*", "c", "*", "http://h/x/c"),
        ("http://A/", "http://B", "http://a/", "http://b/"),
    ] {
        let found = output(
            &["normalize", "--url", "--base", "http://h/x/y", "--log", "combined"],
            line(target, referer).as_bytes(),
        );
        assert_eq!(text(&found), text(line(expected, expected_referer).as_bytes()), "{target} {referer}");
    }
}

#[test]
fn faults_have_their_place_in_the_reference() {
    for (reference, place) in [("a/../b%zz", "1:7"), ("?%", "1:2"), ("//xn--a/b", "1:3"), ("/\u{e9}/%", "1:5")] {
        let found = run(&["normalize", "--url", "--base", "http://a/b/c?d"], reference.as_bytes());
        assert!(text(&found.stderr).ends_with(&format!("first at {place}\\n")), "{reference}: {}", text(&found.stderr));
    }
    // A base can have the delimiter of the fields.
    let found = run(&["normalize", "--url", "--base", "http://a/b:c/", "-f", "1", "-d", ":"], b"d:e");
    assert_eq!(text(&found.stdout), "d:e");
    assert!(text(&found.stderr).contains("1 with an invalid URL"), "{}", text(&found.stderr));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The crate `url` follows the WHATWG URL Standard, which resolves these references as RFC 3986
    /// does.
    #[test]
    fn targets_are_those_of_the_crate_url(
        references in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![
            "/", "..", ".", "%2e", "a", "b", "?", "#", "//h", ";", "=", "&", "%41", "é",
        ]), 0..8).prop_map(|parts| parts.concat()), 1..40),
        base in prop::sample::select(vec!["http://a/b/c/d;p?q", "http://a", "http://a/b/", "https://u@a:8/b//c?d/e#f"]),
    ) {
        let base_url = url::Url::parse(base).unwrap();
        let mut input = String::new();
        let mut expected = Vec::new();
        for reference in &references {
            // Three slashes are two in that standard, and a host may be empty in the RFC.
            if reference.starts_with("///") || reference.starts_with("//?") || reference.starts_with("//#") || reference == "//" {
                continue;
            }
            let Ok(target) = base_url.join(reference) else { continue };
            input += reference;
            input.push('\n');
            expected.push(target.to_string());
        }
        let found = output(&["normalize", "--url", "--base", base], input.as_bytes());
        // Both in the normal form of RFC 3986, which decodes %41.
        let expected = output(&["normalize", "--url"], expected.iter().map(|url| format!("{url}\n")).collect::<String>().as_bytes());
        prop_assert_eq!(String::from_utf8(found).unwrap(), String::from_utf8(expected).unwrap(), "{}", input);
    }
}

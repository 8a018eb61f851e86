//! URIs per RFC 3986: splitting, building, repair of invalid URIs, and valid URIs unchanged.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::common::is_quick;
use crate::common::strategies::input;
use crate::common::uri::grammar::is_uri_reference;
use crate::common::uri::{check_repair, compare_parts};
use proptest::prelude::*;
use proptest::sample::select;
use simdpct::uri::{
    Authority, Part, Parts, PathBuilder, QueryBuilder, extension, part, path, query, remove_dot_segments, repair,
    resolve, split, split_authority,
};
use simdpct::{Decoder, Encoder, reference, sets};

#[test]
fn known_authorities_split() {
    let cases = [
        ("", None, "", None),
        ("example.com", None, "example.com", None),
        ("example.com:", None, "example.com", Some("")),
        ("user@example.com:80", Some("user"), "example.com", Some("80")),
        ("user:secret@[::1]:80", Some("user:secret"), "[::1]", Some("80")),
        ("@", Some(""), "", None),
        (":", None, "", Some("")),
        // Not valid: several '@', brackets that are not closed or not needed, several colons.
        ("a@b@c", Some("a@b"), "c", None),
        ("[::1", None, "[::1", None),
        ("[::1]x:80", None, "[::1]x", Some("80")),
        ("::1]:80", None, "", Some(":1]:80")),
        ("a:b:80", None, "a", Some("b:80")),
        ("a[:]:b", None, "a[:]", Some("b")),
    ];
    for (text, userinfo, host, port) in cases {
        assert_eq!(split_authority(text), Authority { userinfo, host, port }, "{text}");
        let uri = format!("x://{text}/path@:");
        assert_eq!(part(&uri, Part::Host), Some(host), "{text}");
        compare_parts(uri.as_bytes());
    }
}

#[test]
fn names_of_parts_parse() {
    for &part in Part::ALL {
        assert_eq!((part.to_string().parse(), part.name().to_uppercase().parse()), (Ok(part), Ok(part)));
    }
    assert!(["", "hosts", "ref"].iter().all(|name| name.parse::<Part>().is_err()));
    assert_eq!(part(b"a://\xFE", Part::Host), Some(&b"\xFE"[..]));
    assert_eq!(part(b"\xFF://\xFE", Part::Scheme), None);
}

#[test]
fn known_references_split() {
    let parts = |scheme, authority, path, query, fragment| Parts { scheme, authority, path, query, fragment };
    let table: &[(&str, Parts<&str>)] = &[
        // RFC 3986 appendix B
        (
            "http://www.ics.uci.edu/pub/ietf/uri/#Related",
            parts(Some("http"), Some("www.ics.uci.edu"), "/pub/ietf/uri/", None, Some("Related")),
        ),
        // RFC 3986 3
        (
            "foo://example.com:8042/over/there?name=ferret#nose",
            parts(Some("foo"), Some("example.com:8042"), "/over/there", Some("name=ferret"), Some("nose")),
        ),
        ("urn:example:animal:ferret:nose", parts(Some("urn"), None, "example:animal:ferret:nose", None, None)),
        // RFC 3986 1.1.2
        ("mailto:John.Doe@example.com", parts(Some("mailto"), None, "John.Doe@example.com", None, None)),
        ("ldap://[2001:db8::7]/c=GB?objectClass?one", {
            parts(Some("ldap"), Some("[2001:db8::7]"), "/c=GB", Some("objectClass?one"), None)
        }),
        // An absent component differs from an empty component (RFC 3986 5.3).
        ("", parts(None, None, "", None, None)),
        ("?", parts(None, None, "", Some(""), None)),
        ("#", parts(None, None, "", None, Some(""))),
        ("?#", parts(None, None, "", Some(""), Some(""))),
        ("//", parts(None, Some(""), "", None, None)),
        ("///", parts(None, Some(""), "/", None, None)),
        ("a:", parts(Some("a"), None, "", None, None)),
        // The first delimiter counts.
        (":a", parts(None, None, ":a", None, None)),
        ("a/b:c", parts(None, None, "a/b:c", None, None)),
        ("a?b:c#d?e#f", parts(None, None, "a", Some("b:c"), Some("d?e#f"))),
        ("#a?b", parts(None, None, "", None, Some("a?b"))),
        ("a://b?c/d", parts(Some("a"), Some("b"), "", Some("c/d"), None)),
        ("a://b#c", parts(Some("a"), Some("b"), "", None, Some("c"))),
        ("/a//b", parts(None, None, "/a//b", None, None)),
        // Text that is not a scheme is part of the path (RFC 3986 3.1, WHATWG URL 4.4).
        ("1 é:ü", parts(None, None, "1 é:ü", None, None)),
        ("12:30 pm", parts(None, None, "12:30 pm", None, None)),
        (" http://e.org/", parts(None, None, " http://e.org/", None, None)),
        ("1a://b", parts(None, None, "1a://b", None, None)),
        ("a+b-C.1://b", parts(Some("a+b-C.1"), Some("b"), "", None, None)),
        ("a_b:c", parts(None, None, "a_b:c", None, None)),
        ("+a:c?d", parts(None, None, "+a:c", Some("d"), None)),
    ];
    for (text, expected) in table {
        assert_eq!(split(text), *expected, "{text}");
        assert_eq!(split(text).to_string(), *text);
        assert_eq!(split(text.as_bytes()).path, expected.path.as_bytes(), "{text}");
    }
    assert_eq!(split(b"\xFF?\xFE").query, Some(&b"\xFE"[..]));
}

#[test]
fn known_references_repair() {
    let table: &[(&str, &str)] = &[
        // RFC 3986 2.4: a '%' that does not start a triplet.
        ("/100%", "/100%25"),
        ("/%zz%4%20%", "/%25zz%254%20%25"),
        ("/%%34%31", "/%25%34%31"),
        ("?a=%&b=%2", "?a=%25&b=%252"),
        // RFC 3986 3.3 to 3.5
        ("/a b\"c<d>e\\f^g`h{i|j}k", "/a%20b%22c%3Cd%3Ee%5Cf%5Eg%60h%7Bi%7Cj%7Dk"),
        ("/é?é#é", "/%C3%A9?%C3%A9#%C3%A9"),
        ("/[a]?[b]#[c]", "/%5Ba%5D?%5Bb%5D#%5Bc%5D"),
        ("/a?b?c/d#e?f/g#h#", "/a?b?c/d#e?f/g%23h%23"),
        ("/a\tb\nc\rd\0e\x7F", "/a%09b%0Ac%0Dd%00e%7F"),
        ("http://a/?q=a+b&c=d;e='f'", "http://a/?q=a+b&c=d;e='f'"),
        // RFC 3986 3.2.1: the last '@' ends the user information, as in WHATWG URL 4.4.
        ("http://a@b@c/", "http://a%40b@c/"),
        ("http://a b:p w@c/", "http://a%20b:p%20w@c/"),
        ("http://a b:p#w@c/", "http://a%20b%3Ap#w@c/"),
        ("http://u:p[w]:x@c/", "http://u:p%5Bw%5D:x@c/"),
        ("http://@/", "http://@/"),
        ("http://a\\@b/", "http://a%5C@b/"),
        // RFC 3986 3.2.2
        ("http://ex ample.com/", "http://ex%20ample.com/"),
        ("http://bücher.example/", "http://b%C3%BCcher.example/"),
        ("http://[::1]/", "http://[::1]/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://[::1]:/", "http://[::1]:/"),
        ("http://u@[2001:db8::7]?a", "http://u@[2001:db8::7]?a"),
        ("//[::ffff:1.2.3.4]", "//[::ffff:1.2.3.4]"),
        ("//[v1F.a:b]", "//[v1F.a:b]"),
        ("//[v.a]", "//%5Bv.a%5D"),
        ("//[v1.]", "//%5Bv1.%5D"),
        ("//[v1.a/b]", "//%5Bv1.a/b%5D"),
        ("//[1.2.3.4]", "//%5B1.2.3.4%5D"),
        ("//[]", "//%5B%5D"),
        ("//[::1", "//%5B%3A:1"),
        ("//[::1]a", "//%5B%3A%3A1%5Da"),
        ("//[::1]a:1", "//%5B%3A%3A1%5Da:1"),
        ("//[fe80::1%25eth0]", "//%5Bfe80%3A%3A1%25eth0%5D"),
        ("//a[b]", "//a%5Bb%5D"),
        // RFC 3986 3.2.3
        ("//a:80", "//a:80"),
        ("//a:", "//a:"),
        ("//:80", "//:80"),
        ("//a:b:80", "//a%3Ab:80"),
        ("//a:8o", "//a%3A8o"),
        ("//a:80 ", "//a%3A80%20"),
        // RFC 3986 3.1 and 4.2: text that is not a scheme is a path segment.
        ("a+b-c.1:d e", "a+b-c.1:d%20e"),
        ("1a:b", "1a%3Ab"),
        ("1a://b c:d", "1a%3A//b%20c:d"),
        (" http://a/", "%20http%3A//a/"),
        ("12:30 pm", "12%3A30%20pm"),
        (":a:b/c:d", "%3Aa%3Ab/c:d"),
        (":", "%3A"),
        ("é:b?c:d", "%C3%A9%3Ab?c:d"),
        ("%41:b#c:d", "%41%3Ab#c:d"),
        ("./a:b", "./a:b"),
        ("C:\\a", "C:%5Ca"),
        // Dot segments and case are not changed.
        ("HTTP://EXAMPLE.com/./a/../%7e", "HTTP://EXAMPLE.com/./a/../%7e"),
    ];
    for (dirty, expected) in table {
        let repaired = repair(dirty);
        assert_eq!(repaired, *expected, "{dirty}");
        assert_eq!(matches!(repaired, Cow::Borrowed(_)), dirty == expected, "{dirty}");
        assert_eq!(reference::repair(dirty.as_bytes()), *expected, "{dirty}");
        assert!(is_uri_reference(expected.as_bytes()), "{expected}");
    }
    assert_eq!(repair(b"/\xE9\xFF?\x80"), "/%E9%FF?%80");
}

/// RFC 3986 5.4: all references of the examples and their base URI are valid.
#[test]
fn rfc_3986_references_are_unchanged() {
    for text in [
        "http://a/b/c/d;p?q",
        "g:h",
        "g",
        "./g",
        "g/",
        "/g",
        "//g",
        "?y",
        "g?y",
        "#s",
        "g#s",
        "g?y#s",
        ";x",
        "g;x",
        "g;x?y#s",
        "",
        ".",
        "./",
        "..",
        "../",
        "../g",
        "../..",
        "../../",
        "../../g",
        "../../../g",
        "/./g",
        "/../g",
        "g.",
        ".g",
        "g..",
        "..g",
        "./../g",
        "./g/.",
        "g/./h",
        "g/../h",
        "g;x=1/./y",
        "g;x=1/../y",
        "g?y/./x",
        "g?y/../x",
        "g#s/./x",
        "g#s/../x",
        "http:g",
        // RFC 3986 1.1.2
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
    ] {
        assert!(is_uri_reference(text.as_bytes()), "{text}");
        assert!(matches!(repair(text), Cow::Borrowed(same) if std::ptr::eq(same, text)), "{text}");
    }
}

/// A checker that accepts everything would prove nothing.
#[test]
fn grammar_checker_rejects_invalid_references() {
    for text in [
        "a b",
        "%",
        "%4",
        "%4g",
        "\u{7F}",
        "é",
        "a\\b",
        "[a]",
        "?[",
        "#a#b",
        "1a:b",
        ":a",
        "é:b",
        "//a@b@c",
        "//[::1",
        "//[]",
        "//a:b",
        "//[::1]a",
        "//[1::2::3]",
        "//[1:2:3:4:5:6:7]",
        "//[1:2:3:4:5:6:7:8:9]",
        "//[::1.2.3.256]",
        "//[::01.2.3.4]",
        "//[12345::]",
        "//[1.2.3.4::]",
        "//[fe80::1%25a]",
        "//[v.a]",
        "//[vg.a]",
        "//a:1a",
        "//[::1]:a",
        "//a b",
    ] {
        assert!(!is_uri_reference(text.as_bytes()), "{text}");
    }
}

/// All texts of up to five bytes that are delimiters of a URI or illegal in it.
#[test]
fn every_short_text_repairs_to_valid_uri() {
    let alphabet = b"a1:/?#[]@% ";
    let mut texts = vec![Vec::new()];
    for _ in 0..if is_quick() { 4 } else { 5 } {
        texts = texts
            .iter()
            .flat_map(|text: &Vec<u8>| alphabet.iter().map(|&byte| [text.as_slice(), &[byte]].concat()))
            .collect();
        for text in &texts {
            check_repair(text);
            check_repair(&[b"//", text.as_slice()].concat());
        }
    }
}

/// Text of pieces that are significant to the grammar, valid or not.
fn dirty_uri() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => select(&["http", ":", "//", "/", "?", "#", "@", "[", "]", "%", "80", "::", ".", "..", "v1.", "ffff", "1.2.3.4", "&", "=",
            "+", " ", "\\", "é", "%41", "%e9", "user:pass@", "example.com", "[::1]", "[v2.x]", "\"<>^`{|}", "\t"][..])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => input(),
        1 => "[a-z0-9._~-]{0,70}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// A valid URI reference, generated from the rules of RFC 3986 appendix A.
fn valid_uri() -> impl Strategy<Value = String> {
    const PCHAR: &str = "([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|-)";
    const REG_NAME: &str = "([A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}){0,30}";
    let scheme = "[A-Za-z][A-Za-z0-9+.-]{0,8}:";
    let userinfo = "(([A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2}){0,20}@)?";
    let group = "[0-9A-Fa-f]{1,4}";
    let host = format!(
        "({REG_NAME}|\\[({group}:){{7}}{group}\\]|\\[({group}:){{0,3}}{group}::(({group}:){{0,2}}{group})?\\]\
         |\\[::({group}:){{0,5}}127\\.0\\.0\\.1\\]|\\[[vV][0-9A-Fa-f]{{1,3}}\\.[A-Za-z0-9._~!$&'()*+,;=:-]{{1,9}}\\])"
    );
    let net_path = format!("//{userinfo}{host}(:[0-9]{{0,5}})?(/{PCHAR}{{0,9}}){{0,4}}");
    let rooted = format!("/({PCHAR}{{1,9}}(/{PCHAR}{{0,9}}){{0,4}})?");
    let rootless = format!("{PCHAR}{{1,9}}(/{PCHAR}{{0,9}}){{0,4}}");
    let no_scheme = format!("([A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{{2}}){{1,9}}(/{PCHAR}{{0,9}}){{0,4}}");
    let tail = format!("(\\?({PCHAR}|[/?]){{0,70}})?(#({PCHAR}|[/?]){{0,70}})?");
    let uri = format!("({scheme}({net_path}|{rooted}|{rootless}|)|({net_path}|{rooted}|{no_scheme}|)){tail}");
    proptest::string::string_regex(&uri).unwrap()
}

/// The delimiters are escaped whatever the encoder, so the pairs can be parsed and sorted.
#[test]
fn query_with_any_encoder_can_be_split() {
    let query = |encoder| {
        let mut query = QueryBuilder::with_encoder(encoder);
        query.push("a=b&c#d", "é=1&2 +").push("", "").push("%26", "");
        query.into_string()
    };
    assert_eq!(query(Encoder::QUERY), "a%3Db%26c%23d=%C3%A9%3D1%262%20+&=&%2526=");
    assert_eq!(query(Encoder::FORM), "a%3Db%26c%23d=%C3%A9%3D1%262+%2B&=&%2526=");
    assert_eq!(query(Encoder::new(sets::UNRESERVED).lowercase()).matches(['&', '=', '#']).count(), 5);
    assert_eq!(query(Encoder::URI.keep_non_ascii()), "a%3Db%26c%23d=é%3D1%262%20+&=&%26=");
    assert_eq!(QueryBuilder::default(), QueryBuilder::with_encoder(Encoder::QUERY_VALUE));
}

#[test]
fn sorting_orders_by_name_then_value() {
    let sorted = |pairs: &[(&str, &str)]| {
        let mut query = QueryBuilder::new();
        pairs.iter().for_each(|(name, value)| _ = query.push(name, value));
        query.sort();
        let once = query.clone();
        assert_eq!(*query.sort(), once);
        query.into_string()
    };
    assert_eq!(sorted(&[]), "");
    assert_eq!(sorted(&[("", "")]), "=");
    assert_eq!(sorted(&[("b", ""), ("", "2"), ("", ""), ("a", "1")]), "=&=2&a=1&b=");
    // A name precedes longer names that begin with it, whatever follows it: `=` (0x3D) is not
    // compared.
    assert_eq!(sorted(&[("a:", "1"), ("a-", "2"), ("a", "z"), ("A", "3"), ("a", "10")]), "A=3&a=10&a=z&a-=2&a:=1");
    assert_eq!(sorted(&[("a", "b"), ("a", "b"), ("a", "a")]), "a=a&a=b&a=b");
    // Pairs can be appended afterwards.
    let mut query = QueryBuilder::new();
    query.push("b", "").sort().push("a", "").sort().push("c", "");
    assert_eq!(query.to_string(), "a=&b=&c=");
}

proptest! {
    #[test]
    fn random_sorted_query_matches_model(pairs in proptest::collection::vec((input(), input()), 0..12)) {
        let encode = |bytes| reference::encode(&Encoder::COMPONENT, bytes);
        let mut expected: Vec<(String, String)> = pairs.iter().map(|(name, value)| (encode(name), encode(value))).collect();
        expected.sort();
        let expected: Vec<String> = expected.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for level in crate::common::levels() {
            let mut query = QueryBuilder::with_encoder(Encoder::COMPONENT.level(level));
            pairs.iter().for_each(|(name, value)| _ = query.push(name, value));
            prop_assert_eq!(query.sort().as_str(), expected.join("&"));
        }
    }

    #[test]
    fn random_dirty_uris_repair_to_valid_uris(dirty in dirty_uri()) {
        check_repair(&dirty);
    }

    #[test]
    fn random_valid_uris_are_unchanged(uri in valid_uri()) {
        assert!(is_uri_reference(uri.as_bytes()), "{}", uri);
        assert!(matches!(repair(&uri), Cow::Borrowed(_)), "{}", uri);
        check_repair(uri.as_bytes());
    }

    #[test]
    fn valid_uris_with_one_changed_byte_repair(uri in valid_uri(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = uri.into_bytes();
        bytes.insert(place.index(bytes.len() + 1), byte);
        check_repair(&bytes);
    }

    #[test]
    fn every_part_matches_reference(bytes in dirty_uri()) {
        compare_parts(&bytes);
    }

    /// Recomposition (RFC 3986 5.3) is the inverse of splitting (appendix B).
    #[test]
    fn split_parts_recompose_to_input(bytes in dirty_uri()) {
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(split(&text).to_string(), text);
        let parts = split(&text);
        assert!(parts.scheme.is_none_or(|scheme| !scheme.is_empty() && !scheme.contains([':', '/', '?', '#'])));
        assert!(parts.authority.is_none_or(|authority| !authority.contains(['/', '?', '#'])));
        assert!(!parts.path.contains(['?', '#']));
        assert!(parts.query.is_none_or(|query| !query.contains('#')));
    }

    #[test]
    fn paths_and_queries_round_trip(parts in prop::collection::vec(input(), 1..6)) {
        let segments: Vec<Vec<u8>> =
            parts.iter().map(|part| part.iter().copied().filter(|&byte| byte != b'/').collect()).collect();
        let built = path(&segments).unwrap();
        let (front, rest) = built.split_at(1);
        assert_eq!(front, "/");
        let back: Vec<Vec<u8>> = rest.split('/').map(|text| Decoder::new().decode(text).unwrap().into_owned()).collect();
        assert_eq!(back, segments);
        assert!(is_uri_reference(format!("//a{built}").as_bytes()), "{}", built);

        let built = query(parts.iter().map(|part| (part, part)));
        let decode = |text| Decoder::new().plus_for_space().decode(text).unwrap().into_owned();
        let pairs: Vec<&str> = built.split(['&', ';']).collect();
        assert_eq!(pairs.len(), parts.len());
        for (text, part) in std::iter::zip(pairs, &parts) {
            let (name, value) = text.split_once('=').unwrap();
            assert_eq!((decode(name), decode(value)), (part.clone(), part.clone()));
        }
        assert!(is_uri_reference(format!("?{built}").as_bytes()), "{}", built);
    }
}

#[test]
fn slash_in_segment_is_an_error() {
    let error = path(["a", "b%2Fc", "de/f/g"]).unwrap_err();
    assert_eq!((error.segment, error.position), (2, 2));
    assert_eq!(error.to_string(), "a slash in segment 2 of a path, at byte 2");

    let mut builder = PathBuilder::new();
    builder.push("a").unwrap();
    assert!(builder.push("/").is_err());
    // The failed call left no output.
    assert_eq!(builder.push("b").unwrap().to_string(), "/a/b");
}

#[test]
fn known_paths_and_queries_build() {
    let paths: &[(&[&str], &str)] = &[
        (&[], ""),
        (&[""], "/"),
        (&["doc@1:5", ""], "/doc@1:5/"),
        (&["a b", "100%", "%20", "é"], "/a%20b/100%25/%2520/%C3%A9"),
        (&["a?b#c[d]\\e"], "/a%3Fb%23c%5Bd%5D%5Ce"),
        // Dot segments are not removed.
        (&["a", "..", "."], "/a/../."),
    ];
    for (segments, expected) in paths {
        assert_eq!(path(*segments).as_deref(), Ok(*expected));
    }
    let queries: &[(&[(&str, &str)], &str)] = &[
        (&[], ""),
        (&[("", "")], "="),
        (&[("a", "b"), ("a", "")], "a=b&a="),
        (&[("a=b", "c=d&e;f+g h")], "a%3Db=c%3Dd%26e%3Bf%2Bg%20h"),
        (
            &[("back_uri", "http://user:password@example.com/?foo=bar")],
            "back_uri=http://user:password@example.com/?foo%3Dbar",
        ),
    ];
    for (pairs, expected) in queries {
        assert_eq!(query(pairs.iter().copied()), *expected);
    }
    let mut builder = QueryBuilder::new();
    assert_eq!(builder.push("a", &[0xFF]).push("b", "c").to_string(), "a=%FF&b=c");
    // The classic example.
    let uri = format!(
        "http://example.com{}?{}",
        path(["doc@1:5", ""]).unwrap(),
        query([("back_uri", "http://user:password@example.com/?foo=bar")])
    );
    assert_eq!(uri, "http://example.com/doc@1:5/?back_uri=http://user:password@example.com/?foo%3Dbar");
    assert!(matches!(repair(&uri), Cow::Borrowed(_)));
}

/// Real URLs, invalid URLs and attacks.
#[test]
fn corpora_repair_to_valid_uris() {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("SIMDPCT_CORPORA").map_or_else(default, PathBuf::from);
    for name in ["typical_urls.txt", "resource_urls.txt", "nonlatin_urls.txt", "hostile.txt"] {
        let path = folder.join(name);
        let Ok(text) = std::fs::read(&path) else {
            eprintln!("not tested: there is no {}", path.display());
            continue;
        };
        let (mut lines, mut valid) = (0, 0);
        let step = if is_quick() { 10 } else { 1 };
        for line in text.split(|&byte| byte == b'\n').step_by(step) {
            check_repair(line);
            lines += 1;
            valid += usize::from(is_uri_reference(line));
        }
        println!("{name}: {valid} of {lines} lines are valid");
    }
}

#[test]
fn references_resolve_as_in_the_examples_of_the_rfc() {
    // RFC 3986 5.4.1 and 5.4.2.
    for (reference, expected) in [
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
        ("http:g", "http:g"),
    ] {
        assert_eq!(resolve("http://a/b/c/d;p?q", reference).as_deref(), Some(expected), "{reference}");
    }
    for (base, reference, expected) in [
        ("http://a", "g", Some("http://a/g")),
        ("http://a?q", "", Some("http://a?q")),
        ("urn:a:b", "../c", Some("urn:c")),
        ("x:/a", "/..//b", Some("x:/.//b")),
        ("a/b", "c", None),
        ("a/b", "http://h/./c", Some("http://h/c")),
    ] {
        assert_eq!(resolve(base, reference).as_deref(), expected, "{base} {reference}");
    }
}

/// RFC 3986 5.2.4, step for step.
fn dots_by_the_rfc(path: &str) -> String {
    let (mut input, mut output) = (path.to_owned(), String::new());
    while !input.is_empty() {
        if let Some(rest) = input.strip_prefix("../").or_else(|| input.strip_prefix("./")) {
            input = rest.to_owned();
        } else if input.starts_with("/./") || input == "/." {
            input = format!("/{}", input.get(3..).unwrap_or_default());
        } else if input.starts_with("/../") || input == "/.." {
            input = format!("/{}", input.get(4..).unwrap_or_default());
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            input.clear();
        } else {
            let end = input[1..].find('/').map_or(input.len(), |at| at + 1);
            output.push_str(&input[..end]);
            input.drain(..end);
        }
    }
    output
}

#[test]
fn dot_segments_are_removed_as_by_the_steps_of_the_rfc() {
    // All paths of up to five segments of these.
    const SEGMENTS: [&str; 5] = ["", ".", "..", "...", "a"];
    for length in 0..=5 {
        for number in 0..SEGMENTS.len().pow(length) {
            let segments: Vec<_> =
                (0..length).map(|place| SEGMENTS[number / SEGMENTS.len().pow(place) % SEGMENTS.len()]).collect();
            let relative = segments.join("/");
            let path = format!("/{relative}");
            assert_eq!(remove_dot_segments(&path), dots_by_the_rfc(&path), "{path}");
            assert_eq!(remove_dot_segments(path.as_bytes()), dots_by_the_rfc(&path).as_bytes());
            if !relative.is_empty() && !relative.starts_with('/') {
                assert_eq!(remove_dot_segments(&relative), relative);
                let base = "x:a/b";
                let expected = dots_by_the_rfc(&format!("a/{relative}"));
                let dot = if expected.starts_with("//") { "/." } else { "" };
                assert_eq!(resolve(base, &relative), Some(format!("x:{dot}{expected}")), "{relative}");
                let expected = dots_by_the_rfc(&relative);
                let dot = if expected.starts_with("//") { "/." } else { "" };
                assert_eq!(resolve("x:a", &relative), Some(format!("x:{dot}{expected}")), "{relative}");
            }
        }
    }
}

/// All names of up to 6 significant bytes.
#[test]
fn extension_is_that_of_the_standard_library() {
    let symbols = *b".a-";
    for length in 0..=6 {
        for number in 0..symbols.len().pow(length) {
            let digits = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]);
            let name: String = digits.map(char::from).collect();
            let expected = std::path::Path::new(&name).extension().map(|extension| extension.to_str().unwrap());
            for path in [format!("/{name}"), format!("/a.b/{name}"), name.clone()] {
                let found = extension(&path);
                assert_eq!(found, expected, "{path}");
            }
        }
    }
}

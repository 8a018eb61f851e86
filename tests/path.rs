//! Canonical paths: the examples of the documentation and of RFC 3986, the measured answers of
//! servers, and random paths against the reference implementation. Every short path:
//! tests/every_path.rs.

use proptest::prelude::*;
use proptest::sample::select;
use simdpct::path::{
    Backslash, DotSegments, EmptySegments, EncodedSlash, HiddenSegments, IllegalBytes, Parameters, PathErrorKind,
    PathPolicy, split,
};
use simdpct::{ByteSet, Kinds, Malformed, sets};

use crate::common::path::compare;
use crate::common::strategies::any_level;

/// The canonical form, or the error as text.
fn canonical(policy: &PathPolicy, path: &[u8]) -> Result<String, String> {
    let mut output = vec![0; policy.output_len_bound(path)];
    let length = policy.canonicalize_into(path, &mut output).map_err(|error| error.to_string())?;
    Ok(as_in_the_table(&output[..length]))
}

/// Text with `\xHH` for a backslash and for bytes that are not graphic ASCII.
fn as_in_the_table(text: &[u8]) -> String {
    let shown = |&byte: &u8| match byte {
        b'\\' => "\\x5c".to_owned(),
        b'!'..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    text.iter().map(shown).collect()
}

#[test]
fn default_policy_rewrites_and_refuses_as_documented() {
    for (path, expected) in [
        ("/", "/"),
        ("/a/b.c", "/a/b.c"),
        ("/.well-known/x", "/.well-known/x"),
        // RFC 3986 5.2.4.
        ("/a/b/c/./../../g", "/a/g"),
        ("/a/..", "/"),
        ("/a/.", "/a/"),
        ("/a/%2E%2e/b", "/b"),
        ("/a/.%2e/b", "/b"),
        ("/...", "/..."),
        ("/a/..b/.c", "/a/..b/.c"),
        // RFC 3986 6.2.2.1 and 6.2.2.2.
        ("/%7euser/%41%2f", "/~user/A%2F"),
        ("/%c3%a9", "/%C3%A9"),
        // Decoded once.
        ("/%252e%252e/x", "/%252e%252e/x"),
        ("/%25%32%65", "/%252e"),
        // Empty segments are merged before `..` removes a segment.
        ("//a///b/", "/a/b/"),
        ("/a//../b", "/b"),
        // Parameters are kept, but not at dot segments.
        ("/a;b=c/d", "/a;b=c/d"),
        ("/a/..;x=/b", "/b"),
        ("/a/.;/b", "/a/b"),
        // A segment of parameters alone is an empty segment.
        ("/;/admin", "/admin"),
        ("/a/;x/b", "/a/b"),
        ("/a/;x", "/a/;x"),
        ("/a%2fb", "/a%2Fb"),
        ("/http:%2f%2fh", "/http:%2F%2Fh"),
        // Raw bytes that a path must not contain (3.3).
        ("/a b|c[d]\"é#?", "/a%20b%7Cc%5Bd%5D%22%C3%A9%23%3F"),
    ] {
        assert_eq!(PathPolicy::DEFAULT.canonicalize(path).as_deref(), Ok(expected), "{path}");
    }
    for (path, expected) in [
        ("", "path does not begin with '/' at byte 0"),
        ("*", "path does not begin with '/' at byte 0"),
        ("a/b", "path does not begin with '/' at byte 0"),
        ("http://h/", "path does not begin with '/' at byte 0"),
        ("/a/%00/%0a", "refused: nul control at byte 3"),
        ("/%ff", "refused: invalid-utf8 at byte 1"),
        ("/a\u{1}", "illegal byte 0x01 at byte 2"),
        ("/a%zz", "malformed percent-encoding: '%' without two hexadecimal digits at byte 2"),
        ("/a%5cb", "backslash at byte 2"),
        ("/a\\b", "backslash at byte 2"),
        ("/..", "dot segment above the root at byte 1"),
        ("/a/../%2e./b", "dot segment above the root at byte 6"),
        // Hidden segments.
        ("/public/..%2Fadmin", "refused: dot-segment at byte 8"),
        ("/a%2f../b", "refused: dot-segment at byte 1"),
        ("/a/..%3bx/b", "refused: dot-segment at byte 3"),
        ("/a/..?", "refused: dot-segment at byte 3"),
        ("/a/%2e%2e%23", "refused: dot-segment at byte 3"),
        ("/a/b%2f/c", "refused: empty-segment at byte 3"),
        ("/a/%2f../c", "refused: dot-segment empty-segment at byte 3"),
        ("/a/..%2Fb/../../c", "refused: dot-segment at byte 3"),
    ] {
        assert_eq!(PathPolicy::DEFAULT.canonicalize(path).unwrap_err().to_string(), expected, "{path}");
    }
}

#[test]
fn strict_policy_refuses_whatever_servers_disagree_about() {
    for (path, expected) in [
        ("/a%2fb", PathErrorKind::EncodedSlash),
        ("/a%252fb", PathErrorKind::Refused(Kinds::PERCENT | Kinds::DOUBLE)),
        ("/a%3fb", PathErrorKind::Refused(Kinds::PATH_END)),
        ("/a%u0041", PathErrorKind::Refused(Kinds::UNICODE)),
        ("/a/./b", PathErrorKind::DotSegment),
        ("/a/%2e", PathErrorKind::DotSegment),
        ("/a//b", PathErrorKind::EmptySegment),
        ("/a;b", PathErrorKind::Parameter),
        ("/a%3bb", PathErrorKind::Parameter),
        ("/a|b", PathErrorKind::IllegalByte(b'|')),
        ("/caf\u{e9}", PathErrorKind::IllegalByte(0xC3)),
    ] {
        assert_eq!(PathPolicy::STRICT.canonicalize(path).unwrap_err().kind, expected, "{path}");
    }
    assert_eq!(PathPolicy::STRICT.canonicalize("/%7euser/%c3%a9").as_deref(), Ok("/~user/%C3%A9"));
}

/// The targets of tests/data/path-confusion.tsv as the server answered them: the status if it
/// refused, else the path that it forwarded.
fn cells(column: &str) -> Vec<(Vec<u8>, String)> {
    let table = include_str!("data/path-confusion.tsv");
    let mut rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let names = rows.next().expect("a header");
    let index = names.iter().position(|&name| name == column).expect("the column exists");
    rows.map(|row| (unescaped(row[0]), row[index].to_owned())).collect()
}

/// Undoes `\xHH`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

#[test]
fn presets_answer_as_their_servers_do() {
    for (policy, column, exceptions) in [
        // The absolute form is cut to its path, as a caller has to do.
        (PathPolicy::NGINX, "nginx-1.22.1:proxy_pass-with-uri", &["http://other.example/a%2fb"][..]),
        (PathPolicy::LIGHTTPD, "lighttpd-1.4.69:mod_proxy-default", &["/a#b", "/a?x=%00"]),
        // Servers refuse a raw '#' before they look at the path.
        (PathPolicy::ENVOY, "envoy-1.40.0:normalize+reject", &["/a#b"]),
    ] {
        let (mut same, mut different) = (0, Vec::new());
        for (target, cell) in cells(column) {
            let (path, _) = split(&target);
            let found = match canonical(&policy, path) {
                Ok(path) => format!("200 -> {path}"),
                Err(_) => "400".to_owned(),
            };
            // The query is not part of the path. Envoy keeps lower-case digits.
            let cell = cell.split('?').next().unwrap_or_default();
            if found.eq_ignore_ascii_case(cell) {
                same += 1;
            } else {
                different.push((as_in_the_table(&target), found, cell.to_owned()));
            }
        }
        let found: Vec<&str> = different.iter().map(|(target, ..)| target.as_str()).collect();
        assert_eq!(found, exceptions, "{column}: {different:?}");
        assert!(same >= 47, "{column}: {same}");
    }
}

/// integrations/check-servers writes these columns, from the C library.
#[test]
fn canonical_paths_are_those_of_the_table() {
    for (policy, column) in [(PathPolicy::DEFAULT, "simdpct:default"), (PathPolicy::STRICT, "simdpct:strict")] {
        for (target, cell) in cells(column) {
            let (path, query) = split(target.strip_prefix(b"http://other.example").unwrap_or(&target));
            match canonical(&policy, path) {
                Ok(path) => assert_eq!(cell, format!("200 -> {path}{}", as_in_the_table(query)), "{column}"),
                Err(error) => assert!(cell.starts_with("400 "), "{column}: {}: {error}", as_in_the_table(&target)),
            }
        }
    }
}

#[test]
fn output_without_room_is_an_error() {
    let policy = PathPolicy::DEFAULT;
    let path = b"/a b/..";
    assert_eq!(policy.output_len_bound(path), 9);
    let kind = PathErrorKind::OutputTooSmall { needed: 9 };
    assert_eq!(policy.canonicalize_into(path, &mut [0; 8]).unwrap_err().kind, kind);
    assert_eq!(policy.canonicalize_in_place(&mut path.to_owned()).unwrap_err().kind, kind);
    assert_eq!(policy.canonicalize_into(path, &mut [0; 9]), Ok(1));
    // The required size comes first, whatever the path contains.
    for path in [&b"/a b/\0"[..], b"/a b/../..", b"a b", b"/ \\", b"/ ..%2F"] {
        let error = policy.canonicalize_into(path, &mut []).unwrap_err();
        assert!(matches!(error.kind, PathErrorKind::OutputTooSmall { .. }) && error.position == 0, "{error}");
        assert_eq!(policy.canonicalize_in_place(&mut path.to_owned()), Err(error));
    }
}

/// `//host` in a `Location` header is another host (WHATWG URL Standard 4.5).
#[test]
fn kept_empty_segments_never_come_to_the_front() {
    let keep = PathPolicy::RFC3986;
    let strip = keep.parameters(Parameters::Strip);
    let decode = keep.slash(EncodedSlash::Decode).backslash(Backslash::ToSlash);
    for (policy, path, expected) in [
        (keep, "/.//host", "/.//host"),
        (keep, "/a/..//host", "/.//host"),
        (keep, "/..//host", "/.//host"),
        (keep, "//host", "//host"),
        (keep, "//../host", "/host"),
        (keep, "/a//host", "/a//host"),
        (strip, "/;x/host", "/.//host"),
        (strip, "/;/host", "/.//host"),
        (decode, "/%2Fhost", "/.//host"),
        (decode, "/\\host", "/.//host"),
        (decode, "/./\\host", "/.//host"),
        (decode.dot_segments(DotSegments::Keep), "/%2Fhost", "/.//host"),
    ] {
        assert_eq!(policy.canonicalize(path).as_deref(), Ok(expected), "{path} by {policy:?}");
        compare(&policy, path.as_bytes());
    }
    for policy in [decode.dot_segments(DotSegments::Refuse), decode.refuse(Kinds::DOT_SEGMENT)] {
        let error = policy.canonicalize("/%2Fhost").unwrap_err();
        assert_eq!((error.kind, error.position), (PathErrorKind::EmptySegment, 1), "{policy:?}");
        compare(&policy, b"/%2Fhost");
    }
}

/// As in nginx 1.22.1: a space or a control character is an error, and a `#` ends the path.
#[test]
fn nginx_policy_cuts_and_refuses_raw_bytes() {
    for byte in (0..=b' ').chain([0x7F]) {
        let error = PathPolicy::NGINX.canonicalize_into(&[b'/', byte], &mut [0; 9]).unwrap_err();
        assert_eq!((error.kind, error.position), (PathErrorKind::IllegalByte(byte), 1));
    }
    for (path, expected) in
        [("/a#/../b", "/a"), ("/a/..#/x", "/"), ("/a#%00", "/a"), ("/a%23b", "/a%23b"), ("/a|\\\"b", "/a|\\\"b")]
    {
        assert_eq!(PathPolicy::NGINX.canonicalize(path).as_deref(), Ok(expected), "{path}");
    }
}

/// If the triplet were decoded, the path would be refused the second time.
#[test]
fn plus_is_not_decoded_if_raw_ones_are_refused() {
    let policy = PathPolicy::NGINX.refuse(Kinds::PLUS);
    assert_eq!(policy.canonicalize("/%2b%3d").as_deref(), Ok("/%2B="));
    assert!(policy.is_canonical(b"/%2B="));
    assert_eq!(policy.canonicalize("/+").unwrap_err().kind, PathErrorKind::Refused(Kinds::PLUS));
    compare(&policy, b"/%2b%3d");
}

/// `/a%2F/b` has an empty segment, so it would be refused the second time.
#[test]
fn segments_made_by_removing_parameters_are_refused() {
    let policy = PathPolicy::RFC3986.parameters(Parameters::Strip).refuse(Kinds::EMPTY_SEGMENT);
    for (path, position) in [("/a%2F;x/b", 5), ("/a/;x/b", 3), ("/a;x:/%5Cb", 2), ("/;a/b;x:/%2F", 1)] {
        let error = policy.canonicalize(path).unwrap_err();
        let expected = (PathErrorKind::Refused(Kinds::EMPTY_SEGMENT), position);
        assert_eq!((error.kind, error.position), expected, "{path}");
        compare(&policy, path.as_bytes());
    }
    assert_eq!(policy.canonicalize("/a%2F;x").as_deref(), Ok("/a%2F"));
}

/// The next reader would decode a triplet that is not in the path.
#[test]
fn kept_percent_is_not_completed() {
    let policy = PathPolicy::ENVOY;
    for (path, expected) in [("/%%34%31", "/%%341"), ("/%4%31", "/%4%31"), ("/%%7e1", "/%~1"), ("/%/../%31", "/1")] {
        assert_eq!(policy.canonicalize(path).as_deref(), Ok(expected), "{path}");
    }
}

/// A refused path must not be the canonical form of an accepted path.
#[test]
fn decoding_creates_no_finding_of_a_refused_kind() {
    let base = PathPolicy::RFC3986;
    let double = base.refuse(Kinds::DOUBLE);
    let unicode = base.refuse(Kinds::UNICODE).malformed(Malformed::Keep);
    let escaping = double.malformed(Malformed::Escape);
    for (policy, path, expected) in [
        (base, "/%25%34%31", "/%2541"),
        (double, "/%25%34%31", "/%25%341"),
        (double, "/%254%31%31", "/%254%311"),
        (double, "/%25g%34%31", "/%25g41"),
        (escaping, "/%4%31", "/%254%31"),
        (escaping, "/%%34%31", "/%25%341"),
        (escaping, "/100%/%", "/100%25/%25"),
        (unicode, "/%%750041", "/%%750041"),
        (unicode, "/%u00%34%31", "/%u00%341"),
        (unicode, "/%u%7e%34", "/%u~4"),
        (unicode, "/%uzz%75", "/%uzzu"),
        (base.malformed(Malformed::Keep), "/%%750041", "/%u0041"),
    ] {
        assert_eq!(policy.canonicalize(path).as_deref(), Ok(expected), "{path} by {policy:?}");
        compare(&policy, path.as_bytes());
    }
    for (policy, path, kind) in [
        (double, "/%2541", Kinds::DOUBLE),
        (unicode, "/%u0041", Kinds::UNICODE),
        (base.refuse(Kinds::DOT_SEGMENT), "/a/%2e%2e;x/b", Kinds::DOT_SEGMENT),
        (base.refuse(Kinds::EMPTY_SEGMENT), "/a%5C/b", Kinds::EMPTY_SEGMENT),
        (base.refuse(Kinds::SEMICOLON), "/a;b", Kinds::SEMICOLON),
        // The findings count a raw backslash as a delimiter.
        (base.refuse(Kinds::DOT_SEGMENT).illegal(IllegalBytes::Keep), "/\\..", Kinds::DOT_SEGMENT),
        (base.refuse(Kinds::EMPTY_SEGMENT).illegal(IllegalBytes::Keep), "/a\\/b", Kinds::EMPTY_SEGMENT),
        (base.refuse(Kinds::PATH_END), "/a%3f", Kinds::PATH_END),
        (PathPolicy::STRICT, "/a%23b", Kinds::PATH_END),
    ] {
        assert_eq!(policy.canonicalize(path).unwrap_err().kind, PathErrorKind::Refused(kind), "{path}");
        compare(&policy, path.as_bytes());
    }
    assert!(PathPolicy::STRICT.refused().contains(Kinds::DOUBLE | Kinds::UNICODE));
}

fn any_policy() -> impl Strategy<Value = PathPolicy> {
    let kinds = || prop_oneof![Just(Kinds::NONE), select(Kinds::ALL.to_vec()).prop_map(|(kind, _)| kind)];
    let sets = vec![ByteSet::EMPTY, sets::PCHAR, ByteSet::ALL, ByteSet::new(b";%/")];
    (
        (kinds(), kinds(), select(vec![Malformed::Refuse, Malformed::Keep, Malformed::Escape])),
        select(vec![EncodedSlash::Keep, EncodedSlash::Decode, EncodedSlash::Refuse]),
        select(vec![Backslash::Keep, Backslash::ToSlash, Backslash::Refuse]),
        select(vec![DotSegments::Keep, DotSegments::Remove, DotSegments::Clamp, DotSegments::Refuse]),
        select(vec![EmptySegments::Keep, EmptySegments::Merge, EmptySegments::Refuse]),
        select(vec![Parameters::Keep, Parameters::StripFromDots, Parameters::Strip, Parameters::Refuse]),
        select(vec![IllegalBytes::Keep, IllegalBytes::Nginx, IllegalBytes::Escape, IllegalBytes::Refuse]),
        (select(vec![HiddenSegments::Keep, HiddenSegments::Refuse]), select(sets), any_level()),
    )
        .prop_map(
            |((first, second, malformed), slash, backslash, dots, empty, parameters, illegal, (hidden, set, level))| {
                PathPolicy::new()
                    .refuse(first | second)
                    .malformed(malformed)
                    .slash(slash)
                    .backslash(backslash)
                    .dot_segments(dots)
                    .empty_segments(empty)
                    .parameters(parameters)
                    .illegal(illegal)
                    .hidden_segments(hidden)
                    .decode(set)
                    .level(level)
            },
        )
}

fn any_path() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[a-z0-9]{1,12}".prop_map(String::into_bytes),
        6 => Just(b"/".to_vec()),
        4 => select(vec![".", "..", "%2e", ";", "%", "%2", "\\", "%5C", "%2f", "%3b", "+", "%7E", "%25", "%00", ":", "//", "%3A", "#", "%23", "?", "%u", "%75", "%34", "%61"])
            .prop_map(|text| text.as_bytes().to_vec()),
        2 => any::<u8>().prop_map(|byte| format!("%{byte:02x}").into_bytes()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
        1 => "[0-9]{8,40}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| [&b"/"[..], &pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn random_paths_match_reference(policy in any_policy(), path in any_path()) {
        compare(&policy, &path);
    }

    #[test]
    fn presets_match_reference(path in any_path(), level in any_level()) {
        for &(_, policy) in PathPolicy::PRESETS {
            compare(&policy.level(level), &path);
        }
    }
}

//! Normal forms of whole URLs: examples, properties of all normal forms, and comparison with the
//! crate `url`, which implements the WHATWG URL Standard.

use proptest::prelude::*;
use simdpct::uri::{UrlErrorKind, UrlNormalizer};
use simdpct::{ByteSet, Malformed, Normalizer};
use url::Url;

const PLAIN: UrlNormalizer = UrlNormalizer::new();

/// The normal form, if the URL is valid.
fn normal(url: &str) -> Option<String> {
    PLAIN.normalize(url).ok().map(Into::into)
}

#[test]
fn normal_forms_of_known_urls() {
    for (url, expected) in [
        ("HTTP://EXAMPLE.com:80", "http://example.com/"),
        ("https://user@Example.com:0443/a/./b/../%7e", "https://user@example.com/a/~"),
        ("http://B%C3%BCcher.example/%c3%a9?%41#%7E", "http://xn--bcher-kva.example/%C3%A9?A#~"),
        ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
        ("http://[fe80::1%25En0]/", "http://[fe80::1%25En0]/"),
        ("http://[V1.Ab:c]/", "http://[v1.ab:c]/"),
        ("file://localhost/etc", "file:///etc"),
        ("file://user@localhost/etc", "file://user@localhost/etc"),
        ("redis://%2FVAR%2frun:6379/0", "redis://%2Fvar%2Frun:6379/0"),
        ("mailto:A@B.example", "mailto:A@B.example"),
        // References mean the same with every base.
        ("//EXAMPLE.com", "//example.com/"),
        ("/a/../b", "/b"),
        ("../a/./b", "../a/./b"),
        ("?b=%7e", "?b=~"),
        ("", ""),
        // A path that begins with two slashes is not an authority.
        ("/..//a", "/.//a"),
        ("x:/..//a", "x:/.//a"),
        ("http://h/..//a", "http://h//a"),
    ] {
        assert_eq!(PLAIN.normalize(url).as_deref(), Ok(expected), "{url}");
        assert_eq!(PLAIN.normalize(url.as_bytes()).as_deref(), Ok(expected.as_bytes()), "{url}");
    }
}

#[test]
fn ports_become_numbers_without_leading_zeros_and_not_the_default() {
    let valid = ["", ":80", ":0080", ":0", ":000", ":443", ":08080", ":65535"];
    let expected = ["", "", "", ":0", ":0", ":443", ":8080", ":65535"];
    for (port, expected) in valid.into_iter().zip(expected) {
        assert_eq!(normal(&format!("http://h{port}/")), Some(format!("http://h{expected}/")), "{port}");
    }
    assert_eq!(normal("https://h:443/").as_deref(), Some("https://h/"));
    assert_eq!(normal("x://h:80/").as_deref(), Some("x://h:80/"));
    for port in [":65536", ":99999999999999999999", ":+80", ":80a", ":٨٠"] {
        let error = PLAIN.normalize(&format!("http://h{port}/")).unwrap_err();
        assert_eq!((error.kind, error.position), (UrlErrorKind::Port, "http://h:".len()), "{port}");
    }
}

#[test]
fn errors_have_a_kind_and_a_position() {
    for (url, kind, position) in [
        (&b"12:30 pm"[..], UrlErrorKind::Scheme, 0),
        (b"http:/a", UrlErrorKind::NoHost, 5),
        (b"http://", UrlErrorKind::NoHost, 7),
        (b"http://u@:80/", UrlErrorKind::NoHost, 9),
        (b"http://u@a b/", UrlErrorKind::Host, 9),
        (b"http://[::1/", UrlErrorKind::Host, 7),
        (b"http://u%zz@h/", UrlErrorKind::Malformed, 8),
        (b"http://h/%4", UrlErrorKind::Malformed, 9),
        (b"http://h/?a#%", UrlErrorKind::Malformed, 12),
        (b"http://%FF/", UrlErrorKind::InvalidUtf8, 7),
        (b"http://h/a\xFF%", UrlErrorKind::InvalidUtf8, 10),
    ] {
        let error = PLAIN.normalize(url).unwrap_err();
        assert_eq!((error.kind, error.position), (kind, position), "{}", url.escape_ascii());
        assert_eq!(error.to_string(), format!("{kind} at byte {position}"));
    }
}

#[test]
fn options_change_what_they_name() {
    let url = "http://www.www.a.example/?b=2&&utm_x=1&a=3&b=1#f";
    for (normalizer, expected) in [
        (PLAIN, url),
        (PLAIN.sort_query(), "http://www.www.a.example/?a=3&b=2&b=1&utm_x=1#f"),
        (PLAIN.drop_fragment(), "http://www.www.a.example/?b=2&&utm_x=1&a=3&b=1"),
        (PLAIN.drop_www(), "http://a.example/?b=2&&utm_x=1&a=3&b=1#f"),
        (PLAIN.targets(), url),
    ] {
        assert_eq!(normalizer.normalize(url).as_deref(), Ok(expected));
    }
    let is_tracking = |name: &str| name.starts_with("utm_");
    let without = |url| PLAIN.drop_fragment().normalize_without(url, is_tracking).unwrap();
    assert_eq!(without(url), "http://www.www.a.example/?b=2&a=3&b=1");
    assert_eq!(without("http://h/?%75tm_a&utm+b"), "http://h/?utm+b");
    assert_eq!(without("http://h/?utm_a"), "http://h/");
    assert_eq!(PLAIN.targets().normalize("//a/../b#c").as_deref(), Ok("//b%23c"));
    assert_eq!(PLAIN.drop_www().normalize("http://www.com/").as_deref(), Ok("http://www.com/"));
    assert_eq!(PLAIN.keep(ByteSet::new(b" ")).normalize("http://h/a b|").as_deref(), Ok("http://h/a b%7C"));
}

#[test]
fn malformed_percents_are_kept_or_escaped_outside_the_authority_only() {
    for (malformed, expected) in [(Malformed::Keep, "http://h/a%?%zz"), (Malformed::Escape, "http://h/a%25?%25zz")] {
        let normalizer = PLAIN.triplets(Normalizer::new().malformed(malformed));
        assert_eq!(normalizer.normalize("http://h/a%?%zz").as_deref(), Ok(expected));
        for authority in ["u%@h", "%", "[::1%]", "h:%"] {
            assert!(normalizer.normalize(&format!("http://{authority}/")).is_err(), "{authority}");
        }
    }
}

#[test]
fn reporting_keeps_the_part_with_the_error() {
    let report = |normalizer: UrlNormalizer, url: &[u8]| {
        let (mut output, mut errors) = (b"before ".to_vec(), Vec::new());
        normalizer.normalize_reporting(url, None, |error| errors.push((error.kind, error.position)), &mut output);
        (String::from_utf8_lossy(&output).into_owned(), errors)
    };
    let (kind, host) = (UrlErrorKind::InvalidUtf8, UrlErrorKind::Host);
    assert_eq!(
        report(PLAIN, b"HTTP://A b/%7e\xFF/%?\xFE"),
        (
            "before http://A b/~\u{FFFD}/%?\u{FFFD}".into(),
            vec![(host, 7), (kind, 14), (UrlErrorKind::Malformed, 16), (kind, 18)]
        )
    );
    assert_eq!(
        report(PLAIN.replace_invalid_utf8(), b"http://h/\xFF"),
        ("before http://h/%EF%BF%BD".into(), vec![(kind, 9)])
    );
}

/// All combinations of options.
fn normalizers() -> impl Strategy<Value = UrlNormalizer> {
    let options: [fn(UrlNormalizer) -> UrlNormalizer; 4] =
        [UrlNormalizer::sort_query, UrlNormalizer::drop_fragment, UrlNormalizer::drop_www, UrlNormalizer::targets];
    let malformed = prop::sample::select(vec![Malformed::Refuse, Malformed::Keep, Malformed::Escape]);
    (prop::sample::subsequence(options.to_vec(), 0..=options.len()), malformed).prop_map(|(options, malformed)| {
        let start = PLAIN.triplets(Normalizer::new().malformed(malformed));
        options.into_iter().fold(start, |normalizer, option| option(normalizer))
    })
}

proptest! {
    /// A normal form is its own normal form, is equal for text and bytes, and is the reported form
    /// if no error is found.
    #[test]
    fn a_normal_form_is_its_own(
        normalizer in normalizers(),
        url in prop_oneof![urls(), "([a-zA-Z]{0,2}:)?(//)?[a-z@:%2E.\\[\\]]{0,4}[/.%2eE4a\u{e9} ?#&=]{0,12}"],
    ) {
        let found = normalizer.normalize(&url);
        let bytes = normalizer.normalize(url.as_bytes());
        prop_assert_eq!(found.as_ref().map(|found| found.as_bytes()), bytes.as_deref());
        let (mut output, mut errors) = (Vec::new(), 0);
        normalizer.normalize_reporting(url.as_bytes(), None, |_| errors += 1, &mut output);
        match found {
            Ok(found) => {
                prop_assert_eq!(&output, found.as_bytes());
                let again = normalizer.normalize(&found);
                prop_assert_eq!(again.as_deref(), Ok(&*found));
            }
            Err(_) => prop_assert!(errors > 0),
        }
    }
}

/// Texts for which RFC 3986 and the WHATWG URL Standard say the same, except for the spelling of
/// triplets.
///
/// They exclude texts for which the standard differs: `\` (a slash), spaces around and control
/// characters (removed), hosts that are numbers (IPv4 addresses), `'` in a query (escaped), empty
/// user information (removed), and more than two slashes after the scheme.
fn urls() -> impl Strategy<Value = String> {
    let scheme = prop::sample::select(vec!["http", "HTTP", "https", "Wss", "ws", "ftp"]);
    let userinfo = prop::sample::select(vec!["", "", "", "user@", "u:p@", "%41:%2f@", "a%40b@"]);
    let host = prop_oneof![
        4 => prop::sample::select(vec![
            "EXAMPLE.com", "bücher.example", "B%C3%BCCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA", "[::1]",
            "[2001:DB8:0:0::1]", "[::ffff:1.2.3.4]", "[::1", "[1]", "a_b", "ex%41mple", "xn--a", "a b", "a%20b", "\u{fb01}.example",
            "straße.de", "例え.テスト", "a..b", "a.b.", "%C3", "a%zz", "\u{ad}", "\u{3002}", "x\u{3002}y", "a|b", "a^b", "a,b!c", "%2c",
        ]).prop_map(str::to_owned),
        1 => "[a-zA-Z\u{df}\u{3b1}-\u{3c9}\u{5d0}\u{24b6}\u{200d}.-]{1,8}",
    ];
    let port = prop::sample::select(vec![
        "", "", ":", ":80", ":443", ":21", ":0080", ":8080", ":65535", ":65536", ":8x", ":-1",
    ]);
    let segment = prop::sample::select(vec![
        "",
        ".",
        "..",
        "%2e",
        "%2E%2e",
        ".%2E",
        "...",
        "a",
        "%41",
        "%7e",
        "é",
        "%c3%a9",
        "a b",
        "|",
        "[x]",
        "%2f",
        "~",
        "%25",
        "a;b",
        "^`{}",
        "\u{1f600}",
        "%FF",
        "..;",
        "\"<>",
    ]);
    let path = prop::collection::vec(segment, 0..6)
        .prop_map(|segments| segments.iter().map(|segment| format!("/{segment}")).collect::<String>());
    let rest = prop::sample::select(vec![
        "",
        "?",
        "?a=1&b=%7e",
        "?é |[]\"<>`{}/../.",
        "?%41%2f?",
        "#",
        "#%41 é`/../x",
        "?a#b?c#",
        "?a+b&&;",
    ]);
    (scheme, userinfo, host, port, path, rest)
        .prop_map(|(scheme, userinfo, host, port, path, rest)| format!("{scheme}://{userinfo}{host}{port}{path}{rest}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    /// A URL and its serialization by browsers have the same normal form, and a URL has both or
    /// neither.
    #[test]
    fn normal_forms_join_what_browsers_join(url in urls()) {
        let found = normal(&url);
        match Url::parse(&url) {
            Err(error) => prop_assert_eq!(found, None, "{}: {}", url, error),
            Ok(parsed) => {
                prop_assert_eq!(&found, &normal(parsed.as_str()), "{}: {}", url, parsed);
                prop_assert!(found.is_some(), "{}", url);
            }
        }
    }

    /// A browser reads a normal form as it reads the URL, except for triplets of unreserved
    /// characters.
    #[test]
    fn browsers_read_the_normal_form_alike(url in urls()) {
        let Some(found) = normal(&url) else { return Ok(()) };
        let (parsed, again) = (Url::parse(&url).unwrap(), Url::parse(&found).unwrap());
        prop_assert_eq!(parsed.scheme(), again.scheme());
        prop_assert_eq!(parsed.host(), again.host());
        prop_assert_eq!(parsed.port(), again.port());
        prop_assert!(simdpct::equivalent(&simdpct::uri::repair(parsed.path()), &simdpct::uri::repair(again.path())), "{} {}", parsed, again);
    }
}

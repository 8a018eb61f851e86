//! Comparison with the `url` crate, which implements the WHATWG URL Standard.

use proptest::prelude::*;
use simdpct::ByteSet;
use url::Url;

use super::{NormalUrl, UrlOptions};
use crate::operation::{Normalize, Operation};

/// The normal form, if the URL is valid.
fn normal(url: &str) -> Option<String> {
    let operation = NormalUrl::new(UrlOptions::default(), Normalize::new(ByteSet::EMPTY, false, false), ByteSet::EMPTY);
    let mut normal = Vec::new();
    let fault = operation.apply(url.as_bytes(), &mut normal);
    fault.is_none().then(|| String::from_utf8(normal).unwrap())
}

/// Texts for which RFC 3986 and the WHATWG URL Standard say the same, but for the spelling of triplets.
///
/// Not among them, because the standard differs: `\` (a slash), spaces around and control characters (removed), hosts that
/// are numbers (IPv4 addresses), `'` in a query (escaped), empty user information (removed), and more than two slashes
/// after the scheme.
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

    /// The normal form of a URL is that of its serialisation by browsers, and a URL has both or neither.
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

    /// A browser reads a normal form as it reads the URL, but for triplets of unreserved characters.
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

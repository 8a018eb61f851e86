//! `pct get`: parts of URLs and request targets.

use std::process::Output;

use proptest::prelude::*;

use crate::{every_text, output, run, text};

const URL: &str = "https://us%65r:pw@ex%C3%A4mple.org:8080/a%20b//c.tar.gz?q=fish+%26+chips&p&q=%C3%A9#fr%41g";

/// Part, results decoded and raw, for one URL.
#[test]
fn parts_of_a_url_are_written() {
    for (part, decoded, raw) in [
        ("scheme", "https", "https"),
        ("authority", "user:pw@exämple.org:8080", "us%65r:pw@ex%C3%A4mple.org:8080"),
        ("userinfo", "user:pw", "us%65r:pw"),
        ("host", "exämple.org", "ex%C3%A4mple.org"),
        ("port", "8080", "8080"),
        ("path", "/a b//c.tar.gz", "/a%20b//c.tar.gz"),
        ("segment:1", "a b", "a%20b"),
        ("segment:2", "", ""),
        ("segment:-1", "c.tar.gz", "c.tar.gz"),
        ("segment:-3", "a b", "a%20b"),
        ("extension", "gz", "gz"),
        ("query", "q=fish+&+chips&p&q=é", "q=fish+%26+chips&p&q=%C3%A9"),
        ("keys", "q p", "q p"),
        ("key:q", "fish & chips é", "fish+%26+chips %C3%A9"),
        ("key:p", "", ""),
        ("fragment", "frAg", "fr%41g"),
    ] {
        for (options, expected) in [(&[][..], decoded), (&["--decode"], decoded), (&["--raw"], raw)] {
            let arguments = [&["get", part], options].concat();
            let found = output(&arguments, format!("{URL}\n").as_bytes());
            assert_eq!(text(&found), text(format!("{expected}\n").as_bytes()), "{arguments:?}");
        }
    }
}

#[test]
fn options_and_units_are_those_of_other_commands() {
    let log = "h - - [t] \"GET //e%20v?q=a%20b+c&q=%22#%09 HTTP/1.1\" 200 1 \"http://r/?q=r\" \"agent\"\n";
    let of_log = |rest: &str| format!("h - - [t] \"GET {rest} HTTP/1.1\" 200 1 \"http://r/?q=r\" \"agent\"\n");
    let log_decoded = of_log("a%20b+c%20%22#%09");
    let log_path = of_log("//e%20v");
    let appended = log.replace("\"agent\"\n", "\"agent\" \"a b c %22#%09\"\n");
    let cases: &[(&[&str], &str, &str)] = &[
        // Targets of requests, and other references.
        (&["path"], "/p?q=1\n?q\nmailto:a@b\n*\n\n", "/p\n\na@b\n*\n\n"),
        (&["key:q"], "/p?q=1\r\n/p?a=1&q=\r\n?q=%0A%0D\r\n", "1\r\n\r\n%0A%0D\r\n"),
        (&["host"], "//h/p\nhttp://[::1]:80/\nfile:///p", "h\n[::1]\n"),
        (&["segment:1"], "/\nhttp://h/a\na/b\n/a/\n", "\na\na\na\n"),
        (&["segment:-1"], "/a/\n/a%2Fb\n/a?b/c\n", "\na/b\na\n"),
        (&["extension"], "/a.b/c\n/.d\n/c.\n/c.e%66?x.y\nhttp://h.org\n", "\n\n\nef\n\n"),
        (&["keys"], "?b=1&a&b&%61&=x&+\n", "b a   \n"),
        (&["keys", "--raw", "--separator", ","], "?b=1&a&b&%61&=x&+\n", "b,a,%61,,+\n"),
        (&["keys", "--separator", ""], "?a&b\n", "ab\n"),
        (&["key:a b", "--separator", "%0A\u{2014}\n"], "?a+b=1&a%20b=2&A%20b=3\n", "1%0A\u{2014}%0A2\n"),
        (&["key:"], "?=1&a=2&&=3\n", "1 3\n"),
        (&["key:q:r"], "?q:r=%3A\n", ":\n"),
        // Rules of decoding.
        (&["query", "--plus"], "?a+b%2B\n", "a b+\n"),
        (&["path", "--keep", "reserved"], "/a%2Fb%41\n", "/a%2FbA\n"),
        (&["path", "--times", "2"], "/%2541\n", "/A\n"),
        (&["key:q", "--dialect", "java"], "?q=%FF\n", "\u{FFFD}\n"),
        // Units.
        (&["host", "-0"], "http://a/\0//b%0A\0", "a\0b\n\0"),
        (&["path", "-f", "2,3"], "/x\t/y?z\thttp://h/%09\t/x\n", "/x\t/y\t/%09\t/x\n"),
        (&["path", "-f", "2", "-d", ";"], "/x;/y%3B?z\n", "/x;/y%3B\n"),
        (
            &["key:q", "--csv", "-c", "u"],
            "u,v\n\"/?q=a%2Cb\"\"%22\",1\n/?q=%2C,2\n",
            "u,v\n\"a,b\"\"\"\"\",1\n\",\",2\n",
        ),
        // An empty line would be no record.
        (&["host", "--csv", "-c", "u"], "u\n/p\n//h\n/\r\n", "u\n\"\"\nh\n\"\"\r\n"),
        (&["key:q", "--jsonl", "-k", "u"], "{\"u\":\"\\/?q=%22+%0A\",\"v\":1}\n", "{\"u\":\"\\\" \\n\",\"v\":1}\n"),
        // Of a log, the target; where results break a line, they stay escaped.
        (&["key:q", "--log", "combined"], log, &log_decoded),
        (&["path", "--log", "combined"], log, &log_path),
        (&["key:q", "--log", "combined", "--append"], log, &appended),
        (&["key:q", "--log", "combined", "--print-field"], log, "a b c \"#%09\n"),
        (&["path", "--log", "combined", "--print-field"], log, "//e v\n"),
        // Of other logs, fields that have targets, or those that are named.
        (&["path", "--log", "w3c", "--print-field"], "#Fields: cs-uri-stem cs-uri-query\n/%41 x\n", "/A\n"),
        (
            &["key:r", "--log", "combined", "--log-field", "http_referer", "--print-field"],
            "h - - [t] \"GET / HTTP/1.1\" 200 1 \"/?r=1\" \"\"\n",
            "1\n",
        ),
        (&["path", "--log", "$request_uri $http_referer"], "/%41?x /%41\n", "/A /%41\n"),
        (
            &["path", "--cdxj", "--append-as", "p"],
            "a {\"url\":\"http://h/p\"}\n",
            "a {\"url\":\"http://h/p\",\"p\":\"/p\"}\n",
        ),
        // New columns.
        (&["host", "--append"], "http://a%09/\n", "http://a%09/\ta%09\n"),
        (&["host", "-f", "1", "--append"], "//a\tx\n", "//a\tx\ta\n"),
        (&["key:q", "--csv", "-c", "u", "--append"], "u\n/?q=1\n", "u,u_q\n/?q=1,1\n"),
        (&["segment:-1", "--csv", "-c", "u", "--append"], "u\n/a/b\n", "u,u_segment-1\n/a/b,b\n"),
        (&["port", "--jsonl", "-k", "u", "--append"], "{\"u\":\"//h:1\"}\n", "{\"u\":\"//h:1\",\"u_port\":\"1\"}\n"),
    ];
    for &(arguments, input, expected) in cases {
        let arguments = [&["get"], arguments].concat();
        assert_eq!(text(&output(&arguments, input.as_bytes())), text(expected.as_bytes()), "{arguments:?}");
    }
}

/// Their forms (RFC 9112 3.2): origin, absolute, authority, asterisk.
#[test]
fn targets_of_requests_are_not_references() {
    for (target, part, expected) in [
        ("//a/b#c?d=1", "path", "//a/b#c"),
        ("//a/b#c?d=1", "key:d", "1"),
        ("//a/b?c#d", "query", "c#d"),
        ("//a/b?c#d", "host", ""),
        ("http://h:1/p?q#f", "host", "h"),
        ("http://h:1/p?q#f", "fragment", "f"),
        ("h.org:443", "host", "h.org"),
        ("h.org:443", "port", "443"),
        ("[::1]:443", "host", "[::1]"),
        ("h.org:443", "path", ""),
        ("*", "path", "*"),
        ("-", "path", "-"),
        ("-", "host", ""),
    ] {
        let line = format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1\n");
        let found = output(&["get", part, "--log", "common", "--print-field"], line.as_bytes());
        assert_eq!(text(&found), text(format!("{expected}\n").as_bytes()), "{part} of {target}");
    }
}

/// Arguments, input, output, and the summary.
type Case<'a> = (&'a [&'a str], &'a [u8], &'a [u8], &'a str);

#[test]
fn urls_without_the_part_are_counted_and_are_valid() {
    let cases: &[Case<'_>] = &[
        (&["host"], b"/a\n//b\nc", b"\nb\n", "<stdin>: 2 without the part"),
        (&["fragment"], b"/a#\n", b"\n", ""),
        (&["keys"], b"/a?\n/a?&&\n", b"\n\n", "<stdin>: 2 without the part"),
        (&["port", "--strict"], b"//h\n//h:1\n", b"\n1\n", "<stdin>: 1 without the part"),
        (&["path", "-f", "1,2"], b"/a\n", b"/a\n", ""),
        (&["query", "-f", "1,2"], b"/a\t/b?\n/a\t/b\n", b"\t\n\t\n", "<stdin>: 2 without the part"),
        // Only the part is decoded, so only its errors count.
        (&["path"], b"/a?%\n/%\n/\xFF\n", b"/a\n/%\n/\xFF\n", "<stdin>: 1 malformed, 1 not UTF-8; first at 2:2"),
        (
            &["key:q", "--errors", "drop"],
            b"?q=%FF&q=%\n?p\n",
            b"\n",
            "<stdin>: 1 malformed, 1 not UTF-8, 1 without the part; first at 1:4",
        ),
        (&["key:q", "--errors", "replace"], b"?q=%FF\n", "\u{FFFD}\n".as_bytes(), "<stdin>: 1 not UTF-8; first at 1:4"),
        (&["key:q", "--errors", "skip"], b"?p=1&q=%FF\n", b"?p=1&q=%FF\n", "<stdin>: 1 not UTF-8; first at 1:8"),
        (&["path", "--raw"], b"/%\xFF\n", b"/%\xFF\n", ""),
        (&["path", "--log", "common"], b"x\n", b"x\n", "<stdin>: 1 not in the format; first at 1:1"),
        (&["path", "--log", "common", "--print-field"], b"x\n", b"\n", "<stdin>: 1 not in the format; first at 1:1"),
        (
            &["key:q", "-f", "1-2"],
            b"?q=1\t/\n/\t?q=%\n",
            b"1\t\n\t%\n",
            "<stdin>: 1 malformed, 2 without the part; first at 2:6",
        ),
    ];
    for &(arguments, input, expected, told) in cases {
        let arguments = [&["get"], arguments].concat();
        let Output { status, stdout, stderr } = run(&arguments, input);
        let told = if told.is_empty() { String::new() } else { format!("pct: {told}\n") };
        assert_eq!((status.code(), text(&stdout)), (Some(0), text(expected)), "{arguments:?}");
        let stderr = String::from_utf8(stderr).unwrap();
        let is_hint = |line: &&str| line.starts_with("pct: warning: no record has the part");
        let lines: String = stderr.split_inclusive('\n').filter(|line| !is_hint(line)).collect();
        assert_eq!(lines, told, "{arguments:?}");
    }
    let Output { status, stdout, stderr } = run(&["get", "host", "--report", "json"], b"/a\n//%\n//h\n");
    assert_eq!((status.code(), text(&stdout)), (Some(0), text(b"\n%\nh\n")));
    let report: serde_json::Value = serde_json::from_slice(&stderr).unwrap();
    let file = &report["files"][0];
    assert_eq!((&report["version"], &file["records"], &file["invalid"]), (&1.into(), &3.into(), &1.into()));
    assert_eq!((&file["counts"]["without-part"], &file["counts"]["malformed"]), (&1.into(), &1.into()));
    assert_eq!(file["first"].as_array().unwrap().len(), 1);
}

#[test]
fn an_invalid_part_lists_the_valid_ones() {
    for part in [
        "",
        "Host",
        "segment",
        "segment:0",
        "segment:x",
        "key",
        "pair",
        "extension:1",
        "keys:",
        "x:y",
        "hosts",
        "domain:",
    ] {
        let Output { status, stdout, stderr } = run(&["get", part], b"//h");
        assert_eq!((status.code(), text(&stdout)), (Some(2), String::new()), "{part}");
        let stderr = String::from_utf8(stderr).unwrap();
        for name in ["scheme", "domain", "segment:N", "extension", "key:NAME", "pair:NAME", "fragment"] {
            assert!(stderr.contains(name), "{part}: {stderr}");
        }
    }
    assert_eq!(run(&["get"], b"").status.code(), Some(2));
}

/// A plain implementation: the regular expression of RFC 3986 appendix B, by hand.
mod plain {
    pub(super) struct Url<'u> {
        pub(super) scheme: Option<&'u str>,
        pub(super) authority: Option<&'u str>,
        pub(super) path: &'u str,
        pub(super) query: Option<&'u str>,
        pub(super) fragment: Option<&'u str>,
    }

    pub(super) fn split(url: &str) -> Url<'_> {
        let (rest, fragment) = url.split_once('#').map_or((url, None), |(rest, fragment)| (rest, Some(fragment)));
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        // RFC 3986 3.1.
        let is_scheme = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_alphabetic())
                && text.chars().all(|each| each.is_ascii_alphanumeric() || "+-.".contains(each))
        };
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, after)) if is_scheme(scheme) => (Some(scheme), after),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(after) => {
                let end = after.find('/').unwrap_or(after.len());
                (Some(&after[..end]), &after[end..])
            }
            None => (None, rest),
        };
        Url { scheme, authority, path, query, fragment }
    }

    impl<'u> Url<'u> {
        pub(super) fn host(&self) -> Option<&'u str> {
            let host = self.authority?.rsplit('@').next()?;
            // The first colon outside brackets.
            let is_open = |at: usize| host[..at].rfind('[') > host[..at].rfind(']');
            let end = host.match_indices(':').map(|(at, _)| at).find(|&at| !is_open(at)).unwrap_or(host.len());
            Some(&host[..end])
        }

        pub(super) fn port(&self) -> Option<&'u str> {
            let (host, authority) = (self.host()?, self.authority?.rsplit('@').next()?);
            authority[host.len()..].strip_prefix(':')
        }

        pub(super) fn userinfo(&self) -> Option<&'u str> {
            Some(self.authority?.rsplit_once('@')?.0)
        }

        pub(super) fn segments(&self) -> Vec<&'u str> {
            if self.path.is_empty() {
                return Vec::new();
            }
            self.path.strip_prefix('/').unwrap_or(self.path).split('/').collect()
        }

        pub(super) fn pairs(&self) -> Vec<(&'u str, &'u str)> {
            let pairs = self.query.unwrap_or("").split('&').filter(|pair| !pair.is_empty());
            pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect()
        }
    }

    /// Decodes text whose triplets are well-formed UTF-8, in order; line ends stay escaped.
    pub(super) fn decode(text: &str, plus: bool) -> String {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            let digits = rest.get(..2).and_then(|digits| str::from_utf8(digits).ok());
            let value = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            match (byte, value.map(|digits| u8::from_str_radix(digits, 16).unwrap())) {
                (b'%', Some(value)) if !b"\n\r".contains(&value) => {
                    bytes.push(value);
                    rest = &rest[2..];
                }
                (b'+', _) if plus => bytes.push(b' '),
                _ => bytes.push(byte),
            }
        }
        String::from_utf8(bytes).unwrap()
    }
}

/// The results for a URL, by the plain implementation, in the order of [`PARTS`].
pub(crate) fn expected(url: &str) -> Vec<Option<String>> {
    let split = plain::split(url);
    let pairs = split.pairs();
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in &pairs {
        let key = plain::decode(key, true);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let values = pairs.iter().filter(|(key, _)| plain::decode(key, true) == "a b");
    let values: Vec<_> = values.map(|(_, value)| plain::decode(value, true)).collect();
    let segments = split.segments();
    let last = segments.last().copied();
    let extension = std::path::Path::new(last.unwrap_or("")).extension();
    let decoded = |part: Option<&str>| part.map(|part| plain::decode(part, false));
    vec![
        decoded(split.scheme),
        decoded(split.authority),
        decoded(split.userinfo()),
        decoded(split.host()),
        decoded(split.port()),
        decoded(Some(split.path)),
        decoded(segments.get(1).copied()),
        decoded(segments.iter().rev().nth(1).copied()),
        decoded(extension.map(|extension| extension.to_str().unwrap())),
        decoded(split.query),
        (!keys.is_empty()).then(|| keys.join(" ")),
        (!values.is_empty()).then(|| values.join(" ")),
        decoded(split.fragment),
    ]
}

pub(crate) const PARTS: [&str; 13] = [
    "scheme",
    "authority",
    "userinfo",
    "host",
    "port",
    "path",
    "segment:2",
    "segment:-2",
    "extension",
    "query",
    "keys",
    "key:a b",
    "fragment",
];

/// Runs each part over all URLs, one a line, and compares results and counts.
#[track_caller]
fn assert_parts(urls: &[String]) {
    let expected: Vec<_> = urls.iter().map(|url| expected(url)).collect();
    let input = urls.join("\n") + "\n";
    for (at, part) in PARTS.iter().enumerate() {
        let command = pct::InMemory::new(&["pct", "get", part]).unwrap();
        let found = command.run(input.as_bytes(), 1 << 20);
        let found_lines: Vec<_> = str::from_utf8(&found.output).unwrap().split('\n').collect();
        assert_eq!(found_lines.len(), urls.len() + 1, "{part}");
        let mut missing = 0;
        for ((url, expected), found) in urls.iter().zip(&expected).zip(found_lines) {
            assert_eq!(found, expected[at].as_deref().unwrap_or(""), "{part} of {url}");
            missing += u64::from(expected[at].is_none());
        }
        let report: serde_json::Value = serde_json::from_str(&found.report).unwrap();
        assert_eq!(report["files"][0]["counts"]["without-part"], missing, "{part}");
    }
}

/// All texts of up to 5 bytes that mean something in a URL.
#[test]
fn parts_of_short_urls_are_those_of_a_plain_implementation() {
    let urls: Vec<_> = every_text(b"a:/?#@.&=", 5).map(|url| String::from_utf8(url).unwrap()).collect();
    assert_parts(&urls);
}

/// Pieces of URLs. Their triplets are well-formed UTF-8, in any sequence.
pub(crate) fn url() -> impl Strategy<Value = String> {
    let pieces = vec![
        "http", "s", "://", "//", "/", ":", "@", "h.org", "[::1]", ":80", "?", "&", "=", "#", "a+b", "a%20b", "q", ".",
        "..", "%C3%A9", "é", "%2F", "%26", "%3D", "%0A", "%2541", "+", "%2B", ";", ",", "%22", "%2C",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn parts_are_those_of_a_plain_implementation(urls in prop::collection::vec(url(), 1..20)) {
        assert_parts(&urls);
    }

    /// In any unit, a result is that of the URL alone; csv-core and serde_json read them.
    #[test]
    fn results_are_the_same_in_all_units(urls in prop::collection::vec(url(), 1..8), part in prop::sample::select(PARTS.to_vec())) {
        let expected: Vec<_> = urls.iter().map(|url| {
            let at = PARTS.iter().position(|other| *other == part).unwrap();
            expected(url)[at].clone().unwrap_or_default()
        }).collect();
        let run = |arguments: &[&str], input: String| {
            let arguments = [&["pct", "get", part], arguments].concat();
            String::from_utf8(pct::InMemory::new(&arguments).unwrap().run(input.as_bytes(), 64).output).unwrap()
        };
        let lines = |prefix: &str, suffix: &str| urls.iter().map(|url| format!("{prefix}{url}{suffix}\n")).collect::<String>();
        let found = run(&["-f", "2", "--print-field"], lines("x\t", "\ty"));
        prop_assert_eq!(&found, &expected.iter().map(|result| format!("{result}\n")).collect::<String>());
        let found = run(&["-f", "2"], lines("x\t", "\ty"));
        prop_assert_eq!(&found, &expected.iter().map(|result| format!("x\t{result}\ty\n")).collect::<String>());
        let found = run(&["--csv", "-c", "u", "--append-as", "new"], format!("id,u\n{}", lines("1,\"", "\"")));
        prop_assert_eq!(csv_column(&found, 2), [&["new".to_owned()], &expected[..]].concat());
        let found = run(&["--jsonl", "-k", "a.u", "--append-as", "new"], lines("{\"a\":{\"u\":\"", "\"}}"));
        let found: Vec<_> = found.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["a"]["new"].as_str().unwrap().to_owned()
        }).collect();
        // In JSON, line ends are decoded.
        prop_assert_eq!(found, expected.iter().map(|result| result.replace("%0A", "\n")).collect::<Vec<_>>());
    }
}

/// A column of CSV without line ends in fields, read by csv-core.
pub(crate) fn csv_column(text: &str, wanted: usize) -> Vec<String> {
    let mut reader = csv_core::Reader::new();
    let (mut rest, mut column, mut field, mut found) = (text.as_bytes(), 0, [0; 4096], Vec::new());
    loop {
        let (result, read, written) = reader.read_field(rest, &mut field);
        rest = &rest[read..];
        match result {
            csv_core::ReadFieldResult::Field { record_end } => {
                if column == wanted {
                    found.push(String::from_utf8(field[..written].to_vec()).unwrap());
                }
                column = if record_end { 0 } else { column + 1 };
            }
            csv_core::ReadFieldResult::End => return found,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn names_of_keys_may_be_patterns() {
    let urls = "/?utm_a=1&q=2&utm%5Fb=3&x*=4\n/?q=5\n";
    for (part, expected) in [
        ("key:utm_*", "1 3\n\n"),
        ("key:?", "2\n5\n"),
        ("key:x*", "4\n\n"),
        ("key:*", "1 2 3 4\n5\n"),
        ("key:utm_", "\n\n"),
        ("pair:utm_*", "utm_a=1 utm_b=3\n\n"),
        ("pair:q", "q=2\nq=5\n"),
    ] {
        let found = crate::output(&["get", part, "--separator", " "], urls.as_bytes());
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{part}");
    }
}

const CLOUDFRONT: &str = "2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200\t-\tMozilla/5.0\tq=a%2520b&p=1\t-\tHit\n";

#[test]
fn fields_that_are_queries_are_read_as_queries() {
    let absent = CLOUDFRONT.replace("q=a%2520b&p=1", "-");
    let of_cloudfront = ["--log", "cloudfront", "--log-field", "cs-uri-query", "--print-field"];
    for (arguments, input, expected) in [
        ([&["get", "key:q"][..], &of_cloudfront].concat(), CLOUDFRONT, "a%20b\n"),
        ([&["get", "keys"][..], &of_cloudfront].concat(), CLOUDFRONT, "q p\n"),
        ([&["get", "keys"][..], &of_cloudfront].concat(), &absent, "\n"),
        ([&["form"][..], &of_cloudfront].concat(), CLOUDFRONT, "{\"q\":\"a%20b\",\"p\":\"1\"}\n"),
        (vec!["get", "path", "--log", "cloudfront", "--print-field"], CLOUDFRONT, "/index.html\n"),
        (vec!["get", "key:q", "--log", "$args"], "q=1&p=2\n", "1\n"),
        (vec!["get", "key:q", "--log", "$status $query_string", "--print-field"], "200 p=%2F&q=x\n", "x\n"),
        (vec!["get", "key:q", "--log", "$request_uri $args", "--print-field"], "/?q=1 q=2\n", "1\n"),
        (vec!["get", "key:q", "--query"], "?q=1\n/p?q=2\nq=3\n", "1\n\n3\n"),
        (vec!["get", "query", "--query"], "a=/../b?c#d\n", "a=/../b?c#d\n"),
        (vec!["get", "key:q", "--query", "--csv", "-c", "u"], "n,u\n1,q=2\n", "n,u\n1,2\n"),
        (vec!["form", "--query"], "/p?q=1\n", "{\"/p?q\":\"1\"}\n"),
    ] {
        let found = output(&arguments, input.as_bytes());
        assert_eq!(String::from_utf8(found).unwrap(), expected, "{arguments:?}");
    }
}

#[test]
fn parts_that_no_query_has_are_refused() {
    for arguments in [
        &["get", "host", "--query"][..],
        &["get", "fragment", "--log", "cloudfront", "--log-field", "cs-uri-query"],
        &["get", "path", "--log", "$args"],
        &["form", "--query", "--back"],
    ] {
        let found = run(arguments, b"q=1\n");
        assert_eq!(found.status.code(), Some(2), "{arguments:?}");
        assert!(found.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_hint_follows_if_no_record_has_the_part() {
    for (arguments, input, is_hinted) in [
        (&["get", "key:q"][..], "q=1\np=2\n", true),
        (&["get", "key:q", "--report", "json"], "q=1\n", true),
        (&["get", "key:q"], "q=1\n/?q=2\n", false),
        (&["get", "key:q"], "", false),
        (&["get", "host"], "a\n", true),
        (&["get", "key:q", "--query"], "p=1\n", true),
        (&["get", "key:q", "--quiet"], "p=1\n", false),
    ] {
        let found = run(arguments, input.as_bytes());
        assert_eq!(text(&found.stderr).contains("no record has the part"), is_hinted, "{arguments:?} {input:?}");
    }
}

//! Results of the functions of URLs: examples, and the same results for text and for bytes.

use simdpct_functions::{Function, Mapping, Operation};

fn mapping(function: &str, option: Option<&str>) -> Mapping {
    match Function::from_name(function).unwrap().operation(option).unwrap() {
        Operation::Map(mapping) => mapping,
        other => panic!("{other:?}"),
    }
}

#[test]
fn functions_of_urls_return_known_values() {
    for (function, option, url, expected) in [
        ("url_part", Some("PROTOCOL"), "Http://h/", Some("Http")),
        ("url_part", Some("file"), "http://h/a/b?c=d?#e", Some("/a/b?c=d?")),
        ("url_part", Some("file"), "http://h", Some("")),
        ("url_part", Some("Ref"), "http://h#", Some("")),
        ("url_part", Some("segment:1"), "http://h/a%2F/b", Some("a%2F")),
        ("url_part", Some("segment:-2"), "/é/b", Some("é")),
        ("url_part", Some("segment:3"), "/a/b", None),
        ("url_part", Some("extension"), "http://h/a.tar.gz?b.c", Some("gz")),
        ("url_part", Some("extension"), "http://h.de", None),
        ("url_part", Some("key:A%"), "/?a%25=1&A%25=2", Some("2")),
        ("url_normalize", None, "HTTP://H:80/%7ea/../%zz?b&&a#", Some("http://h/%zz?b&&a#")),
        ("url_normalize", None, "http://a b:80/%7e", Some("http://a b:80/~")),
        ("url_normalize", None, "http://h/~", Some("http://h/~")),
        ("url_normalize", Some(" sort-query ,drop-fragment,"), "http://h?b&a#c", Some("http://h/?a&b")),
        ("url_normalize", Some("drop-query:utm_*,drop-query:?id"), "/?utm_a&gid=1&id=2&xgid", Some("/?id=2&xgid")),
        ("url_normalize", Some("drop-www"), "//www.example.com/", Some("//example.com/")),
        ("url_normalize", Some("targets"), "//a/../b", Some("//b")),
        ("url_domain", None, "https://user@WWW.Example.co.uk:8080/", Some("example.co.uk")),
        ("url_domain", None, "http://a.b.example.com./x", Some("example.com")),
        ("url_domain", None, "http://bücher.example.公司.cn/", Some("example.xn--55qx5d.cn")),
        ("url_domain", None, "http://a.xn--85x722f.xn--55qx5d.cn/", Some("xn--85x722f.xn--55qx5d.cn")),
        ("url_domain", None, "http://%77ww.example%2Ecom/", Some("example.com")),
        ("url_domain", None, "http://someone.github.io/", Some("someone.github.io")),
        ("url_domain", None, "http://github.io/", None),
        ("url_domain", None, "http://192.168.0.1/", None),
        ("url_domain", None, "http://[::1]/", None),
        ("url_domain", None, "http://localhost/", None),
        ("url_domain", None, "http://co.uk/", None),
        ("url_domain", None, "http://a b.example.com/", None),
        ("url_domain", None, "www.example.com", None),
        ("url_domain", None, "mailto:a@example.com", None),
        ("url_domain", None, "", None),
        ("url_join", Some("../c?d"), "http://h/a/b", Some("http://h/c?d")),
        ("url_join", Some(""), "http://h/a?b#c", Some("http://h/a?b")),
        ("url_join", Some("é"), "http://h", Some("http://h/é")),
        ("url_join", Some("b"), "a", None),
        ("url_cut", Some("query"), "http://h/a?b#c", Some("http://h/a#c")),
        ("url_cut", Some("query, fragment"), "http://h/a?b#c", Some("http://h/a")),
        ("url_cut", Some("fragment"), "a?b", Some("a?b")),
        ("url_cut", Some("key:a"), "/?a=1&b&a&%61=2&&c=a#a", Some("/?b&&c=a#a")),
        ("url_cut", Some("key:a"), "/?a#b", Some("/#b")),
        ("url_cut", Some("key:*"), "/?a&&b", Some("/?")),
        ("url_cut", Some("key:a b"), "/?a+b=1&c", Some("/?c")),
        ("url_cut", Some("key:a"), "/?&", Some("/?&")),
        ("url_path_canonical", None, "/a/%2e%2e/%7Eb?c", Some("/~b")),
        ("url_path_canonical", None, "http://h?c", Some("/")),
        ("url_path_canonical", Some("default"), "/a/../../b%2F..", None),
        ("url_path_canonical", Some("rfc3986"), "//a/./b", Some("//a/b")),
        ("url_path_canonical", Some("strict"), "/%00", None),
    ] {
        let mapping = mapping(function, option);
        assert_eq!(mapping.of(url).as_deref(), expected, "{function}({url:?}, {option:?})");
        assert_eq!(
            mapping.of(url.as_bytes()).as_deref(),
            expected.map(str::as_bytes),
            "{function}({url:?}, {option:?})"
        );
    }
}

#[test]
fn bytes_that_are_not_utf8_stay() {
    for (function, option, url, expected) in [
        ("url_part", Some("file"), &b"/\xFF?\xFE"[..], &b"/\xFF?\xFE"[..]),
        ("url_normalize", None, b"HTTP://h/%7e\xFF", b"http://h/~\xFF"),
        ("url_cut", Some("key:a"), b"/\xFF?a&\xFE", b"/\xFF?\xFE"),
        ("url_join", Some("../b"), b"x:/\xFF/a/", b"x:/\xFF/b"),
    ] {
        assert_eq!(mapping(function, option).of(url).as_deref(), Some(expected), "{function}");
    }
}

#[test]
fn options_that_mean_nothing_are_refused() {
    for (function, option, message) in [
        ("url_part", "segment:0", "'segment:0': unknown part"),
        ("url_part", "segment:", "'segment:': unknown part"),
        ("url_part", "keys", "'keys': unknown part"),
        ("url_normalize", "sort_query", "'sort_query': unknown rule"),
        ("url_normalize", "drop-query:", "'drop-query:': unknown rule"),
        ("url_normalize", "drop-www:a", "'drop-www:a': unknown rule"),
        ("url_cut", " ,", "nothing to cut"),
        ("url_cut", "query:a", "'query:a': cannot be cut"),
        ("url_path_canonical", "nginx apache", "'nginx apache': "),
    ] {
        let error = Function::from_name(function).unwrap().operation(Some(option)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

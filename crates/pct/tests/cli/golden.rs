//! Does it write what a person expects?

use std::fs;

use crate::{data, output, text};

/// The README's main command. The expected output is the work of another program, and was read by a person.
#[test]
fn the_sample_log_is_decoded_as_expected() {
    let log = data("access.log");
    let decoded = output(&["decode", log.to_str().unwrap()], b"");
    assert_eq!(text(&decoded), text(&fs::read(data("access.decoded.log")).unwrap()));
}

#[test]
fn the_sample_log_is_a_good_sample() {
    let log = fs::read_to_string(data("access.log")).unwrap();
    let lines = log.lines().count();
    let clean = log.lines().filter(|line| !line.contains('%')).count();
    assert!(lines >= 200 && clean * 10 >= lines * 6, "{clean} of {lines} lines are clean");
    assert!(!log.contains('\r') && log.ends_with('\n'));
}

#[test]
fn decoding() {
    let cases: &[(&[&str], &[u8], &[u8])] = &[
        // RFC 3986 2.1: both cases of the digits, every byte.
        (&[], b"/caf%C3%A9/%e2%82%ac\n", "/café/€\n".as_bytes()),
        (&[], b"%00%01%7F%80%FF\n", b"\0\x01\x7F\x80\xFF\n"),
        (&[], b"a\0b\n", b"a\0b\n"),
        (&[], b"%41", b"A"),
        (&[], b"", b""),
        // RFC 3986 2.4: not twice.
        (&[], b"%2541 %252541\n", b"%41 %2541\n"),
        // WHATWG URL 1.3: a malformed '%' stays, and the next byte may start a triplet.
        (&[], b"100%\n%\n%%\n%%41%\n%4%41\n%zz%u20AC%4\n", b"100%\n%\n%%\n%A%\n%4A\n%zz%u20AC%4\n"),
        // A line stays a line.
        (&[], b"a%0Ab%0ac%0Dd%0d%0ae\n", b"a%0Ab%0ac%0Dd%0d%0ae\n"),
        (&["--raw"], b"a%0Ab%0ac%0Dd%0d%0ae\n", b"a\nb\nc\rd\r\ne\n"),
        // WHATWG URL 5.1: '+' is a space in forms only, and never if escaped.
        (&[], b"a+b%2Bc\n", b"a+b+c\n"),
        (&["--plus"], b"a+b%2Bc\n", b"a b+c\n"),
        (&["--raw", "--plus"], b"a+b%2Bc%0A", b"a b+c\n"),
        (&["--strict"], b"%41\n%42", b"A\nB"),
    ];
    for &(options, input, expected) in cases {
        let arguments = [&["decode"], options].concat();
        assert_eq!(text(&output(&arguments, input)), text(expected), "{arguments:?} < {}", text(input));
    }
}

#[test]
fn encoding() {
    let cases: &[(&[&str], &[u8], &[u8])] = &[
        (&[], "/Bücher & mehr\n".as_bytes(), b"%2FB%C3%BCcher%20%26%20mehr\n"),
        (&[], b"A-z_0.9~\n", b"A-z_0.9~\n"),
        (&[], b"\0\x01\x7F\x80\xFF\n", b"%00%01%7F%80%FF\n"),
        (&[], b"", b""),
        (&[], b" ", b"%20"),
        (&["--lower"], b"\xAB/\n", b"%ab%2f\n"),
        (&["--space-as-plus"], b"1 + 1\n", b"1+%2B+1\n"),
        (&["--keep-triplets"], b"%2f %2 %\n", b"%2f%20%252%20%25\n"),
        (
            &["--keep-non-ascii"],
            b"\xC3\xA9 \xE9 \xF0\x9F\x98\x80 \xED\xA0\x80\n",
            "é%20%E9%20😀%20%ED%A0%80\n".as_bytes(),
        ),
        (&["--raw"], b"a\r\nb\n", b"a%0D%0Ab%0A"),
        (&["--raw", "--lower", "--space-as-plus", "--keep-triplets"], b"%0A \n", b"%0A+%0a"),
        // A byte that each set leaves, and one that it does not.
        (&["--set", "component"], b"~/", b"~%2F"),
        (&["--set", "path-segment"], b":/", b":%2F"),
        (&["--set", "path"], b"/?", b"/%3F"),
        (&["--set", "query"], b"=?#", b"=?%23"),
        (&["--set", "query-value"], b"?&=", b"?%26%3D"),
        (&["--set", "fragment"], b"/?#", b"/?%23"),
        (&["--set", "userinfo"], b":@", b":%40"),
        (&["--set", "reg-name"], b"!:", b"!%3A"),
        (&["--set", "uri"], b"https://[::1]/a b?%20%", b"https://[::1]/a%20b?%20%25"),
        (&["--set", "form"], b"a b+~*", b"a+b%2B%7E*"),
        (&["--set", "whatwg-c0-control"], b" \x1F", b" %1F"),
        (&["--set", "whatwg-fragment"], b"#`", b"#%60"),
        (&["--set", "whatwg-query"], b"'#", b"'%23"),
        (&["--set", "whatwg-special-query"], b"`'", b"`%27"),
        (&["--set", "whatwg-path"], b"/?^", b"/%3F%5E"),
        (&["--set", "whatwg-userinfo"], b"$/", b"$%2F"),
        (&["--set", "whatwg-component"], b"!$", b"!%24"),
        (&["--set", "js-encode-uri"], b"#[", b"#%5B"),
        (&["--set", "js-encode-uri-component"], b"'#", b"'%23"),
        (&["--set", "rfc1738-url"], b"/~", b"/%7E"),
        (&["--set", "rfc1738-component"], b"$/", b"$%2F"),
        (&["--set", "rfc5987"], b"`*", b"`%2A"),
        (&["--set", "aws-object-key"], b"/!", b"/%21"),
    ];
    for &(options, input, expected) in cases {
        let arguments = [&["encode"], options].concat();
        assert_eq!(text(&output(&arguments, input)), text(expected), "{arguments:?} < {}", text(input));
    }
}

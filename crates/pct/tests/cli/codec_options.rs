//! Decoding and encoding options. Dialects are tested in tests/dialects.

use std::process::Output;

use crate::{assert_outputs, every_text, output, run, text};

#[test]
fn decoding_is_refined() {
    let cases: &[(&[&str], &[u8], &[u8])] = &[
        (&["--keep", "/"], b"a%2Fb%2fc%20d/", b"a%2Fb%2fc d/"),
        (&["--keep", "/", "--keep", "%20"], b"a%2Fb%20c%41", b"a%2Fb%20cA"),
        (&["--keep", "/%20%25"], b"a%2Fb%20c%41%25", b"a%2Fb%20cA%25"),
        // A set name: escaped reserved characters are distinguishable from delimiters.
        (&["--keep", "reserved"], b"?q=a%26b%41%C3%A9", "?q=a%26bA\u{E9}".as_bytes()),
        (&["--keep", "control"], b"%00%1F%7F%20%80", b"%00%1F%7F \x80"),
        (&["--keep", "non-ascii"], b"%C3%A9%41", b"%C3%A9A"),
        (&["--dialect", "java", "--keep", "%0A"], b"%+A+", b"%0A "),
        (&["--plus"], b"a+b%2B", b"a b+"),
        (&["--dialect", "python", "--plus"], b"a+b%2B%C3", "a b+\u{FFFD}".as_bytes()),
        (&["--reject", "%00"], b"%01%41", b"\x01A"),
        (&["--times", "1"], b"%252541", b"%2541"),
        (&["--times", "2"], b"%252541", b"%41"),
        (&["--times", "3"], b"%252541", b"A"),
        (&["--times", "16"], b"%2525252541", b"A"),
        // All options apply to each pass.
        (&["--times", "2", "--plus"], b"%2B+%252B", b"  +"),
        (&["--times", "2", "--dialect", "form"], b"%25C3%A9", "\u{FFFD}\u{FFFD}".as_bytes()),
        (&["--times", "2"], b"%25C3%A9", "\u{E9}".as_bytes()),
        (&["--times", "2"], b"%250A%0A\n", b"%0A%0A\n"),
        (&["--times", "2", "--keep", "%25"], b"%2541%41", b"%2541A"),
    ];
    for &(options, input, expected) in cases {
        let arguments = [&["decode"], options].concat();
        assert_eq!(text(&output(&arguments, input)), text(expected), "{arguments:?} < {}", text(input));
    }
}

#[test]
fn reversible_output_decodes_to_what_the_input_decodes_to() {
    assert_outputs(&[
        (&["decode", "--reversible"], "%0A %250A %25%30%41 100%25 %2zz\n", "%0A %250A %250A 100% %2zz\n"),
        (&["decode", "--reversible"], "%%34%31%e%34\n", "%%341%e%34\n"),
        (&["decode", "--reversible", "--plus"], "a+%2B%2541\n", "a +%2541\n"),
        (&["decode", "--reversible", "-f", "2"], "%2541\t%2541%09%41\n", "%2541\t%2541%09A\n"),
        (&["decode", "--reversible", "-k", "u"], "{\"u\":\"%250A%22\"}\n", "{\"u\":\"%250A\\\"\"}\n"),
        (&["decode", "--reversible", "--only-changed"], "%2541\n%2541%42\n", "%2541B\n"),
    ]);
    // Exhaustively, through lines.
    for line in ["%25A0\n", "%%3\n", "%250\r", "%0a2"] {
        let input: Vec<u8> = every_text(line.as_bytes(), 6).flat_map(|text| [&text[..], b"\n"].concat()).collect();
        let lines = output(&["decode", "--reversible"], &input);
        let whole = |text: &[u8]| output(&["decode", "--raw"], text);
        assert_eq!(whole(&lines), whole(&input), "{line}");
    }
    for others in [&["--times", "2"][..], &["--charset", "latin1"], &["--unicode"], &["--dialect", "java"]] {
        let found = run(&[&["decode", "--reversible"], others].concat(), b"");
        assert_eq!(found.status.code(), Some(2), "{others:?}");
    }
}

#[test]
fn decoding_errors_are_reported_with_their_position() {
    let malformed = "malformed percent-encoding: '%' without two hexadecimal digits";
    let cases: &[(&[&str], &[u8], &str)] = &[
        (&["--dialect", "rfc3986"], b"ab%4", malformed),
        (&["--dialect", "nginx"], b"ab%00%4", "rejected byte 0x00"),
        (&["--dialect", "js"], b"ab%E4%4", "not valid UTF-8"),
        (&["--dialect", "js"], b"ab%", malformed),
        (&["--dialect", "java"], b"%+4%-0", ""),
        (&["--dialect", "java"], b"%+", malformed),
        (&["--reject", "/"], b"ab%2f", "rejected byte 0x2F"),
        (&["--reject", "/"], b"ab/", "rejected byte 0x2F"),
        (&["--reject", "control", "--reject", "/"], b"ab%0D", "rejected byte 0x0D"),
        (&["--dialect", "nginx", "--reject", "/"], b"ab%00", "rejected byte 0x00"),
        (&[], b"ab%4", malformed),
        (&[], b"ab%E4", "not valid UTF-8"),
        // Not an error in that dialect.
        (&["--dialect", "python"], b"%4%E4", ""),
        (&["--dialect", "form"], b"%4%E4", ""),
        (&["--dialect", "whatwg"], b"%4%E4", ""),
        (&["--dialect", "rfc3986"], b"%E4", ""),
        // For an error of the second pass, the place in the input.
        (&["--times", "2"], b"ab%25", malformed),
        (&["--times", "3"], b"ab%2525", malformed),
        (&["--dialect", "js", "--times", "2"], b"ab%25E4", "not valid UTF-8"),
    ];
    for &(options, input, problem) in cases {
        let arguments = [&["decode"], options].concat();
        let Output { status, stderr, .. } = run(&[&arguments[..], &["--errors", "fail"]].concat(), input);
        let message = String::from_utf8(stderr).unwrap();
        let column = if input.starts_with(b"ab") { 3 } else { 1 };
        if problem.is_empty() {
            assert_eq!((status.code(), message.as_str()), (Some(0), ""), "{arguments:?}");
            continue;
        }
        assert_eq!(status.code(), Some(1), "{arguments:?}: {message}");
        assert!(message.starts_with(&format!("pct: <stdin>:1:{column}: ")), "{arguments:?}: {message}");
        assert!(message.contains(problem), "{arguments:?}: {message}");
    }
}

/// Line ends are not part of lines, but an escaped one is.
#[test]
fn rejected_line_ends_are_those_within_a_line() {
    let input = b"good\r\nb%0Ad\nb\rd\ngood\nb%0dd";
    for (options, expected) in [
        (&["--errors", "drop"][..], b"good\r\ngood\n".as_slice()),
        (&["--errors", "keep"], input),
        (&["--errors", "keep", "--unsafe-controls"], input),
    ] {
        let arguments = [&["decode", "--reject", "control"], options].concat();
        assert_eq!(text(&output(&arguments, input)), text(expected), "{arguments:?}");
    }
}

#[test]
fn encoding_is_refined() {
    let cases: &[(&[&str], &[u8], &[u8])] = &[
        (&["--set", "/?"], b"a/b?c=d ", b"a%2Fb%3Fc=d "),
        (&["--set", "%61b/"], b"abc/", b"%61%62c%2F"),
        // Also non-ASCII bytes, or the result would not be text.
        (&["--set", "%20"], "\u{E9} /".as_bytes(), b"%C3%A9%20/"),
        (&["--set", "control"], b"\x01\x7F\t /", b"%01%7F%09 /"),
        (&["--set", "non-ascii"], "\u{E9} %".as_bytes(), b"%C3%A9 %"),
        (&["--set", "reserved"], b"a/ b", b"a%2F b"),
        (&["--set", "unreserved"], b"a~/", b"%61%7E/"),
        (&["--keep", "/"], b"a/b c", b"a/b%20c"),
        (&["--keep", "/", "--keep", "%20"], b"a/b c?", b"a/b c%3F"),
        (&["--keep", "reserved"], b"a/b c?", b"a/b%20c?"),
        // The dialect's set, and one that overrides it.
        (&["--dialect", "python", "--keep", ":"], b"a:/b c", b"a:/b%20c"),
        (&["--dialect", "form", "--set", "path"], b"a/b c+", b"a/b+c%2B"),
        (&["--dialect", "js", "--space-as-plus"], b"a b+(", b"a+b%2B("),
        (&["--dialect", "js", "--lower"], b"/", b"%2f"),
        (&["--dialect", "nginx", "--keep-triplets"], b"%20 %", b"%20%20%25"),
        (&["--dialect", "js", "--keep-non-ascii"], "\u{E9} ".as_bytes(), "\u{E9}%20".as_bytes()),
    ];
    for &(options, input, expected) in cases {
        let arguments = [&["encode"], options].concat();
        assert_eq!(text(&output(&arguments, input)), text(expected), "{arguments:?} < {}", text(input));
    }
}

/// The policies themselves are tested in tests/path.rs.
#[test]
fn paths_of_targets_and_urls_are_made_canonical() {
    let cases: &[(&[&str], &[u8], &[u8])] = &[
        (&["--path", "default"], b"/a/%2e%2e//%7eb?%7e/../%2f\n", b"/~b?~/../%2F\n"),
        (&["--path", "rfc3986"], b"http://h:80/a/./b//c#../%7e", b"http://h:80/a/b//c#../~"),
        (&["--path", "nginx"], b"/a%2fb\n", b"/a/b\n"),
        (&["--path", "default"], b"*\n-\nh:443\nhttp://h\n\n", b"*\n-\nh:443\nhttp://h\n\n"),
        (&["--path", "default", "-f", "2"], b"/a/..\t/a/..\n", b"/a/..\t/\n"),
        (&["--path", "default", "--csv", "-c", "1"], b"\"/a,b/./\",c\n", b"\"/a,b/\",c\n"),
        // A refused path is kept, and the record is invalid.
        (&["--path", "default"], b"/%00/../%7e?%7e\n/%7e\n", b"/%00/../%7e?~\n/~\n"),
        (&["--path", "default", "--errors", "drop"], b"/..\n/%7e\n", b"/~\n"),
        // So is one in which a delimiter would be decoded.
        (&["--path", "nginx", "-f", "1", "-d", ","], b"/a%2Cb,c\n/%7e,c\n", b"/a%2Cb,c\n/~,c\n"),
    ];
    for &(options, input, expected) in cases {
        let arguments = [&["normalize"], options].concat();
        assert_eq!(text(&output(&arguments, input)), text(expected), "{arguments:?} < {}", text(input));
    }
    let Output { status, stderr, .. } =
        run(&["normalize", "--path", "default", "--errors", "fail"], b"/\nhttp://h/a%5cb\n");
    assert_eq!((status.code(), text(&stderr)), (Some(1), text(b"pct: <stdin>:2:11: backslash\n")));
}

#[test]
fn malformed_sets_are_rejected() {
    for (arguments, problem) in [
        (["encode", "--set", "compnent"], "a similar value exists: 'component'"),
        (["encode", "--set", "abc"], "'--set <SET>'"),
        (["encode", "--set", "/%4"], "'/%4' for '--set <SET>'"),
        (["encode", "--keep", "%"], "'%' for '--keep <SET>'"),
        (["decode", "--keep", "slash"], "'--keep <SET>'"),
        (["decode", "--reject", "%zz"], "'--reject <SET>'"),
        (["decode", "--times", "0"], "'0' for '--times <N>'"),
        (["decode", "--times", "17"], "17 is not in 1..=16"),
        (["decode", "--dialect", "perl"], "[possible values: whatwg, rfc3986, form, java, js, python, nginx]"),
        (["encode", "--dialect", "pythn"], "a similar value exists: 'python'"),
    ] {
        let Output { status, stdout, stderr } = run(&arguments, b"");
        let message = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), stdout), (Some(2), Vec::new()), "{arguments:?}");
        assert!(message.contains(problem), "{arguments:?}: {message}");
    }
}

#[test]
fn the_help_has_the_table_of_dialects() {
    for command in ["decode", "encode"] {
        let help = String::from_utf8(output(&[command, "--help"], b"")).unwrap();
        for line in [
            "  (none)    kept           kept       a plus    -         -._~",
            "  whatwg    kept           U+FFFD     a plus    -         !'()*-._~",
            "  java      error*         U+FFFD**   a space   -         *-._",
            "  python    kept           U+FFFD     a plus    -         -./_~",
        ] {
            assert!(help.contains(line), "{command}: {help}");
        }
    }
}

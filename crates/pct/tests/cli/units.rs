//! Which part of a record is meant, and does the rest stay byte for byte? All expected outputs were written by hand.

use crate::{output, run, text};

#[track_caller]
fn assert_outputs(cases: &[(&[&str], &str, &str)]) {
    for &(arguments, input, expected) in cases {
        let found = output(arguments, input.as_bytes());
        assert_eq!(text(&found), text(expected.as_bytes()), "{arguments:?} < {input:?}");
    }
}

#[test]
fn records_that_nul_ends() {
    assert_outputs(&[
        (&["decode", "-0"], "%41%0A\0%42\n%00\0%43", "A\n\0B\n%00\0C"),
        (&["decode", "--null", "--unsafe-controls"], "a%00b\0c", "a\0b\0c"),
        (&["encode", "-0"], "a b\nc\0\r\n\0", "a%20b%0Ac\0%0D%0A\0"),
        (&["normalize", "-0"], "%7e\0%2f\0", "~\0%2F\0"),
        (&["repair", "-0"], "/a b\0/c%\0", "/a%20b\0/c%25\0"),
        (&["decode", "-0", "--append"], "%41\0%09\0", "%41\tA\0%09\t%09\0"),
    ]);
}

#[test]
fn fields_of_lines() {
    assert_outputs(&[
        (&["decode", "-f", "2"], "%41\t%42\t%43\n", "%41\tB\t%43\n"),
        (&["decode", "-f", "1,3"], "%41\t%42\t%43\n%41\n\n%41\t\t%43", "A\t%42\tC\nA\n\nA\t\tC"),
        (&["decode", "--fields", "2-"], "%41\t%42\t%43\r\n%41\r\n", "%41\tB\tC\r\n%41\r\n"),
        // Record safety: the delimiter and line ends stay escaped.
        (&["decode", "-f", "1"], "a%09b%0Ac%0dd%2C\tx\n", "a%09b%0Ac%0dd,\tx\n"),
        (&["decode", "-f", "1", "-d", ","], "a%09b%2Cc,%41\n", "a\tb%2Cc,%41\n"),
        (&["decode", "-f", "1", "-d", ";", "--unsafe-controls"], "a%3Bb%0A;x\n", "a;b\n;x\n"),
        (&["decode", "-f", "2", "--delimiter", "\\t"], "%41\t%42", "%41\tB"),
        // A space that the delimiter is stays '+' where '+' means it, and %2B stays apart from that.
        (&["decode", "--plus", "-f", "1", "-d", " "], "a+b%20c%2B%41 %42\n", "a+b%20c%2BA %42\n"),
        (&["encode", "-f", "2", "--set", "path"], "a b\tc d\n", "a b\tc%20d\n"),
        (&["normalize", "--keep", "~.", "-f", "2"], "%7e\t%7e%2e%2d%2f\n%2f", "%7e\t%7E%2E-%2F\n%2f"),
        (&["normalize", "-f", "2"], "%7e\t%7e%2f\n", "%7e\t~%2F\n"),
        (&["normalize", "-f", "1", "-d", "~"], "%7e%2d~%2d\n", "%7E-~%2d\n"),
        (&["repair", "-f", "2"], "a b\ta b\n", "a b\ta%20b\n"),
        (&["decode", "-f", "1,3", "--append"], "%41\tx\t%43\ty\n%41\n", "%41\tx\t%43\ty\tA\tC\n%41\tA\n"),
        (&["decode", "--append"], "%41%09\n%0A\r\nx", "%41%09\tA%09\n%0A\t%0A\r\nx\tx"),
        (&["decode", "--append", "-d", "|"], "%41%7C\n", "%41%7C|A%7C\n"),
    ]);
}

#[test]
fn columns_of_csv() {
    assert_outputs(&[
        (&["decode", "--csv", "-c", "url"], "id,url\n%31,%41\n", "id,url\n%31,A\n"),
        (&["decode", "--csv", "-c", "url,ref"], "url,id,ref\r\n%41,%31,%42\r\n", "url,id,ref\r\nA,%31,B\r\n"),
        (&["decode", "--csv", "--columns", "1,3-"], "%41,%42,%43,%44\n", "A,%42,C,D\n"),
        (&["decode", "--csv", "-c", "1", "--header"], "%41\n%42\n", "%41\nB\n"),
        // What has to be quoted then is; quotes are doubled; what was quoted stays so.
        (
            &["decode", "--csv", "-c", "1"],
            "a%2Cb,%2C\n%22,x\n\"%41\",\"%41\"\n",
            "\"a,b\",%2C\n\"\"\"\",x\n\"A\",\"%41\"\n",
        ),
        (&["decode", "--csv", "-c", "1"], "\"say \"\"%41\"\"\",x\n", "\"say \"\"A\"\"\",x\n"),
        // A record may have many lines; a decoded line end stays escaped all the same.
        (&["decode", "--csv", "-c", "2"], "\"a\n%41\",\"b\n%42%0A\"\nc,%43\n", "\"a\n%41\",\"b\nB%0A\"\nc,C\n"),
        // A quote within a field that does not start with one is a byte like any other.
        (&["decode", "--csv", "-c", "2"], "a\"b,%41\nc,%42\n", "a\"b,A\nc,B\n"),
        (&["decode", "--csv", "-c", "2", "-d", ";"], "%41;%3B\n", "%41;\";\"\n"),
        // Odd quoting and empty lines stay where nothing changes.
        (&["decode", "--csv", "-c", "1"], "\n\"x\",\"\"\n\"y\"z,\n", "\n\"x\",\"\"\n\"y\"z,\n"),
        (&["decode", "--csv", "-c", "url"], "\u{FEFF}url,x\n%41,%42\n", "\u{FEFF}url,x\nA,%42\n"),
        (&["decode", "--csv", "-c", "1"], "\u{FEFF}%41,%42\n", "\u{FEFF}A,%42\n"),
        // Only the file's first bytes are one; anywhere else it is text, and a quote behind it is none that opens a field.
        (&["decode", "--csv", "-c", "1"], "a\n\u{FEFF}%41,%42\n", "a\n\u{FEFF}A,%42\n"),
        (&["decode", "--csv", "-c", "1"], "\u{FEFF}\u{FEFF}%41,%42\n", "\u{FEFF}\u{FEFF}A,%42\n"),
        (&["decode", "--csv", "-c", "2"], "a\n\u{FEFF}\"b,%41\n\"\n", "a\n\u{FEFF}\"b,A\n\"\n"),
        (&["decode", "--csv", "-c", "url"], "\"url\",\"a,b\"\n%41,%42\n", "\"url\",\"a,b\"\nA,%42\n"),
        (
            &["decode", "--csv", "-c", "url", "--append"],
            "url,x\n%41,%42\n\"a%2Cb\",\n",
            "url,x,url_decoded\n%41,%42,A\n\"a%2Cb\",,\"a,b\"\n",
        ),
        (&["encode", "--csv", "-c", "1", "--append"], "a b,c\n", "a b,c,a%20b\n"),
        (&["decode", "--csv", "-c", "1"], "", ""),
    ]);
}

/// What follows the quote is in it to the end of the file, line ends too: nothing can be put behind that.
#[test]
fn a_quote_that_is_never_closed_stays_as_it_is() {
    let message = |place: &str| format!("pct: <stdin>: 1 not in the format; first at {place}\n");
    for (input, done, place) in [
        ("\"%00\n", "", "1:1"),
        ("\"%00\r\n", "", "1:1"),
        ("\"", "", "1:1"),
        ("%41,\"%00", "", "1:5"),
        ("\"\"\"%41\n\n", "", "1:1"),
        ("%41,x\n\"%2C%41,%41\n%41,%41\n", "A,x\n", "2:1"),
    ] {
        let start = input.len() - if done.is_empty() { input.len() } else { input.len() - "%41,x\n".len() };
        for append in [false, true] {
            for policy in ["keep", "replace", "skip", "drop"] {
                let arguments = ["decode", "--csv", "-c", "1", "--errors", policy];
                let arguments = [&arguments[..], if append { &["--append"] } else { &[] }].concat();
                let found = run(&arguments, input.as_bytes());
                let done = if append && !done.is_empty() { "%41,x,A\n" } else { done };
                let rest = if policy == "drop" { "" } else { &input[start..] };
                assert_eq!(text(&found.stdout), text([done, rest].concat().as_bytes()), "{arguments:?} < {input:?}");
                assert_eq!(String::from_utf8_lossy(&found.stderr), message(place), "{arguments:?} < {input:?}");
            }
        }
        let found = run(&["decode", "--csv", "-c", "1", "--strict"], input.as_bytes());
        assert_eq!((text(&found.stdout), found.status.code()), (text(done.as_bytes()), Some(1)), "{input:?}");
        let message = format!("pct: <stdin>:{place}: not CSV: a quoted field is never closed\n");
        assert_eq!(String::from_utf8_lossy(&found.stderr), message, "{input:?}");
    }
    // Nor can a column be added to a header that does not end.
    let found = run(&["decode", "--csv", "-c", "1", "--header", "--append"], b"\"url\n%41\n");
    assert_eq!(text(&found.stdout), text(b"\"url\n%41\n"));
    // It is no matter whether the record fits into a block, or into memory.
    for count in [10, 100_000, 2_000_000] {
        let input = format!("%41,%41\n\"{}", "%41\n".repeat(count));
        for threads in ["1", "2"] {
            let found = run(&["decode", "--csv", "-c", "1", "-j", threads], input.as_bytes());
            assert!(found.stdout == format!("A,{}", &input[4..]).as_bytes(), "{count}, {threads}");
            assert!(text(&found.stderr).contains("first at 2:1"), "{count}, {threads}: {}", text(&found.stderr));
        }
    }
}

#[test]
fn a_column_that_is_not_there_is_bad_usage() {
    let found = run(&["decode", "--csv", "-c", "nope"], b"url,ref\n%41,%42\n");
    assert_eq!((found.status.code(), text(&found.stdout)), (Some(2), String::new()));
    assert_eq!(text(&found.stderr), "pct: <stdin>: there is no column \\'nope\\', only url, ref\\n");
}

#[test]
fn strings_in_json_lines() {
    assert_outputs(&[
        (&["decode", "--jsonl", "-k", "url"], "{\"url\":\"%41\",\"x\":\"%41\"}\n", "{\"url\":\"A\",\"x\":\"%41\"}\n"),
        // The rest of the line stays byte for byte.
        (
            &["decode", "--jsonl", "-k", "u"],
            " { \"u\" :\t\"%C3%A9\" , \"n\":1.0e+2, \"s\":\"\\u0041\\/\" } \r\n",
            " { \"u\" :\t\"é\" , \"n\":1.0e+2, \"s\":\"\\u0041\\/\" } \r\n",
        ),
        // Strings are unescaped before, and escaped after.
        (&["decode", "--jsonl", "-k", "u"], r#"{"u":"\u002541%22%0A%5C%00"}"#, r#"{"u":"A\"\n\\\u0000"}"#),
        // A string that does not change keeps its escapes.
        (&["decode", "--jsonl", "-k", "u"], r#"{"u":"\u0041\/"}"#, r#"{"u":"\u0041\/"}"#),
        (
            &["decode", "--jsonl", "-k", "req.q", "-k", "u"],
            "{\"req\":{\"q\":\"%41\",\"u\":\"%42\"},\"u\":\"%43\",\"q\":\"%44\"}",
            "{\"req\":{\"q\":\"A\",\"u\":\"%42\"},\"u\":\"C\",\"q\":\"%44\"}",
        ),
        (
            &["decode", "--jsonl", "-k", "a\\.b"],
            "{\"a.b\":\"%41\",\"a\":{\"b\":\"%41\"}}",
            "{\"a.b\":\"A\",\"a\":{\"b\":\"%41\"}}",
        ),
        (
            &["decode", "--jsonl", "-k", "l", "-k", "m.u"],
            "{\"l\":[\"%41\",1,[\"%42\"]],\"m\":[{\"u\":\"%43\"},{\"u\":null}]}",
            "{\"l\":[\"A\",1,[\"B\"]],\"m\":[{\"u\":\"C\"},{\"u\":null}]}",
        ),
        // No string of JSON has bytes that are not UTF-8.
        (&["decode", "--jsonl", "-k", "u"], "{\"u\":\"%41%ff%C3%A9\"}", "{\"u\":\"A%FFé\"}"),
        (&["encode", "--jsonl", "-k", "u"], r#"{"u":"é\"\n"}"#, r#"{"u":"%C3%A9%22%0A"}"#),
        (
            &["decode", "--jsonl", "-k", "u", "-k", "r.q", "--append"],
            "{\"u\":\"%41\",\"r\":{\"q\":\"%42\"}}\n",
            "{\"u\":\"%41\",\"u_decoded\":\"A\",\"r\":{\"q\":\"%42\",\"q_decoded\":\"B\"}}\n",
        ),
        (&["normalize", "--jsonl", "-k", "u", "--append"], "{\"u\":\"%7e\"}", "{\"u\":\"%7e\",\"u_normalized\":\"~\"}"),
        (&["repair", "--jsonl", "-k", "u", "--append"], "{\"u\":\"/ \"}", "{\"u\":\"/ \",\"u_repaired\":\"/%20\"}"),
        // What is no JSON is passed on.
        (
            &["decode", "--jsonl", "-k", "u"],
            "{\"u\":\"%41\"\n\n\"%41\"\n{\"u\":\"%41\"}\n",
            "{\"u\":\"%41\"\n\n\"%41\"\n{\"u\":\"A\"}\n",
        ),
    ]);
}

/// Each array costs some of the stack, and is looked through anew.
#[test]
fn arrays_in_arrays_are_walked_through_as_deep_as_any_parser_goes() {
    let line = |depth: usize, text: &str| format!("{}{{\"u\":\"{text}\"}}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert_outputs(&[(&["decode", "--jsonl", "-k", "u"], &line(128, "%41"), &line(128, "A"))]);
    for depth in [129, 200_000] {
        let line = line(depth, "%41");
        let found = run(&["decode", "--jsonl", "-k", "u"], line.as_bytes());
        assert!(found.stdout == line.as_bytes(), "{depth}");
        assert_eq!(text(&found.stderr), "pct: <stdin>: 1 not in the format; first at 1:1\\n", "{depth}");
    }
}

#[test]
fn targets_and_referers_of_access_logs() {
    let combined =
        r#"10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /%41?q=%42 HTTP/1.1" 200 5 "http://e/%43 x" "agent %44""#;
    let decoded = r#"10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /A?q=B HTTP/1.1" 200 5 "http://e/C x" "agent %44""#;
    let common = r#"10.0.0.1 - %41 [17/May/2015:10:05:03 +0000] "GET /%41 HTTP/1.1" 200 5"#;
    let appended = [combined, r#" "/A?q=B" "http://e/C x""#].concat();
    assert_outputs(&[
        (&["decode", "--log", "combined"], combined, decoded),
        (&["decode", "--log", "common"], common, &common.replace("/%41", "/A")),
        (&["decode", "--log", "common"], combined, &combined.replace("/%41?q=%42", "/A?q=B")),
        (&["decode", "--log", "combined", "--append"], combined, &appended),
        // What ends a field, escapes, or is a control byte stays: a quote, a backslash; a space in the request.
        (
            &["decode", "--log", "combined"],
            "h - - [t] \"GET /%22%5C%20%0A%1b%7f%41 HTTP/1.0\" 200 5 \"%22%5c%20%00%41\" \"a\"\n",
            "h - - [t] \"GET /%22%5C%20%0A%1b%7fA HTTP/1.0\" 200 5 \"%22%5c %00A\" \"a\"\n",
        ),
        (
            &["decode", "--log", "combined", "--plus"],
            "h - - [t] \"GET /?a+b%2B%41 HTTP/1.0\" 200 5 \"a+b%2B\" \"a+\"\n",
            "h - - [t] \"GET /?a+b%2BA HTTP/1.0\" 200 5 \"a b+\" \"a+\"\n",
        ),
        // An escaped quote ends nothing; what is no request is a target as a whole.
        (
            &["decode", "--log", "combined"],
            "h - - [t] \"GET /\\\"%41 HTTP/1.0\" 200 5 \"\\\\\" \"%41\"\nh - - [t] \"%41\" 400 0 \"-\" \"-\"\n",
            "h - - [t] \"GET /\\\"A HTTP/1.0\" 200 5 \"\\\\\" \"%41\"\nh - - [t] \"A\" 400 0 \"-\" \"-\"\n",
        ),
        (&["decode", "--log", "combined"], "%41\n\nh [t] \"%41\n", "%41\n\nh [t] \"%41\n"),
    ]);
}

#[test]
fn decoded_controls_break_no_record_unless_that_is_wanted() {
    assert_outputs(&[
        (&["decode"], "a%0Ab%0Dc%00\n", "a%0Ab%0Dc\0\n"),
        (&["decode", "--unsafe-controls"], "a%0Ab%0Dc%00\n", "a\nb\rc\0\n"),
        (
            &["decode", "--log", "common", "--unsafe-controls"],
            "h - - [t] \"GET /%22%20 HTTP/1.0\" 200 5\n",
            "h - - [t] \"GET /\"  HTTP/1.0\" 200 5\n",
        ),
        (&["decode", "--csv", "-c", "1", "--unsafe-controls"], "a%0Ab,c\n", "\"a\nb\",c\n"),
    ]);
}

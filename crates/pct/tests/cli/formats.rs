//! Input formats: fields are processed, and the rest is copied. All expected outputs were written
//! by hand.

use crate::{assert_outputs, output, run, text};

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
        (&["decode", "-f", "-2"], "%41\t%42\t%43\n", "A\tB\t%43\n"),
        (&["decode", "--fields", "2-"], "%41\t%42\t%43\r\n%41\r\n", "%41\tB\tC\r\n%41\r\n"),
        // The delimiter and line ends stay escaped.
        (&["decode", "-f", "1"], "a%09b%0Ac%0dd%2C\tx\n", "a%09b%0Ac%0dd,\tx\n"),
        (&["decode", "-f", "1", "-d", ","], "a%09b%2Cc,%41\n", "a\tb%2Cc,%41\n"),
        (&["decode", "-f", "1", "-d", ";", "--unsafe-controls"], "a%3Bb%0A;x\n", "a;b\n;x\n"),
        (&["decode", "-f", "2", "--delimiter", "\\t"], "%41\t%42", "%41\tB"),
        // If the delimiter is a space, a '+' that means a space is kept, and so is %2B, to
        // distinguish them.
        (&["decode", "--plus", "-f", "1", "-d", " "], "a+b%20c%2B%41 %42\n", "a+b%20c%2BA %42\n"),
        (&["encode", "-f", "2", "--set", "path"], "a b\tc d\n", "a b\tc%20d\n"),
        (&["normalize", "--keep", "~.", "-f", "2"], "%7e\t%7e%2e%2d%2f\n%2f", "%7e\t%7E%2E-%2F\n%2f"),
        (&["normalize", "-f", "2"], "%7e\t%7e%2f\n", "%7e\t~%2F\n"),
        (&["normalize", "-f", "1", "-d", "~"], "%7e%2d~%2d\n", "%7E-~%2d\n"),
        (&["repair", "-f", "2"], "a b\ta b\n", "a b\ta%20b\n"),
        (&["decode", "-f", "1,3", "--append"], "%41\tx\t%43\ty\n", "%41\tx\t%43\ty\tA\tC\n"),
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
        // Fields are quoted if necessary; quotes are doubled; quoted fields stay quoted.
        (
            &["decode", "--csv", "-c", "1"],
            "a%2Cb,%2C\n%22,x\n\"%41\",\"%41\"\n",
            "\"a,b\",%2C\n\"\"\"\",x\n\"A\",\"%41\"\n",
        ),
        (&["decode", "--csv", "-c", "1"], "\"say \"\"%41\"\"\",x\n", "\"say \"\"A\"\"\",x\n"),
        // Records may span several lines, but escaped line ends stay escaped.
        (&["decode", "--csv", "-c", "2"], "\"a\n%41\",\"b\n%42%0A\"\nc,%43\n", "\"a\n%41\",\"b\nB%0A\"\nc,C\n"),
        // A quote within an unquoted field is an ordinary byte.
        (&["decode", "--csv", "-c", "2"], "a\"b,%41\nc,%42\n", "a\"b,A\nc,B\n"),
        (&["decode", "--csv", "-c", "2", "-d", ";"], "%41;%3B\n", "%41;\";\"\n"),
        // Unusual quoting and empty lines are kept if nothing changes.
        (&["decode", "--csv", "-c", "1"], "\n\"x\",\"\"\n\"y\"z,\n", "\n\"x\",\"\"\n\"y\"z,\n"),
        (&["decode", "--csv", "-c", "url"], "\u{FEFF}url,x\n%41,%42\n", "\u{FEFF}url,x\nA,%42\n"),
        (&["decode", "--csv", "-c", "1"], "\u{FEFF}%41,%42\n", "\u{FEFF}A,%42\n"),
        // A mark is one only at the start of the file. Elsewhere it is text, and a quote after it
        // does not open a field.
        (&["decode", "--csv", "-c", "1"], "a\n\u{FEFF}%41,%42\n", "a\n\u{FEFF}A,%42\n"),
        (&["decode", "--csv", "-c", "1"], "\u{FEFF}\u{FEFF}%41,%42\n", "\u{FEFF}\u{FEFF}A,%42\n"),
        (&["decode", "--csv", "-c", "2"], "a\n\u{FEFF}\"b,%41\n\"\n", "a\n\u{FEFF}\"b,A\n\"\n"),
        (&["decode", "--csv", "-c", "url"], "\"url\",\"a,b\"\n%41,%42\n", "\"url\",\"a,b\"\nA,%42\n"),
        (
            &["decode", "--csv", "-c", "url", "--append"],
            "url,x\n%41,%42\n\"a%2Cb\",\n",
            "url,x,url_decoded\n%41,%42,A\n\"a%2Cb\",,\"a,b\"\n",
        ),
        (&["decode", "--csv", "-c", "-2"], "%41,%42,%43\n", "A,B,%43\n"),
        (&["decode", "--csv", "-c", "-x"], "-x,y\n%41,%42\n", "-x,y\nA,%42\n"),
        (&["encode", "--csv", "-c", "1", "--append"], "a b,c\n", "a b,c,a%20b\n"),
        (&["decode", "--csv", "-c", "1"], "", ""),
    ]);
}

/// The quoted field extends to the end of the file, including line ends, so nothing can be
/// appended.
#[test]
fn an_unclosed_quote_is_copied() {
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
    // No column can be appended to an unclosed header.
    let found = run(&["decode", "--csv", "-c", "1", "--header", "--append"], b"\"url\n%41\n");
    assert_eq!(text(&found.stdout), text(b"\"url\n%41\n"));
    // For records of any length.
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
fn a_missing_column_is_bad_usage() {
    let many = (1..=30).map(|number| format!("c{number}")).collect::<Vec<_>>();
    let first = many[..20].join("', '");
    for (arguments, input, problem) in [
        (&["-c", "nope"][..], "url,ref\n%41,%42\n", "invalid column 'nope': expected one of 'url', 'ref'"),
        (&["-c", "nope"], &many.join(","), &format!("invalid column 'nope': expected one of '{first}', ...")),
        (&["-c", "99", "--header"], "a,b\n", "invalid column '99': expected numbers from 1 to 2, as in the header"),
        (&["-c", "1-3", "--header"], "a,b\n", "invalid column '1-3': expected numbers from 1 to 2, as in the header"),
        (&["-c", "3-", "--header"], "a,b\n", "invalid column '3-': expected numbers from 1 to 2, as in the header"),
        (&["-c", "a,3"], "a,b\n", "invalid column '3': expected numbers from 1 to 2, as in the header"),
        (&["-c", "3", "--append"], "a,b\n", "invalid column '3': expected numbers from 1 to 2, as in the first record"),
        (&["-c", "url", "--append"], "url,url_decoded\n", NEW_COLUMN),
        (&["-c", "1", "--header", "--append"], "url,x,\"url_decoded\"\n", NEW_COLUMN),
        (&["-c", "url", "--append"], "url,url\n", NEW_COLUMN),
    ] {
        let found = run(&[&["decode", "--csv"], arguments].concat(), input.as_bytes());
        assert_eq!((found.status.code(), text(&found.stdout)), (Some(2), String::new()), "{arguments:?}");
        assert_eq!(str::from_utf8(&found.stderr).unwrap(), format!("pct: <stdin>: {problem}\n"), "{arguments:?}");
    }
    let found = run(&["decode", "-f", "3", "--append"], b"a\tb\n");
    let problem = "pct: <stdin>: invalid column '3': expected numbers from 1 to 2, as in the first record\n";
    assert_eq!((found.status.code(), str::from_utf8(&found.stderr).unwrap()), (Some(2), problem));
}

const NEW_COLUMN: &str = "invalid new column 'url_decoded': expected a name that the header does not have";

/// Records with too few and with too many fields, with `--append`.
#[test]
fn appended_columns_of_ragged_records_are_aligned() {
    let cases: &[(&[&str], &str, &str, &str)] = &[
        (
            &["--csv", "-c", "b"],
            "a,b,c\n1,%41\n\n1\n1,%42,2\n\"x\ny\"\n",
            "a,b,c,b_decoded\n1,%41,,A\n\n1,,,\n1,%42,2,B\n\"x\ny\",,,\n",
            "",
        ),
        (
            &["--csv", "-c", "a,c"],
            "a,b,c\n%41,2,%43,%44,\"5\"\n%41\n",
            "a,b,c,a_decoded,c_decoded\n%41,2,%43,A,C,%44,\"5\"\n%41,,,A,\n",
            "1 with too many fields; first at 2:11",
        ),
        // Without a header, the first record determines the width.
        (
            &["--csv", "-c", "2", "-d", ";"],
            "\r\n1;%41\r\n1\r\n1;%;3\r\n",
            "\r\n1;%41;A\r\n1;;\r\n1;%;%;3\r\n",
            "1 malformed, 1 with too many fields; first at 4:3",
        ),
        (&["--csv", "-c", "1-"], "%41,%42\n%43\n", "%41,%42,A,B\n%43,,C,\n", ""),
        (&["--csv", "-c", "1"], ",\n\"\",\n", ",,\n\"\",,\"\"\n", ""),
        (
            &["-f", "1,3"],
            "%41\tb\t%43\n%41\n\n%41\tb\t%43\t%44\t5\r\n\t\t%43",
            "%41\tb\t%43\tA\tC\n%41\t\t\tA\t\n\t\t\t\t\n%41\tb\t%43\tA\tC\t%44\t5\r\n\t\t%43\t\tC",
            "1 with too many fields; first at 4:11",
        ),
        (&["-f", "1-", "-d", ","], "%41,%42\n%43\n", "%41,%42,A,B\n%43,,C,\n", ""),
    ];
    for &(arguments, input, expected, told) in cases {
        for threads in ["1", "2"] {
            let arguments = [&["decode", "--append", "-j", threads], arguments].concat();
            let found = run(&arguments, input.as_bytes());
            assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{arguments:?} < {input:?}");
            let told = if told.is_empty() { String::new() } else { format!("pct: <stdin>: {told}\n") };
            assert_eq!(str::from_utf8(&found.stderr).unwrap(), told, "{arguments:?} < {input:?}");
        }
    }
    // After any number of empty lines.
    let empty = "\n".repeat(600_000);
    for threads in ["1", "3"] {
        let arguments = ["decode", "--csv", "-c", "2", "--append", "-j", threads];
        assert_eq!(text(&output(&arguments, b"\n\r\n")), "\\n\\r\\n");
        let found = output(&arguments, format!("{empty}1,%41\n1\n").as_bytes());
        assert!(found == format!("{empty}1,%41,A\n1,,\n").as_bytes(), "{threads}");
    }
    for (policy, expected) in [
        ("skip", "a,b,b_decoded\n1,%41,x\n1,%42,B\n"),
        ("drop", "a,b,b_decoded\n1,%42,B\n"),
        ("fail", "a,b,b_decoded\n"),
    ] {
        let arguments = ["decode", "--csv", "-c", "b", "--append", "--errors", policy];
        let found = run(&arguments, b"a,b\n1,%41,x\n1,%42\n");
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{policy}");
    }
}

#[test]
fn csv_files_with_equal_headers_are_concatenated() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("a", "id,url\n1,%41\n"),
        ("mark", "\u{FEFF}\"id\",url\r\n2,%42\r\n"),
        ("open", "id,url\n3,%43"),
        ("header", "id,url"),
        ("empty", ""),
        ("other", "url,id\n%44,4\n"),
        ("wide", "id,url,x\n"),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let decode = |arguments: &[&str]| {
        crate::pct(&[&["decode", "--csv"], arguments].concat()).current_dir(&folder).output().unwrap()
    };
    for (arguments, expected) in [
        (&["-c", "url", "a", "mark", "a"][..], "id,url\n1,A\n2,B\r\n1,A\n"),
        (&["-c", "url", "mark", "a"], "\u{FEFF}\"id\",url\r\n2,B\r\n1,A\n"),
        (&["-c", "url", "empty", "open", "header", "open"], "id,url\n3,C\n3,C"),
        (&["-c", "2", "--header", "open", "a"], "id,url\n3,C\n1,A\n"),
        (&["-c", "url", "--append", "open", "a"], "id,url,url_decoded\n3,%43,C\n1,%41,A\n"),
        // Without a header, the first record of each file is data.
        (&["-c", "2", "mark", "mark"], "\u{FEFF}\"id\",url\r\n2,B\r\n\"id\",url\r\n2,B\r\n"),
    ] {
        let found = decode(arguments);
        assert_eq!(
            (text(&found.stdout), text(&found.stderr)),
            (text(expected.as_bytes()), String::new()),
            "{arguments:?}"
        );
    }
    for (other, header) in [("other", "'url', 'id'"), ("wide", "'id', 'url', 'x'")] {
        for output in [&[][..], &["-o", "new"]] {
            let found = decode(&[&["-c", "url", "a", other], output].concat());
            assert_eq!(found.status.code(), Some(2), "{other}");
            let problem =
                format!("pct: {other}: invalid header {header}: expected 'id', 'url', as in the first file\n");
            assert_eq!(str::from_utf8(&found.stderr).unwrap(), problem);
        }
        assert!(!folder.path().join("new").exists());
        // Each file has its own output.
        assert_eq!(decode(&["-i", "-c", "url", "a", other]).status.code(), Some(0), "{other}");
    }
}

#[test]
fn all_columns_of_a_name_are_decoded() {
    assert_outputs(&[(&["decode", "--csv", "-c", "u"], "u,x,u\n%41,%42,%43\n", "u,x,u\nA,%42,C\n")]);
}

#[test]
fn a_member_of_the_new_name_makes_the_record_invalid() {
    for (input, expected, place) in [
        (r#"{"u":"%41","u_decoded":1}"#, r#"{"u":"%41","u_decoded":1}"#, "1:6"),
        (r#"{"u_decoded":1,"u":"%41"}"#, r#"{"u_decoded":1,"u":"%41"}"#, "1:20"),
        (
            r#"{"u":"%41","a":{"u":"%42","u_decoded":"x"}}"#,
            r#"{"u":"%41","u_decoded":"A","a":{"u":"%42","u_decoded":"x"}}"#,
            "1:21",
        ),
    ] {
        let found = run(&["decode", "--jsonl", "-k", "u", "-k", "a.u", "--append", "-q"], input.as_bytes());
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{input}");
        let found = run(&["decode", "--jsonl", "-k", "u", "-k", "a.u", "--append"], input.as_bytes());
        let told = format!("pct: <stdin>: 1 that already have the new key; first at {place}\n");
        assert!(str::from_utf8(&found.stderr).unwrap().starts_with(&told), "{input}: {}", text(&found.stderr));
    }
    assert_outputs(&[(
        &["decode", "--jsonl", "-k", "u", "-k", "a.u", "--append"],
        r#"{"a":{"u":"%41"},"x_decoded":1,"u":["%42"],"u_decoded":1}"#,
        r#"{"a":{"u":"%41","u_decoded":"A"},"x_decoded":1,"u":["%42"],"u_decoded":1}"#,
    )]);
}

#[test]
fn fields_that_no_record_has_are_reported() {
    let warned = |arguments: &[&str], input: &str| {
        let found = run(arguments, input.as_bytes());
        (found.status.code(), String::from_utf8(found.stderr).unwrap())
    };
    let log = "h - - [t] \"GET / HTTP/1.1\" 200 1\n";
    for (arguments, input, expected) in [
        (&["--jsonl", "-k", "typo"][..], "{\"url\":\"%41\"}\n", "no record has a string at key 'typo'\n"),
        (&["--jsonl", "-k", "url", "-k", "a.b"], "{\"url\":\"\"}\n", "no record has a string at key 'a.b'\n"),
        (&["--jsonl", "-k", "n"], "{\"n\":1}\n{\"n\":[null]}\n", "no record has a string at key 'n'\n"),
        (&["--jsonl", "-k", "n", "-k", "n"], "{\"n\":1}\n{\"n\":[\"\"]}\n", ""),
        (&["--jsonl", "-k", "n"], "", ""),
        (&["-f", "99"], "a\t%41\n", "no record has field 99\n"),
        (&["-f", "2,4-5,7-"], "a\tb\n%\n", "no record has field 4-5\nno record has field 7-\n"),
        // The only line with the field needs no change.
        (&["-f", "3"], "a\t%41\nb\tc\td\n", ""),
        (&["-f", "3"], "a\tb\tc\n%41\n", ""),
        (&["-f", "-2"], "%41\tb\n", ""),
        (&["-f", "99"], "", ""),
        (&["--csv", "-c", "3"], "a,b\n%41,x\n", "no record has column 3\n"),
        (&["--csv", "-c", "3"], "a,b\n%41,x,\n", ""),
        (&["--csv", "-c", "3"], "\n", ""),
        (&["--log", "common"], log, ""),
    ] {
        let expected: String = expected.lines().map(|line| format!("pct: warning: {line}\n")).collect();
        for command in
            [&["decode", "-j", "1"][..], &["decode", "-j", "3"], &["check", "--dialect", "whatwg"], &["stats"]]
        {
            let arguments = [command, arguments].concat();
            let (status, told) = warned(&arguments, input);
            let told: String =
                told.lines().filter(|line| line.contains("warning")).map(|line| format!("{line}\n")).collect();
            assert_eq!((status, told), (Some(0), expected.clone()), "{arguments:?} < {input:?}");
        }
    }
    assert_eq!(warned(&["decode", "-q", "-f", "9"], "a"), (Some(0), String::new()));
    assert_eq!(warned(&["check", "-q", "-f", "9"], "a"), (Some(0), String::new()));
    let (_, report) = warned(&["decode", "--report", "json", "-f", "9"], "a");
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["warnings"], serde_json::json!(["no record has field 9"]));
    for command in ["check", "stats"] {
        let found = run(&[command, "--report", "json", "-f", "9"], b"a");
        let report: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
        assert_eq!((report["warnings"][0].as_str(), found.stderr.len()), (Some("no record has field 9"), 0));
    }
    // Only one of several files has the field.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "a\n").unwrap();
    std::fs::write(folder.path().join("b"), "a\tb\n").unwrap();
    for arguments in [&["decode", "-f", "2", "a", "b"][..], &["decode", "-i", "-f", "2", "b", "a"]] {
        let found = crate::pct(arguments).current_dir(&folder).output().unwrap();
        assert_eq!(text(&found.stderr), "", "{arguments:?}");
    }
    let found = crate::pct(&["decode", "-f", "3", "a", "b"]).current_dir(&folder).output().unwrap();
    assert_eq!(text(&found.stderr), "pct: warning: no record has field 3\\n");
}

/// In distant blocks, and only in lines that the fast path copies.
#[test]
fn a_field_is_found_wherever_it_is() {
    let lines = "a\t%41\n".repeat(400_000);
    for (input, is_told) in [(format!("{lines}a\tb\tc\n"), false), (lines, true)] {
        for threads in ["1", "3"] {
            let found = run(&["decode", "-f", "3", "-j", threads], input.as_bytes());
            assert_eq!(text(&found.stderr).contains("no record has field 3"), is_told, "{threads}");
        }
    }
}

#[test]
fn strings_in_json_lines() {
    assert_outputs(&[
        (&["decode", "--jsonl", "-k", "url"], "{\"url\":\"%41\",\"x\":\"%41\"}\n", "{\"url\":\"A\",\"x\":\"%41\"}\n"),
        // The rest of the line is copied byte for byte.
        (
            &["decode", "--jsonl", "-k", "u"],
            " { \"u\" :\t\"%C3%A9\" , \"n\":1.0e+2, \"s\":\"\\u0041\\/\" } \r\n",
            " { \"u\" :\t\"é\" , \"n\":1.0e+2, \"s\":\"\\u0041\\/\" } \r\n",
        ),
        // Strings are unescaped before, and escaped after the operation.
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
        // JSON strings cannot contain invalid UTF-8.
        (&["decode", "--jsonl", "-k", "u"], "{\"u\":\"%41%ff%C3%A9\"}", "{\"u\":\"A%FFé\"}"),
        (&["encode", "--jsonl", "-k", "u"], r#"{"u":"é\"\n"}"#, r#"{"u":"%C3%A9%22%0A"}"#),
        (
            &["decode", "--jsonl", "-k", "u", "-k", "r.q", "--append"],
            "{\"u\":\"%41\",\"r\":{\"q\":\"%42\"}}\n",
            "{\"u\":\"%41\",\"u_decoded\":\"A\",\"r\":{\"q\":\"%42\",\"q_decoded\":\"B\"}}\n",
        ),
        (&["normalize", "--jsonl", "-k", "u", "--append"], "{\"u\":\"%7e\"}", "{\"u\":\"%7e\",\"u_normalized\":\"~\"}"),
        (&["repair", "--jsonl", "-k", "u", "--append"], "{\"u\":\"/ \"}", "{\"u\":\"/ \",\"u_repaired\":\"/%20\"}"),
        // Lines that are not JSON are copied.
        (
            &["decode", "--jsonl", "-k", "u"],
            "{\"u\":\"%41\"\n\n\"%41\"\n{\"u\":\"%41\"}\n",
            "{\"u\":\"%41\"\n\n\"%41\"\n{\"u\":\"A\"}\n",
        ),
    ]);
}

/// Each level of arrays takes stack, and another parse.
#[test]
fn nested_arrays_are_traversed_up_to_a_limit() {
    let line = |depth: usize, text: &str| format!("{}{{\"u\":\"{text}\"}}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert_outputs(&[(&["decode", "--jsonl", "-k", "u"], &line(128, "%41"), &line(128, "A"))]);
    for depth in [129, 200_000] {
        let line = line(depth, "%41");
        let found = run(&["decode", "--jsonl", "-k", "u"], line.as_bytes());
        assert!(found.stdout == line.as_bytes(), "{depth}");
        let told = "pct: <stdin>: 1 not in the format; first at 1:1\\n";
        assert!(text(&found.stderr).starts_with(told), "{depth}: {}", text(&found.stderr));
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
        // Bytes that end a field, escape, or are control characters stay escaped: quotes,
        // backslashes; in the request also spaces.
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
        // An escaped quote does not end a field; a malformed request is a target as a whole.
        (
            &["decode", "--log", "combined"],
            "h - - [t] \"GET /\\\"%41 HTTP/1.0\" 200 5 \"\\\\\" \"%41\"\nh - - [t] \"%41\" 400 0 \"-\" \"-\"\n",
            "h - - [t] \"GET /\\\"A HTTP/1.0\" 200 5 \"\\\\\" \"%41\"\nh - - [t] \"A\" 400 0 \"-\" \"-\"\n",
        ),
        (&["decode", "--log", "combined"], "%41\n\nh [t] \"%41\n", "%41\n\nh [t] \"%41\n"),
    ]);
}

#[test]
fn help_says_what_stays_escaped_and_what_is_not_normalised() {
    for (command, promises) in [
        ("decode", &["In the request target, spaces stay escaped too", "shown escaped, as %1B"][..]),
        ("normalize", &["the case of scheme and host, dot segments as in /a/../b"]),
    ] {
        let help = String::from_utf8(output(&[command, "--help"], b"")).unwrap();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for promise in promises {
            assert!(help.contains(promise), "{command}: {promise}");
        }
    }
    assert_outputs(&[
        (&["normalize"], "HTTP://Example.COM:80/a/../b/./%7e\n", "HTTP://Example.COM:80/a/../b/./~\n"),
        (&["normalize"], "HTTP://Example.COM\n", "HTTP://Example.COM\n"),
    ]);
}

#[test]
fn decoded_controls_do_not_break_records_by_default() {
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

/// A row of ClickHouse's RowBinary.
fn row_of(text: Option<&str>) -> Vec<u8> {
    let Some(text) = text else { return vec![1] };
    let mut row = vec![0];
    let mut length = text.len();
    while length >= 0x80 {
        row.push(length as u8 | 0x80);
        length >>= 7;
    }
    row.push(length as u8);
    row.extend_from_slice(text.as_bytes());
    row
}

#[test]
fn rows_of_row_binary_are_values() {
    let long = "%41".repeat(200_000);
    let decoded = "A".repeat(200_000);
    let cases = [
        (Some("%41\n%0A%00"), Some("A\n\n\0")),
        (None, None),
        (Some(""), Some("")),
        (Some("plain, of 37 bytes, the byte of a percent"), Some("plain, of 37 bytes, the byte of a percent")),
        (Some(long.as_str()), Some(decoded.as_str())),
        (Some("50%"), Some("50%")),
        (Some("\u{1}\0é%C3%A9"), Some("\u{1}\0éé")),
    ];
    for repeats in [1, 1000] {
        let mut input = Vec::new();
        let mut expected = Vec::new();
        for (number, (from, to)) in cases.iter().cycle().take(cases.len() * repeats).enumerate() {
            // The long one only once.
            if number < cases.len() || number % cases.len() != 4 {
                input.extend(row_of(*from));
                expected.extend(row_of(*to));
            }
        }
        for threads in ["1", "3"] {
            let found = run(&["decode", "--quiet", "--row-binary", "--threads", threads], &input);
            assert!(found.stdout == expected, "{repeats} {threads}");
        }
    }
}

#[test]
fn what_is_no_row_is_copied_and_invalid() {
    for rest in [&b"\x02%41"[..], b"\0\x05%41", b"\0", b"\0\xFF"] {
        let input = [&row_of(Some("%41"))[..], rest].concat();
        let expected = [&row_of(Some("A"))[..], rest].concat();
        let found = run(&["decode", "--row-binary"], &input);
        assert_eq!(found.stdout, expected);
        assert!(text(&found.stderr).contains("1 not in the format"), "{rest:?}");
    }
}

//! `--only-changed`, `--only-matching`, `--not`, `--print-field`, `--append-as`.

use std::fs;
use std::process::Output;

use proptest::prelude::*;
use serde_json::json;

use crate::{data, output, run, text};

/// Arguments, input, and output.
type Case<'a> = (&'a [&'a str], &'a str, &'a str);

#[track_caller]
fn assert_output(cases: &[Case<'_>]) {
    for &(arguments, input, expected) in cases {
        let (command, options) = arguments.split_first().unwrap();
        let arguments = [&[*command, "--quiet"], options].concat();
        let Output { status, stdout, stderr } = run(&arguments, input.as_bytes());
        assert_eq!(text(&stdout), text(expected.as_bytes()), "{arguments:?} < {input:?}");
        assert_eq!((status.code(), text(&stderr)), (Some(0), String::new()), "{arguments:?}");
    }
}

const COMBINED: &str = "h - - [t] \"GET /%41 HTTP/1.1\" 200 1 \"-\" \"%41\"\n\
                        h - - [t] \"GET /b HTTP/1.1\" 200 1 \"-\" \"%42\"\n\
                        x%41\n\
                        h - - [t] \"GET /%25 HTTP/1.1\" 200 1 \"/%2\" \"a\"\n";

#[test]
fn only_records_that_change_are_written() {
    let lines: Vec<_> = COMBINED.split_inclusive('\n').collect();
    let log = [lines[0], lines[3]].concat().replace("GET /%41", "GET /A").replace("%25", "%");
    assert_output(&[
        (&["decode", "--only-changed"], "a\n%41\n%\n%0A\r\n%41%\n", "A\nA%\n"),
        (&["decode", "--only-changed", "-0"], "a\n\0%41\0%00\0b", "A\0"),
        (&["decode", "--only-changed", "--append"], "a\n%41\n", "%41\tA\n"),
        (&["decode", "--only-changed", "--plus"], "a\na+b\n", "a b\n"),
        (&["decode", "--only-changed", "-f", "2-3"], "%41\tb\n%41\tb\tc%41\n%41\n", "%41\tb\tcA\n"),
        (&["decode", "--only-changed", "-f", "2", "--append"], "a\tb\na\t%41\n", "a\t%41\tA\n"),
        (&["decode", "--only-changed", "-f", "2", "--print-field"], "%41\tb\n%41\t%42\tc\n", "B\n"),
        (
            &["decode", "--only-changed", "--csv", "-c", "u"],
            "u,v\na,%41\n\n\"a\n\",%41\n%41,\"x\n\"\n\n\"%22\",\r\n",
            "u,v\nA,\"x\n\"\n\"\"\"\",\r\n",
        ),
        (&["decode", "--only-changed", "--csv", "-c", "1"], "u\n%41\n", "A\n"),
        (&["decode", "--only-changed", "--csv", "-c", "u", "--append"], "u\na\n%41\n", "u,u_decoded\n%41,A\n"),
        (
            &["decode", "--only-changed", "--jsonl", "-k", "u"],
            "{\"u\":\"a\",\"v\":\"%41\"}\n\n{\"u\":\"\\u0041\"}\n{\"u\":\"\\u002541\"}\n{\"u\":[\"a\",\"%41\"]}\n",
            "{\"u\":\"A\"}\n{\"u\":[\"a\",\"A\"]}\n",
        ),
        // A string cannot contain the byte FF, so that its triplet is the result.
        (
            &["decode", "--only-changed", "--jsonl", "-k", "u"],
            "{\"u\":\"%FF\"}\n{\"u\":\"%ff\"}\n{\"u\":\"%41%FF\"}\n",
            "{\"u\":\"%FF\"}\n{\"u\":\"A%FF\"}\n",
        ),
        (
            &["decode", "--only-changed", "--jsonl", "-k", "u", "--append"],
            "{\"u\":\"a\"}\n{\"u\":\"%41\"}\n{\"v\":\"%41\"}\n",
            "{\"u\":\"%41\",\"u_decoded\":\"A\"}\n",
        ),
        (&["decode", "--only-changed", "--log", "combined"], COMBINED, &log),
        // Directives name the fields of the lines after them.
        (
            &["decode", "--only-changed", "--log", "w3c"],
            "#Fields: a cs-uri\n1 /x\n2 /%41\n#Fields: cs-uri\n/%42\n/y\n",
            "#Fields: a cs-uri\n2 /A\n#Fields: cs-uri\n/B\n",
        ),
        (
            &["decode", "--only-changed", "--cdxj"],
            "!meta\na {\"url\":\"x\"}\nb {\"url\":\"%41\"}\n",
            "!meta\nb {\"url\":\"A\"}\n",
        ),
        // Relative to the text of the log.
        (
            &["decode", "--only-changed", "--log", "\"$request\"", "--unescape"],
            "\"GET /a\"\n\"GET /\\xC3\\xA9\"\n",
            "\"GET /é\"\n",
        ),
        (&["encode", "--only-changed"], "a\na b\r\n%\n", "a%20b\r\n%25\n"),
        (&["normalize", "--only-changed"], "%7e\n%2F\n%2f\n%zz\n", "~\n%2F\n"),
        (&["normalize", "--only-changed", "--path", "default"], "/a\n/a/../b\n", "/b\n"),
        (&["repair", "--only-changed"], "/a\n/a b\n%\n", "/a%20b\n%25\n"),
        // The policy for invalid records decides first.
        (&["decode", "--only-changed", "--errors", "drop"], "%41\n%41%\n", "A\n"),
        (&["decode", "--only-changed", "--errors", "skip"], "%41\n%41%\n", "A\n"),
        (&["decode", "--only-changed", "--errors", "replace"], "%41\n%FF\n", "A\n\u{FFFD}\n"),
    ]);
}

#[test]
fn only_records_that_match_are_written() {
    let lines: Vec<_> = COMBINED.split_inclusive('\n').collect();
    let log = [lines[0], lines[3]].concat().replace("GET /%41", "GET /A").replace("%25", "%");
    let logged = "h - - [t] \"GET /?q=1 HTTP/1.1\" 200 1\nh - - [t] \"GET /?p=1 HTTP/1.1\" 200 1\nx\n";
    assert_output(&[
        // For decode: a '%', or an invalid field.
        (&["decode", "--only-matching"], "a\n%41\n%\n%0A\r\na+b\n", "A\n%\n%0A\r\n"),
        (&["decode", "--only-matching", "--plus"], "a\na+b\n", "a b\n"),
        (&["decode", "--only-matching", "--reject", "x!"], "a\nx\n", "x\n"),
        (&["decode", "--only-matching", "-f", "2"], "%41\tb\na\t%\n", "a\t%\n"),
        (&["decode", "--only-matching", "--csv", "-c", "u"], "u,v\na,%41\n%,1\n", "u,v\n%,1\n"),
        (&["decode", "--only-matching", "--jsonl", "-k", "u"], "{\"u\":\"a\"}\n{\"u\":\"%\"}\nx%\n", "{\"u\":\"%\"}\n"),
        (&["decode", "--only-matching", "--log", "combined"], COMBINED, &log),
        (&["decode", "--only-matching", "--errors", "skip"], "%41\n%41%\n", "A\n%41%\n"),
        // For get: the part.
        (&["get", "key:q", "--only-matching"], "/?q=1\n/?p=1\n/?q=\n", "1\n\n"),
        (&["get", "key:q", "--only-matching", "--append"], "/?q=1\n/?p=1\n", "/?q=1\t1\n"),
        (&["get", "host", "--only-matching", "-f", "1,2"], "/\t/\n/\t//h\n", "\th\n"),
        (
            &["get", "key:q", "--only-matching", "--csv", "-c", "u", "--append-as", "q"],
            "u\n/?q=1\n/\n",
            "u,q\n/?q=1,1\n",
        ),
        (
            &["get", "key:q", "--only-matching", "--jsonl", "-k", "u"],
            "{\"v\":1}\n{\"u\":\"/\"}\n{\"u\":\"?q=1\"}\n",
            "{\"u\":\"1\"}\n",
        ),
        (&["get", "key:q", "--only-matching", "--print-field", "--log", "common"], logged, "1\n"),
        // For form: a pair.
        (&["form", "--only-matching"], "a=1\n\n&\n?b\n", "{\"a\":\"1\"}\n{\"b\":\"\"}\n"),
    ]);
}

#[test]
fn only_fields_are_written() {
    assert_output(&[
        (&["decode", "--print-field"], "%41\n", "A\n"),
        (&["decode", "-f", "1,3-", "--print-field"], "%41\tb\tc\t%44\nx%41\n%41\t%42\r\n", "A\tc\tD\nxA\nA\r\n"),
        (&["decode", "-f", "3,2", "-d", ",", "--print-field"], "a,%42,%2C\na\n", "B,%2C\n\n"),
        // CSV stays CSV.
        (
            &["decode", "--csv", "-c", "u,w", "--print-field"],
            "u,v,\"w\"\n%41,b,\"%22\"\n%2C,%\n,b,\nx,y,z,%\r\n",
            "u,w\nA,\"\"\"\"\n\",\",\n,\nx,z\r\n",
        ),
        (&["decode", "--csv", "-c", "u", "--print-field"], "u,v\n,1\n\"\",2\na,3\n", "u\n\"\"\n\"\"\na\n"),
        (&["decode", "--csv", "-c", "2", "--print-field"], "a,%41\nb\n", "A\n\"\"\n"),
        // The text of strings; several of one key have a space between them.
        (
            &["decode", "--jsonl", "-k", "u", "--print-field"],
            "{\"u\":\"%41\\\"\\u00e9\\n\\t%0A\"}\n{\"v\":1}\n\n{\"u\":[\"%41\",\"b\"]}\r\nx\n",
            "A\"é%0A%09%0A\n\n\nA b\r\n\n",
        ),
        (
            &["decode", "--jsonl", "-k", "b", "-k", "a.c", "-k", "b", "--print-field"],
            "{\"a\":{\"c\":\"%41\"},\"b\":\"%09\"}\n{\"a\":{\"c\":\"\"}}\n{\"b\":\"x\"}\n",
            "%09\tA\t%09\n\t\t\nx\t\tx\n",
        ),
        (&["decode", "--log", "combined", "--print-field"], COMBINED, "/A\t-\n/b\t-\n\t\n/%\t/%2\n"),
        (
            &["decode", "--log", "w3c", "--print-field"],
            "#Fields: cs-uri-stem date cs-uri-query\n/%41 d %09\n#Fields: cs-uri-stem\n/%42\n",
            "/A\t%09\n/B\n",
        ),
        (&["decode", "--cdxj", "--print-field"], "!meta\na {\"url\":\"%41\"}\n", "A\n"),
        (&["encode", "--log", "common", "--print-field"], "h - - [t] \"GET /a b HTTP/1.1\" 200 1\n", "%2Fa%20b\n"),
        (&["decode", "--unsafe-controls", "--jsonl", "-k", "u", "--print-field"], "{\"u\":\"%09%0A\"}\n", "\t\n\n"),
    ]);
}

#[test]
fn new_columns_have_the_name_that_is_asked_for() {
    assert_output(&[
        (&["decode", "--csv", "-c", "u", "--append-as", "a,b"], "u\n%41\n", "u,\"a,b\"\n%41,A\n"),
        (&["decode", "--csv", "-c", "1", "--header", "--append", "--append-as", "v"], "u\n%41\n", "u,v\n%41,A\n"),
        (
            &["encode", "--jsonl", "-k", "a.u", "--append-as", "é"],
            "{\"a\":{\"u\":\" \"}}\n",
            "{\"a\":{\"u\":\" \",\"é\":\"%20\"}}\n",
        ),
        (
            &["decode", "--jsonl", "-k", "u", "--append-as", "a"],
            "{\"a\":{\"u\":\"x\"},\"u\":[\"%\"]}\n",
            "{\"a\":{\"u\":\"x\"},\"u\":[\"%\"]}\n",
        ),
    ]);
    // A name that is there already.
    let line = "{\"u\":\"%41\",\"v\":1}\n";
    for name in ["u", "v"] {
        let Output { stdout, stderr, .. } =
            run(&["decode", "--jsonl", "-k", "u", "--append-as", name], line.as_bytes());
        assert_eq!(text(&stdout), text(line.as_bytes()));
        assert_eq!(text(&stderr), "pct: <stdin>: 1 that already have the new key; first at 1:6\\n");
        let Output { status, stderr, .. } = run(&["decode", "--csv", "-c", "u", "--append-as", name], b"u,v\n1,2\n");
        assert_eq!(status.code(), Some(2));
        let expected = format!("invalid new column '{name}': expected a name that the header does not have");
        assert!(String::from_utf8(stderr).unwrap().contains(&expected), "{name}");
    }
}

#[test]
fn check_writes_records_with_findings_or_without() {
    let input = "/%00\n/a\r\n/%\n\n/b%00\n";
    let csv = "u,v\n\"/%00\n\",1\n\n/a,%\n/%,2\n";
    let json = "{\"u\":\"\\/%00\"}\n{\"u\":\"/\",\"v\":\"%\"}\nx\n{\"u\":\"%\"}\n";
    let cases: &[(&[&str], &str, &str, i32)] = &[
        (&["--only-matching"], input, "/%\n", 1),
        (&["--not"], input, "/%00\n/a\r\n\n/b%00\n", 1),
        (&["--find", "nul", "--only-matching"], input, "/%00\n/%\n/b%00\n", 1),
        (&["--find", "nul", "--not"], input, "/a\r\n\n", 1),
        (&["--find", "illegal", "--only-matching"], "a\na b\r\nc\r\n", "a b\r\n", 1),
        (&["--find", "nul", "--not", "-0"], "/%00\0/\n\0", "/\n\0", 1),
        (&["-f", "2", "--only-matching"], "%\ta\na\t%\n", "a\t%\n", 1),
        (&["-f", "2", "--not"], "%\ta\na\t%\n", "%\ta\n", 1),
        (&["-f", "2", "--only-matching", "--print-field"], "a\t%\tb\n%\n", "%\n", 1),
        (&["-f", "2", "--not", "--print-field"], "a\t%\tb\n%\tc\n", "c\n", 1),
        (&["--find", "nul", "--csv", "-c", "u", "--only-matching"], csv, "u,v\n\"/%00\n\",1\n/%,2\n", 1),
        (&["--find", "nul", "--csv", "-c", "u", "--not"], csv, "u,v\n\n/a,%\n", 1),
        (&["--csv", "-c", "u", "--not", "--print-field"], "u,v\na,1\n%,2\n", "u\na\n", 1),
        (&["--jsonl", "-k", "u", "--only-matching"], json, "x\n{\"u\":\"%\"}\n", 1),
        (&["--find", "nul", "--jsonl", "-k", "u", "--not"], json, "{\"u\":\"/\",\"v\":\"%\"}\n", 1),
        (&["--find", "nul", "--jsonl", "-k", "u", "--only-matching", "--print-field"], json, "/%00\n\n%\n", 1),
        (&["--log", "w3c", "--only-matching"], "#Fields: cs-uri\n/\n/%\n", "#Fields: cs-uri\n/%\n", 1),
        (&["--log", "w3c", "--not"], "#Fields: cs-uri\n/\n/%\n", "#Fields: cs-uri\n/\n", 1),
        (
            &["--log", "\"$request\"", "--unescape", "--only-matching"],
            "\"GET /\\xFF\"\n\"GET /\\xC3\\xA9\"\n",
            "\"GET /\\xFF\"\n",
            1,
        ),
        (&["--only-matching"], "/a\n", "", 0),
        (&["--not"], "/a\n", "/a\n", 0),
        (&["--not"], "/%\n", "", 1),
    ];
    for &(arguments, input, expected, code) in cases {
        let arguments = [&["check"], arguments].concat();
        let Output { status, stdout, stderr } = run(&arguments, input.as_bytes());
        assert_eq!(text(&stdout), text(expected.as_bytes()), "{arguments:?}");
        assert_eq!((status.code(), text(&stderr)), (Some(code), String::new()), "{arguments:?}");
    }
}

/// Both halves of the sample log, in its order, are the log.
#[test]
fn records_with_findings_and_those_without_are_all_records() {
    let path = data("access.log");
    let path = path.to_str().unwrap();
    let log = fs::read_to_string(path).unwrap();
    let half =
        |option: &str| String::from_utf8(run(&["check", option, "--log", "combined", path], b"").stdout).unwrap();
    let (with, without) = (half("--only-matching"), half("--not"));
    assert_eq!(with.lines().count(), 17);
    let (mut with, mut without) = (with.lines().peekable(), without.lines().peekable());
    for line in log.lines() {
        let half = if with.peek() == Some(&line) { &mut with } else { &mut without };
        assert_eq!(half.next(), Some(line));
    }
    assert_eq!((with.next(), without.next()), (None, None));
}

#[test]
fn counts_are_those_of_all_records() {
    let input = b"%41\na\n%\nb%FF\n//h%\n";
    let plain = run(&["decode", "--report", "json"], input).stderr;
    for option in ["--only-changed", "--only-matching"] {
        assert_eq!(text(&run(&["decode", "--report", "json", option], input).stderr), text(&plain), "{option}");
    }
    let plain = run(&["check", "--report", "json"], input).stdout;
    for option in ["--only-matching", "--not"] {
        let Output { status, stdout, stderr } = run(&["check", "--report", "json", option], input);
        assert_eq!((status.code(), text(&stderr)), (Some(1), text(&plain)), "{option}");
        assert_eq!(stdout.iter().filter(|&&byte| byte == b'\n').count(), if option == "--not" { 2 } else { 3 });
    }
    let report: serde_json::Value =
        serde_json::from_slice(&run(&["get", "host", "--only-matching", "--report", "json"], input).stderr).unwrap();
    assert_eq!(report["files"][0]["records"], 5);
    assert_eq!(report["files"][0]["counts"]["without-part"], 4);
    assert_eq!(report["files"][0]["invalid"], 1);
}

/// The same members in all commands.
#[test]
fn reports_have_one_shape() {
    let mut shapes = Vec::new();
    for command in [&["decode"][..], &["get", "host"], &["form"], &["encode"], &["check"], &["stats"]] {
        let Output { stdout, stderr, .. } = run(&[command, &["--report", "json"]].concat(), b"//%\n");
        let report = if matches!(command[0], "check" | "stats") { stdout } else { stderr };
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!((&report["version"], &report["warnings"]), (&json!(1), &json!([])));
        let names = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        shapes.push((names(&report), names(&report["files"][0]), names(&report["files"][0]["counts"])));
    }
    assert!(shapes.windows(2).all(|pair| pair[0] == pair[1]), "{shapes:?}");
}

#[test]
fn options_that_make_no_sense_are_bad_usage() {
    for (arguments, expected) in [
        (&["encode", "--only-matching"][..], "invalid --only-matching for encode: expected check, decode, form or get"),
        (&["normalize", "--only-matching"], "invalid --only-matching for normalize"),
        (&["repair", "--only-matching"], "invalid --only-matching for repair"),
        (
            &["get", "host", "--only-changed"],
            "invalid --only-changed for get: expected decode, encode, normalize or repair",
        ),
        (&["form", "--only-changed"], "invalid --only-changed for form"),
        (&["decode", "--only-changed", "--only-matching"], "cannot be used with"),
        (&["decode", "--only-changed", "--raw"], "cannot be used with"),
        (&["decode", "--only-matching", "--raw"], "cannot be used with"),
        (&["decode", "--print-field", "--raw"], "cannot be used with"),
        (&["decode", "--print-field", "--append"], "cannot be used with"),
        (&["decode", "--append-as", "x"], "invalid --append-as: expected --jsonl, or --csv with a header with it"),
        (&["decode", "-f", "1", "--append-as", "x"], "expected --jsonl, or --csv with a header with it"),
        (&["decode", "--log", "common", "--append-as", "x"], "expected --jsonl, or --csv with a header with it"),
        (&["decode", "--csv", "-c", "1", "--append-as", "x"], "expected --jsonl, or --csv with a header with it"),
        (&["decode", "--csv", "-c", "a,b", "--append-as", "x"], "expected a single column or key with it"),
        (&["decode", "-k", "a*", "--append-as", "x"], "expected a single column or key with it"),
        (&["decode", "--jsonl", "-k", "a", "-k", "b", "--append-as", "x"], "expected a single column or key with it"),
        (&["check", "--not", "--only-matching"], "cannot be used with"),
        (&["check", "--not", "--quiet"], "cannot be used with"),
        (&["check", "--not", "--raw"], "cannot be used with"),
        (&["check", "--print-field"], "invalid --print-field: expected a command or an option that writes records"),
        (&["stats", "--print-field"], "invalid --print-field: expected a command or an option that writes records"),
        (&["check", "--append-as", "x"], "invalid --append: expected a command that rewrites text"),
        (&["stats", "--not"], "unexpected argument"),
        (&["check", "--only-changed"], "unexpected argument"),
    ] {
        let Output { status, stdout, stderr } = run(arguments, b"u\n");
        assert_eq!((status.code(), text(&stdout)), (Some(2), String::new()), "{arguments:?}");
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

/// Longer than a block, so that it is not processed in parts.
#[test]
fn long_records_are_filtered() {
    let long = "a".repeat(3_000_000);
    let input = format!("b\n{long}%41\n{long}\n");
    let expected = format!("{long}A\n");
    assert!(output(&["decode", "--only-changed"], input.as_bytes()) == expected.as_bytes());
    assert!(output(&["decode", "--only-matching"], input.as_bytes()) == expected.as_bytes());
    let found = run(&["check", "--find", "escape", "--not"], input.as_bytes());
    assert!(found.stdout == format!("b\n{long}\n").as_bytes());
    let found = run(&["check", "--find", "escape", "--only-matching"], input.as_bytes());
    assert!(found.stdout == format!("{long}%41\n").as_bytes());
}

/// Without `--only-changed`, all records are written, in the same order: those that differ are the
/// result with it.
fn assert_changed(unit: &[&str], input: &str) {
    let run = |options: &[&str], block: usize| {
        let arguments = [&["pct", "decode", "--report", "json"], unit, options].concat();
        pct::InMemory::new(&arguments).unwrap().run(input.as_bytes(), block)
    };
    let all = run(&[], 1 << 16);
    let mut expected = Vec::new();
    for (before, after) in input.split_inclusive('\n').zip(all.output.split_inclusive(|&byte| byte == b'\n')) {
        if before.as_bytes() != after {
            expected.extend_from_slice(after);
        }
    }
    for block in [4, 64, 1 << 16] {
        for threads in ["1", "3"] {
            let found = run(&["--only-changed", "-j", threads], block);
            assert_eq!(text(&found.output), text(&expected), "{unit:?}, blocks of {block}: {input:?}");
            assert_eq!(found.report, all.report, "{unit:?}, blocks of {block}: {input:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn records_that_change_are_those_that_differ(
        parts in prop::collection::vec(
            prop::sample::select(vec!["a", "%41", "%", "%0A", "%2C", ",", "\t", "\n", "\n", "{\"u\":\"", "\"}", "\\", "é", "%C3%A9"]),
            0..60,
        ),
    ) {
        let input = parts.concat() + "\n";
        for unit in [&[][..], &["-f", "2"], &["-f", "1-"], &["--jsonl", "-k", "u"]] {
            assert_changed(unit, &input);
        }
        let quoted = input.replace("{\"u\":\"", "\"\"").replace("\"}", "\"\"").replace('\\', "");
        assert_changed(&["--csv", "-c", "2-"], &quoted);
        let logged: String = input.lines().map(|line| format!("h - - [t] \"GET /{line} HTTP/1.1\" 200 1\n")).collect();
        assert_changed(&["--log", "common"], &logged);
    }
}

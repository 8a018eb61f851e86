//! Does `pct stats` count what is there, and show it?

use std::process::Output;

use serde_json::Value;

use crate::{data, run, text};

fn stats(arguments: &[&str], input: &[u8]) -> String {
    let Output { status, stdout, stderr } = run(&[&["stats"], arguments].concat(), input);
    assert_eq!((status.code(), text(&stderr)), (Some(0), String::new()), "{arguments:?}");
    String::from_utf8(stdout).unwrap()
}

fn counts(arguments: &[&str], input: &[u8]) -> Vec<(String, u64)> {
    let report: Value = serde_json::from_str(&stats(&[&["--report", "json"], arguments].concat(), input)).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    findings.iter().map(|one| (one["kind"].as_str().unwrap().to_owned(), one["lines"].as_u64().unwrap())).collect()
}

#[test]
fn the_most_frequent_come_first_with_an_example_each() {
    let input = b"/a%2Fb\n/plain\n/c%2fd%2f\r\n/\x01%252F\n";
    let expected = "\
<stdin>: 4 lines, 3 with findings
           3  escape        a triplet
              1:3: /a%2Fb
           2  slash         an encoded '/'
              1:3: /a%2Fb
           1  illegal       a raw byte that no URI may hold
              4:2: /\\u{1}%252F
           1  lower-hex     a triplet in lower case
              3:3: /c%2fd%2f
           1  percent       an encoded '%': double encoding
              4:3: /\\u{1}%252F
";
    assert_eq!(stats(&[], input), expected);
}

#[test]
fn the_sample_log_has_what_was_put_into_it() {
    let log = data("access.log");
    let log = log.to_str().unwrap();
    let found = counts(&["--log", "combined", log], b"");
    let expected = [
        ("escape", 67),
        ("malformed", 11),
        ("plus", 10),
        ("invalid-utf8", 6),
        ("lower-hex", 6),
        ("slash", 6),
        ("control", 6),
        ("percent", 5),
        ("unreserved", 4),
        ("nul", 2),
        ("dot", 1),
        ("backslash", 1),
    ];
    assert_eq!(found, expected.map(|(kind, count)| (kind.to_owned(), count)));
    assert!(stats(&["--log", "combined", log], b"").contains(
        "           6  slash         an encoded '/'\n              135:66: ...+0000] \"GET /login?next=%2Faccount%2F"
    ));
}

/// Arguments, input, and how often there is what.
type Case<'a> = (&'a [&'a str], &'a [u8], &'a [(&'a str, u64)]);

#[test]
fn fields_are_looked_at_and_nothing_else() {
    let cases: &[Case<'_>] = &[
        (&["-f", "2"], b"%00\t%2F\n%00\t+\n", &[("slash", 1), ("plus", 1), ("escape", 1)]),
        // Of all fields of a record.
        (&["-f", "1,3"], b"%00\t%2F\t+\n", &[("control", 1), ("nul", 1), ("plus", 1), ("escape", 1)]),
        (&["--csv", "-c", "u"], b"u,v\n\"+\",%00\n", &[("plus", 1)]),
        (&["--jsonl", "-k", "u"], b"{\"u\":\"+\"}\n", &[("plus", 1)]),
        (&["-0"], b"+\0a\nb\0", &[("illegal", 1), ("plus", 1)]),
        (&["--raw"], b"+\n+\n", &[("illegal", 1), ("plus", 1)]),
    ];
    for &(arguments, input, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect();
        let mut found = counts(arguments, input);
        let mut sorted = expected.clone();
        found.sort();
        sorted.sort();
        assert_eq!(found, sorted, "{arguments:?}");
    }
}

#[test]
fn threads_and_blocks_change_nothing() {
    let input: String =
        (0..60_000).map(|number| format!("/a{}%2{:X}b\n", "+".repeat(number % 3), number % 16)).collect();
    let alone = stats(&["-j", "1"], input.as_bytes());
    assert!(alone.starts_with("<stdin>: 60000 lines, 60000 with findings\n"), "{alone}");
    for threads in ["2", "5"] {
        assert_eq!(stats(&["-j", threads], input.as_bytes()), alone);
    }
}

#[test]
fn long_lines_are_looked_at_to_their_end() {
    let long = "%E2%82%AC".repeat(600_000);
    let found = counts(&[], format!("a\n{long}%00%2F\n").as_bytes());
    let expected = ["slash", "control", "nul", "escape"].map(|kind| (kind.to_owned(), 1));
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(expected.iter().all(|one| found.contains(one)), "{found:?}");
}

#[test]
fn each_file_has_its_own_counts() {
    let log = data("access.log");
    let log = log.to_str().unwrap();
    let Output { status, stdout, .. } = run(&["stats", "--report", "json", log, "no-such-file", "-", log], b"+");
    assert_eq!(status.code(), Some(3));
    let report: Value = serde_json::from_slice(&stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.iter().map(|file| file["file"].as_str().unwrap()).collect::<Vec<_>>(), [log, "<stdin>", log]);
    assert_eq!(files[0]["findings"], files[2]["findings"]);
    assert_eq!(files[1]["findings"].as_array().unwrap().len(), 1);
    let none = stats(&[], b"a\n");
    assert_eq!(none, "<stdin>: 1 lines, 0 with findings\n");
}

#[test]
fn lines_of_another_format_are_told() {
    let input = b"h - - [t] \"GET /+ HTTP/1.1\" 200 1\nno log\n";
    let report = stats(&["--log", "common"], input);
    assert!(report.starts_with("<stdin>: 2 lines, 1 with findings, 1 not in the format or too long\n"), "{report}");
}

#[test]
fn bad_usage_is_told() {
    for arguments in
        [&["stats", "--report", "xml"][..], &["stats", "-q"], &["stats", "--errors", "fail"], &["stats", "-j", "x"]]
    {
        assert_eq!(run(arguments, b"").status.code(), Some(2), "{arguments:?}");
    }
}

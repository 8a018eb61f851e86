//! `pct stats`: counts and examples.

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
    findings.iter().map(|one| (one["kind"].as_str().unwrap().to_owned(), one["records"].as_u64().unwrap())).collect()
}

#[test]
fn the_most_frequent_come_first_with_an_example_each() {
    let input = b"/a%2Fb\n/plain\n/c%2fd%2f\r\n/\x01%252F\n";
    let expected = "\
<stdin>: 4 records, 3 with findings
           3  escape        a triplet
              1:3: /a%2Fb
           2  slash         an encoded '/'
              1:3: /a%2Fb
           1  double        a triplet that is encoded twice
              4:3: /\\u{1}%252F
           1  illegal       a raw byte that is illegal in a URI
              4:2: /\\u{1}%252F
           1  lower-hex     a lower-case triplet
              3:3: /c%2fd%2f
           1  percent       an encoded '%'
              4:3: /\\u{1}%252F
";
    assert_eq!(stats(&[], input), expected);
}

#[test]
fn the_sample_log_has_the_expected_findings() {
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
        ("double", 5),
        ("percent", 5),
        ("unreserved", 4),
        ("path-end", 3),
        ("unicode", 2),
        ("nul", 2),
        ("dot", 1),
        ("backslash", 1),
    ];
    assert_eq!(found, expected.map(|(kind, count)| (kind.to_owned(), count)));
    assert!(stats(&["--log", "combined", log], b"").contains(
        "           6  slash         an encoded '/'\n              135:66: ...+0000] \"GET /login?next=%2Faccount%2F"
    ));
}

/// Arguments, input, and expected counts.
type Case<'a> = (&'a [&'a str], &'a [u8], &'a [(&'a str, u64)]);

#[test]
fn only_selected_fields_are_inspected() {
    let cases: &[Case<'_>] = &[
        (&["-f", "2"], b"%00\t%2F\n%00\t+\n", &[("slash", 1), ("plus", 1), ("escape", 1)]),
        // Counts all fields of a record.
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

/// CSV records may span several lines; the header and empty lines are not counted.
#[test]
fn records_are_counted_not_lines() {
    for (arguments, input, records) in [
        (&["--csv", "-c", "u"][..], &b"u,v\n\"+\n+\",1\n\n\"a\nb\",\"\n\n\"\n"[..], 2),
        (&["--csv", "-c", "1"], b"u,v\n\"+\n+\",1\n\n", 2),
        (&["--csv", "-c", "1"], b"\n\r\n", 0),
        (&["--csv", "-c", "1"], b"a\n\"+\n\n", 2),
        (&["--csv", "-c", "1", "--header"], b"u,v", 0),
        (&[], b"a\n\nb", 3),
        (&["-f", "1"], b"a\n\nb\n", 3),
        (&["-0"], b"a\nb\0c\n", 2),
        (&["--raw"], b"a\nb\n", 1),
        (&["--raw"], b"", 0),
        (&["--jsonl", "-k", "u"], b"{\"u\":\"+\"}\n\n", 2),
    ] {
        let plural = if records == 1 { "" } else { "s" };
        let found = run(&[&["stats"], arguments].concat(), input);
        let told = String::from_utf8(found.stdout).unwrap();
        assert!(told.starts_with(&format!("<stdin>: {records} record{plural}, ")), "{arguments:?}: {told}");
        for command in [&["check", "--dialect", "whatwg"][..], &["decode"]] {
            let found = run(&[command, &["--report", "json"], arguments].concat(), input);
            let report = if command[0] == "check" { found.stdout } else { found.stderr };
            let report: Value = serde_json::from_slice(&report).unwrap();
            assert_eq!(report["files"][0]["records"].as_u64(), Some(records), "{command:?} {arguments:?}");
        }
    }
    // For records of any length, across blocks.
    let input = format!("u\n{}", format!("\"{}\n\"\n", "+".repeat(1000)).repeat(3000));
    for input in [input, format!("u\n1\n{}\n", "+".repeat(5_000_000))] {
        let expected = if input.len() > 4_000_000 { 2 } else { 3000 };
        let told = stats(&["--csv", "-c", "u", "-j", "2"], input.as_bytes());
        assert!(told.starts_with(&format!("<stdin>: {expected} records, ")), "{}", &told[..100]);
    }
}

/// A record counts once for each kind that occurs in it, in every command and for any length.
#[test]
fn all_commands_count_alike() {
    let pieces = ["a", "%", "%FF", "%C3%A9", "\u{E9}", "%C3%"];
    let mut lines = Vec::new();
    for first in pieces {
        for second in pieces {
            for third in pieces {
                lines.push([first, second, third].join("/"));
            }
        }
    }
    // One of these is longer than a block.
    let long =
        [format!("{}%FF{}%", "a".repeat(300_000), "b".repeat(300_000)), format!("%{}%C3", "%41".repeat(200_000))];
    let mut expected = [0; 3];
    for line in lines.iter().chain(&long) {
        let kinds = simdpct::inspect(line).kinds();
        let found = [simdpct::Kinds::MALFORMED, simdpct::Kinds::INVALID_UTF8].map(|kind| kinds.contains(kind));
        let [malformed, not_utf8] = found;
        for (count, is_one) in expected.iter_mut().zip([malformed, not_utf8, malformed || not_utf8]) {
            *count += u64::from(is_one);
        }
    }
    assert!(expected[2] < expected[0] + expected[1], "some have both: {expected:?}");
    let lines = [lines, long.to_vec()].concat().join("\n");
    let json: String = lines.lines().map(|line| format!("{{\"u\":\"{line}\"}}\n")).collect();
    let csv: String = lines.lines().map(|line| format!("\"{line}\",x\n")).collect();
    let nul = lines.replace('\n', "\0");
    let forms: String = lines.lines().map(|line| format!("{line}={line}\n")).collect();
    for (arguments, input) in [
        (&[][..], &lines),
        (&["-0"], &nul),
        (&["-f", "1"], &lines),
        (&["--csv", "-c", "1"], &csv),
        (&["--jsonl", "-k", "u"], &json),
    ] {
        let found = counts(arguments, input.as_bytes());
        let of = |kind: &str| found.iter().find(|(name, _)| name == kind).map_or(0, |&(_, count)| count);
        assert_eq!([of("malformed"), of("invalid-utf8")], expected[..2], "stats {arguments:?}");
        for command in [
            &["decode"][..],
            &["decode", "--append"],
            &["decode", "--errors", "replace"],
            &["decode", "--errors", "drop"],
            &["check"],
            &["decode", "--plus"],
            &["decode", "--reject", "%00"],
        ] {
            assert_eq!(reported([command, arguments].concat(), input), expected, "{command:?} {arguments:?}");
        }
    }
    assert_eq!(reported(vec!["form"], &forms), expected);
    // Raw bytes only; malformed '%' are not triplets.
    let [malformed, ..] = expected;
    for command in ["normalize", "repair"] {
        assert_eq!(reported(vec![command], &lines), [malformed, 0, malformed], "{command}");
    }
    let dirty = "%\u{E9}\n%\n".repeat(3).into_bytes();
    let dirty: Vec<u8> = dirty.into_iter().filter(|&byte| byte != 0xC3).collect();
    for command in ["normalize", "repair"] {
        let found = run(&[command, "--report", "json"], &dirty);
        assert_eq!(kinds(&found.stderr), [6, 3, 6], "{command}");
    }
}

/// Numbers of malformed, non-UTF-8 and invalid records in a JSON report.
fn kinds(report: &[u8]) -> [u64; 3] {
    let report: Value = serde_json::from_slice(report).unwrap();
    let file = &report["files"][0];
    [&file["counts"]["malformed"], &file["counts"]["not-utf8"], &file["invalid"]].map(|count| count.as_u64().unwrap())
}

fn reported(mut arguments: Vec<&str>, input: &str) -> [u64; 3] {
    arguments.extend(["--report", "json"]);
    let found = run(&arguments, input.as_bytes());
    kinds(if arguments[0] == "check" { &found.stdout } else { &found.stderr })
}

#[test]
fn help_explains_every_kind_and_how_they_are_counted() {
    for command in ["stats", "check"] {
        let help = String::from_utf8(run(&["help", command], b"").stdout).unwrap();
        for &(_, name) in simdpct::Kinds::ALL {
            let explained = help.lines().any(|line| line.trim_start().starts_with(&format!("{name} ")));
            assert!(explained, "{command}: {name}");
        }
        assert!(help.contains("A record counts once for each kind"), "{command}");
    }
    let help = String::from_utf8(run(&["help", "decode"], b"").stdout).unwrap();
    assert!(help.contains("A record counts once for each kind"), "{help}");
}

#[test]
fn threads_and_blocks_change_nothing() {
    let input: String =
        (0..60_000).map(|number| format!("/a{}%2{:X}b\n", "+".repeat(number % 3), number % 16)).collect();
    let alone = stats(&["-j", "1"], input.as_bytes());
    assert!(alone.starts_with("<stdin>: 60000 records, 60000 with findings\n"), "{alone}");
    for threads in ["2", "5"] {
        assert_eq!(stats(&["-j", threads], input.as_bytes()), alone);
    }
}

#[test]
fn long_lines_are_inspected_to_their_end() {
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
    assert_eq!(none, "<stdin>: 1 record, 0 with findings\n");
}

#[test]
fn lines_in_another_format_are_reported() {
    let input = b"h - - [t] \"GET /+ HTTP/1.1\" 200 1\nno log\n";
    let report = stats(&["--log", "common"], input);
    assert!(report.starts_with("<stdin>: 2 records, 1 with findings, 1 not in the format\n"), "{report}");
}

#[test]
fn bad_usage_is_reported() {
    for arguments in
        [&["stats", "--report", "xml"][..], &["stats", "-q"], &["stats", "--errors", "fail"], &["stats", "-j", "x"]]
    {
        assert_eq!(run(arguments, b"").status.code(), Some(2), "{arguments:?}");
    }
}

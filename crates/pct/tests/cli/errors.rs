//! Policies for malformed text and invalid UTF-8, and the reports.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::{run, text};

/// Two of five lines are invalid.
const DIRTY: &[u8] = b"%41\n%42%\n%C3%A9\n%43%FF\n%44\n";

#[test]
fn each_policy_does_what_it_says() {
    for (arguments, expected, status) in [
        (&["decode"][..], &b"A\nB%\n\xC3\xA9\nC\xFF\nD\n"[..], 0),
        (&["decode", "--errors", "keep"], b"A\nB%\n\xC3\xA9\nC\xFF\nD\n", 0),
        (&["decode", "--errors", "replace"], b"A\nB%\n\xC3\xA9\nC\xEF\xBF\xBD\nD\n", 0),
        (&["decode", "--errors", "drop"], b"A\n\xC3\xA9\nD\n", 0),
        (&["decode", "--errors", "skip"], b"A\n%42%\n\xC3\xA9\n%43%FF\nD\n", 0),
        (&["decode", "--errors", "fail"], b"A\n", 1),
        (&["decode", "--max-errors", "2"], b"A\nB%\n\xC3\xA9\nC\xFF\nD\n", 0),
        (&["decode", "--max-errors", "1"], b"A\nB%\n\xC3\xA9\n", 1),
        (&["decode", "--max-errors", "0"], b"A\n", 1),
        (&["decode", "--errors", "drop", "--max-errors", "1"], b"A\n\xC3\xA9\n", 1),
        (&["normalize"], b"A\nB%\n%C3%A9\nC%FF\nD\n", 0),
        (&["normalize", "--escape-malformed"], b"A\nB%25\n%C3%A9\nC%FF\nD\n", 0),
        (&["normalize", "--errors", "skip"], b"A\n%42%\n%C3%A9\nC%FF\nD\n", 0),
        (&["repair"], b"%41\n%42%25\n%C3%A9\n%43%FF\n%44\n", 0),
        (&["repair", "--errors", "drop"], b"%41\n%C3%A9\n%43%FF\n%44\n", 0),
    ] {
        let found = run(arguments, DIRTY);
        assert_eq!((text(&found.stdout), found.status.code()), (text(expected), Some(status)), "{arguments:?}");
    }
}

#[test]
fn encoding_finds_what_is_not_utf8() {
    for (arguments, expected) in [
        (&["encode"][..], &b"%C3%A9\n%FF\n"[..]),
        (&["encode", "--errors", "replace"], b"%C3%A9\n%EF%BF%BD\n"),
        (&["encode", "--errors", "drop"], b"%C3%A9\n"),
        (&["encode", "--errors", "skip"], b"%C3%A9\n\xFF\n"),
    ] {
        let Output { status, stdout, stderr } = run(arguments, b"\xC3\xA9\n\xFF\n");
        assert_eq!((text(&stdout), status.code()), (text(expected), Some(0)), "{arguments:?}");
        assert_eq!(text(&stderr), "pct: <stdin>: 1 not UTF-8; first at 2:1\\n", "{arguments:?}");
    }
}

#[test]
fn the_summary_is_printed_at_the_end() {
    let stderr = |arguments: &[&str], input| text(&run(arguments, input).stderr);
    assert_eq!(stderr(&["decode"], DIRTY), "pct: <stdin>: 1 malformed, 1 not UTF-8; first at 2:4\\n");
    assert_eq!(stderr(&["decode", "--quiet"], DIRTY), "");
    assert_eq!(stderr(&["decode", "--report", "none"], DIRTY), "");
    assert_eq!(stderr(&["decode"], b"%41\n"), "");
    let columns = ["decode", "-f", "2"];
    assert_eq!(stderr(&columns, b"%\t%41\n%\t\t%\n%\t%41%\n"), "pct: <stdin>: 1 malformed; first at 3:6\\n");
    let csv = ["decode", "--csv", "-c", "2"];
    assert_eq!(stderr(&csv, b"\"a\n\",%41\nb,%41%\n"), "pct: <stdin>: 1 malformed; first at 3:6\\n");
    let jsonl = ["decode", "--jsonl", "-k", "u"];
    assert_eq!(
        stderr(&jsonl, b"{\"u\":\"a%\"}\n{\n"),
        "pct: <stdin>: 1 malformed, 1 not in the format; first at 1:8\\n"
    );
    let log = ["decode", "--log", "common"];
    assert_eq!(stderr(&log, b"h - - [t] \"GET /% HTTP/1.0\" 1 1\n"), "pct: <stdin>: 1 malformed; first at 1:17\\n");
    assert_eq!(stderr(&log, b"x\n"), "pct: <stdin>: 1 not in the format; first at 1:1\\n");
    let nul = ["decode", "-0"];
    assert_eq!(stderr(&nul, b"a\nb\0%41%"), "pct: <stdin>: 1 malformed; first at 2:4\\n");
    assert_eq!(stderr(&["decode", "--append"], DIRTY), "pct: <stdin>: 1 malformed, 1 not UTF-8; first at 2:4\\n");
}

#[test]
fn the_errors_of_all_files_count_for_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("a"), "%\n%41\n").unwrap();
    fs::write(path("b"), "%41\n%\n%42\n%\n").unwrap();
    let Output { status, stdout, stderr } = run(&["decode", "--max-errors", "2", &path("a"), &path("b")], b"");
    assert_eq!((text(&stdout), status.code()), ("%\\nA\\nA\\n%\\nB\\n".into(), Some(1)));
    let messages = String::from_utf8(stderr).unwrap();
    let (a, b) = (path("a"), path("b"));
    let told = format!(
        "pct: {b}:4:1: more than 2 errors\npct: {a}: 1 malformed; first at 1:1\npct: {b}: 2 malformed; first at 2:1\n"
    );
    assert_eq!(messages, told);
}

/// A block with more errors than the limit must stop earlier if preceding blocks have errors.
#[test]
fn the_errors_of_all_blocks_count_for_the_limit() {
    let clean = "%41%42%43\n".repeat(100_000);
    let input = format!("%\n{clean}%\n%\n%\n");
    for threads in ["1", "2"] {
        for (limit, line) in [("1", 100_002), ("2", 100_003)] {
            let found = run(&["decode", "--max-errors", limit, "-j", threads], input.as_bytes());
            let told = text(&found.stderr);
            assert!(told.starts_with(&format!("pct: <stdin>:{line}:1: more than {limit} error")), "{threads}: {told}");
            assert_eq!(found.stdout.iter().filter(|&&byte| byte == b'\n').count(), line - 1, "{threads}");
        }
    }
}

#[test]
fn the_report_for_programs_has_counts_and_first_offenders() {
    let dirty = DIRTY.repeat(10);
    for (input, lines, malformed, first) in [(&b"%41\n%42"[..], 2, 0, 0), (DIRTY, 5, 1, 2), (&dirty, 50, 10, 10)] {
        let found = run(&["decode", "--report", "json"], input);
        let report: Value = serde_json::from_slice(&found.stderr).unwrap();
        let file = &report["files"][0];
        assert_eq!(file["file"], json!("<stdin>"));
        assert_eq!(file["records"], json!(lines));
        assert_eq!(file["invalid"], json!(2 * malformed));
        assert_eq!(file["counts"]["malformed"], json!(malformed));
        assert_eq!(file["counts"]["not-utf8"], json!(malformed));
        assert_eq!(file["first"].as_array().unwrap().len(), first);
        if first > 0 {
            let expected = [("malformed", 2, 4), ("not-utf8", 4, 4)]
                .map(|(kind, line, column)| json!({"file": "<stdin>", "line": line, "column": column, "kind": kind}));
            assert_eq!(file["first"].as_array().unwrap()[..2], expected);
        }
    }
}

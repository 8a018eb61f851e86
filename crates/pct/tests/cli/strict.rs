//! `--strict`: place of the error, and the output preceding it.

use std::fs;
use std::process::Output;

use crate::{run, text};

const MALFORMED: &str = "malformed percent-encoding: '%' without two hexadecimal digits";

#[track_caller]
fn assert_malformed(arguments: &[&str], input: &[u8], name: &str, place: &str, written: &[u8]) {
    let Output { status, stdout, stderr } = run(arguments, input);
    let message = format!("pct: {name}:{place}: {MALFORMED}\n");
    assert_eq!(String::from_utf8_lossy(&stderr), message, "{}", text(&input[input.len().saturating_sub(80)..]));
    assert_eq!(status.code(), Some(1));
    assert!(stdout == written, "{} bytes written, {} expected", stdout.len(), written.len());
}

#[test]
fn the_first_malformed_triplet_is_named_and_all_lines_before_are_written() {
    for (input, place, written) in [
        ("%", "1:1", ""),
        ("a%", "1:2", ""),
        ("a%4", "1:2", ""),
        ("a%\n", "1:2", ""),
        ("a%4\n1", "1:2", ""),
        ("%41%4g", "1:4", ""),
        ("%41\n%42%%43\n%44", "2:4", "A\n"),
        ("one\r\ntwo %zz\r\n", "2:5", "one\r\n"),
        ("\n\n\n%u20AC", "4:1", "\n\n\n"),
        ("%0A%0D\n%", "2:1", "%0A%0D\n"),
        // Columns are bytes: "ä" has two.
        ("ä%C3%A4%x", "1:9", ""),
        ("good\n%\n%%\n%%%", "2:1", "good\n"),
    ] {
        assert_malformed(&["decode", "--strict"], input.as_bytes(), "<stdin>", place, written.as_bytes());
    }
}

#[test]
fn a_raw_text_is_written_up_to_the_error() {
    for (input, place, written) in [
        ("a%41%", "1:5", "aA"),
        ("a%0A%", "1:5", "a\n"),
        ("a\n%41\nb%4", "3:2", "a\nA\nb"),
        ("%4%41", "1:1", ""),
        ("%", "1:1", ""),
    ] {
        assert_malformed(&["decode", "--strict", "--raw"], input.as_bytes(), "<stdin>", place, written.as_bytes());
    }
}

#[test]
fn every_file_starts_at_line_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [good, bad, never] = ["good", "bad", "never"].map(path);
    fs::write(&good, "%41\n%42\n%43").unwrap();
    fs::write(&bad, "\nab%\n").unwrap();
    fs::write(&never, "%44").unwrap();
    assert_malformed(&["decode", "--strict", &good, &bad, &never], b"", &bad, "2:3", b"A\nB\nC\n\n");
    assert_malformed(&["decode", "--strict", &good, "-", &never], b"x%", "<stdin>", "1:2", b"A\nB\nC");
}

#[test]
fn places_are_right_far_from_the_start() {
    let line = "abc%41defg\n";
    let lines = 100_000;
    let good = line.repeat(lines);
    let decoded = "abcAdefg\n".repeat(lines);
    let input = format!("{good}0123456789%4");
    assert_malformed(&["decode", "--strict"], input.as_bytes(), "<stdin>", "100001:11", decoded.as_bytes());
    let decoded = format!("{decoded}0123456789");
    assert_malformed(&["decode", "--strict", "--raw"], input.as_bytes(), "<stdin>", "100001:11", decoded.as_bytes());
}

/// A line longer than a block: its beginning is written before the error is found.
#[test]
fn places_are_right_in_a_line_longer_than_a_block() {
    for length in [250_000, 262_143, 262_144, 262_145, 1_000_003] {
        for malformed in ["%", "%4", "%x", "%%"] {
            let input = format!("first\n{}{malformed}", "a".repeat(length));
            let Output { status, stdout, stderr } = run(&["decode", "--strict"], input.as_bytes());
            let message = format!("pct: <stdin>:2:{}: {MALFORMED}\n", length + 1);
            assert_eq!((status.code(), String::from_utf8_lossy(&stderr).as_ref()), (Some(1), message.as_str()));
            assert!(stdout.starts_with(b"first\n") && input.as_bytes().starts_with(&stdout));
        }
    }
}

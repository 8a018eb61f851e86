//! Each dialect behaves like its implementation.
//!
//! The tables next to this file have an input per row and a dialect per column, with the result of
//! the original implementation, as recorded by `crates/pct/check-dialects`. `<error>` is an error,
//! and `<->` means that the implementation cannot process that input. The script can verify the
//! tables again, and run this test on a directory of larger, generated ones.
#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;

/// A cell with a result.
struct Case {
    input: Vec<u8>,
    /// `None` for an error.
    expected: Option<Vec<u8>>,
}

#[test]
fn decoding_matches_the_implementation() {
    check("decode");
}

#[test]
fn encoding_matches_the_implementation() {
    check("encode");
}

fn check(operation: &str) {
    let generated = env::var_os("PCT_DIALECTS");
    let is_generated = generated.is_some();
    let folder =
        generated.map_or_else(|| [env!("CARGO_MANIFEST_DIR"), "tests", "dialects"].iter().collect(), PathBuf::from);
    let table = fs::read_to_string(folder.join(operation).with_extension("tsv")).unwrap();
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let rows: Vec<_> = rows.collect();
    assert_eq!(header, ["input", "whatwg", "rfc3986", "form", "java", "js", "python", "nginx"]);
    for (column, dialect) in header.into_iter().enumerate().skip(1) {
        let cases = rows
            .iter()
            .filter(|row| row[column] != "<->")
            .map(|row| Case { input: bytes(row[0]), expected: (row[column] != "<error>").then(|| bytes(row[column])) });
        // Inputs without line ends are processed in one call; all others, and some of these, in a
        // call each.
        let is_line = |case: &Case| !has_line_end(&case.input) && !case.expected.as_deref().is_some_and(has_line_end);
        let (lines, others): (Vec<_>, Vec<_>) = cases.partition(is_line);
        if is_generated && lines.is_empty() && others.is_empty() {
            eprintln!("{operation} {dialect}: not tested, because its system is not installed");
            continue;
        }
        assert!(!lines.is_empty() && lines.len() + others.len() > rows.len() / 2, "{operation} {dialect}");
        let (done, refused): (Vec<_>, Vec<_>) = lines.iter().partition(|case| case.expected.is_some());
        check_lines(operation, dialect, &done);
        check_refused(operation, dialect, &refused);
        for case in others.iter().chain(lines.iter().take(200)) {
            check_text(operation, dialect, case);
        }
    }
}

/// `pct check` lists every line that is an error in the dialect.
fn check_refused(operation: &str, dialect: &str, cases: &[&Case]) {
    if operation != "decode" {
        assert!(cases.is_empty(), "encoding refuses nothing");
        return;
    }
    let input: Vec<_> = cases.iter().flat_map(|case| [&case.input[..], b"\n"].concat()).collect();
    let Output { stdout, .. } = pct("check", dialect, &[], input);
    let listing = String::from_utf8(stdout).unwrap();
    let listed: Vec<usize> = listing.lines().map(|line| line.split(':').nth(1).unwrap().parse().unwrap()).collect();
    let missing = (1..=cases.len()).find(|number| !listed.contains(number));
    assert!(missing.is_none(), "{dialect} should refuse {}", text(&cases[missing.unwrap_or(1) - 1].input));
}

fn check_lines(operation: &str, dialect: &str, cases: &[&Case]) {
    let input: Vec<_> = cases.iter().flat_map(|case| [&case.input[..], b"\n"].concat()).collect();
    let Output { status, stdout, stderr } = pct(operation, dialect, &["--quiet"], input);
    assert_eq!((status.code(), text(&stderr)), (Some(0), String::new()), "{operation} {dialect}");
    let lines: Vec<_> = stdout.strip_suffix(b"\n").unwrap().split(|&byte| byte == b'\n').collect();
    assert_eq!(lines.len(), cases.len(), "{operation} {dialect}");
    for (line, case) in lines.into_iter().zip(cases) {
        let expected = case.expected.as_deref().unwrap_or_default();
        assert_eq!(text(line), text(expected), "{operation} {dialect} {}", text(&case.input));
    }
}

fn check_text(operation: &str, dialect: &str, case: &Case) {
    // For encoding, invalid UTF-8 is a fault, but it is encoded.
    let errors = if operation == "decode" { "fail" } else { "keep" };
    let Output { status, stdout, .. } = pct(operation, dialect, &["--raw", "--errors", errors], case.input.clone());
    let context = format!("{operation} {dialect} {}", text(&case.input));
    match &case.expected {
        Some(expected) => assert_eq!((status.code(), text(&stdout)), (Some(0), text(expected)), "{context}"),
        None => assert_eq!(status.code(), Some(1), "{context}"),
    }
}

fn pct(operation: &str, dialect: &str, options: &[&str], input: Vec<u8>) -> Output {
    let mut command = Command::cargo_bin("pct").expect("cargo builds the command for its tests");
    command.args([operation, "--dialect", dialect]).args(options).write_stdin(input);
    command.output().expect("the command can be run")
}

fn has_line_end(text: &[u8]) -> bool {
    text.iter().any(|byte| b"\r\n".contains(byte))
}

/// The bytes of a cell: text as it is, and \xNN for a byte.
fn bytes(cell: &str) -> Vec<u8> {
    let mut parts = cell.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).unwrap());
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

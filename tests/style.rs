//! Checks the width of lines: 100 columns for comments in Rust, and 120 for C and for the text of
//! pages. The width of code in Rust is rustfmt's business.

use std::fs;
use std::path::Path;

use crate::promises::files;

/// The wide lines of a file of this name, counted from 1. Lines that cannot be broken are not among
/// them: rows of tables, and lines of one word.
fn wide_lines(name: &str, text: &str) -> Vec<usize> {
    let (is_page, is_rust) = (name.ends_with(".md"), name.ends_with(".rs"));
    let limit = if is_rust { 100 } else { 120 };
    let mut is_code = false;
    let mut is_wide = |line: &str| {
        let comment = line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']));
        let text = if is_rust { comment } else { Some(line) };
        let Some(text) = text.map(str::trim_start) else {
            is_code = false;
            return false;
        };
        // Examples in pages and in the documentation of Rust.
        let is_fence = (is_page || is_rust) && text.starts_with("```");
        is_code ^= is_fence;
        let is_breakable = !text.starts_with('|') && text.contains(' ') && !is_fence && !is_code;
        line.chars().count() > limit && is_breakable
    };
    text.lines().zip(1..).filter(|(line, _)| is_wide(line)).map(|(_, number)| number).collect()
}

#[test]
fn no_line_is_wider_than_the_limit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wide = Vec::new();
    let files = files(root, &[".rs", ".c", ".h", ".cpp", ".md"]);
    assert!(files.len() > 500, "{}", files.len());
    for file in files {
        let name = file.strip_prefix(root).expect("a file below the root").to_str().expect("UTF-8").replace('\\', "/");
        let text = fs::read_to_string(&file).expect("a readable file");
        // The introductions of such pages are one paragraph a line.
        if text.contains("not to be edited") && name.ends_with(".md") {
            continue;
        }
        let lines = wide_lines(&name, &text);
        wide.extend(lines.into_iter().map(|line| format!("{name}:{line}")));
    }
    assert!(wide.is_empty(), "{wide:#?}");
}

/// The check can fail.
#[test]
fn wide_lines_are_found_except_unbreakable_ones() {
    let long = |words: usize| "word ".repeat(words);
    let is_wide = |name: &str, line: String| wide_lines(name, &format!("\n{line}\n")) == [2];
    assert!(is_wide("a.rs", format!("    // {}", long(20))) && !is_wide("a.rs", format!("    // {}", long(18))));
    assert!(!is_wide("a.rs", format!("/// | {}|", long(24))) && !is_wide("a.rs", format!("call({})", long(24))));
    assert!(!is_wide("a.rs", format!("// {}", "word".repeat(30))));
    assert!(is_wide("a.c", format!("/* {}*/", long(24))) && is_wide("a.c", format!("call({});", long(24))));
    assert!(is_wide("a.md", long(25)) && !is_wide("a.md", long(24)) && !is_wide("a.md", format!("| {}|", long(24))));
    assert_eq!(wide_lines("a.md", &format!("```\n{0}\n```\n{0}\n", long(25))), [4]);
    assert_eq!(wide_lines("a.rs", &format!("/// ```\n/// {0}\n/// ```\n/// {0}\n", long(21))), [4]);
    assert_eq!(wide_lines("a.rs", &format!("/// ```\ncode\n/// {}\n", long(21))), [3]);
}

//! Completions and man pages.

use crate::{output, run, text};

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let found = run(&["completions", shell], b"");
        assert_eq!(found.status.code(), Some(0), "{shell}");
        let script = String::from_utf8(found.stdout).unwrap();
        for word in [
            "pct",
            "decode",
            "normalize",
            "explain",
            "drop-query",
            "max-errors",
            "in-place",
            "log-field",
            "cdxj",
            "only-changed",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // Other shells complete no values.
        for word in ["cloudfront", "windows-1252"].iter().filter(|_| ["bash", "zsh", "fish"].contains(&shell)) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(&["completions", "nosuchshell"], b"").status.code(), Some(2));
}

#[test]
fn every_command_has_a_man_page_and_help() {
    for command in ["decode", "encode", "normalize", "repair", "get"] {
        let page = String::from_utf8(run(&["man", command], b"").stdout).unwrap();
        assert!(page.contains(&format!("pct\\-{command}")) && page.contains("unsafe\\-controls"), "{command}");
        let help = String::from_utf8(output(&[command, "--help"], b"")).unwrap();
        assert!(help.contains("Examples:") && help.contains("--max-errors"), "{command}");
    }
    let help = String::from_utf8(run(&["explain", "--help"], b"").stdout).unwrap();
    assert!(help.contains("Examples:") && help.contains("--color"), "{help}");
    assert!(text(&run(&["man", "explain"], b"").stdout).contains("NO_COLOR"));
    let page = String::from_utf8(run(&["man"], b"").stdout).unwrap();
    assert!(page.contains("decode") && page.contains("SIMDPCT_LEVEL"));
    assert_eq!(run(&["man", "nosuchcommand"], b"").status.code(), Some(2));
}

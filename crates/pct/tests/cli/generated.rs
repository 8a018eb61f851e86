//! Completions, in the shells themselves, and man pages.

use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The script of a shell, in a file.
fn script(shell: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("completions-{}.{shell}", std::process::id()));
    std::fs::write(&path, run(&["completions", shell], b"").stdout).unwrap();
    path
}

/// What a shell prints; `None`, with a message, if it is not installed.
fn shell(name: &str, arguments: &[&str]) -> Option<String> {
    let output = match Command::new(name).args(arguments).output() {
        Ok(output) => output,
        Err(_) => {
            eprintln!("skipped: {name} is not installed");
            return None;
        }
    };
    assert!(output.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Words to complete, and a completion: commands, options, and values with descriptions.
const COMPLETED: [(&str, &str); 6] = [
    ("pct deco", "decode"),
    ("pct encode --se", "--set"),
    ("pct encode --set reserve", "reserved"),
    ("pct decode --log cloudfr", "cloudfront"),
    ("pct form --as pair", "pairs"),
    ("pct get --only-ch", "--only-changed"),
];

#[test]
fn bash_completes() {
    let script = script("bash");
    let name = script.to_str().unwrap();
    for (line, expected) in COMPLETED {
        let program = format!(
            "source '{name}'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _pct pct \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let Some(found) = shell("bash", &["--norc", "-c", &program]) else { return };
        assert!(found.lines().any(|word| word == expected), "{line}: {found}");
    }
}

#[test]
fn fish_completes() {
    let script = script("fish");
    let name = script.to_str().unwrap();
    for (line, expected) in COMPLETED {
        let Some(found) = shell("fish", &["--no-config", "-c", &format!("source '{name}'; complete -C '{line}'")])
        else {
            return;
        };
        let found_words: Vec<_> = found.lines().filter_map(|line| line.split('\t').next()).collect();
        assert!(found_words.contains(&expected), "{line}: {found}");
    }
}

/// zsh completes only in a terminal: its own pseudo-terminal.
#[test]
fn zsh_completes() {
    let script = script("zsh");
    let name = script.to_str().unwrap();
    for (line, expected) in COMPLETED {
        // `wait_for` reads what comes within 20 seconds at most.
        let program = format!(
            r#"zmodload zsh/zpty
wait_for() {{
    local all= chunk
    for i in {{1..400}}; do
        zpty -r -t z chunk && all+=$chunk || sleep 0.05
        [[ $all == *$1* ]] && return
    done
    print -r -- "${{(V)all}}"
}}
zpty z zsh -f -i
zpty -w z "PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -D -u; source '{name}'; compdef _pct pct; print RE''ADY"
wait_for READY
zpty -w -n z $'{line}\t'
wait_for '{expected}'
zpty -d z"#
        );
        let Some(found) = shell("zsh", &["-f", "-c", &program]) else { return };
        assert_eq!(found, "", "{line}");
    }
}

#[test]
fn every_command_has_a_version() {
    let version = text(&run(&["--version"], b"").stdout);
    for command in ["decode", "encode", "normalize", "repair", "form", "get", "check", "stats", "explain", "info"] {
        let found = text(&run(&[command, "--version"], b"").stdout);
        assert_eq!(found.split(' ').next_back(), version.split(' ').next_back(), "{command}: {found}");
    }
}

//! The console transcripts of the README and docs/pct.md.
#![cfg(unix)]

use std::env;
use std::process::{Command, Stdio};

use crate::{data, pct_process};

/// Runs every command of the transcripts and compares standard output and standard error.
#[test]
fn the_transcripts_match_the_output() {
    let pages = [
        ("README.md", include_str!("../../../../README.md"), 6),
        ("docs/pct.md", include_str!("../../../../docs/pct.md"), 16),
    ];
    let pct = pct_process(&[]).get_program().to_owned();
    let folder = std::path::Path::new(&pct).parent().unwrap();
    let path = env::join_paths([folder.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())));
    let path = path.unwrap();
    for (page, text, least) in pages {
        let (_, console) = text.split_once("```console\n$ ").unwrap();
        let (console, _) = console.split_once("\n```").unwrap();
        let examples: Vec<_> = console.split("\n$ ").collect();
        assert!(examples.len() > least, "{page} has {} examples", examples.len());
        for example in examples {
            let (command, expected) = example.split_once('\n').unwrap();
            let output = Command::new("sh")
                .args(["-c", &format!("{{ {command}\n}} 2>&1")])
                .env("PATH", &path)
                .current_dir(data("."))
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected.trim_end(), "{page}: {command}");
        }
    }
}

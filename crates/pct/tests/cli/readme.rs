//! Does the README tell the truth?
#![cfg(unix)]

use std::env;
use std::process::{Command, Stdio};

use crate::{data, pct_process};

/// Every command of its console, with all that it writes to either stream.
#[test]
fn the_examples_write_what_stands_below_them() {
    let readme = include_str!("../../../../README.md");
    let (_, section) = readme.split_once("## The command").unwrap();
    let (_, console) = section.split_once("```console\n$ ").unwrap();
    let (console, _) = console.split_once("\n```").unwrap();
    let pct = pct_process(&[]).get_program().to_owned();
    let folder = std::path::Path::new(&pct).parent().unwrap();
    let path = env::join_paths([folder.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())));
    let path = path.unwrap();
    let examples: Vec<_> = console.split("\n$ ").collect();
    assert!(examples.len() > 8);
    for example in examples {
        let (command, expected) = example.split_once('\n').unwrap();
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .env("PATH", &path)
            .current_dir(data("."))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected.trim_end(), "{command}");
    }
}

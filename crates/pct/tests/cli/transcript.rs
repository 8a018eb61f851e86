//! Console transcripts in Markdown: commands with their output.
//!
//! A command follows `$ `, and its further lines follow `> `. All other lines are its output,
//! standard output and standard error together.

use std::env;
use std::process::{Command, Stdio};

use crate::{data, pct_process};

/// A code block: the words after `console`, and its commands with their output.
pub(crate) struct Block<'t> {
    /// Programs that the commands need beside `pct` and those of POSIX.
    pub(crate) programs: Vec<&'t str>,
    pub(crate) examples: Vec<Example>,
}

pub(crate) struct Example {
    command: String,
    expected: String,
}

/// The blocks of a page that begin with ` ```console `.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    page.split("\n```console").skip(1).map(block).collect()
}

fn block(text: &str) -> Block<'_> {
    let (text, _) = text.split_once("\n```").expect("a block ends");
    let (programs, text) = text.split_once('\n').expect("a block has commands");
    let mut examples: Vec<Example> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), examples.last_mut()) {
            (Some(command), _, _) => examples.push(Example { command: command.into(), expected: String::new() }),
            (_, Some(more), Some(Example { command, expected })) if expected.is_empty() => {
                *command += "\n";
                *command += more;
            }
            (_, _, Some(Example { expected, .. })) => {
                *expected += line;
                *expected += "\n";
            }
            (_, _, None) => panic!("a block begins with a command, not with {line:?}"),
        }
    }
    Block { programs: programs.split_whitespace().collect(), examples }
}

impl Block<'_> {
    /// Whether some command is `pct`; blocks of other pages are of other programs.
    pub(crate) fn is_of_pct(&self) -> bool {
        self.examples.iter().any(|example| example.command.split(' ').any(|word| word == "pct"))
    }

    /// Whether the programs that it needs are installed.
    pub(crate) fn can_run(&self) -> bool {
        self.programs.iter().all(|program| {
            if *program == "columns" {
                return cfg!(feature = "columns");
            }
            let status =
                Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
            status.unwrap().success()
        })
    }
}

impl Example {
    /// Runs the command in tests/data, with `pct` on the path.
    #[track_caller]
    pub(crate) fn check(&self, page: &str) {
        let pct = pct_process(&[]).get_program().to_owned();
        let folder = std::path::Path::new(&pct).parent().unwrap().to_owned();
        let path = env::var_os("PATH").unwrap();
        let folders = [folder].into_iter().chain(env::split_paths(&path));
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {}\n}} 2>&1", self.command)])
            .env("PATH", env::join_paths(folders).unwrap())
            .env("LC_ALL", "C.UTF-8")
            .current_dir(data("."))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(found.trim_end(), self.expected.trim_end(), "{page}: {}", self.command);
    }
}

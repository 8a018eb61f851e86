//! Tests of columnar files: Apache Parquet and Arrow IPC.
#![forbid(unsafe_code)]

mod arrow;
mod command;
mod compare;
mod hostile;
mod parquet;
mod parquet_files;
mod rows;

use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("pct").expect("cargo builds the command for its tests");
    command.args(arguments).current_dir(folder).output().expect("the command can be run")
}

/// The messages of a call that must succeed.
#[track_caller]
fn success(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {messages}");
    messages
}

/// Repeatable random numbers: xorshift (Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'t, T>(&mut self, among: &'t [T]) -> &'t T {
        &among[self.below(among.len())]
    }
}

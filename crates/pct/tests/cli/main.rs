//! Tests of the command: arguments and input, output, messages and exit codes.
#![forbid(unsafe_code)]

mod base;
mod blocks;
mod borders;
mod charset;
mod check;
mod codec_options;
mod compare;
mod errors;
mod examples;
mod explain;
mod failures;
mod filters;
mod form;
mod formats;
mod generated;
mod get;
mod get_parts;
mod in_place;
mod info;
mod inputs;
mod jobs;
mod level;
mod lines;
mod logs;
mod outputs;
mod parallel;
mod readme;
mod selection;
mod stats;
mod streams;
mod strict;
mod surt;
mod terminal;
mod texts;
#[cfg(unix)]
mod transcript;
mod unique;
mod url;
mod usage;

use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use assert_cmd::cargo::CommandCargoExt;

/// Whether to run the longest tests too (`SIMDPCT_LONG=1`): `scripts/check exhaustive`.
fn is_long() -> bool {
    std::env::var_os("SIMDPCT_LONG").is_some_and(|value| value != "0")
}

fn pct(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("pct").expect("cargo builds the command for its tests");
    command.args(arguments);
    command
}

/// For tests that use the pipes directly.
fn pct_process(arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::cargo_bin("pct").expect("cargo builds the command for its tests");
    command.args(arguments);
    command
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    pct(arguments).write_stdin(input).output().expect("the command can be run")
}

/// Output of a call that must succeed without messages, apart from the summary.
#[track_caller]
fn output(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let (command, others) = arguments.split_first().expect("a command comes first");
    let arguments = [&[*command, "--quiet"], others].concat();
    let Output { status, stdout, stderr } = run(&arguments, input);
    assert_eq!((status.code(), text(&stderr)), (Some(0), String::new()), "{arguments:?}");
    stdout
}

/// Asserts the output of each command for an input.
#[track_caller]
fn assert_outputs(cases: &[(&[&str], &str, &str)]) {
    for &(arguments, input, expected) in cases {
        let found = output(arguments, input.as_bytes());
        assert_eq!(text(&found), text(expected.as_bytes()), "{arguments:?} < {input:?}");
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// A file in tests/data, from which the README's main command reads.
fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "tests", "data", name].iter().collect()
}

/// All texts of `symbols` up to this length.
fn every_text(symbols: &[u8], length: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..=length).flat_map(move |length| {
        (0..symbols.len().pow(length))
            .map(move |number| (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]).collect())
    })
}

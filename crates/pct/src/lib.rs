//! `pct`: percent-decodes and -encodes files and streams.
//!
//! Data flow: `cli` -> `command` -> `source` -> `pipeline` -> `sink`; for each block, a format
//! (`format`) finds the fields of each record and applies an `operation`, which decodes or encodes
//! by the rules of `codec`.
//!
//! - `cli` has the arguments alone. `command` runs each command: `command::recipe` makes a task of
//!   the arguments, `command::rewrite` runs it. `check` and `stats` go through `command::scan`,
//!   without output; an observer receives each finding. `command::explain` shows single URLs,
//!   without a pipeline.
//! - `pipeline` transforms blocks of whole records on several threads and writes them in input
//!   order. `record` decides what becomes of an invalid record.
//! - `report` collects the invalid records of each input for the summary on standard error.
//! - `unique` compares records by their results, for `--unique`, `--count` and others, in input
//!   order.
//! - `columnar` reads and writes Parquet and Arrow IPC, by columns instead of blocks.
//! - `text` has functions of text that know no command, and `lock` one of mutexes.
//! - `error` maps errors to messages and exit codes.
//!
//! This is a library only so that the command can be fuzzed, through `InMemory`. Its API is not
//! stable; programs use the library `simdpct`.
#![forbid(unsafe_code)]

mod cli;
mod codec;
#[cfg(feature = "columns")]
mod columnar;
mod command;
mod error;
mod format;
mod lock;
mod operation;
mod pipeline;
mod record;
mod report;
mod sink;
mod source;
mod text;
mod unique;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use cli::Arguments;

#[doc(hidden)]
pub use command::{InMemory, Outcome};

/// Runs the command; returns its exit code.
pub fn main() -> ExitCode {
    // On Windows a program expands `*.txt` itself; elsewhere the shell has done so.
    let mut arguments = Arguments::try_parse_from(wild::args_os()).unwrap_or_else(|error| refuse(&error));
    command::run(&mut arguments).unwrap_or_else(|error| error.report()).into()
}

/// Reports invalid usage and exits with code 2, or prints the help or the version.
fn refuse(error: &clap::Error) -> ! {
    // clap's message quotes the arguments between colour codes, so the message cannot be escaped:
    // parse escaped arguments instead.
    let shown = wild::args_os().map(|argument| match argument.to_str() {
        Some(text) => OsString::from(&*text::shown::line(text)),
        None => argument,
    });
    let Err(shown) = Arguments::try_parse_from(shown) else { error.exit() };
    shown.exit()
}

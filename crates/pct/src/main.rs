//! `pct`: percent-codes files and streams.
//!
//! A call goes through the rooms in this order. `cli` says what is asked for. `rewrite` brings the inputs of `source` through the
//! `pipeline` to a `sink`: blocks of whole records, on some threads, in their order. In each block a unit of `units` hands the fields
//! of records to an operation of `operation`, which does as `meaning` has it. What that finds goes to `report`. `error` says what went wrong, in words and in the
//! exit code. `check` and `stats` bring inputs through the same pipeline by way of `survey`, with nothing to write but what they
//! find.
#![forbid(unsafe_code)]

mod check;
mod cli;
mod error;
mod info;
mod level;
mod meaning;
mod operation;
mod pipeline;
mod progress;
mod report;
mod rewrite;
mod sink;
mod source;
mod stats;
mod survey;
mod told;
mod units;

use std::process::ExitCode;

use clap::Parser;
use simdpct::ByteSet;

use cli::{Arguments, Command};
use error::{Error, Status};
use operation::{Decode, Encode, Normalize, Repair};
use pipeline::Policy;
use rewrite::rewrite;

fn main() -> ExitCode {
    // On bad usage clap itself says so and exits with code 2.
    let arguments = Arguments::parse();
    try_main(&arguments).unwrap_or_else(|error| error.report()).into()
}

fn try_main(arguments: &Arguments) -> Result<Status, Error> {
    level::check_environment()?;
    match &arguments.command {
        Command::Form(arguments) => {
            arguments.check()?;
            rewrite(&arguments.text, "", &move |_| arguments.operation())
        }
        Command::Check(arguments) => check::check(arguments),
        Command::Stats(arguments) => stats::stats(arguments),
        Command::Info(arguments) => arguments.run(),
        Command::Completions(arguments) => arguments.write(),
        Command::Man(arguments) => arguments.write(),
        Command::Decode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let decoding = arguments.meaning.decoding();
            rewrite(&arguments.text, "_decoded", &move |safe: ByteSet| {
                Box::new(Decode::new(decoding.safe(safe), replace))
            })
        }
        Command::Encode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let encoding = arguments.meaning.encoding();
            rewrite(&arguments.text, "_encoded", &move |_| Box::new(Encode::new(encoding, replace)))
        }
        Command::Normalize(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let escape_malformed = arguments.escape_malformed;
            let keep = arguments.meaning.keep();
            rewrite(&arguments.text, "_normalized", &move |safe| {
                Box::new(Normalize::new(safe.union(keep), escape_malformed, replace))
            })
        }
        Command::Repair(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            rewrite(&arguments.text, "_repaired", &move |_| Box::new(Repair::new(replace)))
        }
    }
}

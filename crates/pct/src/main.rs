//! `pct`: percent-codes files and streams.
//!
//! A call goes through the rooms in this order. `cli` says what is asked for. `rewrite` brings the inputs of `source` through the
//! `pipeline` to a `sink`: blocks of whole records, on some threads, in their order. In each block a unit of `units` hands the fields
//! of records to an operation of `operation`. What that finds goes to `report`. `error` says what went wrong, in words and in the
//! exit code.
#![forbid(unsafe_code)]

mod cli;
mod error;
mod level;
mod operation;
mod pipeline;
mod progress;
mod report;
mod rewrite;
mod sink;
mod source;
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
        Command::Completions(arguments) => arguments.write(),
        Command::Man(arguments) => arguments.write(),
        Command::Decode(arguments) => {
            let (plus, replace) = (arguments.plus, arguments.text.errors.policy() == Policy::Replace);
            rewrite(&arguments.text, "_decoded", &move |safe: ByteSet| Box::new(Decode::new(plus, safe, replace)))
        }
        Command::Encode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let [encoder, line_encoder] = arguments.encoders();
            rewrite(&arguments.text, "_encoded", &move |_| Box::new(Encode::new(encoder, line_encoder, replace)))
        }
        Command::Normalize(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let escape_malformed = arguments.escape_malformed;
            rewrite(&arguments.text, "_normalized", &move |_| Box::new(Normalize::new(escape_malformed, replace)))
        }
        Command::Repair(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            rewrite(&arguments.text, "_repaired", &move |_| Box::new(Repair::new(replace)))
        }
    }
}

//! `pct`: percent-decodes and -encodes files and streams.
//!
//! A call goes through the rooms in this order: `args` (what is asked for), `level` (may it run as the environment wants it),
//! `decode` or `encode` (what to do with a piece of text, by the rules in `meaning`), `run` (every piece of every input, through that, to standard
//! output), which takes the inputs from `input` and their pieces from `pieces`. `error` says what went wrong, in words and in
//! the exit code.
#![forbid(unsafe_code)]

mod args;
mod decode;
mod encode;
mod error;
mod input;
mod level;
mod meaning;
mod pieces;
mod place;
mod run;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use decode::Decode;
use encode::Encode;
use error::{Error, Status};

fn main() -> ExitCode {
    // On bad usage clap itself says so and exits with code 2.
    let arguments = Arguments::parse();
    try_main(&arguments).unwrap_or_else(|error| error.report()).into()
}

fn try_main(arguments: &Arguments) -> Result<Status, Error> {
    level::check_environment()?;
    match &arguments.command {
        Command::Decode(options) => run::run(&mut Decode::new(options), &options.input),
        Command::Encode(options) => run::run(&mut Encode::new(options), &options.input),
    }
}

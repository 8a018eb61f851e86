//! `pct`: percent-codes files and streams.
//!
//! A call goes through the rooms in this order. `cli` says what is asked for. `rewrite` brings the inputs of `source` through the
//! `pipeline` to a `sink`: blocks of whole records, on some threads, in their order. In each block a unit of `units` hands the
//! fields of records to an operation of `operation`, which does as `meaning` has it. What that finds goes to `report`. `error` says
//! what went wrong, in words and in the exit code. `check` and `stats` bring inputs through the same pipeline by way of `survey`,
//! with nothing to write but what they find.
//!
//! This is a library only so that the command can be fuzzed: `in_memory` is the way in. Nothing here is promised to stay; the
//! library for programs is `simdpct`.
#![forbid(unsafe_code)]

mod check;
mod cli;
mod codec;
mod error;
mod format;
mod in_memory;
mod info;
mod level;
mod operation;
mod pipeline;
mod progress;
mod record;
mod report;
mod rewrite;
mod scan;
mod shown;
mod sink;
mod source;
mod standard;
mod stats;
mod stdout;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use simdpct::ByteSet;

use cli::{Arguments, Command, RewriteCommand};
use error::{Error, Status};
use operation::{Decode, Encode, Normalize, Repair};
use record::Policy;
use rewrite::{Task, rewrite};

#[doc(hidden)]
pub use in_memory::{InMemory, Outcome};

/// The command, from its arguments to its exit code.
pub fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    try_main(&arguments).unwrap_or_else(|error| error.report()).into()
}

/// Reports bad usage and exits with code 2, or shows the help or the version.
fn refuse(error: &clap::Error) -> ! {
    // The message quotes the arguments, in colour: so it is made again, of arguments as they can be shown.
    let shown = std::env::args_os().map(|argument| match argument.to_str() {
        Some(text) => OsString::from(&*shown::line(text)),
        None => argument,
    });
    let Err(shown) = Arguments::try_parse_from(shown) else { error.exit() };
    shown.exit()
}

fn try_main(arguments: &Arguments) -> Result<Status, Error> {
    level::check_environment()?;
    match &arguments.command {
        Command::Rewrite(command) => rewrite(&task(command)?),
        Command::Check(arguments) => check::check(arguments),
        Command::Stats(arguments) => stats::stats(arguments),
        Command::Info(arguments) => arguments.run(),
        Command::Completions(arguments) => arguments.write(),
        Command::Man(arguments) => arguments.write(),
    }
}

/// What a command that rewrites text does with it.
fn task(command: &RewriteCommand) -> Result<Task<'_>, Error> {
    Ok(match command {
        RewriteCommand::Form(arguments) => {
            arguments.check()?;
            let task = Task::new(&arguments.text, "", |_| arguments.operation());
            task.into_other_format().shown_as(arguments.notation())
        }
        RewriteCommand::Decode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let decoding = arguments.meaning.decoding();
            Task::new(&arguments.text, "_decoded", move |safe: ByteSet| {
                Box::new(Decode::new(decoding.safe(safe), replace))
            })
        }
        RewriteCommand::Encode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let encoding = arguments.meaning.encoding();
            Task::new(&arguments.text, "_encoded", move |_| Box::new(Encode::new(encoding, replace)))
        }
        RewriteCommand::Normalize(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let escape_malformed = arguments.escape_malformed;
            let keep = arguments.meaning.keep();
            Task::new(&arguments.text, "_normalized", move |safe| {
                Box::new(Normalize::new(safe.union(keep), escape_malformed, replace))
            })
        }
        RewriteCommand::Repair(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            Task::new(&arguments.text, "_repaired", move |_| Box::new(Repair::new(replace)))
        }
    })
}

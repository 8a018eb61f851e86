//! `pct`: percent-decodes and -encodes files and streams.
//!
//! Data flow: `cli` -> `rewrite` -> `source` -> `pipeline` -> `sink`; for each block, a format
//! (`format`) finds the fields of each record and applies an `operation`, which decodes or encodes
//! by the rules of `codec`.
//!
//! - `pipeline` transforms blocks of whole records on several threads and writes them in input
//!   order. `record` decides what becomes of an invalid record.
//! - `report` collects the invalid records of each input for the summary on standard error.
//! - `unique` is `--unique`: the records whose normal form is new are written, in input order.
//! - `check` and `stats` run the same pipeline through `scan`, without output; an observer receives
//!   each finding.
//! - `columnar` reads and writes Parquet and Arrow IPC, by columns instead of blocks.
//! - `explain` shows single URLs. It runs no pipeline.
//! - `error` maps errors to messages and exit codes.
//!
//! This is a library only so that the command can be fuzzed, through `in_memory`. Its API is not
//! stable; programs use the library `simdpct`.
#![forbid(unsafe_code)]

mod check;
mod cli;
mod codec;
#[cfg(feature = "columns")]
mod columnar;
mod error;
mod explain;
mod filter;
mod format;
mod in_memory;
mod incomplete;
mod info;
mod level;
mod lock;
mod operation;
mod pattern;
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
mod unique;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use simdpct::ByteSet;

use cli::{Arguments, Command, GetArguments, RewriteCommand};
use error::{Error, Status};
use filter::Filter;
use operation::{
    CanonicalPath, Decode, DecodeText, Encode, EncodeText, Get, NormalUrl, Normalize, Operation, PartSeen, Repair,
    Reversible,
};
use record::Policy;
use rewrite::{Task, rewrite};

#[doc(hidden)]
pub use in_memory::{InMemory, Outcome};

/// Runs the command; returns its exit code.
pub fn main() -> ExitCode {
    // On Windows a program expands `*.txt` itself; elsewhere the shell has done so.
    let mut arguments = Arguments::try_parse_from(wild::args_os()).unwrap_or_else(|error| refuse(&error));
    try_main(&mut arguments).unwrap_or_else(|error| error.report()).into()
}

/// Reports invalid usage and exits with code 2, or prints the help or the version.
fn refuse(error: &clap::Error) -> ! {
    // clap's message quotes the arguments between colour codes, so the message cannot be escaped:
    // parse escaped arguments instead.
    let shown = wild::args_os().map(|argument| match argument.to_str() {
        Some(text) => OsString::from(&*shown::line(text)),
        None => argument,
    });
    let Err(shown) = Arguments::try_parse_from(shown) else { error.exit() };
    shown.exit()
}

fn try_main(arguments: &mut Arguments) -> Result<Status, Error> {
    level::check_environment()?;
    if let Some(input) = arguments.command.input() {
        input.read_list()?;
    }
    match &arguments.command {
        Command::Rewrite(command) => rewrite(&task(command)?),
        Command::Check(arguments) => check::check(arguments),
        Command::Stats(arguments) => stats::stats(arguments),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Info(arguments) => arguments.run(),
        Command::Completions(arguments) => arguments.write(),
        Command::Man(arguments) => arguments.write(),
    }
}

/// The task of a command that rewrites text.
fn task(command: &RewriteCommand) -> Result<Task<'_>, Error> {
    let filter = filter(command)?;
    let task = match command {
        RewriteCommand::Form(arguments) => {
            arguments.check()?;
            let task = Task::new(&arguments.text, "_form", |_| arguments.operation()).of_targets();
            let task = task.shown_as(arguments.notation());
            if arguments.keeps_format() { task } else { task.into_other_format() }
        }
        RewriteCommand::Decode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let (decoding, reversible) = (arguments.rules.decoding(), arguments.reversible);
            let text_decoding = arguments.rules.text_decoding();
            Task::new(&arguments.text, "_decoded", move |safe: ByteSet| -> Box<dyn Operation> {
                match text_decoding {
                    Some(decoding) => Box::new(DecodeText::new(decoding.safe(safe).replacing(replace))),
                    None if reversible => Box::new(Reversible(Box::new(Decode::new(decoding.safe(safe), replace)))),
                    None => Box::new(Decode::new(decoding.safe(safe), replace)),
                }
            })
        }
        RewriteCommand::Encode(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let encoding = arguments.rules.encoding();
            let text_encoding = arguments.rules.text_encoding();
            Task::new(&arguments.text, "_encoded", move |_| -> Box<dyn Operation> {
                match text_encoding {
                    Some(encoding) => Box::new(EncodeText::new(encoding.replacing(replace))),
                    None => Box::new(Encode::new(encoding, replace)),
                }
            })
        }
        RewriteCommand::Normalize(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let escape_malformed = arguments.escape_malformed;
            let keep = arguments.rules.keep();
            let (policy, url) = (arguments.path(), arguments.url());
            let task = Task::new(&arguments.text, "_normalized", move |safe| -> Box<dyn Operation> {
                let normalize = Normalize::new(safe.union(keep), escape_malformed, replace);
                match (policy, &url) {
                    (Some(policy), _) => Box::new(CanonicalPath::new(policy, normalize, safe)),
                    (None, Some((url, dropped))) => {
                        Box::new(NormalUrl::new(normalize.of_urls(*url), dropped.clone(), safe))
                    }
                    (None, None) => Box::new(normalize),
                }
            });
            if arguments.unique { task.unique() } else { task }
        }
        RewriteCommand::Get(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            let GetArguments { part, separator, text, .. } = arguments;
            let reading = arguments.reading()?;
            let (seen, hint) = (PartSeen::default(), arguments.hint(reading));
            let of_run = seen.clone();
            let recipe = move |safe| -> Box<dyn Operation> {
                let decode = arguments.decode(safe, replace);
                Box::new(Get::new(part.clone(), reading, decode, separator, safe, seen.clone()))
            };
            Task::new(text, part.suffix(), recipe).of_targets().hinting(of_run, hint)
        }
        RewriteCommand::Repair(arguments) => {
            let replace = arguments.text.errors.policy() == Policy::Replace;
            Task::new(&arguments.text, "_repaired", move |_| Box::new(Repair::new(replace)))
        }
    };
    Ok(task.filtered(filter))
}

/// Which records a command that rewrites text writes.
fn filter(command: &RewriteCommand) -> Result<Filter, Error> {
    use Filter::{Changed, Matching};
    match command {
        RewriteCommand::Decode(arguments) => arguments.text.filter.filter("decode", &[Changed, Matching]),
        RewriteCommand::Encode(arguments) => arguments.text.filter.filter("encode", &[Changed]),
        RewriteCommand::Normalize(arguments) => arguments.text.filter.filter("normalize", &[Changed]),
        RewriteCommand::Repair(arguments) => arguments.text.filter.filter("repair", &[Changed]),
        RewriteCommand::Form(arguments) => arguments.text.filter.filter("form", &[Matching]),
        RewriteCommand::Get(arguments) => arguments.text.filter.filter("get", &[Matching]),
    }
}

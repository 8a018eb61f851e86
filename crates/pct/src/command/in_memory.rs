//! Runs a command in memory, with blocks of any length: for fuzzing, without processes and files.
#![forbid(unsafe_code)]

use std::io::Cursor;

use clap::Parser;

use super::{check, recipe};
use crate::cli::{Arguments, CheckArguments, Command, RewriteCommand};
use crate::error::Error;
use crate::format::Outputs;
use crate::pipeline::{self, Observer, Plan};
use crate::report::{FileReport, InvalidRecord, as_json};
use crate::sink::Sink;
use crate::source::Blocks;

/// A command that writes records; may be run repeatedly.
pub struct InMemory(Runnable);

enum Runnable {
    Rewrite(Box<RewriteCommand>),
    Check(Box<CheckArguments>),
}

/// Result of a run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome {
    /// The output.
    pub output: Vec<u8>,
    /// The report, in the format of `--report json`.
    pub report: String,
    /// The error that ended the run early, if any.
    pub error: Option<String>,
}

/// Minimum block length: room for one byte, and a CR that belongs to what follows.
const SHORTEST: usize = 4;

impl InMemory {
    /// Parses command-line arguments, the program's name first. Options about files are ignored.
    ///
    /// # Errors
    ///
    /// A message, if the usage is invalid or the command does not write records.
    pub fn new(arguments: &[&str]) -> Result<Self, String> {
        match Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?.command {
            Command::Rewrite(command) => Ok(Self(Runnable::Rewrite(command))),
            Command::Check(arguments) => Ok(Self(Runnable::Check(Box::new(arguments)))),
            _ => Err("it does not write records".into()),
        }
    }

    /// Runs the command on a text as if it was a file, read in blocks of at most `block` bytes.
    pub fn run(&self, text: &[u8], block: usize) -> Outcome {
        let mut sink = Sink::memory();
        let mut reports = Vec::new();
        let result = self.try_run(text, block, &mut sink, &mut reports);
        Outcome {
            output: sink.into_memory(),
            report: as_json(&reports, &[]).to_string(),
            error: result.err().map(|error| error.to_string()),
        }
    }

    fn try_run(&self, text: &[u8], block: usize, sink: &mut Sink, reports: &mut Vec<FileReport>) -> Result<(), Error> {
        let block = block.max(SHORTEST);
        match &self.0 {
            Runnable::Rewrite(command) => {
                let task = recipe::task(command)?;
                let format = task.format(Outputs::Each)?;
                sink.write(task.header(true))?;
                run(&task.plan(&*format, 0, block, true), text, sink, reports)?;
                task.write_counts(sink)
            }
            Runnable::Check(arguments) => {
                let scan = check::scan(arguments, &Unobserved);
                let format = scan.format()?;
                run(&scan.plan(&*format, block), text, sink, reports)
            }
        }
    }
}

fn run(plan: &Plan<'_>, text: &[u8], sink: &mut Sink, reports: &mut Vec<FileReport>) -> Result<(), Error> {
    let mut report = FileReport::new("text".into(), plan.format.separator(), plan.format.records());
    let blocks = Blocks::new(Box::new(Cursor::new(text.to_vec())), plan.format.scanner());
    let result = pipeline::run(plan, blocks, sink, &mut report);
    reports.push(report);
    result
}

struct Unobserved;

impl Observer for Unobserved {
    fn observe(&self, _: &str, _: &InvalidRecord, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn pause(&self) -> Result<(), Error> {
        Ok(())
    }
}

//! Runs a command in memory, with blocks of any length: for fuzzing, without processes and files.
#![forbid(unsafe_code)]

use std::io::Cursor;

use clap::Parser;

use crate::cli::{Arguments, Command, RewriteCommand};
use crate::error::Error;
use crate::format::Outputs;
use crate::pipeline;
use crate::report::{FileReport, as_json};
use crate::sink::Sink;
use crate::source::Blocks;

/// A command that rewrites text; may be run repeatedly.
pub struct InMemory(RewriteCommand);

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
    /// A message, if the usage is invalid or the command does not rewrite text.
    pub fn new(arguments: &[&str]) -> Result<Self, String> {
        match Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?.command {
            Command::Rewrite(command) => Ok(Self(command)),
            _ => Err("it does not rewrite text".into()),
        }
    }

    /// Rewrites a text as if it was a file, read in blocks of at most `block` bytes.
    pub fn rewrite(&self, text: &[u8], block: usize) -> Outcome {
        let mut sink = Sink::memory();
        let mut reports = Vec::new();
        let result = self.try_rewrite(text, block, &mut sink, &mut reports);
        Outcome {
            output: sink.into_memory(),
            report: as_json(&reports, &[]).to_string(),
            error: result.err().map(|error| error.to_string()),
        }
    }

    fn try_rewrite(
        &self,
        text: &[u8],
        block: usize,
        sink: &mut Sink,
        reports: &mut Vec<FileReport>,
    ) -> Result<(), Error> {
        let task = crate::task(&self.0)?;
        let format = task.format(Outputs::Each)?;
        reports.push(FileReport::new("text".into(), format.separator(), format.records()));
        let plan = task.plan(&*format, 0, block.max(SHORTEST), true);
        let blocks = Blocks::new(Box::new(Cursor::new(text.to_vec())), format.scanner());
        reports.last_mut().map_or(Ok(()), |report| pipeline::run(&plan, blocks, sink, report))
    }
}

//! A text through a command in memory, in blocks of any length: for fuzzing, which has no time for
//! processes and files.
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

/// A command that rewrites text, to be used as often as is wanted.
pub struct InMemory(RewriteCommand);

/// What came of a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome {
    /// All that was written.
    pub output: Vec<u8>,
    /// What was found, as `--report json` tells it.
    pub report: String,
    /// What ended the work before its time.
    pub error: Option<String>,
}

/// No block is shorter: one byte and the CR that may belong to what follows have to have room in
/// it.
const SHORTEST: usize = 4;

impl InMemory {
    /// The arguments are those of the command line, the program's name first. What they say of
    /// files is not heeded.
    ///
    /// # Errors
    ///
    /// In words, if that is bad usage, or another command.
    pub fn new(arguments: &[&str]) -> Result<Self, String> {
        match Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?.command {
            Command::Rewrite(command) => Ok(Self(command)),
            _ => Err("it does not rewrite text".into()),
        }
    }

    /// Rewrites a text as if it were a file, read in blocks of at most so many bytes.
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

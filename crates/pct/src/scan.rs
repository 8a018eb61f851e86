//! Shared driver of the read-only commands (`check`, `stats`): runs each input through the pipeline
//! without output, and passes every finding to an observer.
#![forbid(unsafe_code)]

use std::io::{self, IsTerminal};

use crate::cli::{FormatArguments, InputArguments};
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::operation::Inspect;
use crate::pipeline::{self, Observer, Plan};
use crate::progress::Progress;
use crate::record::Policy;
use crate::report::FileReport;
use crate::sink::Sink;
use crate::source::{BLOCK, Blocks, Source};

/// A read-only command, with its options.
pub(crate) struct Scan<'s> {
    pub(crate) input: &'s InputArguments,
    pub(crate) format: &'s FormatArguments,
    pub(crate) operation: Inspect,
    /// Whether to stop silently at the first finding.
    pub(crate) is_quiet: bool,
    pub(crate) observer: &'s dyn Observer,
}

impl Scan<'_> {
    /// Scans every input, and calls `each` with its report. An input that cannot be read is
    /// reported and skipped; any other error is reported and ends the command. Also returns
    /// warnings about fields that no record had, if all inputs were scanned.
    pub(crate) fn run(
        &self,
        mut each: impl FnMut(FileReport) -> Result<(), Error>,
    ) -> Result<(Status, Vec<String>), Error> {
        if self.format.append() {
            return Err(Error::Usage("invalid --append: expected a command that rewrites text".into()));
        }
        let operation = self.operation;
        let format = self.format.build(&move |_| Box::new(operation), "", Outputs::Each)?;
        let progress = if self.is_quiet || self.input.no_progress || io::stdout().is_terminal() {
            Progress::hidden()
        } else {
            Progress::of(self.input.sources())
        };
        let mut status = Status::Success;
        for source in self.input.sources() {
            self.observer.begin();
            let result = match self.one(source, &*format, &progress) {
                Ok(report) => {
                    if report.faults() > 0 {
                        status = status.max(Status::Found);
                    }
                    progress.aside(|| each(report))
                }
                // With --quiet, the first finding is enough.
                Err(Error::Undecodable(..)) => return Ok((status.max(Status::Found), Vec::new())),
                // Observers write only findings, so there was at least one.
                Err(error) if error.is_end_of_reader() => return Ok((status.max(Status::Found), Vec::new())),
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                status = status.max(progress.aside(|| error.report()));
                if !error.is_of_one_input() {
                    return Ok((status, Vec::new()));
                }
            }
        }
        progress.finish();
        Ok((status, format.unmatched()))
    }

    fn one(&self, source: &Source, format: &dyn Format, progress: &Progress) -> Result<FileReport, Error> {
        let advance = progress.clone();
        let opened = source
            .open(!self.input.no_decompress, format.ending(), move |bytes| advance.advance(bytes))
            .map_err(|error| Error::Input(source.to_string(), error))?;
        let plan = Plan {
            format,
            policy: if self.is_quiet { Policy::Fail } else { Policy::Keep },
            limit: if self.is_quiet { 0 } else { u64::MAX },
            max_errors: None,
            threads: self.input.threads,
            block: BLOCK,
            counts_lines: true,
            keeps_mark: false,
            observer: Some(self.observer),
            seen: None,
        };
        let mut report = FileReport::new(source.to_string(), format.separator(), format.records());
        let blocks = Blocks::new(opened.text, format.scanner());
        pipeline::run(&plan, blocks, &mut Sink::nowhere()?, &mut report)?;
        Ok(report)
    }
}

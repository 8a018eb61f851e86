//! Shared driver of the read-only commands (`check`, `stats`): runs each input through the
//! pipeline, and passes every finding to an observer. Without a filter, no records are written.
#![forbid(unsafe_code)]

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;

use super::inputs::{ByColumns, Content, Inputs, Rows};
use crate::cli::{FormatArguments, InputArguments, Results};
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::operation::{FaultsOnly, Filter, Inspect, Operation};
use crate::pipeline::{Observer, Plan};
use crate::record::Policy;
use crate::report::FileReport;
use crate::sink::Sink;
use crate::source::{BLOCK, Columnar, Compression, Source};
use crate::text::shown;

/// A read-only command, with its options.
pub(crate) struct Scan<'s> {
    pub(crate) input: &'s InputArguments,
    pub(crate) format: &'s FormatArguments,
    pub(crate) operation: Inspect,
    /// Which records are written to standard output; with [`Filter::All`], none.
    pub(crate) filter: Filter,
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
        if self.format.print_field() && !self.writes() {
            return Err(Error::Usage(
                "invalid --print-field: expected a command or an option that writes records".into(),
            ));
        }
        let format = self.format()?;
        let mut sink = if self.writes() { Sink::standard_output(Compression::None) } else { Sink::nowhere() }?;
        if let Some(notation) = self.format.notation(false) {
            sink.show(shown::Filter::new(notation, format.ending()));
        }
        let inputs = Inputs::new(self.input, self.format, !self.is_quiet && !io::stdout().is_terminal());
        let mut hints = Vec::new();
        let status = inputs.each(|source| {
            self.observer.begin();
            match self.one(&inputs, source, &*format, &mut sink) {
                Ok(report) => {
                    hints.extend(report.suggestion());
                    let status = if report.faults() > 0 { Status::Found } else { Status::Success };
                    inputs.progress.aside(|| each(report)).map(|()| ControlFlow::Continue(status))
                }
                // With --quiet, the first finding is enough.
                Err(Error::Undecodable(..)) => Ok(ControlFlow::Break(Status::Found)),
                Err(error) if error.is_end_of_reader() && self.filter == Filter::Valid => {
                    Ok(ControlFlow::Break(Status::Success))
                }
                // Only findings are written, so there was at least one.
                Err(error) if error.is_end_of_reader() => Ok(ControlFlow::Break(Status::Found)),
                Err(error) => Err(error),
            }
        });
        let status = match status {
            ControlFlow::Continue(status) => status,
            ControlFlow::Break(status) => return Ok((status, Vec::new())),
        };
        inputs.progress.finish();
        hints.splice(..0, format.unmatched());
        Ok((status.after(sink.finish()), hints))
    }

    /// Whether records are written.
    fn writes(&self) -> bool {
        self.filter != Filter::All
    }

    /// The format, shared by all inputs.
    pub(crate) fn format(&self) -> Result<Box<dyn Format>, Error> {
        let operation = self.operation;
        let recipe = move |_| -> Box<dyn Operation> { Box::new(operation) };
        let writes = self.writes();
        let wrap =
            move |operation| -> Box<dyn Operation> { if writes { Box::new(FaultsOnly(operation)) } else { operation } };
        let outputs = if writes { Outputs::One } else { Outputs::Each };
        self.format.build(
            &Results { recipe: &recipe, wrap: &wrap, suffix: "", only_targets: false, are_counted: false },
            outputs,
        )
    }

    /// The plan for one input, in blocks of at most `block` bytes.
    pub(crate) fn plan<'p>(&'p self, format: &'p dyn Format, block: usize) -> Plan<'p> {
        Plan {
            format,
            filter: self.filter,
            policy: if self.is_quiet { Policy::Fail } else { Policy::Keep },
            limit: if self.is_quiet { 0 } else { u64::MAX },
            max_errors: None,
            threads: self.input.threads,
            max_record: self.input.max_record,
            block,
            counts_lines: true,
            keeps_mark: false,
            observer: Some(self.observer),
            seen: None,
        }
    }

    fn one(
        &self,
        inputs: &Inputs<'_>,
        source: &Source,
        format: &dyn Format,
        sink: &mut Sink,
    ) -> Result<FileReport, Error> {
        let (opened, columnar) = inputs
            .open(source, format.ending(), Content::Text)
            .map_err(|error| Error::Input(source.to_string(), error))?;
        let plan = self.plan(format, BLOCK);
        let (report, result) = match columnar {
            Some(columnar) => {
                let copying = FaultsOnly(Box::new(self.operation));
                let (operation, rows): (&dyn Operation, _) = match self.writes() {
                    true => (&copying, Rows::Table(sink)),
                    false => (&self.operation, Rows::Nowhere),
                };
                if self.writes() {
                    self.check_output(columnar)?;
                }
                let task = ByColumns { plan, operation, append: None, is_for_text: false };
                let (report, result) = inputs.columns(source, opened, columnar, task, rows);
                (report, result.map(drop))
            }
            None => inputs.text(source, opened, &plan, sink),
        };
        result.map(|()| report)
    }

    /// Refuses to write columnar files one after another, or to a terminal.
    fn check_output(&self, format: Columnar) -> Result<(), Error> {
        let message = match () {
            () if self.input.sources().len() > 1 => format!("invalid files: expected one {format} file"),
            () if io::stdout().is_terminal() => format!("invalid output for {format}: expected a pipe"),
            () => return Ok(()),
        };
        Err(Error::Usage(message))
    }
}

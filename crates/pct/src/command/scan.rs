//! Shared driver of the read-only commands (`check`, `stats`): runs each input through the pipeline,
//! and passes every finding to an observer. Without a filter, no records are written.
#![forbid(unsafe_code)]

use std::io::{self, IsTerminal};

use crate::cli::{FormatArguments, InputArguments, Results};
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::operation::{Copying, Filter, Inspect, Operation};
use crate::pipeline::{self, Observer, Plan, Progress};
use crate::record::Policy;
#[cfg(feature = "columns")]
use crate::report;
use crate::report::FileReport;
use crate::sink::Sink;
use crate::source::{BLOCK, Blocks, Columnar, Compression, Opened, Source, columnar};
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
        let progress = if self.is_quiet || self.input.no_progress || io::stdout().is_terminal() {
            Progress::hidden()
        } else {
            Progress::of(self.input.sources())
        };
        let mut status = Status::Success;
        let mut hints = Vec::new();
        for source in self.input.sources() {
            self.observer.begin();
            let result = match self.one(source, &*format, &mut sink, &progress) {
                Ok(report) => {
                    hints.extend(report.suggestion());
                    if report.faults() > 0 {
                        status = status.max(Status::Found);
                    }
                    progress.aside(|| each(report))
                }
                // With --quiet, the first finding is enough.
                Err(Error::Undecodable(..)) => return Ok((status.max(Status::Found), Vec::new())),
                Err(error) if error.is_end_of_reader() && self.filter == Filter::Valid => {
                    return Ok((status, Vec::new()));
                }
                // Only findings are written, so there was at least one.
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
            move |operation| -> Box<dyn Operation> { if writes { Box::new(Copying(operation)) } else { operation } };
        let outputs = if writes { Outputs::One } else { Outputs::Each };
        self.format.build(
            &Results { recipe: &recipe, wrap: &wrap, suffix: "", of_targets: false, are_counted: false },
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
        source: &Source,
        format: &dyn Format,
        sink: &mut Sink,
        progress: &Progress,
    ) -> Result<FileReport, Error> {
        let advance = progress.clone();
        let opened = source
            .open(!self.input.no_decompress, format.ending(), move |bytes| advance.advance(bytes))
            .map_err(|error| Error::Input(source.to_string(), error))?;
        let (opened, columnar) = if self.format.may_be_columnar() {
            columnar::recognise(source, opened)
        } else if self.format.needs_columns() {
            columnar::refuse(source, opened).map(|opened| (opened, None))
        } else {
            Ok((opened, None))
        }
        .map_err(|error| Error::Input(source.to_string(), error))?;
        let plan = self.plan(format, BLOCK);
        if let Some(columnar) = columnar {
            if self.writes() {
                self.check_output(columnar)?;
            }
            return self.columns(source, opened, columnar, &plan, sink, progress);
        }
        if let Some(ending) = format.ending() {
            sink.end_record(ending);
        }
        let mut report = FileReport::of(source, format.separator(), format.records());
        let blocks = Blocks::new(opened.text, format.scanner());
        pipeline::run(&plan, blocks, sink, &mut report)?;
        Ok(report)
    }

    /// Refuses to write columnar files one after another, or to a terminal.
    fn check_output(&self, format: Columnar) -> Result<(), Error> {
        let problem = match () {
            () if self.input.sources().len() > 1 => format!("invalid files: expected one {format} file"),
            () if io::stdout().is_terminal() => format!("invalid output for {format}: expected a pipe"),
            () => return Ok(()),
        };
        Err(Error::Usage(problem))
    }

    #[cfg(feature = "columns")]
    fn columns(
        &self,
        source: &Source,
        opened: Opened,
        format: Columnar,
        plan: &Plan<'_>,
        sink: &mut Sink,
        progress: &Progress,
    ) -> Result<FileReport, Error> {
        use crate::columnar::{self, Input};

        let input = Input::new(format, source, opened).map_err(|error| Error::Input(source.to_string(), error))?;
        let columns = self.format.columns();
        let copying = Copying(Box::new(self.operation));
        let task = columnar::Task {
            plan,
            operation: if self.writes() { &copying } else { &self.operation },
            columns,
            append: None,
            prints_field: self.format.print_field(),
            delimiter: self.format.count_delimiters().0,
            progress,
            is_for_text: false,
        };
        let mut report = FileReport::of(source, b'\n', report::Records::Counted);
        match self.writes() {
            true => task.rewrite(input, sink, &mut report).map(|_| ())?,
            false => task.inspect(input, &mut report)?,
        }
        Ok(report)
    }

    #[cfg(not(feature = "columns"))]
    fn columns(
        &self,
        source: &Source,
        _: Opened,
        format: Columnar,
        _: &Plan<'_>,
        _: &mut Sink,
        _: &Progress,
    ) -> Result<FileReport, Error> {
        Err(Error::Input(source.to_string(), format.unsupported()))
    }
}

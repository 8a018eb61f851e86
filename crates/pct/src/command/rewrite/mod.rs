//! Driver of the commands that rewrite text: runs each input through the pipeline to the output,
//! then reports.
#![forbid(unsafe_code)]

mod compare;
mod in_place;

use std::fs;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::ops::ControlFlow;

use same_file::Handle;
use simdpct::ByteSet;

use super::inputs::{ByColumns, Content, Inputs, Rows};
use crate::cli::{ReportForm, Results, TextArguments};
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::operation::{Count, Filter, MarkSelected, Operation, Recipe, Unique};
use crate::pipeline::Plan;
use crate::record::Policy;
use crate::report::{self, FileReport};
use crate::sink::Sink;
use crate::source::{BLOCK, Columnar, Opened, Source, binary};
use crate::text::shown::{self, Notation};
use crate::unique::{Secret, Seen};

/// A command that rewrites text, with its options.
pub(crate) struct Task<'a> {
    arguments: &'a TextArguments,
    /// Suffix of the names of new columns.
    suffix: String,
    recipe: Box<Recipe<'a>>,
    /// Which records are written.
    filter: Filter,
    /// Whether only targets of requests in logs are processed.
    only_targets: bool,
    /// Whether the output is in the format of the input.
    keeps_format: bool,
    /// How active characters are escaped for a terminal; `None` if they are not.
    notation: Option<Notation>,
    /// If records are compared: their keys so far.
    seen: Option<Seen>,
    /// What to say if some record lacks a part of a URL and none has it.
    hint: Option<Box<dyn Fn() -> Option<String> + Sync + 'a>>,
    /// What precedes the results of all records in an output.
    header: Vec<u8>,
}

impl<'a> Task<'a> {
    pub(crate) fn new(
        arguments: &'a TextArguments,
        suffix: impl Into<String>,
        recipe: impl Fn(ByteSet) -> Box<dyn Operation> + Sync + 'a,
    ) -> Self {
        let TextArguments { format, compare, .. } = arguments;
        let notation = format.notation(compare.counts());
        let (suffix, recipe) = (suffix.into(), Box::new(recipe));
        let (filter, only_targets, hint, header) = Default::default();
        let comparison = compare.comparison(!format.print_field() && !format.append());
        let seen = comparison.map(|comparison| Seen::new(comparison, Secret::random()));
        let keeps_format = !compare.counts();
        Self { arguments, suffix, recipe, filter, only_targets, keeps_format, notation, seen, hint, header }
    }

    /// Says what to try if some record lacks a part of a URL and none has it.
    pub(crate) fn hinting(self, hint: impl Fn() -> Option<String> + Sync + 'a) -> Self {
        Self { hint: Some(Box::new(hint)), ..self }
    }

    /// Writes this before the results of all records.
    pub(crate) fn headed(self, header: Vec<u8>) -> Self {
        Self { header, ..self }
    }

    /// What precedes the results of an input; `is_first` means that nothing precedes it in the
    /// output.
    pub(crate) fn header(&self, is_first: bool) -> &[u8] {
        if is_first { &self.header } else { &[] }
    }

    /// Writes only these records.
    pub(crate) fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Of logs, processes only the request target.
    pub(crate) fn only_targets(self) -> Self {
        Self { only_targets: true, ..self }
    }

    /// Marks the output as not being in the format of the input.
    pub(crate) fn into_other_format(self) -> Self {
        Self { keeps_format: false, ..self }
    }

    /// Sets the notation for a terminal.
    pub(crate) fn shown_as(self, notation: Notation) -> Self {
        Self { notation: Some(notation), ..self }
    }

    /// The format, shared by all inputs.
    pub(crate) fn format(&self, outputs: Outputs) -> Result<Box<dyn Format>, Error> {
        let wrap = |operation| -> Box<dyn Operation> {
            let operation =
                if self.filter.is_by_field() { Box::new(MarkSelected::new(operation, self.filter)) } else { operation };
            match &self.seen {
                Some(seen) => Box::new(Unique::new(operation, seen.comparison.by, seen.secret)),
                None => operation,
            }
        };
        let results = Results {
            recipe: &*self.recipe,
            wrap: &wrap,
            suffix: &self.suffix,
            only_targets: self.only_targets,
            are_counted: self.arguments.compare.counts(),
        };
        self.arguments.format.build(&results, outputs)
    }

    /// The plan for one input, after `found` invalid records in preceding inputs, in blocks of at
    /// most `block` bytes. `is_first` means that nothing precedes it in the output.
    pub(crate) fn plan<'u>(&'u self, format: &'u dyn Format, found: u64, block: usize, is_first: bool) -> Plan<'u> {
        let TextArguments { errors, input, .. } = self.arguments;
        let policy = errors.policy();
        let max_errors = if policy == Policy::Fail { Some(0) } else { errors.max_errors };
        Plan {
            format,
            policy,
            filter: self.filter,
            limit: max_errors.map_or(u64::MAX, |most| most.saturating_sub(found)),
            max_errors,
            keeps_mark: self.keeps_format && is_first,
            observer: None,
            seen: self.seen.as_ref(),
            counts_lines: max_errors.is_some() || errors.report() == ReportForm::Json,
            threads: input.threads,
            max_record: input.max_record,
            block,
        }
    }
}

impl Task<'_> {
    /// What is done with the columns of a file.
    fn by_columns<'u>(&'u self, plan: Plan<'u>, operation: &'u dyn Operation) -> ByColumns<'u> {
        let format = &self.arguments.format;
        let append = format.append().then_some(&*self.suffix);
        ByColumns { plan, operation, append, is_for_text: format.is_for_text() }
    }
}

/// Processes every input. An input that cannot be read is reported and skipped; any other error
/// ends the command.
pub(crate) fn rewrite(task: &Task<'_>) -> Result<Status, Error> {
    let arguments = task.arguments;
    let to_terminal = !arguments.output.in_place && arguments.output.output.is_none() && io::stdout().is_terminal();
    let has_bar = !to_terminal && arguments.errors.report() != ReportForm::None;
    let inputs = Inputs::new(&arguments.input, &arguments.format, has_bar);
    let outputs = if arguments.output.in_place { Outputs::Each } else { Outputs::One };
    let format = task.format(outputs)?;
    let mut rewriting = Rewriting::new(task, &inputs, &*format);
    if let Err(error) = rewriting.read_others() {
        inputs.progress.finish();
        return Err(error);
    }
    let result = if arguments.output.in_place { rewriting.in_place() } else { rewriting.one_output() };
    inputs.progress.finish();
    // A command that is refused has nothing to sum up.
    if matches!(result, Ok(Status::Usage) | Err(Error::Usage(_))) {
        return result;
    }
    // If an input was not read to its end, unmatched fields are unknown.
    let mut unmatched = Vec::new();
    if matches!(result, Ok(Status::Success | Status::InputOutput)) {
        unmatched = rewriting.unmatched.take().unwrap_or_else(|| format.unmatched());
        let lacks_part = rewriting.reports.iter().any(|report| report.count(Count::Missing) > 0);
        unmatched.extend(task.hint.iter().filter(|_| lacks_part).filter_map(|hint| hint()));
    }
    unmatched.splice(..0, rewriting.warnings);
    unmatched.extend(rewriting.reports.iter().filter_map(FileReport::suggestion));
    let summary = task.seen.as_ref().map(Seen::summary);
    match arguments.errors.report() {
        // With --errors fail, the only invalid record was already reported as the error.
        ReportForm::Text if arguments.errors.policy() == Policy::Fail && !matches!(result, Ok(Status::Success)) => {
            report::print_text(&[], &unmatched)
        }
        ReportForm::Text => report::print_text(&rewriting.reports, &unmatched),
        ReportForm::Json => report::print_json(&rewriting.reports, &unmatched, summary),
        ReportForm::None => {}
    }
    if let (Some(summary), ReportForm::Text) = (summary, arguments.errors.report()) {
        report::print_comparison(summary);
    }
    result
}

struct Rewriting<'a> {
    task: &'a Task<'a>,
    arguments: &'a TextArguments,
    inputs: &'a Inputs<'a>,
    format: &'a dyn Format,
    /// Number of threads for an input; by default that of the cores.
    threads: Option<NonZero<usize>>,
    /// Reports of the inputs so far.
    reports: Vec<FileReport>,
    /// Warnings about fields that no record had, if they are not those of the format.
    unmatched: Option<Vec<String>>,
    /// Number of files with which records are compared. Their reports come first.
    others: usize,
    /// Warnings about these files.
    warnings: Vec<String>,
}

impl<'a> Rewriting<'a> {
    fn new(task: &'a Task<'a>, inputs: &'a Inputs<'a>, format: &'a dyn Format) -> Self {
        let arguments = task.arguments;
        let (reports, unmatched, others, warnings) = Default::default();
        let threads = arguments.input.threads;
        Self { task, arguments, inputs, format, threads, reports, unmatched, others, warnings }
    }

    fn one_output(&mut self) -> Result<Status, Error> {
        let output = &self.arguments.output;
        let compression = output.compression();
        let (mut sink, own) = match &output.output {
            None => (Sink::standard_output(compression)?, standard_output_file()),
            Some(path) => (Sink::file(path, compression)?, None),
        };
        if let Some(notation) = self.task.notation {
            sink.show(shown::Filter::new(notation, self.format.ending()));
        }
        let inputs = self.inputs;
        let status = inputs.each(|source| {
            let (opened, columnar) = self.open(source)?;
            if let Some(columnar) = columnar.filter(|_| !self.arguments.compare.counts()) {
                if inputs.arguments.sources().len() > 1 {
                    let message = format!("invalid files: expected one {columnar} file, or --in-place");
                    return Err(Error::Usage(message));
                }
                if output.output.is_none() && io::stdout().is_terminal() {
                    return Err(Error::Usage(format!("invalid output for {columnar}: expected --output or a pipe")));
                }
            }
            if own.is_some() && own == handle(source) {
                return Err(Error::Input(source.to_string(), io::Error::other("input file is also the output file")));
            }
            self.one(source, opened, columnar, &mut sink).map(|_| ControlFlow::Continue(Status::Success))
        });
        // A file is replaced only on success. Standard output is finished in any case, so that
        // compressed output is complete.
        match status {
            ControlFlow::Break(status) | ControlFlow::Continue(status)
                if output.output.is_some() && status != Status::Success =>
            {
                Ok(status)
            }
            ControlFlow::Continue(status) => {
                Ok(status.after(self.task.write_counts(&mut sink).and_then(|()| sink.finish())))
            }
            ControlFlow::Break(status) => {
                // The first error is already reported.
                let _ = sink.finish();
                Ok(status)
            }
        }
    }

    fn open(&self, source: &Source) -> Result<(Opened, Option<Columnar>), Error> {
        self.try_open(source).map_err(|error| Error::Input(source.to_string(), error))
    }

    fn try_open(&self, source: &Source) -> io::Result<(Opened, Option<Columnar>)> {
        let TextArguments { format, output, .. } = self.arguments;
        if output.in_place {
            source.check_regular()?;
        }
        let content = if output.binary { Content::Any } else { Content::Text };
        let (opened, columnar) = self.inputs.open(source, self.format.ending(), content)?;
        if output.in_place && content == Content::Text && !format.accepts_binary() && columnar.is_none() {
            return Ok((binary::refuse(opened, format.ends_records_with_nul())?, None));
        }
        Ok((opened, columnar))
    }

    /// Rewrites an input. Returns false if it is columnar and nothing changes.
    fn one(
        &mut self,
        source: &Source,
        opened: Opened,
        columnar: Option<Columnar>,
        sink: &mut Sink,
    ) -> Result<bool, Error> {
        let found = self.reports.iter().map(FileReport::faults).sum();
        // A byte order mark in the middle of the output would become part of a record.
        let is_first = self.arguments.output.in_place || self.reports.len() == self.others;
        let plan = Plan { threads: self.threads, ..self.task.plan(self.format, found, BLOCK, is_first) };
        let (report, result) = match columnar {
            Some(columnar) => {
                let operation = (self.task.recipe)(ByteSet::EMPTY);
                let rows = match self.arguments.compare.counts() {
                    true => Rows::Counts(is_first.then_some(sink)),
                    false => Rows::Table(sink),
                };
                self.inputs.columns(source, opened, columnar, self.task.by_columns(plan, &*operation), rows)
            }
            None => {
                sink.write(self.task.header(is_first))?;
                let (report, result) = self.inputs.text(source, opened, &plan, sink);
                (report, result.map(|()| true))
            }
        };
        self.reports.push(report);
        result
    }
}

/// Standard output, if it is a regular file, which may also be an input.
fn standard_output_file() -> Option<Handle> {
    let handle = Handle::stdout().ok()?;
    handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file()).then_some(handle)
}

fn handle(source: &Source) -> Option<Handle> {
    match source.path() {
        None if matches!(source, Source::Text(_)) => None,
        None => Handle::stdin().ok(),
        // Opening a FIFO again would wait for another writer.
        Some(path) if fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) => Handle::from_path(path).ok(),
        Some(_) => None,
    }
}

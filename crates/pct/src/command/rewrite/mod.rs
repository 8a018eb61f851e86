//! Driver of the commands that rewrite text: runs each input through the pipeline to the output,
//! then reports.
#![forbid(unsafe_code)]

mod compare;
mod in_place;

use std::fs;
use std::io::{self, IsTerminal};
use std::num::NonZero;

use same_file::Handle;
use simdpct::ByteSet;

use crate::cli::{ReportForm, Results, TextArguments};
#[cfg(feature = "columns")]
use crate::columnar;
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::operation::{Count, Filter, Operation, PartSeen, Recipe, Selecting, Unique};
use crate::pipeline::{self, Plan, Progress};
use crate::record::Policy;
use crate::report::{self, FileReport};
use crate::sink::Sink;
use crate::source::{BLOCK, Blocks, Columnar, Opened, Source, binary};
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
    of_targets: bool,
    /// Whether the output is in the format of the input.
    keeps_format: bool,
    /// How active characters are escaped for a terminal; `None` if they are not.
    notation: Option<Notation>,
    /// If records are compared: their keys so far.
    seen: Option<Seen>,
    /// What to say if there are records and none has the part.
    hint: Option<(PartSeen, &'static str)>,
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
        let (filter, of_targets, hint) = Default::default();
        let comparison = compare.comparison(!format.print_field() && !format.append());
        let seen = comparison.map(|comparison| Seen::new(comparison, Secret::random()));
        let keeps_format = !compare.counts();
        Self { arguments, suffix, recipe, filter, of_targets, keeps_format, notation, seen, hint }
    }

    /// Says what to try if there are records and none has the part.
    pub(crate) fn hinting(self, seen: PartSeen, hint: &'static str) -> Self {
        Self { hint: Some((seen, hint)), ..self }
    }

    /// Writes only these records.
    pub(crate) fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Of logs, processes only the request target.
    pub(crate) fn of_targets(self) -> Self {
        Self { of_targets: true, ..self }
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
                if self.filter.is_by_field() { Box::new(Selecting::new(operation, self.filter)) } else { operation };
            match &self.seen {
                Some(seen) => Box::new(Unique::new(operation, seen.comparison.by, seen.secret)),
                None => operation,
            }
        };
        let results = Results {
            recipe: &*self.recipe,
            wrap: &wrap,
            suffix: &self.suffix,
            of_targets: self.of_targets,
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

#[cfg(feature = "columns")]
impl Task<'_> {
    /// The task for a columnar file.
    fn columns<'u>(
        &'u self,
        plan: &'u Plan<'u>,
        operation: &'u dyn Operation,
        progress: &'u Progress,
    ) -> columnar::Task<'u> {
        let format = &self.arguments.format;
        columnar::Task {
            plan,
            operation,
            columns: format.columns(),
            append: format.append().then_some(&*self.suffix),
            prints_field: format.print_field(),
            delimiter: format.count_delimiters().0,
            progress,
            is_for_text: format.is_for_text(),
        }
    }
}

/// Processes every input. An input that cannot be read is reported and skipped; any other error
/// ends the command.
pub(crate) fn rewrite(task: &Task<'_>) -> Result<Status, Error> {
    let arguments = task.arguments;
    let to_terminal = !arguments.output.in_place && arguments.output.output.is_none() && io::stdout().is_terminal();
    // A progress bar would overwrite output on the same terminal.
    let progress = if to_terminal || arguments.input.no_progress || arguments.errors.report() == ReportForm::None {
        Progress::hidden()
    } else {
        Progress::of(arguments.input.sources())
    };
    let outputs = if arguments.output.in_place { Outputs::Each } else { Outputs::One };
    let format = task.format(outputs)?;
    let mut rewriting = Rewriting::new(task, &*format, progress);
    if let Err(error) = rewriting.read_others() {
        rewriting.progress.finish();
        return Err(error);
    }
    let result = if arguments.output.in_place { rewriting.in_place() } else { rewriting.one_output() };
    rewriting.progress.finish();
    // A command that is refused has nothing to sum up.
    if matches!(result, Ok(Status::Usage) | Err(Error::Usage(_))) {
        return result;
    }
    // If an input was not read to its end, unmatched fields are unknown.
    let mut unmatched = Vec::new();
    if matches!(result, Ok(Status::Success | Status::InputOutput)) {
        unmatched = rewriting.unmatched.take().unwrap_or_else(|| format.unmatched());
        let lacks_part = rewriting.reports.iter().any(|report| report.count(Count::Missing) > 0);
        unmatched
            .extend(task.hint.iter().filter(|(seen, _)| lacks_part && !seen.get()).map(|&(_, hint)| hint.to_owned()));
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
    format: &'a dyn Format,
    progress: Progress,
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
    fn new(task: &'a Task<'a>, format: &'a dyn Format, progress: Progress) -> Self {
        let arguments = task.arguments;
        let (reports, unmatched, others, warnings) = Default::default();
        let threads = arguments.input.threads;
        Self { task, arguments, format, progress, threads, reports, unmatched, others, warnings }
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
        let status = self.each_file(|rewriting, source, opened, columnar| {
            if let Some(columnar) = columnar.filter(|_| !rewriting.arguments.compare.counts()) {
                if rewriting.arguments.input.sources().len() > 1 {
                    let problem = format!("invalid files: expected one {columnar} file, or --in-place");
                    return Err(Error::Usage(problem));
                }
                if rewriting.arguments.output.output.is_none() && io::stdout().is_terminal() {
                    return Err(Error::Usage(format!("invalid output for {columnar}: expected --output or a pipe")));
                }
            }
            if own.is_some() && own == handle(source) {
                return Err(Error::Input(source.to_string(), io::Error::other("input file is also the output file")));
            }
            rewriting.one(source, opened, columnar, &mut sink).map(|_| ())
        });
        // A file is replaced only on success. Standard output is finished in any case, so that
        // compressed output is complete.
        match status {
            Err(status) | Ok(status) if output.output.is_some() && status != Status::Success => Ok(status),
            Ok(status) => Ok(status.after(self.task.write_counts(&mut sink).and_then(|()| sink.finish()))),
            Err(status) => {
                // The first error is already reported.
                let _ = sink.finish();
                Ok(status)
            }
        }
    }

    /// Opens each input and applies `action`, reporting errors. `Err` if an error ended the
    /// command.
    fn each_file(
        &mut self,
        mut action: impl FnMut(&mut Self, &Source, Opened, Option<Columnar>) -> Result<(), Error>,
    ) -> Result<Status, Status> {
        let mut status = Status::Success;
        for source in self.arguments.input.sources() {
            let result = self.open(source).and_then(|(opened, columnar)| action(self, source, opened, columnar));
            if let Err(error) = result {
                status = status.max(self.progress.aside(|| error.report()));
                if !error.is_of_one_input() {
                    return Err(status);
                }
            }
        }
        Ok(status)
    }

    fn open(&self, source: &Source) -> Result<(Opened, Option<Columnar>), Error> {
        self.try_open(source).map_err(|error| Error::Input(source.to_string(), error))
    }

    fn try_open(&self, source: &Source) -> io::Result<(Opened, Option<Columnar>)> {
        let TextArguments { format, output, input, .. } = self.arguments;
        if output.in_place {
            source.check_regular()?;
        }
        let progress = self.progress.clone();
        let opened = source.open(!input.no_decompress, self.format.ending(), move |bytes| progress.advance(bytes))?;
        let (opened, columnar) = if format.may_be_columnar() {
            crate::source::columnar::recognise(source, opened)?
        } else if format.needs_columns() && !output.binary {
            (crate::source::columnar::refuse(source, opened)?, None)
        } else {
            (opened, None)
        };
        if output.in_place && !output.binary && !format.are_binary() && columnar.is_none() {
            return Ok((binary::refuse(opened, format.end_with_nul())?, None));
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
        if let Some(columnar) = columnar {
            return self.columns(source, opened, columnar, sink);
        }
        let format = self.format;
        if let Some(ending) = format.ending() {
            sink.end_record(ending);
        }
        let found = self.reports.iter().map(FileReport::faults).sum();
        // A byte order mark in the middle of the output would become part of a record.
        let is_first = self.arguments.output.in_place || self.reports.len() == self.others;
        let plan = Plan { threads: self.threads, ..self.task.plan(format, found, BLOCK, is_first) };
        let mut report = FileReport::of(source, format.separator(), format.records());
        let result = pipeline::run(&plan, Blocks::new(opened.text, format.scanner()), sink, &mut report);
        self.reports.push(report);
        result.map(|()| true)
    }

    #[cfg(feature = "columns")]
    fn columns(&mut self, source: &Source, opened: Opened, format: Columnar, sink: &mut Sink) -> Result<bool, Error> {
        let input =
            columnar::Input::new(format, source, opened).map_err(|error| Error::Input(source.to_string(), error))?;
        let found = self.reports.iter().map(FileReport::faults).sum();
        let operation = (self.task.recipe)(ByteSet::EMPTY);
        let plan = Plan { threads: self.threads, ..self.task.plan(self.format, found, BLOCK, true) };
        let task = self.task.columns(&plan, &*operation, &self.progress);
        let mut report = FileReport::of(source, b'\n', report::Records::Counted);
        let result = if self.arguments.compare.counts() {
            let is_first = self.reports.len() == self.others;
            task.count(input, is_first.then_some(sink), &mut report).map(|()| true)
        } else {
            task.rewrite(input, sink, &mut report)
        };
        self.reports.push(report);
        result
    }

    #[cfg(not(feature = "columns"))]
    fn columns(&mut self, source: &Source, _: Opened, format: Columnar, _: &mut Sink) -> Result<bool, Error> {
        Err(Error::Input(source.to_string(), format.unsupported()))
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

//! What every command that rewrites text does: inputs through a unit and an operation to an output,
//! and what was found stdout.
#![forbid(unsafe_code)]

use std::fs;
use std::io::{self, IsTerminal};

use same_file::Handle;
use simdpct::ByteSet;

use crate::cli::{ReportForm, TextArguments};
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::operation::{Operation, Recipe};
use crate::pipeline::{self, Plan};
use crate::progress::Progress;
use crate::record::Policy;
use crate::report::{self, FileReport};
use crate::shown::{Filter, Notation};
use crate::sink::Sink;
use crate::source::{BLOCK, Blocks, Opened, Source, binary};

/// What is asked for.
pub(crate) struct Task<'a> {
    arguments: &'a TextArguments,
    /// What the names of new columns end with.
    suffix: &'static str,
    recipe: Box<Recipe<'a>>,
    /// Whether the output is in the format of the input.
    keeps_format: bool,
    /// How a terminal is shown what it would act upon; `None` if it is to act.
    notation: Option<Notation>,
}

impl<'a> Task<'a> {
    pub(crate) fn new(
        arguments: &'a TextArguments,
        suffix: &'static str,
        recipe: impl Fn(ByteSet) -> Box<dyn Operation> + 'a,
    ) -> Self {
        let notation = arguments.format.notation();
        Self { arguments, suffix, recipe: Box::new(recipe), keeps_format: true, notation }
    }

    /// The output is in another format.
    pub(crate) fn into_other_format(self) -> Self {
        Self { keeps_format: false, ..self }
    }

    /// The same, but shown so to a terminal.
    pub(crate) fn shown_as(self, notation: Notation) -> Self {
        Self { notation: Some(notation), ..self }
    }

    /// The unit for all inputs.
    pub(crate) fn format(&self, outputs: Outputs) -> Result<Box<dyn Format>, Error> {
        self.arguments.format.build(&*self.recipe, self.suffix, outputs)
    }

    /// How one input is done after `found` invalid records of others, in blocks of at most `block`
    /// bytes. `is_first` says that nothing precedes it in the output.
    pub(crate) fn plan<'u>(&self, format: &'u dyn Format, found: u64, block: usize, is_first: bool) -> Plan<'u> {
        let TextArguments { errors, input, .. } = self.arguments;
        let policy = errors.policy();
        let max_errors = if policy == Policy::Fail { Some(0) } else { errors.max_errors };
        Plan {
            format,
            policy,
            limit: max_errors.map_or(u64::MAX, |most| most.saturating_sub(found)),
            max_errors,
            keeps_mark: self.keeps_format && is_first,
            observer: None,
            counts_lines: max_errors.is_some() || errors.report() == ReportForm::Json,
            threads: input.threads,
            block,
        }
    }
}

/// Does every input. One that cannot be read is reported, and the next one done; any other error is
/// the end.
pub(crate) fn rewrite(task: &Task<'_>) -> Result<Status, Error> {
    let arguments = task.arguments;
    let to_terminal = !arguments.output.in_place && arguments.output.output.is_none() && io::stdout().is_terminal();
    // Two things on one terminal would be in each other's way.
    let progress = if to_terminal || arguments.input.no_progress || arguments.errors.report() == ReportForm::None {
        Progress::hidden()
    } else {
        Progress::of(&arguments.input.files)
    };
    let outputs = if arguments.output.in_place { Outputs::Each } else { Outputs::One };
    let format = task.format(outputs)?;
    let mut rewriting = Rewriting { task, arguments, format: &*format, progress, reports: Vec::new() };
    let result = if arguments.output.in_place { rewriting.in_place() } else { rewriting.one_output() };
    rewriting.progress.finish();
    // Of inputs that were not done to their end, nothing is known.
    let unmatched =
        if matches!(result, Ok(Status::Success | Status::InputOutput)) { format.unmatched() } else { Vec::new() };
    match arguments.errors.report() {
        // The record that was one too many is the only one, and it has been stdout.
        ReportForm::Text if arguments.errors.policy() == Policy::Fail => report::print_text(&[], &unmatched),
        ReportForm::Text => report::print_text(&rewriting.reports, &unmatched),
        ReportForm::Json => report::print_json(&rewriting.reports, &unmatched),
        ReportForm::None => {}
    }
    result
}

struct Rewriting<'a> {
    task: &'a Task<'a>,
    arguments: &'a TextArguments,
    format: &'a dyn Format,
    progress: Progress,
    /// Of the inputs so far.
    reports: Vec<FileReport>,
}

impl Rewriting<'_> {
    fn one_output(&mut self) -> Result<Status, Error> {
        let output = &self.arguments.output;
        let compression = output.compression();
        let (mut sink, own) = match &output.output {
            None => (Sink::standard_output(compression)?, standard_output_file()),
            Some(path) => (Sink::file(path, compression)?, None),
        };
        if let Some(notation) = self.task.notation {
            sink.show(Filter::new(notation, self.format.ending()));
        }
        let status = self.each_file(|rewriting, source, opened| {
            if own.is_some() && own == handle(source) {
                return Err(Error::Input(source.to_string(), io::Error::other("input file is also the output file")));
            }
            rewriting.one(source, opened, &mut sink)
        });
        // A file is replaced only if all went well. Standard output is ended as its format wants
        // it, whatever came before.
        match status {
            Err(status) | Ok(status) if output.output.is_some() && status != Status::Success => Ok(status),
            Ok(status) => Ok(status.after(sink.finish())),
            Err(status) => {
                // It has been said already what went wrong.
                let _ = sink.finish();
                Ok(status)
            }
        }
    }

    fn in_place(&mut self) -> Result<Status, Error> {
        if self.arguments.input.files.iter().any(|source| source.path().is_none()) {
            return Err(Error::Usage("invalid input '-' for --in-place: expected files".into()));
        }
        let status = self.each_file(|rewriting, source, opened| {
            let Some(path) = source.path() else { return Ok(()) };
            let compression = rewriting.arguments.output.output_compression.unwrap_or(opened.compression);
            let mut sink = Sink::file(path, compression)?;
            rewriting.one(source, opened, &mut sink)?;
            sink.finish()
        });
        Ok(status.unwrap_or_else(|status| status))
    }

    /// Reports what goes wrong. An error that is the end is one here.
    fn each_file(
        &mut self,
        mut action: impl FnMut(&mut Self, &Source, Opened) -> Result<(), Error>,
    ) -> Result<Status, Status> {
        let mut status = Status::Success;
        for source in &self.arguments.input.files {
            let result = self
                .open(source)
                .map_err(|error| Error::Input(source.to_string(), error))
                .and_then(|opened| action(self, source, opened));
            if let Err(error) = result {
                status = status.max(self.progress.aside(|| error.report()));
                if !error.is_of_one_input() {
                    return Err(status);
                }
            }
        }
        Ok(status)
    }

    fn open(&self, source: &Source) -> io::Result<Opened> {
        let TextArguments { format, output, input, .. } = self.arguments;
        if output.in_place {
            source.check_regular()?;
        }
        let progress = self.progress.clone();
        let opened = source.open(!input.no_decompress, move |bytes| progress.advance(bytes))?;
        if output.in_place && !output.binary && !format.are_binary() {
            return binary::refuse(opened, format.end_with_nul());
        }
        Ok(opened)
    }

    fn one(&mut self, source: &Source, opened: Opened, sink: &mut Sink) -> Result<(), Error> {
        let format = self.format;
        if let Some(ending) = format.ending() {
            sink.end_record(ending);
        }
        let found = self.reports.iter().map(FileReport::faults).sum();
        // Between two texts, a byte order mark would become part of a record.
        let is_first = self.arguments.output.in_place || self.reports.is_empty();
        let plan = self.task.plan(format, found, BLOCK, is_first);
        let mut report = FileReport::new(source.to_string(), format.separator(), format.records());
        let result = pipeline::run(&plan, Blocks::new(opened.text, format.scanner()), sink, &mut report);
        self.reports.push(report);
        result
    }
}

/// Standard output, if it is a file that could be read as well.
fn standard_output_file() -> Option<Handle> {
    let handle = Handle::stdout().ok()?;
    handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file()).then_some(handle)
}

fn handle(source: &Source) -> Option<Handle> {
    match source.path() {
        None => Handle::stdin().ok(),
        // To open a FIFO again would wait for another writer.
        Some(path) if fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) => Handle::from_path(path).ok(),
        Some(_) => None,
    }
}

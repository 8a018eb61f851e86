//! The inputs of a command: each is opened, its kind recognized, and run through the pipeline or by
//! columns.
#![forbid(unsafe_code)]

use std::io;
use std::ops::ControlFlow;

use crate::cli::{FormatArguments, InputArguments};
use crate::error::{Error, Status};
use crate::operation::Operation;
use crate::pipeline::{self, Plan, Progress};
use crate::report::{FileReport, Records};
use crate::sink::Sink;
use crate::source::{Blocks, Columnar, Opened, Source, columnar};

/// The inputs of a command, and the bar that shows how much of them is read.
pub(super) struct Inputs<'a> {
    pub(super) arguments: &'a InputArguments,
    pub(super) format: &'a FormatArguments,
    pub(super) progress: Progress,
}

/// Which files a command reads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Content {
    /// A binary file is refused where columns or keys are expected.
    Text,
    /// `--binary`: any file.
    Any,
}

impl<'a> Inputs<'a> {
    /// With `has_bar` false, there is no bar: it would overwrite output on the same terminal, or is
    /// not wanted.
    pub(super) fn new(arguments: &'a InputArguments, format: &'a FormatArguments, has_bar: bool) -> Self {
        let progress = match has_bar && !arguments.no_progress {
            true => Progress::of(arguments.sources()),
            false => Progress::hidden(),
        };
        Self { arguments, format, progress }
    }

    /// Applies `action` to every input. The error of one input is reported, and the next inputs
    /// follow; any other error is reported and ends the command, as `action` does with `Break`.
    /// Returns the highest status.
    pub(super) fn each(
        &self,
        mut action: impl FnMut(&Source) -> Result<ControlFlow<Status, Status>, Error>,
    ) -> ControlFlow<Status, Status> {
        let mut status = Status::Success;
        for source in self.arguments.sources() {
            match action(source) {
                Ok(ControlFlow::Continue(found)) => status = status.max(found),
                Ok(ControlFlow::Break(found)) => return ControlFlow::Break(status.max(found)),
                Err(error) => {
                    status = status.max(self.progress.aside(|| error.report()));
                    if !error.is_of_one_input() {
                        return ControlFlow::Break(status);
                    }
                }
            }
        }
        ControlFlow::Continue(status)
    }

    /// Opens an input whose records end with `ending`, and recognizes Parquet and Arrow IPC if the
    /// options allow it.
    pub(super) fn open(
        &self,
        source: &Source,
        ending: Option<u8>,
        content: Content,
    ) -> io::Result<(Opened, Option<Columnar>)> {
        let progress = self.progress.clone();
        let is_decompressed = !self.arguments.no_decompress;
        let opened = source.open(is_decompressed, ending, move |bytes| progress.advance(bytes))?;
        if self.format.may_be_columnar() {
            columnar::recognise(source, opened)
        } else if self.format.needs_columns() && content == Content::Text {
            Ok((columnar::refuse(source, opened)?, None))
        } else {
            Ok((opened, None))
        }
    }

    /// Runs a text through the pipeline. Also returns the report of what was read before an error.
    pub(super) fn text(
        &self,
        source: &Source,
        opened: Opened,
        plan: &Plan<'_>,
        sink: &mut Sink,
    ) -> (FileReport, Result<(), Error>) {
        let format = plan.format;
        if let Some(ending) = format.ending() {
            sink.end_record(ending);
        }
        let mut report = FileReport::of(source, format.separator(), format.records());
        let result = pipeline::run(plan, Blocks::new(opened.text, format.scanner()), sink, &mut report);
        (report, result)
    }
}

/// What is done with the columns of a file.
#[cfg_attr(not(feature = "columns"), expect(dead_code))]
pub(super) struct ByColumns<'c> {
    pub(super) plan: Plan<'c>,
    pub(super) operation: &'c dyn Operation,
    /// The suffix of new columns, if results are added.
    pub(super) append: Option<&'c str>,
    pub(super) is_for_text: bool,
}

/// Where the rows of a columnar file go.
#[cfg_attr(not(feature = "columns"), expect(dead_code))]
pub(super) enum Rows<'s> {
    /// To a file in the format of the input.
    Table(&'s mut Sink),
    /// To counts, which are text; if there is a sink, it gets their header.
    Counts(Option<&'s mut Sink>),
    /// To the observer or the comparison of the plan alone.
    Nowhere,
}

impl Inputs<'_> {
    /// Runs a columnar file by its columns. Returns false if nothing
    /// changes. Also returns the report of what was read before an error.
    #[cfg(feature = "columns")]
    pub(super) fn columns(
        &self,
        source: &Source,
        opened: Opened,
        format: Columnar,
        task: ByColumns<'_>,
        rows: Rows<'_>,
    ) -> (FileReport, Result<bool, Error>) {
        use crate::columnar::{Input, Task};

        let mut report = FileReport::of(source, b'\n', Records::Counted);
        let ByColumns { plan, operation, append, is_for_text } = task;
        let task = Task {
            plan: &plan,
            operation,
            columns: self.format.columns(),
            append,
            prints_field: self.format.print_field(),
            delimiter: self.format.count_delimiters().0,
            progress: &self.progress,
            is_for_text,
        };
        let input = Input::new(format, source, opened).map_err(|error| Error::Input(source.to_string(), error));
        let result = input.and_then(|input| match rows {
            Rows::Table(sink) => task.rewrite(input, sink, &mut report),
            Rows::Counts(sink) => task.count(input, sink, &mut report).map(|()| true),
            Rows::Nowhere => task.inspect(input, &mut report).map(|()| false),
        });
        (report, result)
    }

    #[cfg(not(feature = "columns"))]
    pub(super) fn columns(
        &self,
        source: &Source,
        _: Opened,
        format: Columnar,
        _: ByColumns<'_>,
        _: Rows<'_>,
    ) -> (FileReport, Result<bool, Error>) {
        let report = FileReport::of(source, b'\n', Records::Counted);
        (report, Err(Error::Input(source.to_string(), format.unsupported())))
    }
}

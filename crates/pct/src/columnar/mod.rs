//! Apache Parquet and Arrow IPC: the values of selected columns are processed, and all others kept.
//!
//! A row is a record. A value is processed as a whole: all bytes are decoded, as there is no
//! delimiter that could be mistaken. NULL stays NULL. A column of strings must remain UTF-8, so
//! what would be ill-formed stays escaped, as in JSON lines.
//!
//! Row groups, or record batches, are processed on several threads and written in order
//! ([`ordered`]). There are as many in memory as threads.
//!
//! - [`parquet`]: selected columns are decoded and encoded again. The column chunks of all others,
//!   and those in which nothing changes, are copied byte for byte, unless rows are left out.
//! - [`arrow`]: selected arrays are built again, all others are passed on.
#![forbid(unsafe_code)]

mod arrow;
mod choice;
mod faults;
mod input;
mod ordered;
mod output;
mod parquet;
mod rows;
mod value;

use std::num::NonZero;

pub(crate) use input::Input;

use crate::error::Error;
use crate::operation::Operation;
use crate::pipeline::{Plan, Progress};
use crate::report::FileReport;
use crate::sink::Sink;
use crate::source::Columnar;
use crate::unique::By;

/// What to do with the selected columns.
pub(crate) struct Task<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) operation: &'a dyn Operation,
    /// Names or numbers of the columns.
    pub(crate) columns: &'a [String],
    /// With `--append`: suffix of the names of new columns.
    pub(crate) append: Option<&'a str>,
    /// Whether other columns are left out.
    pub(crate) prints_field: bool,
    /// Between the columns of counts.
    pub(crate) delimiter: u8,
    pub(crate) progress: &'a Progress,
    /// Whether there are options that work for text only.
    pub(crate) is_for_text: bool,
}

impl Task<'_> {
    /// Rewrites a file to the sink. Returns whether anything changes.
    pub(crate) fn rewrite(&self, input: Input, sink: &mut Sink, report: &mut FileReport) -> Result<bool, Error> {
        self.run(input, Destination::Table(sink), report)
    }

    /// Passes each invalid row to the observer, or the keys of all rows to the plan's comparison.
    pub(crate) fn inspect(&self, input: Input, report: &mut FileReport) -> Result<(), Error> {
        self.run(input, Destination::Nowhere, report).map(|_| ())
    }

    /// Counts the results of rows. Writes the header of the counts, if there is a sink.
    pub(crate) fn count(&self, input: Input, sink: Option<&mut Sink>, report: &mut FileReport) -> Result<(), Error> {
        self.run(input, Destination::Counts(sink), report).map(|_| ())
    }

    /// Refuses what is for text only.
    fn check(&self, format: Columnar) -> Result<(), Error> {
        if !self.operation.row().is_empty() {
            return Err(Error::Usage(format!("invalid --as csv for {format}: expected --as json, or --format alone")));
        }
        match self.is_for_text {
            false => Ok(()),
            true => Err(Error::Usage(format!("invalid option for {format}: expected no --append-as"))),
        }
    }

    fn run(&self, input: Input, destination: Destination<'_>, report: &mut FileReport) -> Result<bool, Error> {
        self.check(input.format)?;
        match input.format {
            Columnar::Parquet => parquet::run(self, input, destination, report),
            Columnar::ArrowFile | Columnar::ArrowStream => arrow::run(self, input, destination, report),
        }
    }

    /// Whether values are not converted in the output, but only for comparing rows.
    fn keeps_values(&self) -> bool {
        self.plan.seen.is_some_and(|seen| seen.comparison.by == By::Fields)
    }

    fn threads(&self) -> usize {
        self.plan.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get)
    }
}

/// Where the rows go.
enum Destination<'s> {
    /// To a file in the format of the input.
    Table(&'s mut Sink),
    /// To counts, which are text; if there is a sink, it gets their header.
    Counts(Option<&'s mut Sink>),
    Nowhere,
}

impl<'s> Destination<'s> {
    /// The sink of a table. Writes the header of counts of columns with these names.
    fn begin(self, delimiter: u8, names: &[&str]) -> Result<Option<&'s mut Sink>, Error> {
        match self {
            Self::Table(sink) => Ok(Some(sink)),
            Self::Counts(Some(sink)) => sink.write(&rows::header(delimiter, names)).map(|()| None),
            Self::Counts(None) | Self::Nowhere => Ok(None),
        }
    }
}

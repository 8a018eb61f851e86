//! Apache Parquet and Arrow IPC: the values of selected columns are processed, and all others kept.
//!
//! A row is a record. A value is processed as a whole: all bytes are decoded, as there is no
//! delimiter that could be mistaken. NULL stays NULL. A column of strings must remain UTF-8, so
//! what would be ill-formed stays escaped, as in JSON lines.
//!
//! Row groups, or record batches, are processed on several threads and written in order
//! ([`ordered`]). There are as many in memory as threads.
//!
//! - [`parquet`]: selected columns are decoded and encoded again. The column chunks of all others, and
//!   those in which nothing changes, are copied byte for byte.
//! - [`arrow`]: selected arrays are built again, all others are passed on.
#![forbid(unsafe_code)]

mod arrow;
mod choice;
mod faults;
mod input;
mod ordered;
mod output;
mod parquet;
mod value;

use std::num::NonZero;

pub(crate) use input::Input;

use crate::error::Error;
use crate::operation::{Filter, Operation};
use crate::pipeline::{Plan, Progress};
use crate::report::FileReport;
use crate::sink::Sink;
use crate::source::Columnar;

/// What to do with the selected columns.
pub(crate) struct Task<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) operation: &'a dyn Operation,
    /// Names or numbers of the columns.
    pub(crate) columns: &'a [String],
    /// With `--append`: suffix of the names of new columns.
    pub(crate) append: Option<&'a str>,
    pub(crate) progress: &'a Progress,
    /// Whether there are options that work for text only.
    pub(crate) is_for_text: bool,
}

impl Task<'_> {
    /// Rewrites a file to the sink. Returns whether anything changes.
    pub(crate) fn rewrite(&self, input: Input, sink: &mut Sink, report: &mut FileReport) -> Result<bool, Error> {
        self.run(input, Some(sink), report)
    }

    /// Passes each invalid row to the observer.
    pub(crate) fn inspect(&self, input: Input, report: &mut FileReport) -> Result<(), Error> {
        self.run(input, None, report).map(|_| ())
    }

    /// Refuses what is for text only.
    fn check(&self, format: Columnar) -> Result<(), Error> {
        if !self.operation.row().is_empty() {
            return Err(Error::Usage(format!("invalid --as csv for {format}: expected --as json, or --format alone")));
        }
        if self.plan.filter == Filter::All && self.plan.seen.is_none() && !self.is_for_text {
            return Ok(());
        }
        let problem = "expected neither a filter, --unique, --print-field nor --append-as";
        Err(Error::Usage(format!("invalid option for {format}: {problem}")))
    }

    fn run(&self, input: Input, sink: Option<&mut Sink>, report: &mut FileReport) -> Result<bool, Error> {
        self.check(input.format)?;
        match input.format {
            Columnar::Parquet => parquet::run(self, input, sink, report),
            Columnar::ArrowFile | Columnar::ArrowStream => arrow::run(self, input, sink, report),
        }
    }

    fn threads(&self) -> usize {
        self.plan.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get)
    }
}

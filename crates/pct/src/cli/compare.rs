//! Options that compare records by their results.
#![forbid(unsafe_code)]

use std::num::NonZero;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser};

use crate::source::Source;
use crate::unique::{By, Comparison, Kept};

#[derive(Args, Debug)]
#[command(next_help_heading = "Comparing")]
pub(crate) struct CompareArguments {
    /// Write only the first record of each result, unchanged
    ///
    /// Two records are duplicates if the results for all their selected fields are equal; the first
    /// in input order is written as it is in the input, with --append with the new column, and with
    /// --print-field its results alone. Duplicates are found across all files; with --in-place, in
    /// each file by itself. A record without such a field is always written. The memory for each
    /// distinct record is 20 to 24 bytes, whatever its length: a hash of 128 bits is kept. The
    /// summary has the numbers of distinct records and of duplicates.
    #[arg(long)]
    unique: bool,

    /// Write each result once, after the number of its records
    ///
    /// In the order of the first records: the number, a tab, and the output of --print-field. With
    /// --csv, the number is the first column, 'count'; with --fields, the delimiter follows it. Not
    /// counted are records without a selected field, and records to which --errors applies skip or
    /// drop. The distinct results are held in memory.
    #[arg(long, conflicts_with_all = NOT_COUNTED)]
    count: bool,

    /// As --count, but only the N most frequent results, the most frequent first
    ///
    /// Of equally frequent results, the first in the input comes first. 'pct get host --top 10
    /// urls.txt' writes the ten most frequent hosts.
    #[arg(long, value_name = "N", value_parser = number, conflicts_with_all = NOT_COUNTED)]
    pub(crate) top: Option<NonZero<usize>>,

    /// Leave out records with the same result as a record of FILE
    ///
    /// FILE is read first, in the same format, with the same fields and options; '-' is standard
    /// input. Records are written as by --unique, but with duplicates, unless --unique is given
    /// too. A record without a selected field is written. May be given several times. The memory
    /// for each distinct record of FILE is 20 to 24 bytes.
    #[arg(long, value_name = "FILE", value_parser = source())]
    pub(crate) not_in: Vec<Source>,

    /// Write only records with the same result as a record of FILE
    ///
    /// As --not-in, but a record without a selected field is not written. If given several times,
    /// the record is in one of the files.
    #[arg(long, value_name = "FILE", value_parser = source())]
    pub(crate) only_in: Vec<Source>,
}

/// Options whose output has no place for a number before each result, or is not a single one.
const NOT_COUNTED: [&str; 5] = ["raw", "row_binary", "append", "append_as", "in_place"];

impl CompareArguments {
    /// Whether results are written with the number of their records.
    pub(crate) fn counts(&self) -> bool {
        self.count || self.top.is_some()
    }

    /// How records are compared, if they are. `keeps_records` says that the output has records with
    /// their results in place.
    pub(crate) fn comparison(&self, keeps_records: bool) -> Option<Comparison> {
        let (by, kept) = match (self.counts(), keeps_records) {
            (true, _) => (By::Output, Kept::Counts),
            (_, true) => (By::Fields, if self.unique { Kept::First } else { Kept::All }),
            (_, false) => (By::FieldsOfOutput, if self.unique { Kept::First } else { Kept::All }),
        };
        let keeps_keyless = !self.counts() && self.only_in.is_empty();
        let is_compared = self.unique || self.counts() || self.others().next().is_some();
        is_compared.then_some(Comparison { by, kept, keeps_keyless })
    }

    /// The files with which records are compared.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Source> {
        self.not_in.iter().chain(&self.only_in)
    }
}

fn source() -> ValueParser {
    OsStringValueParser::new().map(Source::from).into()
}

fn number(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a number of at least 1".into())
}

//! Error options: what to do with invalid records, and how to report them.
#![forbid(unsafe_code)]

use clap::{Args, ValueEnum};

use crate::record::Policy;

#[derive(Args, Debug)]
#[command(next_help_heading = "Errors")]
pub(crate) struct ErrorArguments {
    /// What to do with invalid records
    ///
    /// A record, such as a line, is invalid if it is malformed, or is not UTF-8.
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = Policy::Keep)]
    errors: Policy,

    /// Same as --errors fail
    #[arg(long, conflicts_with = "errors")]
    strict: bool,

    /// Stop after N invalid records
    ///
    /// At the next one, reports its position and exits with code 1.
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<u64>,

    /// Format of the summary on standard error
    ///
    /// A record counts once for each kind of error that occurs in it, as in 'check' and 'stats'.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ReportForm::Text)]
    report: ReportForm,

    /// Suppress the summary and warnings
    #[arg(short, long, conflicts_with = "report")]
    quiet: bool,
}

/// Format of the summary on standard error. The comments of the variants are help texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ReportForm {
    /// A line for each file with invalid records
    Text,
    /// One JSON object, with the first invalid records of each file
    Json,
    /// No summary
    None,
}

impl ErrorArguments {
    pub(crate) fn policy(&self) -> Policy {
        if self.strict { Policy::Fail } else { self.errors }
    }

    pub(crate) fn report(&self) -> ReportForm {
        if self.quiet { ReportForm::None } else { self.report }
    }
}

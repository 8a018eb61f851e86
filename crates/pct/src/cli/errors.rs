//! What to do with text that is malformed or not UTF-8, and what to tell of it.
#![forbid(unsafe_code)]

use clap::{Args, ValueEnum};

use crate::record::Policy;

#[derive(Args, Debug)]
#[command(next_help_heading = "Errors")]
pub(crate) struct ErrorArguments {
    /// What to do with an invalid record, such as a line that is malformed or not UTF-8
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Policy::Keep)]
    errors: Policy,

    /// The same as --errors fail
    #[arg(long, conflicts_with = "errors")]
    strict: bool,

    /// Stop after N invalid records: at the next one, say where it is, and exit with code 1
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<u64>,

    /// Format of the summary on standard error
    ///
    /// A record counts once for each kind of error that it has, however often it has it, as in 'check' and 'stats'.
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ReportForm::Text)]
    report: ReportForm,

    /// No summary and no warnings
    #[arg(short, long, conflicts_with = "report")]
    quiet: bool,
}

/// How to tell what was found.
// What users read beside the names are these comments.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ReportForm {
    /// A line for each file with invalid records
    Text,
    /// One JSON object, with the first invalid records of each file
    Json,
    /// Not at all
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

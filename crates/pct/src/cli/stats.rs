//! Arguments of `pct stats`.
#![forbid(unsafe_code)]

use clap::Args;

use super::check::{COUNTING, FindingsForm, KINDS};
use super::{FormatArguments, InputArguments};

const EXAMPLES: &str = "\
Examples:
  pct stats access.log                      Number of records with each kind, and an example
  pct stats --log combined access.log.gz    Only in request targets and referers
  pct stats --csv -c url --report json visits.csv";

/// Count escapes and suspicious patterns
///
/// Counts the records, such as lines, with double encoding, encoded slashes, NULs, invalid UTF-8,
/// and more, the most frequent first. Reads each file once and decodes nothing. The header and the
/// empty lines of CSV are not counted.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{KINDS}\n\n{COUNTING}"))]
#[command(mut_arg("append", |argument| argument.hide(true)), mut_arg("append_as", |argument| argument.hide(true)))]
#[command(mut_arg("print_field", |argument| argument.hide(true)), mut_arg("unsafe_controls", |argument| argument.hide(true)))]
pub(crate) struct StatsArguments {
    /// Format of the findings
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = FindingsForm::Text)]
    pub(crate) report: FindingsForm,

    #[command(flatten)]
    pub(crate) format: FormatArguments,

    #[command(flatten)]
    pub(crate) input: InputArguments,
}

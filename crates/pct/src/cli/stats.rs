//! The arguments of `pct stats`.
#![forbid(unsafe_code)]

use clap::Args;

use super::check::{COUNTING, FindingsForm, KINDS};
use super::{InputArguments, UnitArguments};

const EXAMPLES: &str = "\
Examples:
  pct stats access.log                      How many records have what, and an example of each
  pct stats --log combined access.log.gz    Only of the request targets and referers
  pct stats --csv -c url --report json visits.csv";

/// Count what is in text: double encoding, encoded slashes, NULs, bad UTF-8, and more, the most frequent first
///
/// One pass over each file, in which nothing is decoded. What is counted are records, such as lines: the header of CSV and empty lines
/// of it are none.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{KINDS}\n\n{COUNTING}"))]
#[command(mut_arg("append", |argument| argument.hide(true)), mut_arg("unsafe_controls", |argument| argument.hide(true)))]
pub(crate) struct StatsArguments {
    /// How to tell what was found
    #[arg(long, value_name = "FORM", value_enum, default_value_t = FindingsForm::Text)]
    pub(crate) report: FindingsForm,

    #[command(flatten)]
    pub(crate) units: UnitArguments,

    #[command(flatten)]
    pub(crate) input: InputArguments,
}

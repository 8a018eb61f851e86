//! The arguments of `pct stats`.
#![forbid(unsafe_code)]

use clap::Args;

use super::check::FindingsForm;
use super::{InputArguments, UnitArguments};

const EXAMPLES: &str = "\
Examples:
  pct stats access.log                      How many lines have what, and an example of each
  pct stats --log combined access.log.gz    Only of the request targets and referers
  pct stats --csv -c url --report json visits.csv";

/// Count what is in text: double encoding, encoded slashes, NULs, bad UTF-8, and more, the most frequent first
///
/// One pass over each file, in which nothing is decoded. Records are counted, such as lines: once for each kind that they have.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
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

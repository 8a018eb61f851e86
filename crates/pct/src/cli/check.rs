//! The arguments of `pct check`.
#![forbid(unsafe_code)]

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use simdpct::Kinds;

use super::{InputArguments, UnitArguments};
use crate::meaning::{self, DecodingOptions};

const EXAMPLES: &str = "\
Examples:
  pct check access.log                         Malformed '%' and what is not UTF-8, as FILE:LINE:COLUMN: what
  pct check -q urls.txt || echo dirty          Only the exit code
  pct check --dialect java column.txt          What URLDecoder would throw at
  pct check --find nul,percent,slash *.log     Also NULs, double encoding, encoded slashes
  pct check --log combined --report json access.log.gz";

/// Look for text that cannot be decoded; exit with code 1 if there is any
///
/// Writes a line for every record at fault: where it is, and what is wrong first.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = meaning::long_help(EXAMPLES))]
#[command(mut_arg("append", |argument| argument.hide(true)), mut_arg("unsafe_controls", |argument| argument.hide(true)))]
pub(crate) struct CheckArguments {
    /// Look for these as well
    ///
    /// nul, control, slash, backslash, dot, percent (double encoding) and unreserved are triplets of these; lower-hex is one with a
    /// lower-case digit; illegal is a raw byte that no URI may hold.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    find: Vec<Kinds>,

    /// Write nothing, stop at the first finding
    #[arg(short, long, conflicts_with = "report")]
    pub(crate) quiet: bool,

    /// How to tell what was found
    #[arg(long, value_name = "FORM", value_enum, default_value_t = FindingsForm::Text)]
    pub(crate) report: FindingsForm,

    #[command(flatten)]
    pub(crate) meaning: DecodingOptions,

    #[command(flatten)]
    pub(crate) units: UnitArguments,

    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// How to tell what was found, on standard output.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum FindingsForm {
    /// For people
    Text,
    /// One JSON object
    Json,
}

impl CheckArguments {
    pub(crate) fn wanted(&self) -> Kinds {
        self.find.iter().fold(Kinds::NONE, |all, &kind| all | kind)
    }
}

fn kinds() -> impl TypedValueParser<Value = Kinds> {
    PossibleValuesParser::new(Kinds::ALL.map(|(_, name)| name)).map(|chosen| {
        let named = Kinds::ALL.into_iter().find(|(_, name)| *name == chosen);
        named.map_or(Kinds::NONE, |(kind, _)| kind)
    })
}

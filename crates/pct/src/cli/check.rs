//! The arguments of `pct check`.
#![forbid(unsafe_code)]

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use simdpct::Kinds;

use super::{InputArguments, UnitArguments};
use crate::codec::{self, DecodingOptions};

const EXAMPLES: &str = "\
Examples:
  pct check access.log                         Malformed '%' and what is not UTF-8, as FILE:LINE:COLUMN: what
  pct check -q urls.txt || echo dirty          Only the exit code
  pct check --dialect java column.txt          What URLDecoder would throw at
  pct check --find nul,percent,slash *.log     Also NULs, double encoding, encoded slashes
  pct check --log combined --report json access.log.gz";

/// What each kind of finding is, below the options of the commands that look for them.
pub(super) const KINDS: &str = "\
Kinds:
  escape        A triplet: '%' and two hexadecimal digits
  plus          A raw '+', which forms read as a space
  malformed     A '%' without two hexadecimal digits
  nul           An encoded NUL: %00
  control       An encoded control character: %00 to %1F, %7F
  slash         An encoded '/': %2F
  backslash     An encoded '\\': %5C
  dot           An encoded '.': %2E
  percent       An encoded '%': %25, a sign of double encoding
  unreserved    A triplet of a letter, a digit, '-', '.', '_' or '~', which need none
  lower-hex     A triplet with a digit from a to f in lower case
  non-ascii     A raw byte from 0x80, as in 'caf\u{e9}'; the triplets of 'caf%C3%A9' are none
  illegal       A raw byte that no URI may hold: a space, a quote, a control character, a byte from 0x80, and others
  invalid-utf8  A byte or triplet that is not UTF-8 once the text is decoded";

/// How records are counted, below the same options.
pub(super) const COUNTING: &str = "\
Counting:
  A record counts once for each kind that it has, however often it has it. 'decode' and all other commands count so.";

/// Look for text that cannot be decoded; exit with code 1 if there is any
///
/// Writes a line for every invalid record: its first finding, and where that is.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(after_long_help = format!("{}\n\n{KINDS}\n\n{COUNTING}", codec::long_help(EXAMPLES)))]
#[command(mut_arg("append", |argument| argument.hide(true)), mut_arg("unsafe_controls", |argument| argument.hide(true)))]
pub(crate) struct CheckArguments {
    /// Look for these kinds as well; they are explained below
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

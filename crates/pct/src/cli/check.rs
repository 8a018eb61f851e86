//! Arguments of `pct check`.
#![forbid(unsafe_code)]

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use simdpct::Kinds;

use super::{FormatArguments, InputArguments};
use crate::codec::{self, DecodingOptions};
use crate::operation::Filter;

const EXAMPLES: &str = "\
Examples:
  pct check access.log                         As FILE:LINE:COLUMN: MESSAGE
  pct check -q urls.txt || echo invalid        Only the exit code
  pct check --dialect java column.txt          Text for which URLDecoder throws an exception
  pct check --find nul,double,slash *.log      Also NULs, double encoding, encoded slashes
  pct check --only-matching --log combined *.log | less
  pct check --not --csv -c url visits.csv      The records without findings
  pct check --log combined --report json access.log.gz";

/// Explains the kinds of findings, in the long help of `check` and `stats`.
pub(super) const KINDS: &str = "\
Kinds:
  escape        A triplet: '%' and two hexadecimal digits
  plus          A raw '+', a space in form data
  malformed     A '%' without two hexadecimal digits
  nul           An encoded NUL: %00
  control       An encoded control character: %00 to %1F, %7F
  slash         An encoded '/': %2F
  backslash     An encoded '\\': %5C
  dot           An encoded '.': %2E
  percent       An encoded '%': %25
  unreserved    An escaped unreserved character: a letter, a digit, '-', '.', '_' or '~'
  path-end      An encoded '?' or '#': %3F, %23
  semicolon     A ';', raw or encoded
  lower-hex     A triplet with a lower-case hexadecimal digit (a to f)
  non-ascii     A raw non-ASCII byte, as in 'caf\u{e9}' (but not in 'caf%C3%A9')
  illegal       A raw byte that is illegal in a URI, such as a space, a quote or a non-ASCII byte
  invalid-utf8  A byte or triplet that is invalid UTF-8 after decoding
  dot-segment   A segment '.' or '..', raw or encoded, between slashes or backslashes (not counted by stats)
  empty-segment Two slashes or backslashes, raw or encoded, except after ':' (not counted by stats)
  double        A triplet that is encoded twice, as in %2541: double encoding
  unicode       A '%u' with four hexadecimal digits";

/// Explains how records are counted, in the same help texts.
pub(super) const COUNTING: &str = "\
Counting:
  A record counts once for each kind that occurs in it, as in all other commands.";

/// Find malformed percent-encoding
///
/// Also finds text that is invalid UTF-8 after decoding. Writes a line for each invalid record: the
/// position of its first finding, and what was found there. The exit code is 1 if anything was
/// found.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(after_long_help = format!("{}\n\n{KINDS}\n\n{COUNTING}", codec::long_help(EXAMPLES)))]
#[command(mut_arg("append", |argument| argument.hide(true)), mut_arg("append_as", |argument| argument.hide(true)))]
#[command(mut_arg("unsafe_controls", |argument| argument.hide(true)))]
pub(crate) struct CheckArguments {
    /// Also find these kinds, which --help explains
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    find: Vec<Kinds>,

    /// Write nothing and stop at the first finding
    #[arg(short, long, conflicts_with = "report")]
    pub(crate) quiet: bool,

    /// Write the records with findings, not messages
    ///
    /// Whole records, as grep writes lines; with --print-field, only their fields, as in 'grep -o'.
    /// A JSON report then goes to standard error.
    #[arg(long, conflicts_with_all = ["raw", "quiet"])]
    only_matching: bool,

    /// Write the records without findings, not messages
    ///
    /// As in 'grep -v'. The exit code is still 1 if anything was found.
    #[arg(long, conflicts_with_all = ["raw", "quiet", "only_matching"])]
    not: bool,

    /// Format of the findings
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = FindingsForm::Text)]
    pub(crate) report: FindingsForm,

    #[command(flatten)]
    pub(crate) rules: DecodingOptions,

    #[command(flatten)]
    pub(crate) format: FormatArguments,

    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// Format of the findings on standard output.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum FindingsForm {
    /// Human-readable text
    Text,
    /// One JSON object
    Json,
}

impl CheckArguments {
    /// Which records are written; with [`Filter::All`], none.
    pub(crate) fn filter(&self) -> Filter {
        match (self.only_matching, self.not) {
            (true, _) => Filter::Invalid,
            (_, true) => Filter::Valid,
            _ => Filter::All,
        }
    }

    pub(crate) fn wanted(&self) -> Kinds {
        self.find.iter().copied().collect()
    }
}

fn kinds() -> impl TypedValueParser<Value = Kinds> {
    let names = Kinds::ALL.iter().map(|&(_, name)| name);
    PossibleValuesParser::new(names).map(|chosen| Kinds::from_name(&chosen).unwrap_or_default())
}

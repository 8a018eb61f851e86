//! Arguments of `pct encode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::codec::{self, EncodingOptions};

const EXAMPLES: &str = "\
Examples:
  pct encode names.txt                              For any component of a URI
  pct encode --set path --keep-triplets paths.txt   Do not encode existing triplets again
  pct encode --set form < values.txt                'a b+c' becomes 'a+b%2Bc'
  pct encode --dialect python names.txt             As urllib.parse.quote does
  pct encode --csv -c name --append people.csv      Add a new column name_encoded";

/// Percent-encode text
///
/// Replaces each byte of the set (--set) by a triplet, '%' and two hexadecimal digits. Works line
/// by line: line ends, LF or CRLF, are unchanged. Any other CR is encoded.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = codec::long_help(EXAMPLES))]
#[command(mut_arg("only_matching", |argument| argument.hide(true)))]
pub(crate) struct EncodeArguments {
    #[command(flatten)]
    pub(crate) rules: EncodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

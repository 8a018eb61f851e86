//! The arguments of `pct encode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::codec::{self, EncodingOptions};

const EXAMPLES: &str = "\
Examples:
  pct encode names.txt                              For any component of a URI
  pct encode --set path --keep-triplets paths.txt   What is encoded already stays
  pct encode --set form < values.txt                'a b+c' becomes 'a+b%2Bc'
  pct encode --dialect python names.txt             As urllib.parse.quote does
  pct encode --csv -c name --append people.csv      A new column name_encoded";

/// Replace bytes that may not stand where the text will stand by triplets, '%' and two hexadecimal digits
///
/// Works line by line: line ends, LF or CRLF, stay as they are. Any other CR is encoded.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = codec::long_help(EXAMPLES))]
pub(crate) struct EncodeArguments {
    #[command(flatten)]
    pub(crate) meaning: EncodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

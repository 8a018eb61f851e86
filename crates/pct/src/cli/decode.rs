//! The arguments of `pct decode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::codec::{self, DecodingOptions};

const EXAMPLES: &str = "\
Examples:
  pct decode access.log                          Line by line; %0A and %0D stay escaped
  pct decode --plus < queries.txt                '+' is a space, as in forms
  pct decode --dialect java column.txt           As java.net.URLDecoder, so as Spark and Trino, does
  pct decode --keep reserved --reject %00 urls   Delimiters stay escaped, and NUL is an error
  pct decode -f 3,5 requests.tsv.gz              Only these fields of a compressed TSV
  pct decode --csv -c url,referer visits.csv     Only these columns
  pct decode --jsonl -k req.q --append log.json  A new member beside the old one
  tail -f access.log | pct decode --log combined";

/// Replace triplets, '%' and two hexadecimal digits, by the bytes they stand for
///
/// Works line by line: line ends stay as they are, and the triplets %0A and %0D stay escaped, so that the number of lines stays the
/// same. Any other byte is decoded, once: %2541 becomes %41.
///
/// A '%' without two hexadecimal digits is passed on as it is, unless --errors says otherwise. With --dialect, an error is what is an
/// error in that system.
///
/// On a terminal, control characters and those that change the direction of text are shown escaped, as %1B.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = codec::long_help(EXAMPLES))]
pub(crate) struct DecodeArguments {
    #[command(flatten)]
    pub(crate) meaning: DecodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

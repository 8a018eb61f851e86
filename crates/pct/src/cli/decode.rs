//! The arguments of `pct decode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;

const EXAMPLES: &str = "\
Examples:
  pct decode access.log                          Line by line; %0A and %0D stay escaped
  pct decode --plus < queries.txt                '+' is a space, as in forms
  pct decode -f 3,5 requests.tsv.gz              Only these fields of a compressed TSV
  pct decode --csv -c url,referer visits.csv     Only these columns
  pct decode --jsonl -k req.q --append log.json  A new member beside the old one
  tail -f access.log | pct decode --log combined";

/// Replace triplets, '%' and two hexadecimal digits, by the bytes they stand for
///
/// Works line by line: line ends stay as they are, and the triplets %0A and %0D stay escaped, so that there are as many lines
/// as before. Any other byte is decoded, once: %2541 becomes %41.
///
/// Logs are dirty, so a '%' that two hexadecimal digits do not follow is passed on as it is, unless --errors says otherwise.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DecodeArguments {
    /// Read '+' as a space, as forms do
    #[arg(long)]
    pub(crate) plus: bool,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

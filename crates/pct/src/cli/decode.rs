//! Arguments of `pct decode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::codec::{self, DecodingOptions};

const EXAMPLES: &str = "\
Examples:
  pct decode access.log                          Line by line; %0A and %0D stay escaped
  pct decode --plus < queries.txt                Also decode '+', as in forms
  pct decode --dialect java column.txt           As java.net.URLDecoder, and so Spark and Trino
  pct decode --keep reserved --reject %00 urls   Keep delimiters escaped; NUL is an error
  pct decode --reversible names.txt              %250A stays too, so it is not taken for %0A
  pct decode -f 3,5 requests.tsv.gz              Only these fields of a compressed TSV
  pct decode -c url,referer visits.csv           Only these columns of CSV
  pct decode -k req.q --append log.json          JSON Lines: add a new member 'q_decoded'
  pct decode --fallback windows-1252 old.txt     UTF-8, or else windows-1252
  pct decode --log '$host \"$request\"' my.log    By a template of nginx
  tail -f access.log | pct decode --log combined";

/// Decode percent-encoded text
///
/// Replaces each triplet, '%' and two hexadecimal digits, by its byte. Works line by line: line
/// ends are unchanged, and the triplets %0A and %0D stay escaped, so that the number of lines does
/// not change. Everything is decoded only once: %2541 becomes %41.
///
/// A '%' without two hexadecimal digits is kept, unless --errors says otherwise. With --dialect, an
/// error is whatever is an error in that implementation.
///
/// On a terminal, control characters and characters that change the text direction are shown
/// escaped, as %1B.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = codec::long_help(EXAMPLES))]
pub(crate) struct DecodeArguments {
    /// Keep %25 before two hexadecimal digits, so that the output can be decoded
    ///
    /// Otherwise %0A, which stays escaped, and %250A both become %0A. The output decodes to what
    /// the input decodes to. With --plus, '+' in it is a plus.
    #[arg(long, conflicts_with_all = ["dialect", "times", "charset", "fallback", "unicode"])]
    pub(crate) reversible: bool,

    #[command(flatten)]
    pub(crate) rules: DecodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

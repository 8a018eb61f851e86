//! Arguments of `pct repair`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;

const EXAMPLES: &str = "\
Examples:
  pct repair crawl.txt                  'http://e/a b|c' becomes 'http://e/a%20b%7Cc'
  pct repair -f 2 --append crawl.tsv    Add a new column with the repaired URIs";

/// Escape illegal characters in URIs
///
/// Escapes the bytes that are illegal in each component, so that the result is a valid URI.
/// Triplets and delimiters are unchanged, nothing is dropped, and a valid URI is never changed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("only_matching", |argument| argument.hide(true)))]
pub(crate) struct RepairArguments {
    #[command(flatten)]
    pub(crate) text: TextArguments,
}

//! The arguments of `pct repair`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;

const EXAMPLES: &str = "\
Examples:
  pct repair crawl.txt                  'http://e/a b|c' becomes 'http://e/a%20b%7Cc'
  pct repair -f 2 --append crawl.tsv    Beside the old ones";

/// Make valid URIs of dirty ones: escape in each component what must not stand there
///
/// Triplets and delimiters stay, nothing is dropped, and a valid URI is never changed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArguments {
    #[command(flatten)]
    pub(crate) text: TextArguments,
}

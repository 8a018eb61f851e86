//! The arguments of `pct normalize`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::meaning::NormalizingOptions;

const EXAMPLES: &str = "\
Examples:
  pct normalize urls.txt | sort -u     The same URIs are the same lines
  pct normalize -i --csv -c url *.csv  In place";

/// Bring triplets into their normal form (RFC 3986 6.2.2): unreserved characters decoded, digits in upper case
///
/// Nothing else changes, so that every URI still means what it meant: %7e becomes ~, and %2f becomes %2F.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NormalizeArguments {
    /// Make %25 of a '%' that two hexadecimal digits do not follow
    #[arg(long)]
    pub(crate) escape_malformed: bool,

    #[command(flatten)]
    pub(crate) meaning: NormalizingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

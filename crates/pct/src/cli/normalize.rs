//! The arguments of `pct normalize`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::codec::NormalizingOptions;

const EXAMPLES: &str = "\
Examples:
  pct normalize urls.txt | sort -u     URIs that differ in triplets alone are one line
  pct normalize -i --csv -c url *.csv  In place";

/// Bring triplets into their normal form (RFC 3986 6.2.2): unreserved characters decoded, digits in upper case
///
/// %7e becomes ~, and %2f becomes %2F. Nothing else changes, so that every URI still means what it meant: the case of scheme and host,
/// dot segments as in /a/../b, default ports and empty paths stay as they are (RFC 3986 6.2.2.1, 6.2.2.3, 6.2.3).
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

//! Arguments of `pct normalize`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::codec::NormalizingOptions;

const EXAMPLES: &str = "\
Examples:
  pct normalize urls.txt | sort -u     URIs that differ only in their triplets become one line
  pct normalize -i --csv -c url *.csv  In place";

/// Normalize percent-encoding (RFC 3986 6.2.2)
///
/// Decodes escaped unreserved characters and writes hexadecimal digits in upper case: %7e becomes
/// ~, and %2f becomes %2F. Nothing else changes, so every URI keeps its meaning. Not normalized are
/// the case of scheme and host, dot segments as in /a/../b, default ports and empty paths (RFC 3986
/// 6.2.2.1, 6.2.2.3, 6.2.3).
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NormalizeArguments {
    /// Escape a malformed '%' as %25
    #[arg(long)]
    pub(crate) escape_malformed: bool,

    #[command(flatten)]
    pub(crate) rules: NormalizingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

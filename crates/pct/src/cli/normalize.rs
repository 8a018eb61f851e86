//! Arguments of `pct normalize`.
#![forbid(unsafe_code)]

use clap::Args;
use clap::builder::PossibleValuesParser;
use simdpct::path::PathPolicy;

use super::TextArguments;
use crate::codec::NormalizingOptions;

const EXAMPLES: &str = "\
Examples:
  pct normalize --path default access.log --log   One path for what servers may treat as one
  pct normalize urls.txt | sort -u     URIs that differ only in their triplets become one line
  pct normalize -i --csv -c url *.csv  In place";

/// Normalize percent-encoding (RFC 3986 6.2.2)
///
/// Decodes escaped unreserved characters and writes hexadecimal digits in upper case: %7e becomes
/// ~, and %2f becomes %2F. Nothing else changes, so every URI keeps its meaning. Not normalized are
/// the case of scheme and host, dot segments as in /a/../b, default ports and empty paths (RFC 3986
/// 6.2.2.1, 6.2.2.3, 6.2.3). --path removes dot segments, too.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NormalizeArguments {
    /// Escape a malformed '%' as %25
    #[arg(long)]
    pub(crate) escape_malformed: bool,

    /// Make the path of each request target or URL canonical, or refuse it
    ///
    /// Removes dot segments, merges slashes, escapes illegal bytes, and refuses what the policy refuses: such
    /// records are invalid. 'default' is for routers, cache keys and access rules; 'strict' refuses whatever servers
    /// disagree about; the others do what the standard or server of that name does.
    #[arg(long, value_name = "POLICY", value_parser = PossibleValuesParser::new(PathPolicy::PRESETS.iter().map(|(name, _)| *name)))]
    path: Option<String>,

    #[command(flatten)]
    pub(crate) rules: NormalizingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

impl NormalizeArguments {
    /// The policy for paths, if they are made canonical.
    pub(crate) fn path(&self) -> Option<PathPolicy> {
        let name = self.path.as_ref()?;
        PathPolicy::PRESETS.iter().find(|(preset, _)| preset == name).map(|&(_, policy)| policy)
    }
}

//! Arguments of `pct info`.
#![forbid(unsafe_code)]

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  pct info
  SIMDPCT_LEVEL=scalar pct info";

/// Show the CPU level in use
///
/// Also shows the version and all other levels.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InfoArguments {}

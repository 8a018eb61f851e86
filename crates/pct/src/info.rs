//! `pct info`: the version and the CPU levels.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use clap::Args;
use simdpct::Level;

use crate::error::{Error, Status};
use crate::stdout;

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

impl InfoArguments {
    pub(crate) fn run(&self) -> Result<Status, Error> {
        let active = Level::active();
        let mut text = format!("pct {}\nlevel {active}\n", env!("CARGO_PKG_VERSION"));
        for &level in Level::ALL {
            let state = match (level == active, level.is_available()) {
                (true, _) => "in use",
                (false, true) => "available",
                (false, false) => "not on this machine",
            };
            // Writing to a String does not fail.
            let _ = writeln!(text, "  {:<7} {state}", level.name());
        }
        stdout::write(text.as_bytes()).map(|()| Status::Success)
    }
}

//! `pct info`: the version and the CPU levels.
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use simdpct::Level;

use super::stdout;
use crate::error::{Error, Status};

pub(super) fn info() -> Result<Status, Error> {
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

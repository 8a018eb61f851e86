//! Thin wrapper around the `pct` library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pct::main()
}

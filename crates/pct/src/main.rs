//! The program `pct`: all that it is stands in the library beside it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pct::main()
}

//! `simdpct-ballista`: a scheduler, executors and queries of Ballista, with the functions of
//! `simdpct-datafusion`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    simdpct_ballista::program::main()
}

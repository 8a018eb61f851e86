//! The program: starts the log and the threads, and runs the role that the arguments name.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use log::LevelFilter;
use simdpct_datafusion::program::Failure;

use crate::cli::{Arguments, Role};
use crate::{executor, query, scheduler};

/// The program.
pub fn main() -> ExitCode {
    let role = Arguments::parse().role;
    let (name, log) = match &role {
        Role::Scheduler(options) => ("simdpct-ballista scheduler", options.log),
        Role::Executor(options) => ("simdpct-ballista executor", options.log),
        Role::Query(options) => ("simdpct-ballista query", options.log),
    };
    start_log(log);
    // Plans are recursive, and unoptimized builds have large stack frames.
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(32 << 20).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return Failure::Query(format!("cannot start threads: {error}")).report(name),
    };
    let done = runtime.spawn(run(role));
    let result = runtime.block_on(done).unwrap_or_else(|error| Err(Failure::Query(error.to_string())));
    // Tasks may still run. Their results are not needed.
    runtime.shutdown_timeout(Duration::from_millis(100));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(name),
    }
}

async fn run(role: Role) -> Result<(), Failure> {
    match role {
        Role::Scheduler(options) => scheduler::run(options).await,
        Role::Executor(options) => executor::run(options).await,
        Role::Query(options) => query::run(options).await,
    }
}

/// Logs messages of this level and above on standard error, with time in UTC and module. `RUST_LOG`
/// has no effect.
fn start_log(level: LevelFilter) {
    // Fails if there is a logger already, as in tests: that logger stays.
    let _ = env_logger::Builder::new().filter_level(level).format_timestamp_millis().try_init();
}

//! Runs the commands: one file for each, or for each kind.
#![forbid(unsafe_code)]

mod check;
mod explain;
mod generate;
mod in_memory;
mod info;
mod inputs;
mod level;
mod recipe;
mod rewrite;
mod scan;
mod stats;
mod stdout;

use crate::cli::{Arguments, Command};
use crate::error::{Error, Status};

pub use in_memory::{InMemory, Outcome};

/// Runs the command that the arguments name.
pub(crate) fn run(arguments: &mut Arguments) -> Result<Status, Error> {
    level::check_environment()?;
    arguments.command.sort_arguments()?;
    if let Some(input) = arguments.command.input() {
        input.read_list()?;
    }
    match &arguments.command {
        Command::Rewrite(command) => rewrite::rewrite(&recipe::task(command)?),
        Command::Check(arguments) => check::check(arguments),
        Command::Stats(arguments) => stats::stats(arguments),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Info(_) => info::info(),
        Command::Completions(arguments) => generate::completions(arguments),
        Command::Man(arguments) => generate::man(arguments),
    }
}

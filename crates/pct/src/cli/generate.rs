//! Generated from the arguments: shell completions and man pages.
#![forbid(unsafe_code)]

use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Arguments;
use crate::error::{Error, Status};
use crate::stdout;

/// Generate shell completions
///
/// Writes them to standard output. For bash: pct completions bash >
/// ~/.local/share/bash-completion/completions/pct
#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// Shell to generate completions for
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a man page
///
/// Writes it to standard output. To read it: pct man decode | man -l -
#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Command to describe [default: pct itself]
    command: Option<String>,
}

impl CompletionsArguments {
    pub(crate) fn write(&self) -> Result<Status, Error> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "pct", &mut text);
        write(&text)
    }
}

impl ManArguments {
    pub(crate) fn write(&self) -> Result<Status, Error> {
        let mut command = Arguments::command();
        command.build();
        let command = match &self.command {
            None => command,
            Some(name) => match command.find_subcommand(name) {
                Some(found) => found.clone(),
                None => return Err(Error::Usage(format!("invalid command '{name}': expected a command of pct"))),
            },
        };
        let mut text = Vec::new();
        Man::new(command).render(&mut text).map_err(failed)?;
        write(&text)
    }
}

fn write(text: &[u8]) -> Result<Status, Error> {
    stdout::write(text).map(|()| Status::Success)
}

fn failed(error: io::Error) -> Error {
    Error::Output("standard output".into(), error)
}

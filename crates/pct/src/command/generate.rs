//! `pct completions` and `pct man`: text that is generated from the arguments.
#![forbid(unsafe_code)]

use std::io;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory};
use clap_mangen::Man;

use super::stdout;
use crate::cli::{Arguments, CompletionsArguments, ManArguments};
use crate::error::{Error, Status};

pub(super) fn completions(arguments: &CompletionsArguments) -> Result<Status, Error> {
    let mut text = Vec::new();
    let mut command = with_plain_descriptions(Arguments::command());
    clap_complete::generate(arguments.shell, &mut command, "pct", &mut text);
    write(&text)
}

/// A command whose values have descriptions that are plain words: clap_complete 4.6 does not escape
/// what means something in double quotes of fish and in lists of zsh.
fn with_plain_descriptions(command: Command) -> Command {
    let plain_value = |value: &PossibleValue| {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        value.clone().help(plain(&help).to_owned())
    };
    let plain_argument = |argument: Arg| {
        let values = argument.get_possible_values();
        if values.is_empty() {
            return argument;
        }
        argument.value_parser(PossibleValuesParser::new(values.iter().map(plain_value)))
    };
    command.mut_args(plain_argument).mut_subcommands(with_plain_descriptions)
}

/// The words before the first quote, bracket or the like; those after the last if there are none
/// before.
fn plain(text: &str) -> &str {
    let is_plain = |character: char| character.is_alphanumeric() || " .,;:/-%".contains(character);
    let ends = |character: char| !character.is_alphanumeric();
    let before = text.split(|character| !is_plain(character)).next().unwrap_or_default().trim_matches(ends);
    let after = || text.rsplit(|character| !is_plain(character)).next().unwrap_or_default().trim_matches(ends);
    if before.is_empty() { after() } else { before }
}

pub(super) fn man(arguments: &ManArguments) -> Result<Status, Error> {
    let mut command = Arguments::command();
    command.build();
    let command = match &arguments.command {
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

fn write(text: &[u8]) -> Result<Status, Error> {
    stdout::write(text).map(|()| Status::Success)
}

fn failed(error: io::Error) -> Error {
    Error::Output("standard output".into(), error)
}

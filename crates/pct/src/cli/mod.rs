//! Command-line arguments: one file for each command, and one for each shared group of options.
#![forbid(unsafe_code)]

mod check;
mod compare;
mod decode;
mod encode;
mod errors;
mod explain;
mod filter;
mod form;
mod format;
mod generate;
mod get;
mod info;
mod input;
mod normalize;
mod output;
mod reading;
mod repair;
mod stats;

use clap::{Args, Parser, Subcommand};

use crate::error::Error;

pub(crate) use check::{CheckArguments, FindingsForm};
pub(crate) use compare::CompareArguments;
pub(crate) use decode::DecodeArguments;
pub(crate) use encode::EncodeArguments;
pub(crate) use errors::{ErrorArguments, ReportForm};
pub(crate) use explain::{ExplainArguments, When};
pub(crate) use filter::FilterArguments;
pub(crate) use form::FormArguments;
pub(crate) use format::{FormatArguments, Results};
pub(crate) use generate::{CompletionsArguments, ManArguments};
pub(crate) use get::GetArguments;
pub(crate) use info::InfoArguments;
pub(crate) use input::InputArguments;
pub(crate) use normalize::{NormalizeArguments, UrlForm};
pub(crate) use output::OutputArguments;
pub(crate) use repair::RepairArguments;
pub(crate) use stats::StatsArguments;

const AFTER_HELP: &str = "\
Environment:
  SIMDPCT_LEVEL  CPU instructions to use: scalar, sse41, avx2, avx512 or neon
                 (default: the best available; the output does not depend on it)
  NO_COLOR       If set, disables colours in help and messages

Exit codes:
  0  Success (also on a closed output pipe)
  1  Too many invalid records (only with --errors fail or --max-errors); findings of 'check'
  2  Invalid usage
  3  A file could not be read, or the output could not be written";

/// Percent-decode and percent-encode files and streams.
#[derive(Debug, Parser)]
#[command(name = "pct", version, propagate_version = true, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Rewrite(Box<RewriteCommand>),
    Check(CheckArguments),
    Stats(StatsArguments),
    Explain(ExplainArguments),
    Info(InfoArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
}

/// Commands that rewrite text.
#[derive(Debug, Subcommand)]
pub(crate) enum RewriteCommand {
    Decode(DecodeArguments),
    Encode(EncodeArguments),
    Normalize(NormalizeArguments),
    Repair(RepairArguments),
    Get(GetArguments),
    Form(FormArguments),
}

impl Command {
    /// Takes the first argument of a command for a file, if an option has its meaning.
    pub(crate) fn sort_arguments(&mut self) -> Result<(), Error> {
        if let Self::Rewrite(command) = self
            && let RewriteCommand::Get(arguments) = &mut **command
        {
            return arguments.sort_arguments();
        }
        Ok(())
    }

    /// The input of a command that reads files.
    pub(crate) fn input(&mut self) -> Option<&mut InputArguments> {
        match self {
            Self::Rewrite(command) => Some(&mut command.text().input),
            Self::Check(arguments) => Some(&mut arguments.input),
            Self::Stats(arguments) => Some(&mut arguments.input),
            Self::Explain(_) | Self::Info(_) | Self::Completions(_) | Self::Man(_) => None,
        }
    }
}

impl RewriteCommand {
    fn text(&mut self) -> &mut TextArguments {
        match self {
            Self::Decode(arguments) => &mut arguments.text,
            Self::Encode(arguments) => &mut arguments.text,
            Self::Normalize(arguments) => &mut arguments.text,
            Self::Repair(arguments) => &mut arguments.text,
            Self::Get(arguments) => &mut arguments.text,
            Self::Form(arguments) => &mut arguments.text,
        }
    }
}

/// Options of all commands that rewrite text.
#[derive(Args, Debug)]
pub(crate) struct TextArguments {
    #[command(flatten)]
    pub(crate) format: FormatArguments,

    #[command(flatten)]
    pub(crate) errors: ErrorArguments,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,

    #[command(flatten)]
    pub(crate) compare: CompareArguments,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) input: InputArguments,
}

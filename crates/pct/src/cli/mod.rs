//! What can be asked for on the command line: one file for each command's arguments, and one for each group that they share.
#![forbid(unsafe_code)]

mod check;
mod decode;
mod encode;
mod errors;
mod form;
mod format;
mod generate;
mod input;
mod normalize;
mod output;
mod repair;
mod stats;

use clap::{Args, Parser, Subcommand};

pub(crate) use check::{CheckArguments, FindingsForm};
pub(crate) use decode::DecodeArguments;
pub(crate) use encode::EncodeArguments;
pub(crate) use errors::{ErrorArguments, ReportForm};
pub(crate) use form::FormArguments;
pub(crate) use format::UnitArguments;
pub(crate) use generate::{CompletionsArguments, ManArguments};
pub(crate) use input::InputArguments;
pub(crate) use normalize::NormalizeArguments;
pub(crate) use output::OutputArguments;
pub(crate) use repair::RepairArguments;
pub(crate) use stats::StatsArguments;

use crate::info::InfoArguments;

const AFTER_HELP: &str = "\
Environment:
  SIMDPCT_LEVEL  The CPU instructions to use: scalar, sse41, avx2, avx512 or neon.
                 By default the best there are; the result is always the same.
  NO_COLOR       If set, help and messages have no colour.

Exit codes:
  0  Done (a reader of the output that has seen enough included)
  1  The text is malformed or not UTF-8 (only with --errors fail or --max-errors); 'check' found something
  2  Bad usage
  3  A file could not be read, or the output not written";

/// Percent-decode and -encode files and streams.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Rewrite(RewriteCommand),
    Check(CheckArguments),
    Stats(StatsArguments),
    Info(InfoArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
}

/// The commands that rewrite text.
#[derive(Debug, Subcommand)]
pub(crate) enum RewriteCommand {
    Decode(DecodeArguments),
    Encode(EncodeArguments),
    Normalize(NormalizeArguments),
    Repair(RepairArguments),
    Form(FormArguments),
}

/// What every command that rewrites text takes.
#[derive(Args, Debug)]
pub(crate) struct TextArguments {
    #[command(flatten)]
    pub(crate) units: UnitArguments,

    #[command(flatten)]
    pub(crate) errors: ErrorArguments,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) input: InputArguments,
}

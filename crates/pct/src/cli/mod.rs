//! What can be asked for on the command line: one file for each command's arguments, and one for each group that they share.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod errors;
mod generate;
mod normalize;
mod output;
mod repair;
mod set_name;
mod units;

use clap::{Args, Parser, Subcommand};

pub(crate) use decode::DecodeArguments;
pub(crate) use encode::EncodeArguments;
pub(crate) use errors::{ErrorArguments, ReportForm};
pub(crate) use generate::{CompletionsArguments, ManArguments};
pub(crate) use normalize::NormalizeArguments;
pub(crate) use output::OutputArguments;
pub(crate) use repair::RepairArguments;
pub(crate) use units::UnitArguments;

use crate::source::Source;

const AFTER_HELP: &str = "\
Environment:
  SIMDPCT_LEVEL  The CPU instructions to use: scalar, sse41, avx2, avx512 or neon.
                 By default the best there are; the result is always the same.
  NO_COLOR       If set, help and messages have no colour.

Exit codes:
  0  Done (a reader of the output that has seen enough included)
  1  The text is malformed or not UTF-8 (only with --errors fail or --max-errors)
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
    Decode(DecodeArguments),
    Encode(EncodeArguments),
    Normalize(NormalizeArguments),
    Repair(RepairArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
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

    /// Files to read, one after the other; '-' is standard input
    ///
    /// What gzip, zstd, bzip2 or xz have compressed is read as what it says.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<Source>,
}

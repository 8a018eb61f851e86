//! What can be asked for on the command line.
#![forbid(unsafe_code)]

use clap::{Args, Parser, Subcommand};

use crate::input::Source;
use crate::meaning::{self, DecodingOptions, EncodingOptions};
use crate::pieces::Unit;

const AFTER_HELP: &str = "\
Environment:
  SIMDPCT_LEVEL  The CPU instructions to use: scalar, sse41, avx2, avx512 or neon.
                 By default the best there are; the result is always the same.

Exit codes:
  0  Done (a reader of the output that has seen enough included)
  1  The text is malformed (only with --strict)
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
    Decode(DecodeOptions),
    Encode(EncodeOptions),
}

/// Replace triplets, '%' and two hexadecimal digits, by the bytes they stand for
///
/// Works line by line: line ends stay as they are, and the triplets %0A and %0D stay escaped, so that there are as many lines
/// as before. Any other byte is decoded, once: %2541 becomes %41.
///
/// Logs are dirty, so a '%' that two hexadecimal digits do not follow is passed on as it is, unless --strict is given.
#[derive(Args, Debug)]
#[command(after_long_help = meaning::table())]
pub(crate) struct DecodeOptions {
    #[command(flatten)]
    pub(crate) meaning: DecodingOptions,

    /// Stop at the first malformed '%', say where it is, and exit with code 1
    ///
    /// All lines before that one are written. (Of a line longer than 256 KiB, so may be its beginning; with --raw, so is all
    /// that comes before the '%'.)
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) input: InputOptions,
}

/// Replace bytes that may not stand where the text will stand by triplets, '%' and two hexadecimal digits
///
/// Works line by line: line ends, LF or CRLF, stay as they are. Any other CR is encoded.
#[derive(Args, Debug)]
#[command(after_long_help = meaning::table())]
pub(crate) struct EncodeOptions {
    #[command(flatten)]
    pub(crate) meaning: EncodingOptions,

    #[command(flatten)]
    pub(crate) input: InputOptions,
}

#[derive(Args, Debug)]
pub(crate) struct InputOptions {
    /// Take each file as one text, its line ends as bytes like any others
    #[arg(long)]
    raw: bool,

    /// Files to read, one after the other; '-' is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<Source>,
}

impl InputOptions {
    pub(crate) fn unit(&self) -> Unit {
        if self.raw { Unit::Text } else { Unit::Line }
    }
}

//! Where the output goes, and how many threads make it.
#![forbid(unsafe_code)]

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use crate::source::Compression;

#[derive(Args, Debug)]
#[command(next_help_heading = "Input and output")]
pub(crate) struct OutputArguments {
    /// Write to this file; it is replaced when all is done, and stays as it is if anything goes wrong
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write each file's output to the file itself, compressed as it was; it stays as it is if anything goes wrong
    #[arg(short, long, conflicts_with = "output")]
    pub(crate) in_place: bool,

    /// Compress the output
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) output_compression: Option<Compression>,

    /// Read compressed files as they are
    #[arg(long)]
    pub(crate) no_decompress: bool,

    /// Work on so many threads; by default on all cores. The output is always the same
    #[arg(short = 'j', long, value_name = "N")]
    pub(crate) threads: Option<NonZero<usize>>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

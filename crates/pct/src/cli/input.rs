//! What is read, and by how many threads.
#![forbid(unsafe_code)]

use std::num::NonZero;

use clap::Args;

use crate::source::Source;

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArguments {
    /// Read compressed files as they are
    #[arg(long)]
    pub(crate) no_decompress: bool,

    /// Number of threads, at least 1 [default: the number of cores]; the output is always the same
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZero<usize>>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Files to read, one after the other; '-' is standard input
    ///
    /// Files that gzip, zstd, bzip2 or xz compressed are decompressed. A last record without its end gets one before the next file.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<Source>,
}

fn threads(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a number of at least 1".into())
}

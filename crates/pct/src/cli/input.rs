//! Input options: files, decompression, threads, progress bar.
#![forbid(unsafe_code)]

use std::num::NonZero;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::source::Source;

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArguments {
    /// Do not decompress compressed files
    #[arg(long)]
    pub(crate) no_decompress: bool,

    /// Number of threads [default: number of cores]
    ///
    /// The output does not depend on it.
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZero<usize>>,

    /// Do not show a progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Files to read in order; '-' is standard input
    ///
    /// gzip, zstd, bzip2 and xz files are decompressed automatically. If the last record of a file
    /// has no end, one is added before the next file.
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<Source>,

    /// Process this text instead of files
    ///
    /// May be given several times: each text is a record.
    #[arg(short = 's', long = "string", value_name = "TEXT", value_parser = OsStringValueParser::new().map(Source::Text))]
    #[arg(allow_hyphen_values = true, conflicts_with = "files")]
    texts: Vec<Source>,
}

impl InputArguments {
    /// The inputs, in order.
    pub(crate) fn sources(&self) -> &[Source] {
        if self.texts.is_empty() { &self.files } else { &self.texts }
    }
}

fn threads(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a number of at least 1".into())
}

//! Where the output goes.
#![forbid(unsafe_code)]

use std::path::PathBuf;

use clap::Args;

use crate::source::Compression;

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Write to this file; it is replaced when all is done, and stays as it is if anything goes wrong
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write each file's output to the file itself, compressed as it was; it stays as it is if anything goes wrong
    #[arg(short, long, conflicts_with = "output")]
    pub(crate) in_place: bool,

    /// Rewrite binary files in place, too
    ///
    /// Without it, files of known binary formats, UTF-16 text and files with a NUL byte among their first 64 KiB are reported and left
    /// as they are. With -0, NUL bytes are text.
    #[arg(long, requires = "in_place")]
    pub(crate) binary: bool,

    /// Compress the output
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) output_compression: Option<Compression>,
}

//! Input options: files, decompression, threads, progress bar.
#![forbid(unsafe_code)]

use std::num::NonZero;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::error::Error;
use crate::source::{BLOCK, Source};

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

    /// Longest record that is held in memory, such as 64M
    ///
    /// In bytes, or with K, M or G. A longer one ends its input with an error; --errors skip copies
    /// it, and drop leaves it out. 'decode', 'encode', 'normalize' and 'check' hold no lines. By
    /// default, memory is the limit.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_record: Option<u64>,

    /// Do not show a progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Files to read in order; '-' is standard input [default: -]
    ///
    /// gzip, zstd, bzip2 and xz files are decompressed automatically. If the last record of a file
    /// has no end, one is added before the next file.
    #[arg(value_name = "FILE")]
    files: Vec<Source>,

    /// What is read if nothing else is given.
    #[arg(skip = [Source::StandardInput])]
    default: [Source; 1],

    /// Read the names of the files from FILE; '-' is standard input
    ///
    /// Each name ends with NUL, as by 'find -print0'.
    #[arg(long, value_name = "FILE", conflicts_with = "files", value_parser = OsStringValueParser::new().map(Source::from))]
    files_from: Option<Source>,

    /// The files named there, once it is read.
    #[arg(skip)]
    listed: Vec<Source>,

    /// Process this text instead of files
    ///
    /// May be given several times: each text is a record.
    #[arg(short = 's', long = "string", value_name = "TEXT", value_parser = OsStringValueParser::new().map(Source::Text))]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["files", "files_from"])]
    texts: Vec<Source>,
}

impl InputArguments {
    /// The inputs, in order.
    pub(crate) fn sources(&self) -> &[Source] {
        match (self.texts.is_empty(), &self.files_from) {
            (false, _) => &self.texts,
            (_, Some(_)) => &self.listed,
            _ if self.files.is_empty() => &self.default,
            _ => &self.files,
        }
    }

    /// Adds a file before the others.
    pub(crate) fn add_first(&mut self, file: Source) -> Result<(), Error> {
        if !self.texts.is_empty() || self.files_from.is_some() {
            return Err(Error::Usage(format!(
                "invalid file '{file}': expected no files with --string or --files-from"
            )));
        }
        self.files.insert(0, file);
        Ok(())
    }

    /// Reads the list of `--files-from`, if it is given.
    pub(crate) fn read_list(&mut self) -> Result<(), Error> {
        let Some(list) = &self.files_from else { return Ok(()) };
        self.listed = list.names().map_err(|error| Error::Input(list.to_string(), error))?;
        Ok(())
    }
}

/// Parses a number of bytes. Shorter records are processed in blocks.
fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.as_bytes() {
        [number @ .., b'K' | b'k'] => (number, 1 << 10),
        [number @ .., b'M' | b'm'] => (number, 1 << 20),
        [number @ .., b'G' | b'g'] => (number, 1 << 30),
        number => (number, 1),
    };
    let number = str::from_utf8(number).ok().and_then(|number| number.parse::<u64>().ok());
    let size = number.and_then(|number| number.checked_mul(unit)).filter(|&size| size >= BLOCK as u64);
    size.ok_or_else(|| format!("expected a number of at least {}K, with K, M or G after it", BLOCK >> 10))
}

fn threads(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a number of at least 1".into())
}

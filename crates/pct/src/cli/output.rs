//! Output options: file, in-place rewriting, compression.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::source::Compression;

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Write to this file
    ///
    /// The file is replaced at the end. If there is an error, it is left unchanged. The output is
    /// compressed if the name ends with .gz, .zst, .bz2 or .xz, unless --output-compression says
    /// otherwise.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Rewrite each file in place
    ///
    /// The compression of the file is kept. If there is an error, or nothing changes, the file is
    /// left as it is. Otherwise a new file replaces the old one, as with 'sed -i'. It has the mode
    /// of the old one, and its owner and group if that is permitted. Access control lists and
    /// extended attributes are not copied. Other hard links keep the old text; a symbolic link is
    /// followed. Several files are rewritten at once.
    #[arg(short, long, conflicts_with_all = ["output", "texts"])]
    pub(crate) in_place: bool,

    /// Keep the old file, with SUFFIX after its name
    ///
    /// As with 'sed -i.bak'. An older file of that name is replaced. A file that does not change
    /// gets no backup.
    #[arg(long, value_name = "SUFFIX", requires = "in_place", value_parser = backup)]
    pub(crate) backup: Option<OsString>,

    /// Also rewrite binary files in place
    ///
    /// Without it, files of known binary formats, UTF-16 text and files with a NUL byte in their
    /// first 64 KiB are reported and left unchanged. With -0, NUL bytes are text.
    #[arg(long, requires = "in_place")]
    pub(crate) binary: bool,

    /// Compress the output in this format
    ///
    /// By default, the name of --output determines the format. With --in-place, it is that of the
    /// file.
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) output_compression: Option<Compression>,
}

impl OutputArguments {
    /// Compression of a single output.
    pub(crate) fn compression(&self) -> Compression {
        let by_name = || self.output.as_deref().map_or(Compression::None, by_name);
        self.output_compression.unwrap_or_else(by_name)
    }
}

/// Parses the suffix of backups: a suffix with a slash would name another directory.
fn backup(suffix: &str) -> Result<OsString, String> {
    match suffix.contains(std::path::is_separator) || suffix.is_empty() {
        false => Ok(suffix.into()),
        true => Err("expected a suffix of file names, such as '.bak'".into()),
    }
}

fn by_name(path: &Path) -> Compression {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Compression::Gzip,
        Some("zst") => Compression::Zstd,
        Some("bz2") => Compression::Bzip2,
        Some("xz") => Compression::Xz,
        _ => Compression::None,
    }
}

//! Columnar input: a file, or a copy of a stream in a temporary one.
#![forbid(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, Read, Seek};

use crate::source::{Columnar, Compression, Opened, Source};

pub(crate) struct Input {
    pub(super) format: Columnar,
    pub(super) content: Content,
}

pub(super) enum Content {
    File(File),
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Files are read from their ends, so a pipe or a compressed file is copied first.
    pub(crate) fn new(format: Columnar, source: &Source, opened: Opened) -> io::Result<Self> {
        let is_regular = |path| fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let content = match source.path() {
            _ if format == Columnar::ArrowStream => Content::Stream(opened.text),
            Some(path) if opened.compression == Compression::None && is_regular(path) => {
                Content::File(File::open(path)?)
            }
            _ => Content::File(copied(opened.text)?),
        };
        Ok(Self { format, content })
    }
}

/// A temporary file without a name.
fn copied(mut content: impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut content, &mut file)?;
    file.rewind()?;
    Ok(file)
}

/// The error of a file that is not what it should be.
pub(super) fn invalid(message: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_string())
}

//! Recognises columnar files by their first bytes and their names.
#![forbid(unsafe_code)]

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use super::{Compression, Opened, Source};

/// A columnar format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Columnar {
    Parquet,
    /// The Arrow IPC file format, also known as Feather V2.
    ArrowFile,
    ArrowStream,
}

impl Columnar {
    /// The format of a content that begins with `head`. Its end must be checked, too: text may
    /// begin like a Parquet file.
    fn of_head(head: &[u8]) -> Option<Self> {
        match head {
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            b"ARROW1\0\0" => Some(Self::ArrowFile),
            [0xFF, 0xFF, 0xFF, 0xFF, ..] => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// The format that the name of a file promises.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" => Some(Self::ArrowFile),
            "arrows" => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// The last bytes of a file.
    fn end(self) -> &'static [u8] {
        match self {
            Self::Parquet => b"PAR1",
            Self::ArrowFile => b"ARROW1",
            Self::ArrowStream => b"",
        }
    }
}

#[cfg(not(feature = "columns"))]
impl Columnar {
    pub(crate) fn unsupported(self) -> io::Error {
        let message = format!("{self}: expected a pct that was built with the feature 'columns'");
        io::Error::new(io::ErrorKind::Unsupported, message)
    }
}

impl fmt::Display for Columnar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parquet => "Apache Parquet",
            Self::ArrowFile => "Apache Arrow IPC",
            Self::ArrowStream => "Apache Arrow IPC stream",
        })
    }
}

/// Recognises a columnar file by its first and last bytes. Returns the input from its first byte.
pub(crate) fn recognise(source: &Source, opened: Opened) -> io::Result<(Opened, Option<Columnar>)> {
    let Opened { mut text, compression } = opened;
    let mut head = Vec::new();
    text.by_ref().take(8).read_to_end(&mut head)?;
    let text: Box<dyn Read + Send> = Box::new(Cursor::new(head.clone()).chain(text));
    let mut format = Columnar::of_head(&head);
    if let Some(path) = source.path() {
        let is_promised = || Columnar::of_name(path).is_some();
        if let Some(found) = format
            && compression == Compression::None
            && !is_promised()
            && !ends_with(path, found.end()).unwrap_or(true)
        {
            format = None;
        }
        if format.is_none() && is_promised() && !head.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the file is not in the format of its name"));
        }
    }
    Ok((Opened { text, compression }, format))
}

/// Refuses a columnar file without selected columns.
pub(crate) fn refuse(source: &Source, opened: Opened) -> io::Result<Opened> {
    let is_promised = source.path().is_some_and(|path| Columnar::of_name(path).is_some());
    if !is_promised {
        return Ok(opened);
    }
    match recognise(source, opened) {
        Ok((_, Some(format))) => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("invalid lines: expected --columns for {format}")))
        }
        Ok((opened, None)) => Ok(opened),
        Err(error) => Err(error),
    }
}

fn ends_with(path: &Path, end: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-(end.len() as i64)))?;
    let mut last = Vec::new();
    file.read_to_end(&mut last)?;
    Ok(last == end)
}

//! Input: files and standard input, decompressed, in blocks.
//!
//! Files are read, not memory-mapped. Copying into a cache-resident buffer takes one half to two
//! thirds of the time of page faults (a warm file of 1 GiB: 0.11 s and 0.19 s on tmpfs, 0.06 s and
//! 0.09 s on ext4). Truncating a mapped file kills its reader, and writing to it changes memory
//! that the code relies on not to change.
#![forbid(unsafe_code)]

pub(crate) mod binary;
mod blocks;
pub(crate) mod columnar;
mod magic;
pub(crate) mod standard;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

pub(crate) use blocks::{BLOCK, BYTE_ORDER_MARK, Blocks, Buffer, Cut, Scanner, Separated, WholeInput};
pub(crate) use columnar::Columnar;
pub(crate) use magic::Compression;

use memchr::{memchr, memmem};
use simdpct::{Kinds, inspect};

/// A command-line argument that names an input, or is one.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    StandardInput,
    File(PathBuf),
    /// The text itself.
    Text(OsString),
}

/// An opened input.
pub(crate) struct Opened {
    /// The decompressed content.
    pub(crate) text: Box<dyn Read + Send>,
    pub(crate) compression: Compression,
}

impl Source {
    /// Opens the input; with `decompress`, detects and removes compression. `watch` is called with
    /// the number of bytes of each read. A text is a record, which gets the end that records have,
    /// if any.
    pub(crate) fn open(
        &self,
        decompress: bool,
        ending: Option<u8>,
        watch: impl Fn(u64) + Send + 'static,
    ) -> io::Result<Opened> {
        let input: Box<dyn Read + Send> = match self {
            Self::StandardInput => Box::new(CountingReader { input: standard::Input::new(), watch }),
            Self::File(path) => {
                let input = File::open(path).map_err(|error| with_hint(error, path))?;
                Box::new(CountingReader { input, watch })
            }
            Self::Text(text) => {
                let text: Vec<u8> = text.as_encoded_bytes().iter().copied().chain(ending).collect();
                return Ok(Opened { text: Box::new(Cursor::new(text)), compression: Compression::None });
            }
        };
        if decompress { magic::decompress(input) } else { Ok(Opened { text: input, compression: Compression::None }) }
    }

    /// Rejects inputs that cannot be rewritten in place: standard input, FIFOs, sockets, devices
    /// and directories. Must precede opening, which might block on a FIFO.
    pub(crate) fn check_regular(&self) -> io::Result<()> {
        match self {
            Self::File(path) if fs::metadata(path)?.is_file() => Ok(()),
            Self::File(path) if path.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            _ => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, "invalid file for --in-place: expected a regular file"))
            }
        }
    }

    /// The files whose names it has, each with a NUL at its end.
    pub(crate) fn names(&self) -> io::Result<Vec<Self>> {
        let mut list = Vec::new();
        self.open(true, None, |_| ())?.text.read_to_end(&mut list)?;
        if memchr(0, &list).is_none() && memchr(b'\n', &list).is_some() {
            let message = "invalid list of files: expected names that end with NUL, as by 'find -print0'";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let list = list.strip_suffix(b"\0").unwrap_or(&list);
        let names = list.split(|&byte| byte == 0).filter(|_| !list.is_empty());
        names.map(|name| name_of(name).map(|name| Self::File(name.into()))).collect()
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::StandardInput | Self::Text(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

/// Adds a hint to the error about a missing file whose name looks like the text to process.
fn with_hint(error: io::Error, path: &Path) -> io::Error {
    let name = path.as_os_str().as_encoded_bytes();
    let is_text = inspect(name).contains(Kinds::ESCAPE) || memmem::find(name, b"://").is_some();
    if error.kind() != io::ErrorKind::NotFound || !is_text {
        return error;
    }
    io::Error::new(error.kind(), format!("{error}; to process this text itself, use -s"))
}

#[cfg(unix)]
fn name_of(bytes: &[u8]) -> io::Result<&OsStr> {
    use std::os::unix::ffi::OsStrExt;

    Ok(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn name_of(bytes: &[u8]) -> io::Result<&OsStr> {
    str::from_utf8(bytes).map(OsStr::new).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reports the number of bytes read.
struct CountingReader<R, W> {
    input: R,
    watch: W,
}

impl<R: Read, W: Fn(u64)> Read for CountingReader<R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        (self.watch)(length as u64);
        Ok(length)
    }
}

impl From<OsString> for Source {
    fn from(argument: OsString) -> Self {
        if argument == "-" { Self::StandardInput } else { Self::File(argument.into()) }
    }
}

impl Source {
    /// The bytes of a file name that is not UTF-8.
    pub(crate) fn name_bytes(&self) -> Option<Vec<u8>> {
        let bytes = self.path()?.as_os_str().as_encoded_bytes();
        str::from_utf8(bytes).err().map(|_| bytes.to_vec())
    }
}

/// The name in messages. Bytes of a file name that are not UTF-8 are escaped, as `\xff`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandardInput => f.write_str("<stdin>"),
            Self::Text(_) => f.write_str("<text>"),
            Self::File(path) => path.as_os_str().as_encoded_bytes().utf8_chunks().try_for_each(|chunk| {
                f.write_str(chunk.valid())?;
                chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))
            }),
        }
    }
}

//! Output: standard output, or a file that is replaced atomically; optionally compressed.
#![forbid(unsafe_code)]

mod atomic_file;
mod compress;
mod interrupt;

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use memchr::memrchr;

use crate::error::Error;
use crate::shown::Filter;
use crate::source::{BYTE_ORDER_MARK, Compression};
use crate::standard;
use atomic_file::AtomicFile;
use compress::Compressor;

/// An output. If dropped unfinished, it leaves no file.
pub(crate) struct Sink {
    name: String,
    compressor: Compressor<Target>,
    end: End,
    terminal: Option<Terminal>,
}

/// Filter for output to a terminal.
struct Terminal {
    filter: Filter,
    /// Buffer for the filtered text.
    shown: Vec<u8>,
}

/// State of the end of the output.
#[derive(Default)]
struct End {
    last: Option<u8>,
    /// Whether its last line end was CRLF.
    is_crlf: bool,
    /// Record end that must precede further output.
    needed: Option<u8>,
}

/// Destination of bytes.
pub(crate) enum Target {
    StandardOutput(standard::Output),
    /// A device or a pipe, which cannot be replaced.
    Special(File),
    File(AtomicFile),
    /// Discards all output.
    Nowhere,
    Memory(Vec<u8>),
}

impl Sink {
    pub(crate) fn standard_output(compression: Compression) -> Result<Self, Error> {
        Self::new("standard output".into(), Target::StandardOutput(standard::Output::new()), compression)
    }

    /// Opens a file for output. It need not exist, and is unchanged until `finish`.
    pub(crate) fn file(path: &Path, compression: Compression) -> Result<Self, Error> {
        let name = path.display().to_string();
        let target = atomic_file::open(path).map_err(|error| Error::Output(name.clone(), error))?;
        Self::new(name, target, compression)
    }

    pub(crate) fn nowhere() -> Result<Self, Error> {
        Self::new("nowhere".into(), Target::Nowhere, Compression::None)
    }

    pub(crate) fn memory() -> Self {
        let compressor = Compressor::None(Target::Memory(Vec::new()));
        Self { name: "memory".into(), compressor, end: End::default(), terminal: None }
    }

    /// The bytes written to memory.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        match self.compressor {
            Compressor::None(Target::Memory(bytes)) => bytes,
            _ => Vec::new(),
        }
    }

    fn new(name: String, target: Target, compression: Compression) -> Result<Self, Error> {
        if compression != Compression::None && target.is_terminal() {
            let problem = "invalid --output-compression: expected an output that is no terminal";
            return Err(Error::Usage(problem.into()));
        }
        match Compressor::new(target, compression) {
            Ok(compressor) => Ok(Self { name, compressor, end: End::default(), terminal: None }),
            Err(error) => Err(Error::Output(name, error)),
        }
    }

    /// Writes immediately, without buffering, so that the reader of a pipe sees output at once.
    pub(crate) fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(ending) = self.end.follow_with(text) {
            self.put(ending)?;
        }
        self.put(text)
    }

    /// Writes a byte order mark, which is not part of a record.
    pub(crate) fn write_mark(&mut self) -> Result<(), Error> {
        self.put(BYTE_ORDER_MARK)
    }

    fn put(&mut self, text: &[u8]) -> Result<(), Error> {
        let text = match &mut self.terminal {
            None => text,
            Some(Terminal { filter, shown }) => {
                shown.clear();
                filter.feed(text, shown);
                shown
            }
        };
        self.compressor.write(text).map_err(|error| Error::Output(self.name.clone(), error))
    }

    /// Filters the output, if it goes to a terminal.
    pub(crate) fn show(&mut self, filter: Filter) {
        if matches!(&self.compressor, Compressor::None(target) if target.is_terminal()) {
            self.terminal = Some(Terminal { filter, shown: Vec::new() });
        }
    }

    /// Before further output, terminates the last record with `ending` if it lacks an end.
    pub(crate) fn end_record(&mut self, ending: u8) {
        self.end.needed = Some(ending);
    }

    /// Whether output may be held back until more is written, or [`flush`](Self::flush).
    pub(crate) fn holds_back(&self) -> bool {
        !matches!(self.compressor, Compressor::None(_))
    }

    /// Writes held-back output.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.compressor.flush().map_err(|error| Error::Output(self.name.clone(), error))
    }

    /// Completes the output; a file takes its name only now.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        if let Some(Terminal { mut filter, mut shown }) = self.terminal.take() {
            shown.clear();
            filter.finish(&mut shown);
            self.put(&shown)?;
        }
        self.compressor.finish().and_then(Target::finish).map_err(|error| Error::Output(self.name, error))
    }
}

impl End {
    /// Records the end of the text that is written next. Returns the record end that must be
    /// written before it.
    fn follow_with(&mut self, text: &[u8]) -> Option<&'static [u8]> {
        let needed = self.needed.take().filter(|&ending| self.last.is_some_and(|last| last != ending));
        let ending: Option<&[u8]> = needed.map(|ending| match ending {
            b'\n' if self.is_crlf => &b"\r\n"[..],
            b'\n' => b"\n",
            _ => b"\0",
        });
        self.last = text.last().copied();
        // Blocks end with a record's end, so the search is short.
        if self.last != Some(b'\0')
            && let Some(at) = memrchr(b'\n', text)
        {
            self.is_crlf = text[..at].ends_with(b"\r");
        }
        ending
    }
}

impl Target {
    fn is_terminal(&self) -> bool {
        match self {
            Self::StandardOutput(output) => output.is_terminal(),
            Self::Special(file) => file.is_terminal(),
            Self::File(_) | Self::Nowhere | Self::Memory(_) => false,
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::StandardOutput(mut output) => output.flush(),
            Self::Special(_) | Self::Nowhere | Self::Memory(_) => Ok(()),
            Self::File(file) => file.finish(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::StandardOutput(output) => output.write(bytes),
            Self::Special(file) => file.write(bytes),
            Self::File(file) => file.write(bytes),
            Self::Nowhere => Ok(bytes.len()),
            Self::Memory(all) => all.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::StandardOutput(output) => output.flush(),
            Self::Special(_) | Self::File(_) | Self::Nowhere | Self::Memory(_) => Ok(()),
        }
    }
}

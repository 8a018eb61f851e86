//! Output: standard output, or a file that is replaced atomically; optionally compressed.
#![forbid(unsafe_code)]

mod atomic_file;
mod compress;
mod in_place;
mod interrupt;
mod unchanged;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use memchr::memrchr;

use crate::error::Error;
use crate::source::{BYTE_ORDER_MARK, Compression, Source, standard};
use crate::text::shown::Filter;
use atomic_file::AtomicFile;
use compress::Compressor;
pub(crate) use in_place::InPlace;
use unchanged::Unchanged;

/// An output. If dropped unfinished, it leaves no file.
pub(crate) struct Sink {
    name: String,
    state: State,
    end: End,
    terminal: Option<Terminal>,
}

// There is one of them for each output.
#[expect(clippy::large_enum_variant)]
enum State {
    Open(Compressor<Target>),
    /// The output is so far the content of the file at this path, which it would replace.
    Unchanged(Unchanged, PathBuf),
}

/// A complete file that has not replaced the old one yet.
pub(crate) struct Written {
    name: String,
    file: AtomicFile,
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

    /// The output for rewriting a file in place. No file is written unless the content changes, or
    /// its compression.
    pub(crate) fn in_place(
        source: &Source,
        path: &Path,
        decompress: bool,
        compression: Option<Compression>,
    ) -> Result<Self, Error> {
        let old = Unchanged::open(source, decompress)?;
        match compression {
            Some(compression) if compression != old.compression => Self::file(path, compression),
            _ => Ok(Self::with(path.display().to_string(), State::Unchanged(old, path.to_owned()))),
        }
    }

    pub(crate) fn nowhere() -> Result<Self, Error> {
        Self::new("nowhere".into(), Target::Nowhere, Compression::None)
    }

    pub(crate) fn memory() -> Self {
        Self::with("memory".into(), State::Open(Compressor::None(Target::Memory(Vec::new()))))
    }

    /// The bytes written to memory.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        match self.state {
            State::Open(Compressor::None(Target::Memory(bytes))) => bytes,
            _ => Vec::new(),
        }
    }

    fn new(name: String, target: Target, compression: Compression) -> Result<Self, Error> {
        if compression != Compression::None && target.is_terminal() {
            let message = "invalid --output-compression: expected an output that is no terminal";
            return Err(Error::Usage(message.into()));
        }
        match Compressor::new(target, compression) {
            Ok(compressor) => Ok(Self::with(name, State::Open(compressor))),
            Err(error) => Err(Error::Output(name, error)),
        }
    }

    fn with(name: String, state: State) -> Self {
        Self { name, state, end: End::default(), terminal: None }
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
        if let State::Unchanged(unchanged, _) = &mut self.state
            && unchanged.append(text)?
        {
            return Ok(());
        }
        let compressor = self.state.open()?;
        compressor.write(text).map_err(|error| Error::Output(self.name.clone(), error))
    }

    /// Filters the output, if it goes to a terminal.
    pub(crate) fn show(&mut self, filter: Filter) {
        if matches!(&self.state, State::Open(Compressor::None(target)) if target.is_terminal()) {
            self.terminal = Some(Terminal { filter, shown: Vec::new() });
        }
    }

    /// Before further output, terminates the last record with `ending` if it lacks an end.
    pub(crate) fn end_record(&mut self, ending: u8) {
        self.end.needed = Some(ending);
    }

    /// Whether output may be held back until more is written, or [`flush`](Self::flush).
    pub(crate) fn holds_back(&self) -> bool {
        match &self.state {
            State::Open(compressor) => !matches!(compressor, Compressor::None(_)),
            State::Unchanged(unchanged, _) => unchanged.compression != Compression::None,
        }
    }

    /// Writes held-back output.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        match &mut self.state {
            State::Open(compressor) => compressor.flush().map_err(|error| Error::Output(self.name.clone(), error)),
            State::Unchanged(..) => Ok(()),
        }
    }

    /// Completes the output; a file takes its name only now.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.finish_terminal()?;
        match self.complete()? {
            None => Ok(()),
            Some((name, target)) => target.finish().map_err(|error| Error::Output(name, error)),
        }
    }

    /// Completes a file, which takes its name later. `None` if nothing changes.
    pub(crate) fn finish_later(self) -> Result<Option<Written>, Error> {
        let Some((name, target)) = self.complete()? else { return Ok(None) };
        match target {
            Target::File(file) => Ok(Some(Written { name, file })),
            others => others.finish().map(|()| None).map_err(|error| Error::Output(name, error)),
        }
    }

    fn finish_terminal(&mut self) -> Result<(), Error> {
        let Some(Terminal { mut filter, mut shown }) = self.terminal.take() else { return Ok(()) };
        shown.clear();
        filter.finish(&mut shown);
        self.put(&shown)
    }

    /// The target, with all output written to it. `None` if the output is what it would replace.
    fn complete(mut self) -> Result<Option<(String, Target)>, Error> {
        if let State::Unchanged(unchanged, _) = &mut self.state
            && unchanged.is_whole()?
        {
            return Ok(None);
        }
        self.state.open()?;
        let State::Open(compressor) = self.state else { return Ok(None) };
        match compressor.finish() {
            Ok(target) => Ok(Some((self.name, target))),
            Err(error) => Err(Error::Output(self.name, error)),
        }
    }
}

impl State {
    /// The output. Opens the file and writes the text that is the same as the old one's.
    fn open(&mut self) -> Result<&mut Compressor<Target>, Error> {
        if let Self::Unchanged(unchanged, path) = self {
            let mut sink = Sink::file(path, unchanged.compression)?;
            let mut same = unchanged.same()?;
            let mut piece = vec![0; unchanged::PIECE];
            loop {
                match same.read(&mut piece) {
                    Ok(0) => break,
                    Ok(length) => sink.put(&piece[..length])?,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(Error::Input(path.display().to_string(), error)),
                }
            }
            *self = sink.state;
        }
        match self {
            Self::Open(compressor) => Ok(compressor),
            Self::Unchanged(..) => unreachable!("a sink of a file is open"),
        }
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

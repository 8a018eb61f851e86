//! Output that is compared with the file it would replace, and written only from the first
//! difference on.
#![forbid(unsafe_code)]

use std::io::{self, Read};

use crate::error::Error;
use crate::source::{Compression, Source};

/// Output that is so far the same as the content of a file.
pub(super) struct Unchanged {
    source: Source,
    is_decompressed: bool,
    /// Compression of the file.
    pub(super) compression: Compression,
    /// The content that the output has not reached yet.
    rest: Box<dyn Read + Send>,
    /// Length of the output so far.
    length: u64,
}

/// Number of bytes that are compared at once.
pub(super) const PIECE: usize = 64 * 1024;

impl Unchanged {
    /// `decompress` is whether the content of a compressed file is compared, and not the file.
    pub(super) fn open(source: &Source, decompress: bool) -> Result<Self, Error> {
        let opened = source.open(decompress, None, |_| ()).map_err(|error| Error::Input(source.to_string(), error))?;
        Ok(Self {
            source: source.clone(),
            is_decompressed: decompress,
            compression: opened.compression,
            rest: opened.text,
            length: 0,
        })
    }

    /// Appends to the output. Returns false at the first difference; then `text` is not part of the
    /// [output so far](Self::same).
    pub(super) fn append(&mut self, text: &[u8]) -> Result<bool, Error> {
        let mut old = [0; PIECE];
        for part in text.chunks(PIECE) {
            let old = &mut old[..part.len()];
            if self.read(old)? < part.len() || old != part {
                return Ok(false);
            }
        }
        self.length += text.len() as u64;
        Ok(true)
    }

    /// Whether the output is the whole content.
    pub(super) fn is_whole(&mut self) -> Result<bool, Error> {
        Ok(self.read(&mut [0])? == 0)
    }

    /// The output so far, read from the file once more.
    pub(super) fn same(&self) -> Result<impl Read + use<>, Error> {
        let opened = self.source.open(self.is_decompressed, None, |_| ()).map_err(|error| self.error(error))?;
        Ok(TakeExact { content: opened.text, left: self.length })
    }

    /// Fills the buffer, unless the content ends first.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut length = 0;
        while length < buffer.len() {
            match self.rest.read(&mut buffer[length..]) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
        Ok(length)
    }

    fn error(&self, error: io::Error) -> Error {
        Error::Input(self.source.to_string(), error)
    }
}

/// The first bytes of a content. If it ends before them, another program has changed the file.
struct TakeExact {
    content: Box<dyn Read + Send>,
    left: u64,
}

impl Read for TakeExact {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let length = self.content.read(&mut buffer[..most])?;
        if length == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was read"));
        }
        self.left -= length as u64;
        Ok(length)
    }
}

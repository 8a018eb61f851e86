//! Temporary file for text that is too long for memory. It has no name, so the system removes it in
//! any case.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use crate::error::Error;
use crate::source::BLOCK;

pub(super) struct Spool {
    file: File,
}

impl Spool {
    pub(super) fn new() -> Result<Self, Error> {
        tempfile::tempfile().map(|file| Self { file }).map_err(failed)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(failed)
    }

    /// Calls `each` with what was written, in parts; may be repeated.
    pub(super) fn read(mut self, mut each: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<Self, Error> {
        self.file.rewind().map_err(failed)?;
        let mut buffer = vec![0; BLOCK];
        loop {
            match self.file.read(&mut buffer) {
                Ok(0) => return Ok(self),
                Ok(length) => each(&buffer[..length])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

fn failed(error: io::Error) -> Error {
    Error::Output("temporary file".into(), error)
}

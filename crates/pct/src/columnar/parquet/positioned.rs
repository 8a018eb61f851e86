//! A file that threads read at positions of their own.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

/// The crate's implementation for `File` moves one position, which all threads share.
pub(super) struct Positioned {
    file: Arc<File>,
    length: u64,
}

impl Positioned {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), length })
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(At { file: Arc::clone(&self.file), position: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Checked before memory is taken: an invalid file may say any length.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} are beyond the end of the file")));
        }
        let mut bytes = vec![0; length];
        At { file: Arc::clone(&self.file), position: start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// A reader from a position on.
pub(super) struct At {
    file: Arc<File>,
    position: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let length = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.position)?;
        #[cfg(windows)]
        let length = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.position)?;
        self.position += length as u64;
        Ok(length)
    }
}

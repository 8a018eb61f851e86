//! Adapters that encode or decode the bytes that they read from a `BufRead`.
#![forbid(unsafe_code)]

use std::io::{self, BufRead, Read};

use super::Tail;
use super::codec::Codec;

/// Reads from another reader and decodes: to bytes, or to text if the
/// [`stream::Decoder`](super::Decoder) is configured for it.
///
/// ```
/// use std::io::{ErrorKind, Read};
///
/// use simdpct::stream::{self, bufread};
///
/// let mut text = String::new();
/// bufread::Decoder::new(b"caf%C3%A9".as_slice(), simdpct::Decoder::new()).read_to_string(&mut text)?;
/// assert_eq!(text, "café");
///
/// let strict = stream::Decoder::new(simdpct::Decoder::new()).utf8();
/// let error = bufread::Decoder::new(b"caf%E9".as_slice(), strict).read_to_end(&mut Vec::new()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidData);
/// assert_eq!(error.downcast::<stream::StreamError>()?.position, 3);
/// # Ok::<(), std::io::Error>(())
/// ```
pub type Decoder<R> = Reader<R, super::Decoder>;

/// Reads from another reader and encodes.
///
/// ```
/// use std::io::Read;
///
/// use simdpct::stream::bufread;
///
/// let mut encoded = String::new();
/// bufread::Encoder::new(b"a b".as_slice(), simdpct::Encoder::COMPONENT).read_to_string(&mut encoded)?;
/// assert_eq!(encoded, "a%20b");
/// # Ok::<(), std::io::Error>(())
/// ```
pub type Encoder<R> = Reader<R, super::Encoder>;

/// Implementation of [`Decoder`] and [`Encoder`]: a reader and a codec.
///
/// If the output is text, a read into a buffer of four bytes or more ends with a whole character.
#[derive(Debug)]
pub struct Reader<R, C> {
    reader: R,
    codec: C,
    /// The rest of the output, once the reader is at its end.
    tail: Option<Tail>,
    tail_out: u64,
}

impl<R, C: Codec> Reader<R, C> {
    /// Creates an adapter that reads from `reader`. `codec` is a codec of [`stream`](super) or of
    /// the crate root.
    pub fn new(reader: R, codec: impl Into<C>) -> Self {
        Self { reader, codec: codec.into(), tail: None, tail_out: 0 }
    }

    /// Returns a reference to the underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Returns a mutable reference to the underlying reader. Bytes that are read from it directly
    /// are missing from the stream.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns the underlying reader. Up to 21 bytes that were read from it may be lost.
    pub fn into_inner(self) -> R {
        self.reader
    }

    /// Number of bytes read from the underlying reader.
    pub fn total_in(&self) -> u64 {
        self.codec.flow().total_in
    }

    /// Number of bytes read from this reader.
    pub fn total_out(&self) -> u64 {
        self.codec.flow().total_out + self.tail_out
    }
}

impl<R: BufRead, C: Codec> Read for Reader<R, C> {
    /// # Errors
    ///
    /// Returns errors of the underlying reader, after which the read may be retried, and errors of
    /// the decoder, as [`InvalidData`](io::ErrorKind::InvalidData) that contains a
    /// [`StreamError`](super::StreamError).
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        // A shorter buffer may not have space for a character, and reading 0 bytes would mean the
        // end.
        let whole = self.codec.is_text() && output.len() >= 4;
        while !output.is_empty() {
            if let Some(tail) = &mut self.tail {
                let given = tail.give(output, whole);
                self.tail_out += given as u64;
                return Ok(given);
            }
            // Return pending output before calling a reader that may block.
            let mut progress = self.codec.feed_through(&[], output, whole)?;
            if progress.written == 0 {
                let input = self.reader.fill_buf()?;
                if input.is_empty() {
                    self.tail = Some(self.codec.clone().finish_through()?);
                    continue;
                }
                progress = self.codec.feed_through(input, output, whole)?;
                self.reader.consume(progress.read);
            }
            if progress.written > 0 {
                return Ok(progress.written);
            }
        }
        Ok(0)
    }
}

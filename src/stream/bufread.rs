//! Adapters that read what is encoded or decoded from a `BufRead`.
#![forbid(unsafe_code)]

use std::io::{self, BufRead, Read};

use super::Tail;
use super::codec::Codec;

/// Reads what another reader yields, decoded: bytes, or text if the [`stream::Decoder`](super::Decoder) is set to that.
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

/// Reads what another reader yields, encoded.
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

/// What [`Decoder`] and [`Encoder`] are: a reader, and what codes its bytes.
///
/// Where the result is text, a read into four bytes or more ends with a whole character.
#[derive(Debug)]
pub struct Reader<R, C> {
    reader: R,
    codec: C,
    /// Once the reader is at its end.
    tail: Option<Tail>,
    tail_out: u64,
}

impl<R, C: Codec> Reader<R, C> {
    /// Reads from `reader`. The codec is one of this module's parent, or one of the crate's root.
    pub fn new(reader: R, codec: impl Into<C>) -> Self {
        Self { reader, codec: codec.into(), tail: None, tail_out: 0 }
    }

    /// The underlying reader.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// The underlying reader. What is read from it here is missing from the stream.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Gives the underlying reader back. It stands behind what was read so far, up to 21 bytes of which may be lost.
    pub fn into_inner(self) -> R {
        self.reader
    }

    /// Bytes that were read from the underlying reader.
    pub fn total_in(&self) -> u64 {
        self.codec.flow().total_in
    }

    /// Bytes that were read from this one.
    pub fn total_out(&self) -> u64 {
        self.codec.flow().total_out + self.tail_out
    }
}

impl<R: BufRead, C: Codec> Read for Reader<R, C> {
    /// # Errors
    ///
    /// Those of the underlying reader, after which one may try again, and the decoder's, as
    /// [`InvalidData`](io::ErrorKind::InvalidData) with a [`StreamError`](super::StreamError) inside.
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        // No character is longer than four bytes, and a read of none would mean the end.
        let whole = self.codec.is_text() && output.len() >= 4;
        while !output.is_empty() {
            if let Some(tail) = &mut self.tail {
                let given = tail.give(output, whole);
                self.tail_out += given as u64;
                return Ok(given);
            }
            // What is there already must not wait for a reader that may block.
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

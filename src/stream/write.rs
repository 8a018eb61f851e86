//! Adapters that encode or decode the bytes written to them, and write the result to a `Write`.
#![forbid(unsafe_code)]

use std::io::{self, ErrorKind, Write};

use super::codec::Codec;

/// Size of the output buffer.
const CAPACITY: usize = 64 << 10;

/// Decodes the bytes written to it, and writes the result to another writer: bytes, or text if the
/// [`stream::Decoder`](super::Decoder) is configured for it.
///
/// ```
/// use std::io::Write;
///
/// use simdpct::stream::{StreamError, write};
///
/// let mut decoder = write::Decoder::new(Vec::new(), simdpct::Decoder::new());
/// decoder.write_all(b"caf%C")?;
/// decoder.write_all(b"3%A9")?;
/// assert_eq!(decoder.finish()?, "café".as_bytes());
///
/// let mut decoder = write::Decoder::new(Vec::new(), simdpct::Decoder::new());
/// decoder.write_all(b"100%")?;
/// let error = decoder.try_finish().unwrap_err();
/// assert_eq!(error.downcast::<StreamError>()?.position, 3);
/// # Ok::<(), std::io::Error>(())
/// ```
pub type Decoder<W> = Writer<W, super::Decoder>;

/// Encodes the bytes written to it, and writes the result to another writer.
///
/// ```
/// use std::io::Write;
///
/// use simdpct::stream::write;
///
/// let mut encoder = write::Encoder::new(Vec::new(), simdpct::Encoder::COMPONENT);
/// encoder.write_all(b"a b")?;
/// assert_eq!(encoder.finish()?, b"a%20b");
/// # Ok::<(), std::io::Error>(())
/// ```
pub type Encoder<W> = Writer<W, super::Encoder>;

/// Implementation of [`Decoder`] and [`Encoder`]: a writer and a codec.
///
/// Output is buffered, up to 64 KiB. End the stream with [`finish`](Self::finish) or
/// [`try_finish`](Self::try_finish). Dropping the adapter ends the stream too, but ignores errors.
/// If the underlying writer panics, the contents of the buffer are not written again, as with
/// [`std::io::BufWriter`].
#[derive(Debug)]
pub struct Writer<W: Write, C: Codec> {
    /// `Some` until [`finish`](Self::finish) returns it.
    writer: Option<W>,
    codec: C,
    buffer: Box<[u8]>,
    /// The unwritten part of the buffer is `start..end`.
    start: usize,
    end: usize,
    tail_out: u64,
    is_finished: bool,
    /// Whether the underlying writer panicked in `write`. It is not called again then: dropping the
    /// adapter during unwinding would call it a second time, and a second panic aborts the process.
    has_panicked: bool,
}

impl<W: Write, C: Codec> Writer<W, C> {
    /// Creates an adapter that writes to `writer`. `codec` is a codec of [`stream`](super) or of
    /// the crate root.
    pub fn new(writer: W, codec: impl Into<C>) -> Self {
        Self {
            writer: Some(writer),
            codec: codec.into(),
            buffer: vec![0; CAPACITY].into(),
            start: 0,
            end: 0,
            tail_out: 0,
            is_finished: false,
            has_panicked: false,
        }
    }

    /// Returns a reference to the underlying writer. Some output may still be buffered.
    pub fn get_ref(&self) -> &W {
        self.writer.as_ref().expect("there until it is given back")
    }

    /// Returns a mutable reference to the underlying writer. Some output may still be buffered.
    /// Bytes that are written to it directly end up in the middle of the stream.
    pub fn get_mut(&mut self) -> &mut W {
        self.writer.as_mut().expect("there until it is given back")
    }

    /// Ends the stream, and writes the rest of the output to the underlying writer, without
    /// flushing that. After an error the call may be retried.
    ///
    /// # Errors
    ///
    /// Same as [`write`](Write::write). The decoder's error may be an incomplete triplet or
    /// character at the end. All output that precedes it is written.
    pub fn try_finish(&mut self) -> io::Result<()> {
        self.write_buffer()?;
        if !self.is_finished {
            let tail = self.codec.clone().finish_through()?;
            self.buffer[..tail.len()].copy_from_slice(&tail);
            self.end = tail.len();
            self.tail_out = tail.len() as u64;
            self.is_finished = true;
        }
        self.write_buffer()
    }

    /// Ends the stream, and returns the underlying writer.
    ///
    /// # Errors
    ///
    /// Same as [`try_finish`](Self::try_finish).
    pub fn finish(mut self) -> io::Result<W> {
        self.try_finish()?;
        Ok(self.writer.take().expect("there until it is given back"))
    }

    /// Number of bytes written to this writer.
    pub fn total_in(&self) -> u64 {
        self.codec.flow().total_in
    }

    /// Number of bytes encoded or decoded. Some of them may still be buffered.
    pub fn total_out(&self) -> u64 {
        self.codec.flow().total_out + self.tail_out
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        while self.start < self.end {
            let writer = self.writer.as_mut().expect("there until it is given back");
            self.has_panicked = true;
            let result = writer.write(&self.buffer[self.start..self.end]);
            self.has_panicked = false;
            match result {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => self.start += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        (self.start, self.end) = (0, 0);
        Ok(())
    }
}

impl<W: Write, C: Codec> Write for Writer<W, C> {
    /// # Errors
    ///
    /// Returns errors of the underlying writer, after which the write may be retried, and errors of
    /// the decoder, as [`InvalidData`](ErrorKind::InvalidData) that contains a
    /// [`StreamError`](super::StreamError). After the end of the stream, returns
    /// [`InvalidInput`](ErrorKind::InvalidInput).
    fn write(&mut self, input: &[u8]) -> io::Result<usize> {
        if self.is_finished && !input.is_empty() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the stream is finished"));
        }
        while !input.is_empty() {
            if self.buffer.len() - self.end < CAPACITY / 4 {
                self.write_buffer()?;
            }
            let is_text = self.codec.is_text();
            let progress = self.codec.feed_through(input, &mut self.buffer[self.end..], is_text)?;
            self.end += progress.written;
            if progress.read > 0 {
                return Ok(progress.read);
            }
        }
        Ok(0)
    }

    /// Writes all output that is complete, and flushes the underlying writer. An incomplete triplet
    /// or character is kept.
    fn flush(&mut self) -> io::Result<()> {
        self.write_buffer()?;
        self.get_mut().flush()
    }
}

impl<W: Write, C: Codec> Drop for Writer<W, C> {
    fn drop(&mut self) {
        if self.writer.is_some() && !self.has_panicked {
            let _unseen = self.try_finish();
        }
    }
}

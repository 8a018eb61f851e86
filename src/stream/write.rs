//! Adapters that write what is encoded or decoded to a `Write`.
#![forbid(unsafe_code)]

use std::io::{self, ErrorKind, Write};

use super::codec::Codec;

/// Room for what is to be written at once.
const CAPACITY: usize = 64 << 10;

/// Writes what is written to it to another writer, decoded: as bytes, or as text if the [`stream::Decoder`](super::Decoder) is set
/// to that.
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

/// Writes what is written to it to another writer, encoded.
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

/// What [`Decoder`] and [`Encoder`] are: a writer, and what codes the bytes for it.
///
/// They collect up to 64 KiB. The end of the stream has to be said, by [`finish`](Self::finish) or
/// [`try_finish`](Self::try_finish); dropping says it too, but then errors go unseen. If the underlying writer panics, what is in the
/// buffer is not written again, as with [`std::io::BufWriter`].
#[derive(Debug)]
pub struct Writer<W: Write, C: Codec> {
    /// There until [`finish`](Self::finish) gives it back.
    writer: Option<W>,
    codec: C,
    buffer: Box<[u8]>,
    /// The part of the buffer that is to be written.
    start: usize,
    end: usize,
    tail_out: u64,
    is_finished: bool,
    /// The underlying writer panicked in a call of `write`. It is not called again: dropping while the panic unwinds would call it a
    /// second time, and a second panic aborts the process.
    has_panicked: bool,
}

impl<W: Write, C: Codec> Writer<W, C> {
    /// Writes to `writer`. The codec is one of this module's parent, or one of the crate's root.
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

    /// The underlying writer, which does not have all yet.
    pub fn get_ref(&self) -> &W {
        self.writer.as_ref().expect("there until it is given back")
    }

    /// The underlying writer, which does not have all yet. What is written to it here stands amid the stream.
    pub fn get_mut(&mut self) -> &mut W {
        self.writer.as_mut().expect("there until it is given back")
    }

    /// Ends the stream, and writes all that is left to the underlying writer, which is not flushed. If that fails, one may try again.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Write::write), and the decoder's: the end may have come too soon. All that precedes that is written.
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

    /// Ends the stream, and gives the underlying writer back.
    ///
    /// # Errors
    ///
    /// As [`try_finish`](Self::try_finish).
    pub fn finish(mut self) -> io::Result<W> {
        self.try_finish()?;
        Ok(self.writer.take().expect("there until it is given back"))
    }

    /// Bytes that were written to this one.
    pub fn total_in(&self) -> u64 {
        self.codec.flow().total_in
    }

    /// Bytes that were made of them, some of which may not be written yet.
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
    /// Those of the underlying writer, after which one may try again, and the decoder's, as
    /// [`InvalidData`](ErrorKind::InvalidData) with a [`StreamError`](super::StreamError) inside. After the end of the stream,
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

    /// Writes all that can be said before the stream goes on, and flushes the underlying writer. A triplet or a character that is
    /// cut waits.
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

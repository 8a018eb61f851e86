//! Adapters that encode or decode the bytes that they read from a `Read`. They buffer their input,
//! so the reader need not.
#![forbid(unsafe_code)]

use std::io::{self, BufReader, Read};

use super::bufread;
use super::codec::Codec;

/// Size of the input buffer.
const CAPACITY: usize = 64 << 10;

/// Reads from another reader and decodes: to bytes, or to text if the
/// [`stream::Decoder`](super::Decoder) is configured for it.
///
/// ```
/// use std::io::Read;
///
/// use simdpct::stream::{self, read};
///
/// let lossy = stream::Decoder::new(simdpct::Decoder::new().lenient()).utf8_lossy();
/// let mut text = String::new();
/// read::Decoder::new(b"caf%E9 100%".as_slice(), lossy).read_to_string(&mut text)?;
/// assert_eq!(text, "caf\u{FFFD} 100%");
/// # Ok::<(), std::io::Error>(())
/// ```
pub type Decoder<R> = Reader<R, super::Decoder>;

/// Reads from another reader and encodes.
///
/// ```
/// use std::io::Read;
///
/// use simdpct::stream::read;
///
/// let mut encoded = String::new();
/// read::Encoder::new(b"a b".as_slice(), simdpct::Encoder::FORM).read_to_string(&mut encoded)?;
/// assert_eq!(encoded, "a+b");
/// # Ok::<(), std::io::Error>(())
/// ```
pub type Encoder<R> = Reader<R, super::Encoder>;

/// Implementation of [`Decoder`] and [`Encoder`]: a reader and a codec.
///
/// If the output is text, a read into a buffer of four bytes or more ends with a whole character.
#[derive(Debug)]
pub struct Reader<R, C>(bufread::Reader<BufReader<R>, C>);

impl<R: Read, C: Codec> Reader<R, C> {
    /// Creates an adapter that reads from `reader`. `codec` is a codec of [`stream`](super) or of
    /// the crate root.
    pub fn new(reader: R, codec: impl Into<C>) -> Self {
        Self(bufread::Reader::new(BufReader::with_capacity(CAPACITY, reader), codec))
    }

    /// Returns a reference to the underlying reader.
    pub fn get_ref(&self) -> &R {
        self.0.get_ref().get_ref()
    }

    /// Returns a mutable reference to the underlying reader. Bytes that are read from it directly
    /// are missing from the stream.
    pub fn get_mut(&mut self) -> &mut R {
        self.0.get_mut().get_mut()
    }

    /// Returns the underlying reader. The contents of the buffer are lost.
    pub fn into_inner(self) -> R {
        self.0.into_inner().into_inner()
    }

    /// Number of bytes of the underlying reader that were encoded or decoded. More may be in the
    /// buffer.
    pub fn total_in(&self) -> u64 {
        self.0.total_in()
    }

    /// Number of bytes read from this reader.
    pub fn total_out(&self) -> u64 {
        self.0.total_out()
    }
}

impl<R: Read, C: Codec> Read for Reader<R, C> {
    /// # Errors
    ///
    /// Returns errors of the underlying reader, after which the read may be retried, and errors of
    /// the decoder, as [`InvalidData`](io::ErrorKind::InvalidData) that contains a
    /// [`StreamError`](super::StreamError).
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.0.read(output)
    }
}

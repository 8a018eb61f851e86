//! Adapters that read what is encoded or decoded from a `Read`. They have a buffer of their own, so the reader needs none.
#![forbid(unsafe_code)]

use std::io::{self, BufReader, Read};

use super::bufread;
use super::codec::Codec;

/// How much is read at once.
const CAPACITY: usize = 64 << 10;

/// Reads what another reader yields, decoded: bytes, or text if the [`stream::Decoder`](super::Decoder) is set to that.
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

/// Reads what another reader yields, encoded.
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

/// What [`Decoder`] and [`Encoder`] are: a reader, and what codes its bytes.
///
/// Where the result is text, a read into four bytes or more ends with a whole character.
#[derive(Debug)]
pub struct Reader<R, C>(bufread::Reader<BufReader<R>, C>);

impl<R: Read, C: Codec> Reader<R, C> {
    /// Reads from `reader`. The codec is one of this module's parent, or one of the crate's root.
    pub fn new(reader: R, codec: impl Into<C>) -> Self {
        Self(bufread::Reader::new(BufReader::with_capacity(CAPACITY, reader), codec))
    }

    /// The underlying reader.
    pub fn get_ref(&self) -> &R {
        self.0.get_ref().get_ref()
    }

    /// The underlying reader. What is read from it here is missing from the stream.
    pub fn get_mut(&mut self) -> &mut R {
        self.0.get_mut().get_mut()
    }

    /// Gives the underlying reader back. What is in the buffer is lost.
    pub fn into_inner(self) -> R {
        self.0.into_inner().into_inner()
    }

    /// Bytes of the underlying reader that were coded; there may be more of them in the buffer.
    pub fn total_in(&self) -> u64 {
        self.0.total_in()
    }

    /// Bytes that were read from this one.
    pub fn total_out(&self) -> u64 {
        self.0.total_out()
    }
}

impl<R: Read, C: Codec> Read for Reader<R, C> {
    /// # Errors
    ///
    /// Those of the underlying reader, after which one may try again, and the decoder's, as
    /// [`InvalidData`](io::ErrorKind::InvalidData) with a [`StreamError`](super::StreamError) inside.
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        self.0.read(output)
    }
}

//! Chunk by chunk: an [`Encoder`] and a [`Decoder`] for what comes in parts, and adapters for `Read`, `BufRead` and `Write`.
//!
//! A stream may be cut anywhere, within a triplet or within a character: the result is that of the whole stream in one piece,
//! errors included. The codecs are a few bytes of state around those of the crate's root, allocate nothing, and hand the bulk of
//! each chunk to the same kernels.
//!
//! A stream is fed from slice to slice, in a loop, since the output may be too small for the input:
//!
//! ```
//! use simdpct::stream::{Decoder, StreamError};
//!
//! let mut decoder = Decoder::new(simdpct::Decoder::new()).utf8();
//! let (mut text, mut buffer) = (Vec::new(), [0; 64]);
//! for mut chunk in [b"caf%C".as_slice(), b"3%A", b"9 au lait"] {
//!     while !chunk.is_empty() {
//!         let progress = decoder.feed(chunk, &mut buffer)?;
//!         text.extend_from_slice(&buffer[..progress.written]);
//!         chunk = &chunk[progress.read..];
//!     }
//! }
//! text.extend_from_slice(&decoder.finish()?);
//! assert_eq!(text, "café au lait".as_bytes());
//! # Ok::<(), StreamError>(())
//! ```
//!
//! With the feature `std`, the modules [`read`], [`bufread`] and [`write`](mod@write) have adapters of both codecs, which are used
//! as flate2's are: those of `read` and `bufread` read what is encoded or decoded from another reader, those of `write` write it to
//! another writer.
//!
//! ```
//! use std::io::Read;
//!
//! # #[cfg(feature = "std")] {
//! let mut text = String::new();
//! simdpct::stream::read::Decoder::new(b"a%20b".as_slice(), simdpct::Decoder::new()).read_to_string(&mut text)?;
//! assert_eq!(text, "a b");
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;
use core::ops::Deref;

use crate::error::DecodeErrorKind;

#[cfg(feature = "std")]
pub mod bufread;
mod codec;
mod cut;
mod decoder;
mod encoder;
#[cfg(feature = "std")]
pub mod read;
#[cfg(feature = "std")]
pub mod write;

pub use decoder::Decoder;
pub use encoder::Encoder;

/// How far a call of `feed` came.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the input that are done with. The next call goes on behind them.
    pub read: usize,
    /// Bytes at the start of the output that were written. What lies behind them may have been overwritten.
    pub written: usize,
}

/// Why a stream could not be decoded, and where.
///
/// Of several errors in one stream, the one with the smallest position is reported.
///
/// ```
/// use simdpct::{DecodeErrorKind, stream::Decoder};
///
/// let mut decoder = Decoder::new(simdpct::Decoder::new());
/// decoder.feed(b"100%", &mut [0; 64])?;
/// let error = decoder.feed(b" of it", &mut [0; 64]).unwrap_err();
/// assert_eq!((error.kind, error.position), (DecodeErrorKind::Malformed, 3));
/// # Ok::<(), simdpct::stream::StreamError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct StreamError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Number of bytes of input, from the start of the stream, in front of the first byte or triplet that is wrong.
    pub position: u64,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the stream", self.kind, self.position)
    }
}

impl Error for StreamError {}

/// Invalid data; the [`StreamError`] is what `get_ref`, `into_inner` and `downcast` of the result give.
#[cfg(feature = "std")]
impl From<StreamError> for std::io::Error {
    fn from(error: StreamError) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}

/// The last bytes of a stream: what had to wait for more of it, or for room. At most 32, and of text always whole characters.
#[derive(Clone, Debug)]
pub struct Tail {
    bytes: [u8; Self::CAPACITY],
    start: u8,
    end: u8,
}

impl Tail {
    const CAPACITY: usize = 32;
    const EMPTY: Self = Self { bytes: [0; Self::CAPACITY], start: 0, end: 0 };

    /// Moves as much as fits to the start of `output`: bytes, or whole characters only.
    fn give(&mut self, output: &mut [u8], whole: bool) -> usize {
        let mut given = self.len().min(output.len());
        while whole && self.get(given).is_some_and(|&next| cut::is_continuation(next)) {
            given -= 1;
        }
        output[..given].copy_from_slice(&self[..given]);
        self.start += given as u8;
        given
    }
}

impl Deref for Tail {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[usize::from(self.start)..usize::from(self.end)]
    }
}

impl AsRef<[u8]> for Tail {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

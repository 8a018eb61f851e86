//! Streaming: an [`Encoder`] and a [`Decoder`] that process input in chunks, and adapters for
//! `Read`, `BufRead` and `Write`.
//!
//! A chunk may end anywhere, even within a triplet or a character. The result, errors included, is
//! the same as for the whole stream in one piece. The codecs add a few bytes of state to those of
//! the crate root, do not allocate, and use the same kernels.
//!
//! Feed the input in a loop, because the output may be too small for all of it:
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
//! With the feature `std`, the modules [`read`], [`bufread`] and [`write`](mod@write) contain
//! adapters for both codecs, used like those of flate2. Adapters in `read` and `bufread` read from
//! another reader, and yield its bytes encoded or decoded. Adapters in `write` encode or decode
//! what is written to them, and write it to another writer.
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
//!
//! # When to use it
//!
//! If the input is too large for memory, or comes in chunks: files, sockets, bodies of requests. If
//! all of it is in memory, the functions of the crate root are simpler, and can borrow. Lines are
//! independent of each other, so decode them one by one rather than as a stream, in which a decoded
//! `%0A` is a new line.
//!
//! # Choosing a form
//!
//! | you have | use |
//! |---|---|
//! | a `Read`, and want one | [`read`], which has its own buffer |
//! | a `BufRead`, and want one | [`bufread`] |
//! | a `Write`, and want one | [`write`](mod@write) |
//! | chunks, and a `Vec` | `feed_to` of [`Decoder`] or [`Encoder`] |
//! | chunks, and a buffer, without an allocator | [`Decoder::feed`], [`Encoder::feed`] |
//! | a large buffer to cut for threads | [`complete_len`] |
//!
//! A decoder yields bytes. For text, call [`utf8`](Decoder::utf8) or
//! [`utf8_lossy`](Decoder::utf8_lossy): a character whose triplets are in two chunks is then
//! written as a whole.
//!
//! # Example: the body of a request
//!
//! The chunks end within the triplet of `%40`, and within the second character of `Ré`.
//!
//! ```
//! use simdpct::Decoder;
//! use simdpct::stream;
//!
//! # #[cfg(feature = "alloc")] {
//! let mut decoder = stream::Decoder::new(Decoder::new().plus_for_space()).utf8();
//! let mut text = Vec::new();
//! for chunk in ["mail=renee%4", "0example.net&name=R%C3", "%A9e+Dupont"] {
//!     decoder.feed_to(chunk.as_bytes(), &mut text)?;
//! }
//! text.extend_from_slice(&decoder.finish()?);
//! assert_eq!(text, "mail=renee@example.net&name=Rée Dupont".as_bytes());
//!
//! // By itself, the second chunk is not text, and the third begins in the middle of a character.
//! assert!(simdpct::decode_utf8("0example.net&name=R%C3").is_err());
//! # }
//! # Ok::<(), stream::StreamError>(())
//! ```
//!
//! # Mistakes
//!
//! * **Not to call `finish`.** The last bytes may still wait for the rest of a triplet, and that a
//!   stream ends within one is found there only. An adapter of [`write`](mod@write) that is dropped
//!   ignores errors.
//! * **To ignore [`Progress::read`].** If the output is full, `feed` has not read all of the chunk.
//! * **A loop with an output of less than 4 bytes for text.** A character that does not fit is not
//!   split, so the loop makes no progress.
//! * **To decode each chunk with the functions of the crate root.** Triplets and characters at the
//!   ends of chunks are errors then, or are kept undecoded.
//! * **To take [`StreamError::position`] for an offset in the chunk.** It counts from the start of
//!   the stream.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;
use core::ops::Deref;

use crate::driver::utf8::incomplete_suffix;
use crate::error::DecodeErrorKind;
use crate::hex::incomplete_triplet;

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

/// Result of a call of `feed`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the input that were consumed. Pass the rest to the next call.
    pub read: usize,
    /// Bytes written to the start of the output. Bytes after them may have been overwritten.
    pub written: usize,
}

/// Error of decoding a stream: its kind, and its position in the stream.
///
/// If a stream has several errors, the one with the smallest position is reported.
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
    /// Kind of the error.
    pub kind: DecodeErrorKind,
    /// Byte offset of the first invalid byte or triplet, from the start of the stream.
    pub position: u64,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the stream", self.kind, self.position)
    }
}

impl Error for StreamError {}

/// Converts to [`InvalidData`](std::io::ErrorKind::InvalidData). `get_ref`, `into_inner` and
/// `downcast` of the result return the [`StreamError`].
#[cfg(feature = "std")]
impl From<StreamError> for std::io::Error {
    fn from(error: StreamError) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}

/// The last bytes of a stream: output that waited for more input or for space. At most 32 bytes; if
/// the output is text, whole characters.
#[derive(Clone, Debug)]
pub struct Tail {
    bytes: [u8; Self::CAPACITY],
    start: u8,
    end: u8,
}

impl Tail {
    const CAPACITY: usize = 32;
    const EMPTY: Self = Self { bytes: [0; Self::CAPACITY], start: 0, end: 0 };

    /// Moves as many bytes as fit to the start of `output`; with `whole`, only whole characters.
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

/// Length of the incomplete character at the end of `text`: of a proper prefix of a well-formed
/// sequence (Unicode 3.9, table 3-7). At most 3. O(1).
///
/// ```
/// use simdpct::stream::incomplete_character_len;
///
/// assert_eq!(incomplete_character_len("caf\u{E9}".as_bytes()), 0);
/// assert_eq!(incomplete_character_len(b"caf\xC3"), 1);
/// assert_eq!(incomplete_character_len(b"\xF0\x9F\x98"), 3);
/// // Nothing completes a surrogate.
/// assert_eq!(incomplete_character_len(b"\xED\xA0"), 0);
/// ```
#[must_use]
pub fn incomplete_character_len(text: &[u8]) -> usize {
    incomplete_suffix(text)
}

/// Length of the longest prefix of a chunk that can be processed by itself: the chunk without an
/// incomplete triplet or character at its end, of at most 3 bytes, and without the malformed
/// triplet directly before an incomplete one, of at most 2 bytes.
///
/// Decoding to bytes, encoding or normalizing the prefix, and then the rest with what follows, is
/// the same as for both together, with every option. So input can be cut for threads, or where
/// there is no state to keep as the codecs do. Characters made of triplets may be cut: text must be
/// decoded by a [`Decoder`]. O(1).
///
/// The malformed triplet counts because the triplet after it may have to be kept; see
/// [`keep`](crate::Decoder::keep).
///
/// ```
/// use simdpct::stream::complete_len;
///
/// assert_eq!(complete_len(b"caf%C3"), 6);
/// assert_eq!(complete_len(b"caf%C"), 3);
/// assert_eq!(complete_len(b"caf\xC3"), 3);
/// assert_eq!(complete_len(b"5%%4"), 1);
/// ```
#[must_use]
pub fn complete_len(chunk: &[u8]) -> usize {
    let triplet = incomplete_triplet(chunk);
    if triplet == 0 {
        return chunk.len() - incomplete_suffix(chunk);
    }
    // A triplet that looks incomplete before a `%` is malformed.
    let length = chunk.len() - triplet;
    length - incomplete_triplet(&chunk[..length])
}

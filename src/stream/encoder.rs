//! `Encoder`: encodes chunk by chunk.
#![forbid(unsafe_code)]

use super::codec::{Codec, Flow, goes_on};
use super::cut::{self, Extended, Prefix};
use super::{Progress, StreamError, Tail};
use crate::driver;

/// Percent-encodes a stream chunk by chunk, with every option of [`crate::Encoder`]. It has no errors.
///
/// With [`keep_triplets`](crate::Encoder::keep_triplets) a triplet may be cut anywhere, with
/// [`keep_non_ascii`](crate::Encoder::keep_non_ascii) a character; up to three bytes then wait for the next chunk.
///
/// ```
/// use simdpct::stream::Encoder;
///
/// let mut encoder = Encoder::new(simdpct::Encoder::URI);
/// let mut url = Vec::new();
/// encoder.feed_to(b"/a%2", &mut url);
/// encoder.feed_to(b"0b c%", &mut url);
/// url.extend_from_slice(&encoder.finish());
/// assert_eq!(url, b"/a%20b%20c%25");
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    encoder: crate::Encoder,
    /// The end of what was read: the prefix of a triplet or a character that would stay as it is.
    cut: Prefix,
    flow: Flow,
}

impl From<crate::Encoder> for Encoder {
    fn from(encoder: crate::Encoder) -> Self {
        Self::new(encoder)
    }
}

impl Encoder {
    /// At the start of a stream.
    #[must_use]
    pub fn new(encoder: crate::Encoder) -> Self {
        Self { encoder, cut: Prefix::default(), flow: Flow::NEW }
    }

    /// Encodes from the start of `input` to the start of `output`, as far as there is room, and says how far that was.
    ///
    /// An output of any length will do in the end, a loop will come to an end with one of at least four bytes, and one of three
    /// times the input's length, or 16 bytes if that is more, takes the whole input at once. The output ends with a whole character.
    /// What was read and found no room waits for the next call, which may have no input, or for [`finish`](Self::finish); it is
    /// at most 16 bytes, and there is none after a call that had 16 bytes of room.
    pub fn feed(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        // There is no error to have.
        self.feed_through(input, output, true).unwrap_or_default()
    }

    /// Encodes all of `input` to the end of `output`.
    #[cfg(feature = "alloc")]
    pub fn feed_to(&mut self, input: &[u8], output: &mut alloc::vec::Vec<u8>) {
        // There is no error to have.
        self.append(input, output).unwrap_or_default();
    }

    /// Ends the stream, and returns the rest of the output.
    #[must_use]
    pub fn finish(self) -> Tail {
        self.finish_through().unwrap_or(Tail::EMPTY)
    }

    /// Bytes read so far.
    #[must_use]
    pub fn total_in(&self) -> u64 {
        self.flow.total_in
    }

    /// Bytes written so far.
    #[must_use]
    pub fn total_out(&self) -> u64 {
        self.flow.total_out
    }

    /// Encodes as much of `input` as surely fits, up to where its last triplet or character may be cut.
    fn encode_bulk(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        let read = input.len().min(output.len() / 3);
        let chunk = &input[..read];
        let rules = &self.encoder.rules;
        let cut = match chunk.last() {
            Some(0x80..) if rules.keep_non_ascii => driver::text::incomplete_suffix(chunk),
            Some(..0x80) if rules.keep_triplets => driver::text::cut_triplet(chunk),
            _ => 0,
        };
        let (part, cut) = chunk.split_at(read - cut);
        self.cut = Prefix::new(cut);
        Progress { read, written: self.encode_part(part, output) }
    }

    /// Encodes what was cut, if `next` ends it one way or the other.
    fn encode_cut(&mut self, next: u8, output: &mut [u8]) -> Progress {
        let bytes = self.cut.with(next);
        let (read, part, cut) = match cut::extended(&bytes) {
            Extended::Cut => (1, Prefix::default(), bytes),
            Extended::Whole => (1, bytes, Prefix::default()),
            Extended::Broken => (0, self.cut, Prefix::default()),
        };
        self.cut = cut;
        Progress { read, written: self.encode_part(&part, output) }
    }

    /// Encodes a part that begins and ends between triplets and characters, so that its code is the same alone and in its stream.
    /// The output has three times its length.
    fn encode_part(&self, part: &[u8], output: &mut [u8]) -> usize {
        // Three times the length is always enough.
        self.encoder.encode_into(part, output).unwrap_or(0)
    }
}

impl Codec for Encoder {
    fn is_text(&self) -> bool {
        true
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn flow_mut(&mut self) -> &mut Flow {
        &mut self.flow
    }

    fn error(&self) -> Option<StreamError> {
        None
    }

    fn run(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        let mut done = Progress::default();
        while let Some(&next) = input.get(done.read)
            && goes_on(done.written, output)
        {
            let (rest, room) = (&input[done.read..], &mut output[done.written..]);
            let progress = if self.cut.is_empty() { self.encode_bulk(rest, room) } else { self.encode_cut(next, room) };
            done.read += progress.read;
            done.written += progress.written;
        }
        done
    }

    fn end(&mut self, output: &mut [u8]) -> usize {
        self.encode_part(&self.cut, output)
    }
}

//! `Encoder`: streaming encoder.
#![forbid(unsafe_code)]

use super::codec::{Codec, Flow, is_worthwhile};
use super::cut::{self, Extended, Prefix};
use super::{Progress, StreamError, Tail};
use crate::driver;
use crate::hex;

/// Percent-encodes a stream in chunks, with every option of [`crate::Encoder`]. Never fails.
///
/// With [`keep_triplets`](crate::Encoder::keep_triplets) a chunk may end within a triplet, and with
/// [`keep_non_ascii`](crate::Encoder::keep_non_ascii) within a character. Up to three bytes are
/// then kept for the next chunk.
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
    /// End of the input read so far: the prefix of a triplet or character that would be kept.
    cut: Prefix,
    flow: Flow,
}

impl From<crate::Encoder> for Encoder {
    fn from(encoder: crate::Encoder) -> Self {
        Self::new(encoder)
    }
}

impl Encoder {
    /// Creates an encoder at the start of a stream.
    #[must_use]
    pub fn new(encoder: crate::Encoder) -> Self {
        Self { encoder, cut: Prefix::default(), flow: Flow::NEW }
    }

    /// Encodes from the start of `input` to the start of `output`, until `output` is full. Returns
    /// how many bytes were read and written.
    ///
    /// `output` may be of any length. A loop makes progress if it is at least 4 bytes long, because
    /// a character is never split. With `3 * input.len() + 48` bytes all input is consumed in one
    /// call. Input that was consumed but did not fit is kept (at most 16 bytes) and written by the
    /// next call, which may have empty input, or by [`finish`](Self::finish). Nothing is kept after
    /// a call with at least 16 bytes of output.
    pub fn feed(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        // Encoding never fails.
        self.feed_through(input, output, true).unwrap_or_default()
    }

    /// Encodes all of `input`, and appends to `output`.
    #[cfg(feature = "alloc")]
    pub fn feed_to(&mut self, input: &[u8], output: &mut alloc::vec::Vec<u8>) {
        // Encoding never fails.
        self.append(input, output).unwrap_or_default();
    }

    /// Ends the stream, and returns the rest of the output.
    #[must_use]
    pub fn finish(self) -> Tail {
        self.finish_through().unwrap_or(Tail::EMPTY)
    }

    /// Number of bytes read so far.
    #[must_use]
    pub fn total_in(&self) -> u64 {
        self.flow.total_in
    }

    /// Number of bytes written so far.
    #[must_use]
    pub fn total_out(&self) -> u64 {
        self.flow.total_out
    }

    /// Encodes as much of `input` as is certain to fit, except an incomplete triplet or character
    /// at its end.
    fn encode_bulk(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        let read = input.len().min(output.len() / 3);
        let chunk = &input[..read];
        let plan = &self.encoder.plan;
        let cut = match chunk.last() {
            Some(0x80..) if plan.keep_non_ascii => driver::utf8::incomplete_suffix(chunk),
            Some(..0x80) if plan.keep_triplets => hex::incomplete_triplet(chunk),
            _ => 0,
        };
        let (part, cut) = chunk.split_at(read - cut);
        self.cut = Prefix::new(cut);
        Progress { read, written: self.encode_part(part, output) }
    }

    /// Encodes the pending prefix if `next` completes it or makes it malformed.
    fn encode_pending(&mut self, next: u8, output: &mut [u8]) -> Progress {
        let bytes = self.cut.with(next);
        let (read, part, cut) = match cut::extended(&bytes) {
            Extended::Incomplete => (1, Prefix::default(), bytes),
            Extended::Complete => (1, bytes, Prefix::default()),
            Extended::Malformed => (0, self.cut, Prefix::default()),
        };
        self.cut = cut;
        Progress { read, written: self.encode_part(&part, output) }
    }

    /// Encodes a part that begins and ends between triplets and characters, so that its output does
    /// not depend on the rest of the stream. `output` must be at least three times as long.
    fn encode_part(&self, part: &[u8], output: &mut [u8]) -> usize {
        // Never too small: three times the length always suffices.
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
            && is_worthwhile(done.written, output)
        {
            let (rest, room) = (&input[done.read..], &mut output[done.written..]);
            let progress =
                if self.cut.is_empty() { self.encode_bulk(rest, room) } else { self.encode_pending(next, room) };
            done.read += progress.read;
            done.written += progress.written;
        }
        done
    }

    fn end(&mut self, output: &mut [u8]) -> usize {
        self.encode_part(&self.cut, output)
    }
}

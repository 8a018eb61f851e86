//! `Codec`: the common interface of both codecs, used by the adapters.
#![forbid(unsafe_code)]

use super::{Progress, StreamError, Tail};

/// Output size with which [`Codec::run`] always makes progress: a triplet or character, with the
/// prefix pending before it, never yields more. At most half of a [`Tail`].
pub(super) const ROOM: usize = 16;

/// State common to both codecs: pending output and byte counts.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Output for which there was no space; at most [`ROOM`] bytes.
    pending: Tail,
    pub(super) total_in: u64,
    pub(super) total_out: u64,
}

impl Flow {
    pub(super) const NEW: Self = Self { pending: Tail::EMPTY, total_in: 0, total_out: 0 };
}

/// A streaming encoder or decoder. Sealed: `pub` only because the adapters' bounds name it.
pub trait Codec: Clone {
    /// Whether output must not end within a character.
    fn is_text(&self) -> bool;

    fn flow(&self) -> &Flow;
    fn flow_mut(&mut self) -> &mut Flow;

    /// The error that ended the stream.
    fn error(&self) -> Option<StreamError>;

    /// Encodes or decodes non-empty input to an output of at least [`ROOM`] bytes. Must not be
    /// called after an error. Makes progress: reads or writes at least one byte, or sets the error.
    fn run(&mut self, input: &[u8], output: &mut [u8]) -> Progress;

    /// Finishes pending input, to an output of at least [`ROOM`] bytes.
    fn end(&mut self, output: &mut [u8]) -> usize;

    /// Whether no output is pending and no error has ended the stream.
    fn is_running(&self) -> bool {
        self.flow().pending.is_empty() && self.error().is_none()
    }

    /// Processes input until the output is full; with `whole`, up to the end of a character. An
    /// error is returned by a separate call, after all output that precedes it.
    fn feed_through(&mut self, input: &[u8], output: &mut [u8], whole: bool) -> Result<Progress, StreamError> {
        let mut done = Progress { read: 0, written: self.flow_mut().pending.give(output, whole) };
        while self.is_running() {
            let (rest, room) = (&input[done.read..], &mut output[done.written..]);
            if rest.is_empty() || room.is_empty() {
                break;
            }
            let has_room = room.len() >= ROOM;
            let progress = if has_room { self.run(rest, room) } else { self.run_pending(rest, room, whole) };
            self.flow_mut().total_in += progress.read as u64;
            done.read += progress.read;
            done.written += progress.written;
            if has_room {
                break;
            }
        }
        self.flow_mut().total_out += done.written as u64;
        match self.error() {
            Some(error) if done.written == 0 && self.flow().pending.is_empty() => Err(error),
            _ => Ok(done),
        }
    }

    /// Like [`run`](Self::run), but through the pending buffer, for an output of fewer than
    /// [`ROOM`] bytes.
    fn run_pending(&mut self, input: &[u8], output: &mut [u8], whole: bool) -> Progress {
        let mut pending = Tail::EMPTY;
        let progress = self.run(input, &mut pending.bytes[..ROOM]);
        pending.end = progress.written as u8;
        let written = pending.give(output, whole);
        self.flow_mut().pending = pending;
        Progress { read: progress.read, written }
    }

    /// Returns the rest of the output.
    fn finish_through(mut self) -> Result<Tail, StreamError> {
        let mut tail = Tail::EMPTY;
        let pending = self.flow_mut().pending.give(&mut tail.bytes, false);
        let written = self.end(&mut tail.bytes[pending..]);
        tail.end = (pending + written) as u8;
        self.error().map_or(Ok(tail), Err)
    }

    /// Appends all output that is available.
    #[cfg(feature = "alloc")]
    fn append(&mut self, mut input: &[u8], output: &mut alloc::vec::Vec<u8>) -> Result<(), StreamError> {
        while !input.is_empty() {
            let start = output.len();
            output.resize(start + input.len() + ROOM, 0);
            let result = self.feed_through(input, &mut output[start..], self.is_text());
            output.truncate(start + result.map_or(0, |progress| progress.written));
            input = &input[result?.read..];
        }
        // If the input ends after an error, the loop ends before the error is returned.
        self.error().map_or(Ok(()), Err)
    }
}

/// Whether another round is worthwhile. Kernels are efficient on large pieces, and the caller will
/// return with more space.
pub(super) fn is_worthwhile(written: usize, output: &[u8]) -> bool {
    output.len() - written >= ROOM.max(output.len() / 8)
}

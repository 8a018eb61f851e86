//! `Codec`: what both codecs have in common, as the adapters see it.
#![forbid(unsafe_code)]

use super::{Progress, StreamError, Tail};

/// With this much room in the output, [`Codec::run`] gets on: no triplet or character, whatever stands cut before it, becomes more.
/// It is at most half of what a [`Tail`] holds.
pub(super) const ROOM: usize = 16;

/// What lies between a stream and the kernels: what waits for room, and the counts.
#[derive(Clone, Debug)]
pub struct Flow {
    /// At most [`ROOM`] bytes of output, for which there was no room.
    held: Tail,
    pub(super) total_in: u64,
    pub(super) total_out: u64,
}

impl Flow {
    pub(super) const NEW: Self = Self { held: Tail::EMPTY, total_in: 0, total_out: 0 };
}

/// An encoder or a decoder of a stream. Public since the adapters' bounds name it, but not nameable.
pub trait Codec: Clone {
    /// Whether no output is to end within a character.
    fn is_text(&self) -> bool;

    fn flow(&self) -> &Flow;
    fn flow_mut(&mut self) -> &mut Flow;

    /// The error that ended the stream.
    fn error(&self) -> Option<StreamError>;

    /// Codes from input that is not empty to output that has [`ROOM`] at least, while there is no error. It gets on: it reads or
    /// writes something, or runs into an error.
    fn run(&mut self, input: &[u8], output: &mut [u8]) -> Progress;

    /// Codes what waited for more input, to an output that has [`ROOM`] at least.
    fn end(&mut self, output: &mut [u8]) -> usize;

    /// Whether nothing waits for room and no error has ended the stream.
    fn is_flowing(&self) -> bool {
        self.flow().held.is_empty() && self.error().is_none()
    }

    /// Codes as far as the output goes: up to a whole character, or to any byte. An error comes alone, after all that precedes it.
    fn feed_through(&mut self, input: &[u8], output: &mut [u8], whole: bool) -> Result<Progress, StreamError> {
        let mut done = Progress { read: 0, written: self.flow_mut().held.give(output, whole) };
        while self.is_flowing() {
            let (rest, room) = (&input[done.read..], &mut output[done.written..]);
            if rest.is_empty() || room.is_empty() {
                break;
            }
            let has_room = room.len() >= ROOM;
            let progress = if has_room { self.run(rest, room) } else { self.run_held(rest, room, whole) };
            self.flow_mut().total_in += progress.read as u64;
            done.read += progress.read;
            done.written += progress.written;
            if has_room {
                break;
            }
        }
        self.flow_mut().total_out += done.written as u64;
        match self.error() {
            Some(error) if done.written == 0 && self.flow().held.is_empty() => Err(error),
            _ => Ok(done),
        }
    }

    /// As [`run`](Self::run), by way of what is held, to an output that may be too small for that.
    fn run_held(&mut self, input: &[u8], output: &mut [u8], whole: bool) -> Progress {
        let mut held = Tail::EMPTY;
        let progress = self.run(input, &mut held.bytes[..ROOM]);
        held.end = progress.written as u8;
        let written = held.give(output, whole);
        self.flow_mut().held = held;
        Progress { read: progress.read, written }
    }

    /// The rest of the output.
    fn finish_through(mut self) -> Result<Tail, StreamError> {
        let mut tail = Tail::EMPTY;
        let held = self.flow_mut().held.give(&mut tail.bytes, false);
        let written = self.end(&mut tail.bytes[held..]);
        tail.end = (held + written) as u8;
        self.error().map_or(Ok(tail), Err)
    }

    /// Appends what can be coded by now.
    #[cfg(feature = "alloc")]
    fn append(&mut self, mut input: &[u8], output: &mut alloc::vec::Vec<u8>) -> Result<(), StreamError> {
        while !input.is_empty() {
            let start = output.len();
            output.resize(start + input.len() + ROOM, 0);
            let result = self.feed_through(input, &mut output[start..], self.is_text());
            output.truncate(start + result.map_or(0, |progress| progress.written));
            input = &input[result?.read..];
        }
        // An input that ends behind an error was read to its end, and the error waits.
        self.error().map_or(Ok(()), Err)
    }
}

/// Whether it pays to go on: the kernels want bulk, and the caller comes back with more room.
pub(super) fn goes_on(written: usize, output: &[u8]) -> bool {
    output.len() - written >= ROOM.max(output.len() / 8)
}

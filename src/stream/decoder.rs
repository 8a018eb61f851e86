//! `Decoder`: streaming decoder, to bytes or to text.
#![forbid(unsafe_code)]

use super::codec::{Codec, Flow, is_worthwhile};
use super::cut::{self, Extended, Prefix};
use super::{Progress, StreamError, Tail};
use crate::byteset::ByteSet;
use crate::driver;
use crate::driver::text::{IllFormed, REPLACEMENT};
use crate::error::{DecodeError, DecodeErrorKind, DecodeIntoError};
use crate::hex;

/// Percent-decodes a stream in chunks, with every option of [`crate::Decoder`], to bytes or to
/// text.
///
/// A chunk may end within a triplet or, for text, within a character. Up to two bytes of the
/// triplet and three of the character are then kept for the next chunk. The result, errors
/// included, is the same as for the whole stream in one piece.
///
/// An error is returned after all output that precedes it. It ends the stream: every further call
/// returns it again.
///
/// ```
/// use simdpct::stream::Decoder;
///
/// let mut decoder = Decoder::new(simdpct::Decoder::new().lenient()).utf8_lossy();
/// let mut text = Vec::new();
/// decoder.feed_to(b"%E2%8", &mut text)?;
/// decoder.feed_to(b"2%AC 5, 100%, %F", &mut text)?;
/// decoder.feed_to(b"F", &mut text)?;
/// text.extend_from_slice(&decoder.finish()?);
/// assert_eq!(text, "€ 5, 100%, \u{FFFD}".as_bytes());
/// # Ok::<(), simdpct::stream::StreamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    decoder: crate::Decoder,
    /// What becomes of ill-formed sequences. `None`: the output is bytes.
    text: Option<IllFormed>,
    /// End of the input read so far: the prefix of a triplet.
    triplet: Prefix,
    /// End of the decoded input, if no triplets may be created: a malformed `%` that a digit could
    /// complete, and possibly its first digit.
    open: Prefix,
    /// End of the output, if ill-formed sequences are dropped and no triplets may be created: a
    /// malformed `%` that a digit could complete, and possibly its first digit.
    open_output: Prefix,
    /// End of the decoded output, for text: the prefix of a character.
    character: Prefix,
    /// Position in the stream of the first byte or triplet of `character`.
    character_position: u64,
    error: Option<StreamError>,
    flow: Flow,
}

impl From<crate::Decoder> for Decoder {
    fn from(decoder: crate::Decoder) -> Self {
        Self::new(decoder)
    }
}

impl Decoder {
    /// Creates a decoder at the start of a stream, which decodes to bytes.
    #[must_use]
    pub fn new(decoder: crate::Decoder) -> Self {
        Self {
            decoder,
            text: None,
            triplet: Prefix::default(),
            open: Prefix::default(),
            open_output: Prefix::default(),
            character: Prefix::default(),
            character_position: 0,
            error: None,
            flow: Flow::NEW,
        }
    }

    /// Decodes to text, like [`decode_utf8`](crate::Decoder::decode_utf8): ill-formed UTF-8 is an
    /// error.
    #[must_use]
    pub fn utf8(mut self) -> Self {
        self.text = Some(IllFormed::INVALID);
        self
    }

    /// Decodes to text, like [`decode_utf8_lossy`](crate::Decoder::decode_utf8_lossy): replaces
    /// each maximal subpart of an ill-formed sequence by U+FFFD.
    #[must_use]
    pub fn utf8_lossy(mut self) -> Self {
        self.text = Some(IllFormed::replaced(&self.decoder.plan));
        self
    }

    /// Decodes to text, like [`decode_utf8_dropping`](crate::Decoder::decode_utf8_dropping): drops
    /// ill-formed sequences, except that U+FFFD replaces them where a triplet could be created. Not
    /// for security-sensitive text.
    #[must_use]
    pub fn utf8_dropping(mut self) -> Self {
        self.text = Some(IllFormed::dropped(&self.decoder.plan));
        self
    }

    /// Decodes from the start of `input` to the start of `output`, until `output` is full. Returns
    /// how many bytes were read and written.
    ///
    /// `output` may be of any length. A loop makes progress if it is at least 1 byte long, or 4
    /// when decoding to text (a character is never split). With `input.len() + 48` bytes all input
    /// is consumed in one call, unless ill-formed sequences are replaced by U+FFFD, which is
    /// longer. Input that was consumed but did not fit is kept (at most 16 bytes) and written by
    /// the next call, which may have empty input, or by [`finish`](Self::finish). Nothing is kept
    /// after a call with at least 16 bytes of output.
    ///
    /// # Errors
    ///
    /// Returns the first error of the stream, once all output that precedes it was written. Writes
    /// nothing then.
    pub fn feed(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, StreamError> {
        self.feed_through(input, output, self.is_text())
    }

    /// Decodes all of `input`, and appends to `output`.
    ///
    /// # Errors
    ///
    /// Returns the first error of the stream. The output that precedes it is appended.
    #[cfg(feature = "alloc")]
    pub fn feed_to(&mut self, input: &[u8], output: &mut alloc::vec::Vec<u8>) -> Result<(), StreamError> {
        let (part, cut) = input.split_at(input.len() - hex::incomplete_triplet(input));
        let is_plain = self.text.is_none() && self.triplet.is_empty() && self.open.is_empty() && self.is_running();
        // Avoids initializing the output. On an error, the general path finds it again, after the
        // output that precedes it.
        let before = output.len();
        if is_plain && self.decoder.decode_to(part, output).is_ok() {
            self.triplet = Prefix::new(cut);
            self.remember_open(part);
            self.flow.total_in += input.len() as u64;
            self.flow.total_out += (output.len() - before) as u64;
            return Ok(());
        }
        self.append(input, output)
    }

    /// Ends the stream, and returns the rest of the output.
    ///
    /// # Errors
    ///
    /// Returns the first error of the stream; an incomplete triplet or character is an error now.
    /// Pending output is then lost; to get it, call [`feed`](Self::feed) with empty input before.
    pub fn finish(self) -> Result<Tail, StreamError> {
        self.finish_through()
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

    /// Decodes as much of `input` as is certain to fit, except an incomplete triplet at its end.
    fn decode_bulk(&mut self, input: &[u8], position: u64, output: &mut [u8]) -> Progress {
        let mut read = input.len().min(output.len() - self.character.len());
        // A triplet that may have to be kept is decoded separately.
        if !self.open.is_empty() && read >= 3 && hex::first_triplet(input).is_some() {
            read = 3;
        }
        loop {
            let chunk = &input[..read];
            let (part, cut) = chunk.split_at(read - hex::incomplete_triplet(chunk));
            if let Some(written) = self.decode_part(part, position, output) {
                self.triplet = Prefix::new(cut);
                self.remember_open(part);
                return Progress { read, written };
            }
            // Certain to fit: each byte, and the pending prefix, becomes at most one U+FFFD of
            // three bytes.
            read = (output.len() - 3) / 3;
        }
    }

    /// Decodes the pending triplet if `next` completes it or makes it malformed.
    fn decode_pending(&mut self, next: u8, position: u64, output: &mut [u8]) -> Progress {
        let (bytes, start) = (self.triplet.with(next), position - self.triplet.len() as u64);
        let (read, part, cut) = match cut::extended(&bytes) {
            Extended::Incomplete => (1, Prefix::default(), bytes),
            Extended::Complete => (1, bytes, Prefix::default()),
            Extended::Malformed => (0, self.triplet, Prefix::default()),
        };
        self.triplet = cut;
        if part.is_empty() {
            return Progress { read, written: 0 };
        }
        // Fits: the pending character, and each byte of the part, becomes at most one U+FFFD.
        let written = self.decode_part(&part, start, output).unwrap_or(0);
        self.remember_open(&part);
        Progress { read, written }
    }

    /// Updates `open` after `part` was decoded.
    fn remember_open(&mut self, part: &[u8]) {
        if !part.is_empty() {
            self.open = Prefix::new(&part[part.len() - driver::offset::open_triplet(part, &self.decoder.plan)..]);
        }
    }

    /// Whether the triplet that `part` begins with must be kept. The part then consists of it
    /// alone.
    fn leaves_triplet(&self, part: &[u8]) -> bool {
        !self.open.is_empty() && hex::first_triplet(part).is_some_and(|byte| byte.is_ascii_hexdigit())
    }

    /// Decodes a part that begins and ends between triplets, so that its output does not depend on
    /// the rest of the stream. Returns the number of bytes written. Returns `None`, and changes
    /// nothing, if the output with replacements does not fit. `output` must have space for the part
    /// and the pending prefix.
    ///
    /// The pending prefix is copied to the start of the output, and the part decoded after it, so
    /// that both are validated together and written once.
    fn decode_part(&mut self, part: &[u8], position: u64, output: &mut [u8]) -> Option<usize> {
        let before = self.character.len();
        output[..before].copy_from_slice(&self.character);
        let (decoded, error) = self.decode_to_error(part, &mut output[before..]);
        let error = error.map(|error| StreamError { kind: error.kind, position: position + error.position as u64 });
        if self.text.is_none() {
            self.error = error;
            return Some(decoded);
        }

        let decoded_end = before + decoded;
        let end = decoded_end - driver::utf8::incomplete_suffix(&output[..decoded_end]);
        let cut = Prefix::new(&output[end..decoded_end]);
        let (written, error) = match (self.text, driver::utf8::find_ill_formed(&output[..end], self.decoder.level)) {
            (Some(IllFormed::Replace), Some(start)) => {
                (replace_ill_formed(output, start, end, |_| REPLACEMENT)?, error)
            }
            (Some(IllFormed::Drop(rejected)), start) => {
                // An incomplete character before an error is ill-formed.
                let failed = rejected.and_then(|kind| {
                    let place = self.find_separated(&output[..if error.is_some() { decoded_end } else { end }])?;
                    Some((place, self.ill_formed(kind, place, part, position)))
                });
                let end = failed.map_or(end, |(place, _)| place);
                let written = match start {
                    Some(start) if start < end => {
                        let separator = |before: &[u8]| if self.is_open(before) { REPLACEMENT } else { "" };
                        replace_ill_formed(output, start, end, separator)?
                    }
                    _ => end,
                };
                (written, failed.map(|(_, failed)| failed).or(error))
            }
            (Some(IllFormed::Error(kind)), Some(at)) => (at, Some(self.ill_formed(kind, at, part, position))),
            // The error with the smallest position is reported, so the output before another error
            // must be well-formed by itself.
            (Some(IllFormed::Error(kind)), None) if error.is_some() && !cut.is_empty() => {
                (end, Some(self.ill_formed(kind, end, part, position)))
            }
            _ => (end, error),
        };
        if error.is_none() && cut.len() <= decoded {
            // All bytes of an incomplete character are 0x80 or above. In the input, each is a raw
            // byte, or a triplet, whose last digit is ASCII.
            let raw_end = cut.iter().fold(part.len(), |end, _| end - if part[end - 1] < 0x80 { 3 } else { 1 });
            self.character_position = position + raw_end as u64;
        }
        (self.character, self.error) = (cut, error);
        if self.separates() {
            let end = self.end_with(&output[..written]);
            self.open_output = Prefix::new(&end[end.len() - hex::incomplete_triplet(&end)..]);
        }
        Some(written)
    }

    /// Whether ill-formed sequences after `open_output` are replaced rather than dropped.
    fn separates(&self) -> bool {
        matches!(self.text, Some(IllFormed::Drop(_))) && self.decoder.plan.creates_no_triplets()
    }

    /// Whether a digit after the output so far, of which `written` are the last bytes, could
    /// complete a malformed `%`, and none may.
    fn is_open(&self, written: &[u8]) -> bool {
        self.separates() && hex::incomplete_triplet(&self.end_with(written)) > 0
    }

    /// The end of the output after `open_output` and `written`.
    fn end_with(&self, written: &[u8]) -> Prefix {
        match *written {
            [] => self.open_output,
            [byte] => self.open_output.with(byte),
            [.., first, second] => Prefix::new(&[first, second]),
        }
    }

    /// Offset of the first ill-formed sequence of decoded bytes that would be replaced rather than
    /// dropped.
    #[cold]
    fn find_separated(&self, decoded: &[u8]) -> Option<usize> {
        let mut at = 0;
        decoded.utf8_chunks().find_map(|chunk| {
            let start = at + chunk.valid().len();
            let is_first = at == 0;
            at = start + chunk.invalid().len();
            // After a dropped sequence nothing is open.
            let is_open = if is_first {
                self.is_open(chunk.valid().as_bytes())
            } else {
                hex::incomplete_triplet(chunk.valid().as_bytes()) > 0
            };
            (at > start && is_open).then_some(start)
        })
    }

    /// Decodes a part up to its first error.
    fn decode_to_error(&self, part: &[u8], output: &mut [u8]) -> (usize, Option<DecodeError>) {
        let decoder = if self.leaves_triplet(part) { self.decoder.keep(ByteSet::ALL) } else { self.decoder };
        match decoder.decode_into(part, output) {
            Ok(written) => (written, None),
            Err(DecodeIntoError::Decode(error)) => {
                // `error` is the first decoding error, so up to there a lenient decoder yields the
                // same output. A strict one would fail at a kept triplet that is truncated because
                // one of its digits is rejected.
                (decoder.lenient().decode_into(&part[..error.position], output).unwrap_or(0), Some(error))
            }
            // Unreachable: the output is never longer than the part, which fits.
            Err(DecodeIntoError::BufferTooSmall(_)) => (0, None),
        }
    }

    /// The error for the ill-formed sequence at `at` of the output of `part`.
    #[cold]
    fn ill_formed(&self, kind: DecodeErrorKind, at: usize, part: &[u8], position: u64) -> StreamError {
        let position = match at.checked_sub(self.character.len()) {
            Some(decoded) => position + driver::offset::input_offset(part, &self.decoder.plan, decoded) as u64,
            None => self.character_position,
        };
        StreamError { kind, position }
    }
}

/// Replaces each ill-formed sequence of `output[start..end]` as `replacement` says, given the
/// output before it. Returns the end of the result, or `None` if it does not fit.
///
/// The unprocessed rest is moved to the end of `output`, to leave space for growth before it.
#[cold]
fn replace_ill_formed(
    output: &mut [u8],
    start: usize,
    end: usize,
    replacement: impl Fn(&[u8]) -> &'static str,
) -> Option<usize> {
    let (mut from, mut to) = (output.len() - (end - start), start);
    output.copy_within(start..end, from);
    while from < output.len() {
        let rest = &output[from..];
        let (valid, invalid) = match str::from_utf8(rest) {
            Ok(_) => (rest.len(), 0),
            Err(error) => {
                let valid = error.valid_up_to();
                (valid, error.error_len().unwrap_or(rest.len() - valid))
            }
        };
        output.copy_within(from..from + valid, to);
        from += valid + invalid;
        to += valid;
        if invalid > 0 {
            let replacement = replacement(&output[..to]);
            let replaced = to..to + replacement.len();
            if replaced.end > from {
                return None;
            }
            to = replaced.end;
            output[replaced].copy_from_slice(replacement.as_bytes());
        }
    }
    Some(to)
}

impl Codec for Decoder {
    fn is_text(&self) -> bool {
        self.text.is_some()
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn flow_mut(&mut self) -> &mut Flow {
        &mut self.flow
    }

    fn error(&self) -> Option<StreamError> {
        self.error
    }

    fn run(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        let mut done = Progress::default();
        while let Some(&next) = input.get(done.read)
            && self.error.is_none()
            && is_worthwhile(done.written, output)
        {
            let (rest, room) = (&input[done.read..], &mut output[done.written..]);
            let position = self.flow.total_in + done.read as u64;
            let progress = if self.triplet.is_empty() {
                self.decode_bulk(rest, position, room)
            } else {
                self.decode_pending(next, position, room)
            };
            done.read += progress.read;
            done.written += progress.written;
        }
        done
    }

    fn end(&mut self, output: &mut [u8]) -> usize {
        let mut written = 0;
        if self.error.is_none() && !self.triplet.is_empty() {
            let (triplet, position) = (self.triplet, self.flow.total_in - self.triplet.len() as u64);
            written = self.decode_part(&triplet, position, output).unwrap_or(0);
        }
        if self.error.is_none() && !self.character.is_empty() {
            match self.text {
                Some(IllFormed::Drop(_)) if !self.is_open(&[]) => {}
                Some(IllFormed::Drop(Some(kind))) => {
                    self.error = Some(StreamError { kind, position: self.character_position });
                }
                Some(IllFormed::Replace | IllFormed::Drop(None)) => {
                    output[written..][..REPLACEMENT.len()].copy_from_slice(REPLACEMENT.as_bytes());
                    written += REPLACEMENT.len();
                }
                Some(IllFormed::Error(kind)) => {
                    self.error = Some(StreamError { kind, position: self.character_position });
                }
                // Bytes are never pending back.
                None => {}
            }
        }
        written
    }
}

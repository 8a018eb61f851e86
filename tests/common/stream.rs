//! The expected output of a stream by the reference implementation, and the actual output chunk by
//! chunk.

use simdpct::stream::{self, StreamError};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, reference};

/// How the decoded bytes become output.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Text {
    Any,
    WellFormed,
    Lossy,
    Dropping,
}

pub const TEXTS: [Text; 4] = [Text::Any, Text::WellFormed, Text::Lossy, Text::Dropping];

impl Text {
    pub fn stream(self, decoder: Decoder) -> stream::Decoder {
        let stream = stream::Decoder::new(decoder);
        match self {
            Self::Any => stream,
            Self::WellFormed => stream.utf8(),
            Self::Lossy => stream.utf8_lossy(),
            Self::Dropping => stream.utf8_dropping(),
        }
    }
}

/// Result of a stream: all output, and the error that ended it.
pub type Outcome = (Vec<u8>, Option<(DecodeErrorKind, u64)>);

/// The reference result for the stream in one piece.
pub fn expected(decoder: &Decoder, text: Text, input: &[u8]) -> Outcome {
    let (mut symbols, error) = reference::symbols(decoder, input);
    let is_last = error.is_some_and(|error| error.position + 1 == input.len());
    let is_digit = input.last().is_some_and(u8::is_ascii_hexdigit);
    if is_last && is_digit && symbols.last() == Some(&(input.len().wrapping_sub(2), b'%')) {
        // The last two bytes, `%` and a digit, are held back until `finish`, which fails without
        // writing them.
        symbols.pop();
    }
    let bytes: Vec<u8> = symbols.iter().map(|&(_, byte)| byte).collect();
    let error = error.map(|error| (error.kind, error.position as u64));
    // A rejected byte must not be written by a replacement.
    let is_rejected =
        |byte: &u8| decoder.check(&[*byte]).is_err_and(|error| error.kind == DecodeErrorKind::Rejected(*byte));
    let of_replacement = "\u{FFFD}".bytes().find(is_rejected);
    let rejected = of_replacement.filter(|_| text == Text::Lossy);
    // A lenient decoder that keeps the `%25` creates no triplets.
    let creates_none = decoder.reject(ByteSet::EMPTY).decode(b"%%25").as_deref() == Ok(b"%%25");
    let (output, error) = match (text, rejected) {
        (Text::Any, _) => (bytes, error),
        (Text::WellFormed, _) | (Text::Lossy, Some(_)) => match std::str::from_utf8(&bytes) {
            Ok(_) => (bytes, error),
            Err(invalid) => {
                let at = invalid.valid_up_to();
                let kind = rejected.map_or(DecodeErrorKind::InvalidUtf8, DecodeErrorKind::Rejected);
                (bytes[..at].to_vec(), Some((kind, symbols[at].0 as u64)))
            }
        },
        (Text::Lossy | Text::Dropping, _) => {
            let mut output = Vec::new();
            let mut at = 0;
            let mut error = error;
            for chunk in bytes.utf8_chunks() {
                output.extend_from_slice(chunk.valid().as_bytes());
                let is_open = match output[..] {
                    [.., b'%'] => true,
                    [.., b'%', digit] => digit.is_ascii_hexdigit(),
                    _ => false,
                };
                let is_replaced = !chunk.invalid().is_empty() && (text == Text::Lossy || creates_none && is_open);
                if is_replaced && let Some(byte) = of_replacement {
                    let position = symbols[at + chunk.valid().len()].0 as u64;
                    error = Some((DecodeErrorKind::Rejected(byte), position));
                    break;
                }
                at += chunk.valid().len() + chunk.invalid().len();
                // An incomplete character before the error is not replaced.
                let may_go_on = error.is_some()
                    && at == bytes.len()
                    && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
                if is_replaced && !may_go_on {
                    output.extend_from_slice("\u{FFFD}".as_bytes());
                }
            }
            (output, error)
        }
    };
    assert_one_shot_agrees(decoder, text, input, &(output.clone(), error));
    (output, error)
}

/// Checks the model above against the reference functions, which return either output or error.
pub fn assert_one_shot_agrees(decoder: &Decoder, text: Text, input: &[u8], outcome: &Outcome) {
    let one_shot = match text {
        Text::Any => reference::decode(decoder, input),
        Text::WellFormed => reference::decode_utf8(decoder, input).map(String::into_bytes),
        Text::Lossy => reference::decode_utf8_replacing(decoder, input, "\u{FFFD}").map(String::into_bytes),
        Text::Dropping => reference::decode_utf8_replacing(decoder, input, "").map(String::into_bytes),
    };
    match one_shot {
        Ok(output) => assert_eq!((&output, None), (&outcome.0, outcome.1)),
        Err(error) => assert_eq!(Some((error.kind, error.position as u64)), outcome.1),
    }
}

pub fn error(error: StreamError) -> Option<(DecodeErrorKind, u64)> {
    Some((error.kind, error.position))
}

/// Decodes the chunks with an output of length `room`.
pub fn decode<'a>(
    mut stream: stream::Decoder,
    chunks: impl Iterator<Item = &'a [u8]>,
    room: usize,
    text: Text,
) -> Outcome {
    let mut buffer = [0; 512];
    let room = &mut buffer[..room];
    let mut output = Vec::new();
    let mut total_in = 0;
    for chunk in chunks.chain([&[][..]]) {
        let mut rest = chunk;
        loop {
            let progress = match stream.feed(rest, room) {
                Ok(progress) => progress,
                Err(failure) => {
                    // The error is permanent.
                    assert_eq!(stream.feed(b"a", room), Err(failure));
                    assert_eq!(stream.clone().finish().unwrap_err(), failure);
                    return (output, error(failure));
                }
            };
            let written = &room[..progress.written];
            assert!(text == Text::Any || std::str::from_utf8(written).is_ok(), "cut character: {written:?}");
            output.extend_from_slice(written);
            total_in += progress.read as u64;
            assert_eq!((stream.total_in(), stream.total_out()), (total_in, output.len() as u64));
            rest = &rest[progress.read..];
            // The empty chunk at the end writes pending output, which would be lost if `finish`
            // fails.
            if rest.is_empty() && (!chunk.is_empty() || progress.written == 0) {
                break;
            }
            assert!(progress.read + progress.written > 0, "stuck at {rest:?} with room for {}", room.len());
        }
    }
    match stream.finish() {
        Ok(tail) => {
            assert!(text == Text::Any || std::str::from_utf8(&tail).is_ok(), "cut character: {tail:?}");
            output.extend_from_slice(&tail);
            (output, None)
        }
        Err(failure) => (output, error(failure)),
    }
}

/// Encodes the chunks with an output of length `room`; `finish` returns the pending output.
pub fn encode<'a>(mut stream: stream::Encoder, chunks: impl Iterator<Item = &'a [u8]>, room: usize) -> Vec<u8> {
    let mut buffer = [0; 512];
    let room = &mut buffer[..room];
    let mut output = Vec::new();
    for mut rest in chunks {
        while !rest.is_empty() {
            let progress = stream.feed(rest, room);
            let written = &room[..progress.written];
            assert!(std::str::from_utf8(written).is_ok(), "cut character: {written:?}");
            output.extend_from_slice(written);
            rest = &rest[progress.read..];
            assert!(progress.read + progress.written > 0, "stuck at {rest:?} with room for {}", room.len());
        }
    }
    assert_eq!(stream.total_out(), output.len() as u64);
    output.extend_from_slice(&stream.finish());
    output
}

/// Cuts `input` into chunks of these lengths, in turn.
pub fn chunks_of<'a>(input: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = input;
    let mut lengths = lengths.iter().cycle();
    std::iter::from_fn(move || {
        let chunk = rest.split_off(..rest.len().min(*lengths.next()?).max(usize::from(!rest.is_empty())))?;
        (!chunk.is_empty()).then_some(chunk)
    })
}

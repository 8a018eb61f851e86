//! Functions that write into the caller's memory: which error comes first, and where, for every
//! length of the memory.

use std::mem::MaybeUninit;

use crate::common::stream::error as stream_error;
use crate::common::{Canaries, Failure, levels};
use simdpct::columns::{Column, ColumnBuf, ColumnError, Conversion};
use simdpct::ext_value::{self, ExtValue};
use simdpct::offset::{OffsetError, OffsetMap};
use simdpct::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Level, Malformed, Normalizer, stream};

/// Writes the result for an input to the start of the memory, and returns its length.
type Write = fn(Level, &[u8], &mut [u8]) -> Result<usize, Failure>;

const DECODER: Decoder = Decoder::new().reject(ByteSet::new(b"\0"));
const ENCODER: Encoder = Encoder::URI.keep_triplets().keep_non_ascii();
const NORMALIZER: Normalizer = Normalizer::new();

fn uninit(memory: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    crate::common::as_uninit(memory)
}

/// Every such function, with options that can fail if the function can fail.
const WRITERS: &[(&str, Write)] = &[
    ("Decoder::decode_into", |level, input, memory| Ok(DECODER.level(level).decode_into(input, memory)?)),
    ("Decoder::decode_uninit", |level, input, memory| {
        Ok(DECODER.level(level).decode_uninit(input, uninit(memory))?.len())
    }),
    ("Decoder::decode_into, keeping", |level, input, memory| {
        Ok(DECODER.lenient().keep(ByteSet::new(b"%")).level(level).decode_into(input, memory)?)
    }),
    ("Decoder::decode_utf8_into", |level, input, memory| {
        Ok(DECODER.level(level).decode_utf8_into(input, memory)?.len())
    }),
    ("Encoder::encode_into", |level, input, memory| Ok(ENCODER.level(level).encode_into(input, memory)?)),
    ("Encoder::encode_uninit", |level, input, memory| {
        Ok(ENCODER.level(level).encode_uninit(input, uninit(memory))?.len())
    }),
    ("Normalizer::normalize_into", |level, input, memory| Ok(NORMALIZER.level(level).normalize_into(input, memory)?)),
    ("Normalizer::normalize_into, escaping", |level, input, memory| {
        Ok(NORMALIZER.malformed(Malformed::Escape).level(level).normalize_into(input, memory)?)
    }),
    ("Normalizer::normalize_into, keeping", |level, input, memory| {
        Ok(NORMALIZER.malformed(Malformed::Keep).level(level).normalize_into(input, memory)?)
    }),
    ("ext_value::Encoder::encode_into", |level, input, memory| {
        let text = String::from_utf8_lossy(input);
        Ok(ext_value::Encoder::new().level(level).encode_into(&text, memory)?)
    }),
    ("ExtValue::decode_into, UTF-8", |level, input, memory| decode_value(level, "UTF-8''", input, memory)),
    ("ExtValue::decode_into, ISO-8859-1", |level, input, memory| decode_value(level, "ISO-8859-1''", input, memory)),
];

/// An input that is not an extended value is empty: only parsing can fail.
fn decode_value(level: Level, charset: &str, input: &[u8], memory: &mut [u8]) -> Result<usize, Failure> {
    let value = [charset.as_bytes(), input].concat();
    Ok(ExtValue::parse_on(level, &value).map_or(Ok(0), |value| value.decode_into(memory))?)
}

/// Errors of each kind, alone, twice, and at several distances after output of several lengths.
fn inputs() -> Vec<Vec<u8>> {
    let pieces: [&[u8]; 8] = [b"", b"z", b"%41", b"%zz", b"%C3", b"%C3%A9", b"\0", b" %2f\xC3\xA9"];
    let lengths = [0, 1, 2, 7, 15, 31, 63, 64, 65];
    let mut inputs = Vec::new();
    for first in pieces {
        for second in pieces {
            for before in lengths {
                for between in [0, 1, 40] {
                    inputs.push([&vec![b'a'; before][..], first, &vec![b'b'; between], second].concat());
                }
            }
        }
    }
    inputs
}

/// With enough memory, the result or an error of the input. With less memory, the same error; if
/// the input has no error, the length of the result. No byte outside the memory is written.
#[test]
fn error_of_the_input_comes_before_memory_that_is_too_small() {
    let inputs = inputs();
    for &(name, write) in WRITERS {
        for level in levels() {
            for input in &inputs {
                let mut whole = vec![0; 3 * input.len() + 64];
                let unlimited = write(level, input, &mut whole);
                assert!(!matches!(unlimited, Err(Failure::Needs(_))), "{name}: {unlimited:?}");
                let needed = unlimited.unwrap_or(input.len());
                for length in (0..needed.min(8)).chain(needed.saturating_sub(3)..=needed + 2) {
                    let mut memory = Canaries::around(length);
                    let result = write(level, input, memory.buffer());
                    let expected = match unlimited {
                        Ok(needed) if length < needed => Err(Failure::Needs(needed)),
                        unlimited => unlimited,
                    };
                    let context = || format!("{name} on {level}, {length} bytes for \"{}\"", input.escape_ascii());
                    assert_eq!(result, expected, "{}", context());
                    let written = &whole[..result.map_or(0, |length| length)];
                    assert!(memory.hold(written), "{}", context());
                }
            }
        }
    }
}

/// A stream writes the output before an error, however little space each call has, and then returns
/// the error. In place, the space always suffices.
#[test]
fn all_forms_return_the_same_first_error() {
    let first = |result: Result<(), DecodeError>| result.err();
    for input in inputs() {
        for level in levels() {
            let decoder = DECODER.level(level);
            let bytes = decoder.check(&input).err();
            let text = decoder.decode_utf8(&input).err();
            let context = || format!("\"{}\" on {level}", input.escape_ascii());

            let mut buffer = input.clone();
            assert_eq!(first(decoder.decode_in_place(&mut buffer).map(drop)), bytes, "{}", context());
            let mut buffer = input.clone();
            assert_eq!(first(decoder.decode_utf8_in_place(&mut buffer).map(drop)), text, "{}", context());
            assert_eq!(first(decoder.decode_to(&input, &mut Vec::new())), bytes, "{}", context());
            assert_eq!(first(decoder.decode_utf8_to(&input, &mut String::new())), text, "{}", context());
            assert_eq!(first(OffsetMap::new(&decoder, &input).map(drop)), bytes, "{}", context());
            match (decoder.input_offset(&input, input.len() + 1), bytes) {
                (Err(OffsetError::Decode(error)), Some(expected)) => assert_eq!(error, expected, "{}", context()),
                (Err(OffsetError::BeyondEnd { decoded_len }), None) => {
                    assert_eq!(Ok(decoded_len), decoder.decoded_len(&input), "{}", context());
                }
                (result, _) => panic!("{result:?}: {}", context()),
            }

            let offsets = [0, input.len() as i32];
            let column = Column::new(&input, &offsets).unwrap();
            for (conversion, expected) in
                [(Conversion::decode(&decoder), bytes), (Conversion::decode_utf8(&decoder), text)]
            {
                let error = match conversion.append(&column, &mut ColumnBuf::new()) {
                    Err(ColumnError::Row(error)) => Some((error.row, error.error)),
                    result => {
                        assert!(result.is_ok(), "{result:?}: {}", context());
                        None
                    }
                };
                assert_eq!(error, expected.map(|expected| (0, expected)), "{}", context());
            }

            let strict = NORMALIZER.level(level);
            let malformed = strict.normalize_into(&input, &mut vec![0; input.len()]).err();
            let mut buffer = input.clone();
            let in_place = strict.normalize_in_place(&mut buffer).err();
            assert_eq!(in_place.map(Failure::Decode), malformed.map(Failure::from), "{}", context());

            for (stream, expected) in
                [(stream::Decoder::new(decoder), bytes), (stream::Decoder::new(decoder).utf8(), text)]
            {
                for room in [4, 16, 200] {
                    let (output, error) = feed(stream.clone(), &input, room);
                    let before = &input[..expected.map_or(input.len(), |error| error.position)];
                    let expected = expected.map(|error| (error.kind, error.position as u64));
                    assert_eq!(error, expected, "room {room}: {}", context());
                    assert_eq!(Ok(output.into()), Decoder::new().decode(before), "room {room}: {}", context());
                }
            }
        }
    }
}

/// The output of a stream, and its error.
fn feed(mut stream: stream::Decoder, input: &[u8], room: usize) -> (Vec<u8>, Option<(DecodeErrorKind, u64)>) {
    let (mut output, mut buffer, mut rest) = (Vec::new(), vec![0; room], input);
    loop {
        match stream.feed(rest, &mut buffer) {
            Ok(progress) => {
                output.extend_from_slice(&buffer[..progress.written]);
                rest = &rest[progress.read..];
                if progress.read + progress.written == 0 {
                    break;
                }
            }
            Err(error) => return (output, stream_error(error)),
        }
    }
    let finished = stream.finish().map(|tail| output.extend_from_slice(&tail));
    (output, finished.err().and_then(stream_error))
}

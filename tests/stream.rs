//! Streams and their adapters, with input in random chunks and outputs of any size, against the
//! reference implementation on the whole input. Every chunking of short strings:
//! tests/chunkings.rs.

use std::cell::Cell;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::panic::{self, AssertUnwindSafe};

use crate::common::is_quick;
use crate::common::strategies::{any_decoder, any_encoder, any_level, input};
use crate::common::stream::{Outcome, TEXTS, Text, chunks_of, decode, encode, error, expected};
use proptest::prelude::*;
use proptest::sample::select;
use simdpct::stream::{self, StreamError, bufread, read, write};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, Encoder, reference};

/// A reader or writer that processes at most `lengths` bytes per call, in turn; a length of 0 is an
/// `Interrupted` error.
struct Reluctant<T> {
    inner: T,
    lengths: Vec<usize>,
    calls: usize,
}

impl<T> Reluctant<T> {
    fn new(inner: T, lengths: &[usize]) -> Self {
        Self { inner, lengths: lengths.to_vec(), calls: 0 }
    }

    fn next_length(&mut self) -> io::Result<usize> {
        self.calls += 1;
        match self.lengths[self.calls % self.lengths.len()] {
            0 => Err(ErrorKind::Interrupted.into()),
            length => Ok(length),
        }
    }
}

impl Read for Reluctant<&[u8]> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let length = self.next_length()?.min(output.len());
        self.inner.read(&mut output[..length])
    }
}

impl BufRead for Reluctant<&[u8]> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let length = self.next_length()?.min(self.inner.len());
        Ok(&self.inner[..length])
    }

    fn consume(&mut self, length: usize) {
        self.inner.consume(length);
    }
}

impl Write for Reluctant<Vec<u8>> {
    fn write(&mut self, input: &[u8]) -> io::Result<usize> {
        let length = self.next_length()?.min(input.len());
        self.inner.write(&input[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn stream_error(failure: io::Error) -> Option<(DecodeErrorKind, u64)> {
    assert_eq!(failure.kind(), ErrorKind::InvalidData);
    error(failure.downcast().unwrap())
}

/// Reads to the end or to an error, with a buffer of length `room`.
fn read_all(mut reader: impl Read, room: usize) -> Outcome {
    let mut output = Vec::new();
    let mut buffer = vec![0; room];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => {
                assert_eq!(reader.read(&mut buffer).unwrap(), 0, "the end is the end");
                return (output, None);
            }
            Ok(length) => output.extend_from_slice(&buffer[..length]),
            Err(failure) if failure.kind() == ErrorKind::Interrupted => {}
            Err(failure) => return (output, stream_error(failure)),
        }
    }
}

fn any_lengths() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        2 => prop::collection::vec(0..6_usize, 1..8),
        2 => prop::collection::vec(0..200_usize, 1..8),
        1 => Just(vec![usize::MAX]),
    ]
    .prop_map(|mut lengths| {
        // Not all calls are interruptions.
        lengths.push(1);
        lengths
    })
}

fn any_room() -> impl Strategy<Value = usize> {
    prop_oneof![4..40_usize, 4..512_usize]
}

proptest! {
    #[test]
    fn random_chunking_decodes_as_one_piece(
        input in input(), decoder in any_decoder(), level in any_level(), text in select(&TEXTS[..]),
        lengths in any_lengths(), room in any_room(),
    ) {
        let decoder = decoder.level(level);
        let expected = expected(&decoder, text, &input);
        let room = if text == Text::Any { room - 3 } else { room };
        prop_assert_eq!(&decode(text.stream(decoder), chunks_of(&input, &lengths), room, text), &expected);

        let mut stream = text.stream(decoder);
        let mut output = b"before".to_vec();
        let result = chunks_of(&input, &lengths).try_for_each(|chunk| stream.feed_to(chunk, &mut output));
        let result = result.and_then(|()| stream.finish());
        output.extend_from_slice(result.as_deref().unwrap_or_default());
        prop_assert_eq!((&output[6..], result.err().and_then(error)), (&expected.0[..], expected.1));
    }

    #[test]
    fn random_chunking_encodes_as_one_piece(
        input in input(), encoder in any_encoder(), level in any_level(), lengths in any_lengths(), room in any_room(),
    ) {
        let encoder = encoder.level(level);
        let expected = reference::encode(&encoder, &input);
        prop_assert_eq!(encode(encoder.into(), chunks_of(&input, &lengths), room), expected.as_bytes());

        let mut stream = stream::Encoder::new(encoder);
        let mut output = b"before".to_vec();
        chunks_of(&input, &lengths).for_each(|chunk| stream.feed_to(chunk, &mut output));
        output.extend_from_slice(&stream.finish());
        prop_assert_eq!(&output[6..], expected.as_bytes());
    }

    #[test]
    fn readers_decode_as_one_piece(
        input in input(), decoder in any_decoder(), text in select(&TEXTS[..]), lengths in any_lengths(), room in 1..300_usize,
    ) {
        let expected = expected(&decoder, text, &input);
        let source = || Reluctant::new(&input[..], &lengths);
        prop_assert_eq!(&read_all(read::Decoder::new(source(), text.stream(decoder)), room), &expected);
        prop_assert_eq!(&read_all(bufread::Decoder::new(source(), text.stream(decoder)), room), &expected);
        prop_assert_eq!(&read_all(bufread::Decoder::new(&input[..], text.stream(decoder)), room), &expected);
    }

    #[test]
    fn readers_encode_as_one_piece(
        input in input(), encoder in any_encoder(), lengths in any_lengths(), room in 1..300_usize,
    ) {
        let expected = (reference::encode(&encoder, &input).into_bytes(), None);
        let source = || Reluctant::new(&input[..], &lengths);
        prop_assert_eq!(&read_all(read::Encoder::new(source(), encoder), room), &expected);
        prop_assert_eq!(&read_all(bufread::Encoder::new(source(), encoder), room), &expected);
    }

    #[test]
    fn writers_decode_as_one_piece(
        input in input(), decoder in any_decoder(), text in select(&TEXTS[..]), lengths in any_lengths(),
        writes in any_lengths(), flushed in any::<bool>(),
    ) {
        let expected = expected(&decoder, text, &input);
        let mut writer = write::Decoder::new(Reluctant::new(Vec::new(), &writes), text.stream(decoder));
        let result = chunks_of(&input, &lengths).try_for_each(|chunk| {
            writer.write_all(chunk)?;
            if flushed { writer.flush() } else { Ok(()) }
        });
        let result = result.and_then(|()| writer.try_finish());
        if result.is_err() {
            // The output preceding the error is written, and the error is repeated.
            prop_assert_eq!(writer.try_finish().err().and_then(stream_error), expected.1);
        } else {
            prop_assert_eq!((writer.total_in(), writer.total_out()), (input.len() as u64, expected.0.len() as u64));
        }
        prop_assert_eq!((&writer.get_ref().inner, result.err().and_then(stream_error)), (&expected.0, expected.1));
    }

    #[test]
    fn writers_encode_as_one_piece(
        input in input(), encoder in any_encoder(), lengths in any_lengths(), writes in any_lengths(),
    ) {
        let mut writer = write::Encoder::new(Reluctant::new(Vec::new(), &writes), encoder);
        for chunk in chunks_of(&input, &lengths) {
            writer.write_all(chunk).unwrap();
        }
        prop_assert_eq!(writer.finish().unwrap().inner, reference::encode(&encoder, &input).into_bytes());
    }
}

/// An incomplete character and each byte after it become U+FFFD, which is the maximum growth of
/// lossy text.
#[test]
fn lossy_output_fits_at_maximum_growth() {
    let decoder = Decoder::new();
    for input in [b"\xF0\x9F\x98\xFF\xFF\xFF", b"\xF0\x9F%98%FF%41\xFF".as_slice()] {
        let input = [input, &[0xFF; 100]].concat();
        let expected = expected(&decoder, Text::Lossy, &input);
        for cut in 0..10 {
            for room in 4..100 {
                let chunks = [&input[..cut], &input[cut..]].into_iter();
                assert_eq!(decode(Text::Lossy.stream(decoder), chunks, room, Text::Lossy), expected, "{cut}, {room}");
            }
        }
    }
}

/// `feed_to` must not defer an error to the next call: a caller may have no more input.
#[test]
fn feed_to_returns_error_of_its_own_input() {
    for (input, position) in [(&b"abc%FFdef"[..], 3), (b"%zz", 0), (b"a%E2%82b", 1), (b"\xFF", 0)] {
        let mut stream = stream::Decoder::new(Decoder::new()).utf8();
        let mut output = Vec::new();
        let result = stream.feed_to(input, &mut output).map_err(|error| error.position);
        assert_eq!((result, &output[..]), (Err(position), &input[..position as usize]));
        assert_eq!(stream.feed_to(b"", &mut output).map_err(|error| error.position), Err(position));
    }
}

/// Text of which a first call keeps the maximum, both output and a prefix at the end; then input
/// that continues or breaks off the prefix.
#[test]
fn output_with_48_bytes_more_takes_all_input() {
    const PIECES: [&str; 7] = ["%", "4", "%4", "a", "\u{20AC}", "%E2%82", "+"];
    let pairs: Vec<String> = PIECES.iter().flat_map(|a| PIECES.iter().map(move |b| format!("{a}{b}"))).collect();
    let others: [&[u8]; 4] = [b"z", b"\x82", b"\xE2", &b"%E2%82%AC".repeat(200)];
    let step = if is_quick() { 5 } else { 1 };
    for pair in &pairs {
        for plain in (0..20).step_by(step) {
            let before = "-".repeat(plain) + pair;
            for space in (1..18).step_by(step) {
                for input in pairs.iter().map(|pair| pair.as_bytes()).chain(others) {
                    takes_all(before.as_bytes(), space, input);
                }
            }
        }
    }
}

/// Asserts that all of `input` is consumed after `before`, for which there were `space` bytes.
fn takes_all(before: &[u8], space: usize, input: &[u8]) {
    let (before_text, input_text) = (before.escape_ascii(), input.escape_ascii());
    for text in [Text::Any, Text::Dropping] {
        let mut stream = text.stream(Decoder::new().lenient());
        stream.feed(before, &mut vec![0; space]).unwrap();
        let progress = stream.feed(input, &mut vec![0; input.len() + 48]).unwrap();
        assert_eq!(progress.read, input.len(), "{before_text}, {space}, {input_text}, {text:?}");
    }
    for encoder in [Encoder::COMPONENT, Encoder::URI.keep_triplets().keep_non_ascii()] {
        let mut stream = stream::Encoder::new(encoder);
        stream.feed(before, &mut vec![0; space]);
        let progress = stream.feed(input, &mut vec![0; 3 * input.len() + 48]);
        assert_eq!(progress.read, input.len(), "{before_text}, {space}, {input_text}, {encoder:?}");
    }
}

#[test]
fn positions_count_from_stream_start_beyond_32_bits() {
    // 20 s in an emulator, for code that all levels share.
    if is_quick() {
        return;
    }
    let block = vec![b'a'; 1 << 20];
    let mut output = vec![0; block.len()];
    let mut stream = stream::Decoder::new(Decoder::new()).utf8();
    for _ in 0..4200 {
        assert_eq!(stream.feed(&block, &mut output).unwrap().read, block.len());
    }
    stream.feed(b"%E2%8", &mut output).unwrap();
    let failure = stream.feed(b"2%41", &mut output).unwrap_err();
    assert_eq!((failure.kind, failure.position), (DecodeErrorKind::InvalidUtf8, 4200 << 20));
    assert!(failure.position > u64::from(u32::MAX));
}

/// Input and output are longer than every buffer of the adapters, so that each is refilled.
#[test]
fn streams_longer_than_buffers_match_reference() {
    let input: Vec<u8> = "%E2%82%AC € 100% %zz a+b %FF \u{10FFFF}".bytes().cycle().take(1_000_003).collect();
    let decoder = Decoder::new().lenient();
    for text in TEXTS.into_iter().filter(|&text| text != Text::WellFormed) {
        let expected = expected(&decoder, text, &input);
        let lengths = [1000, 65536, 3, 100_000];
        assert!(read_all(read::Decoder::new(&input[..], text.stream(decoder)), 70_000) == expected, "{text:?}");
        assert!(read_all(bufread::Decoder::new(&input[..], text.stream(decoder)), 5000) == expected, "{text:?}");
        let mut writer = write::Decoder::new(Vec::new(), text.stream(decoder));
        chunks_of(&input, &lengths).for_each(|chunk| writer.write_all(chunk).unwrap());
        assert!(writer.finish().unwrap() == expected.0, "{text:?}");
        let (mut stream, mut output) = (text.stream(decoder), Vec::new());
        chunks_of(&input, &lengths).for_each(|chunk| stream.feed_to(chunk, &mut output).unwrap());
        output.extend_from_slice(&stream.finish().unwrap());
        assert!(output == expected.0, "{text:?}");
    }
    for encoder in [Encoder::COMPONENT, Encoder::URI, Encoder::URI.keep_non_ascii()] {
        let expected = reference::encode(&encoder, &input).into_bytes();
        assert!(read_all(read::Encoder::new(&input[..], encoder), 70_000) == (expected.clone(), None));
        let mut writer = write::Encoder::new(Vec::new(), encoder);
        writer.write_all(&input).unwrap();
        assert!(writer.finish().unwrap() == expected);
    }
}

/// As in flate2, dropping a writer finishes its stream.
#[test]
fn dropped_writer_finishes_its_stream() {
    let mut output = Vec::new();
    write::Decoder::new(&mut output, Decoder::new().lenient()).write_all(b"a%20b%4").unwrap();
    assert_eq!(output, b"a b%4");

    let mut output = Vec::new();
    write::Encoder::new(&mut output, Encoder::URI).write_all(b"a b%4").unwrap();
    assert_eq!(output, b"a%20b%254");

    let mut output = Vec::new();
    write::Decoder::new(&mut output, Decoder::new()).write_all(b"a%20b%4").unwrap();
    assert_eq!(output, b"a b", "the output preceding the error");
}

/// Dropping while the underlying writer's panic unwinds must not call it again: a second panic
/// aborts the process.
#[test]
#[cfg_attr(panic = "abort", ignore = "catches a panic")]
fn dropped_encoder_does_not_write_after_panic() {
    struct Panicking<'a>(&'a Cell<usize>);
    impl Write for Panicking<'_> {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.0.set(self.0.get() + 1);
            panic!("the disk is on fire");
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let long = vec![b'z'; 1 << 20];
    for input in [&b"a b"[..], &long] {
        let calls = Cell::new(0);
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            let mut writer = write::Encoder::new(Panicking(&calls), Encoder::COMPONENT);
            writer.write_all(input).and_then(|()| writer.flush())
        }));
        assert!(result.is_err());
        assert_eq!(calls.get(), 1);
    }
}

/// A finished writer rejects more input, and can be finished again.
#[test]
fn finished_writer_rejects_input() {
    let mut writer = write::Encoder::new(Vec::new(), Encoder::COMPONENT);
    writer.write_all(b"a b").unwrap();
    writer.try_finish().unwrap();
    writer.try_finish().unwrap();
    assert_eq!(writer.write(b"").unwrap(), 0);
    assert_eq!(writer.write(b"c").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(writer.get_ref(), b"a%20b");
    assert_eq!(writer.finish().unwrap(), b"a%20b");
}

/// If the underlying writer fails, a retry continues without loss.
#[test]
fn failed_finish_can_be_retried_without_loss() {
    struct Full(Vec<u8>, usize);
    impl Write for Full {
        fn write(&mut self, input: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1 % 2 == 1 { Err(ErrorKind::WouldBlock.into()) } else { self.0.write(&input[..1]) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = write::Decoder::new(Full(Vec::new(), 0), Decoder::new());
    writer.write_all(b"%41bc%44").unwrap();
    let mut tries = 0;
    while let Err(error) = writer.try_finish() {
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        tries += 1;
    }
    assert_eq!((writer.get_ref().0.as_slice(), tries), (b"AbcD".as_slice(), 4));
}

/// A reader returns the output preceding the error first, then the same error on every call.
#[test]
fn reader_error_is_repeated() {
    let mut reader = read::Decoder::new(b"a%20b%zzc".as_slice(), Decoder::new());
    let mut output = Vec::new();
    for _ in 0..2 {
        let failure = reader.read_to_end(&mut output).unwrap_err();
        assert_eq!(stream_error(failure), Some((DecodeErrorKind::Malformed, 5)));
    }
    assert_eq!(output, b"a b");
}

#[test]
fn readers_count_bytes_and_return_source() {
    let mut reader = bufread::Encoder::new(b"a b".as_slice(), Encoder::COMPONENT);
    assert_eq!(io::read_to_string(&mut reader).unwrap(), "a%20b");
    assert_eq!((reader.total_in(), reader.total_out()), (3, 5));
    assert_eq!((reader.get_ref().len(), reader.get_mut().len(), reader.into_inner().len()), (0, 0, 0));

    let mut reader = read::Decoder::new(b"a%20b%".as_slice(), Decoder::new().lenient());
    assert_eq!(io::read_to_string(&mut reader).unwrap(), "a b%");
    assert_eq!((reader.total_in(), reader.total_out()), (6, 4));
    assert_eq!((reader.get_ref().len(), reader.get_mut().len(), reader.into_inner().len()), (0, 0, 0));
}

/// A reader does not read more input while it has output.
#[test]
fn reader_returns_available_output_without_waiting() {
    struct Once(Option<&'static [u8]>);
    impl Read for Once {
        fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.take().ok_or(ErrorKind::WouldBlock)?;
            output[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }
    let mut reader = read::Decoder::new(Once(Some(b"%41%42c%")), Decoder::new());
    let mut output = [0; 1];
    for expected in *b"ABc" {
        reader.read_exact(&mut output).unwrap();
        assert_eq!(output, [expected]);
    }
    assert_eq!(reader.read(&mut output).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn stream_errors_name_their_position() {
    let mut stream = stream::Decoder::new(Decoder::new().reject(ByteSet::new(b"\0")));
    let failure = stream.feed(b"a.png%00.txt", &mut [0; 64]).and_then(|_| stream.feed(b"", &mut [0; 64])).unwrap_err();
    assert_eq!(failure.to_string(), "rejected byte 0x00 at byte 5 of the stream");
    let failure = io::Error::from(failure);
    assert_eq!(failure.get_ref().unwrap().downcast_ref::<StreamError>().unwrap().position, 5);
}

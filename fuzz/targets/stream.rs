//! Streams: with every chunking and output length, the result equals the result of the input
//! in one piece.
#![no_main]

use std::io::{Read, Write};

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::reference;
use simdpct::stream::{self, read, write};
use simdpct_fuzz::common::stream::{TEXTS, Text, decode, encode, expected};
use simdpct_fuzz::{AnyLevel, Decoding, Encoding, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    decoding: Decoding,
    encoding: Encoding,
    level: AnyLevel,
    text: u8,
    room: u16,
    /// Chunk lengths, used in turn.
    lengths: [u8; 4],
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let AnyLevel(level) = case.level;
    let text = TEXTS[usize::from(case.text) % TEXTS.len()];
    // Output lengths from the minimum on; half of them are short.
    let least = if text == Text::Any { 1 } else { 4 };
    let room =
        usize::from(if case.room & 1 == 0 { case.room >> 1 & 31 } else { case.room >> 1 & 511 }).clamp(least, 512);
    let lengths = case.lengths.map(usize::from);
    let chunks: Vec<Box<[u8]>> = chunks(case.input, lengths).collect();
    let chunks = || chunks.iter().map(|chunk| &**chunk);

    let decoder = case.decoding.decoder().level(level);
    let expected = expected(&decoder, text, case.input);
    assert_eq!(decode(text.stream(decoder), chunks(), room, text), expected);
    let mut output = Vec::new();
    let mut decoding = text.stream(decoder);
    let result = chunks().try_for_each(|chunk| decoding.feed_to(chunk, &mut output)).and_then(|()| decoding.finish());
    output.extend_from_slice(result.as_deref().unwrap_or_default());
    assert_eq!((&output, result.err().map(|error| (error.kind, error.position))), (&expected.0, expected.1));

    let encoder = case.encoding.encoder().level(level);
    let encoded = reference::encode(&encoder, case.input).into_bytes();
    assert_eq!(encode(stream::Encoder::new(encoder), chunks(), room.max(4)), encoded);

    // The adapters: written chunk by chunk, and read into a buffer of that length.
    let mut writer = write::Decoder::new(Vec::new(), text.stream(decoder));
    let written = chunks().try_for_each(|chunk| writer.write_all(chunk));
    // The output preceding an error is written.
    let finished = writer.try_finish();
    assert_eq!((writer.get_ref(), written.is_err() || finished.is_err()), (&expected.0, expected.1.is_some()));
    let mut reader = read::Encoder::new(case.input, encoder);
    let (mut read, mut buffer) = (Vec::new(), vec![0; room]);
    loop {
        match reader.read(&mut buffer).expect("a slice is read") {
            0 => break,
            length => read.extend_from_slice(&buffer[..length]),
        }
    }
    assert_eq!(read, encoded);
});

/// Chunks of these lengths in turn, each in its own exact allocation.
fn chunks(input: &[u8], lengths: [usize; 4]) -> impl Iterator<Item = Box<[u8]>> + '_ {
    let mut rest = input;
    let mut lengths = lengths.into_iter().cycle();
    std::iter::from_fn(move || {
        let length = lengths.next()?.max(1).min(rest.len());
        let chunk = rest.split_off(..length).filter(|chunk| !chunk.is_empty())?;
        Some(exact(chunk))
    })
}

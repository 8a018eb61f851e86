//! Is text that is longer than what is read at once done as if it were short?

use std::fs;

use simdpct::{ByteSet, Decoder, Encoder, reference};
use tempfile::NamedTempFile;

use crate::{output, run, text};

/// At least as much as is read at once.
const PIECE: usize = 256 * 1024;

const PATTERNS: &[&[u8]] = &[
    b"%",
    b"%4",
    b"%41",
    b"%%4",
    b"%0A",
    b"a%2",
    b"%4%41",
    b"%zz%4",
    b"\xC3\xA9 ",
    b"%E2%82%AC",
    b"\xE2\x82\xAC",
    b"\xF0\x9F\x98\x80+",
    b"\xE2\x82 %4\xF0\x9F\x98",
    b"\r\nabc",
    b"\r\ra",
    b"%\r\n",
    b"%4\r\n\r",
];

/// Each pattern over and over, once from each of its bytes on, so that each stands at the end of the first piece once.
fn inputs() -> impl Iterator<Item = (&'static [u8], Vec<u8>)> {
    PATTERNS.iter().flat_map(|&pattern| {
        (0..pattern.len())
            .map(move |start| (pattern, pattern.iter().copied().cycle().skip(start).take(2 * PIECE).collect()))
    })
}

/// Of a line that is longer than a piece, the beginning is written before the end is seen.
#[test]
fn the_texts_of_these_tests_are_longer_than_a_piece() {
    let input = [&"a".repeat(2 * PIECE - 1), "%"].concat();
    assert_ne!(run(&["decode", "--strict"], input.as_bytes()).stdout.len(), 0);
}

/// From a file, so that every read is as large as it can be.
#[track_caller]
fn assert_output(options: &[&str], input: &[u8], expected: &[u8], context: &str) {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), input).unwrap();
    let found = output(&[options, &[file.path().to_str().unwrap()]].concat(), b"");
    let difference = found.iter().zip(expected).position(|(found, expected)| found != expected);
    assert_eq!((difference, found.len()), (None, expected.len()), "{options:?} {context}");
}

#[test]
fn a_text_is_decoded_as_a_whole() {
    for (pattern, input) in inputs() {
        let expected = reference::decode(&Decoder::new().lenient(), &input).unwrap();
        assert_output(&["decode", "--raw"], &input, &expected, &text(pattern));
    }
}

#[test]
fn lines_are_decoded_however_long() {
    let decoder = Decoder::new().lenient().keep(ByteSet::new(b"\r\n"));
    for (pattern, input) in inputs() {
        let expected = reference::decode(&decoder, &input).unwrap();
        assert_output(&["decode"], &input, &expected, &text(pattern));
    }
}

#[test]
fn a_text_is_encoded_as_a_whole() {
    for (pattern, input) in inputs() {
        for (options, encoder) in [
            (&["encode", "--raw"][..], Encoder::COMPONENT),
            (&["encode", "--raw", "--keep-triplets"], Encoder::COMPONENT.keep_triplets()),
            (&["encode", "--raw", "--keep-non-ascii"], Encoder::COMPONENT.keep_non_ascii()),
        ] {
            assert_output(options, &input, reference::encode(&encoder, &input).as_bytes(), &text(pattern));
        }
    }
}

#[test]
fn lines_are_encoded_however_long() {
    let encoder = Encoder::COMPONENT.keep_triplets().keep_non_ascii();
    for (pattern, input) in inputs() {
        // Line ends stay; between them, the oracle. A CR that no LF follows is no line end.
        let mut expected = Vec::new();
        for line in input.split_inclusive(|&byte| byte == b'\n') {
            let end = if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) };
            let (content, end) = line.split_at(line.len() - end);
            expected.extend_from_slice(reference::encode(&encoder, content).as_bytes());
            expected.extend_from_slice(end);
        }
        assert_output(&["encode", "--keep-triplets", "--keep-non-ascii"], &input, &expected, &text(pattern));
    }
}

/// Short lines fill a piece, and one is cut by its end: it goes into the next as a whole.
#[test]
fn lines_go_over_the_end_of_a_piece() {
    for length in [1, 3, 7, 60, 61, 1000, PIECE / 2 + 1, PIECE - 1, PIECE, PIECE + 1] {
        let line = ["%C3%A9%".repeat(length / 7), "x".repeat(length % 7), "\n".into()].concat();
        let input = line.repeat((3 * PIECE).div_ceil(line.len()));
        let expected = ["é%".repeat(length / 7), "x".repeat(length % 7), "\n".into()].concat();
        let expected = expected.repeat(input.len() / line.len());
        assert_output(&["decode"], input.as_bytes(), expected.as_bytes(), &format!("lines of {length}"));
    }
}

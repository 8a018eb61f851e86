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

/// A record of this many repetitions, short or much longer than a piece, is done as the policy wants.
#[test]
fn long_records_are_judged_as_short_ones() {
    let [a, b] = ["a%41", "aA"];
    for count in [3, 150_000] {
        let (long, done) = (a.repeat(count), b.repeat(count));
        for (arguments, input, expected, messages) in [
            (&["decode"][..], format!("{long}%\r\n%42"), format!("{done}%\r\nB"), 1),
            (&["decode", "--errors", "replace"], format!("{long}%E2%82\n%42"), format!("{done}\u{FFFD}\nB"), 1),
            (&["decode", "--errors", "drop"], format!("{long}%\r\n%42"), "B".into(), 1),
            (&["decode", "--errors", "skip"], format!("{long}%\r\n%42"), format!("{long}%\r\nB"), 1),
            (&["decode", "--errors", "drop"], format!("{long}\r\n%42"), format!("{done}\r\nB"), 0),
            (&["decode", "--errors", "skip"], format!("{long}%E2%82%AC\n%42"), format!("{done}€\nB"), 0),
            (&["decode", "--append"], format!("{long}\r\n%42"), format!("{long}\t{done}\r\n%42\tB"), 0),
            (&["decode", "--append", "--errors", "skip"], format!("{long}\n"), format!("{long}\t{done}\n"), 0),
            (&["decode", "--append", "--errors", "drop"], format!("{long}%\n"), String::new(), 1),
            (&["decode", "-0"], format!("{long}\r\n\0%42"), format!("{done}\r\n\0B"), 0),
            (&["decode", "--raw", "--errors", "skip"], format!("{long}%"), format!("{long}%"), 1),
            (&["decode", "--raw", "--errors", "skip"], format!("{long}%00"), format!("{done}\0"), 0),
            (&["encode"], format!("{long}\r\n "), format!("{}\r\n%20", "a%2541".repeat(count)), 0),
            (&["normalize"], format!("{long}%\r\n%7e"), format!("{done}%\r\n~"), 1),
            (&["normalize", "--errors", "skip"], format!("{long}%\r\n%7e"), format!("{long}%\r\n~"), 1),
            (&["repair"], format!("/{long}%\r\n/ "), format!("/{long}%25\r\n/%20"), 1),
            (&["decode", "-f", "2"], format!("{long}\t{long}\t%41\n\t%42"), format!("{long}\t{done}\t%41\n\tB"), 0),
            (&["decode", "--csv", "-c", "2"], format!("\"{long}\n\",%41\n,%42"), format!("\"{long}\n\",A\n,B"), 0),
            (&["decode", "--csv", "-c", "u"], format!("{long},u\n,%42"), format!("{long},u\n,B"), 0),
            (
                &["decode", "--jsonl", "-k", "u"],
                format!("{{\"u\":\"{long}\"}}\n"),
                format!("{{\"u\":\"{done}\"}}\n"),
                0,
            ),
        ] {
            let found = run(arguments, input.as_bytes());
            let context = format!("{arguments:?}, {count} times: {}", text(&found.stderr));
            assert!(found.stdout == expected.as_bytes(), "{context}: {} bytes", found.stdout.len());
            assert_eq!(text(&found.stderr).matches("first at").count(), messages, "{context}");
        }
    }
}

#[test]
fn what_is_no_error_is_never_replaced() {
    for count in [3, 150_000] {
        for end in ["", "%"] {
            let input = "%FF".repeat(count) + end;
            let expected = [&b"\xFF".repeat(count), end.as_bytes()].concat();
            let found = run(&["decode", "--dialect", "rfc3986", "--errors", "replace"], input.as_bytes());
            assert!(found.stdout == expected, "{count} times, and {end:?}");
        }
    }
}

/// Where a record cannot be done in parts, there is an end to what is held of it.
#[test]
fn a_record_too_long_to_be_held_is_passed_on() {
    let long = "%41".repeat(2 * 1024 * 1024);
    let input = format!("%41\t%42\n{long}\t%43\n%44\t%45\n");
    let expected = format!("%41\tB\n{long}\t%43\n%44\tE\n");
    for (policy, expected, status) in [
        ("keep", expected.as_str(), 0),
        ("skip", &expected, 0),
        ("drop", "%41\tB\n%44\tE\n", 0),
        ("fail", "%41\tB\n", 1),
    ] {
        let found = run(&["decode", "-f", "2", "--errors", policy], input.as_bytes());
        assert!(found.stdout == expected.as_bytes(), "{policy}");
        assert_eq!(found.status.code(), Some(status), "{policy}");
        assert!(text(&found.stderr).contains("too long"), "{policy}");
    }
}

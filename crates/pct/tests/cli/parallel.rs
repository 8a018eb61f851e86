//! Several threads: same output, and the same number of records.

use std::fs;

use proptest::prelude::*;

use crate::{data, output, run, text};

/// Many blocks, with malformed text everywhere.
fn long_input() -> Vec<u8> {
    let log = fs::read(data("access.log")).unwrap();
    let mut input = Vec::new();
    for number in 0.. {
        if input.len() > 6 * 1024 * 1024 {
            break;
        }
        input.extend_from_slice(&log);
        input.extend_from_slice(
            format!("\t{number}\t%4\t%FF,\"%41\n%42\",{}\r\n", "x%".repeat(number % 300)).as_bytes(),
        );
        if number % 40 == 0 {
            input.extend_from_slice("long %41 ".repeat(40_000).as_bytes());
        }
    }
    input
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let input = long_input();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &input).unwrap();
    for arguments in [
        &["decode"][..],
        &["decode", "--raw"],
        &["decode", "-0"],
        &["decode", "--append"],
        &["decode", "-f", "2-", "--errors", "replace"],
        &["decode", "--csv", "-c", "1-"],
        &["decode", "--log", "combined", "--errors", "skip"],
        &["decode", "--errors", "drop", "--report", "json"],
        &["decode", "--errors", "fail"],
        &["decode", "--max-errors", "300"],
        &["encode", "--keep-non-ascii"],
        &["normalize", "--errors", "skip"],
        &["normalize", "--url", "--log", "combined"],
        &["normalize", "--url", "--unique"],
        &["normalize", "--url", "--unique", "--max-errors", "300"],
        &["normalize", "--unique", "--csv", "-c", "1-", "--errors", "skip"],
        &["repair"],
        &["form"],
        &["get", "path", "--report", "json"],
        &["get", "key:q", "--log", "combined", "--only-matching", "--append"],
        &["decode", "--only-changed", "--report", "json"],
        &["decode", "--only-matching", "-f", "2", "--print-field"],
        &["check", "--only-matching"],
        &["check", "--not", "--log", "combined", "--report", "json"],
    ] {
        let arguments = [arguments, &[file.path().to_str().unwrap()]].concat();
        let expected = run(&[&arguments[..], &["-j", "1"]].concat(), b"");
        for threads in ["2", "4", "13"] {
            let found = run(&[&arguments[..], &["--threads", threads]].concat(), b"");
            assert_eq!((found.status, text(&found.stderr)), (expected.status, text(&expected.stderr)), "{arguments:?}");
            assert!(found.stdout == expected.stdout, "{arguments:?} -j {threads}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The number of lines, NUL-terminated records, fields, CSV records and log lines does not
    /// change.
    #[test]
    fn decoding_never_changes_the_number_of_records(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "a", "%41", "%0A", "%0d", "%00", "%09", "%2C", "%22", "\"", ",", "\t", "\n", "\r\n", "\0", "%", "%FF", "+", "%5C", " ",
                "h - - [t] \"GET /", " HTTP/1.1\" 200 1 \"", "\" \"agent\"\n",
            ]),
            0..60,
        ),
        policy in prop::sample::select(vec!["keep", "replace", "skip"]),
        plus in any::<bool>(),
    ) {
        let input = parts.concat();
        let count = |bytes: &[u8], wanted: u8| bytes.iter().filter(|&&byte| byte == wanted).count();
        for (unit, unchanged) in [
            (&["decode"][..], &b"\n\r"[..]),
            (&["decode", "--append"], b"\n"),
            (&["decode", "-0"], b"\0"),
            (&["decode", "-f", "1-"], b"\n\r\t"),
            (&["decode", "-f", "2", "-d", ","], b"\n\r,"),
            (&["decode", "--log", "combined"], b"\n\r\"\\"),
            (&["decode", "--jsonl", "-k", "u"], b"\n"),
        ] {
            let mut arguments = [unit, &["--errors", policy]].concat();
            if plus {
                arguments.push("--plus");
            }
            let found = output(&arguments, input.as_bytes());
            for &byte in unchanged {
                prop_assert_eq!(count(&found, byte), count(input.as_bytes(), byte), "{:?} {:?} {}", arguments, input, text(&found));
            }
        }
        // CSV records, counted by an independent reader.
        let found = output(&["decode", "--csv", "-c", "1-", "--errors", policy], input.as_bytes());
        prop_assert_eq!(csv_shape(&found), csv_shape(input.as_bytes()), "{:?} {}", input, text(&found));
    }
}

/// Number of fields of each record, per RFC 4180: an unquoted field may contain quotes, except at
/// its start.
fn csv_shape(text: &[u8]) -> Vec<usize> {
    let mut shape = vec![1];
    let mut is_quoted = false;
    let mut is_start = true;
    let mut bytes = text.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' if is_quoted && bytes.peek() == Some(&&b'"') => {
                bytes.next();
            }
            b'"' if is_quoted => is_quoted = false,
            _ if is_quoted => {}
            b'"' if is_start => is_quoted = true,
            b',' => *shape.last_mut().unwrap() += 1,
            b'\n' => shape.push(1),
            _ => {}
        }
        is_start = !is_quoted && matches!(byte, b',' | b'\n');
    }
    shape
}

/// Quotes, line ends, a byte order mark and malformed text at every block end, on one thread and on
/// several.
#[test]
fn the_output_does_not_depend_on_the_length_of_blocks() {
    let csv = "\u{FEFF}id,u\r\n1,%41\n\n2,\"%2C\n%41\"\"x\"\n\"a\"b,c\"%41\r\n%4,\"open,\"\n3,é%E9,surplus\n4\n";
    let json = "{\"id\":1,\"u\":\"%41\"}\n{\"id\":2,\"u\":\"a\"}\r\n\n{\"u\":\"\\u0025\",\"u\":\"%4\"}\n{\"id\":3,\"u\":\"b\"}x\n[{\"u\":[\"%41\\/\"]}]\n{\"id\":4,\"u\":\"é\",\"u_decoded\":1}\n";
    let lines = "http://h/%41\nhttp://h:80/\r\na&b=%+\n\n1:é\nhttps://h/ \n";
    let cases: [(&[&str], &str); 15] = [
        (&["decode", "--csv", "-c", "u"], csv),
        (&["decode", "--csv", "-c", "2-", "--errors", "drop"], csv),
        (&["encode", "--csv", "-c", "1", "--append", "--errors", "skip"], csv),
        (&["decode", "--jsonl", "-k", "u"], json),
        (&["decode", "--jsonl", "-k", "u", "--append", "--errors", "skip"], json),
        (&["repair", "--jsonl", "-k", "u", "--max-errors", "5"], json),
        (&["repair"], lines),
        (&["form"], lines),
        (&["form", "--errors", "drop"], lines),
        (&["form", "--jsonl", "-k", "u", "--append"], json),
        (&["get", "path", "--csv", "-c", "u", "--print-field"], csv),
        (&["get", "host"], lines),
        (&["get", "keys", "--jsonl", "-k", "u", "--only-matching"], json),
        (&["decode", "--csv", "-c", "u", "--only-changed"], csv),
        (&["decode", "--jsonl", "-k", "u", "--print-field", "--only-matching"], json),
    ];
    for (arguments, text) in cases {
        // Longer than the blocks that one thread does alone.
        let text = [text, &text.trim_start_matches('\u{FEFF}').repeat(6)].concat();
        for threads in ["1", "3"] {
            let arguments = [&["pct", "-j", threads, "--report", "json"], arguments].concat();
            let arguments = [&[arguments[0], arguments[5]], &arguments[6..], &arguments[1..5]].concat();
            let command = pct::InMemory::new(&arguments).unwrap();
            let expected = command.run(text.as_bytes(), 1 << 16);
            for block in 4..80 {
                let found = command.run(text.as_bytes(), block);
                let context = format!("{arguments:?}, blocks of {block}");
                assert_eq!(crate::text(&found.output), crate::text(&expected.output), "{context}");
                assert_eq!(found.error, expected.error, "{context}");
                // After an error, the counts of the last block are not complete.
                assert!(expected.error.is_some() || found.report == expected.report, "{context}");
            }
        }
    }
}

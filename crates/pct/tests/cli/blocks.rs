//! Records that are longer than a block.

use std::fs;

use simdpct::{ByteSet, Decoder, Encoder, reference};
use tempfile::NamedTempFile;

use crate::{output, run, text};

/// At least the length of a block.
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

/// Each pattern repeated, starting from each of its bytes, so that each of them is once the last
/// one of the first block.
fn inputs() -> impl Iterator<Item = (&'static [u8], Vec<u8>)> {
    PATTERNS.iter().flat_map(|&pattern| {
        (0..pattern.len())
            .map(move |start| (pattern, pattern.iter().copied().cycle().skip(start).take(2 * PIECE).collect()))
    })
}

/// A line longer than a block: its beginning is written before its end is read.
#[test]
fn the_test_texts_are_longer_than_a_block() {
    let input = [&"a".repeat(2 * PIECE - 1), "%"].concat();
    assert_ne!(run(&["decode", "--strict"], input.as_bytes()).stdout.len(), 0);
}

/// From a file, so that every read fills its buffer.
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
        // Line ends are kept; the text between them equals the reference implementation's. A CR
        // without a following LF is not a line end.
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

/// Short lines fill a block; the line at its end moves to the next block as a whole.
#[test]
fn lines_are_cut_by_block_ends() {
    for length in [1, 3, 7, 60, 61, 1000, PIECE / 2 + 1, PIECE - 1, PIECE, PIECE + 1] {
        let line = ["%C3%A9%".repeat(length / 7), "x".repeat(length % 7), "\n".into()].concat();
        let input = line.repeat((3 * PIECE).div_ceil(line.len()));
        let expected = ["é%".repeat(length / 7), "x".repeat(length % 7), "\n".into()].concat();
        let expected = expected.repeat(input.len() / line.len());
        assert_output(&["decode"], input.as_bytes(), expected.as_bytes(), &format!("lines of {length}"));
    }
}

/// Each policy, for records shorter and much longer than a block.
#[test]
fn policies_apply_to_long_records() {
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
fn replacement_only_applies_to_errors() {
    for count in [3, 150_000] {
        for end in ["", "%"] {
            let input = "%FF".repeat(count) + end;
            let expected = [&b"\xFF".repeat(count), end.as_bytes()].concat();
            let found = run(&["decode", "--dialect", "rfc3986", "--errors", "replace"], input.as_bytes());
            assert!(found.stdout == expected, "{count} times, and {end:?}");
        }
    }
}

/// Operations that cannot stream process the whole record.
#[test]
fn record_of_any_length_is_done_in_every_format() {
    const COUNT: usize = 1_500_000;
    let (long, done, encoded) = ("a%41".repeat(COUNT), "aA".repeat(COUNT), "a%2541".repeat(COUNT));
    let log = |target: &str| format!("h - - [t] \"GET {target} HTTP/1.1\" 200 1\n");
    for (arguments, input, expected) in [
        (&["decode", "-f", "2"][..], format!("x\t{long}\t%41\n\t%42\n"), format!("x\t{done}\t%41\n\tB\n")),
        (&["encode", "-f", "1", "--append"], format!("{long}\n"), format!("{long}\t{encoded}\n")),
        (&["decode", "--csv", "-c", "1"], format!("\"{long}\n\"\n%41\n"), format!("\"{done}\n\"\nA\n")),
        (&["decode", "--csv", "-c", "u"], format!("{long},u\n,%41\n"), format!("{long},u\n,A\n")),
        (&["decode", "--jsonl", "-k", "u"], format!("{{\"u\":\"{long}\"}}\n"), format!("{{\"u\":\"{done}\"}}\n")),
        (&["decode", "--log", "common"], log(&long), log(&done)),
        (
            &["decode", "--log", "$a \"$request\""],
            format!("{long} \"GET {long}\"\n"),
            format!("{long} \"GET {done}\"\n"),
        ),
        (
            &["decode", "--log", "w3c"],
            format!("#Fields: a cs-uri\n{long} %41\n#Fields: {long} cs-uri b\nx {long} y\n"),
            format!("#Fields: a cs-uri\n{long} A\n#Fields: {long} cs-uri b\nx {done} y\n"),
        ),
        (
            &["decode", "--cdxj"],
            format!("{long} 1 {{\"url\":\"{long}\"}}\n"),
            format!("{long} 1 {{\"url\":\"{done}\"}}\n"),
        ),
        (&["decode", "--charset", "shift_jis"], format!("{long}%95%5C\n%41\n"), format!("{done}表\nA\n")),
        (&["decode", "--fallback", "latin1"], format!("{long}%E9\n%C3%A9\n"), format!("{done}é\né\n")),
        (&["decode", "--unicode", "-0"], format!("{long}%u20AC\0%41"), format!("{done}€\0A")),
        (&["encode", "--charset", "latin1"], format!("{long}é\né"), format!("{encoded}%E9\n%E9")),
        (&["form"], format!("x={long}\n"), format!("{{\"x\":\"{done}\"}}\n")),
        (&["form", "--back"], format!("{{\"x\":\"{long}\"}}\n"), format!("x={encoded}\n")),
        (&["decode", "-f", "1", "--errors", "drop"], format!("{long}%\n%41\n"), "A\n".into()),
        (&["decode", "-f", "1", "--errors", "skip"], format!("{long}%\n%41\n"), format!("{long}%\nA\n")),
    ] {
        let found = output(arguments, input.as_bytes());
        assert!(found == expected.as_bytes(), "{arguments:?}: {} bytes", found.len());
    }
    let found = run(&["check", "--csv", "-c", "2"], format!("x,\"{long}%\"\n,%\n").as_bytes());
    let places: Vec<_> = str::from_utf8(&found.stdout).unwrap().lines().collect();
    assert!(places.len() == 2 && places[1].starts_with("<stdin>:2:2: malformed"), "{places:?}");
}

/// Limits the memory of the process, as if memory was full.
#[cfg(target_os = "linux")]
fn run_with_little_memory(arguments: &str) -> std::process::Output {
    let script = format!("ulimit -d 262144; exec \"$0\" {arguments} -j 1");
    let pct = crate::pct_process(&[]).get_program().to_owned();
    std::process::Command::new("sh").arg("-c").arg(script).arg(pct).output().unwrap()
}

/// The output is still in the format.
#[cfg(target_os = "linux")]
#[test]
fn record_too_long_for_memory_is_an_error() {
    let file = NamedTempFile::new().unwrap();
    let long = "%41".repeat(16 << 20);
    let json = format!("{{\"u\":\"%42\"}}\n{{\"u\":\"{long}\"}}\n{{\"u\":\"%43\"}}\n");
    let query = format!("u=%42\n{long}\nu=%43\n");
    let [first, last] = ["{\"u\":\"B\"}\n", "{\"u\":\"C\"}\n"];
    let skipped = format!("{first}{}{last}", json.split_inclusive('\n').nth(1).unwrap());
    let told = "the record at 2:1 is too long for memory";
    let counted = "1 too long; first at 2:1";
    for (arguments, input, expected, status, messages) in [
        ("decode --jsonl -k u", &json, first, 3, &[told, counted][..]),
        ("decode --jsonl -k u -q", &json, first, 3, &[told]),
        ("decode --jsonl -k u --errors replace", &json, first, 3, &[told, counted]),
        ("decode --jsonl -k u --errors fail", &json, first, 1, &["2:1: too long for memory"]),
        ("decode --jsonl -k u --errors skip", &json, &skipped, 0, &[counted]),
        ("decode --jsonl -k u --errors drop", &json, &[first, last].concat(), 0, &[counted]),
        ("form -q", &query, first, 3, &[told]),
        ("check --jsonl -k u", &json, "FILE:2:1: too long for memory\n", 3, &[told]),
    ] {
        fs::write(file.path(), input).unwrap();
        let path = file.path().to_str().unwrap();
        let found = run_with_little_memory(&format!("{arguments} {path}"));
        let stderr = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(status), "{arguments}: {stderr}");
        assert!(found.stdout == expected.replace("FILE", path).as_bytes(), "{arguments}: {} bytes", found.stdout.len());
        assert_eq!(stderr.lines().count(), messages.len(), "{arguments}: {stderr}");
        assert!(messages.iter().all(|message| stderr.contains(message)), "{arguments}: {stderr}");
    }
}

/// Not even where the limit is not a multiple of what is read at once.
#[test]
fn record_longer_than_the_limit_is_an_error() {
    let of_length = |length: usize| "%41".repeat(length / 3);
    let [short, long] = [of_length(600_000), of_length(700_002)];
    let (decoded, told) = ("A".repeat(200_000), "pct: <stdin>: the record at 2:1 is longer than --max-record\n");
    let input = format!("{short}\t\n{long}\t\n{short}\t\n");
    for threads in ["1", "4"] {
        for (size, is_over) in
            [("256K", true), ("600002", true), ("683K", true), ("684K", false), ("1M", false), ("1g", false)]
        {
            for (policy, status) in [("keep", 3), ("skip", 0), ("drop", 0)] {
                let found = run(
                    &["decode", "-f", "1", "-q", "-j", threads, "--max-record", size, "--errors", policy],
                    input.as_bytes(),
                );
                let middle = match policy {
                    _ if !is_over => format!("{}\t\n", "A".repeat(233_334)),
                    "skip" => format!("{long}\t\n"),
                    _ => String::new(),
                };
                let context = format!("{size} {policy} {threads}");
                let is_first_over = size == "256K";
                if is_first_over {
                    assert_eq!(found.status.code(), Some(status), "{context}");
                    continue;
                }
                let last = if is_over && policy == "keep" { String::new() } else { format!("{decoded}\t\n") };
                assert!(found.stdout == format!("{decoded}\t\n{middle}{last}").as_bytes(), "{context}");
                let (status, told) = if is_over { (status, told) } else { (0, "") };
                assert_eq!(found.status.code(), Some(status), "{context}");
                assert_eq!(String::from_utf8_lossy(&found.stderr), if status == 3 { told } else { "" }, "{context}");
            }
        }
    }
    // What is processed in parts has no limit, and what is listed has the reason.
    assert_eq!(run(&["decode", "--max-record", "256K"], input.as_bytes()).status.code(), Some(0));
    let found = run(&["check", "-f", "1", "--max-record", "600002"], input.as_bytes());
    assert_eq!(String::from_utf8_lossy(&found.stdout), "<stdin>:2:1: longer than --max-record\n");
    assert_eq!(String::from_utf8_lossy(&found.stderr), told);
    for size in ["255K", "0", "x", "1T", "-1", "99999999999G", ""] {
        assert_eq!(run(&["decode", "--max-record", size], b"").status.code(), Some(2), "{size}");
    }
}

/// Without the first record, which determines the columns, the others cannot be processed; another
/// file's first record does not count.
#[cfg(target_os = "linux")]
#[test]
fn needed_first_record_too_long_for_memory_is_an_error() {
    let long = "%41".repeat(16 << 20);
    let [short_file, long_file] = [(); 2].map(|()| NamedTempFile::new().unwrap());
    fs::write(short_file.path(), "u,v\n%41,%42\n").unwrap();
    fs::write(long_file.path(), format!("{long},u,v\n%43,%44,%45\n")).unwrap();
    let [short_path, long_path] = [&short_file, &long_file].map(|file| file.path().to_str().unwrap());
    for policy in ["skip", "drop", "keep"] {
        let skipped = if policy == "skip" { &*format!("{long},u,v\n") } else { "" };
        for (arguments, expected, rest) in [
            ("--csv -c v", "u,v\n%41,B\n", None),
            ("--csv -c 2 --header", "u,v\n%41,B\n", None),
            ("--csv -c 2 --append", "u,v,v\n%41,%42,B\n", None),
            ("-d , -f 2 --append", "u,v,v\n%41,%42,B\n", None),
            ("--csv -c 2", "u,v\n%41,B\n", Some("%43,D,%45\n")),
            ("-d , -f 2", "u,v\n%41,B\n", Some("%43,D,%45\n")),
        ] {
            let context = format!("{arguments} --errors {policy}");
            let found = run_with_little_memory(&format!("decode {context} {short_path} {long_path}"));
            let stderr = String::from_utf8(found.stderr).unwrap();
            let rest = rest.filter(|_| policy != "keep");
            let expected = expected.to_owned() + &rest.map(|rest| skipped.to_owned() + rest).unwrap_or_default();
            assert!(found.stdout == expected.as_bytes(), "{context}: {} bytes, {stderr}", found.stdout.len());
            assert_eq!(found.status.code(), Some(if rest.is_some() { 0 } else { 3 }), "{context}: {stderr}");
            let is_told = stderr.contains(&format!("{long_path}: the record at 1:1 is too long for memory"));
            assert_eq!(is_told, rest.is_none(), "{context}: {stderr}");
            assert!(stderr.contains(&format!("{long_path}: 1 too long; first at 1:1")), "{context}: {stderr}");
        }
    }
}

//! Pipelines: latency, memory, closed streams.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::{pct_process, text};

/// Timeout: only a failing test hangs this long.
const HANGING: Duration = Duration::from_secs(60);

fn spawn(arguments: &[&str]) -> Child {
    let piped = Stdio::piped;
    pct_process(arguments).stdin(piped()).stdout(piped()).stderr(piped()).spawn().expect("the command can be run")
}

/// As in `pct decode | head`: the reader closes the pipe early.
#[test]
fn a_closed_pipe_is_not_an_error() {
    for arguments in [&["decode"][..], &["decode", "--raw"], &["decode", "--strict"], &["encode"], &["encode", "--raw"]]
    {
        let mut child = spawn(arguments);
        let mut input = child.stdin.take().unwrap();
        drop(child.stdout.take());
        let has_stopped_reading = (0..10_000_000).any(|_| input.write_all(b"more and more\n").is_err());
        assert!(has_stopped_reading, "{arguments:?}");
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        assert_eq!((status.code(), text(&stderr)), (Some(0), String::new()), "{arguments:?}");
    }
}

/// As in `tail -f log | pct decode`: available lines are written at once.
#[test]
fn a_line_is_written_as_soon_as_it_is_complete() {
    for (arguments, steps) in [
        (&["decode"][..], [("%41 1\n%42 ", "A 1\n"), ("2\n%43 3\n", "B 2\nC 3\n"), ("%0A\n", "%0A\n")]),
        (&["encode"], [("/ 1\n/ ", "%2F%201\n"), ("2\r\n", "%2F%202\r\n"), ("\n", "\n")]),
        // With --raw, everything read is written, except an incomplete triplet.
        (&["decode", "--raw"], [("%41 1\n%42 ", "A 1\nB "), ("2%4", "2"), ("3%", "C")]),
        (&["encode", "--raw", "--keep-triplets"], [("/", "%2F"), ("%4", ""), ("1", "%41")]),
    ] {
        let mut child = spawn(arguments);
        let mut input = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let (sender, received) = mpsc::channel();
        let reader = thread::spawn(move || {
            for byte in BufReader::new(&mut output).bytes() {
                sender.send(byte.unwrap()).unwrap();
            }
        });
        for (given, shown) in steps {
            input.write_all(given.as_bytes()).unwrap();
            let found: Vec<u8> = shown.bytes().map_while(|_| received.recv_timeout(HANGING).ok()).collect();
            assert_eq!(text(&found), text(shown.as_bytes()), "{arguments:?}");
        }
        drop(input);
        assert!(child.wait().unwrap().success());
        reader.join().unwrap();
    }
}

/// Compressed output is flushed when idle. With bzip2, whose flush ends within a byte, the last
/// bits wait.
#[test]
fn a_line_that_is_compressed_comes_before_the_next_is_given() {
    for format in ["gzip", "zstd", "xz"] {
        let mut child = spawn(&["decode", "--output-compression", format]);
        let mut input = child.stdin.take().unwrap();
        let compressed = child.stdout.take().unwrap();
        let mut reader = pct_process(&["decode"]).stdin(compressed).stdout(Stdio::piped()).spawn().unwrap();
        let output = reader.stdout.take().unwrap();
        let (sender, received) = mpsc::channel();
        let bytes = thread::spawn(move || {
            for byte in BufReader::new(output).bytes() {
                sender.send(byte.unwrap()).unwrap();
            }
        });
        for line in ["%41 1\n", "%41 2\n%41 3\n"] {
            input.write_all(line.as_bytes()).unwrap();
            let expected = line.replace("%41", "A");
            let found: Vec<u8> = expected.bytes().map_while(|_| received.recv_timeout(HANGING).ok()).collect();
            assert_eq!(text(&found), text(expected.as_bytes()), "{format}");
        }
        drop(input);
        assert!(child.wait().unwrap().success(), "{format}");
        assert!(reader.wait().unwrap().success(), "{format}");
        bytes.join().unwrap();
    }
}

/// The same after enough input to start several threads.
#[test]
fn a_line_is_written_as_soon_as_it_is_complete_however_many_there_were() {
    const LINES: usize = 500_000;

    for arguments in [&["decode"][..], &["decode", "-j", "4"], &["decode", "-f", "1"], &["decode", "--csv", "-c", "1"]]
    {
        let mut child = spawn(arguments);
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let writer = thread::spawn(move || {
            input.write_all("%41 and on\n".repeat(LINES).as_bytes()).unwrap();
            input
        });
        io::copy(&mut output.by_ref().take(9 * LINES as u64), &mut io::sink()).unwrap();
        let mut input = writer.join().unwrap();
        for line in ["%42\n", "%43\n", "%44 %45\n"] {
            input.write_all(line.as_bytes()).unwrap();
            let expected = line.replace("%42", "B").replace("%43", "C").replace("%44 %45", "D E");
            let mut found = vec![0; expected.len()];
            // If it was not written, this would hang.
            output.read_exact(&mut found).unwrap();
            assert_eq!(text(&found), text(expected.as_bytes()), "{arguments:?}");
        }
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

/// Peak memory of a process, in bytes.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// A line, a text, and a file of short records take constant memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    const LENGTH: usize = 32 * 1024 * 1024;

    for (arguments, unit) in [
        (&["decode"][..], "%41%4a%"),
        (&["decode", "--strict"], "%41%4a"),
        (&["decode", "--raw"], "%41%4a%\n"),
        (&["encode"], "a\u{20AC}/"),
        (&["encode", "--keep-non-ascii"], "a\u{20AC}/\r"),
        (&["decode", "-f", "2"], "a\t%41%4a\n"),
        (&["decode", "--csv", "-c", "1"], "\"%41%4a\",\"b\nc\"\n"),
        (&["decode", "--jsonl", "-k", "u"], "{\"u\":\"%41\"}\n"),
        (&["decode", "--log", "common"], "h - - [t] \"GET /%41 HTTP/1.1\" 200 1\n"),
        (&["form"], "a=%41&b=+\n"),
    ] {
        let mut child = spawn(arguments);
        let mut input = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let reader = thread::spawn(move || io::copy(&mut output, &mut io::sink()).unwrap());
        input.write_all(unit.repeat(LENGTH / unit.len()).as_bytes()).unwrap();
        // Everything except the pipe's content has been read, and the command waits for more input.
        let peak = peak(&child);
        assert!(peak < LENGTH / 2, "{arguments:?} takes {peak} bytes");
        drop(input);
        assert!(child.wait().unwrap().success());
        assert!(reader.join().unwrap() > 0);
    }
}

/// A parsed record takes a multiple of its length, and only while it is processed.
#[cfg(target_os = "linux")]
#[test]
fn memory_for_a_record_is_a_multiple_of_its_length() {
    const LENGTH: usize = 8 * 1024 * 1024;

    for (arguments, start, unit, end) in [
        (&["decode", "-f", "1"][..], "", "%41", "\n"),
        (&["encode", "-f", "1", "--append"], "", " ", "\n"),
        (&["decode", "--csv", "-c", "1"], "\"", "%41\"\"", "\"\n"),
        (&["encode", "--csv", "-c", "1", "--append"], "", " ", "\n"),
        (&["decode", "--jsonl", "-k", "u"], "{\"u\":\"", "%01", "\"}\n"),
        (&["encode", "--jsonl", "-k", "u", "--append"], "{\"u\":\"", "/", "\"}\n"),
        (&["decode", "--log", "common", "--append"], "h - - [t] \"GET /", "%41", " HTTP/1.1\" 200 1\n"),
        (&["form"], "a=", "%01", "\n"),
    ] {
        let mut child = spawn(arguments);
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let record = [start, &unit.repeat(LENGTH / unit.len()), end].concat();
        let writer = thread::spawn(move || {
            input.write_all(record.as_bytes()).unwrap();
            input
        });
        let mut line = Vec::new();
        output.read_until(b'\n', &mut line).unwrap();
        let peak = peak(&child);
        assert!(line.len() > LENGTH / 4 && peak < 20 * LENGTH, "{arguments:?} takes {peak} bytes");
        drop(writer.join().unwrap());
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_exit_code_3() {
    for arguments in [&["decode"][..], &["decode", "--raw"], &["encode"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = pct_process(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"a").unwrap();
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        assert_eq!(status.code(), Some(3), "{arguments:?}");
        assert!(text(&stderr).starts_with("pct: standard output: "), "{}", text(&stderr));
    }
}

/// No output is lost without an error. Empty or redirected output does not need standard output.
#[cfg(unix)]
#[test]
fn a_closed_stream_is_an_error_where_it_is_needed() {
    let pct = pct_process(&[]).get_program().to_str().unwrap().to_owned();
    let (input, output) = ("pct: <stdin>: stream is closed\n", "pct: standard output: stream is closed\n");
    for (arguments, status, stdout, stderr) in [
        ("decode <&-", 3, "", input),
        ("decode >&-", 3, "", output),
        ("decode --output-compression xz >&-", 3, "", output),
        ("check >&-", 3, "", output),
        ("check --report json >&-", 3, "", output),
        ("stats >&-", 3, "", output),
        ("info >&-", 3, "", output),
        ("man >&-", 3, "", output),
        ("decode 2>&-", 0, "A%", ""),
        ("decode -q > /dev/null", 0, "", ""),
        ("decode -q <> /dev/null >&0", 0, "", ""),
        ("check -q >&-", 1, "", ""),
        ("decode /dev/null >&-", 0, "", ""),
        ("decode -q -o /dev/null >&-", 0, "", ""),
    ] {
        let script = format!("printf %%41%% | \"$0\" {arguments}");
        let found = std::process::Command::new("sh").args(["-c", &script, &pct]).output().unwrap();
        let messages = str::from_utf8(&found.stderr).unwrap().lines().filter(|line| !line.contains("malformed"));
        let messages: String = messages.flat_map(|line| [line, "\n"]).collect();
        let found = (found.status.code(), text(&found.stdout), messages);
        assert_eq!(found, (Some(status), stdout.into(), stderr.into()), "{arguments}");
    }
}

/// Findings before the reader closed the pipe, as `head` does, still count.
#[test]
fn a_closed_pipe_does_not_hide_findings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "%\n".repeat(500_000)).unwrap();
    let file = file.to_str().unwrap();
    for (arguments, status) in [
        (&["check", file][..], 1),
        (&["check", "--report", "json", file], 1),
        (&["check", "missing", file], 3),
        (&["stats", file], 0),
        (&["stats", "missing", file], 3),
        (&["stats", "--report", "json", "missing", file], 3),
        (&["decode", "missing", file], 3),
    ] {
        let mut child = spawn(arguments);
        drop(child.stdout.take());
        let Output { status: found, stderr, .. } = child.wait_with_output().unwrap();
        assert_eq!(found.code(), Some(status), "{arguments:?}");
        assert!(!text(&stderr).contains("standard output"), "{arguments:?}: {}", text(&stderr));
    }
}

//! Output and messages on a terminal.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::{pct_process, text};

/// A terminal: bytes written to the second end can be read from the first, unchanged.
fn terminal() -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut settings = tcgetattr(&slave).unwrap();
    settings.make_raw();
    tcsetattr(&slave, OptionalActions::Now, &settings).unwrap();
    (master.into(), slave)
}

/// Reads until the last writer has closed it.
fn read_all(mut master: File) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    // A terminal without writers is an error to read.
    while let Ok(length @ 1..) = master.read(&mut buffer) {
        all.extend_from_slice(&buffer[..length]);
    }
    text(&all)
}

#[test]
fn each_line_is_shown_at_once_and_controls_stay_escaped() {
    let (mut master, slave) = terminal();
    let mut child = pct_process(&["decode"]).stdin(Stdio::piped()).stdout(slave).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for (given, shown) in [("%41%1b[31m%07%09%7F\n", "A%1B[31m%07\t%7F\n"), ("%42\n", "B\n")] {
        input.write_all(given.as_bytes()).unwrap();
        let mut found = vec![0; shown.len()];
        master.read_exact(&mut found).unwrap();
        assert_eq!(text(&found), text(shown.as_bytes()));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Output of a command to standard output or standard error, if that is a terminal and the other is
/// discarded.
fn shown(arguments: &[&str], folder: &Path, input: &[u8], is_error: bool) -> String {
    let (master, slave) = terminal();
    let mut command = pct_process(arguments);
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let command = if is_error { command.stderr(slave) } else { command.stdout(slave) };
    let mut child = command.env("NO_COLOR", "1").spawn().unwrap();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let shown = std::thread::spawn(move || read_all(master));
    // With invalid arguments, the command reads no input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait().unwrap();
    shown.join().unwrap()
}

/// All active characters, as bytes and as triplets, and their escaped form.
const ACTIVE: &[(&str, &str, &str)] = &[
    ("\x1B[31m", "%1B[31m", "\\u001b[31m"),
    ("\x07\x08\x7F", "%07%08%7F", "\\u0007\\u0008\\u007f"),
    ("\u{9B}31m", "%C2%9B31m", "\\u009b31m"),
    ("\u{202E}", "%E2%80%AE", "\\u202e"),
    ("\u{2066}\u{2069}", "%E2%81%A6%E2%81%A9", "\\u2066\\u2069"),
    ("\u{200E}\u{200F}\u{61C}", "%E2%80%8E%E2%80%8F%D8%9C", "\\u200e\\u200f\\u061c"),
];

#[test]
fn active_characters_of_the_output_are_escaped() {
    let nowhere = Path::new(".");
    for (raw, triplets, json) in ACTIVE {
        for (arguments, input, expected) in [
            (&["decode"][..], triplets.to_string(), triplets.to_string()),
            // Raw ones, too.
            (&["decode"], raw.to_string(), triplets.to_string()),
            (&["decode", "--raw"], triplets.to_string(), triplets.to_string()),
            (&["decode", "-f", "2"], format!("{raw}\t{triplets}\n"), format!("{triplets}\t{triplets}\n")),
            (
                &["decode", "--csv", "-c", "1"],
                format!("{triplets},\"{raw}\"\r\n"),
                format!("{triplets},\"{triplets}\"\r\n"),
            ),
            (&["normalize"], raw.to_string(), triplets.to_string()),
            (&["decode", "-0"], format!("{triplets}\0a\0"), format!("{triplets}\0a\0")),
            (
                &["decode", "--jsonl", "-k", "u"],
                format!("{{\"u\":\"{triplets}\"}}\n"),
                format!("{{\"u\":\"{json}\"}}\n"),
            ),
            (&["form"], format!("{triplets}={triplets}\n"), format!("{{\"{json}\":\"{json}\"}}\n")),
            (&["form", "--as", "tsv"], format!("a={triplets}\n"), format!("a={triplets}\n")),
            (&["form", "--back"], format!("{raw}\n"), format!("{json}\n")),
        ] {
            // serde_json has a name for this one.
            let expected = if arguments[0] == "decode" && arguments.contains(&"--jsonl") || *arguments == ["form"] {
                expected.replace("\\u0008", "\\b")
            } else {
                expected
            };
            let found = shown(arguments, nowhere, input.as_bytes(), false);
            assert_eq!(found, text(expected.as_bytes()), "{arguments:?} < {input:?}");
        }
    }
    // C1 as a single byte, and a truncated character.
    assert_eq!(shown(&["decode"], nowhere, b"\x9B%9B%C3\n", false), "%9B%9B%C3\\n");
    let long = "%C3%A9".repeat(300_000);
    assert!(shown(&["decode"], nowhere, format!("{long}%1B").as_bytes(), false).ends_with("\\xc3\\xa9%1B"));
}

#[test]
fn unsafe_controls_are_not_escaped() {
    for arguments in [&["decode", "--raw", "--unsafe-controls"][..], &["decode", "--unsafe-controls"]] {
        assert_eq!(shown(arguments, Path::new("."), b"%41%1b", false), "A\\x1b", "{arguments:?}");
    }
}

#[test]
fn findings_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    for (raw, _, json) in ACTIVE {
        let name = format!("a{raw}\nb");
        fs::write(folder.path().join(&name), format!("%{raw}\n")).unwrap();
        for arguments in [&["check", &name][..], &["stats", &name], &["check", "-f", "1", &name]] {
            let found = shown(arguments, folder.path(), b"", false);
            assert!(found.starts_with("a\\\\"), "{arguments:?}: {found}");
            assert_no_active(&found);
        }
        for arguments in [&["check", "--report", "json", &name][..], &["stats", "--report", "json", &name]] {
            let found = shown(arguments, folder.path(), b"", false);
            let json = text(json.replace("\\u0008", "\\b").as_bytes());
            assert!(found.contains(&format!("a{json}\\\\nb")), "{arguments:?}: {found}");
            assert_no_active(&found);
        }
        // To a pipe, too.
        let found = crate::pct(&["check", &name]).current_dir(&folder).output().unwrap();
        assert_no_active(&text(&found.stdout));
    }
}

/// Escapes everything but ASCII, as in the expected texts.
#[track_caller]
fn assert_no_active(shown: &str) {
    let is_plain = |part: &str| {
        !["\\x1b", "\\x07", "\\x7f", "\\xc2\\x9b", "\\xe2\\x80\\x", "\\xe2\\x81\\xa"]
            .iter()
            .any(|active| part.contains(active))
    };
    assert!(is_plain(&shown.replace("\\\\x", "")), "{shown}");
}

/// Names of files, columns, keys and commands, and other arguments, in all messages that quote
/// them.
#[test]
fn messages_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    for (raw, _, _) in ACTIVE {
        let bad = format!("{raw}\nx");
        fs::write(folder.path().join(&bad), "%\n").unwrap();
        fs::write(folder.path().join("csv"), format!("\"{bad}\",b\n1,2\n")).unwrap();
        fs::write(folder.path().join("other"), "a\n1\n").unwrap();
        let missing = format!("{bad}missing");
        for arguments in [
            &["decode", &bad][..],
            &["decode", "--strict", &bad],
            &["decode", "--report", "json", &bad],
            &["decode", &missing],
            &["decode", "-o", &format!("{missing}/x"), &bad],
            &["decode", "-i", &missing],
            &["check", &missing],
            &["stats", &missing],
            &["decode", "--csv", "-c", "nope", "csv"],
            &["decode", "--csv", "-c", &bad, "other"],
            &["decode", "--csv", "-c", &bad, "csv", "other"],
            &["decode", "--jsonl", "-k", &bad, "other"],
            &["decode", "-f", &bad, "other"],
            &["decode", "-f", "1", "-d", &bad, "other"],
            &["decode", &format!("--{bad}")],
            &["decode", "--dialect", &bad],
            &["decode", "--max-errors", &bad],
            &[&bad],
            &["man", &bad],
        ] {
            let found = shown(arguments, folder.path(), b"", true);
            assert!(found.contains("\\\\"), "{arguments:?}: {found}");
            assert_no_active(&found);
            // Also to a pipe.
            let found = text(&crate::pct(arguments).current_dir(&folder).output().unwrap().stderr);
            assert_no_active(&found);
        }
    }
    let mut command = pct_process(&["info"]);
    let found = command.env("SIMDPCT_LEVEL", "\x1B[31m").output().unwrap();
    assert_no_active(&text(&found.stderr));
}

#[test]
fn compressed_data_is_no_output_for_a_terminal() {
    for format in ["gzip", "zstd", "bzip2", "xz"] {
        let (_master, slave) = terminal();
        let arguments = ["decode", "--output-compression", format];
        let found = pct_process(&arguments).stdin(Stdio::null()).stdout(slave).output().unwrap();
        assert_eq!(found.status.code(), Some(2), "{format}");
        assert!(text(&found.stderr).contains("expected an output that is no terminal"), "{}", text(&found.stderr));
        assert_eq!(shown(&arguments, Path::new("."), b"", false), "", "{format}");
    }
}

#[test]
fn a_bar_is_shown_for_long_inputs_only_and_on_a_terminal_only() {
    let long = tempfile::NamedTempFile::new().unwrap();
    // A sparse file.
    long.as_file().set_len(257 * 1024 * 1024).unwrap();
    let short = tempfile::NamedTempFile::new().unwrap();
    fs::write(short.path(), "%41\n").unwrap();
    for (file, options, is_shown) in
        [(&long, &[][..], true), (&long, &["--no-progress"], false), (&long, &["--quiet"], false), (&short, &[], false)]
    {
        let (master, slave) = terminal();
        let mut command = pct_process(&["decode", file.path().to_str().unwrap()]);
        command.args(options).stdout(Stdio::null()).stderr(slave).env("TERM", "xterm").env_remove("NO_COLOR");
        let mut child = command.spawn().unwrap();
        drop(command);
        let shown = std::thread::spawn(move || read_all(master));
        assert!(child.wait().unwrap().success());
        assert_eq!(shown.join().unwrap().contains("left"), is_shown, "{options:?}");
    }
}

#[test]
fn messages_and_help_have_colour_on_a_terminal_only() {
    for (variable, value, is_coloured) in [("TERM", "xterm", true), ("NO_COLOR", "1", false)] {
        let (master, slave) = terminal();
        let mut command = pct_process(&["--help"]);
        command.stdout(slave).env("TERM", "xterm").env_remove("NO_COLOR").env(variable, value);
        let mut child = command.spawn().unwrap();
        drop(command);
        let shown = std::thread::spawn(move || read_all(master));
        assert!(child.wait().unwrap().success());
        assert_eq!(shown.join().unwrap().contains("\\x1b["), is_coloured, "{variable}");
    }
    assert!(!text(&crate::run(&["--help"], b"").stdout).contains("\\x1b"));
}

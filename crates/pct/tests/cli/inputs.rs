//! What is read, and what if it cannot be?

use std::fs;
use std::io::Write;
use std::process::Output;

use tempfile::TempDir;

use crate::{output, pct, run, text};

/// A folder with files of this content.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[test]
fn standard_input_is_read_without_files_and_as_a_dash() {
    assert_eq!(output(&["decode"], b"%41"), b"A");
    assert_eq!(output(&["decode", "-"], b"%41"), b"A");
    assert_eq!(output(&["encode"], b" "), b"%20");
    assert_eq!(output(&["encode", "-"], b" "), b"%20");
    assert_eq!(output(&["decode", "--", "-"], b"%41"), b"A");
}

#[test]
fn files_are_read_one_after_the_other() {
    let folder = folder(&[("a", "%41\n%42"), ("b", "%43\n"), ("-dash", "%44"), ("%45", "%46"), ("empty", "")]);
    for (arguments, expected) in [
        (&["decode", "a", "b"][..], "A\nBC\n"),
        (&["decode", "b", "empty", "a", "a"], "C\nA\nBA\nB"),
        (&["decode", "b", "-", "a"], "C\nin\nA\nB"),
        (&["decode", "-", "-"], "in\n"),
        (&["decode", "./-", "./-dash"], "D"),
        (&["decode", "--", "-dash"], "D"),
        (&["decode", "%45"], "F"),
        (&["encode", "b", "a"], "%2543\n%2541\n%2542"),
        (&["encode", "--raw", "b", "a"], "%2543%0A%2541%0A%2542"),
    ] {
        fs::write(folder.path().join("-"), "").unwrap();
        let found = pct(arguments).current_dir(&folder).write_stdin("i%6E\n").output().unwrap();
        assert_eq!((text(&found.stdout), found.status.code()), (text(expected.as_bytes()), Some(0)), "{arguments:?}");
    }
}

/// What one file lacks at its end is not found at the start of the next.
#[test]
fn every_file_is_a_text_of_its_own() {
    let folder = folder(&[("percent", "%"), ("percent4", "%4"), ("1", "1"), ("41", "41"), ("cr", "\r"), ("lf", "\n")]);
    for (arguments, expected) in [
        (&["decode", "--raw", "percent", "41", "percent4", "1"][..], "%41%41"),
        (&["decode", "percent", "41", "percent4", "1"], "%41%41"),
        (&["encode", "--keep-triplets", "percent", "41", "percent4", "1"], "%2541%2541"),
        (&["encode", "cr", "lf"], "%0D\n"),
    ] {
        let found = pct(arguments).current_dir(&folder).output().unwrap();
        assert_eq!(text(&found.stdout), text(expected.as_bytes()), "{arguments:?}");
    }
}

#[test]
fn the_readable_files_are_done_and_the_others_named() {
    let folder = folder(&[("a", "%41\n"), ("b", "%42\n")]);
    fs::create_dir(folder.path().join("subfolder")).unwrap();
    for command in ["decode", "encode"] {
        let arguments = [command, "--raw", "a", "missing", "subfolder", "b", "also/missing"];
        let Output { status, stdout, stderr } = pct(&arguments).current_dir(&folder).output().unwrap();
        assert_eq!(status.code(), Some(3));
        assert_eq!(stdout, if command == "decode" { &b"A\nB\n"[..] } else { b"%2541%0A%2542%0A" });
        let stderr = String::from_utf8(stderr).unwrap();
        let messages: Vec<_> = stderr.lines().collect();
        assert_eq!(messages.len(), 3, "{stderr}");
        for (message, name) in messages.iter().zip(["missing", "subfolder", "also/missing"]) {
            assert!(message.starts_with(&format!("pct: {name}: ")), "{message}");
        }
    }
}

/// The worst counts.
#[test]
fn an_unreadable_file_and_then_malformed_text_is_exit_code_3() {
    let Output { status, stderr, .. } = run(&["decode", "--strict", "no such file", "-"], b"%");
    assert_eq!(status.code(), Some(3));
    assert_eq!(String::from_utf8(stderr).unwrap().lines().count(), 2);
}

/// What the file says must not be what memory is taken for. Both are as their formats' own commands make them: `zstd -19` and
/// `xz -8` can be read, `zstd --long` and `xz -9` go beyond.
#[test]
fn memory_for_decompression_has_an_end() {
    fn zstd(window_log: u32) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.write_all(b"%41\n").unwrap();
        // Or it would be known how short the text is, and the window with it.
        encoder.flush().unwrap();
        encoder.finish().unwrap()
    }
    fn xz(dictionary: u32) -> Vec<u8> {
        use liblzma::stream::{Check, Filters, LzmaOptions, Stream};

        let mut options = LzmaOptions::new_preset(0).unwrap();
        options.dict_size(dictionary);
        let stream = Stream::new_stream_encoder(Filters::new().lzma2(&options), Check::Crc32).unwrap();
        let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
        encoder.write_all(b"%41\n").unwrap();
        encoder.finish().unwrap()
    }
    for file in [zstd(23), zstd(25), xz(8 << 20), xz(32 << 20)] {
        assert_eq!(text(&output(&["decode"], &file)), "A\\n");
    }
    for file in [zstd(26), zstd(27), xz(64 << 20), xz(1 << 30)] {
        let found = run(&["decode"], &file);
        assert_eq!((text(&found.stdout), found.status.code()), (String::new(), Some(3)));
        let message = text(&found.stderr);
        assert!(message.starts_with("pct: <stdin>: more than 32 MiB of memory are needed"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xE9");
    // Not every file system takes such a name.
    if fs::write(folder.path().join(name), "%41").is_ok() {
        pct(&["decode"]).arg(name).current_dir(&folder).assert().success().stdout("A");
    }
    let output = pct(&["decode"]).arg(OsStr::from_bytes(b"\xFF")).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("pct: \u{FFFD}: "));
}

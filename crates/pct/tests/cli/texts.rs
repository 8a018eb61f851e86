//! `-s`: text on the command line.

use std::fs;

use crate::{output, pct, run, text};

#[test]
fn texts_are_records() {
    for (arguments, expected) in [
        (&["decode", "-s", "caf%C3%A9"][..], "café\n"),
        (&["decode", "-s", "%41", "--string", "%42"], "A\nB\n"),
        (&["decode", "-0", "-s", "%41", "-s", "%0A"], "A\0\n\0"),
        (&["decode", "--raw", "-s", "%41%0A"], "A\n"),
        (&["decode", "-s", ""], "\n"),
        (&["decode", "-s", "-%2d"], "--\n"),
        (&["decode", "-s", "--"], "--\n"),
        (&["encode", "-s", "a b/c"], "a%20b%2Fc\n"),
        (&["encode", "--raw", "-s", "a b"], "a%20b"),
        (&["normalize", "-s", "%7e"], "~\n"),
        (&["repair", "-s", "/a b"], "/a%20b\n"),
        (&["form", "-s", "a=1+2"], "{\"a\":\"1 2\"}\n"),
        (&["form", "--back", "-s", "{\"a\":\"1 2\"}"], "a=1+2\n"),
        (&["decode", "--jsonl", "-k", "a", "-s", "{\"a\":\"%41\"}"], "{\"a\":\"A\"}\n"),
    ] {
        // Standard input is not read.
        assert_eq!(text(&output(arguments, b"%43")), text(expected.as_bytes()), "{arguments:?}");
    }
}

#[test]
fn messages_name_the_text() {
    let found = run(&["decode", "-s", "100%"], b"");
    assert_eq!(text(&found.stderr), "pct: <text>: 1 malformed; first at 1:4\\n");
    let found = run(&["check", "-s", "%41", "-s", "%"], b"");
    assert_eq!(
        (found.status.code(), &*text(&found.stdout)),
        (Some(1), &*text(b"<text>:1:1: malformed percent-encoding: '%' without two hexadecimal digits\n"))
    );
}

/// A text that begins like a compressed file is a text.
#[test]
fn texts_are_not_decompressed() {
    assert_eq!(text(&output(&["decode", "-s", "BZh9"], b"")), "BZh9\\n");
}

#[test]
fn texts_exclude_files_and_are_not_rewritten_in_place() {
    for arguments in [&["decode", "-s", "a", "file"][..], &["decode", "-s", "a", "-i"]] {
        assert_eq!(run(arguments, b"").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_missing_file_that_looks_like_a_text_gets_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a%41"), "%42").unwrap();
    for (name, has_hint) in [
        ("caf%C3%A9", true),
        ("/no/such%20file", true),
        ("http://example.com/", true),
        ("no-such-file", false),
        ("100%", false),
    ] {
        for command in ["decode", "check", "stats"] {
            let found = pct(&[command, name]).current_dir(&folder).output().unwrap();
            assert_eq!(found.status.code(), Some(3), "{command} {name}");
            let stderr = text(&found.stderr);
            assert!(stderr.contains(name), "{stderr}");
            assert_eq!(stderr.contains("; to process this text itself, use -s"), has_hint, "{stderr}");
        }
    }
    let found = pct(&["decode", "a%41"]).current_dir(&folder).output().unwrap();
    assert_eq!((text(&found.stdout), text(&found.stderr)), ("B".to_owned(), String::new()));
}

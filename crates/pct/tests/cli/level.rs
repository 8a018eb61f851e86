//! `SIMDPCT_LEVEL`.

use std::fs;
use std::process::Output;

use simdpct::Level;

use crate::{data, every_text, pct, text};

fn run_on(level: &str, arguments: &[&str], input: &[u8]) -> Output {
    pct(arguments).env("SIMDPCT_LEVEL", level).write_stdin(input).output().unwrap()
}

#[test]
fn every_level_writes_the_same() {
    let mut input = fs::read(data("access.log")).unwrap();
    input.extend(every_text(b"%4aG+ \n\xC3\xA9", 4).flatten());
    for arguments in [
        &["decode"][..],
        &["decode", "--plus"],
        &["decode", "--raw"],
        &["decode", "--strict"],
        &["encode"],
        &["encode", "--set", "form"],
        &["encode", "--set", "uri", "--keep-non-ascii"],
        &["encode", "--raw", "--lower"],
    ] {
        let expected = run_on("scalar", arguments, &input);
        assert!(!expected.stdout.is_empty());
        for level in Level::available() {
            let found = run_on(level.name(), arguments, &input);
            assert_eq!(
                (found.status, text(&found.stderr)),
                (expected.status, text(&expected.stderr)),
                "{level} {arguments:?}"
            );
            assert!(found.stdout == expected.stdout, "{level} {arguments:?}");
        }
    }
}

#[test]
fn an_invalid_level_is_an_error_that_lists_the_available_ones() {
    let unavailable = Level::ALL.iter().filter(|level| !level.is_available()).map(|level| level.name());
    for name in ["avx9", "AVX2", " scalar", "0"].into_iter().chain(unavailable) {
        for command in ["decode", "encode"] {
            let Output { status, stdout, stderr } = run_on(name, &[command], b"%41");
            assert_eq!((status.code(), text(&stdout)), (Some(2), String::new()), "{name}");
            let stderr = String::from_utf8(stderr).unwrap();
            assert!(stderr.starts_with(&format!("pct: invalid SIMDPCT_LEVEL '{name}': ")), "{stderr}");
            let (_, told) = stderr.split_once("expected one of ").unwrap();
            let available: Vec<_> = Level::available().map(Level::name).collect();
            assert_eq!(told.trim_end().split(", ").collect::<Vec<_>>(), available);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_non_utf8_level_is_an_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    pct(&["decode"]).env("SIMDPCT_LEVEL", OsStr::from_bytes(b"\xFF")).assert().code(2);
}

#[test]
fn the_default_level_is_the_best() {
    for mut command in [pct(&["decode"]), pct(&["decode"])] {
        command.env_remove("SIMDPCT_LEVEL").write_stdin("%41").assert().success().stdout("A");
    }
    let Output { status, stdout, .. } = run_on("", &["decode"], b"%41");
    assert_eq!((status.code(), text(&stdout)), (Some(0), "A".into()));
}

#[test]
fn help_does_not_depend_on_it() {
    assert_eq!(run_on("avx9", &["--help"], b"").status.code(), Some(0));
}

//! What does a person see on a terminal?
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::{pct_process, text};

/// A terminal: what is written to the second can be read from the first, unchanged.
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

/// All that is written until the last writer is gone.
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
    for (given, shown) in [("%41%1b[31m%07%09%7F\n", "A%1b[31m%07\t%7F\n"), ("%42\n", "B\n")] {
        input.write_all(given.as_bytes()).unwrap();
        let mut found = vec![0; shown.len()];
        master.read_exact(&mut found).unwrap();
        assert_eq!(text(&found), text(shown.as_bytes()));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn controls_reach_a_terminal_only_if_that_is_wanted() {
    for (arguments, shown) in [
        (&["decode", "--raw"][..], "A%1b"),
        (&["decode", "--raw", "--unsafe-controls"], "A\\x1b"),
        (&["decode", "--unsafe-controls"], "A\\x1b"),
    ] {
        let (master, slave) = terminal();
        let mut child =
            pct_process(arguments).stdin(Stdio::piped()).stdout(slave).stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"%41%1b").unwrap();
        child.wait().unwrap();
        assert_eq!(read_all(master), shown, "{arguments:?}");
    }
}

#[test]
fn a_bar_is_shown_for_long_inputs_only_and_on_a_terminal_only() {
    let long = tempfile::NamedTempFile::new().unwrap();
    // It has no blocks on the disk.
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

//! Environment failures: files that are unreadable, vanish, are damaged or expand without limit;
//! lack of memory.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::{output, pct, pct_process, run, text};

const FORMATS: [&str; 4] = ["gzip", "zstd", "bzip2", "xz"];

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Runs a script in which `"$0"` is the command.
fn script(folder: &TempDir, script: &str) -> Output {
    let pct = pct_process(&[]).get_program().to_owned();
    Command::new("sh").arg("-c").arg(script).arg(pct).current_dir(folder).output().unwrap()
}

/// A directory, a system file that fails at the first byte, and, where permissions apply, an
/// unreadable file. The other files are processed.
#[cfg(target_os = "linux")]
#[test]
fn unreadable_inputs_are_reported() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder(&[("a", b"%41\n"), ("b", b"%42\n"), ("secret", b"%43\n")]);
    fs::create_dir(folder.path().join("folder")).unwrap();
    let secret = folder.path().join("secret");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    let mut names = vec!["folder", "/proc/self/mem"];
    if fs::read(&secret).is_err() {
        names.push("secret");
    }
    for name in names {
        let found = pct(&["decode", "a", name, "b"]).current_dir(&folder).output().unwrap();
        assert_eq!((text(&found.stdout), found.status.code()), ("A\\nB\\n".into(), Some(3)), "{name}");
        let stderr = String::from_utf8(found.stderr).unwrap();
        assert!(stderr.starts_with(&format!("pct: {name}: ")) && stderr.lines().count() == 1, "{stderr}");
        let found = pct(&["decode", "-i", name]).current_dir(&folder).output().unwrap();
        assert_eq!(found.status.code(), Some(3), "{name}");
    }
}

/// The file exists when the command starts, and not when it is opened.
#[cfg(unix)]
#[test]
fn a_vanished_file_is_reported() {
    let folder = folder(&[("file", b"%41\n"), ("last", b"%42\n")]);
    let mut child = pct_process(&["decode", "-", "file", "last"])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"%43\n").unwrap();
    fs::remove_file(folder.path().join("file")).unwrap();
    drop(input);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert_eq!((text(&stdout), status.code()), ("C\\nB\\n".into(), Some(3)));
    assert!(text(&stderr).starts_with("pct: file: "), "{}", text(&stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_read_and_written_as_what_they_are() {
    assert_eq!(output(&["decode", "/dev/null"], b""), b"");
    let found = run(&["decode", "-o", "/dev/full"], b"%41\n");
    assert_eq!(found.status.code(), Some(3));
    assert!(text(&found.stderr).starts_with("pct: /dev/full: "), "{}", text(&found.stderr));
    assert!(fs::metadata("/dev/full").is_ok(), "it is still there");
}

/// Arguments that are invalid UTF-8 are rejected with a message, except byte sets, which may have
/// any bytes.
#[cfg(unix)]
#[test]
fn arguments_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let bad = OsStr::from_bytes(b"\xFF");
    for arguments in [&["decode", "--errors"][..], &["decode", "--max-errors"], &["decode", "--dialect"], &[]] {
        let found = pct(arguments).arg(bad).write_stdin("").output().unwrap();
        assert_eq!(found.status.code(), Some(2), "{arguments:?}");
        assert!(!found.stderr.is_empty() && str::from_utf8(&found.stderr).is_ok(), "{arguments:?}");
    }
    pct(&["encode", "--set"]).arg(bad).write_stdin("a/b").assert().success().stdout("a/b");
}

/// Changes every byte of a small compressed file: the text is unchanged, or the command fails. If
/// the magic bytes are damaged, the file is read as uncompressed.
#[test]
fn a_damaged_compressed_file_is_an_error() {
    let plain: String = (0..40).map(|number| format!("%41 line {}\n", number * number)).collect();
    let decoded = plain.replace("%41", "A");
    for format in FORMATS {
        let compressed = output(&["decode", "--output-compression", format], plain.as_bytes());
        for at in 0..compressed.len() {
            let mut damaged = compressed.clone();
            damaged[at] ^= 1 << (at % 8);
            let found = run(&["decode"], &damaged);
            let is_whole = found.stdout == decoded.as_bytes();
            let is_other = at < 10 && found.stdout.starts_with(&damaged[..1]);
            let is_noticed = found.status.code() == Some(3) && text(&found.stderr).starts_with("pct: <stdin>: ");
            assert!(is_noticed || is_whole || is_other, "{format}, byte {at}: {found:?}");
        }
    }
}

/// Every prefix that is long enough to be recognised as compressed: the available text is written,
/// and the command fails.
#[test]
fn a_truncated_compressed_file_is_an_error() {
    let plain: String = (0..40).map(|number| format!("%41 line {}\n", number * number)).collect();
    let decoded = plain.replace("%41", "A");
    for format in FORMATS {
        let compressed = output(&["decode", "--output-compression", format], plain.as_bytes());
        for length in 12..compressed.len() {
            let found = run(&["decode"], &compressed[..length]);
            assert_eq!(found.status.code(), Some(3), "{format}, {length} of {} bytes", compressed.len());
            assert!(decoded.as_bytes().starts_with(&found.stdout), "{format}, {length} bytes");
            assert!(text(&found.stderr).starts_with("pct: <stdin>: "), "{}", text(&found.stderr));
        }
    }
}

/// Zero bytes are padding, as for gzip itself (for xz, a multiple of four). Anything else after the
/// end is reported; all data is written.
#[test]
fn garbage_after_compressed_data_is_an_error() {
    const GARBAGE: &str = "pct: <stdin>: trailing garbage after the compressed data was ignored\n";
    let zeros = [0; 200_000];
    for (format, tail, told) in [
        ("gzip", &zeros[..1], ""),
        ("gzip", &zeros[..4], ""),
        ("gzip", &zeros, ""),
        ("gzip", b"garbage", GARBAGE),
        ("gzip", b"x", GARBAGE),
        ("gzip", b"%43\n and more than a header", GARBAGE),
        ("gzip", b"\x1F and more than a header", GARBAGE),
        ("gzip", b"\0\0\x1F\x8B\x08", GARBAGE),
        ("gzip", &[&zeros[..], b"x"].concat(), GARBAGE),
        ("gzip", b"\x1F\x8B\x08", "pct: <stdin>: unexpected end of file\n"),
        ("xz", &zeros[..8], ""),
        ("bzip2", b"garbage", GARBAGE),
        ("zstd", b"garbage", GARBAGE),
    ] {
        let compressed = output(&["decode", "--output-compression", format], b"%41\n");
        for members in [1, 3] {
            let found = run(&["decode"], &[&compressed.repeat(members)[..], tail].concat());
            let context = format!("{format} * {members}, {}", text(&tail[..tail.len().min(30)]));
            assert_eq!(String::from_utf8(found.stderr).unwrap(), told, "{context}");
            assert_eq!(found.status.code(), Some(if told.is_empty() { 0 } else { 3 }), "{context}");
            assert_eq!(text(&found.stdout), "A\\n".repeat(members), "{context}");
        }
    }
    // Such a file is not replaced, so no data is lost.
    let damaged = [&output(&["decode", "--output-compression", "gzip"], b"%41\n")[..], b"garbage"].concat();
    let folder = folder(&[("file", &damaged)]);
    pct(&["decode", "-i", "file"]).current_dir(&folder).assert().code(3);
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), damaged);
}

/// A few kilobytes that expand to half a gigabyte, as many lines or one: the command succeeds with
/// a limit of 160 MiB of memory and any number of threads.
#[cfg(target_os = "linux")]
#[test]
fn decompression_bombs_take_bounded_memory() {
    const LENGTH: usize = 512 << 20;

    let folder = folder(&[]);
    for (name, line) in
        [("lines", &b"%41 a line of zeros as they come \n"[..]), ("line", b"%41 no end "), ("zeros", b"\0")]
    {
        let piece = line.repeat((1 << 20) / line.len());
        let mut bomb = zstd::Encoder::new(Vec::new(), 1).unwrap();
        (0..LENGTH / piece.len()).for_each(|_| bomb.write_all(&piece).unwrap());
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < LENGTH / 1000, "{}", bomb.len());
        fs::write(folder.path().join("bomb"), bomb).unwrap();
        let found = script(&folder, "ulimit -d 163840; \"$0\" decode bomb | wc -c");
        let triplets = LENGTH / piece.len() * (piece.len() / line.len()) * usize::from(line.starts_with(b"%"));
        let length = LENGTH / piece.len() * piece.len() - 2 * triplets;
        assert_eq!(
            (text(&found.stdout).trim_end_matches("\\n"), text(&found.stderr)),
            (&*length.to_string(), String::new()),
            "{name}"
        );
    }
}

/// With any memory limit, the command succeeds or fails with a message, and the file is the old or
/// the new one. It does not wait for threads that could not be started.
#[cfg(target_os = "linux")]
#[test]
fn out_of_memory_leaves_the_file_unchanged() {
    let old = "%41 old\n".repeat(200_000) + &"%42".repeat(1_000_000);
    let new = "A old\n".repeat(200_000) + &"B".repeat(1_000_000);
    let mut failures = 0;
    for kibibytes in [500, 1000, 2000, 3000, 4000, 6000, 8000, 10_000, 13_000, 17_000, 25_000, 400_000] {
        let folder = folder(&[("old", old.as_bytes())]);
        let found =
            script(&folder, &format!("ulimit -c 0; ulimit -d {kibibytes}; exec timeout 60 \"$0\" decode -i old"));
        let content = fs::read_to_string(folder.path().join("old")).unwrap();
        if found.status.success() {
            assert!(content == new, "{kibibytes} KiB");
        } else {
            failures += 1;
            assert_ne!(found.status.code(), Some(124), "{kibibytes} KiB: it hangs");
            assert!(content == old, "{kibibytes} KiB");
            assert!(!found.stderr.is_empty(), "{kibibytes} KiB: {:?}", found.status);
        }
    }
    assert!((1..12).contains(&failures), "{failures}");
}

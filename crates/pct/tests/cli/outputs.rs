//! Outputs: files, in-place rewriting, compression, and what remains after failures.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{output, pct, pct_process, text};

/// Timeout: only a failing test hangs this long.
const HANGING: Duration = Duration::from_secs(60);

const OLD: &str = "%41 old\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), OLD).unwrap();
    folder
}

/// Sorted names in a directory.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn an_output_file_is_made_or_replaced() {
    let folder = folder();
    for (arguments, name) in [
        (&["decode", "-o", "new", "old"][..], "new"),
        (&["decode", "--output", "new", "old", "old"], "new"),
        (&["decode", "-o", "old", "old"], "old"),
    ] {
        let Output { status, stdout, .. } = pct(arguments).current_dir(&folder).output().unwrap();
        assert_eq!((status.code(), stdout.len()), (Some(0), 0), "{arguments:?}");
        let expected = "A old\n".repeat(arguments.len() - 3);
        assert_eq!(read(&folder, name), expected, "{arguments:?}");
        assert_eq!(names(folder.path()), ["new", "old"]);
    }
}

#[test]
fn files_are_changed_in_place() {
    let folder = folder();
    fs::write(folder.path().join("other"), "%42").unwrap();
    let Output { status, stdout, stderr } =
        pct(&["decode", "-i", "old", "missing", "other"]).current_dir(&folder).output().unwrap();
    assert_eq!((status.code(), stdout.len()), (Some(3), 0));
    assert!(text(&stderr).starts_with("pct: missing: "));
    assert_eq!((read(&folder, "old").as_str(), read(&folder, "other").as_str()), ("A old\n", "B"));
    assert_eq!(names(folder.path()), ["old", "other"]);
    pct(&["decode", "--in-place", "-"]).write_stdin("").assert().code(2);
    pct(&["decode", "--in-place", "-o", "x", "old"]).current_dir(&folder).assert().code(2);
}

/// Binary files, also compressed, and special files are rejected. All other files are processed.
#[cfg(unix)]
#[test]
fn binary_files_are_not_rewritten_in_place() {
    let parquet = b"PAR1\x15\x04%41\n\0";
    let folder = folder();
    for (options, content, told) in [
        (&[][..], &parquet[..], "binary file (Apache Parquet)"),
        (&["-0"], parquet, "binary file (Apache Parquet)"),
        (&["--csv", "-c", "1"], b"PK\x03\x04%41\n", "binary file (ZIP"),
        (&[], b"%41\n\0", "binary file (NUL at byte 5)"),
        (&[], b"\xFF\xFE%\x004\x001\0", "UTF-16"),
        (&["--jsonl", "-k", "u"], b"\xFE\xFF\0%\x004\x001", "'iconv -f UTF-16 -t UTF-8'"),
        (&["--no-decompress"], &output(&["decode", "--output-compression", "zstd"], b"%41"), "zstd"),
        (&[], &output(&["decode", "--no-decompress", "--output-compression", "gzip"], parquet), "Apache Parquet"),
    ] {
        fs::write(folder.path().join("bad"), content).unwrap();
        fs::write(folder.path().join("old"), OLD).unwrap();
        let arguments = [&["decode", "-i"], options, &["bad"]].concat();
        let Output { status, stderr, .. } = pct(&arguments).arg("old").current_dir(&folder).output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(3), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("pct: bad: ") && stderr.contains(told) && stderr.contains("--binary"), "{stderr}");
        assert_eq!(fs::read(folder.path().join("bad")).unwrap(), content, "{arguments:?}");
        assert_eq!(names(folder.path()), ["bad", "old"]);
        if options.is_empty() {
            assert_eq!(read(&folder, "old"), "A old\n", "{arguments:?}");
        }
    }
    for (options, content, expected) in [
        (&["--binary"][..], &parquet[..], &b"PAR1\x15\x04A\n\0"[..]),
        (&["--raw"], parquet, b"PAR1\x15\x04A\n\0"),
        (&["-0"], b"%41\n\0%42", b"A\n\0B"),
        (&[], &[&b"a".repeat(1 << 16)[..], b"\n%41\0"].concat(), &[&b"a".repeat(1 << 16)[..], b"\nA\0"].concat()),
    ] {
        fs::write(folder.path().join("bad"), content).unwrap();
        pct(&["decode", "-i", "bad"]).args(options).current_dir(&folder).assert().success();
        assert!(fs::read(folder.path().join("bad")).unwrap() == expected, "{options:?}");
    }
    pct(&["decode", "--binary", "old"]).current_dir(&folder).assert().code(2);
}

/// Opening a FIFO waits for its writer, which never comes.
#[cfg(unix)]
#[test]
fn special_files_are_not_rewritten_in_place() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("fifo")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for name in ["fifo", "socket", "folder", "/dev/null"] {
        fs::write(folder.path().join("old"), OLD).unwrap();
        let mut command = pct(&["decode", "-i", name, "old"]);
        let Output { status, stderr, .. } = command.current_dir(&folder).timeout(HANGING).output().unwrap();
        assert_eq!(status.code(), Some(3), "{name}");
        assert!(stderr.starts_with(format!("pct: {name}: ").as_bytes()), "{name}: {}", text(&stderr));
        assert_eq!(read(&folder, "old"), "A old\n", "{name}");
        assert_eq!(names(folder.path()), ["fifo", "folder", "old", "socket"], "{name}");
    }
}

/// The FIFO is not opened a second time to compare it with the output.
#[cfg(target_os = "linux")]
#[test]
fn a_fifo_whose_writer_is_gone_is_read_into_a_file() {
    let folder = folder();
    let pct = pct_process(&[]).get_program().to_owned();
    let script = "mkfifo fifo && { echo %42 > fifo & } && timeout 60 \"$0\" decode fifo > new";
    let status = Command::new("sh").args(["-c", script]).arg(pct).current_dir(&folder).status().unwrap();
    assert_eq!((status.code(), read(&folder, "new").as_str()), (Some(0), "B\n"));
}

#[test]
fn an_unreadable_input_leaves_the_output_file_unchanged() {
    let folder = folder();
    for arguments in [&["decode", "-o", "old", "missing"][..], &["decode", "-o", "new", "old", "missing", "old"]] {
        pct(arguments).current_dir(&folder).assert().code(3);
        assert_eq!(read(&folder, "old"), OLD, "{arguments:?}");
        assert_eq!(names(folder.path()), ["old"], "{arguments:?}");
    }
}

/// Output preceding an error can be decompressed.
#[test]
fn compressed_output_is_ended_whatever_comes() {
    for format in ["gzip", "zstd", "bzip2", "xz"] {
        let found = crate::run(&["decode", "--strict", "--output-compression", format], b"%41\n%\n");
        assert_eq!(found.status.code(), Some(1), "{format}");
        assert_eq!(output(&["decode"], &found.stdout), b"A\n", "{format}");
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode_and_a_link_stays_one() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder();
    let old = folder.path().join("old");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old", folder.path().join("link")).unwrap();
    pct(&["decode", "-i", "link"]).current_dir(&folder).assert().success();
    assert!(folder.path().join("link").is_symlink());
    assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(read(&folder, "old"), "A old\n");
    // A special file cannot be replaced, and is written to.
    pct(&["decode", "-o", "/dev/null", "old"]).current_dir(&folder).assert().success();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// As the help says.
#[cfg(unix)]
#[test]
fn a_hard_link_keeps_the_old_text() {
    let folder = folder();
    fs::hard_link(folder.path().join("old"), folder.path().join("link")).unwrap();
    pct(&["decode", "-i", "old"]).current_dir(&folder).assert().success();
    assert_eq!((read(&folder, "old").as_str(), read(&folder, "link").as_str()), ("A old\n", OLD));
    let help = String::from_utf8(output(&["decode", "--help"], b"")).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for promise in ["Other hard links keep the old text", "extended attributes are not copied", "ends with .gz, .zst"] {
        assert!(help.contains(promise), "{promise}: {help}");
    }
}

#[test]
fn the_name_of_the_output_says_how_it_is_compressed() {
    let folder = folder();
    let start = |name: &str| fs::read(folder.path().join(name)).unwrap()[..2].to_vec();
    for (name, magic) in [("a.gz", b"\x1F\x8B"), ("a.zst", b"\x28\xB5"), ("a.bz2", b"BZ"), ("a.xz", b"\xFD7")] {
        pct(&["decode", "-o", name, "old"]).current_dir(&folder).assert().success();
        assert_eq!(start(name), magic, "{name}");
        assert_eq!(output(&["decode", folder.path().join(name).to_str().unwrap()], b""), b"A old\n", "{name}");
        pct(&["decode", "-o", name, "--output-compression", "none", "old"]).current_dir(&folder).assert().success();
        assert_eq!(read(&folder, name), "A old\n", "{name}");
        pct(&["decode", "-o", name, "--output-compression", "zstd", "old"]).current_dir(&folder).assert().success();
        assert_eq!(start(name), b"\x28\xB5", "{name}");
    }
    // With --in-place, the name does not matter.
    fs::copy(folder.path().join("old"), folder.path().join("plain.gz")).unwrap();
    pct(&["decode", "-i", "plain.gz"]).current_dir(&folder).assert().success();
    assert_eq!(read(&folder, "plain.gz"), "A old\n");
}

#[test]
fn invalid_text_leaves_the_file_unchanged() {
    let folder = folder();
    fs::write(folder.path().join("bad"), "%41\n%\n").unwrap();
    for arguments in [&["decode", "--errors", "fail", "-o", "old", "bad"][..], &["decode", "--strict", "-i", "bad"]] {
        pct(arguments).current_dir(&folder).assert().code(1);
        assert_eq!((read(&folder, "old").as_str(), read(&folder, "bad").as_str()), (OLD, "%41\n%\n"));
        assert_eq!(names(folder.path()), ["bad", "old"]);
    }
}

/// A limit of the file size acts like a full disk and needs no privileges. Its signal may be
/// ignored or not.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_file_unchanged() {
    let folder = folder();
    let long = "%41 long\n".repeat(100_000);
    fs::write(folder.path().join("long"), &long).unwrap();
    for (arguments, start) in [
        ("-i long", "trap '' XFSZ; exec"),
        ("-o old long", "trap '' XFSZ; exec"),
        ("-o new long", "exec env --default-signal"),
        ("-i --output-compression none long", "exec env --default-signal"),
    ] {
        let script = format!("ulimit -c 0; ulimit -f 16; {start} \"$0\" decode {arguments}");
        let pct = pct_process(&[]).get_program().to_owned();
        let Output { status, stderr, .. } =
            Command::new("sh").arg("-c").arg(script).arg(pct).current_dir(&folder).output().unwrap();
        assert_eq!(status.code(), Some(3), "{arguments}: {}", text(&stderr));
        assert!(read(&folder, "long") == long && read(&folder, "old") == OLD, "{arguments}");
        assert_eq!(names(folder.path()), ["long", "old"], "{arguments}");
    }
}

/// On a file system of 64 KiB, where it can be mounted.
#[cfg(target_os = "linux")]
#[test]
fn a_full_tmpfs_leaves_the_file_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=64k none \"$1\" && cd \"$1\" && echo mounted || exit 0
        seq -f '%%41 %g' 5000 > full
        \"$0\" decode -i full; echo $?
        seq -f '%%41 %g' 5000 | cmp - full && ls -A";
    let pct = pct_process(&[]).get_program().to_owned();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).arg(pct).arg(folder.path());
    match command.output() {
        Ok(output) if output.stdout.starts_with(b"mounted") => {
            let found = String::from_utf8(output.stdout).unwrap();
            assert_eq!(found, "mounted\n3\nfull\n", "{}", text(&output.stderr));
        }
        _ => eprintln!("No file system can be mounted here."),
    }
}

/// A running call whose temporary file has the first line, and its open input.
#[cfg(target_os = "linux")]
fn writing(mut command: Command, folder: &TempDir) -> (Child, std::process::ChildStdin) {
    let mut child = command.current_dir(folder).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"%41 new\n").unwrap();
    wait_until(|| {
        let is_begun = |name: &String| fs::metadata(folder.path().join(name)).is_ok_and(|file| file.len() == 6);
        names(folder.path()).iter().any(is_begun)
    });
    (child, input)
}

#[cfg(unix)]
fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

/// Ctrl-C, a closed terminal, `kill`, limits and timers: neither a partial nor a temporary file
/// remains.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_the_file_unchanged() {
    use std::os::unix::process::ExitStatusExt;

    for (signal, number) in [
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("KILL", 9),
        ("USR1", 10),
        ("USR2", 12),
        ("ALRM", 14),
        ("TERM", 15),
        ("XCPU", 24),
        ("VTALRM", 26),
        ("PROF", 27),
    ] {
        let folder = folder();
        // The parent of these tests may ignore it.
        let mut command = Command::new("sh");
        let pct = pct_process(&[]).get_program().to_owned();
        command.args(["-c", "ulimit -c 0; exec env --default-signal \"$0\" decode -o old -"]).arg(pct);
        let (mut child, _input) = writing(command, &folder);
        kill(&child, signal);
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{signal}");
        assert_eq!(read(&folder, "old"), OLD, "{signal}");
        if signal != "KILL" {
            assert_eq!(names(folder.path()), ["old"], "{signal}");
        }
    }
}

/// As started by `nohup` or after `trap '' INT`.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    for signal in ["HUP", "INT", "QUIT", "TERM", "XCPU"] {
        let folder = folder();
        let mut command = Command::new("sh");
        let pct = pct_process(&[]).get_program().to_owned();
        command.args(["-c", &format!("trap '' {signal}; exec \"$0\" decode -o old -")]).arg(pct);
        let (mut child, mut input) = writing(command, &folder);
        kill(&child, signal);
        input.write_all(b"%42\n").unwrap();
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(read(&folder, "old"), "A new\nB\n", "{signal}");
        assert_eq!(names(folder.path()), ["old"], "{signal}");
    }
}

/// Killed at any time: the file is the old or the new one, and no temporary file remains.
#[cfg(unix)]
#[test]
fn a_signal_leaves_a_file_that_is_changed_in_place_whole() {
    let old = "%41 long\n".repeat(2_000_000);
    let new = "A long\n".repeat(2_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long");
    for _ in 0..3 {
        fs::write(&path, &old).unwrap();
        let mut child =
            pct_process(&["decode", "-i", "--output-compression", "none", path.to_str().unwrap()]).spawn().unwrap();
        let is_new = || fs::metadata(&path).unwrap().len() == new.len() as u64;
        wait_until(|| names(folder.path()).len() == 2 || is_new());
        kill(&child, "TERM");
        child.wait().unwrap();
        let found = fs::read_to_string(&path).unwrap();
        assert!(found == old || found == new);
        assert_eq!(names(folder.path()), ["long"]);
    }
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < HANGING, "it never came to that");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// As with `cat f >> f`, it would never end.
#[test]
fn an_input_that_is_the_output_is_refused() {
    let folder = folder();
    let pct = pct_process(&[]).get_program().to_owned();
    for script in ["\"$0\" decode old >> old", "\"$0\" decode < old >> old", "\"$0\" decode - < old >> old"] {
        let mut command = Command::new("sh");
        let Output { status, stderr, .. } =
            command.arg("-c").arg(script).arg(&pct).current_dir(&folder).output().unwrap();
        assert_eq!(status.code(), Some(3), "{script}");
        assert!(text(&stderr).contains("input file is also the output file"), "{script}");
        assert_eq!(read(&folder, "old"), OLD, "{script}");
    }
    let mut command = Command::new("sh");
    command.args(["-c", "echo %42 | \"$0\" decode old - >> new"]).arg(&pct).current_dir(&folder);
    assert_eq!(command.status().unwrap().code(), Some(0));
    assert_eq!(read(&folder, "new"), "A old\nB\n");
}

#[test]
fn compressed_files_are_decompressed() {
    let plain = "%41 and on\n".repeat(100_000);
    let decoded = plain.replace("%41", "A");
    let folder = tempfile::tempdir().unwrap();
    for format in ["gzip", "zstd", "bzip2", "xz"] {
        let compressed = output(&["decode", "--output-compression", format], plain.as_bytes());
        assert!(compressed.len() < plain.len() / 4, "{format}");
        assert!(output(&["decode"], &compressed) == decoded.as_bytes(), "{format}");
        // Concatenated members or frames are one text.
        assert!(output(&["decode"], &compressed.repeat(2)) == decoded.repeat(2).as_bytes(), "{format}");
        assert!(output(&["decode", "--no-decompress", "--raw"], &compressed) == raw_decoded(&compressed), "{format}");

        let file = folder.path().join(format);
        fs::write(&file, &compressed).unwrap();
        // With --in-place, the compression is kept.
        assert_eq!(output(&["encode", "-i", "--set", "path", file.to_str().unwrap()], b""), b"");
        let found = fs::read(&file).unwrap();
        assert_eq!(found[..2], compressed[..2], "{format}");
        assert!(output(&["decode"], &found) == decoded.as_bytes(), "{format}");
        // Unless another one is requested.
        assert_eq!(output(&["decode", "-i", "--output-compression", "none", file.to_str().unwrap()], b""), b"");
        assert!(fs::read(&file).unwrap() == decoded.as_bytes(), "{format}");
        // A truncated file is an error.
        let torn = crate::run(&["decode"], &compressed[..compressed.len() - 9]);
        assert_eq!(torn.status.code(), Some(3), "{format}");
    }
}

fn raw_decoded(bytes: &[u8]) -> Vec<u8> {
    simdpct::reference::decode(&simdpct::Decoder::new().lenient(), bytes).unwrap()
}

/// Files written by the formats' own commands: gzip with a name in its header, and with several
/// members.
#[test]
fn files_of_the_formats_own_commands_are_read() {
    let text = "%41\n".repeat(1000);
    for command in [&["gzip", "-1"][..], &["zstd", "-q"], &["bzip2", "-1"], &["xz", "-0"], &["xz", "-T2"]] {
        let child = Command::new(command[0]).args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            eprintln!("There is no {} here.", command[0]);
            continue;
        };
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let compressed = child.wait_with_output().unwrap().stdout;
        assert!(output(&["decode"], &compressed) == "A\n".repeat(1000).as_bytes(), "{command:?}");
    }
}

/// No text, however short, is mistaken for a compressed file.
#[test]
fn text_with_magic_bytes_is_text() {
    for text in ["B", "BZ", "BZh", "BZh9", "BZh9%41", "BZh91AY", "(", "P", "\x1F", "\x28\x35"] {
        let expected = text.replace("%41", "A");
        assert_eq!(output(&["decode"], text.as_bytes()), expected.as_bytes(), "{text:?}");
    }
}

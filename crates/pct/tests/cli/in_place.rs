//! `--in-place`: many files, unchanged files, backups.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::SystemTime;

use tempfile::TempDir;

use crate::{output, pct, pct_process, text};

/// Sorted names in a directory.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[track_caller]
fn in_place(folder: &TempDir, arguments: &[&str]) {
    let Output { status, stdout, stderr } =
        pct(&["decode", "-q", "-i"]).args(arguments).current_dir(folder).output().unwrap();
    assert_eq!((status.code(), text(&stdout), text(&stderr)), (Some(0), String::new(), String::new()), "{arguments:?}");
}

/// What a rewritten file would not keep.
#[cfg(unix)]
fn identity(path: &Path) -> (u64, SystemTime) {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::metadata(path).unwrap();
    (metadata.ino(), metadata.modified().unwrap())
}

/// The file keeps its inode and its time, however long it is, and no temporary file is made: the
/// directory keeps its time.
#[cfg(unix)]
#[test]
fn unchanged_file_is_not_rewritten() {
    let long = "no triplet at all\n".repeat(200_000);
    let kept = "%0A 100% is kept\n".repeat(1000);
    let gzip = output(&["encode", "--set", "%00", "--output-compression", "gzip"], long.as_bytes());
    for (options, content) in [
        (&[][..], &b""[..]),
        (&[], b"text\n"),
        (&[], b"\xEF\xBB\xBFtext without an end"),
        (&[], kept.as_bytes()),
        (&[], long.as_bytes()),
        (&[], &gzip),
        (&["--no-decompress", "--binary"], &gzip),
        (&["--csv", "-c", "2"], b"a,\"b\"\n"),
        (&["--raw"], long.as_bytes()),
        (&["--errors", "drop"], b"text\n"),
        (&["--output-compression", "gzip"], &gzip),
        (&["--backup", ".old"], b"text\n"),
    ] {
        let folder = folder(&[("a", content)]);
        let path = folder.path().join("a");
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        let before = (identity(&path), identity(folder.path()));
        in_place(&folder, &[options, &["a"]].concat());
        assert_eq!((identity(&path), identity(folder.path())), before, "{options:?}");
        assert!(fs::read(&path).unwrap() == content, "{options:?}");
        assert_eq!(names(folder.path()), ["a"]);
    }
}

/// The text is the same up to the first difference, which may be anywhere, or the end.
#[test]
fn text_that_changes_late_is_rewritten_whole() {
    let line = "no triplet at all\n";
    for length in [0, 1, 3640, 3641, 3642, 100_000] {
        let same = line.repeat(length);
        for (options, end, expected) in [
            (&[][..], "%41\n", "A\n"),
            (&[], "%41", "A"),
            (&["--errors", "drop"], "%\n", ""),
            (&["--errors", "drop"], "%\nb\n", "b\n"),
        ] {
            let folder = folder(&[("a", (same.clone() + end).as_bytes())]);
            in_place(&folder, &[options, &["a"]].concat());
            let found = fs::read_to_string(folder.path().join("a")).unwrap();
            assert!(found == same.clone() + expected, "{length} {end:?}");
            assert_eq!(names(folder.path()), ["a"]);
        }
    }
}

#[test]
fn compressed_text_that_changes_late_stays_compressed() {
    let same = "no triplet at all\n".repeat(100_000);
    for format in ["gzip", "zstd", "bzip2", "xz"] {
        let compressed =
            output(&["encode", "--set", "%00", "--output-compression", format], (same.clone() + "é\n").as_bytes());
        let folder = folder(&[("a", &compressed)]);
        in_place(&folder, &["a"]);
        let found = fs::read(folder.path().join("a")).unwrap();
        assert_eq!(found[..2], compressed[..2], "{format}");
        assert!(output(&["decode"], &found) == (same.clone() + "é\n").as_bytes(), "{format}");
    }
}

/// Compression is a change.
#[test]
fn unchanged_text_is_rewritten_in_another_compression() {
    let folder = folder(&[("a", b"text\n")]);
    in_place(&folder, &["--output-compression", "zstd", "a"]);
    assert_eq!(fs::read(folder.path().join("a")).unwrap()[..2], *b"\x28\xB5");
}

/// More than a group, and some errors among them.
#[test]
fn many_files_are_rewritten_except_those_with_errors() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = Vec::new();
    for number in 0..700 {
        let name = format!("{number:03}");
        match number % 70 {
            13 => fs::create_dir(folder.path().join(&name)).unwrap(),
            14 => {}
            15 => fs::write(folder.path().join(&name), "%41\0").unwrap(),
            16 => fs::write(folder.path().join(&name), "text").unwrap(),
            _ => fs::write(folder.path().join(&name), format!("%41 {number}\n")).unwrap(),
        }
        arguments.push(name);
    }
    let Output { status, stderr, .. } =
        pct(&["decode", "-i", "--backup", ".old"]).args(&arguments).current_dir(&folder).output().unwrap();
    assert_eq!(status.code(), Some(3));
    assert_eq!(String::from_utf8(stderr).unwrap().lines().count(), 30);
    for (number, name) in arguments.iter().enumerate() {
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
        let expected = match number % 70 {
            13 | 14 => [None, None],
            15 => [Some("%41\0".into()), None],
            16 => [Some("text".into()), None],
            _ => [Some(format!("A {number}\n")), Some(format!("%41 {number}\n"))],
        };
        assert_eq!([read(name), read(&format!("{name}.old"))], expected, "{name}");
    }
    assert!(names(folder.path()).iter().all(|name| !name.starts_with('.')));
}

/// Files preceding the error are replaced, as without groups.
/// Contents, messages and report, with formats that know something of each file.
#[test]
fn files_rewritten_at_once_become_what_they_become_one_after_another() {
    let files: Vec<(String, Vec<u8>)> = (0..300)
        .map(|number| {
            let text = match number % 7 {
                0 => format!("id,url{number}\n1,%41{number}\n"),
                1 => String::new(),
                2 => format!("id,url{}\n1,%zz\n2,%42\n", number % 2),
                3 => format!("url,b\n\"%2C{number}\",c\n"),
                4 => "a,b,url\nno triplet,1,2\n".into(),
                5 => format!("url\n{}\n", "%41%FF".repeat(number)),
                _ => format!("x,url\n{}", "1,%41\n".repeat(number * 40)),
            };
            (format!("f{number:03}"), text.into_bytes())
        })
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    let long = (0..500_000u32).map(|number| format!("{number},%41\n")).collect::<String>();
    let files = [&files[..], &[("long", [b"id,url\n", long.as_bytes()].concat().leak() as &[u8])]].concat();
    let list: String = files.iter().map(|(name, _)| format!("{name}\0")).collect::<String>() + "missing\0";
    for options in [
        &["-c", "url*"][..],
        &["-c", "url*", "--append", "--errors", "skip"],
        &["-f", "2,9", "-d", ",", "--report", "json"],
        &["--errors", "drop", "--backup", ".old"],
        &["--max-errors", "20"],
    ] {
        let mut before: Option<(Vec<_>, Output)> = None;
        for threads in ["1", "2", "5"] {
            let folder = folder(&files);
            let arguments = [&["decode", "-i", "--files-from", "-", "-j", threads], options].concat();
            let output = pct(&arguments).current_dir(&folder).write_stdin(&list[..]).output().unwrap();
            let read = |name: &String| fs::read(folder.path().join(name)).unwrap();
            let found: Vec<_> = names(folder.path()).iter().map(|name| (name.clone(), read(name))).collect();
            if let Some((files, told)) = &before {
                assert_eq!(text(&output.stderr), text(&told.stderr), "{arguments:?}");
                assert_eq!(output.status.code(), told.status.code(), "{arguments:?}");
                assert!(found == *files, "{arguments:?}");
            } else {
                assert!(!output.stderr.is_empty() && found.len() >= files.len(), "{arguments:?}");
                before = Some((found, output));
            }
        }
    }
}

#[test]
fn names_of_files_are_read_from_a_list() {
    let files = [("a b", &b"%41\n"[..]), ("c\nd", b"%42\n"), ("-", b"%43\n"), ("-x", b"%44")];
    for (list, expected) in
        [(&b"a b\0c\nd\0-\0-x\0"[..], "A\nB\nC\nD"), (b"-x\0a b", "D\nA\n"), (b"a b", "A\n"), (b"", ""), (b"\0", "")]
    {
        let folder = folder(&files);
        fs::write(folder.path().join("list"), list).unwrap();
        for arguments in [&["decode", "--files-from", "list"][..], &["decode", "--files-from", "-"]] {
            let output = pct(arguments).current_dir(&folder).write_stdin(list).output().unwrap();
            let told = (output.status.code(), text(&output.stdout), text(&output.stderr));
            assert_eq!(told, (Some(0), text(expected.as_bytes()), String::new()), "{arguments:?} < {}", text(list));
        }
        let output = pct(&["check", "--find", "escape", "--files-from", "list"]).current_dir(&folder).output().unwrap();
        assert_eq!(text(&output.stdout).matches(": a triplet").count(), expected.len() / 2 + expected.len() % 2);
        in_place(&folder, &["--files-from", "list"]);
        let changed = files.iter().filter(|(name, old)| fs::read(folder.path().join(name)).unwrap() != *old).count();
        assert_eq!(changed, expected.len() / 2 + expected.len() % 2, "{}", text(list));
    }
    for (arguments, list, code, told) in [
        (&["decode", "--files-from", "-"][..], "a\nb\n", 3, "expected names that end with NUL, as by 'find -print0'"),
        (&["decode", "--files-from", "missing"], "", 3, "pct: missing: "),
        (&["decode", "--files-from", "-"], "a b\0\0", 3, "pct: : "),
        (&["decode", "--files-from", "-", "a b"], "", 2, "cannot be used with"),
        (&["decode", "--files-from", "-", "-s", "a"], "", 2, "cannot be used with"),
    ] {
        let folder = folder(&files);
        let output = pct(arguments).current_dir(&folder).write_stdin(list).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(messages.contains(told), "{arguments:?}: {messages}");
    }
}

#[test]
fn files_preceding_an_invalid_record_are_rewritten() {
    let folder = folder(&[("a", b"%41"), ("b", b"%42"), ("c", b"%"), ("d", b"%43")]);
    let Output { status, stderr, .. } =
        pct(&["decode", "-i", "--strict", "a", "b", "c", "d"]).current_dir(&folder).output().unwrap();
    assert_eq!(status.code(), Some(1), "{}", text(&stderr));
    let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(["a", "b", "c", "d"].map(read), ["A", "B", "%", "%43"]);
    assert_eq!(names(folder.path()), ["a", "b", "c", "d"]);
}

/// Where the user may not write. Root may write everywhere, so this runs as another user.
#[cfg(target_os = "linux")]
#[test]
fn file_that_cannot_be_written_leaves_the_others_to_be_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let script = "set -e; chmod 755 .; mkdir locked open; echo %41 > locked/a; echo %41 > open/b
        chmod 555 locked; chown -R 65534:65534 . 2> /dev/null || exit 0
        cp \"$0\" pct; echo ready
        setpriv --reuid 65534 --regid 65534 --clear-groups ./pct decode -i locked/a open/b 2> /dev/null || echo $?
        cat locked/a open/b";
    let pct = pct_process(&[]).get_program().to_owned();
    let mut command = std::process::Command::new("sh");
    let found = command.args(["-c", script]).arg(pct).current_dir(&folder).output().unwrap();
    match found.stdout.strip_prefix(b"ready\n") {
        Some(found) => assert_eq!(text(found), text(b"3\n%41\nA\n")),
        None => eprintln!("Not root: {}", text(&found.stderr)),
    }
}

/// Also if it is there already, or is another name of the same file.
#[test]
fn backup_keeps_the_old_file() {
    for existing in [None, Some("older"), Some("link")] {
        let folder = folder(&[("a", b"%41\n")]);
        let path = |name: &str| folder.path().join(name);
        match existing {
            None => {}
            Some("link") => fs::hard_link(path("a"), path("a.bak")).unwrap(),
            Some(older) => fs::write(path("a.bak"), older).unwrap(),
        }
        in_place(&folder, &["--backup", ".bak", "a"]);
        let read = |name| fs::read_to_string(path(name)).unwrap();
        assert_eq!([read("a"), read("a.bak")], ["A\n", "%41\n"], "{existing:?}");
        assert_eq!(names(folder.path()), ["a", "a.bak"]);
    }
}

#[cfg(unix)]
#[test]
fn backup_of_a_link_is_beside_its_target() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder(&[]);
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("data")).unwrap();
    fs::write(path("data/a"), "%41\n").unwrap();
    fs::set_permissions(path("data/a"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("data/a", path("link")).unwrap();
    in_place(&folder, &["--backup", "~", "link"]);
    assert!(path("link").is_symlink());
    assert_eq!(names(&path("data")), ["a", "a~"]);
    assert_eq!(fs::read_to_string(path("data/a~")).unwrap(), "%41\n");
    for name in ["data/a", "data/a~"] {
        assert_eq!(fs::metadata(path(name)).unwrap().permissions().mode() & 0o777, 0o640, "{name}");
    }
}

#[test]
fn suffix_that_is_none_is_refused() {
    for suffix in ["", "/tmp", "a/b"] {
        pct(&["decode", "-i", "--backup", suffix, "a"]).assert().code(2);
    }
    pct(&["decode", "--backup", ".bak", "a"]).assert().code(2);
}

/// Interrupted while many files wait to be replaced: each is the old or the new one, and no
/// temporary file remains.
#[cfg(unix)]
#[test]
fn signal_leaves_many_files_whole() {
    let folder = tempfile::tempdir().unwrap();
    let names_of_files: Vec<_> = (0..600).map(|number| format!("{number}")).collect();
    for delay in [0, 3, 10, 30] {
        for name in &names_of_files {
            fs::write(folder.path().join(name), "%41\n").unwrap();
        }
        let mut command = std::process::Command::new("env");
        command.arg("--default-signal").arg(pct_process(&[]).get_program()).args(["decode", "-i"]);
        let mut child = command.args(&names_of_files).current_dir(&folder).spawn().unwrap();
        let is_begun = || names(folder.path()).iter().any(|name| name.starts_with('.'));
        while !is_begun() && child.try_wait().unwrap().is_none() {}
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let mut kill = std::process::Command::new("kill");
        // It may be over already.
        let _ = kill.args(["-s", "INT", &child.id().to_string()]).stderr(std::process::Stdio::null()).status();
        child.wait().unwrap();
        assert_eq!(names(folder.path()).len(), names_of_files.len(), "{delay}");
        for name in &names_of_files {
            let found = fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(found == "%41\n" || found == "A\n", "{name}: {found:?}");
        }
    }
}

//! How columnar files are recognised, and where they go.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use assert_cmd::cargo::CommandCargoExt;
use tempfile::TempDir;

use crate::parquet_files::{Settings, content, write};
use crate::rows::random_rows;
use crate::{Random, run, success};

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(2);
    write(&folder.path().join("a.parquet"), &random_rows(&mut random, 50), &Settings::random(&mut random));
    success(folder.path(), &["decode", "-q", "-c", "url", "a.parquet", "-o", "decoded.parquet"]);
    assert!(content(&folder.path().join("decoded.parquet")) != content(&folder.path().join("a.parquet")));
    folder
}

/// Runs a script in which `pct` is this program.
fn shell(folder: &Path, script: &str) -> String {
    let pct = std::process::Command::cargo_bin("pct").unwrap().get_program().to_owned();
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg(format!("pct() {{ \"$PCT\" \"$@\"; }}\n{script}")).env("PCT", pct).current_dir(folder);
    let output = command.stdin(Stdio::null()).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// A file of any name, a pipe, and a compressed file.
#[cfg(unix)]
#[test]
fn file_is_recognised_wherever_it_comes_from() {
    let folder = folder();
    for script in [
        "cp a.parquet data; pct decode -q -c url data -o out",
        "pct decode -q -c url < a.parquet > out",
        "cat a.parquet | pct decode -q -c url > out",
        "gzip -k a.parquet; pct decode -q -c url a.parquet.gz -o out",
        "cp a.parquet out; pct decode -q -i -c url out",
        "cp a.parquet b.parquet; cp a.parquet c; pct decode -q -i -c url b.parquet c; cp c out; cmp b.parquet c",
    ] {
        assert_eq!(shell(folder.path(), &format!("rm -f out; {script}")), "", "{script}");
        let found = content(&folder.path().join("out"));
        assert!(found == content(&folder.path().join("decoded.parquet")), "{script}");
    }
}

/// The magic bytes are four letters, with which text may begin.
#[test]
fn text_that_begins_like_parquet_is_text() {
    let folder = folder();
    fs::write(folder.path().join("text"), "PAR1,url\n%41,%42\n").unwrap();
    let output = run(folder.path(), &["decode", "-c", "url", "text"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "PAR1,url\n%41,B\n");
    let output = run(folder.path(), &["decode", "--csv", "-c", "url", "text"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "PAR1,url\n%41,B\n");
}

#[test]
fn problem_is_told() {
    let folder = folder();
    fs::write(folder.path().join("text.parquet"), "id,url\n1,%41\n").unwrap();
    fs::write(folder.path().join("empty.parquet"), "").unwrap();
    let whole = fs::read(folder.path().join("a.parquet")).unwrap();
    fs::write(folder.path().join("torn.parquet"), &whole[..whole.len() - 9]).unwrap();
    for (arguments, code, told) in [
        (&["decode", "a.parquet"][..], 3, "pct: a.parquet: invalid lines: expected --columns for Apache Parquet"),
        (&["check", "a.parquet"], 3, "pct: a.parquet: invalid lines: expected --columns for Apache Parquet"),
        (
            &["decode", "-c", "URL", "a.parquet"],
            2,
            "pct: a.parquet: invalid column 'URL': expected one of id, url, tags",
        ),
        (
            &["decode", "-c", "id", "a.parquet"],
            2,
            "invalid column 'id': expected strings or binary values, found INT64",
        ),
        (&["decode", "-c", "99", "a.parquet"], 2, "invalid column '99': expected numbers from 1 to 10"),
        (
            &["decode", "-c", "url", "a.parquet", "decoded.parquet"],
            2,
            "invalid files: expected one Apache Parquet file",
        ),
        (
            &["decode", "-c", "url", "--append-as", "text", "a.parquet"],
            2,
            "invalid option for Apache Parquet: expected no --append-as",
        ),
        (
            &["decode", "--unique", "-c", "url", "--append-as", "text", "--report", "json", "a.parquet"],
            2,
            "invalid option for Apache Parquet: expected no --append-as",
        ),
        (
            &["check", "--find", "escape", "--not", "-c", "url", "a.parquet", "a.parquet"],
            2,
            "expected one Apache Parquet",
        ),
        (
            &["get", "--format", "{host} {path}", "--as", "csv", "--append", "-c", "url", "a.parquet"],
            2,
            "invalid --as csv for Apache Parquet: expected --as json",
        ),
        (&["decode", "-c", "url", "text.parquet"], 3, "text.parquet: the file is not in the format of its name"),
        (&["decode", "-c", "url", "torn.parquet"], 3, "torn.parquet: invalid Parquet file: "),
    ] {
        let output = run(folder.path(), &[arguments, &["-o", "out"]].concat());
        let output = if arguments[0] == "check" { run(folder.path(), arguments) } else { output };
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {messages}");
        assert!(messages.contains(told), "{arguments:?}: {messages}");
        // What is refused has no summary.
        assert!(code == 3 || messages.lines().count() == 1, "{arguments:?}: {messages}");
        assert!(!folder.path().join("out").exists(), "{arguments:?}");
    }
}

/// The file keeps its inode and its time.
#[cfg(unix)]
#[test]
fn unchanged_file_is_not_rewritten_in_place() {
    use std::os::unix::fs::MetadataExt;

    let folder = folder();
    let path = folder.path().join("decoded.parquet");
    let identity = || fs::metadata(&path).map(|metadata| (metadata.ino(), metadata.mtime_nsec())).unwrap();
    let before = identity();
    success(folder.path(), &["encode", "-q", "--set", "!", "--keep-non-ascii", "-i", "-c", "url", "decoded.parquet"]);
    assert_eq!(identity(), before);
    assert!(!fs::read_dir(&folder).unwrap().any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with('.')));
}

/// An error leaves no output, and the file in place as it was.
#[test]
fn invalid_row_with_strict_leaves_the_file() {
    let folder = folder();
    let before = fs::read(folder.path().join("a.parquet")).unwrap();
    let output = run(folder.path(), &["decode", "--strict", "-i", "-c", "url,tags", "a.parquet"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read(folder.path().join("a.parquet")).unwrap() == before);
}

/// Without columns, and without rows.
#[test]
fn file_without_rows_is_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.parquet"), &[], &Settings::random(&mut Random(1)));
    let told = success(folder.path(), &["decode", "-c", "url", "a.parquet", "-o", "out.parquet"]);
    assert_eq!(told, "");
    assert_eq!(content(&folder.path().join("out.parquet")), Vec::<String>::new());
}

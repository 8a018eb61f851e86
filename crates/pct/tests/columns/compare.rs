//! Filters, `--print-field`, counts and other files, of Parquet and Arrow files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use parquet::record::Row as ParquetRow;
use tempfile::TempDir;

use crate::parquet_files::{Settings, content, metadata, write};
use crate::rows::{Row, as_lines, random_rows};
use crate::{Random, run, success};

/// A folder with `rows.parquet` and `others.parquet`.
fn folder(rows: &[Row], others: &[Row], random: &mut Random) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("rows.parquet"), rows, &Settings { group: 90, ..Settings::random(random) });
    write(&folder.path().join("others.parquet"), others, &Settings { group: 70, ..Settings::random(random) });
    folder
}

/// The output of a command on the column `url`, as text.
fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[arguments, &["-q", "-c", "url"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// As in CSV.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// The distinct URLs and their numbers, in the order of the first.
fn counted(rows: &[Row]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut positions = HashMap::new();
    for url in rows.iter().filter_map(|row| row.url.clone()) {
        let at = *positions.entry(url.clone()).or_insert(counts.len());
        if at == counts.len() {
            counts.push((url, 0));
        }
        counts[at].1 += 1;
    }
    counts
}

fn lines(counts: &[(String, usize)]) -> String {
    let lines = counts.iter().map(|(url, count)| format!("{count},{}\n", quoted(url)));
    "count,url\n".to_owned() + &lines.collect::<String>()
}

#[test]
fn counts_are_csv_whatever_the_number_of_threads() {
    let mut random = Random(21);
    for filter in [&[][..], &["--only-changed"], &["--errors", "drop"], &["--errors", "skip"]] {
        let rows = random_rows(&mut random, 700);
        let folder = folder(&rows, &rows[..10], &mut random);
        let command = [&["decode"], filter].concat();
        let (decoded, _) = as_lines(&rows, &command, &["url"]);
        // A skipped record has no result.
        let counts = if filter.contains(&"skip") {
            let (valid, _) = as_lines(&rows, &["decode", "--errors", "drop"], &["url"]);
            counted(&valid)
        } else {
            counted(&decoded)
        };
        assert!(counts.len() > 5 && counts.iter().any(|&(_, count)| count > 1), "{filter:?}");
        let mut top = counts.clone();
        top.sort_by_key(|&(_, count)| usize::MAX - count);
        top.truncate(3);
        for threads in ["1", "2", "7"] {
            let count = |options: &[&str]| {
                told(folder.path(), &[&command[..], options, &["-j", threads, "rows.parquet"]].concat())
            };
            assert_eq!(count(&["--count"]), lines(&counts), "{filter:?} {threads}");
            assert_eq!(count(&["--top", "3"]), lines(&top), "{filter:?} {threads}");
        }
    }
}

/// Several files are counted together.
#[test]
fn files_of_all_formats_are_counted() {
    let mut random = Random(22);
    let rows = random_rows(&mut random, 300);
    let folder = folder(&rows[..100], &rows[100..], &mut random);
    success(
        folder.path(),
        &["encode", "--set", "%00", "--keep-non-ascii", "-q", "-c", "url", "others.parquet", "-o", "o.parquet"],
    );
    let (decoded, _) = as_lines(&rows, &["decode"], &["url"]);
    let found = told(folder.path(), &["decode", "--count", "rows.parquet", "o.parquet"]);
    assert_eq!(found, lines(&counted(&decoded)));
}

#[test]
fn rows_are_compared_with_other_files() {
    let mut random = Random(23);
    for option in ["--not-in", "--only-in"] {
        let (rows, others) = (random_rows(&mut random, 500), random_rows(&mut random, 12));
        let folder = folder(&rows, &others, &mut random);
        let decoded = |rows: &[Row]| as_lines(rows, &["decode"], &["url"]).0;
        let listed: Vec<_> = decoded(&others).into_iter().filter_map(|row| row.url).collect();
        let expected: Vec<_> = rows
            .iter()
            .zip(decoded(&rows))
            .filter(|(_, row)| match &row.url {
                None => option == "--not-in",
                Some(url) => listed.contains(url) == (option == "--only-in"),
            })
            .map(|(row, _)| row.clone())
            .collect();
        assert!(expected.len() > 10 && expected.len() < 490, "{option}");
        success(
            folder.path(),
            &["decode", "-q", option, "others.parquet", "-c", "url", "rows.parquet", "-o", "out.parquet"],
        );
        write(&folder.path().join("expected.parquet"), &expected, &Settings::random(&mut random));
        let found = content(&folder.path().join("out.parquet"));
        assert!(found == content(&folder.path().join("expected.parquet")), "{option}");
        // The other file may be CSV.
        let lines: String = others
            .iter()
            .filter_map(|row| row.url.as_deref())
            .map(|url| format!("\"{}\"\n", url.replace('"', "\"\"")))
            .collect();
        fs::write(folder.path().join("others.csv"), format!("url\n{lines}")).unwrap();
        success(
            folder.path(),
            &["decode", "-q", option, "others.csv", "-c", "url", "rows.parquet", "-o", "again.parquet"],
        );
        let again = content(&folder.path().join("again.parquet"));
        assert!(again == found, "{option}");
    }
}

/// With its metadata; values are the results.
#[test]
fn print_field_leaves_out_other_columns() {
    let mut random = Random(24);
    let rows = random_rows(&mut random, 400);
    let folder = folder(&rows, &[], &mut random);
    let names = |path: &str| -> Vec<String> {
        let metadata = metadata(&folder.path().join(path));
        metadata.file_metadata().schema_descr().columns().iter().map(|column| column.path().string()).collect()
    };
    for (columns, filter, expected) in [
        ("url", &[][..], &["url"][..]),
        ("url", &["--only-changed"], &["url"]),
        ("url", &["--unique"], &["url"]),
        ("place.name,url", &["--only-matching"], &["url", "place.name", "place.x"]),
        ("tags", &["--errors", "drop"], &["tags.list.element"]),
    ] {
        let command = [&["decode"], filter].concat();
        success(
            folder.path(),
            &[&command[..], &["-q", "--print-field", "-c", columns, "rows.parquet", "-o", "out.parquet"]].concat(),
        );
        assert_eq!(names("out.parquet"), expected, "{columns} {filter:?}");
        let (before, after) =
            (metadata(&folder.path().join("rows.parquet")), metadata(&folder.path().join("out.parquet")));
        assert_eq!(before.file_metadata().created_by(), after.file_metadata().created_by());
        if columns == "url" {
            let (mut decoded, _) = as_lines(&rows, &command, &["url"]);
            if filter.contains(&"--unique") {
                // JSON lines are written unchanged.
                decoded = as_lines(&decoded, &["decode"], &["url"]).0;
            }
            let urls: Vec<_> = decoded.into_iter().map(|row| row.url).collect();
            assert_eq!(self::urls(&folder.path().join("out.parquet")), urls, "{filter:?}");
        }
    }
}

/// The values of the column `url`.
fn urls(path: &Path) -> Vec<Option<String>> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let url = |row: ParquetRow| match row.get_column_iter().find(|(name, _)| *name == "url").unwrap().1 {
        Field::Null => None,
        Field::Str(text) => Some(text.clone()),
        other => panic!("{other:?}"),
    };
    reader.get_row_iter(None).unwrap().map(|row| url(row.unwrap())).collect()
}

#[test]
fn rows_with_findings_are_found_or_left_out() {
    let mut random = Random(25);
    let rows = random_rows(&mut random, 300);
    let folder = folder(&rows, &[], &mut random);
    for (option, kept) in [("--only-matching", true), ("--not", false)] {
        let output = run(folder.path(), &["check", "--find", "escape", option, "-c", "url", "rows.parquet"]);
        fs::write(folder.path().join("out.parquet"), &output.stdout).unwrap();
        let expected: Vec<_> = rows
            .iter()
            .filter(|row| {
                row.url.as_ref().is_some_and(|url| simdpct::inspect(url).contains(simdpct::Kinds::ESCAPE)) == kept
            })
            .cloned()
            .collect();
        write(&folder.path().join("expected.parquet"), &expected, &Settings::random(&mut random));
        let found = content(&folder.path().join("out.parquet"));
        assert!(found == content(&folder.path().join("expected.parquet")), "{option}");
    }
}

/// A file in which all rows are kept is not written again.
#[test]
fn file_without_duplicates_is_kept_in_place() {
    let mut random = Random(26);
    let mut rows = random_rows(&mut random, 200);
    rows.iter_mut().for_each(|row| row.url = Some(format!("/%7e{}", row.id)));
    let folder = folder(&rows, &rows, &mut random);
    let path = folder.path().join("rows.parquet");
    let before = fs::read(&path).unwrap();
    success(folder.path(), &["normalize", "--unique", "-i", "-q", "-c", "url", "rows.parquet"]);
    assert!(fs::read(&path).unwrap() == before);
    success(folder.path(), &["normalize", "--not-in", "others.parquet", "-i", "-q", "-c", "url", "rows.parquet"]);
    assert_eq!(content(&path).len(), 0);
}

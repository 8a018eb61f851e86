//! Parquet files against JSON lines of the same rows.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::parquet_files::{PLACE, Settings, URL, chunk, content, metadata, write};
use crate::rows::{Row, as_lines, comparable, random_rows};
use crate::{Random, run, success};

/// A folder with `rows.parquet`.
fn folder(rows: &[Row], settings: &Settings) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("rows.parquet"), rows, settings);
    folder
}

/// Runs a command on columns of `rows.parquet`, to `out.parquet`; returns its report.
fn rewrite(folder: &Path, command: &[&str], columns: &str) -> Value {
    let others = ["--report", "json", "-c", columns, "rows.parquet", "-o", "out.parquet"];
    serde_json::from_str(&success(folder, &[command, &others].concat())).unwrap()
}

const COMMANDS: [&[&str]; 24] = [
    &["decode"],
    &["decode", "--errors", "replace"],
    &["decode", "--errors", "skip"],
    &["decode", "--errors", "drop"],
    &["decode", "--dialect", "java"],
    &["decode", "--times", "2", "--plus", "--reject", "%00", "--errors", "drop"],
    &["encode", "--set", "path"],
    &["normalize", "--errors", "skip"],
    &["normalize", "--path", "default", "--errors", "drop"],
    &["repair"],
    &["encode", "--set", "%00", "--keep-non-ascii"],
    &["get", "segment:1"],
    &["get", "key:q", "--raw"],
    &["get", "--format", "{path}\\t{key:q}\\n"],
    &["get", "--format", "{domain} {fragment}", "--unicode-host"],
    &["form", "--as", "tsv"],
    &["decode", "--only-changed"],
    &["decode", "--only-changed", "--errors", "skip"],
    &["decode", "--only-matching", "--errors", "skip"],
    &["decode", "--only-matching", "--errors", "drop"],
    &["get", "segment:1", "--only-matching"],
    &["normalize", "--unique"],
    &["decode", "--unique", "--errors", "skip"],
    &["decode", "--unique", "--only-changed", "--errors", "drop"],
];

/// Values, rows that are dropped or kept, NULLs, counts and places, for random files of all kinds.
#[test]
fn rows_become_what_json_lines_become() {
    let mut random = Random(0x9E37_79B9);
    for round in 0..96 {
        let count = *random.pick(&[1, 10, 300, 2000]);
        let rows = random_rows(&mut random, count);
        let settings = Settings::random(&mut random);
        let command = COMMANDS[round % COMMANDS.len()];
        let (columns, keys) = *random.pick(&[
            ("url", &["url"][..]),
            ("url,tags,place.name", &["url", "tags", "place.name"]),
            ("3", &["tags"]),
        ]);
        let folder = folder(&rows, &settings);
        let report = rewrite(folder.path(), command, columns);
        let (expected, expected_report) = as_lines(&rows, command, keys);
        let told = format!("{command:?} {columns} {settings:?} {count}");
        assert_eq!(comparable(&report), comparable(&expected_report), "{told}");
        write(&folder.path().join("expected.parquet"), &expected, &settings);
        let found = content(&folder.path().join("out.parquet"));
        assert!(found == content(&folder.path().join("expected.parquet")), "{told}: {found:#?}");
    }
}

/// Every byte of the chunk, and its statistics, indexes and encodings.
#[test]
fn other_columns_are_copied_byte_for_byte() {
    let mut random = Random(77);
    for _ in 0..12 {
        let settings = Settings::random(&mut random);
        let rows = random_rows(&mut random, 300);
        let folder = folder(&rows, &settings);
        let (old, new) = (folder.path().join("rows.parquet"), folder.path().join("out.parquet"));
        rewrite(folder.path(), &["decode"], "url,place");
        let (before, after) = (metadata(&old), metadata(&new));
        let (file, of_file) = (before.file_metadata(), after.file_metadata());
        assert_eq!(file.schema_descr(), of_file.schema_descr());
        assert_eq!(file.key_value_metadata(), of_file.key_value_metadata());
        assert_eq!((file.created_by(), file.version()), (of_file.created_by(), of_file.version()));
        assert_eq!(before.num_row_groups(), after.num_row_groups());
        for (group, groups) in before.row_groups().iter().zip(after.row_groups()).enumerate() {
            for (at, (column, copy)) in groups.0.columns().iter().zip(groups.1.columns()).enumerate() {
                assert_eq!(column.compression(), copy.compression());
                if at == URL || at == PLACE {
                    continue;
                }
                assert!(chunk(&old, &before, group, at) == chunk(&new, &after, group, at), "{settings:?} {at}");
                assert_eq!(column.statistics(), copy.statistics());
                assert_eq!(column.page_encoding_stats(), copy.page_encoding_stats());
                assert_eq!(column.bloom_filter_offset().is_some(), copy.bloom_filter_offset().is_some());
                assert_eq!(column.column_index_offset().is_some(), copy.column_index_offset().is_some());
                assert_eq!(column.offset_index_offset().is_some(), copy.offset_index_offset().is_some());
            }
        }
    }
}

/// Also a selected column, if nothing in it changes.
#[test]
fn unchanged_column_chunk_is_copied_byte_for_byte() {
    let mut rows = random_rows(&mut Random(5), 200);
    rows.iter_mut().for_each(|row| row.url = Some(format!("plain {}", row.id % 7)));
    rows[150].url = Some("%41".into());
    let settings = Settings { group: 100, ..Settings::random(&mut Random(5)) };
    let folder = folder(&rows, &settings);
    let (old, new) = (folder.path().join("rows.parquet"), folder.path().join("out.parquet"));
    rewrite(folder.path(), &["decode"], "url");
    let (before, after) = (metadata(&old), metadata(&new));
    let is_same = |group| chunk(&old, &before, group, URL) == chunk(&new, &after, group, URL);
    assert!(is_same(0) && !is_same(1));
}

/// The new column has NULL where the old one has, and where a record is skipped.
#[test]
fn appended_column_has_the_results() {
    let mut random = Random(31);
    for policy in ["keep", "skip", "drop"] {
        let rows = random_rows(&mut random, 500);
        let settings = Settings { group: 120, ..Settings::random(&mut random) };
        let folder = folder(&rows, &settings);
        rewrite(folder.path(), &["decode", "--append", "--errors", policy], "url");
        let (kept, report) = as_lines(&rows, &["decode", "--errors", policy], &["url"]);
        assert!(report["files"][0]["invalid"].as_u64() > Some(10));
        let (decoded, _) = as_lines(&rows, &["decode"], &["url"]);
        // Only JSON lines of a skipped record have no new member.
        let (strict, _) = as_lines(&rows, &["decode", "--errors", "drop"], &["url"]);
        let is_valid = |id| strict.iter().any(|row| row.id == id);
        let expected: Vec<_> = kept
            .iter()
            .map(|row| {
                let old = &rows[row.id as usize];
                let new = decoded[row.id as usize].url.clone().filter(|_| policy != "skip" || is_valid(row.id));
                format!("{:?} {new:?}", old.url)
            })
            .collect();
        let found: Vec<_> = columns(&folder.path().join("out.parquet"), &["url", "url_decoded"]);
        assert_eq!(found, expected, "{policy}");
        let failed = run(folder.path(), &["decode", "--append", "-c", "tags", "rows.parquet", "-o", "x"]);
        assert_eq!(failed.status.code(), Some(2), "{}", String::from_utf8_lossy(&failed.stderr));
        let failed = run(folder.path(), &["decode", "--append", "-c", "url", "out.parquet", "-o", "x"]);
        assert!(String::from_utf8_lossy(&failed.stderr).contains("invalid new column 'url_decoded'"));
    }
}

/// The values of columns of strings, row by row.
fn columns(path: &Path, names: &[&str]) -> Vec<String> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let text = |field: &Field| match field {
        Field::Null => None,
        Field::Str(text) => Some(text.clone()),
        other => panic!("{other:?}"),
    };
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let value =
            |name: &&str| row.get_column_iter().find(|(column, _)| column == name).map(|(_, field)| text(field));
        names.iter().map(|name| format!("{:?}", value(name).unwrap())).collect::<Vec<_>>().join(" ")
    });
    rows.collect()
}

#[test]
fn threads_do_not_change_a_byte() {
    let mut random = Random(123);
    let rows = random_rows(&mut random, 3000);
    let folder = folder(&rows, &Settings { group: 100, ..Settings::random(&mut random) });
    for policy in ["keep", "skip", "drop"] {
        let mut outputs = Vec::new();
        for threads in ["1", "2", "7"] {
            let report = rewrite(folder.path(), &["decode", "--errors", policy, "-j", threads], "url,tags");
            outputs.push((report, std::fs::read(folder.path().join("out.parquet")).unwrap()));
        }
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{policy}");
    }
}

/// The row and the byte in the value, in all commands.
#[test]
fn invalid_row_is_named_with_its_column() {
    let mut rows = random_rows(&mut Random(9), 30);
    for row in &mut rows {
        (row.url, row.tags) = (Some("a".into()), None);
    }
    rows[16].tags = Some(vec![Some("ok".into()), None, Some("50%".into())]);
    rows[20].url = Some("%E9".into());
    let folder = folder(&rows, &Settings { group: 7, ..Settings::random(&mut Random(9)) });
    let tell = |arguments: &[&str]| {
        let output = run(folder.path(), &[arguments, &["-c", "url,tags", "rows.parquet"]].concat());
        let messages = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), messages)
    };
    let at = "rows.parquet:17:3: tags.list.element: malformed percent-encoding: '%' without two hexadecimal digits\n";
    let (code, found, messages) = tell(&["check"]);
    assert_eq!((code, messages.as_str()), (Some(1), ""));
    assert_eq!(found, format!("{at}rows.parquet:21:1: url: the decoded bytes are not valid UTF-8\n"));
    assert_eq!(tell(&["check", "-q"]).0, Some(1));
    assert_eq!(tell(&["decode", "--strict", "-o", "x"]), (Some(1), String::new(), format!("pct: {at}")));
    assert!(!folder.path().join("x").exists());
    let (_, _, messages) = tell(&["decode", "-o", "x"]);
    assert_eq!(messages, "pct: rows.parquet: 1 malformed, 1 not UTF-8; first at 17:3 of 'tags.list.element'\n");
    let (code, _, messages) = tell(&["decode", "--max-errors", "1", "-o", "y"]);
    assert_eq!(
        (code, messages.as_str()),
        (
            Some(1),
            "pct: rows.parquet:21:1: more than 1 error\npct: rows.parquet: 1 malformed, 1 not UTF-8; first at 17:3 of 'tags.list.element'\n"
        )
    );
    let (_, found, _) = tell(&["stats"]);
    assert!(found.starts_with("rows.parquet: 30 records, 2 with findings\n"), "{found}");
    assert!(found.contains("17:3: 50%"), "{found}");
}

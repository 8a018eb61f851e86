//! The program `simdpct-sql`, as a process.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs the program in a folder.
fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simdpct-sql")).current_dir(folder).args(arguments).output().unwrap()
}

/// The standard output of a run that succeeds.
fn stdout(folder: &TempDir, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The exit code and standard error of a run.
fn failure(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, arguments);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// A folder with the same rows in several formats.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("urls.csv", "id,url\n1,http://e/?q=caf%C3%A9\n2,\n3,50%\n");
    write("lines.jsonl", "{\"id\":1,\"url\":\"http://e/?q=caf%C3%A9\"}\n{\"id\":2}\n{\"id\":3,\"url\":\"50%\"}\n");
    write("tabs.tsv", "id\turl\n1\thttp://e/?q=caf%C3%A9\n2\t\n3\t50%\n");
    stdout(&folder, &["copy (select * from t) to 'stored.parquet'", "urls.csv"]);
    stdout(
        &folder,
        &["copy (select * from t) to 'packed.csv.gz' stored as csv options ('format.compression' 'gzip')", "urls.csv"],
    );
    folder
}

const QUERY: &str = "select id, try_pct_decode(url) as url, url_query_value(url, 'q') as q from t order by id";

#[test]
fn query_over_each_format_gives_same_rows() {
    let folder = folder();
    let expected = "{\"id\":1,\"url\":\"http://e/?q=café\",\"q\":\"café\"}\n{\"id\":2}\n{\"id\":3}\n";
    for file in ["urls.csv", "tabs.tsv", "lines.jsonl", "stored.parquet", "packed.csv.gz"] {
        assert!(folder.path().join(file).exists(), "{file}");
        assert_eq!(stdout(&folder, &["-o", "jsonl", QUERY, file]), expected, "{file}");
    }
}

#[test]
fn files_are_tables_by_name() {
    let folder = folder();
    let join = "select count(*) as n from urls join lines on urls.id = lines.id join t on t.id = urls.id join packed on packed.id = lines.id";
    assert_eq!(stdout(&folder, &["--output=csv", join, "urls.csv", "lines.jsonl", "packed.csv.gz"]), "n\n3\n");
    let path = folder.path().join("lines.jsonl");
    std::fs::rename(path, folder.path().join("My lines.v2.jsonl")).unwrap();
    let quoted = "select max(id) as n from \"My lines.v2\"";
    assert_eq!(stdout(&folder, &["--output=csv", quoted, "My lines.v2.jsonl"]), "n\n3\n");
    // If a file is called t, it is the table t.
    std::fs::write(folder.path().join("t.csv"), "a\n7\n").unwrap();
    assert_eq!(stdout(&folder, &["-o", "csv", "select a from t", "urls.csv", "t.csv"]), "a\n7\n");
}

#[test]
fn folder_is_one_table_of_its_files() {
    let folder = folder();
    let parts = folder.path().join("parts.v1");
    std::fs::create_dir(&parts).unwrap();
    assert!(failure(&folder, &["select 1", "parts.v1"]).1.contains("parts.v1: no file in this folder"));
    for part in ["a.parquet", "b.parquet"] {
        std::fs::copy(folder.path().join("stored.parquet"), parts.join(part)).unwrap();
    }
    // Marker files, such as engines leave.
    for other in ["_SUCCESS", ".a.parquet.crc"] {
        std::fs::write(parts.join(other), "").unwrap();
    }
    let sql = "select count(*) as n, count(url) as urls, max(id) as id from parts";
    for name in ["parts.v1", "parts.v1/"] {
        assert_eq!(stdout(&folder, &["-o", "csv", sql, name]), "n,urls,id\n6,4,3\n", "{name}");
    }
}

#[test]
fn output_is_table_csv_or_json_lines() {
    let folder = folder();
    let sql = "select pct_decode('a%2Cb') as a, try_pct_decode('%') as b";
    assert_eq!(
        stdout(&folder, &[sql]),
        "+-----+------+\n| a   | b    |\n+-----+------+\n| a,b | NULL |\n+-----+------+\n"
    );
    assert_eq!(stdout(&folder, &["-o", "csv", sql]), "a,b\n\"a,b\",\n");
    assert_eq!(stdout(&folder, &["-o", "jsonl", sql]), "{\"a\":\"a,b\"}\n");
    let empty = "select url from t where id > 5";
    assert_eq!(stdout(&folder, &["-o", "csv", empty, "urls.csv"]), "url\n");
    assert_eq!(stdout(&folder, &["-o", "jsonl", empty, "urls.csv"]), "");
    assert_eq!(stdout(&folder, &[empty, "urls.csv"]), "+-----+\n| url |\n+-----+\n+-----+\n");
}

#[test]
fn statements_and_options_take_effect() {
    let folder = folder();
    let sql = "select arrow_typeof(url) as type from t limit 1";
    assert_eq!(stdout(&folder, &["-o", "csv", sql, "stored.parquet"]), "type\nUtf8View\n");
    let option = "datafusion.execution.parquet.schema_force_view_types=false";
    assert_eq!(stdout(&folder, &["-o", "csv", "-c", option, sql, "stored.parquet"]), "type\nUtf8\n");
    let two = "create view hosts as select url_part(url, 'host') as host from t; select count(host) as n from hosts";
    assert_eq!(stdout(&folder, &["-o", "csv", two, "stored.parquet"]), "n\n1\n");
}

#[test]
fn spark_functions_are_there_on_request() {
    let folder = folder();
    let sql = "select url_decode('a+b') as s";
    assert_eq!(stdout(&folder, &["--spark", "-o", "csv", sql]), "s\na b\n");
    let (code, message) = failure(&folder, &[sql]);
    assert_eq!(code, Some(1));
    assert!(message.contains("Invalid function 'url_decode'"), "{message}");
}

#[test]
fn failed_query_is_one_message_and_code_1() {
    let folder = folder();
    let failures = [
        (&["select pct_decode(url) from t", "urls.csv"][..], "pct_decode: '50%': malformed percent-encoding"),
        (&["select 1 +"], "SQL error"),
        (&["select * from other", "urls.csv"], "table 'datafusion.public.other' not found"),
        (&["select 1", "missing.csv"], "missing.csv: no such file"),
        (&["select 1", "urls.csv", "urls.csv"], "two files would be the table 'urls'"),
        (&["-c", "no.such=1", "select 1"], "no"),
    ];
    for (arguments, expected) in failures {
        let (code, message) = failure(&folder, arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {message}");
        assert!(message.starts_with("simdpct-sql: ") && message.contains(expected), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{message}");
    }
    std::fs::write(folder.path().join("text.txt"), "").unwrap();
    assert!(failure(&folder, &["select 1", "text.txt"]).1.contains("text.txt: unknown extension: expected .parquet"));
}

#[test]
fn wrong_arguments_are_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let failures = [
        (&[][..], "expected SQL"),
        (&["--what"], "unknown option '--what'"),
        (&["-o"], "-o needs a value"),
        (&["-o", "xml", "select 1"], "invalid output 'xml': expected table, csv or jsonl"),
        (&["-c", "key", "select 1"], "invalid option 'key': expected KEY=VALUE"),
    ];
    for (arguments, expected) in failures {
        let (code, message) = failure(&folder, arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(message.contains(expected) && message.contains("--help"), "{message}");
    }
}

#[test]
fn help_names_every_function() {
    let folder = tempfile::tempdir().unwrap();
    let help = stdout(&folder, &["--help"]);
    for function in simdpct_datafusion::functions() {
        assert!(help.contains(function.name()), "{}", function.name());
    }
    assert_eq!(help.lines().find(|line| line.len() > 80), None);
    assert!(stdout(&folder, &["--version"]).starts_with("simdpct-sql "));
}

#[test]
fn sql_may_begin_with_a_comment() {
    let folder = tempfile::tempdir().unwrap();
    for sql in ["-- one\nselect 1 as a", "--\nselect 1 as a", "/* one */ select 1 as a"] {
        assert_eq!(stdout(&folder, &["-o", "csv", sql]), "a\n1\n", "{sql}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn closed_pipe_is_success() {
    let folder = folder();
    let program = Path::new(env!("CARGO_BIN_EXE_simdpct-sql"));
    let command =
        format!("'{}' -o csv 'select * from range(1000000)' | head -n 1; exit ${{PIPESTATUS[0]}}", program.display());
    let output = Command::new("bash").arg("-c").arg(command).current_dir(&folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "value\n");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

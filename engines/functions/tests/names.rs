//! Checks that the lists of functions in other languages and in documents have exactly the names of
//! [`Function`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use simdpct_functions::Function;

/// Finds the words that look like names of functions.
fn names(text: &str) -> BTreeSet<&str> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.split(|character| !is_word(character))
        .filter(|word| ["pct_", "try_pct_", "form_", "try_form_", "url_"].iter().any(|start| word.starts_with(start)))
        .collect()
}

/// The part of a file between two texts.
fn part(path: &str, start: &str, end: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{}: no {start:?}", path.display()));
    let (part, _) = rest.split_once(end).unwrap_or_else(|| panic!("{}: no {end:?}", path.display()));
    part.to_owned()
}

fn own() -> BTreeSet<&'static str> {
    Function::OWN.iter().map(|function| function.name()).collect()
}

#[test]
fn every_list_has_the_names_of_all_functions() {
    let lists = [
        ("engines/python/python/simdpct/_sql.py", "FUNCTIONS = _by_name(", "\n)"),
        ("engines/python/python/simdpct/duckdb.py", "have the names of", ">>>"),
        ("engines/python/python/simdpct/spark.py", "    They are ", "Spark's own"),
        ("engines/datafusion/src/lib.rs", "//! | function", "//!\n"),
        ("engines/datafusion/src/bin/simdpct-sql.rs", "\nFunctions: ", "of DataFusion"),
        ("engines/duckdb/README.md", "| function | result |", "\n\n"),
        ("docs/engines.md", "| function | result |", "\n\n"),
        ("docs/python.md", "### DuckDB, DataFusion and Spark", "```"),
    ];
    for (path, start, end) in lists {
        let mut text = part(path, start, end);
        text.insert_str(0, start);
        assert_eq!(names(&text), own(), "{path}");
    }
}

#[test]
fn names_of_clickhouse_are_some_of_them() {
    let file = part("engines/clickhouse/udf.xml", "<functions>", "</functions>");
    let names = names(&file);
    assert!(names.len() > 4 && names.is_subset(&own()), "{names:?}");
}

#[test]
fn names_beside_those_of_other_systems_are_known() {
    let table = part("docs/engines.md", "### Names in other systems", "\n## ");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let ours: BTreeSet<_> = rows.filter_map(|line| line.split('|').nth(1)).flat_map(names).collect();
    assert!(ours.len() > 7 && ours.is_subset(&own()), "{ours:?}");
}

//! Checks that docs/safety.md names at least one existing test for each promise.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the promise tables: the promise and the tests.
fn promises(page: &str) -> Vec<(&str, &str)> {
    let mut rows = Vec::new();
    let mut lines = page.lines();
    while lines.any(|line| line == "| Promise | Tests |") {
        let table = lines.by_ref().skip(1).take_while(|line| line.starts_with('|'));
        rows.extend(table.map(|line| line.trim_matches('|').split_once(" | ").expect("two columns")));
    }
    rows
}

/// The tests named in backquotes, as file and function.
fn tests(cell: &str) -> impl Iterator<Item = (&str, &str)> {
    cell.split('`').skip(1).step_by(2).map(|name| name.split_once("::").expect("a file and a function"))
}

/// A struck-out promise has no test; every other one has tests that exist.
#[test]
fn every_promise_names_existing_tests() {
    let page = read("docs/safety.md");
    let promises = promises(&page);
    assert!(promises.len() > 20, "{}", promises.len());
    for (promise, holders) in promises {
        let is_struck_out = promise.contains("~~");
        assert_eq!(tests(holders).next().is_none(), is_struck_out, "{promise}");
        for (file, function) in tests(holders) {
            let declaration = format!("fn {function}(");
            assert!(read(file).lines().any(|line| line.trim_start().starts_with(&declaration)), "{file}::{function}");
        }
    }
}

/// The parser used above finds all rows and names, or the check would prove nothing.
#[test]
fn table_parser_finds_promises_and_tests() {
    let page = "# A\n\n| Promise | Tests |\n|---|---|\n| b | `c::d`, `e::f` |\n| ~~g~~ | h |\n\n| Other | table |\n|---|---|\n| i | j |\n";
    let promises = promises(page);
    assert_eq!(promises, [(" b", "`c::d`, `e::f` "), (" ~~g~~", "h ")]);
    assert!(tests(promises[0].1).eq([("c", "d"), ("e", "f")]) && tests(promises[1].1).next().is_none());
}

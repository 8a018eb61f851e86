//! Checks the documents: docs/safety.md names at least one existing test for each promise,
//! docs/README.md links every page, and every path that a page names exists.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &str) -> String {
    let path = Path::new(ROOT).join(path);
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

/// A struck-out promise has no test. Every other promise has tests that exist.
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

/// The files below a folder whose names have one of these ends, without files that builds and
/// tests write.
pub fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let entry = entry.expect("a readable entry");
        let (path, name) = (entry.path(), entry.file_name().into_string().expect("UTF-8"));
        let is_built = name.starts_with('.') || ["target", "dist", "corpus", "artifacts", "coverage"].contains(&&*name);
        if entry.file_type().expect("a type").is_dir() && !is_built {
            files.extend(self::files(&path, ends));
        } else if ends.iter().any(|end| name.ends_with(end)) {
            files.push(path);
        }
    }
    files
}

/// The text without fenced code blocks.
fn without_code(page: &str) -> String {
    let mut is_code = false;
    let mut is_text = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_fence && !is_code
    };
    page.lines().filter(|line| is_text(line)).flat_map(|line| [line, "\n"]).collect()
}

/// The first words in backquotes that look like paths of the repository: `scripts/check` of
/// `scripts/check clippy`, but not `nginx/1.22` or `tests/NAME.rs`.
fn named_paths(page: &str) -> Vec<String> {
    let words = without_code(page);
    let words = words.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter_map(|code| {
        let word = code.split_whitespace().next()?.split("::").next()?.trim_end_matches(['/', ':']);
        let first = word.split_once('/')?.0;
        let is_placeholder =
            word.split(['/', '.']).any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()));
        let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-{},".contains(c));
        // Folders of build results may or may not exist.
        let is_built = ["dist", "target"].contains(&first);
        let is_ours = !first.is_empty() && !first.starts_with('.') && !is_built && Path::new(ROOT).join(first).is_dir();
        (is_ours && is_plain && !is_placeholder).then(|| word.to_owned())
    });
    words.flat_map(|word| alternatives(&word)).collect()
}

/// `a/{b,c}` is `a/b` and `a/c`.
fn alternatives(word: &str) -> Vec<String> {
    let Some((before, (inside, after))) =
        word.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![word.to_owned()];
    };
    inside.split(',').flat_map(|choice| alternatives(&format!("{before}{choice}{after}"))).collect()
}

/// The targets of links to files, without the part after `#`.
fn links(page: &str) -> Vec<String> {
    let text = without_code(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains("://")).map(str::to_owned).collect()
}

#[test]
fn documentation_index_links_every_page() {
    let links = links(&read("docs/README.md"));
    for page in files(&Path::new(ROOT).join("docs"), &[".md"]) {
        let page = page.strip_prefix(Path::new(ROOT).join("docs")).expect("a page of docs");
        let is_job = page.starts_with("jobs") && page != Path::new("jobs/README.md");
        if !is_job && page != Path::new("README.md") {
            assert!(
                links.iter().any(|link| Path::new(link) == page),
                "docs/README.md does not link {}",
                page.display()
            );
        }
    }
}

/// A path in backquotes is relative to the repository or to the page. The changelog also names
/// files of the past.
#[test]
fn every_path_in_a_page_exists() {
    let mut missing = Vec::new();
    let mut count = 0;
    for file in files(Path::new(ROOT), &[".md"]) {
        let page = fs::read_to_string(&file).expect("a readable page");
        let folder = file.parent().expect("a folder");
        let is_history = file.ends_with("CHANGELOG.md");
        let named = if is_history { Vec::new() } else { named_paths(&page) };
        let exists = |path: &String| Path::new(ROOT).join(path).exists() || folder.join(path).exists();
        count += named.len();
        let lost = named.into_iter().filter(|path| !exists(path));
        let lost = lost.chain(links(&page).into_iter().filter(|link| !folder.join(link).exists()));
        missing.extend(lost.map(|path| format!("{}: {path}", file.display())));
    }
    assert!(count > 100, "{count}");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The parsers used above find paths and links, or the checks would prove nothing.
#[test]
fn page_parser_finds_paths_and_links() {
    let page = "`src/lib.rs` `tests/{a,b}.rs` `scripts/check core` `tests/NAME.rs` `no/path` `src/a.rs::f`\n\
        ```sh\n`src/code`\n```\n[a](docs/c.md#x) [b](https://e.org/) [c](#d)\n";
    assert_eq!(named_paths(page), ["src/lib.rs", "tests/a.rs", "tests/b.rs", "scripts/check", "src/a.rs"]);
    assert_eq!(links(page), ["docs/c.md"]);
}

//! Checks versions and names of a release in the files that do not read the version from
//! `Cargo.toml`.

use std::fs;
use std::path::Path;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The versions in lines with this text, between quotes after the text.
fn versions(file: &str, text: &str) -> Vec<String> {
    let file = read(file);
    let after = file.lines().filter_map(|line| line.split_once(text));
    after.filter_map(|(_, rest)| rest.split('"').nth(1)).map(str::to_owned).collect()
}

#[test]
fn every_version_is_that_of_the_workspace() {
    for (file, text, count) in [
        ("crates/pct/Cargo.toml", "closed-streams\", version = ", 1),
        ("crates/pct/Cargo.toml", "path = \"../..\", version = ", 1),
        ("crates/tower/Cargo.toml", "path = \"../..\", version = ", 1),
        ("crates/capi/Cargo.toml", "path = \"../..\", version = ", 1),
        ("crates/capi-url/Cargo.toml", "path = \"../..\", version = ", 1),
        ("crates/capi/include/simdpct.h", "The version of the library that was loaded:", 1),
        ("npm/package.json", "\"version\"", 1),
        ("integrations/lua/test.py", "require(\"simdpct\").version', (b", 1),
    ] {
        let found = versions(file, text);
        assert_eq!(found, vec![VERSION; count], "{file}: {text}");
    }
    assert_eq!(versions("engines/ballista/Cargo.toml", "simdpct-datafusion = { path = "), ["../datafusion"]);
    let engines = read("engines/Cargo.toml");
    for line in engines.lines().filter(|line| line.starts_with("simdpct")) {
        assert!(line.ends_with(&format!("version = \"{VERSION}\" }}")), "{line}");
    }
    let (_, package) = engines.split_once("[workspace.package]").unwrap();
    assert_eq!(package.lines().nth(1), Some(&*format!("version = \"{VERSION}\"")));
}

/// The numbers of the header's macros.
#[test]
fn version_of_the_header_is_that_of_the_workspace() {
    let header = read("crates/capi/include/simdpct.h");
    let number = |name: &str| {
        let line = header.lines().find(|line| line.contains(&format!("define SIMDPCT_VERSION_{name} "))).unwrap();
        line.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!(["MAJOR", "MINOR", "PATCH"].map(number).join("."), VERSION);
}

/// The names of files that the README says to install.
#[test]
fn versions_in_the_readme_are_that_of_the_workspace() {
    let readme = read("README.md");
    let (_, table) = readme.split_once("### Install").unwrap();
    let (table, _) = table.split_once("Documentation:").unwrap();
    let files =
        table.split('`').filter(|word| word.contains("simdpct") && word.bytes().any(|byte| byte.is_ascii_digit()));
    let named: Vec<_> = files.filter(|word| word.contains(['_', '-'])).collect();
    assert!(named.len() > 4, "{named:?}");
    for name in named {
        assert!(name.contains(VERSION), "{name}");
    }
}

#[test]
fn placeholder_address_stands_where_the_checklist_says() {
    let address = "https://github.com/simdpct/simdpct";
    let mut found = Vec::new();
    for file in ["Cargo.toml", "engines/Cargo.toml", "engines/python/pyproject.toml"] {
        found.extend(read(file).contains(address).then(|| file.to_owned()));
    }
    for folder in ["release", "release/steps"] {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && fs::read_to_string(&path).unwrap().contains(address) {
                found.push(format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap()));
            }
        }
    }
    let checklist = read("RELEASING.md");
    assert!(found.len() == 4 && found.iter().all(|file| checklist.contains(&format!("`{file}`"))), "{found:?}");
}

/// The workflow names the artefacts, because a matrix cannot ask a script.
#[test]
fn workflow_makes_every_artefact() {
    let workflow = read(".github/workflows/release.yml");
    let (_, matrix) = workflow.split_once("artefact:\n").unwrap();
    let mut named: Vec<_> =
        matrix.lines().map_while(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect();
    let folder = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("release/steps")).unwrap();
    let mut steps: Vec<_> =
        folder.map(|step| step.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    named.sort();
    steps.sort();
    assert_eq!(named, steps);
    // A step that is not listed would never be made.
    let script = read("release/lib.sh");
    let (_, list) = script.split_once("all_steps=(").unwrap();
    let mut listed: Vec<_> = list.split_once(')').unwrap().0.split_whitespace().map(str::to_owned).collect();
    listed.sort();
    assert_eq!(listed, steps);
}

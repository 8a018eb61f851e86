//! Fails on a dependency cycle between the top-level modules of the library, and of the command.
//!
//! A module imports another if a path in it starts with `crate::OTHER`, outside comments and tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The code of a file, without comments and without the tests at its end.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    before_tests.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules named by `crate::` paths: `crate::a`, `crate::a::b`, and all of `crate::{a::b, c}`.
fn imported(code: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(list) => {
                let mut depth = 1;
                let end = list.find(|character| {
                    depth += match character {
                        '{' => 1,
                        '}' => -1,
                        _ => 0,
                    };
                    depth == 0
                });
                let mut depth = 0;
                list[..end.unwrap_or(list.len())]
                    .split(|character| {
                        depth += match character {
                            '{' => 1,
                            '}' => -1,
                            _ => 0,
                        };
                        character == ',' && depth == 0
                    })
                    .map(str::trim)
                    .collect()
            }
            None => vec![rest],
        };
        found.extend(names.into_iter().map(|name| name.chars().take_while(|&character| is_part(character)).collect()));
    }
    found
}

fn imports(source: &Path) -> Imports {
    let module = |path: &Path| {
        let first = path.strip_prefix(source).unwrap().iter().next().unwrap().to_str().unwrap();
        first.trim_end_matches(".rs").to_owned()
    };
    let files = files(source);
    let modules: BTreeSet<String> = files.iter().map(|path| module(path)).collect();
    let mut imports = Imports::new();
    for path in &files {
        let name = module(path);
        // The root re-exports from all modules, and no module imports it.
        if name == "lib" || name == "main" {
            continue;
        }
        let found = imported(&code(&fs::read_to_string(path).unwrap()));
        let others = found.into_iter().filter(|other| modules.contains(other) && *other != name);
        imports.entry(name.clone()).or_default().extend(others);
    }
    imports
}

/// A cycle of imports, if there is one.
fn cycle(imports: &Imports) -> Option<Vec<String>> {
    fn walk(imports: &Imports, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        let current = way.last().unwrap().clone();
        for next in imports.get(&current).into_iter().flatten() {
            if let Some(start) = way.iter().position(|module| module == next) {
                way.drain(..start);
                way.push(next.clone());
                return true;
            }
            if !done.contains(next) {
                way.push(next.clone());
                if walk(imports, way, done) {
                    return true;
                }
                way.pop();
            }
        }
        done.insert(current);
        false
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| {
        let mut way = vec![module.clone()];
        walk(imports, &mut way, &mut done).then_some(way)
    })
}

#[test]
fn cycle_in_imports_is_found() {
    let imports = |edges: &[(&str, &[&str])]| -> Imports {
        edges.iter().map(|(from, to)| (from.to_string(), to.iter().map(|to| to.to_string()).collect())).collect()
    };
    assert_eq!(cycle(&imports(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
    let found = cycle(&imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["d", "b"]), ("d", &[])]));
    assert_eq!(found, Some(["b", "c", "b"].map(String::from).to_vec()));
    let found = imported("use crate::{a::{x, y}, b, self};\nlet x = crate::c::d();");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "self"]);
    assert_eq!(code("use a; // crate::b\n#[cfg(test)]\nuse crate::c;"), "use a; ");
}

#[test]
fn modules_of_the_library_have_no_cycle() {
    let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(imports["driver"].contains("kernel"), "nothing was read: {imports:?}");
    assert_eq!(cycle(&imports), None);
    // The kernels depend only on plain data.
    let leaves: BTreeSet<String> = ["byteset", "hex", "level", "rules", "sets"].into_iter().map(String::from).collect();
    assert!(imports["kernel"].is_subset(&leaves), "{:?}", imports["kernel"]);
}

#[test]
fn modules_of_the_command_have_no_cycle() {
    let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/pct/src"));
    assert!(imports["rewrite"].contains("pipeline"), "nothing was read: {imports:?}");
    assert_eq!(cycle(&imports), None);
}

//! Fails on a dependency cycle between the modules of a folder: the library, the command, the C
//! library, and folders in them.
//!
//! A module imports another if a path in it starts with `crate::FOLDER::OTHER`, or with as many
//! `super::` as lead to the folder, outside comments and tests.

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

/// The modules named by paths after a prefix such as `crate::`: in `crate::a`, `crate::a::b`, and
/// all of `crate::{a::b, c}`.
fn imported(code: &str, prefix: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut found = BTreeSet::new();
    // `super::super::a` is not a path after `super::`.
    let starts_there = |at: usize| !code[..at].ends_with("::") && !code[..at].ends_with(is_part);
    for (at, _) in code.match_indices(prefix).filter(|&(at, _)| starts_there(at)) {
        let rest = &code[at + prefix.len()..];
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

/// The imports between the modules of a folder, whose path in its crate is `home`: "" for the
/// crate's root.
fn imports(source: &Path, home: &str) -> Imports {
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
        if name == "lib" || name == "main" || name == "mod" {
            continue;
        }
        let code = code(&fs::read_to_string(path).unwrap());
        let mut found = imported(&code, &format!("crate::{home}"));
        // `a.rs` and `a/mod.rs` are one level below the folder.
        let depth = path.strip_prefix(source).unwrap().iter().count();
        let levels = if path.ends_with("mod.rs") { depth - 1 } else { depth };
        found.extend(imported(&code, &"super::".repeat(levels)));
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
    let found = imported("use crate::{a::{x, y}, b, self};\nlet x = crate::c::d();", "crate::");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "self"]);
    let found = imported("use super::{a::x, b};\nuse super::super::c;\nuse crate::d::e;", "super::");
    // `super::super::c` refers to no module of this folder.
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "super"]);
    assert_eq!(imported("use super::super::c;", "super::super::"), imported("use crate::d::c;", "crate::d::"));
    assert_eq!(code("use a; // crate::b\n#[cfg(test)]\nuse crate::c;"), "use a; ");
}

#[test]
fn modules_of_the_library_have_no_cycle() {
    let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "");
    assert!(imports["driver"].contains("kernel"), "nothing was read: {imports:?}");
    assert_eq!(cycle(&imports), None);
    // The kernels depend only on plain data.
    let leaves: BTreeSet<String> = ["byteset", "hex", "level", "rules", "sets"].into_iter().map(String::from).collect();
    assert!(imports["kernel"].is_subset(&leaves), "{:?}", imports["kernel"]);
}

#[test]
fn modules_of_the_command_have_no_cycle() {
    let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/pct/src"), "");
    assert!(imports["command"].contains("pipeline"), "nothing was read: {imports:?}");
    assert_eq!(cycle(&imports), None);
    // Arguments run nothing, and an operation knows no file.
    for above in ["command", "pipeline", "sink"] {
        assert!(!imports["cli"].contains(above), "{:?}", imports["cli"]);
    }
    let below: BTreeSet<String> = ["codec", "text", "unique"].into_iter().map(String::from).collect();
    assert!(imports["operation"].is_subset(&below), "{:?}", imports["operation"]);
}

#[test]
fn modules_of_each_folder_have_no_cycle() {
    // The folder, its path in its crate, and an existing import.
    for (folder, home, (from, to)) in [
        ("src/driver", "driver::", ("form_decode", "utf8")),
        ("src/kernel", "kernel::", ("dispatch", "vectors")),
        ("src/path", "path::", ("guard", "scan")),
        ("src/uri", "uri::", ("normal", "split")),
        ("crates/capi/src", "", ("normalizer", "memory")),
        ("crates/pct/src/command", "command::", ("recipe", "rewrite")),
        ("crates/pct/src/operation", "operation::", ("decode", "batch")),
        ("crates/pct/src/format/log", "format::log::", ("template", "chosen")),
        ("crates/pct/src/columnar/parquet", "columnar::parquet::", ("properties", "schema")),
    ] {
        let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), home);
        assert!(imports.get(from).is_some_and(|found| found.contains(to)), "{folder}: {imports:?}");
        assert_eq!(cycle(&imports), None, "{folder}: {imports:?}");
    }
}

//! Checks the scripts: a component's scripts lie beside the component, CONTRIBUTING.md lists the
//! others, and the commands of `scripts/check` and `engines/check` exist.

use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the files of a folder, or of its folders.
fn names(folder: &str, are_folders: bool) -> Vec<String> {
    let entries =
        fs::read_dir(Path::new(ROOT).join(folder)).expect("a readable folder").map(|entry| entry.expect("an entry"));
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir() == are_folders));
    entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect()
}

/// Whether the name of a component is among the words of a script's name.
fn names_component(script: &str, component: &str) -> bool {
    format!("-{script}-").contains(&format!("-{component}-"))
}

#[test]
fn scripts_of_a_component_lie_beside_it() {
    let mut components = ["engines", "integrations", "npm", "drop-in", "wasm"].map(str::to_owned).to_vec();
    for folder in ["crates", "engines", "integrations"] {
        components.extend(names(folder, true));
    }
    assert!(names_component("check-drop-in", "drop-in") && names_component("build-nginx", "nginx"));
    assert!(components.iter().any(|component| component == "nginx"));
    let scripts = names("scripts", false);
    assert!(scripts.len() > 10, "{scripts:?}");
    for script in scripts {
        let owner = components.iter().find(|component| names_component(&script, component));
        assert_eq!(owner, None, "scripts/{script} belongs to one component: move it beside the component");
    }
}

#[test]
fn contributing_lists_every_script() {
    let page = read("CONTRIBUTING.md");
    for script in names("scripts", false).iter().filter(|name| !name.contains('.')) {
        assert!(page.contains(&format!("scripts/{script}")), "CONTRIBUTING.md does not list scripts/{script}");
    }
}

/// The entries of a script's lists: a name, a command and a description.
fn entries(script: &str) -> Vec<[&str; 3]> {
    let lines = script.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix('"'));
    lines.filter_map(|line| line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok()).collect()
}

#[test]
fn commands_of_checks_exist() {
    for (file, at_least) in [("scripts/check", 30), ("engines/check", 6)] {
        let script = read(file);
        let entries = entries(&script);
        assert!(entries.len() >= at_least, "{file}: {entries:?}");
        for [name, command, _] in entries {
            let program = command.split(' ').next().unwrap_or_default();
            let is_function = script.contains(&format!("\n{program}() {{\n"));
            let is_script = program.contains('/') && Path::new(ROOT).join(program).is_file();
            assert!(
                is_function || is_script || program == "cargo",
                "{file}: the command of {name} does not exist: {command}"
            );
        }
    }
}

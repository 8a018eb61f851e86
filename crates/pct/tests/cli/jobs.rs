//! The pages of docs/jobs: each has a form, and its commands have the output that it shows.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;

use crate::data;
use crate::transcript::blocks;

/// The headings of a page, in order.
const HEADINGS: [&str; 3] = ["## Input", "## Command", "## Other tools"];

/// The pages by their file names, with their texts.
fn pages() -> Vec<(String, String)> {
    let folder = data("../../docs/jobs");
    let mut pages: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
        })
        .filter(|(name, _)| name != "README.md")
        .collect();
    pages.sort();
    pages
}

/// Blocks that need programs which are not installed are skipped.
#[test]
fn commands_have_the_output_that_their_page_shows() {
    let pages = pages();
    assert!(!pages.is_empty());
    for (name, text) in &pages {
        let blocks = blocks(text);
        let of_pct = blocks.iter().filter(|block| matches!(block.programs[..], [] | ["columns"])).count();
        assert!(of_pct > 0, "{name} has no commands that need pct alone");
        for block in &blocks {
            if !block.can_run() {
                eprintln!("{name}: not run, for lack of {:?}", block.programs);
                continue;
            }
            for example in &block.examples {
                example.check(name);
            }
        }
    }
}

#[test]
fn each_page_has_the_same_headings() {
    for (name, text) in pages() {
        let headings: Vec<_> = text.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, HEADINGS, "{name}");
        assert!(text.starts_with("# "), "{name}");
    }
}

#[test]
fn the_index_links_to_each_page() {
    let index = fs::read_to_string(data("../../docs/jobs/README.md")).unwrap();
    let links: BTreeSet<_> = index
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|link| !link.contains('/'))
        .collect();
    let pages = pages();
    let names: BTreeSet<_> = pages.iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(links, names);
}

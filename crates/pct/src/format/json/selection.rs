//! The paths of a command, and which of them led to a string so far.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

use super::found::Found;
use super::keys::{KeyPath, Tree};

/// The paths of a command, as a list and as a tree. Shared by all threads.
pub(super) struct Selection {
    pub(super) tree: Tree,
    paths: Vec<KeyPath>,
    ends: Vec<End>,
}

/// An end of paths in the tree.
struct End {
    /// The numbers of the paths.
    paths: Vec<usize>,
    /// Whether it was a string so far.
    is_matched: AtomicBool,
}

impl Selection {
    pub(super) fn of(paths: &[KeyPath]) -> Self {
        let (tree, ends) = Tree::of(paths);
        let ends = ends.into_iter().map(|paths| End { paths, is_matched: AtomicBool::new(false) }).collect();
        Self { tree, paths: paths.to_vec(), ends }
    }

    /// The number of paths.
    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether the path of this number led to a string.
    pub(super) fn is_of(&self, path: usize, found: &Found<'_>) -> bool {
        self.ends[found.end].paths.contains(&path)
    }

    /// Notes which paths led to these strings.
    pub(super) fn note(&self, found: &[Found<'_>]) {
        for found in found {
            let is_matched = &self.ends[found.end].is_matched;
            // A store would take the cache line from the other threads.
            if !is_matched.load(Ordering::Relaxed) {
                is_matched.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The paths that led to no string.
    pub(super) fn unmatched(&self) -> impl Iterator<Item = &KeyPath> {
        let is_matched = |number: usize| {
            self.ends.iter().any(|end| end.paths.contains(&number) && end.is_matched.load(Ordering::Relaxed))
        };
        self.paths.iter().enumerate().filter(move |&(number, _)| !is_matched(number)).map(|(_, path)| path)
    }
}

//! The console transcripts of `pct` in the README and docs/pct.md.
#![cfg(unix)]

use crate::transcript::blocks;

/// Blocks that need programs which are not installed are skipped.
#[test]
fn the_transcripts_match_the_output() {
    let pages = [
        ("README.md", include_str!("../../../../README.md"), 6),
        ("docs/pct.md", include_str!("../../../../docs/pct.md"), 24),
    ];
    for (page, text, least) in pages {
        let blocks = blocks(text);
        let of_pct: Vec<_> = blocks.iter().filter(|block| block.is_of_pct() && block.can_run()).collect();
        let examples = of_pct.iter().map(|block| block.examples.len()).sum::<usize>();
        assert!(examples > least, "{page} has {examples} examples");
        for example in of_pct.iter().flat_map(|block| &block.examples) {
            example.check(page);
        }
    }
}

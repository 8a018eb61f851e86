//! Comparison of inspection with the reference implementation.

use std::collections::BTreeMap;

use simdpct::{Counts, Findings, Kinds, reference};

/// Compares both forms, on every level, with the reference implementation.
pub fn compare_inspecting(input: &[u8]) {
    let findings = reference::findings(input);
    let all = findings.iter().fold(Kinds::NONE, |all, &(_, kind)| all | kind);
    let first = findings.iter().map(|&(at, _)| at).min();
    let mut by_position = BTreeMap::new();
    for &(at, kind) in &findings {
        *by_position.entry(at).or_insert(Kinds::NONE) |= kind;
    }
    let by_position: Vec<_> = by_position.into_iter().collect();
    for level in super::levels() {
        let context = || format!("{level}: {}", input.escape_ascii());
        let found = Findings::on(level, input);
        assert_eq!((found.kinds(), found.first()), (all, first), "{}", context());
        let iterated: Vec<_> = found.iter().map(|finding| (finding.position, finding.kinds)).collect();
        assert!(iterated.iter().eq(&by_position), "{iterated:?} for {by_position:?}: {}", context());
        let counts = Counts::on(level, input);
        assert_eq!(counts.kinds(), all, "{}", context());
        for &(kind, name) in Kinds::ALL {
            let places: Vec<usize> = findings.iter().filter(|&&(_, other)| other == kind).map(|&(at, _)| at).collect();
            assert_eq!(counts.count(kind), places.len(), "{name} on {}", context());
            assert_eq!(counts.first(kind), places.iter().min().copied(), "{name} on {}", context());
            assert_eq!(found.first_of(kind), places.iter().min().copied(), "{name} on {}", context());
        }
    }
}

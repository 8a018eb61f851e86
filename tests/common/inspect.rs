//! Comparison of inspection with the reference implementation.

use simdpct::{Counts, Findings, Kinds, Level, reference};

/// Compares both forms, on every level, with the reference implementation.
pub fn compare_inspecting(input: &[u8]) {
    let findings = reference::findings(input);
    let all = findings.iter().fold(Kinds::NONE, |all, &(_, kind)| all | kind);
    let first = findings.iter().map(|&(at, _)| at).min();
    for level in Level::available() {
        let context = || format!("{level}: {}", input.escape_ascii());
        let found = Findings::on(level, input);
        assert_eq!((found.kinds(), found.first()), (all, first), "{}", context());
        let counts = Counts::on(level, input);
        assert_eq!(counts.kinds(), all, "{}", context());
        for (kind, name) in Kinds::ALL {
            let places: Vec<usize> = findings.iter().filter(|&&(_, other)| other == kind).map(|&(at, _)| at).collect();
            assert_eq!(counts.count(kind), places.len(), "{name} on {}", context());
            assert_eq!(counts.first(kind), places.iter().min().copied(), "{name} on {}", context());
        }
    }
}

//! Comparison of inspection with the reference implementation.

use std::collections::BTreeMap;

use simdpct::{Counts, Findings, Kinds, reference};

/// The kinds that `inspect` looks for if it is not given any.
pub const DEFAULT: Kinds = Kinds::EVERY.without(Kinds::ON_REQUEST);

/// Compares both forms, on every level, with the reference implementation.
pub fn compare_inspecting(input: &[u8]) {
    let findings = reference::findings(input);
    for level in super::levels() {
        let context = || format!("{level}: {}", input.escape_ascii());
        let found = Findings::on(level, input);
        for wanted in [Kinds::EVERY, DEFAULT, Kinds::DOUBLE | Kinds::EMPTY_SEGMENT] {
            let mut by_position = BTreeMap::new();
            for &(at, kind) in findings.iter().filter(|(_, kind)| wanted.contains(*kind)) {
                *by_position.entry(at).or_insert(Kinds::NONE) |= kind;
            }
            let all: Kinds = by_position.values().copied().collect();
            let first = by_position.keys().next().copied();
            assert_eq!((found.kinds_among(wanted), found.first_of(wanted)), (all, first), "{wanted:?}: {}", context());
            let iterated: Vec<_> = found.iter_among(wanted).map(|finding| (finding.position, finding.kinds)).collect();
            assert!(iterated.iter().copied().eq(by_position), "{iterated:?}, {wanted:?}: {}", context());
            assert_eq!(
                (found.contains(wanted), found.intersects(wanted)),
                (all == wanted, !all.is_empty()),
                "{}",
                context()
            );
            if wanted == DEFAULT {
                assert_eq!(
                    (found.kinds(), found.first(), found.is_empty()),
                    (all, first, all.is_empty()),
                    "{}",
                    context()
                );
                assert!(found.iter().map(|finding| (finding.position, finding.kinds)).eq(iterated), "{}", context());
            }
        }
        let (counts, by_default) = (Counts::among_on(level, Kinds::EVERY, input), Counts::on(level, input));
        assert_eq!(counts.kinds(), found.kinds_among(Kinds::EVERY), "{}", context());
        assert_eq!(by_default.kinds(), found.kinds(), "{}", context());
        for &(kind, name) in Kinds::ALL {
            let places: Vec<usize> = findings.iter().filter(|&&(_, other)| other == kind).map(|&(at, _)| at).collect();
            let expected = (places.len(), places.iter().min().copied());
            assert_eq!((counts.count(kind), counts.first(kind)), expected, "{name} on {}", context());
            assert_eq!(found.first_of(kind), expected.1, "{name} on {}", context());
            let expected = if DEFAULT.contains(kind) { expected } else { (0, None) };
            assert_eq!((by_default.count(kind), by_default.first(kind)), expected, "{name} on {}", context());
            if Kinds::ON_REQUEST.contains(kind) {
                let counts = Counts::among_on(level, kind, input);
                assert_eq!((counts.count(Kinds::EVERY), counts.first(kind)), (places.len(), places.first().copied()));
            }
        }
    }
}

//! The findings of a text, with their extents and severity. The page docs/explain/ uses this file
//! too.
#![forbid(unsafe_code)]

use std::ops::Range;

use simdpct::{Kinds, inspect};

/// A finding: adjacent ones of the same kinds are one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Finding {
    pub(super) range: Range<usize>,
    pub(super) kinds: Kinds,
}

/// How a part of a text is marked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mark {
    /// A triplet with no other finding.
    Triplet,
    /// Not normal.
    Notice,
    /// Programs disagree about it, or fail.
    Danger,
}

/// Whether raw bytes that are illegal in a URI are findings: in decoded text they are not.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum IllegalBytes {
    Report,
    Ignore,
}

const RAW: Kinds = Kinds::ILLEGAL.union(Kinds::NON_ASCII).union(Kinds::SEMICOLON).union(Kinds::PLUS);

const DANGER: Kinds = Kinds::MALFORMED
    .union(Kinds::NUL)
    .union(Kinds::CONTROL)
    .union(Kinds::SLASH)
    .union(Kinds::BACKSLASH)
    .union(Kinds::PERCENT)
    .union(Kinds::DOUBLE)
    .union(Kinds::PATH_END)
    .union(Kinds::INVALID_UTF8)
    .union(Kinds::DOT_SEGMENT)
    .union(Kinds::EMPTY_SEGMENT)
    .union(Kinds::UNICODE);

/// Kinds that say more than others, which are left out beside them.
const SPECIFIC: [(Kinds, Kinds); 6] = [
    (Kinds::DOUBLE, Kinds::PERCENT),
    (Kinds::NUL, Kinds::CONTROL),
    (Kinds::UNICODE, Kinds::MALFORMED),
    (Kinds::NON_ASCII, Kinds::ILLEGAL),
    (Kinds::DOT_SEGMENT, Kinds::DOT.union(Kinds::UNRESERVED)),
    (Kinds::DOT, Kinds::UNRESERVED),
];

/// The findings of a component as it is in the URL, in order, without plain triplets and `+`.
pub(super) fn findings(text: &[u8]) -> Vec<Finding> {
    of_kinds(text, Kinds::EVERY.without(Kinds::ESCAPE).without(Kinds::PLUS))
}

/// The parts of a text that are marked, in order and disjoint.
pub(super) fn marks(text: &[u8], raw: IllegalBytes) -> Vec<(Range<usize>, Mark)> {
    let kinds = Kinds::EVERY.without(Kinds::PLUS);
    let kinds = if raw == IllegalBytes::Ignore { kinds.without(RAW) } else { kinds };
    let mut marks: Vec<(Range<usize>, Mark)> = Vec::new();
    for Finding { range, kinds } in of_kinds(text, kinds) {
        let mark = mark(kinds);
        // The dots of a segment can be findings in the extent of the segment.
        if marks.last().is_none_or(|(last, _)| last.end <= range.start) {
            marks.push((range, mark));
        }
    }
    marks
}

/// How a finding of these kinds is marked.
pub(super) fn mark(kinds: Kinds) -> Mark {
    if kinds.intersects(DANGER) {
        Mark::Danger
    } else if kinds == Kinds::ESCAPE {
        Mark::Triplet
    } else {
        Mark::Notice
    }
}

fn of_kinds(text: &[u8], kinds: Kinds) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for found in inspect(text).iter_among(kinds) {
        let kinds =
            SPECIFIC.iter().fold(
                found.kinds,
                |kinds, &(specific, general)| {
                    if kinds.intersects(specific) { kinds.without(general) } else { kinds }
                },
            );
        let range = found.position..found.position + length(&text[found.position..], kinds);
        match findings.last_mut() {
            Some(last) if last.kinds == kinds && last.range.end == range.start => last.range.end = range.end,
            // A part of the last one, such as the second dot of a segment.
            Some(last) if last.kinds.intersects(Kinds::DOT_SEGMENT) && range.end <= last.range.end => {}
            _ => findings.push(Finding { range, kinds }),
        }
    }
    findings
}

/// Length of the finding that a text begins with.
fn length(text: &[u8], kinds: Kinds) -> usize {
    let triplet = |text: &[u8]| match text {
        [b'%', first, second, ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => 3,
        _ => 1,
    };
    let length = if kinds.intersects(Kinds::DOT_SEGMENT) {
        // One or two dots, raw or encoded.
        let dot = |text: &[u8]| match text {
            [b'.', ..] => 1,
            [b'%', b'2', b'e' | b'E', ..] => 3,
            _ => 0,
        };
        let first = dot(text);
        first + text.get(first..).map_or(0, dot)
    } else if kinds.intersects(Kinds::DOUBLE) {
        triplet(text) + 2
    } else if kinds.intersects(Kinds::UNICODE) {
        "%uXXXX".len()
    } else {
        triplet(text)
    };
    length.clamp(1, text.len().max(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Finding, IllegalBytes, findings, marks};

    #[test]
    fn findings_have_extents_and_their_most_specific_kinds() {
        for (text, expected) in [
            ("/a%252Fb", &[("%252F", "double")][..]),
            ("/%25", &[("%25", "percent")]),
            ("/%00%0a", &[("%00", "nul"), ("%0a", "control lower-hex")]),
            ("/%2e%2E/x", &[("%2e%2E", "lower-hex dot-segment")]),
            ("/a/../..", &[("..", "dot-segment"), ("..", "dot-segment")]),
            ("/%2ehtaccess", &[("%2e", "dot lower-hex")]),
            ("/caf\u{e9}s", &[("\u{e9}", "non-ascii")]),
            ("/%u0041%", &[("%u0041", "unicode"), ("%", "malformed")]),
            ("/a//b", &[("/", "empty-segment")]),
            ("/%C3%A9+", &[]),
            ("/%E9", &[("%E9", "invalid-utf8")]),
        ] {
            let found = findings(text.as_bytes());
            let found: Vec<_> = found
                .iter()
                .map(|Finding { range, kinds }| (&text[range.clone()], kinds.names().collect::<Vec<_>>().join(" ")))
                .collect();
            let expected: Vec<_> = expected.iter().map(|&(part, kinds)| (part, kinds.to_owned())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn marks_are_disjoint_and_in_order(text in "(%2[eE]|%25|%|[./;a\\\\\u{e9}]|%00|%u00|[0-9A-F]){0,12}") {
            for raw in [IllegalBytes::Report, IllegalBytes::Ignore] {
                let mut end = 0;
                for (range, _) in marks(text.as_bytes(), raw) {
                    prop_assert!(end <= range.start && range.start < range.end && range.end <= text.len(), "{range:?}");
                    end = range.end;
                }
            }
        }
    }
}

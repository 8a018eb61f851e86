//! Canonical paths: every short path over the symbols that matter, by every combination of options,
//! against the reference implementation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use simdpct::path::{DotSegments, EmptySegments, HiddenSegments, IllegalBytes, Parameters, PathPolicy};
use simdpct::{Kinds, Malformed, reference};

use crate::common::path::{VALUES, compare, every_policy};
use crate::longest;

/// Delimiters, dots, their triplets, and bytes that may complete or end them.
const SYMBOLS: [&str; 12] = ["/", ".", "..", ";", "%2F", "%2e", "%5C", "%3B", "%25", "\\", "#", "a"];

/// Kinds that a canonical form by `DEFAULT` never has.
const EXCLUDED_BY_DEFAULT: Kinds = Kinds::DOT_SEGMENT
    .union(Kinds::EMPTY_SEGMENT)
    .union(Kinds::NUL)
    .union(Kinds::CONTROL)
    .union(Kinds::BACKSLASH)
    .union(Kinds::MALFORMED)
    .union(Kinds::INVALID_UTF8);

/// Calls `check` with every path of up to `longest` symbols, in each of two threads with half of
/// them.
fn for_each_path(symbols: &[&str], longest: u32, check: impl Fn(&[u8]) + Sync) {
    for length in 0..=longest {
        let (next, number) = (AtomicUsize::new(0), symbols.len().pow(length));
        let work = || {
            let mut path = Vec::new();
            loop {
                // A thousand at a time.
                let start = next.fetch_add(1000, Ordering::Relaxed);
                if start >= number {
                    return;
                }
                for number in start..number.min(start + 1000) {
                    path.clear();
                    path.push(b'/');
                    let indices = (0..length).map(|at| number / symbols.len().pow(at) % symbols.len());
                    path.extend(indices.flat_map(|index| symbols[index].bytes()));
                    check(&path);
                }
            }
        };
        thread::scope(|scope| {
            // WASI has no threads.
            if cfg!(not(target_family = "wasm")) {
                scope.spawn(work);
            }
            work();
        });
    }
}

/// Compares one form with the reference, and checks the properties that hold for every policy. The
/// other forms are compared by tests/path.rs.
fn check(policy: &PathPolicy, path: &[u8]) {
    let context = || format!("\"{}\" by {policy:?}", path.escape_ascii());
    let mut output = [0; 64];
    let found = policy.canonicalize_into(path, &mut output).map(|length| &output[..length]);
    let expected = reference::canonical_path(policy, path);
    assert!(found == expected.as_deref().map_err(|&error| error), "{found:?}, not {expected:?}: {}", context());
    let Ok(canonical) = found else { return };
    assert!(policy.is_canonical(canonical), "again: {}", context());
    assert_eq!(policy.is_canonical(path), canonical == path, "is canonical: {}", context());
    assert!(path.starts_with(b"//") || !canonical.starts_with(b"//"), "empty first segment: {}", context());
    assert!(canonical.len() <= policy.output_len_bound(path), "length: {}", context());
}

/// Calls `check` with all combinations of the options that concern a symbol of the path. The other
/// options get values that depend on `salt`, so that all values occur with all paths of a kind.
/// `every_short_path_by_every_combination_of_options` proves for shorter paths that the other
/// options do not matter.
fn for_each_relevant(policies: &[PathPolicy], path: &[u8], salt: usize, mut check: impl FnMut(&PathPolicy)) {
    let text = str::from_utf8(path).expect("symbols are text");
    let has = |symbols: &[&str]| symbols.iter().any(|symbol| text.contains(symbol));
    let is_malformed = path.iter().enumerate().any(|(at, &byte)| {
        byte == b'%' && !path.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    let matters = [
        is_malformed,
        has(&["%2F"]),
        has(&["\\", "%5C"]),
        has(&[".", "%2e"]),
        true,
        has(&[";", "%3B"]),
        has(&["%", "\\", ";", "#"]),
        has(&["\\", "#"]),
    ];
    let (mut numbers, mut factor) = (vec![0], 1);
    for (index, (values, matters)) in VALUES.into_iter().zip(matters).enumerate() {
        let mut all = Vec::new();
        for (position, number) in numbers.iter().enumerate() {
            if matters {
                all.extend((0..values).map(|value| number + factor * value));
            } else {
                all.push(number + factor * ((salt / (index + 1) + position * 7) % values));
            }
        }
        (numbers, factor) = (all, factor * values);
    }
    numbers.into_iter().for_each(|number| check(&policies[number]));
}

fn symbols_with_percent() -> Vec<&'static str> {
    [&SYMBOLS[..], &["%"]].concat()
}

#[test]
fn every_short_path_by_every_combination_of_options() {
    let policies = every_policy();
    assert_eq!(policies.len(), 10_368);
    for_each_path(&symbols_with_percent(), longest(3, 1) as u32, |path| {
        policies.iter().for_each(|policy| check(policy, path));
    });
}

#[test]
fn every_path_of_four_symbols_by_every_combination_of_options_that_matter() {
    let policies = every_policy();
    for_each_path(&symbols_with_percent(), longest(4, 2) as u32, |path| {
        let salt = path.iter().fold(7, |salt: usize, &byte| salt.wrapping_mul(31).wrapping_add(byte.into()));
        for_each_relevant(&policies, path, salt, |policy| check(policy, path));
    });
}

#[test]
fn every_short_path_by_every_preset() {
    for_each_path(&SYMBOLS, longest(7, 4) as u32, |path| {
        PathPolicy::PRESETS.iter().for_each(|(_, preset)| check(preset, path));
    });
}

/// Every kind of finding is refused by a policy that keeps everything else, and by `DEFAULT`.
#[test]
fn every_short_path_with_each_kind_refused() {
    let lenient = PathPolicy::RFC3986
        .malformed(Malformed::Keep)
        .dot_segments(DotSegments::Keep)
        .illegal(IllegalBytes::Keep)
        .parameters(Parameters::Keep);
    let of = |(kind, _): &(Kinds, &str)| [lenient.refuse(*kind), PathPolicy::DEFAULT.refuse(*kind)];
    let policies: Vec<PathPolicy> = Kinds::ALL.iter().flat_map(of).collect();
    let symbols = [&SYMBOLS[..], &["%", "+", "\u{e9}", "%u0041", "%00"]].concat();
    for_each_path(&symbols, longest(4, 2) as u32, |path| policies.iter().for_each(|policy| check(policy, path)));
}

#[test]
fn canonical_forms_by_default_have_no_findings_that_it_excludes() {
    let symbols = [&SYMBOLS[..], &["%", "%00", "\x01", "?", "%c3", "\u{e9}", ":", "%3a"]].concat();
    for_each_path(&symbols, longest(5, 3) as u32, |path| {
        let mut output = [0; 64];
        if let Ok(length) = PathPolicy::DEFAULT.canonicalize_into(path, &mut output) {
            let canonical = &output[..length];
            let found = simdpct::inspect(canonical).kinds_among(EXCLUDED_BY_DEFAULT);
            assert!(found.is_empty(), "{found:?} in {} of {}", canonical.escape_ascii(), path.escape_ascii());
        }
    });
}

/// All forms of the result, over the bytes of the symbols instead of whole symbols.
fn compare_every_path(policy: &PathPolicy) {
    const BYTES: &[u8; 13] = b"/.%2eEfF5c\\;a";
    let bytes: Vec<&str> = BYTES.iter().map(|byte| str::from_utf8(std::slice::from_ref(byte)).unwrap()).collect();
    for_each_path(&bytes, longest(4, 3) as u32, |path| compare(policy, path));
}

#[test]
fn every_short_path_of_bytes_by_every_preset() {
    for (_, preset) in PathPolicy::PRESETS {
        compare_every_path(preset);
    }
}

/// No path is rewritten to a refused path: the reference is idempotent, and canonical paths are
/// recognized.
#[test]
fn every_short_path_of_bytes_with_segments_refused() {
    let kinds = Kinds::DOT_SEGMENT | Kinds::EMPTY_SEGMENT | Kinds::DOUBLE | Kinds::PATH_END;
    let policy = PathPolicy::RFC3986.refuse(kinds).dot_segments(DotSegments::Keep).parameters(Parameters::Strip);
    compare_every_path(&policy);
    compare_every_path(&policy.hidden_segments(HiddenSegments::Refuse).empty_segments(EmptySegments::Keep));
}

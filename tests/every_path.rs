//! Canonical paths: every short path over the bytes that matter, by every preset, against the reference implementation.

use simdpct::Findings;
use simdpct::path::{DotSegments, Parameters, PathPolicy};

use crate::common::path::compare;
use crate::longest;

/// Delimiters, and the digits of `%2e`, `%2f`, `%5c` and `%3b` in both cases.
const ALPHABET: &[u8; 13] = b"/.%2eEfF5c\\;a";

fn check_every_path(policy: &PathPolicy) {
    for length in 0..=longest(5, 3) as u32 {
        for number in 0..ALPHABET.len().pow(length) {
            let text = (0..length).map(|at| ALPHABET[number / ALPHABET.len().pow(at) % ALPHABET.len()]);
            let path: Vec<u8> = std::iter::once(b'/').chain(text).collect();
            compare(policy, &path);
        }
    }
}

#[test]
fn every_short_path_by_default_and_strict() {
    check_every_path(&PathPolicy::DEFAULT);
    check_every_path(&PathPolicy::STRICT);
}

/// Nothing is rewritten to what is refused: the reference is idempotent, and canonical paths are recognised.
#[test]
fn every_short_path_with_segments_refused() {
    let kinds = Findings::DOT_SEGMENT | Findings::EMPTY_SEGMENT | Findings::DOUBLE | Findings::PATH_END;
    let policy = PathPolicy::RFC3986.refuse(kinds).dot_segments(DotSegments::Keep).parameters(Parameters::Strip);
    check_every_path(&policy);
}

#[test]
fn every_short_path_as_rfc_3986_and_nginx() {
    check_every_path(&PathPolicy::RFC3986);
    check_every_path(&PathPolicy::NGINX);
}

#[test]
fn every_short_path_as_envoy_and_lighttpd() {
    check_every_path(&PathPolicy::ENVOY);
    check_every_path(&PathPolicy::LIGHTTPD);
}

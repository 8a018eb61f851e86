//! Normalization of triplets, its idempotence and its policies, on every level.

use crate::common::normalize::{compare_normalizing, compare_normalizing_bytes};
use crate::common::{is_long, is_quick, strategies};
use proptest::prelude::*;
use simdpct::{ByteSet, DecodeErrorKind, Malformed, Normalizer, equivalent, is_normal, reference, sets};

const POLICIES: [Malformed; 3] = [Malformed::Refuse, Malformed::Keep, Malformed::Escape];

fn normalizers() -> impl Iterator<Item = Normalizer> {
    let sets = [sets::UNRESERVED, ByteSet::ALL, ByteSet::EMPTY, sets::UNRESERVED.union(sets::SUB_DELIMS)];
    sets.into_iter().flat_map(|set| POLICIES.map(|policy| Normalizer::new().decode(set).malformed(policy)))
}

#[test]
fn rfc_3986_examples_match() {
    for (input, expected) in [
        // RFC 3986 6.2.2.1: "%3a" and "%3A".
        ("%3a", "%3A"),
        // 6.2.2: the triplet part of the example "eXAMPLE://a/./b/../b/%63/%7bfoo%7d".
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "eXAMPLE://a/./b/../b/c/%7Bfoo%7D"),
        // 2.3: ALPHA (%41-%5A and %61-%7A), DIGIT (%30-%39), hyphen (%2D), period (%2E), underscore
        // (%5F), tilde (%7E).
        ("%41%5a%61%7a%30%39%2d%2e%5f%7e", "AZaz09-._~"),
        ("%40%5b%60%7b%2f%3a", "%40%5B%60%7B%2F%3A"),
        // 2.2: an escaped reserved character has another meaning than the raw one.
        ("/a%2fb?c%3dd", "/a%2Fb?c%3Dd"),
        // 2.4: decoded once; an escaped '%' stays "%25".
        ("%2541%25", "%2541%25"),
        ("caf%c3%a9/é", "caf%C3%A9/é"),
        ("", ""),
    ] {
        assert_eq!(simdpct::normalize(input).as_deref(), Ok(expected), "{input}");
        assert!(is_normal(expected) && equivalent(input, expected), "{input}");
        assert_eq!(is_normal(input), input == expected, "{input}");
    }
}

#[test]
fn malformed_triplets_follow_policy() {
    for (input, position, kept, escaped) in [
        ("%", 0, "%", "%25"),
        ("a%4", 1, "a%4", "a%254"),
        ("%zz%41", 0, "%zzA", "%25zzA"),
        // A decoded character must not complete a malformed triplet before it, as in w3lib.
        ("/%%34%31", 1, "/%%341", "/%2541"),
        ("%2%34", 0, "%2%34", "%2524"),
        ("%%32%66", 0, "%%32f", "%252f"),
        ("%%%33%34%31", 0, "%%%3341", "%25%25341"),
        // Decoding these would create no triplet, or one only from the first two.
        ("%%7E%34%31", 0, "%~41", "%25~41"),
        ("%4%7E%31", 0, "%4~1", "%254~1"),
        ("%g%34%31", 0, "%g41", "%25g41"),
        ("%%2f%34", 0, "%%2F4", "%25%2F4"),
    ] {
        let [error, keep, escape] = POLICIES.map(|policy| Normalizer::new().malformed(policy).normalize(input));
        let error = error.unwrap_err();
        assert_eq!((error.kind, error.position), (DecodeErrorKind::Malformed, position), "{input}");
        assert_eq!((keep.as_deref(), escape.as_deref()), (Ok(kept), Ok(escaped)), "{input}");
    }
}

#[test]
fn equivalent_matches_known_pairs() {
    for (a, b, expected) in [
        ("/%7Euser", "/~user", true),
        ("/%2f", "/%2F", true),
        ("/%2F", "//", false),
        ("%41%42%43", "ABC", true),
        ("%41", "%61", false),
        ("a", "a%", false),
        ("%25", "%", true),
        ("/%%34%31", "/%2541", true),
        ("/%%34%31", "/%41", false),
        ("%e4", "%E4", true),
        ("é", "%C3%A9", false),
        ("", "", true),
        ("", "a", false),
    ] {
        // In longer texts another path skips the common prefix.
        for before in [0, 1, 2, 29, 30, 31, 32, 33, 62, 63, 64] {
            let [a, b] = [a, b].map(|text| format!("{}{text}tail%2f", "x".repeat(before)));
            assert_eq!((equivalent(&a, &b), equivalent(&b, &a)), (expected, expected), "{a} {b}");
        }
    }
}

/// The triplets of a text, in upper case.
fn triplets(text: &str) -> Vec<u8> {
    (0..text.len()).filter_map(|at| reference::triplet(text.as_bytes(), at)).collect()
}

/// Asserts that normalizing is idempotent and creates no triplet except the `%25` of an escaped
/// `%`.
#[track_caller]
fn assert_idempotent_without_new_triplets(normalizer: &Normalizer, policy: Malformed, input: &str, normal: &str) {
    let again = reference::normalize(normalizer, normal.as_bytes());
    assert_eq!(again.as_deref(), Ok(normal.as_bytes()), "{input:?} by {policy:?}");
    let mut of_input = triplets(input).into_iter();
    for triplet in triplets(normal) {
        let is_escape = policy == Malformed::Escape && triplet == b'%';
        assert!(is_escape || of_input.any(|other| other == triplet), "{input:?} gives {normal:?} by {policy:?}");
    }
}

/// All strings of up to 6 symbols, in a long run 7: every level matches the reference, which is
/// idempotent and creates no triplet.
#[test]
fn every_short_string_matches_reference() {
    let symbols = ["%", "2", "5", "4", "1", "F", "g"];
    exhaustive_over(&symbols, if is_quick() { 4 } else { 6 + u32::from(is_long()) });
    exhaustive_over(&["%", "4", "1", "f", "F", "2", "é", "~"], if is_quick() { 3 } else { 5 });
}

fn exhaustive_over(symbols: &[&str], length: u32) {
    for length in 0..=length {
        for number in 0..symbols.len().pow(length) {
            let input: String = (0..length).map(|at| symbols[number / symbols.len().pow(at) % symbols.len()]).collect();
            for policy in POLICIES {
                let normalizer = Normalizer::new().malformed(policy);
                let expected =
                    reference::normalize(&normalizer, input.as_bytes()).map(|text| String::from_utf8(text).unwrap());
                for level in crate::common::levels() {
                    assert_eq!(
                        normalizer.level(level).normalize(&input).as_deref(),
                        expected.as_deref(),
                        "{input:?} on {level}"
                    );
                }
                let Ok(normal) = &expected else { continue };
                assert_idempotent_without_new_triplets(&normalizer, policy, &input, normal);
                if policy != Malformed::Keep {
                    assert!(is_normal(normal), "{input:?} gives {normal:?}");
                    assert!(equivalent(&input, normal), "{input:?} gives {normal:?}");
                }
            }
        }
    }
}

/// Triplets of both kinds and cases, cut and complete, at every offset across the block boundaries
/// of every level.
#[test]
fn pieces_across_blocks_match_reference() {
    for piece in ["%41", "%e4", "%E4%2f%7e", "%4", "%", "%%41%ff", "%4%41%31", "%%%33%34%31", "%aa%bb%cc%dd"] {
        for before in (0..=140).step_by(if is_quick() { 7 } else { 1 }) {
            for after in [0, 1, 2, 30, 70] {
                let input = format!("{}{piece}{}", "b".repeat(before), "f".repeat(after));
                for normalizer in normalizers() {
                    compare_normalizing(&normalizer, &input);
                }
            }
        }
    }
}

/// The kernel is called again after each escaped `%`, and the output is full at any place.
#[test]
fn many_malformed_triplets_are_escaped_in_linear_time() {
    let escaping = Normalizer::new().malformed(Malformed::Escape);
    crate::common::assert_linear("%%%%ab%7", |text| {
        let mut output = vec![0; 3 * text.len()];
        assert!(escaping.normalize_into(text, &mut output).is_ok_and(|length| length == 2 * text.len()));
        assert!(escaping.normalize_into(text, &mut output[..text.len()]).is_err());
    });
}

fn text() -> impl Strategy<Value = String> {
    strategies::input().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

proptest! {
    #[test]
    fn random_text_matches_reference(input in text()) {
        for normalizer in normalizers() {
            compare_normalizing(&normalizer, &input);
        }
    }

    #[test]
    fn random_bytes_match_reference(input in strategies::input()) {
        for normalizer in normalizers() {
            compare_normalizing_bytes(&normalizer, &input);
        }
    }

    #[test]
    fn random_sets_match_reference(input in text(), set in strategies::byte_set()) {
        for policy in POLICIES {
            compare_normalizing(&Normalizer::new().decode(set).malformed(policy), &input);
        }
    }

    #[test]
    fn normalizing_is_idempotent_and_creates_no_triplet(input in text(), set in strategies::byte_set()) {
        for policy in POLICIES {
            let normalizer = Normalizer::new().decode(set).malformed(policy);
            if let Ok(once) = normalizer.normalize(&input) {
                assert_idempotent_without_new_triplets(&normalizer, policy, &input, &once);
                prop_assert_eq!(normalizer.normalize(&once).unwrap(), &*once);
                prop_assert!(normalizer.is_normal(&*once));
            }
        }
    }

    #[test]
    fn equivalent_iff_normal_forms_are_equal(a in text(), b in text(), at in any::<prop::sample::Index>()) {
        let escape = Normalizer::new().malformed(Malformed::Escape);
        let normal = |text: &str| escape.normalize(text).unwrap().into_owned();
        prop_assert_eq!(equivalent(&a, &b), normal(&a) == normal(&b));
        prop_assert!(equivalent(&a, &normal(&a)));
        // Texts that differ late, in case or in a triplet.
        let cut = (0..=a.len()).rev().find(|&cut| cut <= at.index(a.len() + 1) && a.is_char_boundary(cut)).unwrap();
        let (head, tail) = a.split_at(cut);
        for other in [format!("{head}{}", tail.to_ascii_uppercase()), format!("{head}%7e{tail}"), format!("{head}~{tail}")] {
            prop_assert_eq!(equivalent(&a, &other), normal(&a) == normal(&other));
        }
    }
}

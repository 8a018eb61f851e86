//! Inspection: every kind is found, with its position and count, on every level.

use crate::common::inspect::compare_inspecting;
use crate::common::{is_long, is_quick, strategies};
use proptest::prelude::*;
use simdpct::{Counts, Finding, Findings, Kinds, UnknownKind, inspect, inspect_counting, reference};

#[test]
fn each_kind_is_found_at_its_position() {
    for (input, kinds, first) in [
        ("/plain/path?q=1#top", Kinds::NONE, None),
        ("", Kinds::NONE, None),
        // RFC 3986 2.1 to 2.3.
        ("a%40", Kinds::ESCAPE, Some(1)),
        ("a%3a", Kinds::ESCAPE | Kinds::LOWER_HEX, Some(1)),
        ("a%7E", Kinds::ESCAPE | Kinds::UNRESERVED, Some(1)),
        ("a%4", Kinds::MALFORMED, Some(1)),
        ("%%41", Kinds::MALFORMED | Kinds::ESCAPE | Kinds::UNRESERVED, Some(0)),
        // WHATWG URL 5.1.
        ("a+b", Kinds::PLUS, Some(1)),
        ("a%2B", Kinds::ESCAPE, Some(1)),
        // Escapes that proxies reject.
        ("a%00", Kinds::ESCAPE | Kinds::NUL | Kinds::CONTROL, Some(1)),
        ("a%0D%0A", Kinds::ESCAPE | Kinds::CONTROL, Some(1)),
        ("a%7F", Kinds::ESCAPE | Kinds::CONTROL, Some(1)),
        ("a%2F", Kinds::ESCAPE | Kinds::SLASH, Some(1)),
        ("a%5C", Kinds::ESCAPE | Kinds::BACKSLASH, Some(1)),
        ("a%2E", Kinds::ESCAPE | Kinds::DOT | Kinds::UNRESERVED, Some(1)),
        ("a%252E", Kinds::ESCAPE | Kinds::PERCENT | Kinds::DOUBLE, Some(1)),
        ("a%252", Kinds::ESCAPE | Kinds::PERCENT, Some(1)),
        ("a%25%32", Kinds::ESCAPE | Kinds::PERCENT | Kinds::UNRESERVED, Some(1)),
        ("a;b", Kinds::SEMICOLON, Some(1)),
        ("a%3Bb", Kinds::ESCAPE | Kinds::SEMICOLON, Some(1)),
        ("a%3F", Kinds::ESCAPE | Kinds::PATH_END, Some(1)),
        ("a%23", Kinds::ESCAPE | Kinds::PATH_END, Some(1)),
        ("a%u002E", Kinds::MALFORMED | Kinds::UNICODE, Some(1)),
        ("a%u002", Kinds::MALFORMED, Some(1)),
        ("a%U002E", Kinds::MALFORMED, Some(1)),
        // RFC 3986 2: neither reserved nor unreserved.
        ("a b", Kinds::ILLEGAL, Some(1)),
        ("a\"<>\\^`{|}\n", Kinds::ILLEGAL, Some(1)),
        ("a\u{e9}", Kinds::NON_ASCII | Kinds::ILLEGAL, Some(1)),
        // Unicode 3.9, table 3-7: overlong, surrogate, incomplete, and well-formed.
        ("a%C0%AF", Kinds::ESCAPE | Kinds::INVALID_UTF8, Some(1)),
        ("a%ED%A0%80", Kinds::ESCAPE | Kinds::INVALID_UTF8, Some(1)),
        ("a%E2%82", Kinds::ESCAPE | Kinds::INVALID_UTF8, Some(1)),
        ("a%E2%82%AC", Kinds::ESCAPE, Some(1)),
    ] {
        let found = inspect(input);
        assert_eq!((found.kinds_among(Kinds::EVERY), found.first()), (kinds, first), "{input}");
        assert_eq!(found.is_empty(), kinds == Kinds::NONE, "{input}");
        assert_eq!(Counts::among(Kinds::EVERY, input).kinds(), kinds, "{input}");
        compare_inspecting(input.as_bytes());
    }
}

#[test]
fn segments_are_found_as_decoded_once() {
    use Kinds as F;
    let (dot, empty) = (F::DOT_SEGMENT, F::EMPTY_SEGMENT);
    for (input, expected, position) in [
        (".", dot, Some(0)),
        ("..", dot, Some(0)),
        ("../a", dot, Some(0)),
        ("/./a", dot, Some(1)),
        ("/a/..", dot, Some(3)),
        ("/a/..;x=1/b", dot, Some(3)),
        ("/a/.?q", dot, Some(3)),
        ("/a/..#f", dot, Some(3)),
        ("/a/%2e%2E/b", dot, Some(3)),
        ("/a/.%2e/b", dot, Some(3)),
        ("/a%2F..%5Cb", dot, Some(5)),
        ("/a\\..\\b", dot, Some(3)),
        ("/a/..%3Bx", dot, Some(3)),
        ("?f=../../x", dot, Some(6)),
        ("http:/../x", dot, Some(6)),
        ("/a/...", Kinds::NONE, None),
        ("/.a/a./..b/%2e%2e%2e", Kinds::NONE, None),
        ("/a/..%252f", Kinds::NONE, None),
        ("/a.", Kinds::NONE, None),
        ("/a//b", empty, Some(3)),
        ("//host/a", empty, Some(1)),
        ("/a//", empty, Some(3)),
        ("/a%2F/b", empty, Some(5)),
        ("/a/%5cb", empty, Some(3)),
        ("/a\\/b", empty, Some(3)),
        ("file:///a", empty, Some(7)),
        ("/a/", Kinds::NONE, None),
        ("/", Kinds::NONE, None),
        ("https://example.com/", Kinds::NONE, None),
        ("/?to=https%3A%2F%2Fexample.com%2f", Kinds::NONE, None),
        ("/;/a", Kinds::NONE, None),
        ("/a//../b", dot | empty, Some(3)),
    ] {
        let found = inspect(input);
        assert_eq!((found.kinds_among(dot | empty), found.first_of(dot | empty)), (expected, position), "{input}");
        compare_inspecting(input.as_bytes());
    }
}

/// Methods without an argument do not look for kinds on request.
#[test]
fn kinds_on_request_are_found_only_if_asked_for() {
    let input = "/a/../b//%u0041";
    let found = inspect(input);
    assert_eq!((found.kinds(), found.first()), (Kinds::MALFORMED, Some(9)));
    assert_eq!(found.kinds_among(Kinds::EVERY), Kinds::MALFORMED | Kinds::ON_REQUEST.without(Kinds::DOUBLE));
    assert!(found.contains(Kinds::DOT_SEGMENT | Kinds::UNICODE) && !found.contains(Kinds::ON_REQUEST));
    assert_eq!(inspect_counting(input).count(Kinds::EVERY), 1);
    assert_eq!(Counts::among(Kinds::EVERY, input).count(Kinds::EVERY), 4);
    assert_eq!(Counts::among(Kinds::UNICODE, input).kinds(), Kinds::UNICODE);
    assert!(inspect("/a/../b//").is_empty());
}

#[test]
fn kinds_combine_as_sets() {
    let both = Kinds::NUL | Kinds::SLASH;
    let found = inspect("%2F");
    assert!(found.contains(Kinds::SLASH) && !found.contains(both));
    assert!(found.intersects(both) && !found.intersects(Kinds::NUL | Kinds::DOT));
    assert!(found.contains(Kinds::NONE) && !found.intersects(Kinds::NONE));
    assert_eq!(format!("{:?}", found.kinds()), r#"{"escape", "slash"}"#);
    let counts = inspect_counting("%00/%2F+%2f");
    assert_eq!((counts.count(both), counts.first(both)), (3, Some(0)));
    assert_eq!((counts.count(Kinds::PLUS), counts.first(Kinds::DOT)), (1, None));
    for (place, &(kind, name)) in Kinds::ALL.iter().enumerate() {
        assert_eq!(kind.names().collect::<Vec<_>>(), [name]);
        assert!(Kinds::ALL[..place].iter().all(|&(other, _)| !kind.intersects(other)), "{name}");
    }
    assert_eq!((both & Kinds::NUL, both & Kinds::DOT), (Kinds::NUL, Kinds::NONE));
    let (mut more, mut less) = (both, both);
    more |= Kinds::DOT;
    less &= Kinds::SLASH;
    assert_eq!((more, less), (both | Kinds::DOT, Kinds::SLASH));
}

#[test]
fn kinds_convert_to_bits_and_names_and_back() {
    let all: Kinds = Kinds::ALL.iter().map(|&(kind, _)| kind).collect();
    assert_eq!((all, all.without(Kinds::ON_REQUEST).iter().count()), (Kinds::EVERY, 16));
    assert!(all.iter().eq(Kinds::ALL.iter().map(|&(kind, _)| kind)));
    assert_eq!((all.iter().len(), all.into_iter().size_hint(), Kinds::NONE.iter().next()), (20, (20, Some(20)), None));
    for (bit, &(kind, name)) in Kinds::ALL.iter().enumerate() {
        assert_eq!((kind.bits(), kind.name()), (1 << bit, Some(name)));
        assert_eq!((Kinds::from_bits(kind.bits()), Kinds::from_name(name)), (Some(kind), Some(kind)));
        assert_eq!((name.parse(), name.to_uppercase().parse::<Kinds>().ok()), (Ok(kind), None));
        let mut others = Kinds::NONE;
        others.extend(all.iter().filter(|&other| other != kind));
        assert_eq!(others.bits(), all.bits() & !kind.bits());
        assert!((others | kind == all) && others.iter().count() == 19 && others.name().is_none());
    }
    for bits in 0..1 << 20 {
        assert_eq!(Kinds::from_bits(bits), Some(Kinds::from_bits_truncate(bits)));
        assert_eq!(Kinds::from_bits_truncate(bits).bits(), bits);
    }
    for bit in 20..32 {
        assert_eq!(Kinds::from_bits(1 << bit | 1), None);
        assert_eq!(Kinds::from_bits_truncate(1 << bit | 1).bits(), 1);
    }
    assert_eq!((Kinds::NONE.name(), Kinds::from_name("")), (None, None));
    let unknown: UnknownKind = "no".parse::<Kinds>().unwrap_err();
    let message = unknown.to_string();
    assert!(
        message.starts_with("unknown kind of finding: expected escape, plus, ")
            && message.ends_with(", double or unicode"),
        "{message}"
    );
}

/// Each byte or triplet once, in order, with all its kinds; ill-formed sequences where they begin.
#[test]
fn findings_iterate_in_order_of_position() {
    use Kinds as F;
    let input = "a%2F%%C3\\%e2%82+\u{e9}%F0%9F%98%80%ff";
    let found = inspect(input);
    let expected = [
        (1, F::ESCAPE | F::SLASH),
        (4, F::MALFORMED),
        (5, F::ESCAPE | F::INVALID_UTF8),
        (8, F::ILLEGAL),
        (9, F::ESCAPE | F::LOWER_HEX | F::INVALID_UTF8),
        (12, F::ESCAPE),
        (15, F::PLUS),
        (16, F::NON_ASCII | F::ILLEGAL),
        (17, F::NON_ASCII | F::ILLEGAL),
        (18, F::ESCAPE),
        (21, F::ESCAPE),
        (24, F::ESCAPE),
        (27, F::ESCAPE),
        (30, F::ESCAPE | F::LOWER_HEX | F::INVALID_UTF8),
    ];
    let pair = |finding: Finding| (finding.position, finding.kinds);
    assert_eq!(found.iter().map(pair).collect::<Vec<_>>(), expected);
    assert!(found.into_iter().eq(&found));
    assert_eq!(found.first_of(F::INVALID_UTF8 | F::PLUS), Some(5));
    assert_eq!((found.first_of(F::NUL), found.first_of(Kinds::NONE)), (None, None));
    let mut rest = found.iter();
    assert_eq!(rest.nth(1).map(pair), Some(expected[1]));
    assert_eq!(format!("{rest:?}"), "FindingsIter { position: 5, .. }");
    assert_eq!((rest.by_ref().count(), rest.next()), (12, None));
    assert_eq!(format!("{:?}", inspect("a%2F")), r#"Findings { kinds: {"escape", "slash"}, first: Some(1), .. }"#);
    compare_inspecting(input.as_bytes());
}

/// All 65,536 pairs of digits, at the end of an input and before another triplet.
#[test]
fn every_pair_of_digits_matches_reference() {
    for pair in 0..=u16::MAX {
        let [high, low] = pair.to_be_bytes();
        let input = [b'a', b'%', high, low, b'%', b'4', b'1'];
        for end in [4, 7] {
            let findings = reference::findings(&input[..end]);
            let all = findings.iter().fold(Kinds::NONE, |all, &(_, kind)| all | kind);
            for level in crate::common::levels() {
                assert_eq!(
                    Findings::on(level, &input[..end]).kinds_among(Kinds::EVERY),
                    all,
                    "{level}: {}",
                    input[..end].escape_ascii()
                );
            }
        }
    }
}

/// Pieces of every kind at every offset across the block boundaries of every level.
#[test]
fn pieces_across_blocks_match_reference() {
    for piece in [
        "%41",
        "%c0%af",
        "%e2%82%ac",
        "%4",
        "%",
        "+ ",
        "é",
        "%%00%5c%2f%25",
        "/../",
        "://.",
        "//",
        "%2f.%2E?",
        ";",
        "%3b%3f%23",
        "%252f%u00e9",
    ] {
        for before in 0..=140 {
            for after in [0, 1, 2, 70] {
                compare_inspecting(format!("{}{piece}{}", "b".repeat(before), "f".repeat(after)).as_bytes());
            }
        }
    }
    // Blocks of ASCII, which are skipped, do not join the bytes before and after them.
    for before in 0..64 {
        for between in (0..=160).step_by(16) {
            let (before, ascii) = ("b".repeat(before), "d".repeat(between));
            for after in [0, 80] {
                compare_inspecting(format!("{before}%c3{ascii}%a9{}", "f".repeat(after)).as_bytes());
            }
        }
    }
}

/// All strings of up to 6 symbols that make segments, alone and far from the start.
#[test]
fn every_short_string_of_segments_matches_reference() {
    const SYMBOLS: [&str; 9] = ["/", ".", "\\", "%2f", "%2E", "%5C", ":", "?", "a"];
    for length in 0..=if is_quick() { 3 } else { 5 } {
        for number in 0..SYMBOLS.len().pow(length) {
            let text: String = (0..length).map(|at| SYMBOLS[number / SYMBOLS.len().pow(at) % SYMBOLS.len()]).collect();
            compare_inspecting(text.as_bytes());
            if length <= 3 {
                for before in [60, 61, 62, 63, 64, 65, 124, 130] {
                    compare_inspecting(format!("{}{text}", "b".repeat(before)).as_bytes());
                    compare_inspecting(format!("{}{text}{}", "b".repeat(before), "c".repeat(70)).as_bytes());
                }
            }
        }
    }
}

/// All strings over the bytes of `%2541`, `%u0041` and `%3b`.
#[test]
fn every_short_string_of_sequences_matches_reference() {
    const BYTES: &[u8] = b"%25uF3b;";
    let longest = if is_long() { 6 } else { 5 - u32::from(is_quick()) };
    for length in 0..=longest {
        for number in 0..BYTES.len().pow(length) {
            let text: Vec<u8> = (0..length).map(|at| BYTES[number / BYTES.len().pow(at) % BYTES.len()]).collect();
            compare_inspecting(&text);
            if length == longest && number % 16 == 0 {
                compare_inspecting(&[b"%u", &text[..]].concat());
            }
        }
    }
}

/// The string is decoded in chunks: pieces cut by a chunk end are found, with their positions.
#[test]
fn pieces_across_chunks_match_reference() {
    for piece in ["%e2%82%ac", "%f0%9f%98%80", "€", "%e2%82x", "%e2%82%", "%e2", "\u{e9}", "%4", "%ff%ff", "%f0%9f%98"]
    {
        for before in 8174..=8194 {
            for after in [0, 1, 8184] {
                compare_inspecting(format!("{}{piece}{}", "b".repeat(before), "f".repeat(after)).as_bytes());
            }
        }
    }
    // A sequence is incomplete at the end of a chunk and continues after it, with and without ASCII
    // between.
    for between in [0, 1, 15, 16, 31, 33, 40, 64, 65, 130] {
        let (before, ascii) = ("b".repeat(8192 - 6 - between), "f".repeat(between));
        compare_inspecting(format!("{before}%e2%82{ascii}%ac").as_bytes());
        compare_inspecting(format!("{before}%e2%82{ascii}%ac{before}%e2%82").as_bytes());
    }
    compare_inspecting("%e2%82".repeat(9000).as_bytes());
    compare_inspecting("%f0%9f%98%80".repeat(4000).as_bytes());
    compare_inspecting(&b"\xE2\x82".repeat(9000));
}

proptest! {
    #[test]
    fn random_input_matches_reference(input in strategies::input()) {
        compare_inspecting(&input);
    }
}

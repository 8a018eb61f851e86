//! Forms: every view of the parser against the standard's steps, and serialized pairs parse to
//! themselves.
#![no_main]

use std::borrow::Cow;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::form::{self, Serializer};
use simdpct_fuzz::common::form::{compare_parsing, with_normal_newlines};
use simdpct_fuzz::{AnyLevel, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    level: AnyLevel,
    percent_20: bool,
    normalize_newlines: bool,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let AnyLevel(level) = case.level;
    let input = exact(case.input);
    compare_parsing(&input);

    // Pairs of arbitrary bytes: the lines of the input, split at the first NUL.
    let pair = |line: &'_ [u8]| match line.iter().position(|&byte| byte == 0) {
        Some(at) => (exact(&line[..at]), exact(&line[at + 1..])),
        None => (exact(line), exact(&[])),
    };
    let pairs: Vec<_> = input.split(|&byte| byte == b'\n').map(pair).collect();
    let mut serializer = Serializer::new(String::new()).level(level);
    if case.percent_20 {
        serializer = serializer.percent_20();
    }
    serializer.extend_pairs(&pairs);
    let text = serializer.finish();
    assert!(text.is_ascii() && !(case.percent_20 && text.contains('+')));
    let back = form::parse_bytes(&text).level(level);
    assert!(back.eq(pairs.iter().map(|(name, value)| (Cow::from(&**name), Cow::from(&**value)))), "{text}");

    if case.normalize_newlines {
        let mut serializer = Serializer::new(Vec::new()).level(level).normalize_newlines();
        serializer.append_pair("", &input);
        let back = form::parse_bytes(&serializer.finish()).get("").expect("it is there").into_owned();
        assert_eq!(back, with_normal_newlines(&input));
    }

    // To and from Rust types.
    if let Ok(pairs) = form::from_bytes::<Vec<(String, String)>>(&input) {
        let text = form::to_string(&pairs).expect("pairs of text");
        assert_eq!(form::from_str::<Vec<(String, String)>>(&text).expect("what was just made"), pairs);
    }
});

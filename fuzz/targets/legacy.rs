//! Legacy formats: ECMAScript's functions, `%uXXXX`, ISO-8859-1 and RFC 1738's converter.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::legacy::{LoneSurrogates, js, rfc1738};
use simdpct_fuzz::common::legacy::{
    UnicodeCase, compare_escaping, compare_java, compare_latin1_decoding, compare_unescaping, compare_unicode_decoding,
};
use simdpct_fuzz::{AnyLevel, Decoding, Set, exact, text};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    decoding: Decoding,
    kept: Option<Set>,
    rejected: Option<Set>,
    alone: bool,
    policy: u8,
    level: AnyLevel,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let set = |set: Option<Set>| set.map(|Set(set)| set);
    let input = exact(case.input);
    let text = text(&input);
    compare_escaping(&text);
    compare_unescaping(&text);
    compare_java(&text);
    compare_latin1_decoding(&case.decoding.decoder(), &text);
    let policies = [LoneSurrogates::Refuse, LoneSurrogates::Replace, LoneSurrogates::Keep];
    let unicode = UnicodeCase {
        lenient: case.decoding.is_lenient(),
        plus: case.decoding.has_plus(),
        kept: set(case.kept),
        rejected: set(case.rejected),
        alone: case.alone,
        policy: policies[usize::from(case.policy) % policies.len()],
        level: case.level.0,
    };
    compare_unicode_decoding(unicode, &input);

    assert_eq!(rfc1738::decode(&*rfc1738::encode(&text)).as_deref(), Ok(&*text.replace('%', "%25")));
    assert_eq!(js::decode_uri(&js::encode_uri(&text)).as_deref(), Ok(&*text));
    assert_eq!(js::decode_uri_component(&js::encode_uri_component(&text)).as_deref(), Ok(&*text));
    let _ = (rfc1738::decode(&input), js::decode_uri(&text));
});

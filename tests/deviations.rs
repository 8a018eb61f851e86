//! Known deviations of other crates from the standards, which this crate does not share.
//! Every case runs the other crate at the version in Cargo.lock. If a new version fixes the
//! deviation, the case fails: remove it.

use std::collections::BTreeMap;

use iri_string::percent_encode::decode::decode_whatwg_bytes;
use simdpct::{Decoder, Encoder, sets};

const LENIENT: Decoder = Decoder::new().lenient();
const FORM: Decoder = Decoder::new().lenient().plus_for_space();

struct Deviation {
    /// The call that deviates.
    call: &'static str,
    input: &'static str,
    theirs: &'static str,
    ours: &'static str,
}

const fn case(call: &'static str, input: &'static str, theirs: &'static str, ours: &'static str) -> Deviation {
    Deviation { call, input, theirs, ours }
}

#[track_caller]
fn assert_deviates(cases: &[Deviation], theirs: impl Fn(&Deviation) -> String, ours: impl Fn(&Deviation) -> String) {
    for case in cases {
        assert_eq!(theirs(case), case.theirs, "{} no longer deviates on {:?}", case.call, case.input);
        assert_eq!(ours(case), case.ours, "we, where {} deviates on {:?}", case.call, case.input);
        assert_ne!(case.theirs, case.ours, "{} does not deviate on {:?}", case.call, case.input);
    }
}

/// iri-string 0.7.14: if there is any triplet, malformed '%' and the text after them are lost.
/// WHATWG URL 1.3: every byte is appended.
#[test]
fn iri_string_drops_malformed_triplets() {
    const CALL: &str = "iri_string::percent_encode::decode::decode_whatwg_bytes(..).into_bytes()";
    let cases = [
        case(CALL, "%%41", "A", "%A"),
        case(CALL, "%41%", "A", "A%"),
        case(CALL, "%%%41", "A", "%%A"),
        case(CALL, "%4%41", "%A", "%4A"),
        case(CALL, "100%zz, %41", "100%A", "100%zz, A"),
    ];
    assert_deviates(
        &cases,
        |case| String::from_utf8(decode_whatwg_bytes(case.input.as_bytes()).into_bytes().into_owned()).unwrap(),
        |case| LENIENT.decode_utf8(case.input).unwrap().into_owned(),
    );
    // Without a triplet the results agree.
    assert_eq!(decode_whatwg_bytes(b"100%").into_bytes(), LENIENT.decode("100%").unwrap());
}

/// serde_qs 1.1.3: the one or two bytes read as digits of a malformed '%' are not decoded, so a
/// triplet or a '+' that starts there stays. WHATWG URL 1.3: decoding continues at the byte after
/// the '%'.
#[test]
fn serde_qs_skips_triplets_after_malformed_one() {
    const CALL: &str = "serde_qs::from_str";
    let cases = [
        case(CALL, "%%41", "%%41", "%A"),
        case(CALL, "100%+of+%41", "100%+of A", "100% of A"),
        case(CALL, "%4%41", "%4%41", "%4A"),
        case(CALL, "%4+%C3%A9", "%4+é", "%4 é"),
    ];
    assert_deviates(
        &cases,
        |case| {
            let fields: BTreeMap<String, String> = serde_qs::from_str(&format!("k={}", case.input)).unwrap();
            fields["k"].clone()
        },
        |case| FORM.decode_utf8(case.input).unwrap().into_owned(),
    );
}

/// serde_qs 1.1.3: does not escape some bytes of the form percent-encode set. WHATWG URL 5.2
/// escapes them.
#[test]
fn serde_qs_writes_raw_bytes() {
    const CALL: &str = "serde_qs::to_string";
    // The last four are illegal in a URI (RFC 3986 2).
    let cases = [
        case(CALL, "!$'(),/:;?@", "!$'(),/:;?@", "%21%24%27%28%29%2C%2F%3A%3B%3F%40"),
        case(CALL, "\\^`|", "\\^`|", "%5C%5E%60%7C"),
    ];
    assert_deviates(
        &cases,
        |case| serde_qs::to_string(&BTreeMap::from([("k", case.input)])).unwrap().split_off("k=".len()),
        |case| Encoder::FORM.encode(case.input).into_owned(),
    );
}

/// uri_encode 1.0.5: writes lower-case digits. RFC 3986 2.1 recommends upper case, and ECMA-262
/// 19.2.6.5 writes it.
#[test]
fn uri_encode_writes_lower_case_digits() {
    const URI: &str = "uri_encode::encode_uri";
    assert_deviates(
        &[case(URI, "é/<>", "%c3%a9/%3c%3e", "%C3%A9/%3C%3E"), case(URI, "[\n]", "%5b%0a%5d", "%5B%0A%5D")],
        |case| uri_encode::encode_uri(case.input),
        |case| Encoder::new(sets::js::ENCODE_URI).encode(case.input).into_owned(),
    );
    const COMPONENT: &str = "uri_encode::encode_uri_component";
    assert_deviates(
        &[case(COMPONENT, "a/b", "a%2fb", "a%2Fb"), case(COMPONENT, "=+é", "%3d%2b%c3%a9", "%3D%2B%C3%A9")],
        |case| uri_encode::encode_uri_component(case.input),
        |case| Encoder::new(sets::js::ENCODE_URI_COMPONENT).encode(case.input).into_owned(),
    );
}

/// uri_encode 1.0.5: does not escape query delimiters in a value, nor '+', which decodes to a
/// space. WHATWG URL 5.2.
#[test]
fn uri_encode_keeps_delimiters_in_values() {
    const CALL: &str = "uri_encode::encode_query_param";
    assert_deviates(
        &[case(CALL, "a&b=c#d", "a&b=c#d", "a%26b%3Dc%23d"), case(CALL, "1 + 1", "1+++1", "1+%2B+1")],
        |case| uri_encode::encode_query_param(case.input),
        |case| Encoder::FORM.encode(case.input).into_owned(),
    );
}

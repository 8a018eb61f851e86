//! The examples of the standards, and the test vectors of other projects.
//!
//! The vectors of the web platform tests and of the Coraza firewall are in a folder outside the
//! project (`SIMDPCT_CORPORA`, by default `../shared/corpora`). Without the folder, these tests
//! print a note and pass.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::common::{compare_decoding, compare_encoding};
use serde_json::Value;
use simdpct::DecodeErrorKind::{InvalidUtf8, Malformed, Rejected};
use simdpct::uri::QueryBuilder;
use simdpct::{ByteSet, DecodeErrorKind, Decoder, Encoder, Level, decode, decode_utf8_lossy, encode, sets};

const STRICT: Decoder = Decoder::new();
const LENIENT: Decoder = Decoder::new().lenient();
const FORM: Decoder = Decoder::new().lenient().plus_for_space();

/// Lengths of clean text around a vector, which move it across block boundaries.
const PADDINGS: [usize; 7] = [0, 9, 15, 30, 31, 62, 63];

/// Asserts the result on every level, at several positions in a block.
#[track_caller]
fn assert_decodes(decoder: Decoder, input: &[u8], expected: Result<&[u8], (DecodeErrorKind, usize)>) {
    for level in crate::common::levels() {
        for padding in PADDINGS {
            let pad = "z".repeat(padding);
            let padded = [pad.as_bytes(), input, pad.as_bytes()].concat();
            let result = decoder.level(level).decode(&padded).map_err(|error| (error.kind, error.position));
            let expected = expected
                .map(|output| [pad.as_bytes(), output, pad.as_bytes()].concat())
                .map_err(|(kind, position)| (kind, position + padding));
            assert_eq!(result.as_deref(), expected.as_deref(), "\"{}\" on {level}", padded.escape_ascii());
            compare_decoding(&decoder, &padded);
        }
    }
}

/// Asserts the result on every level, at several positions in a block.
#[track_caller]
fn assert_encodes(encoder: Encoder, input: &[u8], expected: &str) {
    for level in crate::common::levels() {
        for padding in PADDINGS {
            let pad = "z".repeat(padding);
            let padded = [pad.as_bytes(), input, pad.as_bytes()].concat();
            let expected = [&pad, expected, &pad].concat();
            assert_eq!(encoder.level(level).encode(&padded), expected, "\"{}\" on {level}", padded.escape_ascii());
            compare_encoding(&encoder, &padded);
        }
    }
}

/// The canonical query string of a request, per AWS Signature Version 4.
fn canonical_query(pairs: &[(&str, &str)], level: Level) -> String {
    let mut query = QueryBuilder::with_encoder(Encoder::new(sets::aws::URI_ENCODE).level(level));
    for (name, value) in pairs {
        query.push(name, value);
    }
    query.sort();
    query.into_string()
}

#[test]
fn aws_canonical_queries_match() {
    let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let cases: &[(&[(&str, &str)], &str)] = &[
        // The test suite of Signature Version 4: get-vanilla, get-vanilla-empty-query-key,
        // get-vanilla-query-order-key-case, get-vanilla-query-order-value,
        // get-vanilla-query-unreserved and get-vanilla-utf8-query.
        (&[], ""),
        (&[("Param1", "value1")], "Param1=value1"),
        (&[("Param2", "value2"), ("Param1", "value1")], "Param1=value1&Param2=value2"),
        (&[("Param1", "value2"), ("Param1", "value1")], "Param1=value1&Param1=value2"),
        (&[(unreserved, unreserved)], &format!("{unreserved}={unreserved}")),
        (&[("\u{1234}", "bar")], "%E1%88%B4=bar"),
        // The example of IAM's ListUsers.
        (&[("Version", "2010-05-08"), ("Action", "ListUsers")], "Action=ListUsers&Version=2010-05-08"),
        // S3: GET Bucket Lifecycle, List Objects, and a presigned URL.
        (&[("lifecycle", "")], "lifecycle="),
        (&[("prefix", "J"), ("max-keys", "2")], "max-keys=2&prefix=J"),
        (
            &[
                ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
                ("X-Amz-Credential", "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"),
                ("X-Amz-SignedHeaders", "host"),
                ("X-Amz-Expires", "86400"),
                ("X-Amz-Date", "20130524T000000Z"),
            ],
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F\
             aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host",
        ),
    ];
    for level in crate::common::levels() {
        for (pairs, expected) in cases {
            assert_eq!(canonical_query(pairs, level), *expected, "{level}");
        }
    }
}

/// OAuth 1.0: the normalized parameters of the example in RFC 5849 3.4.1.3.2. Sorting is by the
/// encoded form: `c%40` precedes `c2`, though `@` follows `2`.
#[test]
fn rfc_5849_normalized_parameters_match() {
    let parameters = [
        ("b5", "=%3D"),
        ("a3", "a"),
        ("c@", ""),
        ("a2", "r b"),
        ("oauth_consumer_key", "9djdj82h48djs9d2"),
        ("oauth_token", "kkk9d7dh3k39sjv7"),
        ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", "137131201"),
        ("oauth_nonce", "7d8f3e4a"),
        ("c2", ""),
        ("a3", "2 q"),
    ];
    let mut query = QueryBuilder::with_encoder(Encoder::COMPONENT);
    for (name, value) in parameters {
        query.push(name, value);
    }
    assert_eq!(
        query.sort().as_str(),
        "a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=&oauth_consumer_key=9djdj82h48djs9d2\
         &oauth_nonce=7d8f3e4a&oauth_signature_method=HMAC-SHA1&oauth_timestamp=137131201&oauth_token=kkk9d7dh3k39sjv7"
    );
}

#[test]
fn rfc_3986_examples_match() {
    // 2.1: "%20" is the percent-encoding of the binary octet 00100000, the space character in
    // US-ASCII.
    assert_decodes(STRICT, b"%20", Ok(b" "));
    assert_encodes(Encoder::COMPONENT, b" ", "%20");
    // 2.1: the digits a to f are equivalent to A to F.
    assert_decodes(STRICT, b"%3a%3A%fe%Fe%fE%FE", Ok(b"::\xFE\xFE\xFE\xFE"));
    // 2.1, 6.2.2.1: producers should use upper-case digits.
    assert_encodes(Encoder::COMPONENT, b":\xFE", "%3A%FE");
    // 2.3: %41-%5A, %61-%7A, %30-%39, %2D, %2E, %5F and %7E are the unreserved characters.
    assert_decodes(STRICT, b"%41%5A%61%7A%30%39%2D%2E%5F%7E", Ok(b"AZaz09-._~"));
    assert_encodes(Encoder::COMPONENT, b"AZaz09-._~", "AZaz09-._~");
    // 2.4: '%' as data is "%25", and implementations must not decode the same string more than
    // once.
    assert_encodes(Encoder::COMPONENT, b"%", "%25");
    assert_decodes(STRICT, b"%2541", Ok(b"%41"));
    // 2.5: the letter A, A with grave, and the katakana letter A, in UTF-8.
    assert_encodes(Encoder::COMPONENT, "A".as_bytes(), "A");
    assert_encodes(Encoder::COMPONENT, "À".as_bytes(), "%C3%80");
    assert_encodes(Encoder::COMPONENT, "ア".as_bytes(), "%E3%82%A2");
    assert_decodes(STRICT, b"%C3%80%E3%82%A2", Ok("Àア".as_bytes()));
    // 3.3: pchar is allowed in a segment, '/' only between segments, '?' in neither.
    assert_encodes(Encoder::PATH_SEGMENT, b"name;v=1.1,x:@!$&'()*+/?#", "name;v=1.1,x:@!$&'()*+%2F%3F%23");
    assert_encodes(Encoder::PATH, b"/over/there?name", "/over/there%3Fname");
    // 3.4, 3.5: '/' and '?' are allowed in a query and in a fragment, '#' in neither.
    assert_encodes(Encoder::QUERY, b"objectClass?one/two#nose", "objectClass?one/two%23nose");
    assert_encodes(Encoder::FRAGMENT, b"no?se/#", "no?se/%23");
    // 3.2.1: userinfo has ':' but not '@'.
    assert_encodes(Encoder::USERINFO, b"user:p@ss/word", "user:p%40ss%2Fword");
}

#[test]
fn whatwg_url_examples_match() {
    // 1.3, percent-encode: 0x23 is "%23", 0x7F is "%7F".
    assert_encodes(Encoder::new(ByteSet::new(b"\x23\x7F")), b"\x23\x7F", "%23%7F");
    // 1.3, percent-decode: the standard's two examples.
    assert_decodes(LENIENT, b"%25%s%1G", Ok(b"%%s%1G"));
    assert_decodes(LENIENT, "‽%25%2E".as_bytes(), Ok(b"\xE2\x80\xBD\x25\x2E"));
    // 1.3, UTF-8 percent-encode by the userinfo set: the standard's examples of a code point and of
    // a string.
    let userinfo = Encoder::new(sets::whatwg::USERINFO);
    assert_encodes(userinfo, "≡".as_bytes(), "%E2%89%A1");
    assert_encodes(userinfo, "‽".as_bytes(), "%E2%80%BD");
    assert_encodes(userinfo, "Say what‽".as_bytes(), "Say%20what%E2%80%BD");
    // 1.3: only the component and form sets contain '%', so the others keep triplets.
    assert_encodes(Encoder::new(sets::whatwg::PATH), b"a%20b 100%", "a%20b%20100%");
    assert_encodes(Encoder::new(sets::whatwg::COMPONENT), b"a%20b", "a%2520b");
    // 5.1, 5.2: '+' and space of a form.
    assert_decodes(FORM, b"a+%2B+%", Ok(b"a + %"));
    assert_encodes(Encoder::FORM, b"a + b~*", "a+%2B+b%7E*");
}

/// RFC 3987 3.1 and 3.2, IRIs to URIs and back; RFC 5987 3.2.2; RFC 6570 1.2 and 3.2; ECMA-262
/// 19.2.6.
#[test]
fn rfc_3987_5987_6570_and_ecma_262_examples_match() {
    // RFC 3987 3.1: "http://www.example.org/red%09rosé#red".
    let iri = "http://www.example.org/red%09rosé#red".as_bytes();
    assert_encodes(Encoder::URI, iri, "http://www.example.org/red%09ros%C3%A9#red");
    assert_encodes(Encoder::URI.keep_non_ascii(), iri, "http://www.example.org/red%09rosé#red");
    // RFC 5987 3.2.2: title*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates; either case is allowed.
    let value = Encoder::new(sets::rfc5987::VALUE_CHARS).lowercase();
    assert_encodes(value, "£ and € rates".as_bytes(), "%c2%a3%20and%20%e2%82%ac%20rates");
    // RFC 6570 1.2: hello := "Hello World!", path := "/foo/bar": {hello}, {+hello}, {+path}. 3.2.3:
    // half := "50%".
    let (simple, reserved) = (Encoder::new(sets::rfc6570::U), Encoder::new(sets::rfc6570::U_R).keep_triplets());
    assert_encodes(simple, b"Hello World!", "Hello%20World%21");
    assert_encodes(reserved, b"Hello World!", "Hello%20World!");
    assert_encodes(reserved, b"/foo/bar", "/foo/bar");
    assert_encodes(simple, b"50%", "50%25");
    assert_encodes(reserved, b"50%", "50%25");
    // ECMA-262 19.2.6.4: encodeURIComponent does not escape letters, digits and -_.!~*'().
    let component = Encoder::new(sets::js::ENCODE_URI_COMPONENT);
    assert_encodes(component, b"-_.!~*'();/?:@&=+$,#", "-_.!~*'()%3B%2F%3F%3A%40%26%3D%2B%24%2C%23");
    // ECMA-262 19.2.6.3: nor does encodeURI escape the delimiters.
    assert_encodes(Encoder::new(sets::js::ENCODE_URI), b";/?:@&=+$,# %[]", ";/?:@&=+$,#%20%25%5B%5D");
}

/// RFC 3986 2.1: a '%' without two digits is malformed, also at the end of the input.
#[test]
fn strict_decoder_rejects_malformed_triplets() {
    for (input, position) in [
        ("%", 0),
        ("%4", 0),
        ("%g4", 0),
        ("%4g", 0),
        ("%%41", 0),
        ("a%4%41", 1),
        ("%41%", 3),
        ("%41%%41", 3),
        ("%:0%0:", 0),
        ("%0:", 0),
        ("%@0", 0),
        ("%0@", 0),
        ("%0`", 0),
        ("%/0", 0),
        ("% 41", 0),
        ("%+4", 0),
        ("%0\0", 0),
        ("%u0041", 0),
        ("%٤1", 0),
    ] {
        assert_decodes(STRICT, input.as_bytes(), Err((Malformed, position)));
    }
}

/// WHATWG URL 1.3: a '%' without two digits is copied, and decoding continues at the next byte.
#[test]
fn lenient_decoder_keeps_malformed_triplets() {
    for (input, output) in [
        ("%", "%"),
        ("%4", "%4"),
        ("%%41", "%A"),
        ("%4%41", "%4A"),
        ("%%%41%", "%%A%"),
        ("%G%41", "%GA"),
        ("%%", "%%"),
        ("%%3", "%%3"),
        ("%4\0", "%4\0"),
        ("100%-%31%30", "100%-10"),
    ] {
        assert_decodes(LENIENT, input.as_bytes(), Ok(output.as_bytes()));
    }
}

/// WHATWG URL 5.1, 5.2: forms write a space as '+', and a '+' as a triplet.
#[test]
fn plus_for_space_converts_plus_and_space() {
    assert_decodes(STRICT, b"1+1%2B1", Ok(b"1+1+1"));
    assert_decodes(STRICT.plus_for_space(), b"1+1%2B1%20", Ok(b"1 1+1 "));
    // A '+' after a malformed '%' is a space: it is not a digit.
    assert_decodes(FORM, b"%+%4+", Ok(b"% %4 "));
    // A literal '+' is escaped even if it is not in the set, and a space becomes '+' even if it is.
    assert_encodes(Encoder::new(ByteSet::EMPTY).plus_for_space(), b"1 + 1", "1+%2B+1");
    assert_encodes(Encoder::new(ByteSet::new(b" ")).plus_for_space(), b" +", "+%2B");
    assert_encodes(Encoder::new(ByteSet::EMPTY), b"1 + 1", "1 + 1");
}

/// RFC 3986 2.2: an escaped delimiter is data, so some triplets must be kept.
#[test]
fn decoder_keep_leaves_triplets_of_the_set() {
    let path = STRICT.keep(ByteSet::new(b"/%"));
    assert_decodes(path, b"/a%2Fb%2fc%20d", Ok(b"/a%2Fb%2fc d"));
    // Kept triplets are not rescanned: their digits are not part of another triplet.
    assert_decodes(path, b"%2541%25", Ok(b"%2541%25"));
    assert_decodes(path, b"%2", Err((Malformed, 0)));
    assert_decodes(path.lenient(), b"%%2F%2", Ok(b"%%2F%2"));
    // Raw bytes of the set are not affected. A later set replaces an earlier set.
    assert_decodes(path.keep(ByteSet::new(b"a")), b"a%61%2F", Ok(b"a%61/"));
    assert_decodes(STRICT.plus_for_space().keep(ByteSet::new(b" +")), b"+%20%2B", Ok(b" %20%2B"));
}

/// The error is the first byte of the set in the output, raw or decoded, with the position of the
/// byte or of its triplet.
#[test]
fn decoder_reject_fails_at_first_byte_of_the_set() {
    let no_nul = STRICT.reject(ByteSet::new(b"\0"));
    assert_decodes(no_nul, b"a.png%00.txt", Err((Rejected(0), 5)));
    assert_decodes(no_nul, b"a.png\0.txt", Err((Rejected(0), 5)));
    assert_decodes(no_nul, b"%2500", Ok(b"%00"));
    // The first error is reported, of either kind.
    assert_decodes(no_nul, b"%zz%00", Err((Malformed, 0)));
    assert_decodes(no_nul, b"%00%zz", Err((Rejected(0), 0)));
    // A strict decoder never writes a malformed '%', so it is malformed, not rejected.
    assert_decodes(STRICT.reject(ByteSet::new(b"%")), b"a%zz", Err((Malformed, 1)));
    // The output is tested: a kept triplet is '%', '0', '0', and a '+' that becomes a space is a
    // space.
    assert_decodes(no_nul.keep(ByteSet::new(b"\0")), b"%00", Ok(b"%00"));
    assert_decodes(STRICT.plus_for_space().reject(ByteSet::new(b" ")), b"a+b", Err((Rejected(b' '), 1)));
    assert_decodes(STRICT.plus_for_space().reject(ByteSet::new(b"+")), b"a+b%2B", Err((Rejected(b'+'), 3)));
    assert_decodes(LENIENT.reject(ByteSet::new(b"%")), b"a%20%b", Err((Rejected(b'%'), 4)));
    assert_decodes(STRICT.reject(ByteSet::new(b"%")), b"a%20%25", Err((Rejected(b'%'), 4)));
    // So a digit of a kept triplet can be rejected, with the digit's position.
    let no_two = STRICT.keep(ByteSet::new(b"/")).reject(ByteSet::new(b"2"));
    assert_decodes(no_two, b"a%2F", Err((Rejected(b'2'), 2)));
}

/// Unicode 3.9, table 3-7: overlong forms, surrogates, code points above U+10FFFF, and incomplete
/// sequences. The position is the offset of the sequence's first byte or triplet in the input.
#[test]
fn ill_formed_utf8_fails_at_start_of_sequence() {
    let text = |decoder: Decoder, input: &[u8]| {
        decoder.decode_utf8(input).map_err(|error| (error.kind, error.position)).map(Cow::into_owned)
    };
    for (input, position) in [
        ("%80", 0),
        ("%41%C3", 3),
        ("é%C3%A9%C3", 8),
        ("a%C0%AF", 1),
        ("ab%E0%80%AF", 2),
        ("abc%ED%A0%80", 3),
        ("%F0%9F%98%80%F4%90%80%80", 12),
        ("%F8%88%80%80%80", 0),
        ("%E2%82", 0),
        ("%E2%82x", 0),
        ("%20%e2%28%a1", 3),
        ("%FF%", 0),
    ] {
        for decoder in [STRICT, LENIENT] {
            assert_eq!(text(decoder, input.as_bytes()), Err((InvalidUtf8, position)), "{input}");
        }
        compare_decoding(&STRICT, input.as_bytes());
    }
    // A character may be half raw and half escaped.
    assert_eq!(text(STRICT, b"\xC3%A9%C3\xA9").as_deref(), Ok("éé"));
    // The first error is reported; an incomplete sequence precedes the error that cuts it.
    assert_eq!(text(STRICT, b"%C3%A9%"), Err((Malformed, 6)));
    assert_eq!(text(STRICT, b"%C3%"), Err((InvalidUtf8, 0)));
    assert_eq!(text(STRICT.reject(ByteSet::new(b"\0")), b"%C3\0"), Err((InvalidUtf8, 0)));
    // Also if a digit of a kept triplet is rejected.
    let no_two = STRICT.keep(ByteSet::new(b"/")).reject(ByteSet::new(b"2"));
    assert_eq!(text(no_two, b"\xFF%2F"), Err((InvalidUtf8, 0)));
}

/// Unicode 3.9, substitution of maximal subparts (table 3-8), and WHATWG Encoding 4.1: one U+FFFD,
/// or nothing, for each.
#[test]
fn ill_formed_utf8_is_replaced_per_maximal_subpart() {
    for (input, lossy) in [
        ("%41%C0%AF%41%F4%80%80%41", "A\u{FFFD}\u{FFFD}A\u{FFFD}A"),
        ("%E0%80%BF%41", "\u{FFFD}\u{FFFD}\u{FFFD}A"),
        ("%F1%80%80%E1%80%C2%62%80%63%80%BF%64", "\u{FFFD}\u{FFFD}\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}d"),
        ("%ED%A0%80%ED%BF%BF", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("%F0%9F%98", "\u{FFFD}"),
        ("caf%E9 100%", "caf\u{FFFD} 100%"),
    ] {
        assert_eq!(decode_utf8_lossy(input), lossy);
        assert_eq!(LENIENT.decode_utf8_dropping(input).as_deref(), Ok(lossy.replace('\u{FFFD}', "").as_str()));
    }
    // U+FFFD itself is well-formed and stays.
    assert_eq!(LENIENT.decode_utf8_dropping("\u{FFFD}%EF%BF%BD").as_deref(), Ok("\u{FFFD}\u{FFFD}"));
}

/// RFC 3986 2.1 and 2.4: an existing triplet is copied with the case of its digits; any other '%'
/// is data.
#[test]
fn encoder_keep_triplets_copies_triplets() {
    assert_encodes(Encoder::PATH.keep_triplets(), b"/a%2fb%20 c%", "/a%2fb%20%20c%25");
    assert_encodes(Encoder::COMPONENT.keep_triplets(), b"%%41%4%g1%4", "%25%41%254%25g1%254");
    // Neither the set nor the case policy applies to the digits.
    assert_encodes(Encoder::new(ByteSet::new(b"%aFo")).keep_triplets().lowercase(), b"%aFo", "%aF%6f");
    // If the set does not contain '%', a malformed '%' stays.
    assert_encodes(Encoder::new(ByteSet::new(b" ")).keep_triplets(), b"% %41%", "%%20%41%");
    assert_encodes(Encoder::FORM.keep_triplets(), b"%2B+ %20", "%2B%2B+%20");
}

/// RFC 3986 2.5: bytes from 0x80 are escaped with every set. RFC 3987 3.1: in an IRI, non-ASCII
/// characters stay.
#[test]
fn non_ascii_bytes_are_escaped_unless_kept() {
    assert_encodes(Encoder::new(ByteSet::EMPTY), b"a\x80\xFF%", "a%80%FF%");
    let iri = Encoder::new(ByteSet::NON_ASCII.with(b' ')).keep_non_ascii();
    assert_encodes(iri, "é 😀".as_bytes(), "é%20😀");
    // Ill-formed sequences are escaped byte by byte, so that the result is UTF-8.
    assert_encodes(iri, b"\xE9 \xC3\xA9\xC3", "%E9%20é%C3");
    assert_encodes(iri, b"\xED\xA0\x80\xF0\x9F\x98", "%ED%A0%80%F0%9F%98");
    assert_encodes(iri, b"\xC0\xAF\xF4\x90\x80\x80", "%C0%AF%F4%90%80%80");
}

/// Unchanged input is returned borrowed, also with malformed '%' that stay.
#[test]
fn unchanged_input_is_borrowed() {
    for input in ["", "plain", "100%", "%4", "é", "a+b"] {
        assert!(matches!(LENIENT.decode(input), Ok(Cow::Borrowed(same)) if std::ptr::eq(same, input.as_bytes())));
        assert!(matches!(LENIENT.decode_utf8_lossy(input), Ok(Cow::Borrowed(same)) if std::ptr::eq(same, input)));
    }
    assert!(matches!(encode("plain"), Cow::Borrowed("plain")));
    assert!(matches!(decode("plain"), Ok(Cow::Borrowed(b"plain"))));
    assert!(matches!(Encoder::URI.encode("/%20?"), Cow::Borrowed("/%20?")));
    assert!(matches!(STRICT.keep(ByteSet::ALL).decode("%20"), Ok(Cow::Borrowed(b"%20"))));
}

/// The cases of a file of vectors, or `None` without the file.
fn vectors(name: &str) -> Option<Vec<Value>> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("SIMDPCT_CORPORA").map_or_else(default, PathBuf::from);
    let path = folder.join("vectors").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("not tested: there is no {}", path.display());
        return None;
    };
    // Comments are bare strings among the cases.
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(cases.into_iter().filter(Value::is_object).collect())
}

fn string<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().unwrap_or_default()
}

/// Decodes `\xNN` escapes, as in C.
fn unescape(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).unwrap());
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

/// Coraza decodes like a form and keeps malformed triplets; `ret` is whether anything changed.
#[test]
fn coraza_decode_vectors_match() {
    let Some(cases) = vectors("coraza_urlDecode.json") else { return };
    for case in &cases {
        let (input, output) = (string(case, "input"), unescape(string(case, "output")));
        assert_decodes(FORM, input.as_bytes(), Ok(&output));
        assert_eq!(case["ret"], i32::from(FORM.decode(input).as_deref() != Ok(input.as_bytes())), "{input}");
    }
    assert!(cases.len() > 15);
}

/// Coraza does not escape letters, digits and '*', and writes lower-case digits. Its inputs are
/// UTF-8, because the file is JSON.
#[test]
fn coraza_encode_vectors_match() {
    let Some(cases) = vectors("coraza_urlEncode.json") else { return };
    let kept = sets::ALPHA.union(sets::DIGIT).with(b'*');
    let encoder = Encoder::new(kept.complement()).plus_for_space().lowercase();
    for case in &cases {
        let (input, output) = (string(case, "input"), string(case, "output"));
        assert_encodes(encoder, input.as_bytes(), output);
        assert_eq!(case["ret"], i32::from(encoder.encode(input) != input), "{input}");
    }
    assert!(cases.len() > 15);
}

/// The original test puts each input in the query and the fragment of a special URL.
#[test]
fn wpt_percent_encoding_vectors_match() {
    let Some(cases) = vectors("wpt_percent-encoding.json") else { return };
    for case in &cases {
        for set in [sets::whatwg::SPECIAL_QUERY, sets::whatwg::FRAGMENT] {
            assert_encodes(Encoder::new(set), string(case, "input").as_bytes(), string(&case["output"], "utf-8"));
        }
    }
    assert!(cases.len() > 5);
}

/// WHATWG URL 5.1: names and values are split first, then decoded.
#[test]
fn wpt_urlencoded_parser_vectors_match() {
    let Some(cases) = vectors("wpt_urlencoded-parser-data.json") else { return };
    for case in &cases {
        let input = string(case, "input");
        let pairs: Vec<_> = input
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| [name, value].map(|part| FORM.decode_utf8_lossy(part).unwrap()))
            .collect();
        let pairs: Value = pairs.iter().map(|[name, value]| Value::from(vec![name.as_ref(), value.as_ref()])).collect();
        assert_eq!(pairs, case["output"], "{input}");
    }
    assert!(cases.len() > 30);
}

/// The percent-encode sets of a URL's parts (WHATWG URL 4.4, per state).
struct Parts {
    userinfo: Encoder,
    path: Encoder,
    query: Encoder,
    fragment: Encoder,
}

impl Parts {
    fn of(case: &Value) -> Self {
        let is_special = ["http:", "https:", "ws:", "wss:", "ftp:", "file:"].contains(&string(case, "protocol"));
        // A path without a leading '/' is opaque.
        let is_opaque = !string(case, "pathname").starts_with('/');
        Self {
            userinfo: Encoder::new(sets::whatwg::USERINFO),
            path: Encoder::new(if is_opaque { sets::whatwg::C0_CONTROL } else { sets::whatwg::PATH }),
            query: Encoder::new(if is_special { sets::whatwg::SPECIAL_QUERY } else { sets::whatwg::QUERY }),
            fragment: Encoder::new(sets::whatwg::FRAGMENT),
        }
    }
}

/// The output of the URL parser needs no further escaping.
#[test]
fn wpt_parsed_urls_are_unchanged() {
    let Some(cases) = vectors("wpt_urltestdata.json") else { return };
    let mut checked = 0;
    for case in cases.iter().filter(|case| case["failure"].is_null()) {
        let parts = Parts::of(case);
        for (encoder, part) in [
            (parts.userinfo, string(case, "username")),
            (parts.userinfo, string(case, "password")),
            (parts.path, string(case, "pathname")),
            (parts.query, string(case, "search")),
            (parts.fragment, string(case, "hash")),
        ] {
            // The leading '?' and '#' are not in the sets that apply to the text after them.
            assert!(matches!(encoder.encode(part), Cow::Borrowed(same) if same == part), "{part} of {case}");
            checked += usize::from(!part.is_empty());
        }
    }
    assert!(checked > 500, "only {checked}");
}

/// Parts that the URL parser only percent-encodes: every fragment and query of the input itself,
/// user names and passwords, and paths without dot segments.
#[test]
fn wpt_urls_encode_as_parsed() {
    let Some(cases) = vectors("wpt_urltestdata.json") else { return };
    let (mut queries, mut fragments, mut users, mut paths) = (0, 0, 0, 0);
    for case in cases.iter().filter(|case| case["failure"].is_null()) {
        let parts = Parts::of(case);
        // WHATWG URL 4.4: the parser first strips controls and spaces at both ends, and tabs and
        // line ends everywhere.
        let input = string(case, "input").trim_matches(|c| c <= ' ').replace(['\t', '\n', '\r'], "");
        let (before_fragment, fragment) = input.split_once('#').unwrap_or((&input, ""));
        assert_eq!(parts.fragment.encode(fragment), string(case, "hash").trim_start_matches('#'), "{case}");
        fragments += usize::from(!fragment.is_empty());

        let (before_query, query) = before_fragment.split_once('?').unwrap_or((before_fragment, ""));
        if before_query.len() < before_fragment.len() {
            assert_eq!(parts.query.encode(query), string(case, "search").get(1..).unwrap_or_default(), "{case}");
            queries += usize::from(!query.is_empty());
        }

        // The other parts are compared only if the input is "scheme://authority/path" without
        // anything that the parser resolves.
        let Some((scheme, rest)) = before_query.split_once("://") else { continue };
        if scheme.eq_ignore_ascii_case("file")
            || rest.starts_with('/')
            || rest.contains('\\')
            || scheme.contains([':', '/'])
        {
            continue;
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        if let Some((userinfo, _)) = authority.rsplit_once('@') {
            let (username, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
            assert_eq!(parts.userinfo.encode(username), string(case, "username"), "{case}");
            assert_eq!(parts.userinfo.encode(password), string(case, "password"), "{case}");
            users += 1;
        }
        let is_dots = |segment: &str| {
            !segment.is_empty() && segment.to_lowercase().replace("%2e", ".").trim_matches('.').is_empty()
        };
        if !path.is_empty() && !path.split('/').any(is_dots) {
            assert_eq!(parts.path.encode(path), string(case, "pathname"), "{case}");
            paths += 1;
        }
    }
    assert!(
        queries > 30 && fragments > 30 && users > 20 && paths > 50,
        "only {queries}, {fragments}, {users}, {paths}"
    );
}

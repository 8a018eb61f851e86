//! Legacy charsets, against encoding_rs combined with the reference implementation.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::DecodeErrorKind::Rejected;
use simdpct::legacy::charset::{
    self, BIG5, EUC_JP, EUC_KR, Encoding, GB18030, ISO_2022_JP, KOI8_R, SHIFT_JIS, UTF_8, UTF_16LE, WINDOWS_1252,
};
use simdpct::reference;
use simdpct_fuzz::{Decoding, Encoding as Encodes, exact, text};

const CHARSETS: [&Encoding; 10] =
    [WINDOWS_1252, SHIFT_JIS, EUC_JP, EUC_KR, GB18030, BIG5, ISO_2022_JP, KOI8_R, UTF_16LE, UTF_8];

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    charset: u8,
    decoding: Decoding,
    encoding: Encodes,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let charset = CHARSETS[usize::from(case.charset) % CHARSETS.len()];
    let (decoder, encoder) = (case.decoding.decoder(), case.encoding.encoder());
    let input = exact(case.input);

    let decoded = reference::decode(&decoder, &input);
    // The output is checked for rejected bytes too.
    let is_rejected = |byte: u8| decoder.lenient().check(&[byte]).is_err();
    let holds_rejected = |text: &str| text.bytes().any(is_rejected);
    let expected = decoded.as_ref().map(|bytes| charset.decode_without_bom_handling(bytes).0);
    match (charset::decode_lossy(&input, charset, &decoder), expected) {
        (Ok(text), Ok(expected)) => assert!(text == expected && !holds_rejected(&text)),
        (Err(error), Ok(expected)) => {
            assert!(matches!(error.kind, Rejected(byte) if is_rejected(byte)) && holds_rejected(&expected));
        }
        (Err(error), Err(other)) => {
            assert!(error == *other || matches!(error.kind, Rejected(_)) && error.position <= other.position);
        }
        (Ok(text), Err(error)) => panic!("{text:?} instead of {error}"),
    }
    let strict = charset::decode(&input, charset, &decoder);
    let text_of = |bytes| charset.decode_without_bom_handling_and_without_replacement(bytes);
    let expected = decoded.as_deref().ok().and_then(text_of).filter(|text| !holds_rejected(text));
    assert_eq!(strict.as_deref().ok(), expected.as_deref());
    assert!(strict.is_ok() || strict.is_err_and(|error| error.position <= input.len()));

    let text = text(&input);
    let (bytes, _, is_lossy) = charset.encode(&text);
    let encoded = charset::encode(&text, charset, &encoder);
    assert_eq!(encoded.is_err(), is_lossy);
    assert!(encoded.as_ref().is_ok_and(|_| true) || text[encoded.unwrap_err().position..].chars().next().is_some());
    let with_references = charset::encode_with_references(&text, charset, &encoder);
    assert!(with_references.len() <= 3 * bytes.len() + 10 * text.len());
});

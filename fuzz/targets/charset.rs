//! Legacy charsets, against encoding_rs combined with the reference implementation.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::legacy::charset::{self, encoding_rs::*};
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
    let expected = decoded.as_ref().map(|bytes| charset.decode_without_bom_handling(bytes).0).map_err(|&error| error);
    assert_eq!(charset::decode_lossy(&input, charset, &decoder).as_deref(), expected.as_deref());
    let strict = charset::decode(&input, charset, &decoder);
    let text_of = |bytes| charset.decode_without_bom_handling_and_without_replacement(bytes);
    assert_eq!(strict.as_deref().ok(), decoded.as_deref().ok().and_then(text_of).as_deref());
    assert!(strict.is_ok() || strict.is_err_and(|error| error.position <= input.len()));

    let text = text(&input);
    let (bytes, _, is_lossy) = charset.encode(&text);
    let encoded = charset::encode(&text, charset, &encoder);
    assert_eq!(encoded.is_err(), is_lossy);
    assert!(encoded.as_ref().is_ok_and(|_| true) || text[encoded.unwrap_err().position..].chars().next().is_some());
    let with_references = charset::encode_with_references(&text, charset, &encoder);
    assert!(with_references.len() <= 3 * bytes.len() + 10 * text.len());
});

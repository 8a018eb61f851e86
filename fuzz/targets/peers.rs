//! Equality with other crates where their semantics are the same: verifies the table in
//! `simdpct::compat`.
#![no_main]

use std::borrow::Cow;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode, percent_encode};
use simdpct::{ByteSet, Decoder, Encoder, Level, form, sets};
use simdpct_fuzz::{exact, text};

const THEIRS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');
const OURS: ByteSet = sets::whatwg::C0_CONTROL.union(ByteSet::new(b" \"#<>?`{}"));

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    set: u8,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let input = exact(case.input);
    let text = text(&input);
    let sets: [(&'static AsciiSet, ByteSet); 4] = [
        (&AsciiSet::EMPTY, ByteSet::EMPTY),
        (CONTROLS, sets::whatwg::C0_CONTROL),
        (NON_ALPHANUMERIC, sets::ALPHA.union(sets::DIGIT).complement()),
        (THEIRS, OURS),
    ];
    let (theirs, ours) = sets[usize::from(case.set) % sets.len()];
    for level in Level::available() {
        let encoder = Encoder::new(ours).level(level);
        assert_eq!(Cow::from(percent_encode(&input, theirs)), encoder.encode(&input));
        let lenient = Decoder::new().lenient().level(level);
        assert_eq!(Cow::from(percent_decode(&input)), lenient.decode(&input).expect("lenient"));
        assert_eq!(percent_decode(&input).decode_utf8().ok(), lenient.decode_utf8(&input).ok());
        assert_eq!(percent_decode(&input).decode_utf8_lossy(), lenient.decode_utf8_lossy(&input).expect("lenient"));

        assert_eq!(urlencoding::encode_binary(&input), Encoder::COMPONENT.level(level).encode(&input));
        assert_eq!(urlencoding::decode_binary(&input), lenient.decode(&input).expect("lenient"));
        assert_eq!(
            urlencoding::decode(&text).ok(),
            lenient.decode_utf8(&text).ok().map(|text| text.into_owned().into())
        );

        let serialized: String = form_urlencoded::byte_serialize(&input).collect();
        assert_eq!(serialized, Encoder::FORM.level(level).encode(&input));
        assert!(form_urlencoded::parse(&input).eq(form::parse_lossy(&input).level(level)));
    }
});

//! Comparison of extended values with the reference implementation.

use std::borrow::Cow;

use simdpct::ext_value::{self, ExtValue};
use simdpct::reference;

/// Compares every form of decoding, on every level, with the reference implementation.
#[track_caller]
pub fn compare_ext_value(input: &[u8]) {
    let expected = reference::ext_value(input);
    for level in super::levels() {
        let parsed = ExtValue::parse_on(level, input);
        let parts = parsed.map(|value| (value.charset(), value.language().to_owned(), value.decode().into_owned()));
        assert_eq!(parts, expected, "{level}: {}", input.escape_ascii());
        let Ok(value) = parsed else { continue };
        let text = value.decode();
        assert_eq!(matches!(text, Cow::Borrowed(_)), !value.encoded().contains('%'));
        assert_eq!(value.decoded_len(), text.len());
        let mut output = vec![0xAA; text.len() + 1];
        assert_eq!(value.decode_into(&mut output[..text.len()]), Ok(text.len()), "{}", input.escape_ascii());
        assert_eq!(&output[..text.len()], text.as_bytes());
        assert_eq!(output[text.len()], 0xAA);
        for short in [0, text.len() / 2, text.len().saturating_sub(1)].into_iter().filter(|&short| short < text.len()) {
            assert_eq!(value.decode_into(&mut output[..short]).unwrap_err().needed, text.len());
        }
    }
    assert_eq!(ext_value::decode(input).map(|text| text.into_owned()), expected.map(|(_, _, text)| text));
}

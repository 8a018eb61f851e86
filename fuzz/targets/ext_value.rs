//! Extended values of header parameters: parsing any bytes, and writing any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simdpct::ext_value::{Encoder, ExtValue};
use simdpct_fuzz::common::ext_value::compare_ext_value;
use simdpct_fuzz::{exact, text};

fuzz_target!(|input: &[u8]| {
    let input = exact(input);
    compare_ext_value(&input);
    for prefix in ["UTF-8''", "ISO-8859-1'en'"] {
        compare_ext_value(&exact(&[prefix.as_bytes(), &input].concat()));
    }

    // The language is the part before the first space, if it is a tag.
    let whole = text(&input);
    let (language, text) = whole.split_once(' ').unwrap_or(("", &whole));
    let Ok(encoder) = Encoder::new().language(language) else { return };
    let encoded = encoder.encode(text);
    assert_eq!((encoder.encoded_len(text), encoder.display(text).to_string()), (encoded.len(), encoded.clone()));
    let value = ExtValue::parse(&encoded).expect("just encoded");
    assert_eq!((value.language(), &*value.decode()), (language, text));
});

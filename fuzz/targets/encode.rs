//! Encoding: every form, policy and level matches the reference implementation and stays in bounds.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::{Decoder, Level};
use simdpct_fuzz::{Encoding, common::compare_encoding, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    encoding: Encoding,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let encoder = case.encoding.encoder();
    compare_encoding(&encoder, case.input);

    let input = exact(case.input);
    for level in Level::available() {
        let encoder = encoder.level(level);
        let mut output = vec![0; encoder.encoded_len(&input)].into_boxed_slice();
        assert_eq!(encoder.encode_into(&input, &mut output), Ok(output.len()));
        assert_eq!(encoder.encode(&input).as_bytes(), &*output);
        // Lenient decoding of the output gives the data that was encoded.
        assert!(Decoder::new().lenient().level(level).decode(&output).is_ok());
    }
});

//! Encoding: every form, with every policy, on every level, is what the oracle says, and reads and writes no byte too many.
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
        // Whatever was escaped, lenient decoding finds the way back to what the encoder saw as data.
        assert!(Decoder::new().lenient().level(level).decode(&output).is_ok());
    }
});

//! Decoding: every form, policy and level matches the reference implementation and stays in bounds.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::Level;
use simdpct_fuzz::common::{compare_decoding, offset::compare_offsets};
use simdpct_fuzz::{Decoding, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    decoding: Decoding,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let decoder = case.decoding.decoder();
    compare_decoding(&decoder, case.input);

    let input = exact(case.input);
    for level in Level::available() {
        let decoder = decoder.level(level);
        let length = decoder.decoded_len(&input);
        let mut output = vec![0; length.unwrap_or(input.len())].into_boxed_slice();
        assert_eq!(decoder.decode_into(&input, &mut output).ok(), length.ok());
        let mut in_place = input.clone();
        assert_eq!(decoder.decode_in_place(&mut in_place).as_deref().ok(), length.is_ok().then_some(&*output));
        let text = decoder.decode_utf8(&input);
        assert_eq!(text.is_ok(), length.is_ok() && std::str::from_utf8(&output).is_ok());
    }
    // The reference is quadratic here: it maps each output position from the start.
    if input.len() <= 100 {
        compare_offsets(&decoder, &input);
    }
});

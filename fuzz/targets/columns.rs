//! Columns: every conversion with every policy equals the conversion of each row by itself, and
//! untrusted offsets and bitmaps are validated.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use simdpct::columns::{self, Column, OnError};
use simdpct_fuzz::common::columns::{
    Sample, compare_decoding, compare_decoding_as_java, compare_encoding, compare_extracting, compare_holding,
    compare_inspecting, compare_normalizing,
};
use simdpct_fuzz::{Decoding, Encoding, Set, exact};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    conversion: u8,
    decoding: Decoding,
    encoding: Encoding,
    set: Set,
    /// Row lengths, used in turn.
    lengths: [u8; 4],
    /// Validity bits of the rows, used in turn, and a bit offset; `None` if all are valid.
    validity: Option<(u8, u8)>,
    /// Arbitrary offsets.
    offsets: [i32; 4],
    bit_offset: u16,
    input: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let mut at = 0;
    let mut ends: Vec<usize> = std::iter::once(0)
        .chain(case.lengths.into_iter().cycle().map_while(|length| {
            at += usize::from(length % 64);
            (at < case.input.len()).then_some(at)
        }))
        // Rows of length 0 consume no input.
        .take(case.input.len() + 64)
        .collect();
    ends.push(case.input.len());
    let rows = ends.len() - 1;
    let bits = |pattern: u8| (0..rows).map(|row| pattern >> (row % 8) & 1 != 0).collect();
    let validity = case.validity.map(|(pattern, offset)| (bits(pattern), usize::from(offset % 16)));
    let sample = Sample { values: case.input.to_vec(), offsets: ends, validity };
    let (decoder, encoder) = (case.decoding.decoder(), case.encoding.encoder());
    match case.conversion % 7 {
        0 => compare_decoding::<i32>(&sample, &decoder),
        1 => compare_decoding::<i64>(&sample, &decoder),
        2 => compare_encoding::<i32>(&sample, &encoder),
        5 => compare_decoding_as_java::<i32>(&sample),
        6 => compare_extracting(&sample, "key 1"),
        3 if case.input.len() < 200 => compare_normalizing::<i64>(&sample),
        _ => {
            compare_inspecting(&sample);
            compare_holding(&sample, &case.set.0);
        }
    }

    let (values, offsets) = (exact(case.input), case.offsets);
    let is_sound = offsets.is_sorted() && offsets[0] >= 0 && offsets[3] as usize <= values.len();
    let column = Column::new(&values, &offsets);
    assert_eq!(column.is_ok(), is_sound, "{offsets:?}");
    if let Ok(column) = column {
        let has_bits = usize::from(case.bit_offset) + 3 <= 8 * values.len();
        let column = column.with_validity(&values, usize::from(case.bit_offset));
        assert_eq!(column.is_ok(), has_bits);
        let rows = column.map(|column| {
            columns::decode(&column, &decoder.lenient(), OnError::Null).map(|output| output.offsets.len())
        });
        assert!(rows.is_err() || rows.is_ok_and(|rows| rows == Ok(4)));
    }
});

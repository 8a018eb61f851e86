//! Column conversions: every conversion, with every policy and every cut into rows, equals the
//! conversion of each row by itself.

use crate::common::columns::{
    Combinations, Sample, compare_decoding, compare_decoding_as_java, compare_decoding_in, compare_encoding,
    compare_encoding_in, compare_extracting, compare_holding, compare_inspecting, compare_normalizing,
    compare_normalizing_in,
};
use crate::common::{decoders, encoders, is_long, is_quick, strategies};
use proptest::prelude::*;
use proptest::sample::Index;
use simdpct::columns::{self, Column, ColumnBuf, ColumnError, Conversion, OnError};
use simdpct::{ByteSet, DecodeErrorKind, Decoder, Encoder, Kinds, Normalizer};

/// Longer than one batch of the driver.
const LONG: usize = 8192;

#[test]
fn every_conversion_gives_known_rows() {
    let column = Column::new(b"..a%2fb100%%E9%7e+..", &[2_i32, 7, 11, 14, 14, 18]).unwrap();
    let column = column.with_validity(&[0b1101_1100], 2).unwrap();
    let rows = |output: ColumnBuf<i32>| -> Vec<Option<Vec<u8>>> {
        let column = output.as_column().unwrap();
        (0..column.len()).map(|row| column.row(row).map(<[u8]>::to_vec)).collect()
    };
    let some = |bytes: &[u8]| Some(bytes.to_vec());
    let decoder = Decoder::new();
    assert_eq!(
        rows(columns::decode(&column, &decoder, OnError::Null).unwrap()),
        [some(b"a/b"), None, some(b"\xE9"), None, some(b"~+")]
    );
    assert_eq!(
        rows(columns::decode_utf8(&column, &decoder, OnError::Keep).unwrap()),
        [some(b"a/b"), some(b"100%"), some(b"%E9"), None, some(b"~+")]
    );
    assert_eq!(
        rows(columns::decode_utf8_lossy(&column, &decoder.lenient(), OnError::Refuse).unwrap()),
        [some(b"a/b"), some(b"100%"), some("\u{FFFD}".as_bytes()), None, some(b"~+")]
    );
    assert_eq!(
        rows(columns::encode(&column, &Encoder::URI).unwrap()),
        [some(b"a%2fb"), some(b"100%25"), some(b"%E9"), None, some(b"%7e+")]
    );
    assert_eq!(
        rows(columns::normalize(&column, &Normalizer::new(), OnError::Keep).unwrap()),
        [some(b"a%2Fb"), some(b"100%"), some(b"%E9"), None, some(b"~+")]
    );
    let inspection = columns::inspect(&column);
    assert_eq!(inspection.rows[1], Kinds::MALFORMED);
    assert_eq!((inspection.rows[3], inspection.count(Kinds::ESCAPE)), (Kinds::NONE, 3));
}

/// The error names the first invalid offset.
#[test]
fn invalid_offsets_are_rejected_at_first_index() {
    use ColumnError::{DecreasingOffset, NegativeOffset, NoOffsets, OffsetBeyondValues};
    let cases: [(&[i64], Result<usize, ColumnError>); 14] = [
        (&[], Err(NoOffsets)),
        (&[0], Ok(0)),
        (&[9], Ok(0)),
        (&[0, 0, 3, 9, 9], Ok(4)),
        (&[4, 6], Ok(1)),
        (&[-1], Err(NegativeOffset { index: 0 })),
        (&[-1, 3], Err(NegativeOffset { index: 0 })),
        (&[0, 3, -1, 9], Err(NegativeOffset { index: 2 })),
        (&[0, 3, 2, 9], Err(DecreasingOffset { index: 2 })),
        (&[0, 10], Err(OffsetBeyondValues { index: 1 })),
        (&[10], Err(OffsetBeyondValues { index: 0 })),
        (&[0, 99, 9], Err(OffsetBeyondValues { index: 1 })),
        (&[0, i64::MAX], Err(OffsetBeyondValues { index: 1 })),
        (&[i64::MIN, i64::MAX], Err(NegativeOffset { index: 0 })),
    ];
    for (offsets, expected) in cases {
        let found = Column::new(b"123456789", offsets).map(|column| column.len());
        assert_eq!(found, expected, "{offsets:?}");
        // Checks the same with `i32` offsets, if they fit.
        if let Ok(offsets) = offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>() {
            assert_eq!(Column::new(b"123456789", &offsets).map(|column| column.len()), expected, "{offsets:?}");
        }
    }
    // 2^32 is out of range, although it is 0 if truncated to 32 bits.
    let column = Column::new(b"123456789", &[0, 1_i64 << 32]);
    assert_eq!(column.unwrap_err(), OffsetBeyondValues { index: 1 });
}

#[test]
fn short_validity_bitmap_is_rejected() {
    let column = Column::new(b"123456789", &[0_i32, 1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
    for (bytes, bit_offset, is_enough) in [
        (0, 0, false),
        (1, 0, false),
        (2, 0, true),
        (2, 7, true),
        (2, 8, false),
        (3, 15, true),
        (3, 16, false),
        (2, usize::MAX, false),
        (2, usize::MAX - 8, false),
        (2, usize::MAX - 9, false),
    ] {
        let result = column.with_validity(&[0; 3][..bytes], bit_offset);
        let expected = if is_enough { None } else { Some(ColumnError::ValidityTooShort) };
        assert_eq!(result.err(), expected, "{bytes} bytes from bit {bit_offset}");
    }
    let none = Column::<i32>::new(b"", &[0]).unwrap();
    assert!(none.with_validity(&[], 0).is_ok() && none.with_validity(&[], 1).is_err());
}

#[test]
fn invalid_output_is_rejected_unchanged() {
    let column = Column::new(b"a", &[0_i32, 1]).unwrap();
    for (offsets, validity) in [
        (vec![], None),
        (vec![0], None),
        (vec![0, 4], None),
        (vec![0, -1], None),
        (vec![0, 3], Some(vec![])),
        (vec![0, 1, 1, 1, 1, 1, 1, 1, 1, 3], Some(vec![0xFF])),
    ] {
        let output = ColumnBuf { values: b"123".to_vec(), offsets, validity };
        let mut found = output.clone();
        assert_eq!(
            Conversion::encode(&Encoder::PATH).append(&column, &mut found),
            Err(ColumnError::BadOutput),
            "{output:?}"
        );
        assert_eq!(found, output);
    }
    let bad = ColumnBuf { values: vec![], offsets: vec![0, 1], validity: None };
    assert_eq!(bad.as_column().unwrap_err(), ColumnError::OffsetBeyondValues { index: 1 });
}

/// An output one byte longer than `i32::MAX`, for each code path that checks it. The zeros take no
/// memory, because nothing writes them.
#[test]
#[cfg(all(target_pointer_width = "64", target_os = "linux", not(miri)))]
fn output_beyond_i32_offsets_is_rejected() {
    let full = i32::MAX as usize;
    let long = "x".repeat(LONG + 1);
    // The second number is the number of bytes that still fit, plus one.
    let cases =
        [("few rows", 4, vec!["ab"; 3]), ("many rows", 40, vec!["ab"; 30]), ("a long row", 4, vec!["ab", &long])];
    for (name, room, rows) in cases {
        let values = rows.concat().into_bytes();
        let ends = rows.iter().scan(0, |end, row| {
            *end += row.len() as i32;
            Some(*end)
        });
        let offsets: Vec<i32> = [0].into_iter().chain(ends).collect();
        let column = Column::new(&values, &offsets).unwrap();
        let fits = rows.iter().scan(0, |sum, row| {
            *sum += row.len();
            Some(*sum)
        });
        let row = fits.take_while(|&sum| sum < room).count();
        let mut output = ColumnBuf::<i32>::new();
        output.values = vec![0; full - room + 1];
        output.offsets.push(output.values.len() as i32);
        let before = (output.values.len(), output.offsets.clone());
        let results = [
            Conversion::encode(&Encoder::COMPONENT).append(&column, &mut output),
            Conversion::decode(&Decoder::new()).append(&column, &mut output),
            Conversion::decode_utf8_lossy(&Decoder::new()).append(&column, &mut output),
            Conversion::normalize(&Normalizer::new()).append(&column, &mut output),
            Conversion::encode(&Encoder::COMPONENT).append_rows(rows.iter().map(Some), &mut output),
        ];
        assert_eq!(results, [Err(ColumnError::TooLong { row }); 5], "{name}");
        assert_eq!((output.values.len(), output.offsets.clone()), before, "{name}");

        // The preceding rows fit, to the last byte.
        let column = Column::new(&values, &offsets[..=row]).unwrap();
        Conversion::encode(&Encoder::COMPONENT).append(&column, &mut output).unwrap();
        assert!(output.values.len() <= full && output.values.ends_with(&values[..offsets[row] as usize]), "{name}");
    }
}

/// Rows that grow when encoded are checked by their output length. An output of exactly `i32::MAX`
/// bytes fits.
#[test]
#[cfg(all(target_pointer_width = "64", target_os = "linux", not(miri)))]
fn output_of_exactly_i32_max_bytes_fits() {
    let column = Column::new(b"    ", &[0_i32, 1, 2, 3, 4]).unwrap();
    for (room, expected) in
        [(12, Ok(())), (11, Err(ColumnError::TooLong { row: 3 })), (0, Err(ColumnError::TooLong { row: 0 }))]
    {
        let mut output = ColumnBuf::<i32>::new();
        output.values = vec![0; i32::MAX as usize - room];
        output.offsets.push(output.values.len() as i32);
        let result = Conversion::encode(&Encoder::COMPONENT).append(&column, &mut output);
        assert_eq!(result.map(|summary| assert_eq!(summary.rows, 4)), expected, "{room}");
        assert_eq!(output.offsets.len(), if expected.is_ok() { 6 } else { 2 });
    }
}

/// Normalizing must keep the escaped digits after the malformed '%' escaped if all are in one row,
/// or a new triplet would result.
const MALFORMED_BEFORE_DIGITS: [&str; 2] = ["%%34%31", "%4%42%71"];

/// A triplet, or a malformed one, at every position of a text, and a row end at every position
/// around it.
///
/// Each dimension has its own purpose:
///
/// * position: every alignment of the triplet in a block, of every width, and across two blocks;
/// * row end: every way to cut the triplet into two rows, and a row end next to it;
/// * codec and output form (bytes, text, lossy text): every instance of the kernels and every
///   repair of rows that were cut;
/// * level: every kernel.
///
/// These four are combined without exception. How an invalid row is handled and what the output
/// held before depend on the row, not on where its bytes are in a block, so each combination of the
/// four runs one of the nine pairs of policy and output. The number of the pair changes with the
/// position and the row end: a row end relative to the triplet meets all nine pairs within nine
/// positions.
#[test]
fn triplet_and_row_end_at_every_position_match_reference() {
    let codecs = (
        [
            Decoder::new(),
            Decoder::new().lenient(),
            Decoder::new().lenient().keep(ByteSet::new(b"A")),
            Decoder::new().lenient().keep(ByteSet::new(b"%A")).reject(ByteSet::new(b"q")),
        ],
        [Encoder::COMPONENT, Encoder::URI, Encoder::new(ByteSet::ALL).keep_triplets(), Encoder::PATH.keep_non_ascii()],
    );
    for special in ["%41", "%fa%C3%a9", "%4", "%%41", "é", "%é"].into_iter().chain(MALFORMED_BEFORE_DIGITS) {
        // A step of 9 still covers every position in a 16-byte block.
        for before in (0..140).step_by(if is_quick() { 9 } else { 1 }) {
            let text = ["z".repeat(before), special.to_owned(), "z".repeat(70)].concat().into_bytes();
            for cut in before.saturating_sub(1)..before + special.len() + 2 {
                // Enough rows for batch processing, some of them empty.
                let sample = Sample::cut(&text, [cut, cut, before / 2, before / 3, text.len() - 30, text.len() - 9]);
                let pair = Combinations::One(before + cut);
                compare_inspecting(&sample);
                codecs.0.iter().for_each(|decoder| compare_decoding_in::<i32>(pair, &sample, decoder));
                codecs.1.iter().for_each(|encoder| compare_encoding_in::<i32>(pair, &sample, encoder));
                if MALFORMED_BEFORE_DIGITS.contains(&special) {
                    compare_normalizing_in::<i32>(pair, &sample);
                }
            }
        }
    }
}

/// Texts longer than one batch: valid, with errors of every kind, and malformed throughout; cut
/// into rows of every length. The second batch of the first two texts has few triplets, every other
/// batch many.
#[test]
fn columns_longer_than_one_batch_match_reference() {
    let mut plain: Vec<u8> = b"/plain/text/with%20some/%C3%A9/".iter().copied().cycle().take(3 * LONG + 100).collect();
    for (at, byte) in plain[LONG..2 * LONG].iter_mut().enumerate() {
        let is_kept = at % 310 < 31;
        *byte = if *byte == b'%' && !is_kept { b'-' } else { *byte };
    }
    let mut dirty = plain.clone();
    for (at, what) in
        [(5000, &b"%zz"[..]), (5100, b"%FF"), (9000, b"\0"), (9100, b"%"), (12000, b"\xC3"), (12100, b"%00")]
    {
        dirty[at..at + what.len()].copy_from_slice(what);
    }
    let decoders = [
        Decoder::new(),
        Decoder::new().lenient().plus_for_space(),
        Decoder::new().lenient().keep(ByteSet::new(b" ")).reject(ByteSet::new(b"\0")),
        Decoder::new().lenient().keep(ByteSet::new(b"%")).reject(ByteSet::new(b"\0")),
    ];
    let malformed: Vec<u8> = b"/a%20b%%34%31/%C3%A9/%4%31".iter().copied().cycle().take(2 * LONG + 100).collect();
    for text in [plain, dirty, malformed] {
        let lengths = [1, 3, 31, 50, 64, 500, LONG / 4, LONG / 4 + 1, LONG - 1, LONG, LONG + 1, 2 * LONG];
        // Rows of one byte, and in a quick run all short rows, take longest: there are more of
        // them.
        let (first, step) = if is_quick() { (3, 4) } else { (usize::from(!is_long()), 1) };
        for length in lengths.into_iter().skip(first).step_by(step) {
            let sample = Sample::cut(&text, (0..text.len()).step_by(length));
            decoders.iter().for_each(|decoder| compare_decoding::<i32>(&sample, decoder));
            for encoder in [Encoder::FORM, Encoder::URI, Encoder::URI.keep_non_ascii()] {
                compare_encoding::<i64>(&sample, &encoder);
            }
            compare_normalizing::<i64>(&sample);
            compare_inspecting(&sample);
            compare_holding(&sample, &ByteSet::new(b"%\0"));
        }
    }
}

/// Each row is one character. The decoded text of the rows, validated together, has a separator
/// after each byte or two.
#[test]
fn inspecting_rows_of_one_character_matches_reference() {
    for character in
        [&b"\xC3"[..], b"\xA9", "é".as_bytes(), b"%C3", b"%A9", b"%c3%A9", "\u{1F600}".as_bytes(), b";", b"%3b"]
    {
        let text = character.repeat(if is_quick() { LONG / 4 } else { LONG });
        compare_inspecting(&Sample::cut(&text, (0..text.len()).step_by(character.len())));
        // Halves of characters, which are well-formed only if rows are taken together.
        compare_inspecting(&Sample::cut(&text, (0..text.len()).step_by(character.len().div_ceil(2))));
    }
}

/// Halves of a character with text between them, up to two blocks long, and a triplet that extends
/// into it. One row each: if a row is ill-formed, those beside it are validated or inspected again.
#[test]
fn inspecting_halves_of_a_character_apart_matches_reference() {
    for [first, second] in [[&b"\xC3"[..], b"\xA9"], [b"%C3", b"%A9"], [b"%41", b"\xA9"]] {
        for before in 55..70 {
            for between in (0..70).chain(120..135) {
                let text = [&b"z".repeat(before)[..], first, &b"z".repeat(between), second, b"z"].concat();
                compare_inspecting(&Sample::cut(&text, []));
            }
        }
    }
}

/// Many more rows than bytes, and null rows that have bytes.
#[test]
fn empty_and_null_rows_match_reference() {
    let text = b"a%20b%2".repeat(20);
    let empty = (0..3 * LONG).map(|number| number % 11 * 10);
    let mut sample = Sample::cut(&text, empty);
    compare_decoding::<i32>(&sample, &Decoder::new().lenient());
    for period in [2, 3, 64] {
        sample = Sample::cut(&text, (0..text.len()).step_by(5));
        sample.validity = Some(((0..sample.rows()).map(|row| row % period != 1).collect(), 3));
        compare_decoding::<i32>(&sample, &Decoder::new());
        compare_encoding::<i32>(&sample, &Encoder::URI);
        compare_inspecting(&sample);
        compare_holding(&sample, &ByteSet::new(b"2"));
    }
}

/// The rows after an invalid row are converted correctly, at every density of invalid rows.
#[test]
fn invalid_rows_at_any_distance_match_reference() {
    let rows = if is_quick() { 500 } else { 3000 };
    for distance in [1, 2, 3, 4, 5, 9, 40, 400] {
        let row = |number: usize| if number.is_multiple_of(distance) { "%zz%20" } else { "a%20bcd" };
        let text: String = (0..rows).map(row).collect();
        let ends = (0..rows).scan(0, |end, number| {
            *end += row(number).len();
            Some(*end)
        });
        let sample = Sample::cut(text.as_bytes(), ends.take(rows - 1));
        compare_decoding::<i32>(&sample, &Decoder::new());
        compare_normalizing::<i32>(&sample);
    }
    // Rows that end within a triplet: all, many, few, none, all.
    let mut text = Vec::new();
    let mut ends = Vec::new();
    for period in [1, 2, 7, 30, usize::MAX, 1] {
        for row in 0..20_000 / 8 {
            text.extend_from_slice(if row % period == 0 { b"ab%20cd%" } else { b"41ab%20c" });
            ends.push(text.len());
        }
    }
    ends.pop();
    let sample = Sample::cut(&text, ends);
    compare_decoding::<i32>(&sample, &Decoder::new().lenient());
    compare_decoding::<i32>(&sample, &Decoder::new());
    compare_encoding::<i32>(&sample, &Encoder::URI);
}

#[test]
fn row_error_is_the_first_of_its_row() {
    let column = Column::new(b"0123good %FF%zz0123", &[4_i32, 9, 15, 19]).unwrap();
    for (result, kind, position) in [
        (columns::decode(&column, &Decoder::new(), OnError::Refuse), DecodeErrorKind::Malformed, 3),
        (columns::decode_utf8(&column, &Decoder::new(), OnError::Refuse), DecodeErrorKind::InvalidUtf8, 0),
        (columns::decode_utf8(&column, &Decoder::new().lenient(), OnError::Refuse), DecodeErrorKind::InvalidUtf8, 0),
        (columns::normalize(&column, &Normalizer::new(), OnError::Refuse), DecodeErrorKind::Malformed, 3),
    ] {
        let Err(ColumnError::Row(first)) = result else { panic!("{result:?}") };
        assert_eq!((first.row, first.error.kind, first.error.position), (1, kind, position));
    }
    assert_eq!(
        columns::decode(&column, &Decoder::new(), OnError::Refuse).unwrap_err().to_string(),
        "row 1: malformed percent-encoding: '%' without two hexadecimal digits at byte 3"
    );
    // A row that is not UTF-8 cannot be kept in a text column.
    let column = Column::new(b"%zz\xFF", &[0_i32, 4]).unwrap();
    let result = columns::decode_utf8(&column, &Decoder::new(), OnError::Keep);
    assert!(
        matches!(result, Err(ColumnError::Row(first)) if (first.row, first.error.position) == (0, 0)),
        "{result:?}"
    );
}

/// The first error is reported under every policy for invalid rows.
#[test]
fn first_error_is_reported_with_null_and_keep() {
    let column = Column::new(b"good%2%zzgood%C3", &[0_i32, 4, 6, 9, 13, 16]).unwrap();
    for on_error in [OnError::Null, OnError::Keep] {
        let conversion = Conversion::decode_utf8(&Decoder::new()).on_error(on_error);
        let rows = [Some("good"), Some("%2"), Some("%zz"), Some("good"), Some("%C3")];
        let summaries = [
            conversion.convert(&column).unwrap().summary,
            conversion.append(&column, &mut ColumnBuf::new()).unwrap(),
            conversion.append_rows(rows, &mut ColumnBuf::<i64>::new()).unwrap(),
        ];
        for summary in summaries {
            assert_eq!((summary.rows, summary.invalid), (5, 3));
            let first = summary.first_error.unwrap();
            assert_eq!((first.row, first.error.kind, first.error.position), (1, DecodeErrorKind::Malformed, 0));
            // Kept rows are their input.
            assert_eq!(summary.changed, on_error == OnError::Null);
        }
    }
}

/// Rows with an index beyond the first gathered chunk, and rows that are too long to be copied.
#[test]
fn errors_in_gathered_rows_have_the_index_of_their_row() {
    let long = "x".repeat(LONG);
    for bad in [0, 1, 700, 9000, 9999] {
        let rows = (0..10_000).map(|row| match row {
            _ if row == bad => Some("a%"),
            _ if row % 1000 == 0 => Some(&long[..]),
            _ => Some("a%20b"),
        });
        let mut output = ColumnBuf::<i32>::new();
        let result = Conversion::decode(&Decoder::new()).append_rows(rows.clone(), &mut output);
        let Err(ColumnError::Row(first)) = result else { panic!("{result:?}") };
        assert_eq!((first.row, first.error.position), (bad, 1));
        assert_eq!(output, ColumnBuf::new());
        let null = Conversion::decode(&Decoder::new()).on_error(OnError::Null);
        let summary = null.append_rows(rows, &mut output).unwrap();
        assert_eq!((summary.rows, summary.first_error.unwrap().row, output.offsets.len()), (10_000, bad, 10_001));
    }
}

/// When an output is full, the conversion continues in another output, for a column and for rows.
#[test]
#[cfg(all(target_pointer_width = "64", target_os = "linux", not(miri)))]
fn fitting_conversion_stops_at_the_row_that_does_not_fit() {
    let conversion = Conversion::encode(&Encoder::COMPONENT);
    let offsets: Vec<i32> = (0..=30).map(|row| 2 * row).collect();
    let values = b"a ".repeat(30);
    let column = Column::new(&values, &offsets).unwrap().with_validity(&[0xFF, 0xFB, 0xFF, 0xFF], 0).unwrap();
    let rows = || (0..30).map(|row| column.row(row));
    for room in [0, 3, 4, 7, 8, 40, 79, 80, 200] {
        let full = || ColumnBuf::<i32> {
            values: vec![0; i32::MAX as usize - room],
            offsets: vec![0, i32::MAX - room as i32],
            validity: None,
        };
        // Row 10 is null, so it takes no space.
        let fits = if room / 4 < 10 { room / 4 } else { (room / 4 + 1).min(30) };
        for by_rows in [false, true] {
            let mut output = full();
            let summary = if by_rows {
                conversion.append_fitting_rows(rows(), &mut output)
            } else {
                conversion.append_fitting(&column, &mut output)
            };
            let summary = summary.unwrap();
            assert_eq!((summary.rows, summary.changed), (fits, fits > 0), "{room}");
            assert_eq!(output.offsets.len(), 2 + fits);
            assert_eq!(output.as_column().unwrap().row(11), None);
            let bits = output.validity.map_or(0, |bitmap| bitmap.iter().map(|byte| byte.count_ones()).sum());
            assert_eq!(bits as usize, if bits == 0 { 0 } else { 1 + fits - usize::from(fits > 10) });

            let mut rest = ColumnBuf::<i32>::new();
            let summary = if by_rows {
                conversion.append_fitting_rows(rows().skip(fits), &mut rest)
            } else {
                conversion.append_fitting(&column.skip(fits), &mut rest)
            };
            assert_eq!(summary.unwrap().rows, 30 - fits);
            let wanted: Vec<_> = rows().skip(fits).map(|row| row.map(|_| &b"a%20"[..])).collect();
            let found = rest.as_column().unwrap();
            assert_eq!((0..found.len()).map(|row| found.row(row)).collect::<Vec<_>>(), wanted);
        }
    }
}

/// A row that does not fit an empty output is an error, so that a loop ends.
#[test]
#[cfg(all(target_pointer_width = "64", target_os = "linux", not(miri)))]
fn fitting_conversion_of_a_row_longer_than_any_output_is_an_error() {
    // The zeros take no memory, because nothing reads them.
    let long = vec![0; i32::MAX as usize + 1];
    let conversion = Conversion::decode(&Decoder::new());
    let mut output = ColumnBuf::<i32>::new();
    let result = conversion.append_fitting_rows([Some(&b"a"[..]), Some(&long)], &mut output);
    assert_eq!(result.map(|summary| summary.rows), Ok(1));
    let mut output = ColumnBuf::<i32>::new();
    let result = conversion.append_fitting_rows([Some(&long)], &mut output);
    assert_eq!((result, output), (Err(ColumnError::TooLong { row: 0 }), ColumnBuf::new()));
}

/// A kept invalid row that does not fit is not in the summary.
#[test]
#[cfg(all(target_pointer_width = "64", target_os = "linux", not(miri)))]
fn summary_of_a_fitting_conversion_has_only_appended_rows() {
    let column = Column::new(b"a%zz", &[0_i32, 1, 4]).unwrap();
    let mut output =
        ColumnBuf::<i32> { values: vec![0; i32::MAX as usize - 2], offsets: vec![0, i32::MAX - 2], validity: None };
    let conversion = Conversion::decode(&Decoder::new()).on_error(OnError::Keep);
    let summary = conversion.append_fitting(&column, &mut output).unwrap();
    assert_eq!((summary.rows, summary.invalid, summary.first_error, summary.changed), (1, 0, None, false));
}

/// Input that only Java accepts, and surrogates.
fn java_input() -> impl Strategy<Value = Vec<u8>> {
    let special = ["%+4", "%-0", "%-1", "%１F", "%٣٤", "%𝟏𝟐", "%ED%A0%80", "%ED%BF", "%ED", "+", "%C3", "é", "%4"];
    let special = prop::sample::select(special.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    prop::collection::vec(prop_oneof![3 => special, 1 => strategies::input()], 0..6).prop_map(|parts| parts.concat())
}

/// URIs with repeated and misplaced delimiters.
fn url_input() -> impl Strategy<Value = Vec<u8>> {
    let parts =
        ["http:", "//", "user@", "[::1]", ":80", "[", "]", "/a", "?", "key+1=", "%6Bey%201=v+%C3", "&", "#", "=", ":"];
    let parts = prop::sample::select(parts.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    prop::collection::vec(prop_oneof![9 => parts, 1 => strategies::input()], 0..12).prop_map(|parts| parts.concat())
}

fn sample() -> impl Strategy<Value = Sample> {
    sample_of(strategies::input())
}

fn sample_of(input: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Sample> {
    let pieces = prop::collection::vec(input, 0..12);
    let cuts = prop::collection::vec(any::<Index>(), 0..40);
    let validity = prop::option::of((any::<u64>(), 0..20_usize));
    (pieces, cuts, 0..4_u8, validity).prop_map(|(pieces, cuts, how, validity)| {
        let text = pieces.concat();
        let ends = pieces.iter().scan(0, |end, piece| {
            *end += piece.len();
            Some(*end)
        });
        let at_random = cuts.iter().map(|cut| cut.index(text.len() + 1));
        // Cuts between the pieces, anywhere, or both.
        let mut sample = match how {
            0 => Sample::cut(&text, ends),
            1 => Sample::cut(&text, at_random),
            _ => Sample::cut(&text, ends.chain(at_random)),
        };
        // A slice of a column.
        let rows = sample.rows();
        if rows > 4 && how != 0 {
            sample.offsets.drain(..2);
            sample.offsets.pop();
        }
        sample.validity = validity.map(|(bits, offset)| {
            ((0..sample.rows()).map(|row| bits >> (row % 64) & 1 != 0 || row % 5 > 2).collect(), offset)
        });
        sample
    })
}

proptest! {
    #[test]
    fn decoding_by_grid_matches_reference(sample in sample()) {
        for decoder in decoders().into_iter().step_by(5) {
            compare_decoding::<i32>(&sample, &decoder);
        }
    }

    #[test]
    fn decoding_by_random_sets_matches_reference(sample in sample(), decoder in strategies::any_decoder()) {
        compare_decoding::<i64>(&sample, &decoder);
    }

    #[test]
    fn decoding_as_java_matches_reference(sample in sample_of(java_input())) {
        compare_decoding_as_java::<i32>(&sample);
    }

    #[test]
    fn encoding_by_grid_matches_reference(sample in sample()) {
        for encoder in encoders() {
            compare_encoding::<i32>(&sample, &encoder);
        }
    }

    #[test]
    fn encoding_by_random_sets_matches_reference(sample in sample(), encoder in strategies::any_encoder()) {
        compare_encoding::<i64>(&sample, &encoder);
    }

    #[test]
    fn normalizing_matches_reference(sample in sample()) {
        compare_normalizing::<i32>(&sample);
    }

    #[test]
    fn extracting_matches_reference(sample in sample_of(url_input())) {
        compare_extracting(&sample, "key 1");
    }

    #[test]
    fn rows_holding_matches_reference(sample in sample(), set in strategies::byte_set()) {
        compare_holding(&sample, &set);
        compare_holding(&sample, &ByteSet::new(b"%"));
    }

    #[test]
    fn inspecting_matches_reference(sample in sample()) {
        compare_inspecting(&sample);
    }

    #[test]
    fn random_offsets_are_validated_without_panic(values in prop::collection::vec(any::<u8>(), 0..20), offsets in prop::collection::vec(-3..25_i64, 0..6)) {
        let is_good = !offsets.is_empty() && offsets.is_sorted() && offsets[0] >= 0 && *offsets.last().unwrap() <= values.len() as i64;
        let column = Column::new(&values, &offsets);
        prop_assert_eq!(column.is_ok(), is_good);
        if let Ok(column) = column {
            columns::encode(&column, &Encoder::URI).unwrap();
            columns::decode_utf8(&column, &Decoder::new(), OnError::Null).unwrap();
        }
    }
}

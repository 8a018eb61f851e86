//! Comparison of every column conversion with the reference implementation applied to each row by
//! itself.

use std::str::Utf8Chunk;

use simdpct::columns::{
    self, Column, ColumnBuf, ColumnError, Conversion, Inspection, Offset, OnError, Operation, Rewrite, Summary,
    rows_holding,
};
use simdpct::legacy::java;
use simdpct::uri::Part;
use simdpct::{ByteSet, DecodeError, Decoder, Encoder, Kinds, Level, Malformed, Normalizer, reference, sets};

use super::Surrounded;

pub const POLICIES: [OnError; 3] = [OnError::Refuse, OnError::Null, OnError::Keep];

/// A column with values before the first row and after the last one, and validity bits before the
/// first one.
#[derive(Clone, Debug)]
pub struct Sample {
    pub values: Vec<u8>,
    /// Start of the first row and the end of each row, in `values`.
    pub offsets: Vec<usize>,
    /// A bit per row, and the number of bits that precede them.
    pub validity: Option<(Vec<bool>, usize)>,
}

impl Sample {
    /// Cuts a text into rows.
    pub fn cut(text: &[u8], cuts: impl IntoIterator<Item = usize>) -> Self {
        let mut offsets: Vec<usize> =
            cuts.into_iter().filter(|&cut| cut <= text.len()).chain([0, text.len()]).collect();
        offsets.sort_unstable();
        Self { values: text.to_vec(), offsets, validity: None }
    }

    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A row, or `None` if it is null.
    pub fn row(&self, row: usize) -> Option<&[u8]> {
        let is_valid = self.validity.as_ref().is_none_or(|(bits, _)| bits[row]);
        is_valid.then(|| &self.values[self.offsets[row]..self.offsets[row + 1]])
    }

    pub fn bitmap(&self) -> Option<(Vec<u8>, usize)> {
        self.validity.as_ref().map(|(bits, offset)| {
            // The bits outside the rows are the inverse of their neighbours.
            let before = (0..*offset).map(|_| bits.first() != Some(&true));
            (pack(before.chain(bits.iter().copied()), bits.last() != Some(&true)), *offset)
        })
    }
}

/// A bitmap of `bits`, with the rest of the last byte filled with `others`.
pub fn pack(bits: impl Iterator<Item = bool>, others: bool) -> Vec<u8> {
    let bits: Vec<bool> = bits.collect();
    let byte = |bits: &[bool]| (0..8).map(|bit| u8::from(*bits.get(bit).unwrap_or(&others)) << bit).sum();
    bits.chunks(8).map(byte).collect()
}

/// The result of converting one row by itself: its output, or the error and what [`OnError::Keep`]
/// leaves of the row (`None`: it cannot be kept).
pub type RowResult = Result<Vec<u8>, (DecodeError, Option<Vec<u8>>)>;

/// A copy of [`Summary`], which tests cannot construct.
#[derive(Debug, PartialEq)]
pub struct Wanted {
    rows: usize,
    invalid: usize,
    first_error: Option<(usize, DecodeError)>,
    changed: bool,
}

/// The result of a conversion, to be compared.
fn found(result: Result<Summary, ColumnError>) -> Result<Wanted, (usize, DecodeError)> {
    match result {
        Ok(Summary { rows, invalid, first_error, changed, .. }) => {
            Ok(Wanted { rows, invalid, first_error: first_error.map(|first| (first.row, first.error)), changed })
        }
        Err(ColumnError::Row(first)) => Err((first.row, first.error)),
        Err(error) => panic!("{error}"),
    }
}

/// The pairs of a policy and an initial output that a comparison runs.
#[derive(Clone, Copy)]
pub enum Combinations {
    All,
    /// One pair, by its number modulo the number of pairs.
    One(usize),
}

impl Combinations {
    /// Numbers of the pairs, of `count`.
    fn numbers(self, count: usize) -> std::ops::Range<usize> {
        match self {
            Self::All => 0..count,
            Self::One(number) => number % count..number % count + 1,
        }
    }
}

/// Outputs to append to: an empty one, and one with rows, without and with a validity bitmap.
pub fn outputs<O: Offset + From<i32>>() -> [ColumnBuf<O>; 3] {
    let before =
        |validity| ColumnBuf { values: b"before %4".to_vec(), offsets: [0, 6, 6, 9].map(O::from).to_vec(), validity };
    [ColumnBuf::new(), before(None), before(Some(vec![0b1111_1101]))]
}

/// Appends `rows` to `output` one by one; `None` is a null row.
pub fn expected<O: Offset + TryFrom<usize>>(
    sample: &Sample,
    rows: &[Option<RowResult>],
    has_validity: bool,
    output: &mut ColumnBuf<O>,
    on_error: OnError,
) -> Result<Wanted, (usize, DecodeError)> {
    let rows_before = output.offsets.len() - 1;
    let is_valid = |row: usize| output.validity.as_ref().is_none_or(|bitmap| bitmap[row / 8] >> (row % 8) & 1 != 0);
    let mut bits: Vec<bool> = (0..rows_before).map(is_valid).collect();
    let mut has_bits = output.validity.is_some() || has_validity;
    let mut wanted = Wanted { rows: rows.len(), invalid: 0, first_error: None, changed: false };
    for (row, result) in rows.iter().enumerate() {
        let (mut is_valid, start) = (result.is_some(), output.values.len());
        match result {
            None => {}
            Some(Ok(bytes)) => output.values.extend(bytes),
            Some(Err((error, kept))) => {
                wanted.invalid += 1;
                wanted.first_error = wanted.first_error.or(Some((row, *error)));
                match (on_error, kept) {
                    (OnError::Null, _) => (is_valid, has_bits) = (false, true),
                    (OnError::Keep, Some(bytes)) => output.values.extend(bytes),
                    _ => return Err((row, *error)),
                }
            }
        }
        wanted.changed |= sample.row(row) != is_valid.then(|| &output.values[start..]);
        bits.push(is_valid);
        output.offsets.push(O::try_from(output.values.len()).unwrap_or_else(|_| panic!("too long")));
    }
    output.validity = has_bits.then(|| pack(bits.into_iter(), false));
    Ok(wanted)
}

/// Compares every form of a conversion, on every level, with `convert` applied to each row by
/// itself.
///
/// The expected rows depend neither on the level, nor on the policy, nor on the output, so the slow
/// reference implementation runs once for all of them.
pub fn compare_with<O: Offset + From<i32> + TryFrom<usize> + PartialEq, C: Rewrite>(
    sample: &Sample,
    context: &dyn std::fmt::Debug,
    policies: &[OnError],
    combinations: Combinations,
    convert: &dyn Fn(&[u8]) -> RowResult,
    conversion: &dyn Fn(Level) -> Conversion<C>,
) {
    let surrounded = Surrounded::new(&sample.values);
    let offset = |at: usize| O::try_from(at).unwrap_or_else(|_| panic!("too long"));
    let offsets: Vec<O> = sample.offsets.iter().map(|&at| offset(at)).collect();
    let bitmap = sample.bitmap();
    let mut column = Column::new(surrounded.input(), &offsets).unwrap();
    if let Some((bitmap, offset)) = &bitmap {
        column = column.with_validity(bitmap, *offset).unwrap();
    }
    assert_eq!(column.len(), sample.rows());
    let rows: Vec<Option<RowResult>> = (0..sample.rows()).map(|row| sample.row(row).map(convert)).collect();
    let has_nulls = rows.iter().any(Option::is_none);
    let outputs = outputs::<O>();
    for number in combinations.numbers(policies.len() * outputs.len()) {
        let (on_error, output) = (policies[number % policies.len()], &outputs[number / policies.len()]);
        let wanted = |has_validity| {
            let mut wanted = output.clone();
            let result = expected(sample, &rows, has_validity, &mut wanted, on_error);
            (result, wanted)
        };
        let (of_column, of_rows) = (wanted(sample.validity.is_some()), wanted(has_nulls));
        for level in super::levels() {
            let conversion = conversion(level).on_error(on_error);
            let check = |wanted: &(Result<Wanted, _>, ColumnBuf<O>), result, found_output: ColumnBuf<O>| {
                let context = || format!("{on_error:?} on {level} of {sample:?} by {context:?}");
                assert_eq!(found(result), wanted.0, "{}", context());
                if wanted.0.is_ok() {
                    assert_eq!(found_output, wanted.1, "{}", context());
                    assert_eq!(found_output.as_column().unwrap().len(), output.offsets.len() - 1 + sample.rows());
                } else {
                    // Bits after the last row have no meaning and may change.
                    let masked = |output: ColumnBuf<O>| ColumnBuf {
                        validity: output.validity.map(|bitmap| vec![bitmap[0] & 0b111]),
                        ..output
                    };
                    assert_eq!(masked(found_output), masked(output.clone()), "{}", context());
                }
            };
            let mut found = output.clone();
            check(&of_column, conversion.append(&column, &mut found), found);
            let mut found = output.clone();
            let result = conversion.append_rows((0..sample.rows()).map(|row| sample.row(row)), &mut found);
            check(&of_rows, result, found);
            if number < policies.len() {
                // The output is empty, as `convert`'s is.
                let mut found = output.clone();
                check(&of_column, conversion.append_fitting(&column, &mut found), found);
                match conversion.convert(&column) {
                    Ok(converted) => {
                        assert_eq!(converted.column.is_some(), converted.summary.changed);
                        let found = converted.column.unwrap_or_else(|| of_column.1.clone());
                        check(&of_column, Ok(converted.summary), found);
                    }
                    Err(error) => check(&of_column, Err(error), output.clone()),
                }
            }
        }
    }
    compare_triggers(sample, &rows, &conversion(Level::active()));
}

/// Asserts that rows without triggers are not changed.
fn compare_triggers<C: Rewrite>(sample: &Sample, results: &[Option<RowResult>], conversion: &Conversion<C>) {
    for (row, result) in results.iter().enumerate() {
        let (Some(bytes), Some(result)) = (sample.row(row), result) else { continue };
        let holds = |set: ByteSet| bytes.iter().any(|&byte| set.contains(byte));
        if !holds(conversion.triggers()) || std::str::from_utf8(bytes).is_ok() && !holds(conversion.triggers_in_text())
        {
            assert_eq!(result.as_deref(), Ok(bytes), "{:?}", conversion.triggers());
        }
    }
}

/// Compares the search for rows that contain a byte of a set.
pub fn compare_holding(sample: &Sample, set: &ByteSet) {
    let surrounded = Surrounded::new(&sample.values);
    let offsets: Vec<i64> = sample.offsets.iter().map(|&at| at as i64).collect();
    let bitmap = sample.bitmap();
    let mut column = Column::new(surrounded.input(), &offsets).unwrap();
    if let Some((bitmap, offset)) = &bitmap {
        column = column.with_validity(bitmap, *offset).unwrap();
    }
    let rows = || (0..sample.rows()).map(|row| sample.row(row));
    let holds = |row: Option<&[u8]>| row.is_some_and(|row| reference::find(set, row).is_some());
    let wanted: Vec<bool> = rows().map(holds).collect();
    let found = [column.rows_holding(set), rows_holding(rows(), set)];
    for found in super::levels().map(|level| column.rows_holding_on(level, set)).chain(found) {
        assert_eq!((found.len(), found.is_empty()), (sample.rows(), sample.rows() == 0));
        assert_eq!((0..sample.rows()).map(|row| found.contains(row)).collect::<Vec<_>>(), wanted);
        assert!(!found.contains(sample.rows()));
        let members: Vec<usize> = (0..sample.rows()).filter(|&row| wanted[row]).collect();
        assert_eq!((found.count(), found.iter().collect::<Vec<_>>()), (members.len(), members));
        assert_eq!(found.into_bitmap(), pack(wanted.iter().copied(), false), "{sample:?} {set:?}");
    }
    for skipped in [0, 1, sample.rows() / 2, sample.rows(), sample.rows() + 1] {
        let rest = column.skip(skipped);
        let wanted: Vec<_> = rows().skip(skipped).collect();
        assert_eq!((0..rest.len()).map(|row| rest.row(row)).collect::<Vec<_>>(), wanted);
    }
}

pub fn compare_decoding<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(sample: &Sample, decoder: &Decoder) {
    compare_decoding_in::<O>(Combinations::All, sample, decoder);
}

pub fn compare_decoding_in<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(
    combinations: Combinations,
    sample: &Sample,
    decoder: &Decoder,
) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).is_ok().then(|| bytes.to_vec());
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into_bytes();
    compare_with::<O, _>(
        sample,
        &(decoder, "bytes"),
        &POLICIES,
        combinations,
        &|row| reference::decode(decoder, row).map_err(|error| (error, Some(row.to_vec()))),
        &|level| Conversion::decode(&decoder.level(level)),
    );
    compare_with::<O, _>(
        sample,
        &(decoder, "text"),
        &POLICIES,
        combinations,
        &|row| reference::decode_utf8(decoder, row).map(String::into_bytes).map_err(|error| (error, text(row))),
        &|level| Conversion::decode_utf8(&decoder.level(level)),
    );
    compare_with::<O, _>(
        sample,
        &(decoder, "lossy"),
        &POLICIES,
        combinations,
        &|row| {
            let decoded = reference::decode_utf8_replacing(decoder, row, "\u{FFFD}");
            decoded.map(String::into_bytes).map_err(|error| (error, Some(lossy(row))))
        },
        &|level| Conversion::decode_utf8_lossy(&decoder.level(level)),
    );
}

pub fn compare_decoding_as_java<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(sample: &Sample) {
    let lossy = |bytes: &[u8]| java::text(bytes).into_owned().into_bytes();
    // Java decodes strings, so other bytes count as encoded.
    let escaped = |row: &[u8]| -> String {
        let escape = |chunk: Utf8Chunk<'_>| {
            let invalid: String = chunk.invalid().iter().map(|byte| format!("%{byte:02X}")).collect();
            chunk.valid().to_owned() + &invalid
        };
        row.utf8_chunks().map(escape).collect()
    };
    let is_text = |row: &[u8]| std::str::from_utf8(row).is_ok();
    compare_with::<O, _>(
        sample,
        &"as Java",
        &POLICIES,
        Combinations::All,
        &|row| match reference::decode_java(&escaped(row)) {
            Ok(text) => Ok(text.into_bytes()),
            Err(error) if is_text(row) => Err((error, Some(lossy(row)))),
            // The position is in the escaped row.
            Err(_) => Err((java::decode(row).unwrap_err(), Some(lossy(row)))),
        },
        &|level| Conversion::decode_java().level(level),
    );
}

pub fn compare_encoding<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(sample: &Sample, encoder: &Encoder) {
    compare_encoding_in::<O>(Combinations::All, sample, encoder);
}

pub fn compare_encoding_in<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(
    combinations: Combinations,
    sample: &Sample,
    encoder: &Encoder,
) {
    compare_with::<O, _>(
        sample,
        encoder,
        &[OnError::Refuse],
        combinations,
        &|row| Ok(reference::encode(encoder, row).into_bytes()),
        &|level| Conversion::encode(&encoder.level(level)),
    );
}

pub fn compare_normalizing<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(sample: &Sample) {
    compare_normalizing_in::<O>(Combinations::All, sample);
}

pub fn compare_normalizing_in<O: Offset + From<i32> + TryFrom<usize> + PartialEq>(
    combinations: Combinations,
    sample: &Sample,
) {
    for set in [sets::UNRESERVED, ByteSet::ALL, ByteSet::EMPTY] {
        for malformed in [Malformed::Refuse, Malformed::Keep, Malformed::Escape] {
            let normalizer = &Normalizer::new().decode(set).malformed(malformed);
            compare_with::<O, _>(
                sample,
                normalizer,
                &POLICIES,
                combinations,
                &|row| reference::normalize(normalizer, row).map_err(|error| (error, Some(row.to_vec()))),
                &|level| Conversion::normalize(&normalizer.level(level)),
            );
        }
    }
}

pub fn compare_inspecting(sample: &Sample) {
    let surrounded = Surrounded::new(&sample.values);
    let offsets: Vec<i64> = sample.offsets.iter().map(|&at| at as i64).collect();
    let bitmap = sample.bitmap();
    let mut column = Column::new(surrounded.input(), &offsets).unwrap();
    if let Some((bitmap, offset)) = &bitmap {
        column = column.with_validity(bitmap, *offset).unwrap();
    }
    let among = |kinds: Kinds| -> Vec<Kinds> {
        let of_row = |row: &[u8]| reference::findings(row).into_iter().map(|(_, kind)| kind & kinds).collect();
        (0..sample.rows()).map(|row| sample.row(row).map_or(Kinds::NONE, of_row)).collect()
    };
    let wanted = among(Kinds::EVERY.without(Kinds::ON_REQUEST));
    for level in super::levels() {
        let found = Inspection::on(level, &column);
        assert_eq!(found.rows, wanted, "{level}: {sample:?}");
        assert_eq!(found.kinds(), wanted.iter().fold(Kinds::NONE, |all, &kinds| all | kinds));
        for &(kind, _) in Kinds::ALL {
            assert_eq!(found.count(kind), wanted.iter().filter(|kinds| kinds.contains(kind)).count());
        }
    }
    assert_eq!(columns::inspect(&column).rows, wanted);
    assert_eq!(columns::inspect_rows((0..sample.rows()).map(|row| sample.row(row))).rows, wanted);
    let numbers: Vec<u32> = wanted.iter().map(|kinds| kinds.bits()).collect();
    assert_eq!(columns::inspect(&column).into_bits(), numbers);
    for kinds in [Kinds::EVERY, Kinds::ON_REQUEST, Kinds::DOUBLE | Kinds::ESCAPE] {
        assert_eq!(Inspection::among(kinds, &column).rows, among(kinds));
        assert_eq!(Inspection::among_rows(kinds, (0..sample.rows()).map(|row| sample.row(row))).rows, among(kinds));
    }
}

/// Compares the extraction of every part, and of the values of `name`.
pub fn compare_extracting(sample: &Sample, name: &str) {
    for &part in Part::ALL {
        let wanted = |row: &[u8]| reference::uri_part(row, part).map(<[u8]>::to_vec);
        compare_extraction(sample, &wanted, &Conversion::uri_part(part));
    }
    let form_value = |form: &[u8]| reference::form_value(form, name).map(String::into_bytes);
    compare_extraction(sample, &form_value, &Conversion::form_value(name));
    let query_value = |row: &[u8]| reference::uri_part(row, Part::Query).and_then(form_value);
    compare_extraction(sample, &query_value, &Conversion::query_value(name));
}

fn compare_extraction<C: Operation>(
    sample: &Sample,
    wanted: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    conversion: &Conversion<C>,
) {
    let surrounded = Surrounded::new(&sample.values);
    let offsets: Vec<i64> = sample.offsets.iter().map(|&at| at as i64).collect();
    let bitmap = sample.bitmap();
    let mut column = Column::new(surrounded.input(), &offsets).unwrap();
    if let Some((bitmap, offset)) = &bitmap {
        column = column.with_validity(bitmap, *offset).unwrap();
    }
    let wanted: Vec<Option<Vec<u8>>> = (0..sample.rows()).map(|row| sample.row(row).and_then(wanted)).collect();
    let changed = (0..sample.rows()).any(|row| wanted[row].as_deref() != sample.row(row));
    let rows =
        |column: &Column<'_, i64>| (0..column.len()).map(|row| column.row(row).map(<[u8]>::to_vec)).collect::<Vec<_>>();
    for before in outputs::<i64>() {
        let (mut by_column, mut by_rows) = (before.clone(), before.clone());
        let summaries = [
            conversion.append(&column, &mut by_column).unwrap(),
            conversion.append_rows((0..sample.rows()).map(|row| sample.row(row)), &mut by_rows).unwrap(),
            conversion.convert(&column).unwrap().summary,
        ];
        for summary in summaries {
            let found = (summary.rows, summary.invalid, summary.first_error, summary.changed);
            assert_eq!(found, (sample.rows(), 0, None, changed), "{sample:?}");
        }
        let all = [rows(&before.as_column().unwrap()), wanted.clone()].concat();
        assert_eq!(rows(&by_column.as_column().unwrap()), all, "{sample:?}");
        assert_eq!(rows(&by_rows.as_column().unwrap()), all, "{sample:?}");
    }
}

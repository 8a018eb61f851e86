//! Delimited fields without quotes.

use std::ops::Range;

use super::{Filter, LINE_ENDS, Operation, Place, To, kept, pairs, same, split_end};

pub(super) fn check(
    input: &[u8],
    output: &[u8],
    delimiter: u8,
    columns: &Range<usize>,
    to: To,
    filter: Filter,
    operation: Operation,
) {
    let place = Place::safe(LINE_ENDS.with(delimiter));
    let fields = |line: &[u8]| -> Vec<Vec<u8>> { line.split(|&byte| byte == delimiter).map(<[u8]>::to_vec).collect() };
    let selected = |line: &[u8]| {
        let numbered = fields(line).into_iter().enumerate();
        numbered.filter(|(column, _)| columns.contains(column)).map(|(_, field)| field).collect::<Vec<_>>()
    };
    let first = input.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    let width = (to == To::Column).then(|| fields(split_end(first, b'\n').0).len());
    let Some(kept) = kept(input, b'\n', filter, operation, place, |line| Some(selected(line))) else { return };
    for (before, after) in pairs(&kept, output, b'\n') {
        let ((before, end), (after, same_end)) = (split_end(before, b'\n'), split_end(after, b'\n'));
        assert_eq!(end, same_end);
        if to != To::Alone {
            let is_selected = |column: usize| columns.contains(&column);
            check_row(&fields(before), &fields(after), is_selected, width, |field| operation.apply(field, place));
        } else if let Some(results) =
            selected(before).iter().map(|field| operation.apply(field, place)).collect::<Option<Vec<_>>>()
        {
            same(after, &results.join(&delimiter), before);
        }
    }
}

/// The selected fields have their results, and all other fields are unchanged. With a width, the
/// results follow this number of fields instead, and a shorter record is padded.
#[track_caller]
pub(super) fn check_row(
    before: &[Vec<u8>],
    after: &[Vec<u8>],
    is_selected: impl Fn(usize) -> bool,
    width: Option<usize>,
    apply: impl Fn(&[u8]) -> Option<Vec<u8>>,
) {
    let check = |field: &[u8], result: &[u8]| {
        if let Some(expected) = apply(field) {
            same(result, &expected, field);
        }
    };
    let Some(width) = width else {
        assert_eq!(after.len(), before.len(), "{before:?} {after:?}");
        for (column, (before, after)) in before.iter().zip(after).enumerate() {
            if is_selected(column) { check(before, after) } else { same(after, before, before) }
        }
        return;
    };
    // An invalid record may be unchanged.
    if after == before {
        return;
    }
    let (fields, surplus) = before.split_at(before.len().min(width));
    let padded = [fields, &vec![Vec::new(); width - fields.len()]].concat();
    let selected: Vec<usize> = (0..width).filter(|&column| is_selected(column)).collect();
    assert_eq!(after.len(), width + selected.len() + surplus.len(), "{before:?} {after:?}");
    assert_eq!(after[..width], padded);
    assert_eq!(&after[width + selected.len()..], surplus);
    for (at, column) in selected.into_iter().enumerate() {
        // A field that the record does not have gets no result.
        match fields.get(column) {
            Some(field) => check(field, &after[width + at]),
            None => same(&after[width + at], b"", b""),
        }
    }
}

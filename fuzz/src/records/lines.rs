//! Lines and NUL-terminated records: each is one field.

use simdpct::ByteSet;

use super::{Filter, LINE_ENDS, Operation, Place, To, count, kept, pairs, same, split_end};

pub(super) fn check(input: &[u8], output: &[u8], separator: u8, to: To, filter: Filter, operation: Operation) {
    let appends = to == To::Column;
    let safe = if separator == b'\n' { LINE_ENDS } else { ByteSet::new(&[separator]) };
    let place = Place::safe(if appends { safe.with(b'\t') } else { safe });
    let fields = |text: &[u8]| Some(vec![text.to_vec()]);
    let Some(kept) = kept(input, separator, filter, operation, place, fields) else { return };
    if operation.is_decoding() && !appends && separator == b'\n' {
        assert_eq!(count(output, b'\r'), count(&kept, b'\r'));
    }
    for (before, after) in pairs(&kept, output, separator) {
        let (text, end) = split_end(before, separator);
        let Some(result) = operation.apply(text, place) else { continue };
        let expected = if appends { [text, b"\t", &result, end].concat() } else { [&result, end].concat() };
        same(after, &expected, before);
    }
}

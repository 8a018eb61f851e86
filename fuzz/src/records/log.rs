//! Access logs, whose lines are read by a simple grammar: no backslashes.

use simdpct::ByteSet;

use super::{Filter, LogFormat, Operation, Place, To, count, is_faulty, pairs, records, same, split_end};

const IN_QUOTES: ByteSet = ByteSet::range(0, 0x1F).with(0x7F).with(b'"').with(b'\\');
const IN_RESULTS: ByteSet = ByteSet::new(b"\t\n\r");

/// The parts of a line; the request target and the referer have odd indices.
type Cut<'l> = Vec<&'l [u8]>;

/// Cuts a line. `None` if it does not match the grammar.
fn cut(line: &[u8], format: LogFormat, operation: Operation) -> Option<Cut<'_>> {
    if format == LogFormat::Template || line.contains(&b'\\') {
        return None;
    }
    let start = line.windows(3).position(|window| window == b"] \"")? + 3;
    let (before, rest) = line.split_at(start);
    let (request, rest) = rest.split_at(rest.iter().position(|&byte| byte == b'"')?);
    let target = request.iter().position(|&byte| byte == b' ').map_or(0, |at| at + 1);
    let end = request.iter().rposition(|&byte| byte == b' ').filter(|&at| at >= target);
    let end = end.filter(|&at| request[at + 1..].starts_with(b"HTTP/")).unwrap_or(request.len());
    let before = &line[..before.len() + target];
    let after = &line[start + end..];
    let target = &request[target..end];
    if format == LogFormat::Common || is_of_targets(operation) {
        return Some(vec![before, target, after]);
    }
    // The text after the quote that ends the request.
    let quote = |from: usize| rest[from..].iter().position(|&byte| byte == b'"').map(|at| from + at);
    let referer = quote(1)? + 1;
    let end = quote(referer)?;
    let between = &after[..after.len() - rest.len() + referer];
    Some(vec![before, target, between, &rest[referer..end], &rest[end..]])
}

/// Whether only request targets are fields.
fn is_of_targets(operation: Operation) -> bool {
    matches!(operation, Operation::Get { .. } | Operation::FromForm(_))
}

/// The places of the target and of the referer.
fn places(to: To, operation: Operation) -> [Place; 2] {
    let [target, referer] = match to {
        To::Alone => [IN_RESULTS; 2],
        To::Column if is_of_targets(operation) => [IN_QUOTES; 2],
        _ => [IN_QUOTES.with(b' '), IN_QUOTES],
    };
    [Place { is_target: true, ..Place::safe(target) }, Place::safe(referer)]
}

/// The fields of a line, with their places.
fn fields<'l>(cut: &Cut<'l>, places: [Place; 2]) -> impl Iterator<Item = (&'l [u8], Place)> {
    cut.clone().into_iter().skip(1).step_by(2).zip(places)
}

pub(super) fn check(input: &[u8], output: &[u8], format: LogFormat, to: To, filter: Filter, operation: Operation) {
    let places = places(to, operation);
    let mut kept = Vec::new();
    for record in records(b'\n', input) {
        let is_written = filter == Filter::All || {
            let Some(cut) = cut(split_end(record, b'\n').0, format, operation) else { return };
            let is_written =
                |(field, place): (&[u8], Place)| filter.writes(operation, &[field.to_vec()], place, is_faulty(field));
            let Some(fields) = fields(&cut, places).map(is_written).collect::<Option<Vec<_>>>() else { return };
            // Every field of a valid record is valid.
            if filter == Filter::Valid { !fields.contains(&false) } else { fields.contains(&true) }
        };
        if is_written {
            kept.extend_from_slice(record);
        }
    }
    for (before, after) in pairs(&kept, output, b'\n') {
        if let Some(cut) = cut(split_end(before, b'\n').0, format, operation).filter(|_| operation.is_known()) {
            check_line(before, after, &cut, to, places, operation);
        }
        if to != To::Alone {
            check_rest(before, after, to, operation);
        }
    }
}

/// Compares a line of the grammar.
fn check_line(before: &[u8], after: &[u8], cut: &Cut<'_>, to: To, places: [Place; 2], operation: Operation) {
    let (text, end) = split_end(before, b'\n');
    let results: Vec<_> =
        fields(cut, places).map(|(field, place)| operation.apply(field, place).expect("it is known")).collect();
    let mut expected = Vec::new();
    match to {
        To::Field => {
            for (at, part) in cut.iter().enumerate() {
                expected.extend_from_slice(if at % 2 == 1 { &results[at / 2] } else { part });
            }
        }
        To::Column | To::Named(_) => {
            expected.extend_from_slice(text);
            results.iter().for_each(|result| expected.extend([b" \"", &result[..], b"\""].concat()));
        }
        To::Alone => expected = results.join(&b'\t'),
    }
    expected.extend_from_slice(end);
    same(after, &expected, before);
}

/// Compares the text around the fields of any line.
fn check_rest(before: &[u8], after: &[u8], to: To, operation: Operation) {
    if operation.is_decoding() && to == To::Field {
        for byte in *b"\r\"\\" {
            assert_eq!(count(after, byte), count(before, byte), "{}", after.escape_ascii());
        }
    }
    // The text before the request and after the last quote is unchanged.
    let request = before.windows(3).position(|window| window == b"] \"").map_or(before.len(), |at| at + 3);
    assert!(after.starts_with(&before[..request.min(split_end(before, b'\n').0.len())]));
    let rest = before.iter().rposition(|&byte| byte == b'"').map_or(0, |at| at);
    assert!(to == To::Column || after.ends_with(&before[rest..]), "{}", after.escape_ascii());
}

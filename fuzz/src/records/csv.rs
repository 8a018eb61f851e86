//! CSV, as the crate csv reads it.

use super::fields::check_row;
use super::{BYTE_ORDER_MARK, Columns, Filter, LINE_ENDS, Operation, Place, To, is_faulty};

/// A record.
struct Row {
    fields: Vec<Vec<u8>>,
    /// Whether it is a line of CR alone, which `pct` does not count as a record.
    is_empty: bool,
}

/// The fields of each record. A CR before the line feed that ends a record belongs to no field.
fn rows(text: &[u8], delimiter: u8) -> Vec<Row> {
    // The reader drops a byte order mark. The mark of the file is already removed, so it drops this
    // second mark.
    let text = [BYTE_ORDER_MARK, text].concat();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(&text[..]);
    let mut record = csv::ByteRecord::new();
    let mut rows = Vec::new();
    let mut start = BYTE_ORDER_MARK.len();
    while reader.read_byte_record(&mut record).expect("any bytes are records") {
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        let end = reader.position().byte() as usize;
        if text[..end].ends_with(b"\r\n")
            && let Some(last) = fields.last_mut()
            && last.ends_with(b"\r")
        {
            last.pop();
        }
        let is_empty = text[start..end].iter().all(|byte| b"\r\n".contains(byte));
        start = end;
        rows.push(Row { fields, is_empty });
    }
    rows
}

/// Whether the last quoted field is closed. If so, the text after it is a separate record.
fn is_closed(text: &[u8], delimiter: u8) -> bool {
    rows(&[text, b"\nx\n"].concat(), delimiter).len() == rows(text, delimiter).len() + 1
}

pub(super) fn check(
    input: &[u8],
    output: &[u8],
    delimiter: u8,
    columns: &Columns,
    to: To,
    filter: Filter,
    operation: Operation,
) {
    let (before, after) = (rows(input, delimiter), rows(output, delimiter));
    let has_header = !matches!(columns, Columns::Range(_));
    // The first line is the header, even if it is empty and has no names.
    let Some(first) = before.iter().position(|row| has_header || !row.is_empty) else { return };
    let header = &before[first].fields;
    let is_selected = |column: usize| match columns {
        Columns::Range(range) => range.contains(&column),
        Columns::Named(name) => header.get(column).is_some_and(|field| field == name.as_bytes()),
        Columns::Unknown => false,
    };
    let is_known = operation.is_known() && !matches!(columns, Columns::Unknown);
    if !is_known && (filter != Filter::All || to == To::Alone) {
        return;
    }
    let place = Place::safe(LINE_ENDS);
    let selected = |row: &Row| {
        let numbered = row.fields.iter().enumerate();
        numbered.filter(|(column, _)| is_selected(*column)).map(|(_, field)| field.clone()).collect::<Vec<_>>()
    };
    let unclosed = (!is_closed(input, delimiter)).then(|| before.len() - 1);
    let is_header = |number: usize| has_header && number == 0 && unclosed != Some(0);
    let is_kept = |(number, row): &(usize, &Row)| {
        if is_header(*number) {
            return Some(true);
        }
        if row.is_empty {
            return Some(filter.has_unchanged());
        }
        if unclosed == Some(*number) {
            return Some(to != To::Alone && matches!(filter, Filter::All | Filter::Invalid));
        }
        let fields = selected(row);
        filter.writes(operation, &fields, place, fields.iter().any(|field| is_faulty(field)))
    };
    let mut kept = Vec::new();
    for row in before.iter().enumerate() {
        match is_kept(&row) {
            Some(true) => kept.push(row),
            Some(false) => {}
            None => return,
        }
    }
    assert_eq!(kept.len(), after.len(), "{} became {}", input.escape_ascii(), output.escape_ascii());
    let width = matches!(to, To::Column | To::Named(_)).then_some(header.len());
    for ((number, row), after) in kept.into_iter().zip(&after) {
        let (before, after) = (&row.fields, &after.fields);
        if row.is_empty || unclosed == Some(number) {
            assert_eq!(before, after);
        } else if is_header(number) {
            check_header(before, after, &is_selected, columns, to);
        } else if to == To::Alone {
            let mut expected: Vec<_> =
                selected(row).iter().map(|field| operation.apply(field, place).expect("it is known")).collect();
            if has_header {
                let missing = (row.fields.len()..header.len()).filter(|&column| is_selected(column));
                expected.extend(missing.map(|_| Vec::new()));
            }
            if expected.is_empty() {
                expected.push(Vec::new());
            }
            assert_eq!(*after, expected, "{before:?}");
        } else if matches!(columns, Columns::Unknown) {
            assert_eq!(after.len(), before.len());
        } else {
            check_row(before, after, is_selected, width, |field| operation.apply(field, place));
        }
    }
}

fn check_header(
    before: &[Vec<u8>],
    after: &[Vec<u8>],
    is_selected: &impl Fn(usize) -> bool,
    columns: &Columns,
    to: To,
) {
    let expected = match to {
        To::Alone => (0..before.len()).filter(|&column| is_selected(column)).map(|at| before[at].clone()).collect(),
        To::Named(new) => [before, &[new.as_bytes().to_vec()]].concat(),
        To::Field => before.to_vec(),
        To::Column => unreachable!("no unit of the table: {columns:?}"),
    };
    assert_eq!(after, expected);
}

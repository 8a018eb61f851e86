//! What must hold of a text and what `pct` made of it, by the judgement of others: the oracle, the csv crate and serde_json.

use std::ops::Range;

use serde_json::Value;
use simdpct::{ByteSet, Decoder, Encoder, reference};

/// What is done with each field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    Decoding(Decoder),
    Encoding(Encoder),
    /// It decodes, but not as the oracle does.
    OtherDecoding,
    /// A line becomes one in another format.
    Form,
    Other,
}

impl Operation {
    pub const DECODE: Self = Self::Decoding(Decoder::new().lenient());
    pub const DECODE_PLUS: Self = Self::Decoding(Decoder::new().lenient().plus_for_space());
    pub const ENCODE: Self = Self::Encoding(Encoder::COMPONENT);

    /// The same, where nobody knows what a field becomes.
    pub fn unknown(self) -> Self {
        match self {
            Self::Decoding(_) => Self::OtherDecoding,
            Self::Encoding(_) => Self::Other,
            other => other,
        }
    }

    /// Whether it changes no byte but the triplets and '+'.
    fn is_decoding(self) -> bool {
        matches!(self, Self::Decoding(_) | Self::OtherDecoding)
    }

    /// What becomes of a field in which these bytes must not come to stand.
    fn apply(self, field: &[u8], safe: ByteSet) -> Option<Vec<u8>> {
        match self {
            // A '+' must not become the space that ends a field, nor %2B what it is not then.
            Self::Decoding(_) if self == Self::DECODE_PLUS && safe.contains(b' ') => {
                Self::DECODE.apply(field, safe.with(b'+'))
            }
            Self::Decoding(decoder) => Some(reference::decode(&decoder.keep(safe), field).expect("lenient")),
            Self::Encoding(encoder) => Some(reference::encode(&encoder, field).into_bytes()),
            Self::OtherDecoding | Self::Form | Self::Other => None,
        }
    }
}

/// What the records are, and which of their fields are meant.
#[derive(Clone, Debug)]
pub enum Unit {
    Records {
        separator: u8,
        append: bool,
    },
    Fields {
        delimiter: u8,
        columns: Range<usize>,
        append: bool,
    },
    /// Without columns, the header has to be read for them.
    Csv {
        delimiter: u8,
        columns: Option<Range<usize>>,
        append: bool,
    },
    Json {
        append: bool,
    },
    Log {
        append: bool,
    },
}

impl Unit {
    pub fn separator(&self) -> u8 {
        match self {
            Self::Records { separator, .. } => *separator,
            _ => b'\n',
        }
    }
}

pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const LINE_ENDS: ByteSet = ByteSet::new(b"\r\n");

/// Every record with its end; the last one may lack it.
pub fn records(separator: u8, text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == separator).collect()
}

fn count(text: &[u8], wanted: u8) -> usize {
    text.iter().filter(|&&byte| byte == wanted).count()
}

/// The record without and with its end.
fn split_end(record: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let length = match record {
        [.., b'\r', b'\n'] if separator == b'\n' => 2,
        [.., end] if *end == separator => 1,
        _ => 0,
    };
    record.split_at(record.len() - length)
}

#[track_caller]
pub fn same(found: &[u8], expected: &[u8], context: &[u8]) {
    assert!(
        found == expected,
        "{} became {}, not {}",
        context.escape_ascii(),
        found.escape_ascii(),
        expected.escape_ascii()
    );
}

/// The records of both, with as many as there were.
#[track_caller]
fn pairs<'t>(input: &'t [u8], output: &'t [u8], separator: u8) -> impl Iterator<Item = (&'t [u8], &'t [u8])> {
    let (before, after) = (records(separator, input), records(separator, output));
    let is_ended = |text: &[u8]| text.is_empty() || text.ends_with(&[separator]);
    assert_eq!(count(output, separator), count(input, separator), "{}", output.escape_ascii());
    assert!(!is_ended(input) || is_ended(output), "{}", output.escape_ascii());
    before.into_iter().zip(after)
}

pub fn check_lines(input: &[u8], output: &[u8], separator: u8, append: bool, operation: Operation) {
    if operation.is_decoding() && !append && separator == b'\n' {
        assert_eq!(count(output, b'\r'), count(input, b'\r'));
    }
    let safe = if separator == b'\n' { LINE_ENDS } else { ByteSet::new(&[separator]) };
    for (before, after) in pairs(input, output, separator) {
        let (text, end) = split_end(before, separator);
        let safe = if append { safe.with(b'\t') } else { safe };
        let Some(result) = operation.apply(text, safe) else { continue };
        let expected = if append { [text, b"\t", &result, end].concat() } else { [&result, end].concat() };
        same(after, &expected, before);
    }
}

pub fn check_fields(
    input: &[u8],
    output: &[u8],
    delimiter: u8,
    columns: &Range<usize>,
    append: bool,
    operation: Operation,
) {
    let fields =
        |line: &'_ [u8]| -> Vec<Vec<u8>> { line.split(|&byte| byte == delimiter).map(<[u8]>::to_vec).collect() };
    let first = input.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    let width = append.then(|| fields(split_end(first, b'\n').0).len());
    for (before, after) in pairs(input, output, b'\n') {
        let ((before, end), (after, same_end)) = (split_end(before, b'\n'), split_end(after, b'\n'));
        assert_eq!(end, same_end);
        check_row(&fields(before), &fields(after), Some(columns), width, |field| {
            operation.apply(field, LINE_ENDS.with(delimiter))
        });
    }
}

/// The fields that are meant became what they had to; all others are as they were. With a width, the results were added after as many
/// fields instead, and a shorter record was padded.
#[track_caller]
fn check_row(
    before: &[Vec<u8>],
    after: &[Vec<u8>],
    columns: Option<&Range<usize>>,
    width: Option<usize>,
    apply: impl Fn(&[u8]) -> Option<Vec<u8>>,
) {
    let Some(columns) = columns else {
        assert_eq!(after.len(), before.len());
        return;
    };
    let Some(width) = width else {
        let meant = columns.start.min(before.len())..columns.end.min(before.len());
        assert_eq!(after.len(), before.len(), "{before:?} {after:?}");
        for column in (0..before.len()).filter(|column| !meant.contains(column)) {
            same(&after[column], &before[column], &before[column]);
        }
        return check_results(&before[meant.clone()], &after[meant], apply);
    };
    // An invalid record may have been passed on as it is.
    if after == before {
        return;
    }
    let meant = columns.start.min(width)..columns.end.min(width);
    let (fields, surplus) = before.split_at(before.len().min(width));
    let padded = [fields, &vec![Vec::new(); width - fields.len()]].concat();
    assert_eq!(after.len(), width + meant.len() + surplus.len(), "{before:?} {after:?}");
    assert_eq!(after[..width], padded);
    assert_eq!(&after[width + meant.len()..], surplus);
    check_results(&padded[meant.clone()], &after[width..width + meant.len()], apply);
}

#[track_caller]
fn check_results(fields: &[Vec<u8>], results: &[Vec<u8>], apply: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    for (field, result) in fields.iter().zip(results) {
        if let Some(expected) = apply(field) {
            same(result, &expected, field);
        }
    }
}

/// The fields of each record, as the csv crate reads them; a CR before the line feed that ends a record is in none.
fn csv_records(text: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(text);
    let mut record = csv::ByteRecord::new();
    let mut all = Vec::new();
    while reader.read_byte_record(&mut record).expect("any bytes are records") {
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        let end = reader.position().byte() as usize;
        if text[..end].ends_with(b"\r\n")
            && let Some(last) = fields.last_mut()
            && last.ends_with(b"\r")
        {
            last.pop();
        }
        all.push(fields);
    }
    all
}

pub fn check_csv(
    input: &[u8],
    output: &[u8],
    delimiter: u8,
    columns: Option<&Range<usize>>,
    append: bool,
    operation: Operation,
) {
    let (before, after) = (csv_records(input, delimiter), csv_records(output, delimiter));
    assert_eq!(before.len(), after.len(), "{}", output.escape_ascii());
    let last = before.len().saturating_sub(1);
    let is_empty = |fields: &[Vec<u8>]| matches!(fields, [field] if field.iter().all(|&byte| byte == b'\r'));
    let first = before.iter().find(|fields| !is_empty(fields));
    let width = first.filter(|_| append).map(Vec::len);
    for (number, (before, after)) in before.iter().zip(&after).enumerate() {
        // A quoted field that is never closed stays as it is, and so does its record; a line of CR alone is none.
        if before == after && (number == last || is_empty(before)) {
            continue;
        }
        // The file's first text has become what a reader takes for a byte order mark.
        if number == 0 && output.starts_with(BYTE_ORDER_MARK) && !input.starts_with(BYTE_ORDER_MARK) {
            assert_eq!(after.len(), before.len());
            continue;
        }
        check_row(before, after, columns, width, |field| operation.apply(field, LINE_ENDS));
    }
}

/// What is meant by `-k u -k a.b`.
const PATHS: [&[&str]; 2] = [&["u"], &["a", "b"]];

pub fn check_json(input: &[u8], output: &[u8], append: bool, operation: Operation) {
    let parse = |line: &[u8]| serde_json::from_slice::<Value>(line);
    for (before, after) in pairs(input, output, b'\n') {
        let (parsed, found) = (parse(before), parse(after));
        assert_eq!(parsed.is_ok(), found.is_ok(), "{} became {}", before.escape_ascii(), after.escape_ascii());
        match (parsed, found) {
            (Ok(mut expected), Ok(found)) if !append && operation.apply(b"", ByteSet::EMPTY).is_some() => {
                apply_json(&mut expected, &PATHS, operation);
                assert_eq!(found, expected);
            }
            _ => {}
        }
    }
}

/// Does the strings under these paths.
fn apply_json(value: &mut Value, paths: &[&[&str]], operation: Operation) {
    match value {
        Value::String(text) if paths.contains(&&[][..]) => {
            let bytes = operation.apply(text.as_bytes(), ByteSet::EMPTY).expect("it is known");
            *text = bytes
                .utf8_chunks()
                .map(|chunk| chunk.valid().to_owned() + &reference::encode(&Encoder::COMPONENT, chunk.invalid()))
                .collect();
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| apply_json(element, paths, operation)),
        Value::Object(members) => {
            for (name, member) in members {
                let paths: Vec<&[&str]> = paths
                    .iter()
                    .filter_map(|path| path.split_first())
                    .filter(|(first, _)| *first == name)
                    .map(|(_, rest)| rest)
                    .collect();
                apply_json(member, &paths, operation);
            }
        }
        _ => {}
    }
}

pub fn check_log(input: &[u8], output: &[u8], append: bool, operation: Operation) {
    for (before, after) in pairs(input, output, b'\n') {
        if operation.is_decoding() && !append {
            for byte in *b"\r\"\\" {
                assert_eq!(count(after, byte), count(before, byte), "{}", after.escape_ascii());
            }
        }
        // Everything before the request and behind the last quote is as it was.
        let request = before.windows(3).position(|window| window == b"] \"").map_or(before.len(), |at| at + 3);
        assert!(after.starts_with(&before[..request.min(split_end(before, b'\n').0.len())]));
        let rest = before.iter().rposition(|&byte| byte == b'"').map_or(0, |at| at);
        assert!(append || after.ends_with(&before[rest..]), "{}", after.escape_ascii());
    }
}

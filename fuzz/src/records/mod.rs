//! Judges the output of `pct` for a text by other implementations: the reference implementation and
//! the crates csv, serde_json and form_urlencoded.

mod csv;
mod fields;
mod form;
mod json;
mod lines;
mod log;
mod operation;
mod url;

use std::ops::Range;

use simdpct::ByteSet;

pub use form::Shape;
pub use json::Path;
pub use operation::Operation;
pub use url::Part;

use operation::{Place, is_faulty};

/// The format of the records, and the selection of fields.
#[derive(Clone, Debug)]
pub enum Unit {
    Records { separator: u8, to: To },
    Fields { delimiter: u8, columns: Range<usize>, to: To },
    Csv { delimiter: u8, columns: Columns, to: To },
    Json { paths: &'static [&'static Path], to: To },
    Log { format: LogFormat, to: To },
}

/// Where results go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum To {
    Field,
    /// `--append`.
    Column,
    /// `--append-as`.
    Named(&'static str),
    /// `--print-field`.
    Alone,
}

/// The selected columns of CSV.
#[derive(Clone, Debug)]
pub enum Columns {
    Range(Range<usize>),
    /// All columns with this name in the header.
    Named(&'static str),
    /// In the header, but unknown to the model.
    Unknown,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogFormat {
    Common,
    Combined,
    /// The fields are the same as in the combined format.
    Template,
}

/// The filter: which records are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Filter {
    All,
    Changed,
    Matching,
    Invalid,
    Valid,
}

impl Unit {
    pub fn separator(&self) -> u8 {
        match self {
            Self::Records { separator, .. } => *separator,
            _ => b'\n',
        }
    }

    pub fn to(&self) -> To {
        match self {
            Self::Records { to, .. }
            | Self::Fields { to, .. }
            | Self::Csv { to, .. }
            | Self::Json { to, .. }
            | Self::Log { to, .. } => *to,
        }
    }

    /// Whether the first record determines the number of fields of the other records, or the
    /// selected fields.
    pub fn needs_first_record(&self) -> bool {
        matches!(self, Self::Csv { .. } | Self::Fields { to: To::Column, .. })
    }

    /// Whether a command with this operation has these options.
    pub fn supports(&self, operation: Operation) -> bool {
        let is_cells = matches!(operation, Operation::FromForm(Shape::Tsv | Shape::Values(_)));
        match (self, operation) {
            (_, Operation::Check) => matches!(self.to(), To::Field | To::Alone),
            (Self::Log { to, .. }, Operation::FromForm(_)) => *to == To::Alone,
            (Self::Log { .. }, Operation::ToForm(_)) => false,
            (Self::Fields { delimiter, .. }, _) if operation.is_form() => *delimiter == b'\t' && !is_cells,
            (Self::Records { to: To::Column, .. }, _) => !is_cells,
            _ => true,
        }
    }

    /// Whether the output begins with the byte order mark of the input.
    pub fn keeps_mark(&self, operation: Operation) -> bool {
        let is_other_format = matches!((self, self.to()), (_, To::Alone) | (Self::Records { .. }, To::Field));
        operation != Operation::Check && !(operation.is_form() && is_other_format)
    }

    /// Whether the model knows which records a filter writes.
    pub fn is_filtered(&self) -> bool {
        matches!((self, self.to()), (Self::Records { .. }, _) | (_, To::Field | To::Alone))
    }

    /// Compares the output with the input, both without byte order marks.
    pub fn check(&self, input: &[u8], output: &[u8], filter: Filter, operation: Operation) {
        match self {
            Self::Records { separator, to } => lines::check(input, output, *separator, *to, filter, operation),
            Self::Fields { delimiter, columns, to } => {
                fields::check(input, output, *delimiter, columns, *to, filter, operation)
            }
            Self::Csv { delimiter, columns, to } => {
                csv::check(input, output, *delimiter, columns, *to, filter, operation)
            }
            Self::Json { paths, to } => json::check(input, output, paths, *to, filter, operation),
            Self::Log { format, to } => log::check(input, output, *format, *to, filter, operation),
        }
    }
}

impl Filter {
    /// Whether a record with these fields is written; `None` if that is unknown.
    fn writes(self, operation: Operation, fields: &[Vec<u8>], place: Place, is_invalid: bool) -> Option<bool> {
        let any = |is_selected: &dyn Fn(&[u8]) -> Option<bool>| {
            fields.iter().map(|field| is_selected(field)).try_fold(false, |any, is_selected| Some(any | is_selected?))
        };
        match self {
            Self::All => Some(true),
            Self::Changed => any(&|field| Some(operation.apply(field, place)? != field)),
            Self::Matching => any(&|field| operation.matches(field, place)),
            Self::Invalid => Some(is_invalid),
            Self::Valid => Some(!is_invalid),
        }
    }

    /// Whether records that are valid and do not change are written.
    fn has_unchanged(self) -> bool {
        matches!(self, Self::All | Self::Valid)
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

/// Pairs the records of input and output, which have the same number.
#[track_caller]
fn pairs<'t>(input: &'t [u8], output: &'t [u8], separator: u8) -> impl Iterator<Item = (&'t [u8], &'t [u8])> {
    let (before, after) = (records(separator, input), records(separator, output));
    let is_ended = |text: &[u8]| text.is_empty() || text.ends_with(&[separator]);
    let context = || format!("{} became {}", input.escape_ascii(), output.escape_ascii());
    assert_eq!(count(output, separator), count(input, separator), "{}", context());
    assert!(!is_ended(input) || is_ended(output), "{}", context());
    before.into_iter().zip(after)
}

/// The records with the fields `fields` that a filter writes; `None` if unknown.
fn kept<'t>(
    input: &'t [u8],
    separator: u8,
    filter: Filter,
    operation: Operation,
    place: Place,
    fields: impl Fn(&'t [u8]) -> Option<Vec<Vec<u8>>>,
) -> Option<Vec<u8>> {
    let mut kept = Vec::new();
    for record in records(separator, input) {
        let is_written = filter == Filter::All || {
            let fields = fields(split_end(record, separator).0)?;
            let is_invalid = fields.iter().any(|field| is_faulty(field));
            filter.writes(operation, &fields, place, is_invalid)?
        };
        if is_written {
            kept.extend_from_slice(record);
        }
    }
    Some(kept)
}

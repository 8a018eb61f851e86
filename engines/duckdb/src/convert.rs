//! Converts the rows of a vector.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::ops::Range;

use simdpct::DecodeError;
use simdpct::columns::{ColumnBuf, ColumnError, Conversion, Operation, Rewrite, rows_holding};

use crate::vector::{INLINE, Output, StringOutput, Strings};

/// Maximum number of input bytes per call, unless a single row has more. A byte may become three,
/// so the output of a call has at most `i32::MAX` bytes.
const BATCH: usize = 1 << 28;

/// The argument of a function.
pub(crate) struct Input<'a> {
    pub(crate) strings: Strings<'a>,
    /// Whether it is UTF-8.
    pub(crate) is_text: bool,
}

/// Why rows could not be converted.
pub(crate) enum Failure {
    /// This row is invalid.
    Invalid { row: usize, error: DecodeError },
    /// Another reason, as a message.
    Other(String),
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self::Other(String::from(message))
    }
}

/// The source of a row of the output.
#[derive(Clone, Copy)]
enum Source {
    /// The next converted row.
    Converted,
    /// The row of the input.
    Input,
}

/// Converts the rows that contain a trigger byte. If no row of the vector does, the result
/// references the input vector. Otherwise the other rows are copied, long strings in one block with
/// the output: through DuckDB's C interface, a vector can share another vector entirely or not at
/// all.
pub(crate) fn convert<C: Rewrite>(
    input: &Input<'_>,
    rows: Range<usize>,
    conversion: &Conversion<C>,
    output: &mut Output,
) -> Result<(), Failure> {
    let triggers = if input.is_text { conversion.triggers_in_text() } else { conversion.triggers() };
    let input = &input.strings;
    let changing = rows_holding(input.rows(rows.clone()), &triggers);
    let first = rows.start;
    if rows.len() == output.rows() && changing.count() == 0 && StringOutput::can_reference() {
        output.strings().reference(input);
        return Ok(());
    }
    let source = |row: usize| if changing.contains(row - first) { Source::Converted } else { Source::Input };
    for batch in batches(input, rows) {
        let converted = || batch.clone().filter(|&row| matches!(source(row), Source::Converted));
        let mut column = ColumnBuf::new();
        if let Err(error) = conversion.append_rows(converted().map(|row| input.row(row)), &mut column) {
            return Err(failure(&error, converted()));
        }
        write_rows(input, batch.clone(), source, column, output);
    }
    Ok(())
}

/// Applies a conversion that changes most rows.
pub(crate) fn extract<C: Operation>(
    input: &Strings<'_>,
    rows: Range<usize>,
    conversion: &Conversion<C>,
    output: &mut Output,
) -> Result<(), Failure> {
    for batch in batches(input, rows) {
        let mut column = ColumnBuf::new();
        if let Err(error) = conversion.append_rows(input.rows(batch.clone()), &mut column) {
            return Err(failure(&error, batch));
        }
        write_rows(input, batch, |_| Source::Converted, column, output);
    }
    Ok(())
}

/// Maps each row to another value, or to NULL.
pub(crate) fn map(
    input: &Strings<'_>,
    rows: Range<usize>,
    value: impl for<'v> Fn(&'v [u8]) -> Option<Cow<'v, [u8]>>,
    output: &mut Output,
) -> Result<(), Failure> {
    for batch in batches(input, rows) {
        let mut column = ColumnBuf::<i32>::new();
        let mut none = Vec::new();
        for row in batch.clone() {
            match input.row(row).map(&value) {
                Some(Some(value)) => column.values.extend_from_slice(&value),
                Some(None) => none.push(row),
                None => {}
            }
            column.offsets.push(i32::try_from(column.values.len()).map_err(|_| TOO_LONG)?);
        }
        write_rows(input, batch, |_| Source::Converted, column, output);
        none.into_iter().for_each(|row| output.set_null(row));
    }
    Ok(())
}

const TOO_LONG: &str = "the result has 2 GiB or more";

/// The failure of a conversion of these rows.
fn failure(error: &ColumnError, mut rows: impl Iterator<Item = usize>) -> Failure {
    match error {
        ColumnError::Row(invalid) => {
            Failure::Invalid { row: rows.nth(invalid.row).unwrap_or_default(), error: invalid.error }
        }
        ColumnError::TooLong { .. } => TOO_LONG.into(),
        error => Failure::Other(error.to_string()),
    }
}

/// Splits rows into batches of at most [`BATCH`] bytes, or of one row. Usually one batch has all
/// rows.
fn batches<'a>(input: &'a Strings<'_>, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> + 'a {
    let Range { mut start, end } = rows;
    std::iter::from_fn(move || {
        let mut total = 0;
        let fits = |row: &Option<&[u8]>| {
            total += row.map_or(0, <[u8]>::len);
            total <= BATCH
        };
        let fitting = input.rows(start..end).take_while(fits).count();
        let batch = start..end.min(start + fitting.max(1));
        start = batch.end;
        (!batch.is_empty()).then_some(batch)
    })
}

/// Writes each row from its source: the input, or `column`, which has one row for each
/// `Source::Converted`, in order. Rows that are NULL in the input are already set.
fn write_rows(
    input: &Strings<'_>,
    rows: Range<usize>,
    source: impl Fn(usize) -> Source,
    column: ColumnBuf<i32>,
    output: &mut Output,
) {
    let ColumnBuf { mut values, offsets, validity } = column;
    let mut kept = values.len();
    for row in rows.clone() {
        if let (Source::Input, Some(bytes)) = (source(row), input.row(row))
            && bytes.len() > INLINE
        {
            values.extend_from_slice(bytes);
        }
    }
    let mut output = output.strings();
    let stored = output.store(&values);
    let mut next = 0;
    for row in rows {
        match source(row) {
            Source::Converted => {
                let range = offsets[next] as usize..offsets[next + 1] as usize;
                let is_null = validity.as_ref().is_some_and(|bitmap| bitmap[next / 8] >> (next % 8) & 1 == 0);
                next += 1;
                if is_null {
                    output.set_null(row);
                } else if range.len() > INLINE {
                    output.set_long(row, &stored, range);
                } else {
                    output.set_short(row, &values[range]);
                }
            }
            Source::Input => match input.row(row) {
                Some(bytes) if bytes.len() > INLINE => {
                    output.set_long(row, &stored, kept..kept + bytes.len());
                    kept += bytes.len();
                }
                Some(bytes) => output.set_short(row, bytes),
                None => {}
            },
        }
    }
}

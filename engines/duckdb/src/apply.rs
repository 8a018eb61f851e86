//! What each function does with a vector, and the types of results.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::ops::Range;

use simdpct::columns::{Conversion, Inspection, inspect_rows};
use simdpct::{Kinds, form, uri};
use simdpct_functions::{Function, Operation, excerpt_of_bytes};

use crate::convert::{Failure, Input, convert, extract, map};
use crate::vector::{Arguments, Output, Strings};

/// The type of a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Returns {
    String,
    /// Bytes, in the layout of strings.
    Blob,
    Number,
    Boolean,
    /// A list of strings.
    Names,
}

impl Returns {
    /// Whether a vector of it is in the layout of strings.
    pub(crate) const fn is_string(self) -> bool {
        matches!(self, Self::String | Self::Blob)
    }
}

/// The type of the first argument. All others are strings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Takes {
    String,
    /// Bytes, in the layout of strings: decoded to any bytes.
    Blob,
    Number,
}

/// The types that a function takes.
pub(crate) const fn takes(function: Function) -> &'static [Takes] {
    match function {
        Function::UrlFindingNames => &[Takes::Number],
        _ => &[Takes::String, Takes::Blob],
    }
}

/// The type of the result for such an argument.
pub(crate) const fn returns(function: Function, first: Takes) -> Returns {
    match (function, first) {
        (Function::UrlFindings, _) => Returns::Number,
        (Function::UrlFindingNames, _) => Returns::Names,
        (Function::UrlHas, _) => Returns::Boolean,
        (_, Takes::Blob) => Returns::Blob,
        _ => Returns::String,
    }
}

/// Applies a function to a vector. Errors are messages for users.
pub(crate) fn call(function: Function, arguments: &Arguments<'_>, output: &mut Output) -> Result<(), String> {
    if arguments.first() == Takes::Number {
        let findings = arguments.numbers();
        output.copy_nulls(findings.validity());
        let names = |bits| Kinds::from_bits_truncate(bits).names();
        output.set_lists(findings.rows().map(|bits| bits.into_iter().flat_map(names)));
        return Ok(());
    }
    let input = Input { strings: arguments.strings(0), is_text: arguments.first() == Takes::String };
    output.copy_nulls(input.strings.validity());
    let result = if arguments.columns() == 1 {
        apply(function, &input, 0..arguments.rows(), None, output)
    } else {
        let options = arguments.strings(1);
        output.copy_nulls(options.validity());
        apply_each(function, &input, &options, arguments.rows(), output)
    };
    result.map_err(|message| format!("{}: {message}", function.name()))
}

/// Applies a function to rows that each have an option: at once to consecutive rows with the same,
/// which usually are all.
fn apply_each(
    function: Function,
    input: &Input<'_>,
    options: &Strings<'_>,
    rows: usize,
    output: &mut Output,
) -> Result<(), String> {
    let mut start = 0;
    while start < rows {
        let option = options.row(start);
        let end = start + options.rows(start..rows).take_while(|other| *other == option).count();
        if let Some(option) = option {
            // Strings of DuckDB are UTF-8.
            apply(function, input, start..end, Some(&String::from_utf8_lossy(option)), output)?;
        }
        start = end;
    }
    Ok(())
}

/// Applies a function to consecutive rows, with one option for all.
fn apply(
    function: Function,
    input: &Input<'_>,
    rows: Range<usize>,
    option: Option<&str>,
    output: &mut Output,
) -> Result<(), String> {
    let strings = &input.strings;
    let result = match &function.operation(option).map_err(|error| error.to_string())? {
        Operation::Decode(decoder, on_error) if input.is_text => {
            convert(input, rows, &Conversion::decode_utf8(decoder).on_error(*on_error), output)
        }
        Operation::Decode(decoder, on_error) => {
            convert(input, rows, &Conversion::decode(decoder).on_error(*on_error), output)
        }
        Operation::DecodeLossy(decoder) if input.is_text => {
            convert(input, rows, &Conversion::decode_utf8_lossy(&decoder.lenient()), output)
        }
        // Any bytes are a binary value, so there is nothing to replace.
        Operation::DecodeLossy(decoder) => convert(input, rows, &Conversion::decode(&decoder.lenient()), output),
        Operation::DecodeJava(on_error) => convert(input, rows, &Conversion::decode_java().on_error(*on_error), output),
        Operation::Encode(encoder) => convert(input, rows, &Conversion::encode(encoder), output),
        Operation::Normalize(normalizer) => convert(input, rows, &Conversion::normalize(normalizer), output),
        Operation::Repair => map(strings, rows, |row| Some(text_bytes(uri::repair(row))), output),
        Operation::QueryValue(key) if input.is_text => extract(strings, rows, &Conversion::query_value(key), output),
        Operation::QueryValue(key) => {
            map(strings, rows, |row| form::parse_bytes(uri::split(row).query?).get(key), output)
        }
        Operation::Part(part) if input.is_text => extract(strings, rows, &Conversion::uri_part(*part), output),
        Operation::Part(part) => map(strings, rows, |row| uri::part(row, *part).map(Cow::Borrowed), output),
        Operation::Findings => {
            output.set_values(rows.start, inspect_rows(strings.rows(rows)).into_bits().into_iter());
            Ok(())
        }
        Operation::Has(kinds) => {
            let inspection = Inspection::among_rows(*kinds, strings.rows(rows.clone()));
            output.set_values(rows.start, inspection.rows.iter().map(|found| found.intersects(*kinds)));
            Ok(())
        }
        // See `call`: it takes no strings.
        Operation::FindingNames => return Err(String::from("takes a number")),
    };
    result.map_err(|failure| message(function, &failure, input))
}

/// The bytes of a text.
fn text_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The row of an invalid value is left out: it is that of a vector, which means nothing to a user.
fn message(function: Function, failure: &Failure, input: &Input<'_>) -> String {
    match failure {
        Failure::Invalid { row, error } => {
            let value = excerpt_of_bytes(input.strings.row(*row).unwrap_or_default());
            format!("'{value}': {error}{}", function.hint())
        }
        Failure::Other(message) => message.clone(),
    }
}

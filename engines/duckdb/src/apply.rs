//! What each function does with a vector, and the types of results.
#![forbid(unsafe_code)]

use std::ops::Range;

use simdpct::Kinds;
use simdpct::columns::{Conversion, Inspection, inspect_rows};
use simdpct_functions::{Function, Operation, excerpt_of_bytes};

use crate::convert::{Failure, convert, extract, repair};
use crate::vector::{Arguments, Output, Strings};

/// The type of a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Returns {
    String,
    Number,
    Boolean,
    /// A list of strings.
    Names,
}

/// The type of the first argument. All others are strings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Takes {
    String,
    Number,
}

pub(crate) const fn takes(function: Function) -> Takes {
    match function {
        Function::UrlFindingNames => Takes::Number,
        _ => Takes::String,
    }
}

pub(crate) const fn returns(function: Function) -> Returns {
    match function {
        Function::UrlFindings => Returns::Number,
        Function::UrlFindingNames => Returns::Names,
        Function::UrlHas => Returns::Boolean,
        _ => Returns::String,
    }
}

/// Applies a function to a vector. Errors are messages for users.
pub(crate) fn call(function: Function, arguments: &Arguments<'_>, output: &mut Output) -> Result<(), String> {
    if takes(function) == Takes::Number {
        let findings = arguments.numbers();
        output.copy_nulls(findings.validity());
        let names = |bits| Kinds::from_bits_truncate(bits).names();
        output.set_lists(findings.rows().map(|bits| bits.into_iter().flat_map(names)));
        return Ok(());
    }
    let input = arguments.strings(0);
    output.copy_nulls(input.validity());
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
    input: &Strings<'_>,
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
    input: &Strings<'_>,
    rows: Range<usize>,
    option: Option<&str>,
    output: &mut Output,
) -> Result<(), String> {
    let result = match &function.operation(option).map_err(|error| error.to_string())? {
        Operation::Decode(decoder, on_error) => {
            convert(input, rows, &Conversion::decode_utf8(decoder).on_error(*on_error), output)
        }
        Operation::DecodeLossy(decoder) => {
            convert(input, rows, &Conversion::decode_utf8_lossy(&decoder.lenient()), output)
        }
        Operation::DecodeJava(on_error) => convert(input, rows, &Conversion::decode_java().on_error(*on_error), output),
        Operation::Encode(encoder) => convert(input, rows, &Conversion::encode(encoder), output),
        Operation::Normalize(normalizer) => convert(input, rows, &Conversion::normalize(normalizer), output),
        Operation::Repair => repair(input, rows, output),
        Operation::QueryValue(key) => extract(input, rows, &Conversion::query_value(key), output),
        Operation::Part(part) => extract(input, rows, &Conversion::uri_part(*part), output),
        Operation::Findings => {
            output.set_values(rows.start, inspect_rows(input.rows(rows)).into_bits().into_iter());
            Ok(())
        }
        Operation::Has(kinds) => {
            let inspection = Inspection::among_rows(*kinds, input.rows(rows.clone()));
            output.set_values(rows.start, inspection.rows.iter().map(|found| found.intersects(*kinds)));
            Ok(())
        }
        // See `call`: it takes no strings.
        Operation::FindingNames => return Err(String::from("takes a number")),
    };
    result.map_err(|failure| message(function, &failure, input))
}

/// The row of an invalid value is left out: it is that of a vector, which means nothing to a user.
fn message(function: Function, failure: &Failure, input: &Strings<'_>) -> String {
    match failure {
        Failure::Invalid { row, error } => {
            let value = excerpt_of_bytes(input.row(*row).unwrap_or_default());
            format!("'{value}': {error}{}", function.hint())
        }
        Failure::Other(message) => message.clone(),
    }
}

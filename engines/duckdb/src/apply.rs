//! Applies each function to a vector, and defines the types of results.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::ops::Range;

use simdpct::Kinds;
use simdpct::columns::{Conversion, Inspection, inspect_rows};
use simdpct_functions::{Function, Mapping, Operation, Part, excerpt_of_bytes, query_map, url_parts};

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
    /// A list of strings or bytes.
    List(Item),
    /// A map of strings to strings, or of bytes to bytes.
    Map(Item),
    /// A structure of strings or bytes, with the names of the parts of a URL.
    Parts(Item),
}

/// The values in a list, map or structure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Item {
    String,
    Blob,
}

impl Item {
    pub(crate) const fn returns(self) -> Returns {
        match self {
            Self::String => Returns::String,
            Self::Blob => Returns::Blob,
        }
    }
}

impl Returns {
    /// Whether a vector of this type has the layout of strings.
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

/// The names and values of a map.
pub(crate) type Pairs<'a> = Vec<(Cow<'a, [u8]>, Cow<'a, [u8]>)>;

/// The types that a function takes.
pub(crate) const fn takes(function: Function) -> &'static [Takes] {
    match function {
        Function::UrlFindingNames => &[Takes::Number],
        _ => &[Takes::String, Takes::Blob],
    }
}

/// The type of the result for an argument of this type.
pub(crate) const fn returns(function: Function, first: Takes) -> Returns {
    let item = if matches!(first, Takes::Blob) { Item::Blob } else { Item::String };
    match function {
        Function::UrlFindings => Returns::Number,
        Function::UrlHas => Returns::Boolean,
        Function::UrlFindingNames | Function::UrlQueryKeys => Returns::List(item),
        Function::UrlQueryMap => Returns::Map(item),
        Function::UrlParts => Returns::Parts(item),
        _ => item.returns(),
    }
}

/// Applies a function to a vector. Errors are messages for users.
pub(crate) fn call(function: Function, arguments: &Arguments<'_>, output: &mut Output) -> Result<(), String> {
    if arguments.first() == Takes::Number {
        let findings = arguments.numbers();
        output.copy_nulls(findings.validity());
        let names = |bits| Kinds::from_bits_truncate(bits).names().map(|name| Cow::Borrowed(name.as_bytes()));
        let lists: Vec<Vec<_>> = findings.rows().map(|bits| bits.into_iter().flat_map(names).collect()).collect();
        output.set_lists(&lists);
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

/// Applies a function whose option may differ per row. Consecutive rows with the same option,
/// usually all rows, are processed in one call.
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
        // A binary value may have any bytes, so nothing is replaced.
        Operation::DecodeLossy(decoder) => convert(input, rows, &Conversion::decode(&decoder.lenient()), output),
        Operation::DecodeJava(on_error) => convert(input, rows, &Conversion::decode_java().on_error(*on_error), output),
        Operation::Encode(encoder) => convert(input, rows, &Conversion::encode(encoder), output),
        Operation::Normalize(normalizer) => convert(input, rows, &Conversion::normalize(normalizer), output),
        Operation::Map(Mapping::QueryValue(key)) if input.is_text => {
            extract(strings, rows, &Conversion::query_value(key), output)
        }
        Operation::Map(Mapping::Part(Part::Uri(part))) if input.is_text => {
            extract(strings, rows, &Conversion::uri_part(*part), output)
        }
        Operation::Map(mapping) if input.is_text => {
            map(strings, rows, |row| mapping.of(text(row)).map(text_bytes), output)
        }
        Operation::Map(mapping) => map(strings, rows, |row| mapping.of(row), output),
        Operation::QueryKeys => {
            let keys = |row| pairs(row, input.is_text).into_iter().map(|(key, _)| key).collect();
            output.set_lists(&strings.rows(rows).map(|row| row.map(keys).unwrap_or_default()).collect::<Vec<_>>());
            Ok(())
        }
        Operation::QueryMap => {
            let pairs = |row| pairs(row, input.is_text);
            output.set_maps(&strings.rows(rows).map(|row| row.map(pairs).unwrap_or_default()).collect::<Vec<_>>());
            Ok(())
        }
        Operation::Parts => {
            // Parts of text are text, because delimiters are ASCII.
            let parts = |row| url_parts::<[u8]>(row).map(|(_, part)| part).collect();
            output.set_parts(&strings.rows(rows).map(|row| row.map_or_else(Vec::new, parts)).collect::<Vec<_>>());
            Ok(())
        }
        Operation::Findings => {
            output.set_values(rows.start, inspect_rows(strings.rows(rows)).into_bits().into_iter());
            Ok(())
        }
        Operation::Has(kinds) => {
            let inspection = Inspection::among_rows(*kinds, strings.rows(rows.clone()));
            output.set_values(rows.start, inspection.rows.iter().map(|found| found.intersects(*kinds)));
            Ok(())
        }
        // This function takes no strings: see `call`.
        Operation::FindingNames => return Err(String::from("takes a number")),
    };
    result.map_err(|failure| message(function, &failure, input))
}

/// A string of DuckDB, which is UTF-8.
fn text(row: &[u8]) -> &str {
    str::from_utf8(row).unwrap_or_default()
}

/// The pairs of the query of a URL.
fn pairs(row: &[u8], is_text: bool) -> Pairs<'_> {
    if !is_text {
        return query_map(row);
    }
    query_map(text(row)).into_iter().map(|(name, value)| (text_bytes(name), text_bytes(value))).collect()
}

/// The bytes of a text.
fn text_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The message omits the row number, which counts within a vector and means nothing to a user.
fn message(function: Function, failure: &Failure, input: &Input<'_>) -> String {
    match failure {
        Failure::Invalid { row, error } => {
            let value = excerpt_of_bytes(input.strings.row(*row).unwrap_or_default());
            format!("'{value}': {error}{}", function.hint())
        }
        Failure::Other(message) => message.clone(),
    }
}

//! `simdpct.columns`: functions of Arrow arrays, through the PyCapsule interface.
#![forbid(unsafe_code)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use simdpct_arrow::{InvalidValue, return_type};
use simdpct_functions::Function;

use crate::capsule::Import;
use crate::objects::{Source, source};
use crate::option::TextOption;
use crate::result::{Array, ChunkedArray, Values};

/// Applies a function to an object that exports Arrow's arrays, a list, or an object of pandas or
/// NumPy. The interpreter is released during the work, and while a stream is read.
fn apply<'py>(object: &Bound<'py, PyAny>, function: Function, option: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let operation = function.operation(option).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let Source { column, name, series } = source(object)?;
    let result = match column {
        Import::Array(column) => {
            let name = name.or(column_name(&column.name, column.array.data_type()));
            let array = py
                .detach(|| simdpct_arrow::apply(&only_column(column.array)?, &operation))
                .map_err(|error| exception(error, 0))?;
            let values = Values { name, data_type: array.data_type().clone(), chunks: vec![array] };
            return like(Bound::new(py, Array(values.clone()))?.into_any(), &values.data_type, series);
        }
        Import::Stream(stream) => {
            let name = name.or(column_name(&stream.name, &stream.data_type));
            let values = py.detach(|| {
                let data_type = only_type(&stream.data_type).and_then(|data_type| return_type(&operation, data_type));
                let data_type = data_type.map_err(|error| (error, 0))?;
                let mut chunks = Vec::new();
                let mut rows = 0;
                for array in stream {
                    let chunk = array.and_then(|array| simdpct_arrow::apply(&only_column(array)?, &operation));
                    let chunk = chunk.map_err(|error| (error, rows))?;
                    rows += chunk.len();
                    chunks.push(chunk);
                }
                Ok(Values { name, data_type, chunks })
            });
            values.map_err(|(error, rows)| exception(error, rows))?
        }
    };
    let data_type = result.data_type.clone();
    like(Bound::new(py, ChunkedArray(result))?.into_any(), &data_type, series)
}

/// The result as a series of pandas, if the argument is one.
fn like<'py>(
    result: Bound<'py, PyAny>,
    data_type: &DataType,
    series: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(series) = series else { return Ok(result) };
    let kind = match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text",
        DataType::UInt32 => "number",
        DataType::Boolean => "flag",
        _ => "other",
    };
    result.py().import("simdpct._objects")?.call_method1("like", (result, kind, series))
}

/// The name of a column, or of the only column of a table.
fn column_name(name: &str, data_type: &DataType) -> Option<String> {
    let name = match data_type {
        DataType::Struct(fields) if fields.len() == 1 => fields[0].name(),
        _ => name,
    };
    (!name.is_empty()).then(|| name.to_owned())
}

/// A table is a struct in Arrow's interface. A table of one column counts as the column.
fn only_column(array: ArrayRef) -> Result<ArrayRef, ArrowError> {
    only_type(array.data_type())?;
    match array.as_struct_opt() {
        Some(table) if table.null_count() == 0 => Ok(Arc::clone(table.column(0))),
        Some(_) => Err(ArrowError::InvalidArgumentError("expected a column, not a struct with nulls".into())),
        None => Ok(array),
    }
}

fn only_type(data_type: &DataType) -> Result<&DataType, ArrowError> {
    match data_type {
        DataType::Struct(fields) if fields.len() == 1 => Ok(fields[0].data_type()),
        DataType::Struct(fields) => {
            Err(ArrowError::InvalidArgumentError(format!("expected a column, not a table of {} columns", fields.len())))
        }
        data_type => Ok(data_type),
    }
}

/// The exception for an error in a chunk that follows `rows` rows.
pub(crate) fn exception(error: ArrowError, rows: usize) -> PyErr {
    if let Some(invalid) = InvalidValue::of(&error) {
        let mut invalid = invalid.clone();
        invalid.row += rows;
        return PyValueError::new_err(invalid.to_string());
    }
    match error {
        ArrowError::InvalidArgumentError(message) => PyTypeError::new_err(message),
        ArrowError::OffsetOverflowError(_) => PyOverflowError::new_err(
            "the result needs offsets of 64 bits: cast the column to large_string or string_view",
        ),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Percent-decodes each value; `+` stays.
///
/// A malformed `%` is an error, and so is a string that does not decode to UTF-8. Binary values are
/// decoded to any bytes.
///
/// >>> pyarrow.array(decode(pyarrow.array(['caf%C3%A9', None]))).to_pylist()
/// ['café', None]
/// >>> decode(pyarrow.array(['a', '%']))
/// Traceback (most recent call last):
///     ...
/// ValueError: row 1: '%': malformed percent-encoding: '%' without two hexadecimal digits at byte 0
#[pyfunction]
pub(crate) fn decode<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::PctDecode, None)
}

/// Percent-decodes each value; an invalid one becomes null.
///
/// >>> pyarrow.array(try_decode(pyarrow.array(['caf%C3%A9', '50%', '%FF']))).to_pylist()
/// ['café', None, None]
#[pyfunction]
pub(crate) fn try_decode<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::TryPctDecode, None)
}

/// Percent-decodes each value, and never fails: a malformed `%` stays, and invalid UTF-8 becomes
/// U+FFFD. Binary values are decoded to any bytes.
///
/// >>> pyarrow.array(decode_lossy(pyarrow.array(['caf%C3%A9', '50%', '%FF']))).to_pylist()
/// ['café', '50%', '\ufffd']
#[pyfunction]
pub(crate) fn decode_lossy<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::PctDecodeLossy, None)
}

/// Same as `decode`, and `+` is a space.
///
/// >>> pyarrow.array(form_decode(pyarrow.array(['a+b%2B']))).to_pylist()
/// ['a b+']
#[pyfunction]
pub(crate) fn form_decode<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::FormDecode, None)
}

/// Same as `try_decode`, and `+` is a space.
///
/// >>> pyarrow.array(try_form_decode(pyarrow.array(['a+b', '+%']))).to_pylist()
/// ['a b', None]
#[pyfunction]
pub(crate) fn try_form_decode<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::TryFormDecode, None)
}

/// Same as `decode_lossy`, and `+` is a space: `urllib.parse.unquote_plus`.
///
/// >>> pyarrow.array(form_decode_lossy(pyarrow.array(['a+b', '+%']))).to_pylist()
/// ['a b', ' %']
#[pyfunction]
pub(crate) fn form_decode_lossy<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::FormDecodeLossy, None)
}

/// Decodes each value as `url_decode` of Spark and `java.net.URLDecoder` do.
///
/// `+` is a space, `%+4` is a triplet, and invalid UTF-8 becomes U+FFFD as in Java.
///
/// >>> pyarrow.array(decode_java(pyarrow.array(['a+%E4', '%+4']))).to_pylist()
/// ['a \ufffd', '\x04']
#[pyfunction]
pub(crate) fn decode_java<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::SparkUrlDecode, None)
}

/// Same as `decode_java`; an invalid value becomes null, as in `try_url_decode` of Spark.
///
/// >>> pyarrow.array(try_decode_java(pyarrow.array(['a+%E4', '50%']))).to_pylist()
/// ['a \ufffd', None]
#[pyfunction]
pub(crate) fn try_decode_java<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::SparkTryUrlDecode, None)
}

/// Percent-encodes each value for the place that `set` names, or keeps the characters in `set`
/// besides letters, digits and `-._~`.
///
/// Names are `component`, `path-segment`, `path`, `query`, `query-value`, `fragment`, `userinfo`,
/// `reg-name`, `uri`, `form`, WHATWG's (`whatwg-path`) and others, which the message for
/// an unknown name lists.
///
/// >>> names = pyarrow.array(['a/b c'])
/// >>> sets = ['component', 'path', 'form', '/ ']
/// >>> [pyarrow.array(encode(names, set)).to_pylist() for set in sets]
/// [['a%2Fb%20c'], ['a/b%20c'], ['a%2Fb+c'], ['a/b c']]
#[pyfunction]
#[pyo3(signature = (column, set=TextOption::text("component")), text_signature = "(column, set='component')")]
pub(crate) fn encode<'py>(column: &Bound<'py, PyAny>, set: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::PctEncode, Some(set.of("encode: set")?))
}

/// Percent-encodes each value for a form; a space becomes `+`: `encode(column, 'form')`.
///
/// >>> pyarrow.array(form_encode(pyarrow.array(['fish & chips']))).to_pylist()
/// ['fish+%26+chips']
#[pyfunction]
pub(crate) fn form_encode<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::FormEncode, None)
}

/// Normalizes the percent-encoding of each value (RFC 3986 6.2.2): decodes unreserved characters,
/// and writes the digits of other triplets in upper case. A malformed `%` stays.
///
/// >>> pyarrow.array(normalize(pyarrow.array(['/%7euser%2f']))).to_pylist()
/// ['/~user%2F']
#[pyfunction]
pub(crate) fn normalize<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::PctNormalize, None)
}

/// Escapes all bytes that a URI must not contain.
///
/// >>> pyarrow.array(repair(pyarrow.array(['http://e/a b?100%']))).to_pylist()
/// ['http://e/a%20b?100%25']
#[pyfunction]
pub(crate) fn repair<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlRepair, None)
}

/// A part of each URL, unchanged; null if the URL has none.
///
/// Parts are `scheme`, `authority`, `userinfo`, `host`, `port`, `path`, `query` and `fragment`, in
/// any case.
///
/// >>> pyarrow.array(part(pyarrow.array(['http://e.org/p', '/p']), 'host')).to_pylist()
/// ['e.org', None]
#[pyfunction]
pub(crate) fn part<'py>(column: &Bound<'py, PyAny>, part: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlPart, Some(part.of("part: part")?))
}

/// The decoded value of a key in the query of each URL; null if the query has none. Invalid UTF-8
/// becomes U+FFFD in strings.
///
/// >>> pyarrow.array(query_value(pyarrow.array(['/?q=a+b&n=1', '/']), 'q')).to_pylist()
/// ['a b', None]
#[pyfunction]
pub(crate) fn query_value<'py>(column: &Bound<'py, PyAny>, key: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlQueryValue, Some(key.of("query_value: key")?))
}

/// The findings of each value, as bits of an unsigned 32-bit number. `finding_names` lists their
/// names.
///
/// >>> pyarrow.array(findings(pyarrow.array(['plain', None]))).to_pylist()
/// [0, None]
#[pyfunction]
pub(crate) fn findings<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlFindings, None)
}

/// Lists of the names of the findings that `findings` returned.
///
/// >>> pyarrow.array(finding_names(findings(pyarrow.array(['%00', 'plain'])))).to_pylist()
/// [['escape', 'nul', 'control'], []]
#[pyfunction]
pub(crate) fn finding_names<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlFindingNames, None)
}

/// Whether each value has a finding of these kinds: names, separated by commas.
///
/// >>> pyarrow.array(has(pyarrow.array(['%00', '%25', None]), 'nul,percent')).to_pylist()
/// [True, True, None]
#[pyfunction]
pub(crate) fn has<'py>(column: &Bound<'py, PyAny>, kinds: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlHas, Some(kinds.of("has: kinds")?))
}

/// The canonical path of each URL or request target, as a server with this policy reads it; null if
/// the policy refuses it.
///
/// Policies are `default`, `strict`, `rfc3986`, `nginx`, `envoy` and `lighttpd`, and options after
/// the name.
///
/// >>> pyarrow.array(canonical_path(pyarrow.array(['/a/%2e%2e/%62?q', '/%00']))).to_pylist()
/// ['/b', None]
#[pyfunction]
#[pyo3(signature = (column, policy=TextOption::text("default")), text_signature = "(column, policy='default')")]
pub(crate) fn canonical_path<'py>(column: &Bound<'py, PyAny>, policy: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlPathCanonical, Some(policy.of("canonical_path: policy")?))
}

/// Each URL without some parts: `query`, `fragment`, and `key:NAME` for the pairs of a name, in
/// which `*` is any text; separated by commas. The rest stays as it is.
///
/// >>> pyarrow.array(cut(pyarrow.array(['/a?utm_x=1&b#c']), 'key:utm_*,fragment')).to_pylist()
/// ['/a?b']
#[pyfunction]
pub(crate) fn cut<'py>(column: &Bound<'py, PyAny>, parts: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlCut, Some(parts.of("cut: parts")?))
}

/// The registrable domain of each URL's host, by the public suffix list, in lower case and ASCII;
/// null for an IP address, a public suffix, and a URL without a host.
///
/// >>> pyarrow.array(domain(pyarrow.array(['https://www.Example.co.uk/', '/a']))).to_pylist()
/// ['example.co.uk', None]
#[pyfunction]
pub(crate) fn domain<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlDomain, None)
}

/// Resolves a reference against each URL (RFC 3986 5.2); null if neither has a scheme.
///
/// >>> pyarrow.array(join(pyarrow.array(['http://e/a/b', 'c']), '../d')).to_pylist()
/// ['http://e/d', None]
#[pyfunction]
pub(crate) fn join<'py>(column: &Bound<'py, PyAny>, reference: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlJoin, Some(reference.of("join: reference")?))
}

/// The normal form of each URL (RFC 3986 6.2.2 and 6.2.3), so that URLs that mean the same become
/// the same text. A part that has an error stays as it is.
///
/// Rules are separated by commas. `sort-query`, `drop-query:PATTERN`, `drop-fragment` and
/// `drop-www` keep the meaning on some sites only. `targets` is for request targets.
///
/// >>> urls = pyarrow.array(['HTTP://E.org:80/%7ea/../b?d&c#e'])
/// >>> pyarrow.array(normalize_url(urls, 'sort-query,drop-fragment')).to_pylist()
/// ['http://e.org/b?c&d']
#[pyfunction]
#[pyo3(signature = (column, rules=TextOption::text("")), text_signature = "(column, rules='')")]
pub(crate) fn normalize_url<'py>(column: &Bound<'py, PyAny>, rules: TextOption) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlNormalize, Some(rules.of("normalize_url: rules")?))
}

/// All parts of each URL, unchanged, as a structure of `scheme`, `authority`, `userinfo`, `host`,
/// `port`, `path`, `query` and `fragment`.
///
/// >>> parts(['http://e.org/p']).to_pylist()[0]['host']
/// 'e.org'
#[pyfunction]
pub(crate) fn parts<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlParts, None)
}

/// The decoded names in the query of each URL, each once, as lists. Invalid UTF-8 becomes U+FFFD in
/// strings.
///
/// >>> pyarrow.array(query_keys(pyarrow.array(['/?b=1&a%20c&b', '/']))).to_pylist()
/// [['b', 'a c'], []]
#[pyfunction]
pub(crate) fn query_keys<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlQueryKeys, None)
}

/// The decoded pairs in the query of each URL, as maps. The first pair with a name counts. Invalid
/// UTF-8 becomes U+FFFD in strings.
///
/// >>> query_map(['/?a=1&b=%25&a=2']).to_pylist()
/// [[('a', '1'), ('b', '%')]]
#[pyfunction]
pub(crate) fn query_map<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    apply(column, Function::UrlQueryMap, None)
}

//! `parse_qsl` and `parse_qs`.
#![forbid(unsafe_code)]

use crate::arguments::{Argument, Codec, flag, or_false, text};
use crate::original::Original;
use crate::unquote::{FORM, decode};
use memchr::{memchr, memchr_iter};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyTuple};

/// The arguments of both functions, as given.
struct Arguments<'a, 'py> {
    qs: &'a Bound<'py, PyAny>,
    keep_blank_values: Option<&'a Bound<'py, PyAny>>,
    strict_parsing: Option<&'a Bound<'py, PyAny>>,
    encoding: Argument<'a, 'py>,
    errors: Argument<'a, 'py>,
    max_num_fields: Option<&'a Bound<'py, PyAny>>,
    separator: Argument<'a, 'py>,
}

impl<'py> Arguments<'_, 'py> {
    /// Passes the arguments to Python's function.
    fn call(&self, function: Original) -> PyResult<Bound<'py, PyAny>> {
        let py = self.qs.py();
        function.call(
            py,
            (
                self.qs,
                or_false(py, self.keep_blank_values),
                or_false(py, self.strict_parsing),
                self.encoding.or_default(py, "utf-8"),
                self.errors.or_default(py, "replace"),
                self.max_num_fields,
                self.separator.or_default(py, "&"),
            ),
        )
    }

    /// Calls `push` with each name and value. Returns `None` if the result is an exception, or the
    /// case is left to Python's function.
    #[inline]
    fn parse(
        &self,
        mut push: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<Option<()>> {
        let py = self.qs.py();
        let Some((qs, options)) = self.options() else { return Ok(None) };
        if qs.is_empty() {
            return Ok(Some(()));
        }
        let mut rest = Some(qs);
        while let Some(fields) = rest {
            let field;
            (field, rest) = match memchr(options.separator, fields) {
                Some(end) => (&fields[..end], Some(&fields[end + 1..])),
                None => (fields, None),
            };
            if field.is_empty() && !options.is_strict {
                continue;
            }
            let (name, value) = match memchr(b'=', field) {
                Some(end) => (&field[..end], &field[end + 1..]),
                None if options.is_strict => return Ok(None),
                None => (field, &[][..]),
            };
            if value.is_empty() && !options.keeps_blank {
                continue;
            }
            let Some(name) = decode(py, &FORM, name, options.codec)? else { return Ok(None) };
            let Some(value) = decode(py, &FORM, value, options.codec)? else { return Ok(None) };
            push(name, value)?;
        }
        Ok(Some(()))
    }

    /// The text and how to parse it.
    #[inline]
    fn options(&self) -> Option<(&[u8], Options<'_>)> {
        let qs = text(self.qs)?.as_bytes();
        let separator = match &self.separator {
            Argument::Default => b'&',
            // A single byte is an ASCII character.
            Argument::Given(separator) => match *text(separator)?.as_bytes() {
                [byte] => byte,
                _ => return None,
            },
        };
        let options = Options {
            separator,
            keeps_blank: flag(self.keep_blank_values)?,
            is_strict: flag(self.strict_parsing)?,
            codec: Codec::for_decoding(&self.encoding, &self.errors, true)?,
        };
        if let Some(limit) = self.max_num_fields {
            let limit: i64 = limit.cast_exact::<PyInt>().ok()?.extract().ok()?;
            let count = 1 + memchr_iter(separator, qs).count();
            // Versions of Python count a different number of fields in an empty text.
            if qs.is_empty() || i64::try_from(count).is_ok_and(|count| limit < count) {
                return None;
            }
        }
        if qs.is_empty() && options.is_strict { None } else { Some((qs, options)) }
    }
}

struct Options<'a> {
    separator: u8,
    keeps_blank: bool,
    is_strict: bool,
    codec: Codec<'a>,
}

/// Parses a query string to a list of names and values.
///
/// Same as `urllib.parse.parse_qsl`.
///
/// >>> parse_qsl('q=fish+%26+chips&lang=en&empty=')
/// [('q', 'fish & chips'), ('lang', 'en')]
/// >>> parse_qsl('a=1;b=', keep_blank_values=True, separator=';')
/// [('a', '1'), ('b', '')]
/// >>> parse_qsl('a=1&b=2&c=3', max_num_fields=2)
/// Traceback (most recent call last):
///     ...
/// ValueError: Max number of fields exceeded
#[pyfunction]
#[pyo3(
    signature = (
        qs, keep_blank_values = None, strict_parsing = None, encoding = Argument::Default, errors = Argument::Default,
        max_num_fields = None, separator = Argument::Default
    ),
    text_signature = "(qs, keep_blank_values=False, strict_parsing=False, encoding='utf-8', errors='replace', \
                      max_num_fields=None, separator='&')"
)]
pub(crate) fn parse_qsl<'a, 'py>(
    qs: &'a Bound<'py, PyAny>,
    keep_blank_values: Option<&'a Bound<'py, PyAny>>,
    strict_parsing: Option<&'a Bound<'py, PyAny>>,
    encoding: Argument<'a, 'py>,
    errors: Argument<'a, 'py>,
    max_num_fields: Option<&'a Bound<'py, PyAny>>,
    separator: Argument<'a, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = qs.py();
    let arguments = Arguments { qs, keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator };
    let list = PyList::empty(py);
    match arguments.parse(|name, value| list.append(PyTuple::new(py, [name, value])?))? {
        Some(()) => Ok(list.into_any()),
        None => arguments.call(Original::ParseQsl),
    }
}

/// Parses a query string to a dictionary from each name to a list of its values.
///
/// Same as `urllib.parse.parse_qs`.
///
/// >>> parse_qs('tag=a&tag=b+c&page=2')
/// {'tag': ['a', 'b c'], 'page': ['2']}
#[pyfunction]
#[pyo3(
    signature = (
        qs, keep_blank_values = None, strict_parsing = None, encoding = Argument::Default, errors = Argument::Default,
        max_num_fields = None, separator = Argument::Default
    ),
    text_signature = "(qs, keep_blank_values=False, strict_parsing=False, encoding='utf-8', errors='replace', \
                      max_num_fields=None, separator='&')"
)]
pub(crate) fn parse_qs<'a, 'py>(
    qs: &'a Bound<'py, PyAny>,
    keep_blank_values: Option<&'a Bound<'py, PyAny>>,
    strict_parsing: Option<&'a Bound<'py, PyAny>>,
    encoding: Argument<'a, 'py>,
    errors: Argument<'a, 'py>,
    max_num_fields: Option<&'a Bound<'py, PyAny>>,
    separator: Argument<'a, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = qs.py();
    let arguments = Arguments { qs, keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator };
    let dict = PyDict::new(py);
    let parsed = arguments.parse(|name, value| match dict.get_item(&name)? {
        Some(values) => values.cast_into::<PyList>()?.append(value),
        None => dict.set_item(name, PyList::new(py, [value])?),
    })?;
    match parsed {
        Some(()) => Ok(dict.into_any()),
        None => arguments.call(Original::ParseQs),
    }
}

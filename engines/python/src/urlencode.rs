//! `urlencode`.
#![forbid(unsafe_code)]

use crate::arguments::{Argument, Codec, flag, or_false};
use crate::original::Original;
use crate::quote::{Quoter, Space};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Encodes a mapping or a sequence of pairs as a query string.
///
/// Same as `urllib.parse.urlencode`. Values that are neither `str` nor `bytes` go through `str()`.
/// With `doseq`, each element of a value that is a sequence becomes a parameter.
///
/// >>> urlencode({'q': 'fish & chips', 'page': 2})
/// 'q=fish+%26+chips&page=2'
/// >>> urlencode([('tag', ['a', 'b c'])], doseq=True)
/// 'tag=a&tag=b+c'
/// >>> urlencode({'q': 'a b/c'}, safe='/', quote_via=quote)
/// 'q=a%20b/c'
#[pyfunction]
#[pyo3(
    signature = (query, doseq = None, safe = Argument::Default, encoding = None, errors = None, quote_via = Argument::Default),
    text_signature = "(query, doseq=False, safe='', encoding=None, errors=None, quote_via=...)"
)]
pub(crate) fn urlencode<'py>(
    py: Python<'py>,
    query: &Bound<'py, PyAny>,
    doseq: Option<&Bound<'py, PyAny>>,
    safe: Argument<'_, 'py>,
    encoding: Option<&Bound<'py, PyAny>>,
    errors: Option<&Bound<'py, PyAny>>,
    quote_via: Argument<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut custom = None;
    if let (Some(does_sequences), Some(Codec::Utf8), Some(space)) =
        (flag(doseq), Codec::for_encoding(encoding, errors), space_of(&quote_via))
        && let Some(quoter) = Quoter::new(&safe, "", space, &mut custom)
    {
        let mut output = Output { text: String::new(), quoter, does_sequences };
        if output.append_query(query).is_some() {
            return Ok(PyString::new(py, &output.text).into_any());
        }
    }
    // Runs Python's loop with our function, because `str()` of these values may do anything.
    let quote_via = match quote_via {
        Argument::Default => crate::own_function(py, Space::Plus)?.clone().into_any(),
        Argument::Given(function) => function.to_owned(),
    };
    Original::Urlencode.call(py, (query, or_false(py, doseq), safe.or_default(py, ""), encoding, errors, quote_via))
}

/// How `quote_via` encodes a space, if it is our function or Python's.
fn space_of(quote_via: &Argument<'_, '_>) -> Option<Space> {
    let Argument::Given(function) = quote_via else { return Some(Space::Plus) };
    let is = |space, original: Original| {
        original.is(function) || crate::own_function(function.py(), space).is_ok_and(|own| own.is(function))
    };
    if is(Space::Plus, Original::QuotePlus) {
        Some(Space::Plus)
    } else if is(Space::Triplet, Original::Quote) {
        Some(Space::Triplet)
    } else {
        None
    }
}

/// The query string so far. Methods return `None` if the query is left to Python.
///
/// No method of the caller is called. So nothing changes during the iteration, and work before a
/// `None` has no effect.
struct Output<'a> {
    text: String,
    quoter: Quoter<'a>,
    does_sequences: bool,
}

impl Output<'_> {
    fn append_query(&mut self, query: &Bound<'_, PyAny>) -> Option<()> {
        if let Ok(dict) = query.cast_exact::<PyDict>() {
            for (name, value) in dict {
                self.append_item(&name, &value)?;
            }
            Some(())
        } else if let Ok(list) = query.cast_exact::<PyList>() {
            list.iter().try_for_each(|item| self.append_tuple(&item))
        } else {
            query.cast_exact::<PyTuple>().ok()?.iter().try_for_each(|item| self.append_tuple(&item))
        }
    }

    fn append_tuple(&mut self, item: &Bound<'_, PyAny>) -> Option<()> {
        let item = item.cast_exact::<PyTuple>().ok()?;
        if item.len() != 2 {
            return None;
        }
        self.append_item(&item.get_item(0).ok()?, &item.get_item(1).ok()?)
    }

    fn append_item(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Option<()> {
        if self.does_sequences {
            if let Ok(list) = value.cast_exact::<PyList>() {
                return self.append_sequence(name, list.iter());
            }
            if let Ok(tuple) = value.cast_exact::<PyTuple>() {
                return self.append_sequence(name, tuple.iter());
            }
        }
        self.append_pair(name, value)
    }

    fn append_sequence<'py>(
        &mut self,
        name: &Bound<'py, PyAny>,
        mut values: impl ExactSizeIterator<Item = Bound<'py, PyAny>>,
    ) -> Option<()> {
        if values.len() == 0 {
            // Python encodes the name all the same, which may fail.
            let length = self.text.len();
            self.append_component(name)?;
            self.text.truncate(length);
        }
        values.try_for_each(|value| self.append_pair(name, &value))
    }

    fn append_pair(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Option<()> {
        if !self.text.is_empty() {
            self.text.push('&');
        }
        self.append_component(name)?;
        self.text.push('=');
        self.append_component(value)
    }

    fn append_component(&mut self, component: &Bound<'_, PyAny>) -> Option<()> {
        if let Ok(bytes) = component.cast_exact::<PyBytes>() {
            self.quoter.append(bytes.as_bytes(), &mut self.text);
        } else if let Ok(text) = component.cast_exact::<PyString>() {
            self.quoter.append(text.to_str().ok()?, &mut self.text);
        } else if component.is_none()
            || component.is_exact_instance_of::<PyInt>()
            || component.is_exact_instance_of::<PyFloat>()
            || component.is_exact_instance_of::<PyBool>()
        {
            self.quoter.append(component.str().ok()?.to_str().ok()?, &mut self.text);
        } else {
            return None;
        }
        Some(())
    }
}

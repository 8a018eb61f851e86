//! `unquote`, `unquote_plus` and `unquote_to_bytes`.
#![forbid(unsafe_code)]

use crate::arguments::{Argument, Codec, text};
use crate::original::Original;
use crate::text::new_str_replacing;
use memchr::{memchr, memchr2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use simdpct::Decoder;
use std::borrow::Cow;
use std::mem::MaybeUninit;

/// A malformed `%` is kept, as in `unquote`.
pub(crate) static PERCENT: Decoder = Decoder::new().lenient();
/// Like `PERCENT`, and `+` is a space, as in `unquote_plus`.
pub(crate) static FORM: Decoder = PERCENT.plus_for_space();

/// Maximum length of an input that is decoded on the stack.
const STACK: usize = 1024;

/// Decodes to a `str`. `None` if the decoded bytes are not UTF-8 and `codec` does not replace
/// invalid sequences, or if `codec` is not UTF-8.
#[inline]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    decoder: &Decoder,
    input: &[u8],
    codec: Codec<'_>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(match codec {
        Codec::Utf8Replacing => match decoder.decode(input) {
            Ok(output) => Some(new_str_replacing(py, &output)?),
            Err(_) => None,
        },
        Codec::Utf8 => decoder.decode_utf8(input).ok().map(|output| PyString::new(py, &output).into_any()),
        Codec::Other { .. } => None,
    })
}

/// Decodes to bytes, then decodes the bytes by any codec, with the exceptions of `bytes.decode`.
fn decode_by<'py>(
    py: Python<'py>,
    decoder: &Decoder,
    input: &[u8],
    codec: Codec<'_>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (Some((encoding, errors)), Ok(bytes)) = (codec.names(), decoder.decode(input)) else { return Ok(None) };
    let bytes = PyBytes::new(py, &bytes).into_any();
    PyString::from_encoded_object(&bytes, Some(&encoding), Some(&errors)).map(|text| Some(text.into_any()))
}

/// `unquote` and `unquote_plus` of a `str`: the decoder, and whether an input has anything to
/// decode.
#[inline]
fn unquote_text<'py>(
    string: &Bound<'py, PyString>,
    decoder: &Decoder,
    is_coded: impl Fn(&[u8]) -> bool,
    encoding: &Argument<'_, 'py>,
    errors: &Argument<'_, 'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = string.py();
    // Lone surrogates are left to Python.
    let (Ok(input), Some(codec)) = (string.to_str(), Codec::for_decoding(encoding, errors, true)) else {
        return Ok(None);
    };
    let input = input.as_bytes();
    if !is_coded(input) {
        return Ok(Some(string.clone().into_any()));
    }
    if let Codec::Utf8Replacing = codec
        && input.len() <= STACK
    {
        // Allocating would take 260 ns instead of 241 for a line of non-Latin URLs (Xeon,
        // bench.py).
        let mut buffer = [const { MaybeUninit::uninit() }; STACK];
        if let Ok(output) = decoder.decode_uninit(input, &mut buffer) {
            return new_str_replacing(py, output).map(Some);
        }
    }
    match decode(py, decoder, input, codec)? {
        // Python decodes each run of ASCII by itself. Without `%`, nothing goes through the codec.
        None if input.is_ascii() && memchr(b'%', input).is_some() => decode_by(py, decoder, input, codec),
        output => Ok(output),
    }
}

/// Replaces `%xx` escapes by the characters they encode.
///
/// Same as `urllib.parse.unquote`. `encoding` and `errors` say how to decode the bytes of escapes,
/// as for `bytes.decode`. Malformed escapes are kept. If nothing changes, returns `string` itself.
///
/// >>> unquote('caf%C3%A9%20%E2%82%AC')
/// 'café €'
/// >>> unquote('100% caf%E9')
/// '100% caf�'
/// >>> unquote('caf%E9', encoding='latin-1')
/// 'café'
/// >>> unquote(b'caf%C3%A9')
/// 'café'
#[pyfunction]
#[pyo3(
    signature = (string, encoding = Argument::Default, errors = Argument::Default),
    text_signature = "(string, encoding='utf-8', errors='replace')"
)]
pub(crate) fn unquote<'py>(
    string: &Bound<'py, PyAny>,
    encoding: Argument<'_, 'py>,
    errors: Argument<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = string.py();
    if let Ok(string) = string.cast_exact::<PyString>() {
        if let Some(output) = unquote_text(string, &PERCENT, |input| memchr(b'%', input).is_some(), &encoding, &errors)?
        {
            return Ok(output);
        }
    } else if let Ok(bytes) = string.cast_exact::<PyBytes>()
        && let Some(codec) = Codec::for_decoding(&encoding, &errors, false)
    {
        if let Some(output) = decode(py, &PERCENT, bytes.as_bytes(), codec)? {
            return Ok(output);
        }
        if let Some(output) = decode_by(py, &PERCENT, bytes.as_bytes(), codec)? {
            return Ok(output);
        }
    }
    Original::Unquote.call(py, (string, encoding.or_default(py, "utf-8"), errors.or_default(py, "replace")))
}

/// Like `unquote`, and replaces `+` by a space, as in HTML forms.
///
/// Same as `urllib.parse.unquote_plus`.
///
/// >>> unquote_plus('1+%2B+1')
/// '1 + 1'
#[pyfunction]
#[pyo3(
    signature = (string, encoding = Argument::Default, errors = Argument::Default),
    text_signature = "(string, encoding='utf-8', errors='replace')"
)]
pub(crate) fn unquote_plus<'py>(
    string: &Bound<'py, PyAny>,
    encoding: Argument<'_, 'py>,
    errors: Argument<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = string.py();
    if let Ok(string) = string.cast_exact::<PyString>()
        && let Some(output) =
            unquote_text(string, &FORM, |input| memchr2(b'%', b'+', input).is_some(), &encoding, &errors)?
    {
        return Ok(output);
    }
    Original::UnquotePlus.call(py, (string, encoding.or_default(py, "utf-8"), errors.or_default(py, "replace")))
}

/// Replaces `%xx` escapes by the bytes they encode.
///
/// Same as `urllib.parse.unquote_to_bytes`. A `str` is encoded as UTF-8 first.
///
/// >>> unquote_to_bytes('%FF%00é')
/// b'\xff\x00\xc3\xa9'
#[pyfunction]
#[pyo3(signature = (string), text_signature = "(string)")]
pub(crate) fn unquote_to_bytes<'py>(string: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = string.py();
    if let Some(input) = text(string) {
        if let Ok(output) = PERCENT.decode(input) {
            return Ok(PyBytes::new(py, &output).into_any());
        }
    } else if let Ok(bytes) = string.cast_exact::<PyBytes>() {
        match PERCENT.decode(bytes.as_bytes()) {
            Ok(Cow::Borrowed(_)) => return Ok(string.clone()),
            Ok(Cow::Owned(output)) => return Ok(PyBytes::new(py, &output).into_any()),
            Err(_) => {}
        }
    }
    Original::UnquoteToBytes.call(py, (string,))
}

//! Standard output of the commands that print results.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::io::Write;

use serde_json::Value;

use crate::error::Error;
use crate::source::standard;
use crate::text::shown;

/// Writes a JSON document as one line.
pub(crate) fn write_json(document: &Value) -> Result<(), Error> {
    write(format!("{}\n", shown::json(&document.to_string())).as_bytes())
}

/// A name for output: escaped to one line without control characters, also for a program, whose
/// lines it could break.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    shown::line(name)
}

/// Writes the text and flushes.
pub(crate) fn write(text: &[u8]) -> Result<(), Error> {
    let mut output = standard::Output::new();
    output.write_all(text).and_then(|()| output.flush()).map_err(|error| Error::Output("standard output".into(), error))
}

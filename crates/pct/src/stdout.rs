//! Standard output, for commands whose product is what they tell.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde_json::Value;

use crate::error::Error;
use crate::shown;
use crate::standard;

/// Writes a document there, as a line.
pub(crate) fn write_json(document: &Value) -> Result<(), Error> {
    write(format!("{}\n", shown::json(&document.to_string())).as_bytes())
}

/// The name of a file as it is told: exactly, but to a terminal as one line without control
/// characters.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { shown::line(name) } else { name.into() }
}

/// Writes it there at once.
pub(crate) fn write(text: &[u8]) -> Result<(), Error> {
    let mut output = standard::Output::new();
    output.write_all(text).and_then(|()| output.flush()).map_err(|error| Error::Output("standard output".into(), error))
}

//! Check of `SIMDPCT_LEVEL`: the library ignores an invalid value, the command reports it.
#![forbid(unsafe_code)]

use std::env;

use simdpct::Level;

use crate::error::Error;

/// Read by the library.
const VARIABLE: &str = "SIMDPCT_LEVEL";

/// Rejects the name of an unknown or unavailable level. An empty value counts as unset.
pub(crate) fn check_environment() -> Result<(), Error> {
    let name = env::var_os(VARIABLE).unwrap_or_default();
    let message = match name.to_str().map(str::parse::<Level>) {
        _ if name.is_empty() => return Ok(()),
        Some(Ok(level)) if level.is_available() => return Ok(()),
        Some(Ok(_)) => "not available on this machine; ",
        Some(Err(_)) | None => "",
    };
    let available = Level::available().map(Level::name).collect::<Vec<_>>().join(", ");
    Err(Error::Usage(format!("invalid {VARIABLE} '{}': {message}expected one of {available}", name.display())))
}

//! `SIMDPCT_LEVEL`: what the library would ignore, a person wants to be stdout.
#![forbid(unsafe_code)]

use std::env;

use simdpct::Level;

use crate::error::Error;

/// The library reads it by itself.
const VARIABLE: &str = "SIMDPCT_LEVEL";

/// Refuses the name of a level that is unknown or that this machine lacks. Empty is as good as unset.
pub(crate) fn check_environment() -> Result<(), Error> {
    let name = env::var_os(VARIABLE).unwrap_or_default();
    let problem = match name.to_str().map(str::parse::<Level>) {
        _ if name.is_empty() => return Ok(()),
        Some(Ok(level)) if level.is_available() => return Ok(()),
        Some(Ok(_)) => "is not available on this machine",
        Some(Err(_)) | None => "is no level",
    };
    let available: Vec<_> = Level::available().map(Level::name).collect();
    Err(Error::Usage(format!("{VARIABLE}: '{}' {problem}; available: {}", name.display(), available.join(", "))))
}

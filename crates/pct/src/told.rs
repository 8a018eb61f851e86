//! Standard output, for commands whose product is what they tell.
#![forbid(unsafe_code)]

use std::io::Write;

use crate::error::Error;
use crate::standard;

/// Writes it there at once.
pub(crate) fn tell(text: &[u8]) -> Result<(), Error> {
    let mut output = standard::Output::new();
    output.write_all(text).and_then(|()| output.flush()).map_err(|error| Error::Output("standard output".into(), error))
}

//! Options of functions, which are SQL arguments: those of [`simdpct_arrow::options`], with the errors
//! of DataFusion.

use datafusion::arrow::error::ArrowError;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::error::DataFusionError;
use simdpct::uri::Part;
use simdpct::{Encoder, Kinds};
use simdpct_arrow::options;

/// The encoder of a set: by name, or the characters to keep besides the unreserved ones.
pub(crate) fn encoder(set: &str) -> Result<Encoder> {
    options::encoder(set).map_err(error)
}

/// Kinds of findings by their names, separated by commas.
pub(crate) fn kinds(names: &str) -> Result<Kinds> {
    options::kinds(names).map_err(error)
}

/// A part of a URL by its name, in any case.
pub(crate) fn part(name: &str) -> Result<Part> {
    options::part(name).map_err(error)
}

fn error(error: ArrowError) -> DataFusionError {
    match error {
        ArrowError::InvalidArgumentError(message) => exec_datafusion_err!("{message}"),
        error => error.into(),
    }
}

//! What text means: which system's rules decode and encode it.
//!
//! Nothing here knows where text comes from, how it is cut into values, or on how many threads that
//! is done. [`dialect`] has the rules of each system, in one table; [`options`] reads them and what
//! refines them from the command line; [`decoding`] and [`encoding`] are the result, small
//! constants that do one value, and any number of lines at once.
#![forbid(unsafe_code)]

mod decoding;
mod dialect;
mod encoding;
mod errors;
mod faults;
mod java;
mod layers;
mod options;
mod set;
mod text;

pub(crate) use decoding::Decoding;
pub(crate) use dialect::long_help;
pub(crate) use encoding::Encoding;
pub(crate) use errors::{ErrorKinds, Search};
pub(crate) use layers::Layers;
pub(crate) use options::{DecodingOptions, EncodingOptions, NormalizingOptions};

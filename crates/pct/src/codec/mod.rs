//! Rules of decoding and encoding: dialects, options, and the codecs that apply them.
//!
//! Independent of input, records and threads. [`dialect`] is the table of the rules of each
//! implementation; [`options`] are the command-line options that select and refine them;
//! [`decoding`] and [`encoding`] are the resulting codecs, small constants that process a single
//! value or a batch of lines. [`text_decoding`] and [`text_encoding`] are those for other charsets
//! and `%uXXXX`.
#![forbid(unsafe_code)]

mod charset;
mod decoding;
mod dialect;
mod encoding;
mod json;
mod options;
mod set;
mod text_decoding;
mod text_encoding;

pub(crate) use decoding::{Decoding, ErrorKinds, Layers, Search};
#[cfg(test)]
pub(crate) use dialect::NO_DIALECT;
pub(crate) use dialect::{Dialect, long_help};
pub(crate) use encoding::Encoding;
pub(crate) use json::{end_string, escape_ill_formed, write_string};
pub(crate) use options::{DecodingOptions, EncodingOptions, NormalizingOptions, TextOptions};
pub(crate) use text_decoding::{AsTriplets, Outcome, TextDecoding};
pub(crate) use text_encoding::TextEncoding;

//! Reports of invalid records: counted per block, merged in input order, printed at the end.
#![forbid(unsafe_code)]

mod json;
mod place;
mod tally;
mod text;

pub(crate) use json::{as_json, document, file_as_json, print_json};
pub(crate) use place::Place;
pub(crate) use tally::{FileReport, InvalidRecord, Records, Tally};
pub(crate) use text::{print_comparison, print_text};

//! Comparing records by their results: `--unique`, `--count`, `--top`, `--not-in` and `--only-in`.
//!
//! Each thread computes a [`key`] of 128 bits for each record of its block. When the block is
//! written, in input order, [`Seen`] tells which records are written. So the output does not depend
//! on the number of threads, and memory holds keys instead of records; only `--count` and `--top`
//! hold the text of each distinct output, too.
//!
//! Two records with different results and the same key would be taken for duplicates, and the
//! second would be lost. The key is SipHash-1-3 with 128 bits and a random secret, so such records
//! cannot be constructed, and by chance, a pair among n records has the same key with a probability
//! of n²/2¹²⁹: 1.5·10⁻²¹ for a thousand million.
#![forbid(unsafe_code)]

mod counts;
pub(crate) mod key;
mod seen;
mod table;

pub(crate) use key::Secret;
pub(crate) use seen::{Compared, Distinct, Others, Seen, Summary};
pub(crate) use table::Table;

/// How records are compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) by: By,
    pub(crate) kept: Kept,
    /// Whether a record without a key is written: one without a selected field, or that is not
    /// processed.
    pub(crate) keeps_keyless: bool,
}

/// The text that is compared, and the text that is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum By {
    /// The results for the fields; the record is written unchanged.
    Fields,
    /// The results for the fields; the output is written, which has the record with new columns, or
    /// the results alone.
    FieldsOfOutput,
    /// The output, which has the results alone.
    Output,
}

/// Which of the records with the same key are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kept {
    All,
    First,
    /// None: each output is written once at the end, with the number of its records.
    Counts,
}

/// A record of a block's output, and its key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Keyed {
    /// Range in the output.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) key: u128,
}

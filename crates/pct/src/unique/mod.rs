//! `--unique`: of the records with the same normal form, writes the first.
//!
//! Each thread computes a [`key`] of 128 bits for each record of its block. When the block is written, in input order,
//! [`Seen`] tells which records are new. So the output does not depend on the number of threads, and memory holds keys
//! instead of records.
//!
//! Two records with different normal forms and the same key would be taken for duplicates, and the second would be
//! lost. The key is SipHash-1-3 with 128 bits and a random secret, so such records cannot be constructed, and by chance, a pair
//! among n records has the same key with a probability of n²/2¹²⁹: 1.5·10⁻²¹ for a thousand million.
#![forbid(unsafe_code)]

pub(crate) mod key;
mod seen;
mod table;

pub(crate) use key::Secret;
pub(crate) use seen::{Seen, Summary};

/// A record of a block's output, and its key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Keyed {
    /// Range in the output.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) key: u128,
}

//! A DuckDB extension: percent-encoding and URLs as SQL functions.
//!
//! `engines/duckdb/build` builds it, and `docs/engines.md` documents the functions. DuckDB passes
//! vectors of up to 2048 rows; each is converted as a whole by `simdpct::columns`.
#![deny(unsafe_op_in_unsafe_fn)]

mod apply;
mod convert;
mod vector;

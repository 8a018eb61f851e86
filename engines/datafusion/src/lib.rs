//! SQL functions for percent-encoding and URLs in Apache DataFusion, with the SIMD codec of
//! [`simdpct`].
//!
//! | function | result |
//! |---|---|
//! | `pct_decode(s)` | decoded; an error for a malformed `%` or invalid UTF-8 |
//! | `try_pct_decode(s)` | decoded; NULL instead of an error |
//! | `pct_decode_lossy(s)` | decoded; never fails: a malformed `%` stays, invalid UTF-8 becomes U+FFFD |
//! | `form_decode(s)`, `try_form_decode(s)`, `form_decode_lossy(s)` | as `pct_decode` etc., and `+`
//! is a space |
//! | `pct_encode(s[, set])` | encoded for a component, or for `set` |
//! | `form_encode(s)` | encoded; a space becomes `+` |
//! | `pct_normalize(s)` | with normal triplets (RFC 3986 6.2.2) |
//! | `url_repair(s)` | with everything escaped that a URI must not contain |
//! | `url_part(s, part)` | a part of the URL: `scheme`, `authority`, `userinfo`, `host`, `port`, `path`, `query`, `fragment`, ... |
//! | `url_parts(s)` | all of these parts, a structure |
//! | `url_query_value(s, key)` | the decoded value of a key in the URL's query |
//! | `url_query_keys(s)`, `url_query_map(s)` | the decoded names in the query, a list; and the pairs, a map |
//! | `url_normalize(s[, rules])` | the normal form of the whole URL |
//! | `url_domain(s)` | the registrable domain of the host |
//! | `url_join(base, reference)` | the reference, resolved |
//! | `url_cut(s, parts)` | without the query, the fragment or some keys |
//! | `url_path_canonical(s[, policy])` | the canonical path, as a server reads it |
//! | `url_findings(s)` | what it contains, as a number: double encoding, NUL, invalid UTF-8, ... |
//! | `url_finding_names(n)` | the names of these findings |
//! | `url_has(s, kind)` | whether it has a finding of these kinds |
//!
//! [`register`] adds them; [`register_spark_functions`] adds `url_decode`, `try_url_decode` and
//! `url_encode`, which return exactly the same as Spark's functions. All functions document
//! themselves: `select * from information_schema.routines` and `show functions`.
//!
//! * NULL stays NULL.
//! * `s` may be any string type, binary, or a dictionary; the result has the same type. Binary
//!   values are decoded to any bytes. Dictionaries stay dictionaries, and views share their
//!   buffers.
//! * The message of an error quotes the value, cut to 64 characters.
//! * Options are SQL arguments, so the functions have no state, and Ballista can send a plan to
//!   another process. Calls with constants are folded.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let mut session = SessionContext::new();
//! simdpct_datafusion::register(&mut session)?;
//! let rows = session.sql("select url_query_value('http://e/?q=caf%C3%A9', 'q') as q").await?.collect().await?;
//! datafusion::assert_batches_eq!(["+------+", "| q    |", "+------+", "| café |", "+------+"], &rows);
//! # Ok::<(), datafusion::error::DataFusionError>(())
//! # }).unwrap();
//! ```
#![forbid(unsafe_code)]

/// Doc tests of the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod apply;
mod documentation;
#[doc(hidden)]
pub mod program;
mod udf;

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::logical_expr::ScalarUDF;
use datafusion::logical_expr::registry::FunctionRegistry;
use simdpct_functions::Function;

use udf::Udf;

/// Adds all [`functions`] to a session or another registry.
///
/// # Errors
///
/// Returns the error of the registry, if it takes no functions.
pub fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    register_all(registry, functions())
}

/// Adds the [`spark_functions`] to a session or another registry. They replace functions with the
/// same names.
///
/// # Errors
///
/// Returns the error of the registry, if it takes no functions.
///
/// ```
/// use datafusion::prelude::SessionContext;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let mut session = SessionContext::new();
/// simdpct_datafusion::register_spark_functions(&mut session)?;
/// let rows = session.sql("select url_decode('a+%E4') as s").await?.collect().await?;
/// datafusion::assert_batches_eq!(["+-----+", "| s   |", "+-----+", "| a \u{FFFD} |", "+-----+"], &rows);
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// # }).unwrap();
/// ```
pub fn register_spark_functions(registry: &mut dyn FunctionRegistry) -> Result<()> {
    register_all(registry, spark_functions())
}

/// All functions except Spark's, in the order of the [table](crate).
#[must_use]
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    all(Function::OWN)
}

/// `url_decode`, `try_url_decode` and `url_encode`, which return exactly the results of Spark's
/// functions: `+` is a space, invalid UTF-8 becomes U+FFFD as in Java, and `%+4` is a triplet.
#[must_use]
pub fn spark_functions() -> Vec<Arc<ScalarUDF>> {
    all(Function::SPARK)
}

fn all(functions: &[Function]) -> Vec<Arc<ScalarUDF>> {
    functions.iter().map(|&function| Arc::new(ScalarUDF::new_from_impl(Udf::new(function)))).collect()
}

fn register_all(registry: &mut dyn FunctionRegistry, functions: Vec<Arc<ScalarUDF>>) -> Result<()> {
    functions.into_iter().try_for_each(|function| registry.register_udf(function).map(|_| ()))
}

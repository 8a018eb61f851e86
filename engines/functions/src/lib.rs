//! The SQL functions of simdpct without an engine: their names, their options as text, and the
//! [`Operation`] that each applies to a column.
//!
//! An engine's crate registers each [`Function`] under its [name](Function::name), asks for its
//! [`operation`](Function::operation), and applies the operation to its own type of column. So a
//! name means the same in every engine.
//!
//! ```
//! use simdpct_functions::{Function, Operation};
//!
//! let function = Function::from_name("pct_encode").unwrap();
//! assert!(matches!(function.operation(Some("path"))?, Operation::Encode(encoder) if encoder.encode("/a b") == "/a%20b"));
//! # Ok::<(), simdpct_functions::InvalidOption>(())
//! ```
#![forbid(unsafe_code)]

mod excerpt;
mod function;
mod nested;
mod operation;
pub mod options;
mod url;
mod value;

pub use excerpt::{excerpt, excerpt_of_bytes};
pub use function::Function;
pub use nested::{query_map, url_parts};
pub use operation::Operation;
pub use options::InvalidOption;
pub use url::{Cut, Mapping, Part, UrlNormal};
pub use value::Value;

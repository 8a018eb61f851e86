//! All tests, in one program.

mod common;
mod documentation;
mod program;
mod spark;
mod sql;

//! The module `text` of the command, as the files of `pct explain` name it.
#![forbid(unsafe_code)]

#[path = "../../../../crates/pct/src/text/shown.rs"]
#[allow(dead_code, reason = "the page needs excerpts only")]
pub(crate) mod shown;

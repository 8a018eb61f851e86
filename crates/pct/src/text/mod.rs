//! Functions of text that know no command.
#![forbid(unsafe_code)]

pub(crate) mod incomplete;
pub(crate) mod pattern;
pub(crate) mod quoted;
pub(crate) mod shown;

//! Functions of text that know no command.
#![forbid(unsafe_code)]

pub(crate) mod incomplete;
pub(crate) mod pattern;
pub(crate) mod shown;

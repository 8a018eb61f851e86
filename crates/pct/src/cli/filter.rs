//! Options that select the records to write.
#![forbid(unsafe_code)]

use clap::Args;

use crate::error::Error;
use crate::operation::Filter;

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct FilterArguments {
    /// Write only records that change
    ///
    /// Records in which the result for some selected field differs from its text.
    #[arg(long, conflicts_with_all = ["raw", "only_matching"])]
    only_changed: bool,

    /// Write only records that match
    ///
    /// Writes whole records; with --print-field, only their fields. A record matches if a selected
    /// field contains something to decode or is invalid (decode), has the part (get), or has a pair
    /// (form).
    #[arg(long, conflicts_with = "raw")]
    only_matching: bool,
}

impl FilterArguments {
    /// The filter; an error if the command does not have it.
    pub(crate) fn filter(&self, command: &str, supported: &[Filter]) -> Result<Filter, Error> {
        let (filter, option, commands) = match (self.only_changed, self.only_matching) {
            (true, _) => (Filter::Changed, "--only-changed", "decode, encode, normalize or repair"),
            (_, true) => (Filter::Matching, "--only-matching", "check, decode, form or get"),
            _ => return Ok(Filter::All),
        };
        if supported.contains(&filter) {
            return Ok(filter);
        }
        Err(Error::Usage(format!("invalid {option} for {command}: expected {commands}")))
    }
}

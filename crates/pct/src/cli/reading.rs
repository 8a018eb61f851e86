//! How `get` and `form` read their input: as URLs, as targets of requests, or as queries.
#![forbid(unsafe_code)]

use clap::Args;

use super::format::FormatArguments;
use crate::operation::Reading;

#[derive(Args, Debug)]
pub(crate) struct ReadingArguments {
    /// Read the input as queries of URLs, not as URLs
    ///
    /// Fields of --log that are queries are read as queries without it: args, query_string and
    /// cs-uri-query. A leading '?' is dropped.
    #[arg(long)]
    pub(crate) query: bool,
}

impl ReadingArguments {
    pub(crate) fn reading(&self, format: &FormatArguments) -> Reading {
        if self.query || format.has_queries() {
            Reading::Query
        } else if format.is_log() {
            Reading::Target
        } else {
            Reading::Reference
        }
    }
}

//! The arguments of `pct repair`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;

/// Make valid URIs of dirty ones: escape in each component what must not stand there
///
/// Triplets and delimiters stay, nothing is dropped, and a valid URI is never changed.
#[derive(Args, Debug)]
pub(crate) struct RepairArguments {
    #[command(flatten)]
    pub(crate) text: TextArguments,
}

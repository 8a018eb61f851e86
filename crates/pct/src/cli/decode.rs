//! The arguments of `pct decode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::meaning::{self, DecodingOptions};

/// Replace triplets, '%' and two hexadecimal digits, by the bytes they stand for
///
/// Works line by line: line ends stay as they are, and the triplets %0A and %0D stay escaped, so that there are as many lines
/// as before. Any other byte is decoded, once: %2541 becomes %41.
///
/// Logs are dirty, so a '%' that two hexadecimal digits do not follow is passed on as it is, unless --errors says otherwise. With
/// --dialect, an error is what is one in that system.
#[derive(Args, Debug)]
#[command(after_long_help = meaning::table())]
pub(crate) struct DecodeArguments {
    #[command(flatten)]
    pub(crate) meaning: DecodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

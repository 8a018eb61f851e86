//! The arguments of `pct encode`.
#![forbid(unsafe_code)]

use clap::Args;

use super::TextArguments;
use crate::meaning::{self, EncodingOptions};

/// Replace bytes that may not stand where the text will stand by triplets, '%' and two hexadecimal digits
///
/// Works line by line: line ends, LF or CRLF, stay as they are. Any other CR is encoded.
#[derive(Args, Debug)]
#[command(after_long_help = meaning::table())]
pub(crate) struct EncodeArguments {
    #[command(flatten)]
    pub(crate) meaning: EncodingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

//! Fields of CSV in quotes (RFC 4180 2).
#![forbid(unsafe_code)]

use csv_core::{QuoteStyle, WriteResult, WriterBuilder};
use simdpct::ByteSet;

/// Bytes because of which a field must be quoted. Much software ends a record at a CR.
pub(crate) fn bytes_to_quote(delimiter: u8) -> ByteSet {
    ByteSet::new(b"\"\r\n").with(delimiter)
}

/// Appends a field in quotes.
pub(crate) fn push(text: &[u8], output: &mut Vec<u8>) {
    let mut writer = WriterBuilder::new().quote_style(QuoteStyle::Always).build();
    let start = output.len();
    // Worst case: every byte is a quote, and is doubled, plus two quotes.
    output.resize(start + 2 * text.len() + 2, 0);
    let (result, _, mut written) = writer.field(text, &mut output[start..]);
    debug_assert_eq!(result, WriteResult::InputEmpty);
    let (_, rest) = writer.finish(&mut output[start + written..]);
    written += rest;
    output.truncate(start + written);
}

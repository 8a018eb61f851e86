//! Report as text: a line for each file with invalid records, and for each field that no record
//! had.
#![forbid(unsafe_code)]

use super::FileReport;
use crate::operation::Count;
use crate::shown;

/// Prints the report to standard error, unless it is empty. `unmatched` is
/// [`Format::unmatched`](crate::format::Format::unmatched).
pub(crate) fn print_text(files: &[FileReport], unmatched: &[String]) {
    for file in files {
        let counts: Vec<_> = Count::ALL
            .into_iter()
            .zip(file.counts)
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.words()))
            .collect();
        if let Some(first) = file.first.first() {
            shown::write_stderr(format_args!("pct: {}: {}; first at {}", file.name, counts.join(", "), first.place));
        }
    }
    for warning in unmatched {
        shown::write_stderr(format_args!("pct: warning: {warning}"));
    }
}

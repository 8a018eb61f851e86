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
        if counts.is_empty() {
            continue;
        }
        let first = file.first.first().map(|first| format!("; first at {}", first.place)).unwrap_or_default();
        shown::write_stderr(format_args!("pct: {}: {}{first}", file.name, counts.join(", ")));
    }
    for warning in unmatched {
        shown::write_stderr(format_args!("pct: warning: {warning}"));
    }
}

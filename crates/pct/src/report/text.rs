//! The report for people: a line for each file with invalid records, and for each field that no
//! record had.
#![forbid(unsafe_code)]

use super::FileReport;
use crate::operation::Count;
use crate::shown;

/// Tells standard error, if there is anything to tell. `unmatched` is
/// [`Unit::unmatched`](crate::format::Unit::unmatched).
pub(crate) fn tell_text(files: &[FileReport], unmatched: &[String]) {
    for file in files {
        let counts: Vec<_> = Count::ALL
            .into_iter()
            .zip(file.counts)
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.words()))
            .collect();
        if let Some(first) = file.first.first() {
            shown::complain(format_args!("pct: {}: {}; first at {}", file.name, counts.join(", "), first.place));
        }
    }
    for warning in unmatched {
        shown::complain(format_args!("pct: warning: {warning}"));
    }
}

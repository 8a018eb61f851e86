//! The report for people: one line for each file in which something was found.
#![forbid(unsafe_code)]

use super::{Count, FileReport};
use crate::error::complain;

/// Tells standard error, if there is anything to tell.
pub(crate) fn tell_text(files: &[FileReport]) {
    for file in files {
        let counts: Vec<_> = Count::ALL
            .into_iter()
            .zip(file.counts)
            .filter(|&(_, count)| count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.words()))
            .collect();
        if let Some(first) = file.first.first() {
            complain(format_args!("pct: {}: {}; first at {}", file.name, counts.join(", "), first.place));
        }
    }
}

//! Report as text: a line for each file with counted records, and for each field that no record
//! had.
#![forbid(unsafe_code)]

use super::FileReport;
use crate::operation::Count;
use crate::text::shown;
use crate::unique::{Compared, Distinct, Summary};

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
        let first = file.first.first().map(|first| {
            let field = first.field.map_or_else(String::new, |field| format!(" of '{field}'"));
            format!("; first at {}{field}", first.place)
        });
        let first = first.unwrap_or_default();
        shown::write_stderr(format_args!("pct: {}: {}{first}", file.name, counts.join(", ")));
    }
    for warning in unmatched {
        shown::write_stderr(format_args!("pct: warning: {warning}"));
    }
}

/// Prints the summary of the comparison of records.
pub(crate) fn print_comparison(Summary { distinct, compared }: Summary) {
    if let Some(Compared { listed, left_out, memory }) = compared {
        let memory = size(memory);
        shown::write_stderr(format_args!(
            "pct: {left_out} left out, {listed} distinct in other files; memory: {memory}"
        ));
    }
    if let Some(Distinct { distinct, duplicates, memory }) = distinct {
        let memory = size(memory);
        shown::write_stderr(format_args!("pct: {distinct} distinct, {duplicates} duplicates; memory: {memory}"));
    }
}

/// A number of bytes, with three significant digits.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if size < 1000.0 {
            break;
        }
        (size, unit) = (size / 1024.0, next);
    }
    let decimals = if size < 10.0 { 2 } else { usize::from(size < 100.0) };
    format!("{size:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_three_digits_and_a_unit() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.00 KiB"),
            (17 * 1024, "17.0 KiB"),
            (999 * 1024, "999 KiB"),
            (1000 * 1024, "0.98 MiB"),
            (34 << 20, "34.0 MiB"),
            (5 << 30, "5.00 GiB"),
            (1 << 50, "1024 TiB"),
        ] {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
    }
}

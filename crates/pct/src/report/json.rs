//! Report as one JSON object.
#![forbid(unsafe_code)]

use serde_json::{Map, Value, json};

use super::FileReport;
use crate::operation::Count;
use crate::shown;
use crate::unique::Summary;

/// Prints the report to standard error, in one line, even if it is empty. `unique` is for `--unique`.
pub(crate) fn print_json(files: &[FileReport], unmatched: &[String], unique: Option<Summary>) {
    let mut report = as_json(files, unmatched);
    if let Some(Summary { distinct, duplicates, memory }) = unique {
        report["unique"] = json!({ "distinct": distinct, "duplicates": duplicates, "memory": memory });
    }
    shown::write_stderr(format_args!("{}", shown::json(&report.to_string())));
}

/// The report as a JSON value.
pub(crate) fn as_json(files: &[FileReport], unmatched: &[String]) -> Value {
    let files: Vec<_> = files
        .iter()
        .map(|file| {
            let counts: Map<_, _> = Count::ALL
                .into_iter()
                .zip(file.counts)
                .map(|(kind, count)| (kind.name().into(), json!(count)))
                .collect();
            let first: Vec<_> = file
                .first
                .iter()
                .map(|invalid| {
                    let mut object = json!({
                        "file": file.name,
                        "line": invalid.place.line,
                        "column": invalid.place.column,
                        "kind": Count::of(invalid.kind).name(),
                    });
                    if !invalid.found.is_empty() {
                        object["found"] = invalid.found.names().collect();
                    }
                    object
                })
                .collect();
            json!({
                "file": file.name,
                "records": file.records(),
                "invalid": file.faults(),
                "counts": counts,
                "first": first,
            })
        })
        .collect();
    json!({ "files": files, "warnings": unmatched })
}

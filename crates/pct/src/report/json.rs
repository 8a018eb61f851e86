//! Report as one JSON object, of the same shape for all commands.
#![forbid(unsafe_code)]

use serde_json::{Map, Value, json};

use super::FileReport;
use crate::operation::{Count, FaultKind};
use crate::text::shown;
use crate::unique::{Compared, Distinct, Summary};

/// Changes if a member is removed or renamed, or if its meaning changes; not for a new member.
const VERSION: u32 = 1;

/// Prints the report to standard error, in one line, even if it is empty. `summary` is of the
/// comparison of records.
pub(crate) fn print_json(files: &[FileReport], unmatched: &[String], summary: Option<Summary>) {
    let mut report = as_json(files, unmatched);
    let (distinct, compared) = summary.map_or((None, None), |summary| (summary.distinct, summary.compared));
    if let Some(Distinct { distinct, duplicates, memory }) = distinct {
        report["unique"] = json!({ "distinct": distinct, "duplicates": duplicates, "memory": memory });
    }
    if let Some(Compared { listed, left_out, memory }) = compared {
        report["compared"] = json!({ "listed": listed, "left-out": left_out, "memory": memory });
    }
    shown::write_stderr(format_args!("{}", shown::json(&report.to_string())));
}

/// The report as a JSON value.
pub(crate) fn as_json(files: &[FileReport], unmatched: &[String]) -> Value {
    document(files.iter().map(|file| file_as_json(file, Vec::new())).collect(), unmatched)
}

/// The report of files whose values are known.
pub(crate) fn document(files: Vec<Value>, unmatched: &[String]) -> Value {
    json!({ "version": VERSION, "files": files, "warnings": unmatched })
}

/// The value of a file, with the findings of `stats`.
pub(crate) fn file_as_json(file: &FileReport, findings: Vec<Value>) -> Value {
    let counts: Map<_, _> =
        Count::ALL.into_iter().zip(file.counts).map(|(kind, count)| (kind.name().into(), json!(count))).collect();
    let first: Vec<_> = file
        .first
        .iter()
        .map(|invalid| {
            let mut object = json!({
                "file": file.name,
                "line": invalid.place.line,
                "column": invalid.place.column,
                "kind": Count::of(invalid.kind).map(Count::name),
            });
            if let Some(field) = invalid.field {
                object["field"] = field.into();
            }
            if !invalid.found.is_empty() {
                object["found"] = invalid.found.names().collect();
            }
            if let FaultKind::Found(_, layer @ 1..) = invalid.kind {
                object["layer"] = layer.into();
            }
            object
        })
        .collect();
    let mut object = json!({
        "file": file.name,
        "records": file.records(),
        "invalid": file.faults(),
        "counts": counts,
        "first": first,
        "findings": findings,
    });
    if let Some(bytes) = &file.name_bytes {
        object["file-bytes"] = json!(bytes);
    }
    object
}

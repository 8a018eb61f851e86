//! Invalid rows of a row group or a record batch.
#![forbid(unsafe_code)]

use super::Task;
use super::rows::Rows;
use crate::error::Error;
use crate::operation::Fault;
use crate::pipeline::Plan;
use crate::record::{Policy, Written};
use crate::report::{FileReport, InvalidRecord, Place};

/// An invalid row.
#[derive(Clone, Debug)]
pub(super) struct InvalidRow {
    /// Number of the row in its group, from 0.
    row: u64,
    /// The faults of all columns. The position is that in the first invalid value.
    fault: Fault,
    /// The column of that value.
    column: &'static str,
    /// The value, if there is an observer.
    value: Vec<u8>,
}

/// Invalid rows, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct InvalidRows(Vec<InvalidRow>);

impl InvalidRows {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Judges the rows of a group of `rows` rows; `None` if all are written as they are converted.
    pub(super) fn judge(&self, rows: u64, plan: &Plan<'_>) -> Option<Rows> {
        let of = |fault: Option<&Fault>| Written::of(plan.policy, plan.filter, fault);
        let are_all_converted = self.0.iter().all(|invalid| of(Some(&invalid.fault)) == Written::Output);
        if plan.seen.is_none() && of(None) == Written::Output && are_all_converted {
            return None;
        }
        let mut written = vec![of(None); usize::try_from(rows).unwrap_or(usize::MAX)];
        for invalid in &self.0 {
            if let Some(written) = usize::try_from(invalid.row).ok().and_then(|row| written.get_mut(row)) {
                *written = of(Some(&invalid.fault));
            }
        }
        Some(Rows::new(written))
    }

    /// Notes a fault of a row that does not precede the last one.
    pub(super) fn note(&mut self, row: u64, column: &'static str, fault: Fault, value: &[u8]) {
        match self.0.last_mut() {
            Some(last) if last.row == row => last.add(fault),
            _ => self.0.push(InvalidRow { row, fault, column, value: value.to_vec() }),
        }
    }

    /// Adds the invalid rows of a column that follows.
    pub(super) fn merge(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
        } else if !other.is_empty() {
            // Stable: of the same row, the earlier column comes first.
            self.0.extend(other.0);
            self.0.sort_by_key(|invalid| invalid.row);
            self.0.dedup_by(|later, earlier| {
                let is_same = later.row == earlier.row;
                if is_same {
                    earlier.add(later.fault);
                }
                is_same
            });
        }
    }

    /// Adds the rows of a group of `rows` rows to the report, up to the limit.
    pub(super) fn report(self, rows: u64, task: &Task<'_>, report: &mut FileReport) -> Result<(), Error> {
        let plan = task.plan;
        let before = report.records();
        for InvalidRow { row, fault, column, value } in self.0 {
            let place = Place { line: before + row + 1, column: fault.position as u64 + 1 };
            let invalid = InvalidRecord {
                kind: fault.kind,
                place,
                counted: fault.counted,
                found: fault.found,
                field: Some(column),
            };
            if let Some(observer) = plan.observer
                && !fault.kind.is_note()
            {
                observer.observe(&report.name, &invalid, &value)?;
            }
            report.note_invalid(invalid);
            if report.faults() > plan.limit {
                let name = report.name.clone();
                return Err(match plan.max_errors {
                    Some(most) if plan.policy != Policy::Fail => Error::TooMany(name, place, most),
                    _ => Error::Undecodable(name, place, Some(column), fault.kind),
                });
            }
        }
        report.add_records(rows);
        plan.observer.map_or(Ok(()), |observer| observer.pause())
    }
}

impl InvalidRow {
    /// Adds the fault of a later value.
    fn add(&mut self, later: Fault) {
        if let Some(fault) = Fault::first(Some(self.fault), Some(later)) {
            self.fault = fault;
        }
    }
}

//! Filters: which records are written, and the operations that note which fields a filter selects.
#![forbid(unsafe_code)]

use simdpct::ByteSet;

use super::{Fault, Operation, Stream};

/// Which records are written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Filter {
    #[default]
    All,
    /// Those with a field that the operation changes.
    Changed,
    /// Those with a field in which the operation finds what it looks for (`Operation::matches`).
    Matching,
    /// Invalid ones.
    Invalid,
    /// Valid ones.
    Valid,
}

impl Filter {
    /// Whether fields decide: the operation notes the selected fields.
    pub(crate) fn is_by_field(self) -> bool {
        matches!(self, Self::Changed | Self::Matching)
    }

    /// Whether records that are valid and that the operation does not change are written.
    pub(crate) fn has_unchanged(self) -> bool {
        matches!(self, Self::All | Self::Valid)
    }
}

/// Applies an operation, and notes the fields that a filter selects.
pub(crate) struct MarkSelected {
    operation: Box<dyn Operation>,
    filter: Filter,
}

impl MarkSelected {
    /// For the filters that depend on fields: [`Filter::Changed`] and [`Filter::Matching`].
    pub(crate) fn new(operation: Box<dyn Operation>, filter: Filter) -> Self {
        Self { operation, filter }
    }

    /// Adds the note to the fault of a field with this result.
    fn note(&self, field: &[u8], result: &[u8], fault: Option<Fault>) -> Option<Fault> {
        let is_selected = match self.filter {
            Filter::Changed => result != field,
            _ => self.operation.matches(field, fault.as_ref()),
        };
        if is_selected { Some(Fault::select(fault)) } else { fault }
    }
}

impl Operation for MarkSelected {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.operation.apply(field, output);
        self.note(field, &output[start..], fault)
    }

    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.operation.apply_text(field, output);
        self.note(field.as_bytes(), &output[start..], fault)
    }

    fn triggers(&self) -> Option<ByteSet> {
        self.operation.triggers()
    }

    fn is_json(&self) -> bool {
        self.operation.is_json()
    }

    fn row(&self) -> &[String] {
        self.operation.row()
    }

    /// Whether a record is written is known at its end.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

/// Applies an operation for its faults only: the result is the field.
pub(crate) struct FaultsOnly(pub(crate) Box<dyn Operation>);

impl Operation for FaultsOnly {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.0.apply(field, output);
        output.truncate(start);
        output.extend_from_slice(field);
        fault
    }

    fn triggers(&self) -> Option<ByteSet> {
        self.0.triggers()
    }

    /// Whether a record is written is known at its end.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

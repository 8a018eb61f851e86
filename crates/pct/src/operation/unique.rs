//! Comparing records: passes the results of another operation to the key of the record.
#![forbid(unsafe_code)]

use super::{Batches, Fault, Operation, Stream};
use crate::unique::{By, Secret, key};

/// Applies an operation, and adds each result to the key of the record. See [`crate::unique`].
pub(crate) struct Unique {
    operation: Box<dyn Operation>,
    by: By,
    secret: Secret,
}

impl Unique {
    pub(crate) fn new(operation: Box<dyn Operation>, by: By, secret: Secret) -> Self {
        Self { operation, by, secret }
    }

    fn note(&self, result: &[u8]) {
        match self.by {
            By::Fields | By::FieldsOfOutput => key::add(self.secret, result),
            By::Output => key::begin(self.secret),
        }
    }
}

impl Operation for Unique {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.operation.apply(field, output);
        self.note(&output[start..]);
        fault
    }

    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.operation.apply_text(field, output);
        self.note(&output[start..]);
        fault
    }

    /// Equal results at different keys of JSON are different.
    fn begin_field(&self, kind: usize) {
        self.note(&kind.to_le_bytes());
    }

    /// A batch has no key.
    fn batches(&self) -> Batches<'_> {
        Batches::Never
    }

    fn is_json(&self) -> bool {
        self.operation.is_json()
    }

    /// The key needs the whole record.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

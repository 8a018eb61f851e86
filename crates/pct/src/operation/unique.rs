//! `--unique`: passes the results of another operation to the key of the record.
#![forbid(unsafe_code)]

use super::{Batches, Fault, Operation, Stream};
use crate::unique::{Secret, key};

/// Applies an operation, and adds each result to the key of the record. See [`crate::unique`].
pub(crate) struct Unique {
    operation: Box<dyn Operation>,
    secret: Secret,
}

impl Unique {
    pub(crate) fn new(operation: Box<dyn Operation>, secret: Secret) -> Self {
        Self { operation, secret }
    }
}

impl Operation for Unique {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.operation.apply(field, output);
        key::add(self.secret, &output[start..]);
        fault
    }

    /// A batch has no key.
    fn batches(&self) -> Batches<'_> {
        Batches::Never
    }

    /// The key needs the whole record.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

//! `--raw`: each input is one field.
#![forbid(unsafe_code)]

use super::{Format, Whole};
use crate::operation::Operation;
use crate::record::Job;
use crate::source::{self, Scanner};

pub(crate) struct WholeInput {
    operation: Box<dyn Operation>,
}

impl WholeInput {
    pub(crate) fn new(operation: Box<dyn Operation>) -> Self {
        Self { operation }
    }
}

impl Format for WholeInput {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(source::WholeInput)
    }

    /// Used by operations that cannot stream.
    fn transform(&self, input: &[u8], job: &mut Job) {
        // A break does not matter: there is only one record.
        let _ = job.record(input, 0, |output, _| self.operation.apply(input, output));
    }

    fn whole(&self) -> Option<Whole<'_>> {
        Some(Whole { operation: &*self.operation, ending: None, append: None })
    }
}

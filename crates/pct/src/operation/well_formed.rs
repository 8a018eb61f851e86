//! Results that are well-formed UTF-8, for formats in which a string cannot contain anything else.
#![forbid(unsafe_code)]

use simdpct::ByteSet;

use super::{Fault, Operation, Stream};
use crate::codec::escape_ill_formed;

/// Applies an operation, and escapes ill-formed UTF-8 in the result as triplets.
pub(crate) struct WellFormed(pub(crate) Box<dyn Operation>);

impl Operation for WellFormed {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.0.apply(field, output);
        escape_ill_formed(output, start);
        fault
    }

    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        let start = output.len();
        let fault = self.0.apply_text(field, output);
        escape_ill_formed(output, start);
        fault
    }

    fn triggers(&self) -> Option<ByteSet> {
        self.0.triggers()
    }

    fn is_json(&self) -> bool {
        self.0.is_json()
    }

    fn matches(&self, field: &[u8], fault: Option<&Fault>) -> bool {
        self.0.matches(field, fault)
    }

    /// Strings are never too long for memory: their records are not.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

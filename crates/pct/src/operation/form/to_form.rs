//! From JSON or TSV to form data.
#![forbid(unsafe_code)]

use simdpct::form;

use super::{Shape, json, tsv};
use crate::operation::{Fault, FaultKind, Operation, Stream};

/// Converts a shape to form data.
pub(crate) struct ToForm {
    pub(crate) shape: Shape,
    pub(crate) names: Vec<String>,
}

impl Operation for ToForm {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        if field.is_empty() {
            return None;
        }
        let pairs = match str::from_utf8(field) {
            Ok(text) => self.pairs(text),
            Err(error) => Err(Fault::new(FaultKind::NotUtf8, error.valid_up_to())),
        };
        match pairs {
            Ok(pairs) => {
                output.extend_from_slice(form::serialize(pairs).as_bytes());
                None
            }
            Err(fault) => {
                output.extend_from_slice(field);
                Some(fault)
            }
        }
    }

    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

impl ToForm {
    fn pairs(&self, text: &str) -> Result<Vec<(String, String)>, Fault> {
        match self.shape {
            Shape::Tsv => tsv::read(text, &self.names),
            Shape::Json | Shape::Pairs => json::read(text),
        }
    }
}

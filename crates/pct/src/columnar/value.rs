//! Processing of a single value.
#![forbid(unsafe_code)]

use simdpct::ByteSet;

use crate::codec::escape_ill_formed;
use crate::operation::{Fault, FaultKind, Filter, Operation};

/// Applies an operation to the values of a column.
pub(super) struct Converter<'a> {
    operation: &'a dyn Operation,
    /// [`Operation::triggers`].
    triggers: Option<ByteSet>,
    /// Whether the values are UTF-8, and must remain so.
    is_text: bool,
    filter: Filter,
}

impl<'a> Converter<'a> {
    pub(super) fn new(operation: &'a dyn Operation, is_text: bool, filter: Filter) -> Self {
        Self { operation, triggers: operation.triggers(), is_text, filter }
    }

    /// Appends the result for a value, unless that is the value itself. Returns whether it was
    /// appended, and the first fault, with a note if a filter selects the value.
    pub(super) fn apply(&self, value: &[u8], output: &mut Vec<u8>) -> (bool, Option<Fault>) {
        let (is_changed, fault) = self.convert(value, output);
        let is_selected = match self.filter {
            Filter::Changed => is_changed,
            Filter::Matching => self.operation.matches(value, fault.as_ref()),
            Filter::All | Filter::Invalid | Filter::Valid => false,
        };
        (is_changed, if is_selected { Some(Fault::select(fault)) } else { fault })
    }

    fn convert(&self, value: &[u8], output: &mut Vec<u8>) -> (bool, Option<Fault>) {
        let text = simdutf8::basic::from_utf8(value).ok();
        if text.is_some() && self.triggers.is_some_and(|triggers| triggers.find(value).is_none()) {
            return (false, None);
        }
        let start = output.len();
        let fault = match text {
            Some(text) => self.operation.apply_text(text, output),
            // The file is invalid. Nothing can be done about this value.
            None if self.is_text => {
                let position = str::from_utf8(value).map_or_else(|error| error.valid_up_to(), str::len);
                return (false, Some(Fault::new(FaultKind::NotUtf8, position)));
            }
            None => self.operation.apply(value, output),
        };
        if self.is_text {
            escape_ill_formed(output, start);
        }
        if output[start..] == *value {
            output.truncate(start);
            return (false, fault);
        }
        (true, fault)
    }
}

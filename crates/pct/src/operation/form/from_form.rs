//! From form data to JSON or TSV.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use simdpct::{Kinds, form, inspect};

use super::range::form_range;
use super::{Pair, Shape, json, plain, tsv};
use crate::codec::{ErrorKinds, TextDecoding};
use crate::operation::{Fault, Operation, Reading, Stream};

/// Converts form data to a shape.
pub(crate) struct FromForm {
    pub(crate) shape: Shape,
    /// How URLs are read.
    pub(crate) reading: Reading,
    /// Names for the columns of TSV; empty for all pairs.
    pub(crate) names: Vec<String>,
    /// Rules for names and values; `None` for those of forms: once, in UTF-8.
    pub(crate) decoding: Option<TextDecoding>,
}

impl Operation for FromForm {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        if let Some(decoding) = &self.decoding {
            return self.apply_by(decoding, field, output);
        }
        match simdutf8::basic::from_utf8(field) {
            Ok(text) => self.apply_text(text, output),
            Err(_) => {
                let range = form_range(field, self.reading);
                let form = &field[range.clone()];
                self.apply_to_pairs(range.start, form, form::parse(form), output)
            }
        }
    }

    /// The parts of text need not be validated one by one.
    fn apply_text(&self, field: &str, output: &mut Vec<u8>) -> Option<Fault> {
        if let Some(decoding) = &self.decoding {
            return self.apply_by(decoding, field.as_bytes(), output);
        }
        let range = form_range(field.as_bytes(), self.reading);
        // The form is between ASCII characters.
        let form = &field[range.clone()];
        if self.shape == Shape::Json && plain::write_object(form.as_bytes(), output) {
            return None;
        }
        self.apply_to_pairs(range.start, form.as_bytes(), form::parse(form), output)
    }

    fn is_json(&self) -> bool {
        self.shape != Shape::Tsv
    }

    /// Whether there is a pair.
    fn matches(&self, field: &[u8], _: Option<&Fault>) -> bool {
        form::split(&field[form_range(field, self.reading)]).next().is_some()
    }

    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

impl FromForm {
    /// Appends the result for a form, which starts at `start` in its field.
    #[inline]
    fn apply_to_pairs(&self, start: usize, form: &[u8], pairs: form::Parse<'_>, output: &mut Vec<u8>) -> Option<Fault> {
        match pairs.collect::<Result<Vec<_>, _>>() {
            Ok(pairs) => {
                self.write(&pairs, output);
                None
            }
            Err(error) => {
                let kinds = inspect(form).kinds();
                let kinds = ErrorKinds {
                    malformed: kinds.contains(Kinds::MALFORMED),
                    ill_formed: kinds.contains(Kinds::INVALID_UTF8),
                    rejected: false,
                };
                let pairs: Vec<_> = form::parse_lossy(form).collect();
                self.write(&pairs, output);
                Some(Fault::of_errors(error.kind, start + error.position, kinds))
            }
        }
    }

    /// Appends the result for a field whose names and values are decoded by these rules, each
    /// alone.
    fn apply_by(&self, decoding: &TextDecoding, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut fault = None;
        let mut decoded = |part: &[u8]| {
            let mut text = Vec::new();
            let outcome = decoding.decode_to(part, &mut text);
            if let Some(found) = Fault::of_text(&outcome) {
                let start = part.as_ptr().addr() - field.as_ptr().addr();
                fault = Fault::first(fault, Some(found.shifted_by(start)));
            }
            // Invalid sequences are replaced, so this is text.
            Cow::Owned(String::from_utf8(text).unwrap_or_default())
        };
        let form = &field[form_range(field, self.reading)];
        let pairs: Vec<Pair<'_>> = form::split(form).map(|(name, value)| (decoded(name), decoded(value))).collect();
        self.write(&pairs, output);
        fault
    }

    fn write(&self, pairs: &[Pair<'_>], output: &mut Vec<u8>) {
        match self.shape {
            Shape::Json => json::write_object(pairs, output),
            Shape::Pairs => json::write_pairs(pairs, output),
            Shape::Tsv if self.names.is_empty() => tsv::write_pairs(pairs, output),
            Shape::Tsv => tsv::write_values(&self.names, pairs, output),
        }
    }
}

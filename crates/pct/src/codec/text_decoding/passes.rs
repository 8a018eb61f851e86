//! Decodes a value in all its passes, each in the charset or in the fallback charset.
#![forbid(unsafe_code)]

use super::TextDecoding;
use super::outcome::Outcome;
use super::pass::Pass;

impl TextDecoding {
    /// Decodes a value leniently, appending to `output`.
    pub(crate) fn decode_to(&self, value: &[u8], output: &mut Vec<u8>) -> Outcome {
        let start = output.len();
        if self.as_utf8_decoding(value).is_some_and(|usual| usual.decode_if_clean(value, output)) {
            return Outcome::default();
        }
        output.truncate(start);
        let mut outcome = self.decode_pass_to(value, output);
        for done in 1..self.passes {
            let decoded = output.split_off(start);
            let mut later = self.decode_pass_to(&decoded, output);
            if let Some((_, position)) = &mut later.first {
                *position = self.origin(value, done, *position);
            }
            outcome.add(&later);
            if output[start..] == decoded {
                break;
            }
        }
        outcome
    }

    /// As [`Decoding::inner_layers`](super::super::Decoding::inner_layers).
    pub(crate) fn inner_layers(&self, value: &[u8]) -> Vec<Vec<u8>> {
        let mut layers: Vec<Vec<u8>> = Vec::new();
        for _ in 1..self.passes {
            let value = layers.last().map_or(value, |layer| layer);
            let mut decoded = Vec::with_capacity(value.len());
            self.decode_pass_to(value, &mut decoded);
            if decoded == value {
                break;
            }
            layers.push(decoded);
        }
        layers
    }

    /// The position in `value` from which the byte at `position` comes, after `passes` passes.
    #[cold]
    pub(crate) fn origin(&self, value: &[u8], passes: u8, position: usize) -> usize {
        let before = Self { passes, ..*self };
        let is_beyond = |length: usize| {
            let mut output = Vec::new();
            before.decode_to(&value[..length], &mut output);
            output.len() > position
        };
        // The shortest prefix whose result has the byte.
        let (mut low, mut high) = (0, value.len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            if is_beyond(middle) { high = middle } else { low = middle }
        }
        low
    }

    fn decode_pass_to(&self, value: &[u8], output: &mut Vec<u8>) -> Outcome {
        let start = output.len();
        let outcome = Pass::new(self, self.charset, value, output).decode();
        let Some(fallback) = self.fallback.filter(|_| outcome.ill_formed.is_some()) else { return outcome };
        output.truncate(start);
        Outcome { fell_back: true, ..Pass::new(self, fallback, value, output).decode() }
    }
}

//! Decodes a value in all its passes. An error of a later pass gets its position in the value.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use simdpct::DecodeError;
use simdpct::offset::OffsetError;

use super::{Decoding, text};

impl Decoding {
    /// Decodes, appending to `output`.
    ///
    /// On an error, nothing is appended. Its position is in `input`, even if a later pass found it.
    pub(crate) fn decode_to(&self, input: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        if self.passes <= 1 {
            return self.decode_pass_to(input, output);
        }
        let decoded = self.decode(input)?;
        output.extend_from_slice(&decoded);
        Ok(())
    }

    /// Decodes, appending to `output`. Returns whether there was no error and no replacement; if
    /// false, the appended bytes are unspecified.
    pub(crate) fn decode_if_clean(&self, input: &[u8], output: &mut Vec<u8>) -> bool {
        let start = output.len();
        if self.passes > 1 {
            return self.decode_to(input, output).is_ok();
        }
        self.decoder.decode_to(input, output).is_ok() && self.satisfies_text(&output[start..])
    }

    /// Decodes; borrows if nothing changes.
    pub(crate) fn decode<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
        self.decode_passes(input, self.passes)
    }

    fn decode_passes<'a>(&self, input: &'a [u8], passes: u8) -> Result<Cow<'a, [u8]>, DecodeError> {
        let mut decoded = self.decode_pass(input)?;
        for done in 1..passes {
            match self.decode_pass(&decoded) {
                // A fixed point: further passes change nothing.
                Ok(Cow::Borrowed(_)) => break,
                Ok(Cow::Owned(again)) => decoded = Cow::Owned(again),
                Err(error) => return Err(self.map_to_input(input, done, error)),
            }
        }
        Ok(decoded)
    }

    /// The layers of encoding below the first that are decoded, if the value has any: the value
    /// after one pass, after two, and so on. What cannot be decoded is kept.
    pub(crate) fn inner_layers(&self, input: &[u8]) -> Vec<Vec<u8>> {
        let mut layers: Vec<Vec<u8>> = Vec::new();
        for _ in 1..self.passes {
            let value = layers.last().map_or(input, |layer| layer);
            let decoded = self.decode_pass(value).or_else(|_| self.lenient(false).decode_pass(value));
            // Borrowed at a fixed point.
            let Ok(Cow::Owned(layer)) = decoded else { break };
            layers.push(layer);
        }
        layers
    }

    /// Maps a position in the last of some layers to the input.
    pub(crate) fn position_in_input(&self, input: &[u8], layers: &[Vec<u8>], position: usize) -> usize {
        // The values of which one pass made the layers, from the last.
        let Some((_, before)) = layers.split_last() else { return position };
        let values = before.iter().rev().map(|layer| &layer[..]).chain([input]);
        values.fold(position, |position, value| {
            let rules = if self.decode_pass(value).is_ok() { *self } else { self.lenient(false) };
            rules.origin(value, position)
        })
    }

    /// Maps the position of an error of a later pass to the input of the first.
    #[cold]
    fn map_to_input(&self, input: &[u8], mut done: u8, mut error: DecodeError) -> DecodeError {
        while done > 0 {
            done -= 1;
            // These passes succeeded before, so there is always a result.
            let before =
                if done == 0 { Cow::Borrowed(input) } else { self.decode_passes(input, done).unwrap_or_default() };
            error.position = self.origin(&before, error.position);
        }
        error
    }

    /// The position in `input` of the origin of the byte at `position` after one pass.
    fn origin(&self, input: &[u8], position: usize) -> usize {
        let decoded_position = match self.decoder.decode(input) {
            Ok(bytes) => text::before_replacement(&bytes, position, self.text),
            Err(_) => position,
        };
        match self.decoder.input_offset(input, decoded_position) {
            Ok(position) => position,
            // A preceding triplet that only Java accepts, which is close enough.
            Err(OffsetError::Decode(error)) => error.position,
            Err(_) => input.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{decodings, texts};

    #[test]
    fn batches_decode_as_single_lines() {
        for (decoding, context) in decodings() {
            let (mut lines, mut expected) = (Vec::new(), Vec::new());
            for text in texts() {
                if let Ok(decoded) = decoding.decode(&text) {
                    lines.extend_from_slice(&[&text[..], b"\n"].concat());
                    expected.extend_from_slice(&[&decoded[..], b"\n"].concat());
                }
            }
            assert!(decoding.decode(&lines).unwrap() == expected, "{context}");
        }
    }

    #[test]
    fn all_output_forms_agree() {
        for (decoding, context) in decodings() {
            for text in texts() {
                let mut output = b"before".to_vec();
                let result = decoding.decode_to(&text, &mut output);
                let context = (&context, text.escape_ascii().to_string());
                match decoding.decode(&text) {
                    Ok(decoded) => {
                        assert_eq!((result, output), (Ok(()), [b"before", &decoded[..]].concat()), "{context:?}")
                    }
                    Err(error) => assert_eq!((result, output), (Err(error), b"before".to_vec()), "{context:?}"),
                }
            }
        }
    }

    /// Text that is prepended to an error shifts its position by its length.
    #[test]
    fn errors_of_later_passes_move_with_a_prefix() {
        let before = b"z%25zz%C3%A9%2541".as_slice();
        let shift = before.len();
        for (decoding, context) in decodings() {
            if decoding.decode(before).is_err() {
                continue;
            }
            for text in texts().filter(|text| text.first() != Some(&0xA9)) {
                let Err(error) = decoding.decode(&text) else { continue };
                let moved = decoding.decode(&[before, &text].concat()).unwrap_err();
                let context = (&context, text.escape_ascii().to_string());
                assert_eq!((moved.kind, moved.position), (error.kind, error.position + shift), "{context:?}");
            }
        }
    }
}

//! Decodes a value in one pass.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use simdpct::DecodeError;
use simdpct::legacy::java;

use super::super::dialect::Malformed;
use super::Decoding;
use super::text::{self, Text};

impl Decoding {
    pub(super) fn decode_pass<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
        if let Ok(Cow::Borrowed(_)) = self.decoder.decode(input)
            && self.satisfies_text(input)
        {
            return Ok(Cow::Borrowed(input));
        }
        let mut output = Vec::new();
        self.decode_pass_to(input, &mut output)?;
        Ok(Cow::Owned(output))
    }

    pub(super) fn decode_pass_to(&self, input: &[u8], output: &mut Vec<u8>) -> Result<(), DecodeError> {
        let start = output.len();
        if self.malformed == Malformed::ErrorAsJava {
            output.extend_from_slice(&java::decode_with(input, &self.decoder)?);
        } else {
            self.decoder.decode_to(input, output).map_err(|error| self.first_error(input, error))?;
        }
        if self.satisfies_text(&output[start..]) {
            return Ok(());
        }
        if self.text == Text::WellFormed {
            output.truncate(start);
            let error = self.decoder.decode_utf8(input).err();
            // The result is ill-formed, so there is an error.
            return error.map_or(Ok(()), Err);
        }
        let replaced = text::replace(&output[start..], self.text);
        output.truncate(start);
        output.extend_from_slice(&replaced);
        Ok(())
    }

    pub(super) fn satisfies_text(&self, decoded: &[u8]) -> bool {
        self.text == Text::Bytes || simdutf8::basic::from_utf8(decoded).is_ok()
    }

    /// Ill-formed UTF-8 may precede the error that stopped decoding.
    #[cold]
    fn first_error(&self, input: &[u8], error: DecodeError) -> DecodeError {
        match self.text {
            Text::WellFormed => self.decoder.decode_utf8(input).err().unwrap_or(error),
            _ => error,
        }
    }
}

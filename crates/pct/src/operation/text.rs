//! `pct decode` and `pct encode` with `--charset`, `--fallback` or `--unicode`.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, DecodeErrorKind};

use super::batch::{Batch, Batches, each_record};
use super::{Fault, FaultKind, Operation, Stream};
use crate::codec::{TextDecoding, TextEncoding};

/// Decodes to text.
pub(crate) struct DecodeText {
    decoding: TextDecoding,
}

impl DecodeText {
    pub(crate) fn new(decoding: TextDecoding) -> Self {
        Self { decoding }
    }
}

impl Operation for DecodeText {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        Fault::of_text(&self.decoding.decode_to(field, output))
    }

    fn triggers(&self) -> Option<ByteSet> {
        Some(self.decoding.triggers())
    }

    /// Valid UTF-8 is decoded in batches; see [`Decode`](super::Decode).
    fn batches(&self) -> Batches<'_> {
        if self.decoding.as_utf8_decoding(b"").is_some() { Batches::Whole(self) } else { Batches::Each }
    }

    /// Whether raw bytes are UTF-8, or triplets in the charset, is known at the end of the field.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

impl Batch for DecodeText {
    fn apply_if_clean(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> bool {
        let is_rejected = self.decoding.rejects(separator) || self.decoding.rejects(b'\r');
        match self.decoding.as_utf8_decoding(records).filter(|_| !is_rejected) {
            Some(usual) => usual.decode_if_clean(records, output),
            None => each_record(self, records, separator, output).is_none(),
        }
    }
}

/// Encodes text in a charset.
pub(crate) struct EncodeText {
    encoding: TextEncoding,
}

impl EncodeText {
    pub(crate) fn new(encoding: TextEncoding) -> Self {
        Self { encoding }
    }

    fn append(&self, text: &str, output: &mut Vec<u8>) -> Option<Fault> {
        let mut encoded = String::new();
        let unencodable = self.encoding.encode_to(text, &mut encoded);
        output.extend_from_slice(encoded.as_bytes());
        let (character, position) = unencodable?;
        Some(Fault::new(FaultKind::Code(DecodeErrorKind::Unencodable(character)), position))
    }
}

impl Operation for EncodeText {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        if field.is_ascii() && self.encoding.keeps_ascii() {
            self.encoding.encode_bytes_to(field, output);
            return None;
        }
        let mut fault = None;
        let mut position = 0;
        for chunk in field.utf8_chunks() {
            let found = self.append(chunk.valid(), output).map(|fault| fault.shifted_by(position));
            fault = Fault::first(fault, found);
            position += chunk.valid().len();
            if chunk.invalid().is_empty() {
                continue;
            }
            fault = Fault::first(fault, Some(Fault::new(FaultKind::NotUtf8, position)));
            if self.encoding.replaces() {
                // The charset may have U+FFFD, as GB 18030 does. The fault is known.
                let _ = self.append("\u{FFFD}", output);
            } else {
                self.encoding.encode_bytes_to(chunk.invalid(), output);
            }
            position += chunk.invalid().len();
        }
        fault
    }

    /// The encoding of a character may depend on those before it, and text is encoded up to a
    /// character that the charset does not have.
    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        None
    }
}

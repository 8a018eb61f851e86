//! Finds the invalid records of a batch that was decoded as a whole.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::{DecodeErrorKind, Decoder};

use super::errors::ErrorKinds;

/// Iterator over the records that a strict decoder to text would reject: the first error, its
/// position in the batch, and the kinds of all errors of the record.
///
/// Linear in the length of the batch; no cost per well-formed record.
pub(crate) struct Faults<'t> {
    strict: Decoder,
    lenient: Decoder,
    separator: u8,
    records: &'t [u8],
    /// Output of the lenient decoder: the same number of records.
    decoded: &'t [u8],
    /// Position of the next malformed '%' in the batch, or the end.
    malformed: usize,
    ill_formed: IllFormed,
}

/// The next ill-formed UTF-8 sequence, or the end.
struct IllFormed {
    /// Its origin in the batch.
    position: usize,
    decoded_position: usize,
}

impl<'t> Faults<'t> {
    /// The decoders must differ only in the handling of a malformed '%', and keep the separator and
    /// its triplet.
    pub(super) fn new(strict: Decoder, lenient: Decoder, separator: u8, records: &'t [u8], decoded: &'t [u8]) -> Self {
        let ill_formed = IllFormed { position: 0, decoded_position: 0 };
        let mut faults = Self { strict, lenient, separator, records, decoded, malformed: 0, ill_formed };
        faults.find_malformed(0);
        faults.find_ill_formed(0, 0);
        faults
    }

    fn find_malformed(&mut self, start: usize) {
        let error = self.strict.check(&self.records[start..]).err();
        self.malformed = error.map_or(self.records.len(), |error| start + error.position);
    }

    /// Searches from the start of a record, given in the batch and in the output.
    fn find_ill_formed(&mut self, start: usize, decoded_start: usize) {
        self.ill_formed = match simdutf8::compat::from_utf8(&self.decoded[decoded_start..]) {
            Ok(_) => IllFormed { position: self.records.len(), decoded_position: self.decoded.len() },
            Err(error) => {
                // The position is in the decoded output, so there is always an offset.
                let offset = self.lenient.input_offset(&self.records[start..], error.valid_up_to()).unwrap_or_default();
                IllFormed { position: start + offset, decoded_position: decoded_start + error.valid_up_to() }
            }
        };
    }

    /// The end of the record that contains `position`.
    fn record_end(&self, text: &[u8], position: usize) -> usize {
        memchr(self.separator, &text[position..]).map_or(text.len(), |at| position + at + 1)
    }
}

impl Iterator for Faults<'_> {
    type Item = (DecodeErrorKind, usize, ErrorKinds);

    fn next(&mut self) -> Option<Self::Item> {
        // '%' is ASCII and so delimits characters: a malformed one does not change the validity of
        // the preceding bytes.
        let position = self.malformed.min(self.ill_formed.position);
        if position == self.records.len() {
            return None;
        }
        let is_malformed = position == self.malformed;
        let end = self.record_end(self.records, position);
        let kinds =
            ErrorKinds { malformed: self.malformed < end, ill_formed: self.ill_formed.position < end, rejected: false };
        if kinds.malformed {
            self.find_malformed(end);
        }
        if kinds.ill_formed {
            self.find_ill_formed(end, self.record_end(self.decoded, self.ill_formed.decoded_position));
        }
        let first = if is_malformed { DecodeErrorKind::Malformed } else { DecodeErrorKind::InvalidUtf8 };
        Some((first, position, kinds))
    }
}

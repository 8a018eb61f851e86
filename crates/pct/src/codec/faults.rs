//! Which of many records are at fault, once they have all been decoded in one go.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::{DecodeErrorKind, Decoder};

use super::errors::ErrorKinds;

/// For each record that a strict decoder to text would not decode, in turn: the first error, its
/// place among the records, and the kinds of all errors of the record.
///
/// Linear, and records that are well-formed take no time of their own.
pub(crate) struct Faults<'t> {
    strict: Decoder,
    lenient: Decoder,
    separator: u8,
    records: &'t [u8],
    /// What the lenient decoder made of them: as many records.
    decoded: &'t [u8],
    /// The next malformed '%' among the records; their end if there is none.
    malformed: usize,
    ill_formed: IllFormed,
}

/// The next sequence that is not well-formed UTF-8; the end if there is none.
struct IllFormed {
    /// Where it comes from, among the records.
    position: usize,
    decoded_position: usize,
}

impl<'t> Faults<'t> {
    /// The decoders differ in nothing but in what they do about a malformed '%', and leave the
    /// separator and its triplet as they are.
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

    /// From the start of a record, before and after it was decoded.
    fn find_ill_formed(&mut self, start: usize, decoded_start: usize) {
        self.ill_formed = match simdutf8::compat::from_utf8(&self.decoded[decoded_start..]) {
            Ok(_) => IllFormed { position: self.records.len(), decoded_position: self.decoded.len() },
            Err(error) => {
                // It was decoded from there, so the default never stands in for anything.
                let offset = self.lenient.input_offset(&self.records[start..], error.valid_up_to()).unwrap_or_default();
                IllFormed { position: start + offset, decoded_position: decoded_start + error.valid_up_to() }
            }
        };
    }

    /// Where the record ends in which that position is.
    fn record_end(&self, text: &[u8], position: usize) -> usize {
        memchr(self.separator, &text[position..]).map_or(text.len(), |at| position + at + 1)
    }
}

impl Iterator for Faults<'_> {
    type Item = (DecodeErrorKind, usize, ErrorKinds);

    fn next(&mut self) -> Option<Self::Item> {
        // A '%' is part of no character: what precedes a malformed one is as ill-formed with as
        // without it.
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

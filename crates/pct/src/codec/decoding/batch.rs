//! Decodes a batch of records leniently as a whole, and finds the invalid ones.
#![forbid(unsafe_code)]

use memchr::memchr;
use simdpct::{DecodeErrorKind, Decoder};

use super::Decoding;
use super::errors::ErrorKinds;
use super::text::Text;

impl Decoding {
    /// Decodes a batch of records as `lenient` does, appending to `output`. Returns the records
    /// that `self` would have rejected. `None`, with nothing done, if the rules require
    /// record-by-record decoding.
    pub(crate) fn decode_and_search<'t>(
        &self,
        lenient: &Self,
        records: &'t [u8],
        separator: u8,
        output: &'t mut Vec<u8>,
    ) -> Option<Faults<'t>> {
        let keeps_records = self.keep.contains(separator) && !(self.plus && separator == b' ');
        if !self.is_strict_single_pass() || lenient.text != Text::Bytes || !keeps_records {
            return None;
        }
        let start = output.len();
        // Lenient decoding has no errors.
        let _ = lenient.decoder.decode_to(records, output);
        Some(Faults::new(self.decoder, lenient.decoder, separator, records, &output[start..]))
    }
}

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
    fn new(strict: Decoder, lenient: Decoder, separator: u8, records: &'t [u8], decoded: &'t [u8]) -> Self {
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

#[cfg(test)]
mod tests {
    use simdpct::ByteSet;

    use super::super::super::dialect::NO_DIALECT;
    use super::super::samples::texts;
    use super::Decoding;

    /// Decoding record by record determines the expected errors and output.
    #[test]
    fn batches_report_the_errors_of_single_records() {
        let strict = Decoding::new(&NO_DIALECT).strict();
        let texts: Vec<_> = texts().collect();
        let mut faults = 0;
        for (separator, stride) in [(b'\n', 1), (b'\n', 7), (b'\0', 61), (b'\n', 601)] {
            let decoding = strict.keeping(ByteSet::EMPTY.with(separator));
            let lenient = decoding.lenient(false);
            // Batch sizes vary, so that errors are at any position in vectors, and far apart.
            for start in 0..stride {
                for chunk in texts[start..].chunks(stride) {
                    let mut records: Vec<_> = chunk.iter().flat_map(|text| [text, &[separator][..]].concat()).collect();
                    let (mut expected, mut expected_output, mut at) = (Vec::new(), b"before".to_vec(), 0);
                    for text in chunk {
                        if let Err(error) = decoding.decode_to(text, &mut expected_output) {
                            let kinds = decoding.error_kinds(text, error.kind);
                            expected.push((error.kind, at + error.position, kinds));
                            lenient.decode_to(text, &mut expected_output).unwrap();
                        }
                        expected_output.push(separator);
                        at += text.len() + 1;
                    }
                    // The last record may lack its end.
                    if start % 2 == 1 {
                        records.pop();
                        expected_output.pop();
                    }
                    faults += expected.len();
                    let mut output = b"before".to_vec();
                    let found = decoding.decode_and_search(&lenient, &records, separator, &mut output).unwrap();
                    assert_eq!(found.collect::<Vec<_>>(), expected, "{}", records.escape_ascii());
                    assert_eq!(output, expected_output, "{}", records.escape_ascii());
                }
            }
        }
        assert!(faults > 100_000, "{faults}");
    }
}

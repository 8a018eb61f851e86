//! `pct normalize`: converts triplets to their normal form (RFC 3986 6.2.2).
#![forbid(unsafe_code)]

use simdpct::stream::complete_len;
use simdpct::uri::UrlNormalizer;
use simdpct::{ByteSet, DecodeError, Kinds, Malformed, Normalizer, sets};

use super::batch::{Batch, Batches};
use super::{Counted, Fault, FaultKind, Operation, Stream};

/// Normalizes triplets. A malformed '%' is kept or escaped as `%25`; invalid UTF-8 is kept or
/// replaced.
#[derive(Clone, Copy)]
pub(crate) struct Normalize {
    /// Finds malformed '%'.
    strict: Normalizer,
    normalizer: Normalizer,
    replace: bool,
}

impl Normalize {
    /// Keeps the triplets of the bytes of `safe`: even an unreserved character may be a delimiter.
    pub(crate) fn new(safe: ByteSet, escape_malformed: bool, replace: bool) -> Self {
        let strict = Normalizer::new().decode(sets::UNRESERVED.intersection(safe.complement()));
        let malformed = if escape_malformed { Malformed::Escape } else { Malformed::Keep };
        Self { strict, normalizer: strict.malformed(malformed), replace }
    }

    /// Makes the percent-encoding of URLs normal in the same way.
    pub(crate) fn of_urls(&self, urls: UrlNormalizer) -> UrlNormalizer {
        let urls = urls.triplets(self.normalizer);
        if self.replace { urls.replace_invalid_utf8() } else { urls }
    }

    fn append(normalizer: &Normalizer, text: &str, output: &mut Vec<u8>) -> Result<(), DecodeError> {
        let mut normal = String::new();
        normalizer.normalize_to(text, &mut normal)?;
        output.extend_from_slice(normal.as_bytes());
        Ok(())
    }

    #[cold]
    fn apply_with_errors(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let mut first = None;
        let mut position = 0;
        // Triplets are ASCII, so text between ill-formed sequences is normalized as it would be
        // alone.
        for chunk in field.utf8_chunks() {
            if let Err(error) = self.strict.normalize(chunk.valid()) {
                let kind = FaultKind::Code(error.kind);
                first = Fault::first(first, Some(Fault::new(kind, position + error.position)));
            }
            position += chunk.valid().len();
            // With malformed '%' kept or escaped, there are no errors.
            let _ = Self::append(&self.normalizer, chunk.valid(), output);
            if !chunk.invalid().is_empty() {
                first = Fault::first(first, Some(Fault::new(FaultKind::NotUtf8, position)));
                output.extend_from_slice(if self.replace { "\u{FFFD}".as_bytes() } else { chunk.invalid() });
            }
            position += chunk.invalid().len();
        }
        first
    }
}

impl Operation for Normalize {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        match simdutf8::basic::from_utf8(field) {
            Ok(text) if Self::append(&self.strict, text, output).is_ok() => None,
            _ => self.apply_with_errors(field, output),
        }
    }

    fn triggers(&self) -> Option<ByteSet> {
        Some(ByteSet::new(b"%"))
    }

    fn batches(&self) -> Batches<'_> {
        Batches::Whole(self)
    }

    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>> {
        Some(Box::new(Parts { operation: *self, until_fault, held: Vec::new(), done: 0, fault: None, counted: None }))
    }
}

impl Batch for Normalize {
    /// Separators are not part of triplets, and normalization neither produces nor removes them.
    fn apply_records(&self, records: &[u8], _: u8, output: &mut Vec<u8>) -> Option<Fault> {
        self.apply(records, output)
    }
}

struct Parts {
    operation: Normalize,
    until_fault: bool,
    /// An incomplete triplet or character.
    held: Vec<u8>,
    /// Number of bytes of the field before `held`.
    done: u64,
    fault: Option<(FaultKind, u64)>,
    counted: Option<Counted>,
}

impl Parts {
    fn apply(&mut self, length: usize, output: &mut Vec<u8>) {
        let part = &self.held[..length];
        if self.until_fault && self.fault.is_some() {
            return;
        }
        let before = output.len();
        let fault = self.operation.apply(part, output);
        if let Some(Fault { counted, .. }) = fault {
            self.counted = Some(self.counted.map_or(counted, |before| before.union(counted)));
        }
        if let (Some(fault), None) = (fault, self.fault) {
            self.fault = Some((fault.kind, self.done + fault.position as u64));
            if self.until_fault {
                output.truncate(before);
                let _ = self.operation.apply(&part[..fault.position], output);
            }
        }
        self.done += length as u64;
        self.held.drain(..length);
    }
}

impl Stream for Parts {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        self.held.extend_from_slice(part);
        self.apply(complete_len(&self.held), output);
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        self.apply(self.held.len(), output);
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.fault
    }

    fn all(&self, first: FaultKind) -> (Counted, Kinds) {
        (self.counted.unwrap_or(Counted::of(first)), Kinds::NONE)
    }
}

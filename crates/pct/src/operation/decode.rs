//! Decoding: triplets become the bytes they stand for.
#![forbid(unsafe_code)]

use simdpct::{ByteSet, DecodeErrorKind, Decoder, stream};

use super::{Fault, FaultKind, Operation, Stream};

/// Decodes once. Malformed text is passed on as it is; what is not UTF-8 as well, or replaced.
pub(crate) struct Decode {
    strict: Decoder,
    lenient: Decoder,
    replace: bool,
}

impl Decode {
    /// The triplets of the bytes of `safe` stay. With `replace`, what is not UTF-8 becomes U+FFFD.
    pub(crate) fn new(plus: bool, safe: ByteSet, replace: bool) -> Self {
        let mut strict = Decoder::new();
        let mut keep = safe;
        if plus && safe.contains(b' ') {
            // The '+' is what keeps the space escaped; then %2B has to be told from it.
            keep = keep.with(b'+');
        } else if plus {
            strict = strict.plus_for_space();
        }
        if keep != ByteSet::EMPTY {
            strict = strict.keep(keep);
        }
        Self { strict, lenient: strict.lenient(), replace }
    }

    /// The first fault of a field whose output, decoded leniently, stands behind `before`; its first malformed '%' is known.
    #[cold]
    fn fault(&self, field: &[u8], malformed: Option<Fault>, output: &mut Vec<u8>, before: usize) -> Option<Fault> {
        let decoded = &output[before..];
        let ill_formed = str::from_utf8(decoded).err().map(|error| Fault {
            kind: FaultKind::Code(DecodeErrorKind::InvalidUtf8),
            position: self.lenient.input_offset(field, error.valid_up_to()).unwrap_or_default(),
        });
        if self.replace && ill_formed.is_some() {
            let replaced = String::from_utf8_lossy(decoded).into_owned();
            output.truncate(before);
            output.extend_from_slice(replaced.as_bytes());
        }
        malformed.into_iter().chain(ill_formed).min_by_key(|fault| fault.position)
    }
}

impl Operation for Decode {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        let before = output.len();
        let malformed = self.strict.decode_to(field, output).err();
        if let Some(error) = malformed {
            // A lenient decoder that rejects nothing has no error.
            let _ = self.lenient.decode_to(field, output);
            let malformed = Fault { kind: FaultKind::Code(error.kind), position: error.position };
            return self.fault(field, Some(malformed), output, before);
        }
        match simdutf8::basic::from_utf8(&output[before..]) {
            Ok(_) => None,
            Err(_) => self.fault(field, None, output, before),
        }
    }

    /// No separator is a hexadecimal digit, and its triplet stays: a '%' is malformed in its record if and only if it is in all of
    /// them, and no character reaches over a separator.
    fn apply_records(&self, records: &[u8], _: u8, output: &mut Vec<u8>) -> Option<Fault> {
        self.apply(records, output)
    }

    fn stream(&self, until_fault: bool) -> Option<Box<dyn Stream>> {
        let checking = stream::Decoder::new(self.strict).utf8();
        if until_fault {
            return Some(Box::new(UntilFault { decoder: Some(checking), fault: None }));
        }
        let writing = stream::Decoder::new(self.lenient);
        let writing = if self.replace { writing.utf8_lossy() } else { writing };
        Some(Box::new(Parts { writing: Some(writing), checking: UntilFault { decoder: Some(checking), fault: None } }))
    }
}

/// Decodes as far as all is well.
struct UntilFault {
    /// Until a fault is found or the end.
    decoder: Option<stream::Decoder>,
    fault: Option<(FaultKind, u64)>,
}

impl UntilFault {
    fn note(&mut self, kind: DecodeErrorKind, position: u64) {
        self.fault = Some((FaultKind::Code(kind), position));
        self.decoder = None;
    }
}

impl Stream for UntilFault {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        let Some(decoder) = &mut self.decoder else { return };
        // An error comes after what precedes it; that may have been the whole output.
        if let Err(error) = decoder.feed_to(part, output).and_then(|()| decoder.feed(b"", &mut []).map(|_| ())) {
            self.note(error.kind, error.position);
        }
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        match self.decoder.take().map(stream::Decoder::finish) {
            Some(Ok(rest)) => output.extend_from_slice(&rest),
            Some(Err(error)) => self.note(error.kind, error.position),
            None => {}
        }
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.fault
    }
}

/// Decodes all, and looks for a fault beside.
struct Parts {
    writing: Option<stream::Decoder>,
    checking: UntilFault,
}

impl Stream for Parts {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        let before = output.len();
        self.checking.feed(part, output);
        output.truncate(before);
        if let Some(decoder) = &mut self.writing {
            // A lenient decoder that rejects nothing has no error.
            let _ = decoder.feed_to(part, output);
        }
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        let before = output.len();
        self.checking.finish(output);
        output.truncate(before);
        if let Some(Ok(rest)) = self.writing.take().map(stream::Decoder::finish) {
            output.extend_from_slice(&rest);
        }
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.checking.fault
    }
}

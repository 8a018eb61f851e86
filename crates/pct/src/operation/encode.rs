//! `pct encode`: replaces the bytes of a set by triplets.
#![forbid(unsafe_code)]

use memchr::memchr_iter;
use simdpct::{ByteSet, Decoder, Encoder, stream};

use super::batch::{Batch, Batches};
use super::{Fault, FaultKind, Operation, Stream};
use crate::codec::Encoding;

/// Encodes any bytes; invalid UTF-8 is reported, or replaced first.
pub(crate) struct Encode {
    encoder: Encoder,
    /// The same encoder, except that it keeps LF and CR.
    line_encoder: Encoder,
    replace: bool,
}

impl Encode {
    /// With `replace`, invalid UTF-8 becomes U+FFFD.
    pub(crate) fn new(encoding: Encoding, replace: bool) -> Self {
        let line_encoder = encoding.leaving(ByteSet::new(b"\n\r")).encoder();
        Self { encoder: encoding.encoder(), line_encoder, replace }
    }

    /// Encodes a batch of lines. LF and CR are part of neither triplets nor multi-byte characters,
    /// so the text between them is encoded as it would be alone. A CR is part of a line end only
    /// before LF.
    fn encode_lines(&self, lines: &[u8], output: &mut String) {
        let mut done = 0;
        for at in memchr_iter(b'\r', lines) {
            if lines.get(at + 1) != Some(&b'\n') {
                self.line_encoder.encode_to(&lines[done..at], output);
                self.encoder.encode_to(b"\r", output);
                done = at + 1;
            }
        }
        self.line_encoder.encode_to(&lines[done..], output);
    }

    fn append(&self, text: &[u8], output: &mut Vec<u8>, encode: impl FnOnce(&[u8], &mut String)) -> Option<Fault> {
        let position = simdutf8::basic::from_utf8(text)
            .is_err()
            .then(|| str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len));
        let mut encoded = String::new();
        if self.replace && position.is_some() {
            encode(String::from_utf8_lossy(text).as_bytes(), &mut encoded);
        } else {
            encode(text, &mut encoded);
        }
        output.extend_from_slice(encoded.as_bytes());
        position.map(|position| Fault::new(FaultKind::NotUtf8, position))
    }
}

impl Operation for Encode {
    fn apply(&self, field: &[u8], output: &mut Vec<u8>) -> Option<Fault> {
        self.append(field, output, |text, encoded| self.encoder.encode_to(text, encoded))
    }

    fn batches(&self) -> Batches<'_> {
        Batches::Whole(self)
    }

    fn stream(&self, _: bool) -> Option<Box<dyn Stream>> {
        // Keeps all bytes, so it only checks UTF-8.
        let checking = stream::Decoder::new(Decoder::new().lenient().keep(ByteSet::ALL)).utf8();
        let replacing =
            self.replace.then(|| stream::Decoder::new(Decoder::new().lenient().keep(ByteSet::ALL)).utf8_lossy());
        Some(Box::new(Parts {
            encoder: Some(stream::Encoder::new(self.encoder)),
            replacing,
            checking: Some(checking),
            fault: None,
            text: Vec::new(),
        }))
    }
}

impl Batch for Encode {
    fn apply_records(&self, records: &[u8], separator: u8, output: &mut Vec<u8>) -> Option<Fault> {
        if separator == b'\n' {
            return self.append(records, output, |text, encoded| self.encode_lines(text, encoded));
        }
        let mut first = None;
        let mut start = 0;
        for end in memchr_iter(separator, records).chain([records.len()]) {
            let fault = self.apply(&records[start..end], output);
            first = first.or(fault.map(|fault| fault.shifted_by(start)));
            output.extend_from_slice(&records[end..(end + 1).min(records.len())]);
            start = end + 1;
        }
        first
    }
}

struct Parts {
    encoder: Option<stream::Encoder>,
    /// Precedes the encoder.
    replacing: Option<stream::Decoder>,
    checking: Option<stream::Decoder>,
    fault: Option<(FaultKind, u64)>,
    text: Vec<u8>,
}

impl Parts {
    fn note(&mut self, result: Result<(), stream::StreamError>) {
        if let Err(error) = result {
            self.fault = Some((FaultKind::NotUtf8, error.position));
            self.checking = None;
        }
    }
}

impl Stream for Parts {
    fn feed(&mut self, part: &[u8], output: &mut Vec<u8>) {
        self.text.clear();
        if let Some(result) = self.checking.as_mut().map(|checking| {
            // The output that precedes an error may have filled the buffer, so feed once more to
            // get the error.
            checking.feed_to(part, &mut self.text).and_then(|()| checking.feed(b"", &mut []).map(|_| ()))
        }) {
            self.note(result);
        }
        let Some(encoder) = &mut self.encoder else { return };
        if let Some(replacing) = &mut self.replacing {
            self.text.clear();
            // Lenient, without rejected bytes: there are no errors.
            let _ = replacing.feed_to(part, &mut self.text);
            encoder.feed_to(&self.text, output);
        } else {
            encoder.feed_to(part, output);
        }
    }

    fn finish(&mut self, output: &mut Vec<u8>) {
        if let Some(result) = self.checking.take().map(|checking| checking.finish().map(|_| ())) {
            self.note(result);
        }
        let Some(mut encoder) = self.encoder.take() else { return };
        if let Some(Ok(rest)) = self.replacing.take().map(stream::Decoder::finish) {
            encoder.feed_to(&rest, output);
        }
        output.extend_from_slice(&encoder.finish());
    }

    fn fault(&self) -> Option<(FaultKind, u64)> {
        self.fault
    }
}

//! `pct encode`.
#![forbid(unsafe_code)]

use memchr::memchr_iter;
use simdpct::{ByteSet, Encoder};

use crate::args::EncodeOptions;
use crate::pieces::{PIECE, Unit};
use crate::run::{Operation, Stop};

/// They stay, unless a text is encoded as such.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

pub(crate) struct Encode {
    /// For text as such.
    encoder: Encoder,
    /// The same, but leaves LF and CR as they are.
    line_encoder: Encoder,
    unit: Unit,
    output: String,
}

impl Encode {
    pub(crate) fn new(options: &EncodeOptions) -> Self {
        let encoding = options.meaning.encoding();
        // At its longest, so that there is never anything to measure and to grow; what is not used is never mapped.
        let output = String::with_capacity(Encoder::max_encoded_len(PIECE).unwrap_or(PIECE));
        Self {
            encoder: encoding.encoder(),
            line_encoder: encoding.leaving(LINE_ENDS).encoder(),
            unit: options.input.unit(),
            output,
        }
    }

    /// Many lines in one go. Neither LF nor CR is part of a triplet or of a character that is more than a byte, so whatever
    /// stands between them is encoded as if it stood alone.
    fn append_lines(&mut self, lines: &[u8]) {
        let mut done = 0;
        for at in memchr_iter(b'\r', lines) {
            let is_line_end = lines.get(at + 1) == Some(&b'\n');
            if !is_line_end {
                self.line_encoder.encode_to(&lines[done..at], &mut self.output);
                self.encoder.encode_to(b"\r", &mut self.output);
                done = at + 1;
            }
        }
        self.line_encoder.encode_to(&lines[done..], &mut self.output);
    }
}

impl Operation for Encode {
    fn begin(&mut self) {}

    fn apply(&mut self, piece: &[u8]) -> Result<&[u8], Stop<'_>> {
        self.output.clear();
        match self.unit {
            Unit::Line => self.append_lines(piece),
            Unit::Text => self.encoder.encode_to(piece, &mut self.output),
        }
        Ok(self.output.as_bytes())
    }
}

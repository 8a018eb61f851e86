//! `pct decode`.
#![forbid(unsafe_code)]

use memchr::memrchr;
use simdpct::ByteSet;

use crate::args::DecodeOptions;
use crate::meaning::Decoding;
use crate::pieces::{PIECE, Unit};
use crate::place::Place;
use crate::run::{Operation, Stop};

/// What would end a line. Decoded ones stay escaped, so that a line stays a line.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

pub(crate) struct Decode {
    decoding: Decoding,
    unit: Unit,
    /// Where the next piece stands.
    place: Place,
    output: Vec<u8>,
}

impl Decode {
    pub(crate) fn new(options: &DecodeOptions) -> Self {
        let mut decoding = options.meaning.decoding();
        if options.strict {
            decoding = decoding.strict();
        }
        let unit = options.input.unit();
        if unit == Unit::Line {
            // Then many lines can be decoded in one go. LF is no hexadecimal digit, so that no triplet reaches over a line
            // end, and a '%' is malformed in its line if and only if it is in the whole.
            decoding = decoding.keeping(LINE_ENDS);
        }
        // Decoding never grows.
        let output = Vec::with_capacity(PIECE);
        Self { decoding, unit, place: Place::START, output }
    }
}

impl Operation for Decode {
    fn begin(&mut self) {
        self.place = Place::START;
    }

    fn apply(&mut self, piece: &[u8]) -> Result<&[u8], Stop<'_>> {
        self.output.clear();
        let Err(error) = self.decoding.decode_to(piece, &mut self.output) else {
            if self.decoding.can_fail() {
                self.place = self.place.after(piece);
            }
            return Ok(&self.output);
        };
        let before = &piece[..error.position];
        let good = match self.unit {
            Unit::Line => &before[..memrchr(b'\n', before).map_or(0, |line_end| line_end + 1)],
            Unit::Text => before,
        };
        // This stands before the first error, so there is none.
        let _ = self.decoding.decode_to(good, &mut self.output);
        Err(Stop { output: &self.output, place: self.place.after(before), kind: error.kind })
    }
}

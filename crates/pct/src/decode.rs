//! `pct decode`.
#![forbid(unsafe_code)]

use memchr::memrchr;
use simdpct::{ByteSet, Decoder};

use crate::args::DecodeOptions;
use crate::pieces::{PIECE, Unit};
use crate::place::Place;
use crate::run::{Operation, Stop};

/// What would end a line. Decoded ones stay escaped, so that a line stays a line.
const LINE_ENDS: ByteSet = ByteSet::new(b"\n\r");

pub(crate) struct Decode {
    decoder: Decoder,
    unit: Unit,
    strict: bool,
    /// Where the next piece stands. Only kept where an error can be.
    place: Place,
    output: Vec<u8>,
}

impl Decode {
    pub(crate) fn new(options: &DecodeOptions) -> Self {
        let mut decoder = Decoder::new();
        if !options.strict {
            decoder = decoder.lenient();
        }
        if options.plus {
            decoder = decoder.plus_for_space();
        }
        let unit = options.input.unit();
        if unit == Unit::Line {
            // Then many lines can be decoded in one go. LF is no hexadecimal digit, so that no triplet reaches over a line
            // end, and a '%' is malformed in its line if and only if it is in the whole.
            decoder = decoder.keep(LINE_ENDS);
        }
        // Decoding never grows.
        let output = Vec::with_capacity(PIECE);
        Self { decoder, unit, strict: options.strict, place: Place::START, output }
    }
}

impl Operation for Decode {
    fn begin(&mut self) {
        self.place = Place::START;
    }

    fn apply(&mut self, piece: &[u8]) -> Result<&[u8], Stop<'_>> {
        self.output.clear();
        let Err(error) = self.decoder.decode_to(piece, &mut self.output) else {
            if self.strict {
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
        let _ = self.decoder.decode_to(good, &mut self.output);
        Err(Stop { output: &self.output, place: self.place.after(before), kind: error.kind })
    }
}

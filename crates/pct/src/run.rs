//! The way of the text: every input, piece by piece, through one operation, to standard output.
#![forbid(unsafe_code)]

use std::io::{self, StdoutLock, Write};

use simdpct::DecodeErrorKind;

use crate::args::InputOptions;
use crate::error::{Error, Status};
use crate::input::Source;
use crate::pieces::{PIECE, Pieces, Unit};
use crate::place::Place;

/// What a command does with text.
pub(crate) trait Operation {
    /// Makes the next piece that of another input.
    fn begin(&mut self);

    /// Does one piece, and says what to write for it.
    fn apply(&mut self, piece: &[u8]) -> Result<&[u8], Stop<'_>>;
}

/// An input that cannot be done any further.
pub(crate) struct Stop<'o> {
    /// What is to be written all the same.
    pub(crate) output: &'o [u8],
    pub(crate) place: Place,
    pub(crate) kind: DecodeErrorKind,
}

/// Does every input. One that cannot be read is reported, and the next one done; any other error is the end.
pub(crate) fn run(operation: &mut impl Operation, input: &InputOptions) -> Result<Status, Error> {
    let mut buffer = vec![0; PIECE];
    let mut output = io::stdout().lock();
    let mut status = Status::Success;
    for source in &input.files {
        match copy(operation, source, input.unit(), &mut buffer, &mut output) {
            Ok(()) => {}
            Err(error @ Error::Input(..)) => status = status.max(error.report()),
            Err(error) => return Ok(status.max(error.report())),
        }
    }
    Ok(status)
}

fn copy(
    operation: &mut impl Operation,
    source: &Source,
    unit: Unit,
    buffer: &mut [u8],
    output: &mut StdoutLock<'_>,
) -> Result<(), Error> {
    let unreadable = |error| Error::Input(source.to_string(), error);
    operation.begin();
    let mut pieces = Pieces::new(source.open().map_err(unreadable)?, unit, buffer);
    while let Some(piece) = pieces.next().map_err(unreadable)? {
        match operation.apply(piece) {
            Ok(text) => write(output, text)?,
            Err(Stop { output: text, place, kind }) => {
                write(output, text)?;
                return Err(Error::Undecodable(source.to_string(), place, kind));
            }
        }
    }
    Ok(())
}

/// Flushes, so that whoever waits for the end of the pipe sees each line at once; a piece is large where it is many lines.
fn write(output: &mut StdoutLock<'_>, text: &[u8]) -> Result<(), Error> {
    output.write_all(text).and_then(|()| output.flush()).map_err(Error::Output)
}

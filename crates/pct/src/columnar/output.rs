//! Output through the crates' writers.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use crate::error::Error;
use crate::sink::Sink;

/// Writes to a sink, and keeps its error.
pub(super) struct Output<'s> {
    sink: &'s mut Sink,
    error: Option<Error>,
}

impl<'s> Output<'s> {
    pub(super) fn new(sink: &'s mut Sink) -> Self {
        Self { sink, error: None }
    }

    /// The error of the sink, which says more than that of the writer.
    pub(super) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none()
            && let Err(error) = self.sink.write(bytes)
        {
            self.error = Some(error);
        }
        match self.error {
            None => Ok(bytes.len()),
            Some(_) => Err(io::Error::other("the output cannot be written")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

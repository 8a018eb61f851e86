//! Standard input and output. Using a stream that was closed when the process started is an error.
//!
//! Rust's runtime replaces a closed stream by `/dev/null`, so that output is discarded, and input
//! is empty.
#![forbid(unsafe_code)]

use std::io::{self, IsTerminal, Read, Stdin, Stdout, Write};

use closed_streams::{stdin_was_closed, stdout_was_closed};

pub(crate) struct Input(Stdin);

impl Input {
    pub(crate) fn new() -> Self {
        Self(io::stdin())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if stdin_was_closed() { Err(closed()) } else { self.0.read(buffer) }
    }
}

pub(crate) struct Output(Stdout);

impl Output {
    pub(crate) fn new() -> Self {
        Self(io::stdout())
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if stdout_was_closed() { Err(closed()) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn closed() -> io::Error {
    io::Error::other("stream is closed")
}

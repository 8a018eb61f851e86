//! Errors, with their messages and exit codes.
#![forbid(unsafe_code)]

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::operation::FaultKind;
use crate::report::Place;
use crate::text::shown;

/// Outcome of the command; of several, the greatest counts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[repr(u8)]
pub(crate) enum Status {
    Success = 0,
    /// `check` found something, or there were more invalid records than allowed.
    Found = 1,
    Usage = 2,
    InputOutput = 3,
}

impl Status {
    /// Reports the error of a result; returns the worse status.
    pub(crate) fn after(self, result: Result<(), Error>) -> Self {
        self.max(result.map_or_else(|error| error.report(), |()| Self::Success))
    }
}

/// An error that ends the processing of one input or of all.
#[derive(Debug)]
pub(crate) enum Error {
    Usage(String),
    /// The input of this name cannot be opened or read.
    Input(String, io::Error),
    /// The output of this name cannot be written.
    Output(String, io::Error),
    /// With `--errors fail`: an invalid record, with input name, place, column of a columnar file,
    /// and fault.
    Undecodable(String, Place, Option<&'static str>, FaultKind),
    /// The record that exceeds `--max-errors`, with input name, place and limit.
    TooMany(String, Place, u64),
}

impl Error {
    /// Prints the error to standard error; a closed output pipe is not an error.
    pub(crate) fn report(&self) -> Status {
        if self.is_end_of_reader() {
            return Status::Success;
        }
        shown::write_stderr(format_args!("pct: {self}"));
        match self {
            Self::Undecodable(..) | Self::TooMany(..) => Status::Found,
            Self::Usage(_) => Status::Usage,
            Self::Input(..) | Self::Output(..) => Status::InputOutput,
        }
    }

    /// Whether the reader of the output has closed the pipe, as `head` does.
    pub(crate) fn is_end_of_reader(&self) -> bool {
        // ERROR_PIPE_NOT_CONNECTED of Windows, which the standard library gives no kind.
        let is_not_connected = |error: &io::Error| cfg!(windows) && error.raw_os_error() == Some(233);
        matches!(self, Self::Output(_, error) if error.kind() == io::ErrorKind::BrokenPipe || is_not_connected(error))
    }

    /// Whether the error concerns one input, so that the others are still processed.
    pub(crate) fn is_of_one_input(&self) -> bool {
        matches!(self, Self::Input(..))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) => f.write_str(message),
            Self::Input(name, error) | Self::Output(name, error) => write!(f, "{name}: {error}"),
            Self::Undecodable(name, place, None, kind) => write!(f, "{name}:{place}: {kind}"),
            Self::Undecodable(name, place, Some(field), kind) => write!(f, "{name}:{place}: {field}: {kind}"),
            Self::TooMany(name, place, 1) => write!(f, "{name}:{place}: more than 1 error"),
            Self::TooMany(name, place, limit) => write!(f, "{name}:{place}: more than {limit} errors"),
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

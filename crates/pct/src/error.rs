//! What can go wrong, in words and in the exit code.
#![forbid(unsafe_code)]

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::operation::FaultKind;
use crate::report::Place;
use crate::shown;

/// How it went; of several, the greatest counts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[repr(u8)]
pub(crate) enum Status {
    Success = 0,
    /// What was looked for was found, or there were more errors in the text than are allowed.
    Found = 1,
    Usage = 2,
    InputOutput = 3,
}

impl Status {
    /// The worse of this and a result, whose error is reported.
    pub(crate) fn after(self, result: Result<(), Error>) -> Self {
        self.max(result.map_or_else(|error| error.report(), |()| Self::Success))
    }
}

/// Whatever ends the work on one input or on all.
#[derive(Debug)]
pub(crate) enum Error {
    Usage(String),
    /// The input of this name cannot be opened or read.
    Input(String, io::Error),
    /// The output of this name cannot be written.
    Output(String, io::Error),
    /// The input of this name has at this place what makes it undecodable, with `--errors fail`.
    Undecodable(String, Place, FaultKind),
    /// The record at this place of the input of this name is one too many for `--max-errors`.
    TooMany(String, Place, u64),
}

impl Error {
    /// Tells standard error. A reader of the output that has seen enough is nothing to tell.
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

    /// Whether whoever reads the output has closed it, as `head` does.
    pub(crate) fn is_end_of_reader(&self) -> bool {
        matches!(self, Self::Output(_, error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Whether the other inputs are to be done all the same.
    pub(crate) fn is_of_one_input(&self) -> bool {
        matches!(self, Self::Input(..))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(problem) => f.write_str(problem),
            Self::Input(name, error) | Self::Output(name, error) => write!(f, "{name}: {error}"),
            Self::Undecodable(name, place, kind) => write!(f, "{name}:{place}: {kind}"),
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

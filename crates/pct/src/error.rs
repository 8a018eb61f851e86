//! What can go wrong, in words and in the exit code.
#![forbid(unsafe_code)]

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use simdpct::DecodeErrorKind;

use crate::place::Place;

/// How it went; of several, the greatest counts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[repr(u8)]
pub(crate) enum Status {
    Success = 0,
    /// What was looked for was found: with --strict, malformed text.
    Found = 1,
    Usage = 2,
    InputOutput = 3,
}

/// Whatever ends the work on one input or on all.
#[derive(Debug)]
pub(crate) enum Error {
    Usage(String),
    /// The input of this name cannot be opened or read.
    Input(String, io::Error),
    Output(io::Error),
    /// The input of this name has at this place what makes it undecodable.
    Undecodable(String, Place, DecodeErrorKind),
}

impl Error {
    /// Tells standard error. A reader of standard output that has seen enough is nothing to tell.
    pub(crate) fn report(&self) -> Status {
        if let Self::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return Status::Success;
        }
        // Were standard error gone too, nobody could be told; the exit code still says it. `eprintln` would panic.
        let _ = io::stderr().write_all(format!("pct: {self}\n").as_bytes());
        match self {
            Self::Undecodable(..) => Status::Found,
            Self::Usage(_) => Status::Usage,
            Self::Input(..) | Self::Output(_) => Status::InputOutput,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(problem) => f.write_str(problem),
            Self::Input(name, error) => write!(f, "{name}: {error}"),
            Self::Output(error) => write!(f, "standard output: {error}"),
            Self::Undecodable(name, place, kind) => write!(f, "{name}:{place}: {kind}"),
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

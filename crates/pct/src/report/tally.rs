//! Counts and first offenders: of a block, and of a file.
#![forbid(unsafe_code)]

use simdpct::DecodeErrorKind;

use super::Place;
use crate::operation::{Fault, FaultKind};

/// A record at fault, for its first fault. `P` is where: in a block or in the file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Offender<P = Place> {
    pub(crate) kind: FaultKind,
    pub(crate) place: P,
}

/// What records can be counted as.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Count {
    Malformed,
    NotUtf8,
    Rejected,
    Suspicious,
    Format,
    TooManyFields,
    NewKeyExists,
    TooLong,
}

impl Count {
    pub(crate) const ALL: [Self; 8] = [
        Self::Malformed,
        Self::NotUtf8,
        Self::Rejected,
        Self::Suspicious,
        Self::Format,
        Self::TooManyFields,
        Self::NewKeyExists,
        Self::TooLong,
    ];

    pub(crate) fn of(kind: FaultKind) -> Self {
        match kind {
            FaultKind::Code(DecodeErrorKind::Malformed) => Self::Malformed,
            FaultKind::Code(DecodeErrorKind::Rejected(_)) => Self::Rejected,
            FaultKind::Code(_) | FaultKind::NotUtf8 => Self::NotUtf8,
            FaultKind::Found(_) => Self::Suspicious,
            FaultKind::Format(_) => Self::Format,
            FaultKind::TooManyFields => Self::TooManyFields,
            FaultKind::NewKeyExists => Self::NewKeyExists,
            FaultKind::TooLong => Self::TooLong,
        }
    }

    /// In a report for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotUtf8 => "not-utf8",
            Self::Rejected => "rejected",
            Self::Suspicious => "suspicious",
            Self::Format => "not-in-format",
            Self::TooManyFields => "too-many-fields",
            Self::NewKeyExists => "new-key-exists",
            Self::TooLong => "too-long",
        }
    }

    /// In a report for people.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotUtf8 => "not UTF-8",
            Self::Rejected => "with rejected bytes",
            Self::Suspicious => "suspicious",
            Self::Format => "not in the format",
            Self::TooManyFields => "with too many fields",
            Self::NewKeyExists => "with the new key already",
            Self::TooLong => "too long",
        }
    }
}

/// What one thread finds in one block: counts, and the first offenders at their offset in it.
#[derive(Debug)]
pub(crate) struct Tally {
    counts: [u64; Count::ALL.len()],
    pub(crate) first: Vec<Offender<usize>>,
    /// So many offenders are named.
    most: usize,
}

impl Tally {
    /// As many offenders are named in a report.
    pub(crate) const NAMED: usize = 10;

    /// Names as many as a report does, or all.
    pub(crate) fn new(names_all: bool) -> Self {
        let most = if names_all { usize::MAX } else { Self::NAMED };
        Self { counts: Default::default(), first: Vec::new(), most }
    }

    pub(crate) fn clear(&mut self) {
        self.counts = Default::default();
        self.first.clear();
    }

    pub(crate) fn note(&mut self, fault: Fault) {
        self.counts[Count::of(fault.kind) as usize] += 1;
        if self.first.len() < self.most {
            self.first.push(Offender { kind: fault.kind, place: fault.position });
        }
    }

    /// Records at fault.
    pub(crate) fn faults(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// What is known of a file so far.
#[derive(Debug)]
pub(crate) struct FileReport {
    pub(crate) name: String,
    pub(crate) counts: [u64; Count::ALL.len()],
    pub(crate) first: Vec<Offender>,
    /// Where the next block will stand.
    pub(crate) place: Place,
    /// What is counted as lines.
    pub(crate) separator: u8,
}

impl FileReport {
    pub(crate) fn new(name: String, separator: u8) -> Self {
        Self { name, counts: Default::default(), first: Vec::new(), place: Place::START, separator }
    }

    /// Records at fault.
    pub(crate) fn faults(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether no more offenders will be named.
    pub(crate) fn has_all_names(&self) -> bool {
        self.first.len() == Tally::NAMED
    }

    /// Adds what was found in the next block, which ends at `end`.
    pub(crate) fn absorb(&mut self, tally: &Tally, block: &[u8], end: Place) {
        for (sum, count) in self.counts.iter_mut().zip(tally.counts) {
            *sum += count;
        }
        let room = Tally::NAMED - self.first.len();
        for offender in tally.first.iter().take(room) {
            let place = self.place.after(&block[..offender.place], self.separator);
            self.first.push(Offender { kind: offender.kind, place });
        }
        self.place = end;
    }

    /// Adds one record at fault.
    pub(crate) fn note(&mut self, offender: Offender) {
        self.counts[Count::of(offender.kind) as usize] += 1;
        if self.first.len() < Tally::NAMED {
            self.first.push(offender);
        }
    }
}

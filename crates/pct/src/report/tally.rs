//! Counts and first invalid records, of a block and of a file.
#![forbid(unsafe_code)]

use simdpct::Kinds;

use super::Place;
use crate::operation::{Count, Counted, Fault, FaultKind};
use crate::source::Source;

/// An invalid record. `P` is the type of the place of its first fault: in the block, or in the
/// file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct InvalidRecord<P = Place> {
    /// The first fault.
    pub(crate) kind: FaultKind,
    pub(crate) place: P,
    pub(crate) counted: Counted,
    pub(crate) found: Kinds,
    /// In columnar files: the column of the first fault. The line of the place is the row, and its
    /// column the byte in the value.
    pub(crate) field: Option<&'static str>,
}

impl<P> InvalidRecord<P> {
    /// A record with this fault alone.
    pub(crate) fn new(kind: FaultKind, place: P) -> Self {
        Self { kind, place, counted: Counted::of(kind), found: kind.found(), field: None }
    }

    /// The same at another place.
    pub(crate) fn at<Q>(&self, place: Q) -> InvalidRecord<Q> {
        InvalidRecord { kind: self.kind, place, counted: self.counted, found: self.found, field: self.field }
    }
}

/// Findings in one block: counts, and the first invalid records with their offsets.
#[derive(Debug)]
pub(crate) struct Tally {
    counts: [u64; Count::ALL.len()],
    /// Invalid records.
    faults: u64,
    /// Number of records, if the format counts them.
    pub(crate) records: u64,
    pub(crate) first: Vec<InvalidRecord<usize>>,
    /// Number of invalid records to list.
    most: usize,
}

impl Tally {
    /// Number of invalid records that a report lists.
    pub(crate) const NAMED: usize = 10;

    /// Lists as many invalid records as a report, or with `names_all` all.
    pub(crate) fn new(names_all: bool) -> Self {
        let most = if names_all { usize::MAX } else { Self::NAMED };
        Self { counts: Default::default(), faults: 0, records: 0, first: Vec::new(), most }
    }

    pub(crate) fn clear(&mut self) {
        self.counts = Default::default();
        (self.faults, self.records) = (0, 0);
        self.first.clear();
    }

    pub(crate) fn note(&mut self, fault: Fault) {
        let Fault { kind, position, counted, found, .. } = fault;
        counted.add_to(&mut self.counts);
        if kind.is_note() {
            return;
        }
        self.faults += 1;
        if self.first.len() < self.most {
            self.first.push(InvalidRecord { kind, place: position, counted, found, field: None });
        }
    }

    /// Invalid records.
    pub(crate) fn faults(&self) -> u64 {
        self.faults
    }
}

/// How to count the records of a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Records {
    /// Lines, which the separator ends.
    Lines,
    /// One, if it is not empty.
    One,
    /// Counted by the format.
    Counted,
}

/// Report of a file, up to the current block.
#[derive(Debug)]
pub(crate) struct FileReport {
    pub(crate) name: String,
    /// The bytes of a name that is not UTF-8.
    pub(crate) name_bytes: Option<Vec<u8>>,
    pub(crate) counts: [u64; Count::ALL.len()],
    faults: u64,
    how: Records,
    counted: u64,
    pub(crate) first: Vec<InvalidRecord>,
    /// Place of the next block.
    pub(crate) place: Place,
    /// The byte that ends a line.
    pub(crate) separator: u8,
    /// What to try, if the input is probably in another format.
    hint: Option<String>,
}

impl FileReport {
    pub(crate) fn new(name: String, separator: u8, how: Records) -> Self {
        let (name_bytes, counts, faults, counted, first, hint) = Default::default();
        Self { name, name_bytes, counts, faults, how, counted, first, place: Place::START, separator, hint }
    }

    /// The report of an input.
    pub(crate) fn of(source: &Source, separator: u8, how: Records) -> Self {
        Self { name_bytes: source.name_bytes(), ..Self::new(source.to_string(), separator, how) }
    }

    /// Sets what to try, if records are counted.
    pub(crate) fn suggest(&mut self, hint: Option<String>) {
        self.hint = hint;
    }

    /// What to try, as a warning, if records are counted.
    pub(crate) fn suggestion(&self) -> Option<String> {
        let hint = self.hint.as_ref().filter(|_| self.counts.iter().any(|&count| count > 0))?;
        Some(format!("{}: {hint}", self.name))
    }

    /// The records that are counted so.
    pub(crate) fn count(&self, kind: Count) -> u64 {
        Count::ALL.into_iter().zip(self.counts).find(|(other, _)| *other == kind).map_or(0, |(_, count)| count)
    }

    /// Invalid records.
    pub(crate) fn faults(&self) -> u64 {
        self.faults
    }

    /// Number of records so far, if lines were counted.
    pub(crate) fn records(&self) -> u64 {
        match self.how {
            Records::Lines => self.place.complete_lines(),
            Records::One => u64::from(self.place != Place::START),
            Records::Counted => self.counted,
        }
    }

    /// Whether the list of invalid records is full.
    pub(crate) fn has_all_names(&self) -> bool {
        self.first.len() == Tally::NAMED
    }

    /// Adds the findings of the next block, which ends at `end`.
    pub(crate) fn absorb(&mut self, tally: &Tally, block: &[u8], end: Place) {
        for (sum, count) in self.counts.iter_mut().zip(tally.counts) {
            *sum += count;
        }
        self.faults += tally.faults;
        self.counted += tally.records;
        let room = Tally::NAMED - self.first.len();
        for invalid in tally.first.iter().take(room) {
            let place = self.place.after(&block[..invalid.place], self.separator);
            self.first.push(invalid.at(place));
        }
        self.place = end;
    }

    /// Adds records that the format counts.
    #[cfg(feature = "columns")]
    pub(crate) fn add_records(&mut self, records: u64) {
        self.counted += records;
    }

    /// Adds an invalid record that is not part of a block.
    pub(crate) fn note(&mut self, invalid: InvalidRecord) {
        // The format did not see this record.
        self.counted += 1;
        self.note_invalid(invalid);
    }

    /// Adds an invalid record that is counted elsewhere.
    pub(crate) fn note_invalid(&mut self, invalid: InvalidRecord) {
        invalid.counted.add_to(&mut self.counts);
        if invalid.kind.is_note() {
            return;
        }
        self.faults += 1;
        if self.first.len() < Tally::NAMED {
            self.first.push(invalid);
        }
    }
}

//! Observers of invalid records.
#![forbid(unsafe_code)]

use memchr::{memchr, memrchr};

use crate::error::Error;
use crate::report::{FileReport, InvalidRecord, Tally};

/// Receives invalid records in input order, from one thread at a time.
pub(crate) trait Observer: Sync {
    /// Called at the start of each file.
    fn begin(&self) {}

    /// Called for each invalid record. `line` is the line with the fault, without its end, or empty
    /// if it was too long to be held.
    fn observe(&self, name: &str, invalid: &InvalidRecord, line: &[u8]) -> Result<(), Error>;

    /// Called after the records of each block.
    fn pause(&self) -> Result<(), Error>;
}

/// Notifies the observer of the invalid records of the next block of a file.
pub(super) fn notify(observer: &dyn Observer, report: &FileReport, tally: &Tally, block: &[u8]) -> Result<(), Error> {
    let (mut place, mut done) = (report.place, 0);
    for invalid in &tally.first {
        // They are in record order, but a later record's fault can be at a smaller position than
        // this column.
        let position = invalid.place.max(done);
        place = place.after(&block[done..position], report.separator);
        done = position;
        let start = memrchr(report.separator, &block[..position]).map_or(0, |at| at + 1);
        let end = memchr(report.separator, &block[position..]).map_or(block.len(), |at| position + at);
        observer.observe(&report.name, &invalid.at(place), &block[start..end])?;
    }
    observer.pause()
}

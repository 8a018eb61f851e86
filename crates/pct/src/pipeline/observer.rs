//! Who wants to hear of every record at fault, in order.
#![forbid(unsafe_code)]

use memchr::{memchr, memrchr};

use crate::error::Error;
use crate::report::{FileReport, Offender, Tally};

/// Is told of records at fault. One thread at a time does it, in the order of the text.
pub(crate) trait Observer: Sync {
    /// That another file begins.
    fn begin(&self) {}

    /// Of one record: `line` is where the fault stands, without its end; empty if it was too long
    /// to be held.
    fn observe(&self, name: &str, offender: &Offender, line: &[u8]) -> Result<(), Error>;

    /// That there is nothing more to say for now.
    fn pause(&self) -> Result<(), Error>;
}

/// Tells of a block's records at fault, which is the next of its file.
pub(super) fn notify(observer: &dyn Observer, report: &FileReport, tally: &Tally, block: &[u8]) -> Result<(), Error> {
    let (mut place, mut done) = (report.place, 0);
    for offender in &tally.first {
        // They come in the order of their records, but a fault in the next may stand where this
        // one's column was.
        let position = offender.place.max(done);
        place = place.after(&block[done..position], report.separator);
        done = position;
        let start = memrchr(report.separator, &block[..position]).map_or(0, |at| at + 1);
        let end = memchr(report.separator, &block[position..]).map_or(block.len(), |at| position + at);
        observer.observe(&report.name, &offender.at(place), &block[start..end])?;
    }
    observer.pause()
}

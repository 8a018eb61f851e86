//! A record that is longer than a block.
//!
//! A field that is the whole record is done part by part, in memory that does not grow with it. If
//! its output is known only at its end, a temporary file holds it until then. Any other record is
//! read as a whole, up to what memory allows.
#![forbid(unsafe_code)]

use std::io;

use super::spool::Spool;
use super::{Ordered, Plan, memory};
use crate::error::Error;
use crate::format::Whole;
use crate::operation::{FaultKind, Stream, split_ending};
use crate::record::{Job, Policy};
use crate::report::{Offender, Place};
use crate::source::{Blocks, Buffer};

/// Does the record whose beginning is in the buffer.
pub(super) fn write(
    plan: &Plan<'_>,
    blocks: &mut Blocks,
    buffer: &mut Buffer,
    job: &mut Job,
    number: u64,
    ordered: &mut Ordered<'_>,
) -> Result<(), Error> {
    let until_fault = ordered.left(plan) == 0;
    if let Some(whole) = plan.format.whole()
        && let Some(stream) = whole.operation.stream(until_fault)
    {
        let record = Record {
            name: ordered.report.name.clone(),
            place: ordered.report.place,
            separator: ordered.report.separator,
            ending: whole.ending,
            until_fault,
            blocks,
            buffer,
        };
        let done = match (plan.policy, whole.append) {
            (Policy::Drop | Policy::Skip, _) => write_judged(plan, &whole, stream, record, ordered),
            (_, Some(delimiter)) => write_appended(delimiter, stream, record, ordered),
            (_, None) => write_through(stream, record, ordered),
        }?;
        ordered.report.place = done.place;
        return note(done.offender, plan, ordered);
    }
    write_whole(plan, blocks, buffer, job, number, ordered)
}

/// A record, of which the first part is in the buffer.
struct Record<'r> {
    name: String,
    /// Where the part in the buffer stands.
    place: Place,
    separator: u8,
    ending: Option<u8>,
    /// The rest does not matter after a fault.
    until_fault: bool,
    blocks: &'r mut Blocks,
    buffer: &'r mut Buffer,
}

/// What is known after a record.
struct Done {
    offender: Option<Offender>,
    /// The bytes that ended it; none if it ends where its input does, or at a fault that is one too
    /// many.
    ending: Vec<u8>,
    /// Where the next record stands.
    place: Place,
}

impl Record<'_> {
    /// Feeds the stream, and hands out every part of the record, and what became of it.
    fn each_part(
        mut self,
        mut stream: Box<dyn Stream>,
        mut write: impl FnMut(&[u8], &[u8]) -> Result<(), Error>,
    ) -> Result<Done, Error> {
        let mut result = Vec::new();
        let mut offender: Option<Offender> = None;
        let mut fed = 0;
        let mut is_last = false;
        loop {
            let (part, ending) = match self.ending {
                Some(separator) if is_last => split_ending(self.buffer, separator),
                _ => self.buffer.split_at(self.buffer.len()),
            };
            result.clear();
            stream.feed(part, &mut result);
            if is_last {
                stream.finish(&mut result);
            }
            if let (Some((kind, position)), None) = (stream.fault(), offender) {
                offender = Some(Offender::new(kind, self.place_of(position, fed, part)));
            }
            if let Some(offender) = &mut offender {
                (offender.counted, offender.found) = stream.all(offender.kind);
            }
            write(part, &result)?;
            fed += part.len() as u64;
            self.place = self.place.after(self.buffer, self.separator);
            if offender.is_some() && self.until_fault {
                return Ok(Done { offender, ending: Vec::new(), place: self.place });
            }
            if is_last {
                return Ok(Done { offender, ending: ending.to_vec(), place: self.place });
            }
            is_last = self.blocks.go_on(self.buffer).map_err(|error| Error::Input(self.name.clone(), error))?;
        }
    }

    /// Where in the text that byte of the record is, if `part` follows `fed` bytes of it.
    fn place_of(&self, position: u64, fed: u64, part: &[u8]) -> Place {
        match position.checked_sub(fed) {
            Some(ahead) => self.place.after(&part[..part.len().min(ahead as usize)], self.separator),
            // What is found later than it is read is a triplet or a character that was cut: no
            // separator lies between.
            None => Place { column: self.place.column.saturating_sub(fed - position).max(1), ..self.place },
        }
    }
}

/// Writes what is known at once.
fn write_through(stream: Box<dyn Stream>, record: Record<'_>, ordered: &mut Ordered<'_>) -> Result<Done, Error> {
    let done = record.each_part(stream, |_, result| ordered.sink.write(result))?;
    ordered.sink.write(&done.ending)?;
    Ok(done)
}

/// Writes the record as it is, and the result behind it.
fn write_appended(
    delimiter: u8,
    stream: Box<dyn Stream>,
    record: Record<'_>,
    ordered: &mut Ordered<'_>,
) -> Result<Done, Error> {
    let until_fault = record.until_fault;
    let mut results = Spool::new()?;
    let done = record.each_part(stream, |part, result| {
        ordered.sink.write(part)?;
        results.write(result)
    })?;
    if done.offender.is_some() && until_fault {
        return Ok(done);
    }
    ordered.sink.write(&[delimiter])?;
    results.read(|result| ordered.sink.write(result))?;
    ordered.sink.write(&done.ending)?;
    Ok(done)
}

/// Writes the result if there is no fault, and else what the policy wants.
fn write_judged(
    plan: &Plan<'_>,
    whole: &Whole<'_>,
    stream: Box<dyn Stream>,
    record: Record<'_>,
    ordered: &mut Ordered<'_>,
) -> Result<Done, Error> {
    let until_fault = record.until_fault;
    let mut parts = Spool::new()?;
    let done = record.each_part(stream, |part, _| parts.write(part))?;
    let is_good = done.offender.is_none();
    if !is_good && (until_fault || plan.policy == Policy::Drop) {
        return Ok(done);
    }
    if !is_good || whole.append.is_some() {
        parts = parts.read(|part| ordered.sink.write(part))?;
    }
    if is_good && let Some(mut stream) = whole.operation.stream(false) {
        if let Some(delimiter) = whole.append {
            ordered.sink.write(&[delimiter])?;
        }
        let mut result = Vec::new();
        parts.read(|part| {
            result.clear();
            stream.feed(part, &mut result);
            ordered.sink.write(&result)
        })?;
        result.clear();
        stream.finish(&mut result);
        ordered.sink.write(&result)?;
    }
    ordered.sink.write(&done.ending)?;
    Ok(done)
}

/// Does a record of which all has to be in memory.
fn write_whole(
    plan: &Plan<'_>,
    blocks: &mut Blocks,
    buffer: &mut Buffer,
    job: &mut Job,
    number: u64,
    ordered: &mut Ordered<'_>,
) -> Result<(), Error> {
    let mut record = Vec::new();
    let mut is_last = false;
    loop {
        if !memory::make_room(&mut record, buffer.len()) {
            let is_needed = number == 0 && plan.format.needs_first_record();
            let is_skipped = !is_needed && matches!(plan.policy, Policy::Drop | Policy::Skip);
            note_too_long(is_skipped, plan, ordered)?;
            return skip(plan, blocks, buffer, record, is_last, ordered);
        }
        record.extend_from_slice(buffer);
        if is_last {
            break;
        }
        is_last = go_on(blocks, buffer, ordered)?;
    }
    let name = &ordered.report.name;
    plan.format.begin(number == 0, &record).map_err(|problem| Error::Usage(format!("{name}: {problem}")))?;
    job.begin(ordered.left(plan), number == 0);
    plan.format.transform(&record, job);
    let end = Place::START.after(&record, ordered.report.separator);
    let result = ordered.write(plan, &record, job, number, end);
    // Such records are rare, and the memory would stay.
    *job = Job::new(plan.policy, plan.observer.is_some());
    result
}

/// Counts a record that is longer than memory allows. Unless it is skipped, this is the end of the
/// input.
fn note_too_long(is_skipped: bool, plan: &Plan<'_>, ordered: &mut Ordered<'_>) -> Result<(), Error> {
    let place = ordered.report.place;
    note(Some(Offender::new(FaultKind::TooLong, place)), plan, ordered)?;
    if is_skipped {
        return Ok(());
    }
    let error = io::Error::new(io::ErrorKind::OutOfMemory, format!("the record at {place} is too long for the memory"));
    Err(Error::Input(ordered.report.name.clone(), error))
}

/// Does what the policy wants with a record of which the start and the next part are given.
fn skip(
    plan: &Plan<'_>,
    blocks: &mut Blocks,
    buffer: &mut Buffer,
    mut record: Vec<u8>,
    mut is_last: bool,
    ordered: &mut Ordered<'_>,
) -> Result<(), Error> {
    loop {
        for part in [&record[..], buffer] {
            ordered.report.place = ordered.report.place.after(part, ordered.report.separator);
            if plan.policy == Policy::Skip {
                ordered.sink.write(part)?;
            }
        }
        if is_last {
            return Ok(());
        }
        record = Vec::new();
        is_last = go_on(blocks, buffer, ordered)?;
    }
}

fn go_on(blocks: &mut Blocks, buffer: &mut Buffer, ordered: &Ordered<'_>) -> Result<bool, Error> {
    blocks.go_on(buffer).map_err(|error| Error::Input(ordered.report.name.clone(), error))
}

/// Counts what was found.
fn note(offender: Option<Offender>, plan: &Plan<'_>, ordered: &mut Ordered<'_>) -> Result<(), Error> {
    let Some(offender) = offender else { return Ok(()) };
    let exceeds_limit = ordered.left(plan) == 0;
    if let Some(observer) = plan.observer {
        observer.observe(&ordered.report.name, &offender, b"")?;
        observer.pause()?;
    }
    ordered.report.note(offender);
    if exceeds_limit { Err(ordered.limit_exceeded(plan, offender)) } else { Ok(()) }
}

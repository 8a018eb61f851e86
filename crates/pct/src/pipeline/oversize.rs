//! A record that is longer than a block.
//!
//! If the field is the whole record, it is processed in parts, in constant memory. If its output is
//! known only at its end, a temporary file holds it until then. Any other record is read as a
//! whole, if memory allows.
#![forbid(unsafe_code)]

use std::io;

use super::spool::Spool;
use super::{Ordered, Plan, memory};
use crate::error::Error;
use crate::format::Whole;
use crate::operation::{FaultKind, Stream, split_ending};
use crate::record::{Job, Policy};
use crate::report::{InvalidRecord, Place};
use crate::source::{Blocks, Buffer};

/// Processes the record whose beginning is in the buffer.
pub(super) fn write(
    plan: &Plan<'_>,
    blocks: &mut Blocks,
    buffer: &mut Buffer,
    job: &mut Job,
    number: u64,
    ordered: &mut Ordered<'_>,
) -> Result<(), Error> {
    let until_fault = ordered.remaining_faults(plan) == 0;
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
        return note(done.invalid, plan, ordered);
    }
    write_whole(plan, blocks, buffer, job, number, ordered)
}

/// A record whose first part is in the buffer.
struct Record<'r> {
    name: String,
    /// Place of the part in the buffer.
    place: Place,
    separator: u8,
    ending: Option<u8>,
    /// Whether to stop at the first fault.
    until_fault: bool,
    blocks: &'r mut Blocks,
    buffer: &'r mut Buffer,
}

/// Result of processing a record.
struct Done {
    invalid: Option<InvalidRecord>,
    /// The record's line end or NUL; empty at the end of the input, or if a fault exceeded the
    /// limit.
    ending: Vec<u8>,
    /// Place of the next record.
    place: Place,
}

impl Record<'_> {
    /// Feeds the stream; calls `write` with each part of the record and its output.
    fn each_part(
        mut self,
        mut stream: Box<dyn Stream>,
        mut write: impl FnMut(&[u8], &[u8]) -> Result<(), Error>,
    ) -> Result<Done, Error> {
        let mut result = Vec::new();
        let mut invalid: Option<InvalidRecord> = None;
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
            if let (Some((kind, position)), None) = (stream.fault(), invalid) {
                invalid = Some(InvalidRecord::new(kind, self.place_of(position, fed, part)));
            }
            if let Some(invalid) = &mut invalid {
                (invalid.counted, invalid.found) = stream.all(invalid.kind);
            }
            write(part, &result)?;
            fed += part.len() as u64;
            self.place = self.place.after(self.buffer, self.separator);
            if invalid.is_some() && self.until_fault {
                return Ok(Done { invalid, ending: Vec::new(), place: self.place });
            }
            if is_last {
                return Ok(Done { invalid, ending: ending.to_vec(), place: self.place });
            }
            is_last = self.blocks.next_part(self.buffer).map_err(|error| Error::Input(self.name.clone(), error))?;
        }
    }

    /// The place of the byte at `position` of the record, if `part` follows `fed` bytes of it.
    fn place_of(&self, position: u64, fed: u64, part: &[u8]) -> Place {
        match position.checked_sub(fed) {
            Some(ahead) => self.place.after(&part[..part.len().min(ahead as usize)], self.separator),
            // A fault found in an earlier part is a triplet or a character that was cut between
            // parts: no separator is in it.
            None => Place { column: self.place.column.saturating_sub(fed - position).max(1), ..self.place },
        }
    }
}

/// Writes output as it is produced.
fn write_through(stream: Box<dyn Stream>, record: Record<'_>, ordered: &mut Ordered<'_>) -> Result<Done, Error> {
    let done = record.each_part(stream, |_, result| ordered.sink.write(result))?;
    ordered.sink.write(&done.ending)?;
    Ok(done)
}

/// Writes the record unchanged, then the delimiter and the result.
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
    if done.invalid.is_some() && until_fault {
        return Ok(done);
    }
    ordered.sink.write(&[delimiter])?;
    results.read(|result| ordered.sink.write(result))?;
    ordered.sink.write(&done.ending)?;
    Ok(done)
}

/// Writes the result if there is no fault; otherwise applies the policy.
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
    let is_good = done.invalid.is_none();
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

/// Processes a record that must be in memory as a whole.
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
        let is_over_limit = plan.max_record.is_some_and(|most| (record.len() + buffer.len()) as u64 > most);
        if is_over_limit || !memory::make_room(&mut record, buffer.len()) {
            let is_needed = number == 0 && plan.format.needs_first_record();
            let is_skipped = !is_needed && matches!(plan.policy, Policy::Drop | Policy::Skip);
            let kind = if is_over_limit { FaultKind::OverLimit } else { FaultKind::TooLong };
            note_too_long(kind, is_skipped, plan, ordered)?;
            return skip(plan, blocks, buffer, record, is_last, ordered);
        }
        record.extend_from_slice(buffer);
        if is_last {
            break;
        }
        is_last = next_part(blocks, buffer, ordered)?;
    }
    let name = &ordered.report.name;
    plan.format.begin(number == 0, &record).map_err(|message| Error::Usage(format!("{name}: {message}")))?;
    plan.format.look_ahead(number, &record);
    job.begin(ordered.remaining_faults(plan), number == 0);
    job.number = number;
    plan.format.transform(&record, job);
    let end = Place::START.after(&record, ordered.report.separator);
    let result = ordered.write(plan, &record, job, number, end);
    // Releases the memory; such records are rare.
    *job = plan.job();
    result
}

/// Counts a record that is too long. Unless it is skipped, this ends the input.
fn note_too_long(kind: FaultKind, is_skipped: bool, plan: &Plan<'_>, ordered: &mut Ordered<'_>) -> Result<(), Error> {
    let place = ordered.report.place;
    note(Some(InvalidRecord::new(kind, place)), plan, ordered)?;
    if is_skipped {
        return Ok(());
    }
    let error = io::Error::new(io::ErrorKind::OutOfMemory, format!("the record at {place} is {kind}"));
    Err(Error::Input(ordered.report.name.clone(), error))
}

/// Drops or writes unchanged the record that begins with `record` and the buffer.
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
            if plan.policy == Policy::Skip && plan.writes_unprocessed() {
                ordered.sink.write(part)?;
            }
        }
        if is_last {
            return Ok(());
        }
        record = Vec::new();
        is_last = next_part(blocks, buffer, ordered)?;
    }
}

fn next_part(blocks: &mut Blocks, buffer: &mut Buffer, ordered: &Ordered<'_>) -> Result<bool, Error> {
    blocks.next_part(buffer).map_err(|error| Error::Input(ordered.report.name.clone(), error))
}

/// Adds a fault to the report and notifies the observer; an error if it exceeds the limit.
fn note(invalid: Option<InvalidRecord>, plan: &Plan<'_>, ordered: &mut Ordered<'_>) -> Result<(), Error> {
    let Some(invalid) = invalid else { return Ok(()) };
    let exceeds_limit = ordered.remaining_faults(plan) == 0;
    if let Some(observer) = plan.observer {
        observer.observe(&ordered.report.name, &invalid, b"")?;
        observer.pause()?;
    }
    ordered.report.note(invalid);
    if exceeds_limit { Err(ordered.limit_exceeded(plan, invalid)) } else { Ok(()) }
}

//! Lines and NUL-terminated records: each is one field.
#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use memchr::{memchr, memrchr};

use super::passthrough::transform_lines;
use super::{Format, Whole};
use crate::operation::{Operation, batch};
use crate::record::Job;
use crate::source::{Scanner, Separated};

/// Records are transformed in groups of about this length, as a batch. If a group has an invalid
/// record, its records are transformed one by one: shorter groups slow down clean text, longer ones
/// malformed text.
const GROUP: usize = 4 * 1024;

pub(crate) struct Records {
    separator: u8,
    operation: Box<dyn Operation>,
    append: Option<u8>,
}

impl Records {
    /// With `append`, the result follows the record and this delimiter.
    pub(crate) fn new(separator: u8, operation: Box<dyn Operation>, append: Option<u8>) -> Self {
        Self { separator, operation, append }
    }

    /// The first record, with its end.
    fn first<'r>(&self, records: &'r [u8]) -> &'r [u8] {
        memchr(self.separator, records).map_or(records, |at| &records[..=at])
    }

    /// The first records, at least one, up to [`GROUP`] bytes if possible.
    fn group<'r>(&self, records: &'r [u8]) -> &'r [u8] {
        if records.len() <= GROUP {
            return records;
        }
        match memrchr(self.separator, &records[..GROUP]) {
            Some(at) => &records[..=at],
            None => self.first(records),
        }
    }

    /// Appends results, or filters records.
    fn transform_each(&self, records: &[u8], job: &mut Job) {
        let triggers = self.operation.triggers().filter(|_| job.takes_runs(self.append.is_none()));
        let triggers = triggers.map(|triggers| triggers.without(self.separator));
        transform_lines(
            records,
            self.separator,
            triggers,
            job,
            |_| true,
            |field, output, _| {
                if let Some(delimiter) = self.append {
                    output.extend_from_slice(field);
                    output.push(delimiter);
                }
                self.operation.apply(field, output)
            },
        );
    }

    fn transform_groups(&self, records: &[u8], job: &mut Job) -> ControlFlow<()> {
        let mut start = 0;
        while start < records.len() {
            let group = self.group(&records[start..]);
            let before = job.output.len();
            let is_clean = batch::apply_if_clean(&*self.operation, group, self.separator, &mut job.output);
            if !is_clean {
                job.output.truncate(before);
                self.transform_one_by_one(group, start, job)?;
            }
            start += group.len();
        }
        ControlFlow::Continue(())
    }

    /// Transforms a group that may have invalid records.
    fn transform_one_by_one(&self, group: &[u8], start: usize, job: &mut Job) -> ControlFlow<()> {
        if job.only_counts(group.len())
            && batch::apply_and_collect(&*self.operation, group, self.separator, &mut job.output, &mut job.faults)
        {
            job.count(start);
            return ControlFlow::Continue(());
        }
        self.each(group, |record, offset| {
            job.record(record, start + offset, |output, _| {
                batch::apply(&*self.operation, record, self.separator, output)
            })
        })
    }

    /// Calls `each` with every record, including its end, and its offset.
    fn each(&self, records: &[u8], mut each: impl FnMut(&[u8], usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut start = 0;
        while start < records.len() {
            let record = self.first(&records[start..]);
            each(record, start)?;
            start += record.len();
        }
        ControlFlow::Continue(())
    }
}

impl Format for Records {
    fn scanner(&self) -> Box<dyn Scanner> {
        Box::new(Separated(self.separator))
    }

    fn separator(&self) -> u8 {
        self.separator
    }

    fn transform(&self, records: &[u8], job: &mut Job) {
        if self.append.is_some() || !job.writes_all() {
            self.transform_each(records, job);
        } else {
            // A break is recorded in the job.
            let _ = self.transform_groups(records, job);
        }
    }

    fn whole(&self) -> Option<Whole<'_>> {
        Some(Whole { operation: &*self.operation, ending: Some(self.separator), append: self.append })
    }
}

//! `--in-place`: each file is an output of its own. Several files are rewritten at once.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Rewriting, Task};
use crate::error::{Error, Status};
use crate::format::{Format, Outputs};
use crate::lock::lock;
use crate::pipeline::{LONG, Progress};
use crate::record::Policy;
use crate::report::FileReport;
use crate::sink::{InPlace, Sink, Written};
use crate::source::{Columnar, Opened, Source};
use crate::unique::{Kept, Seen};

impl Task<'_> {
    /// The number of files that are rewritten at once. What depends on the files before it needs
    /// them one after another.
    fn files_at_once(&self) -> usize {
        let errors = &self.arguments.errors;
        let is_first_kept = self.seen.as_ref().is_some_and(|seen| seen.comparison.kept == Kept::First);
        let is_ordered = is_first_kept || errors.max_errors.is_some() || errors.policy() == Policy::Fail;
        let threads = self.arguments.input.threads.or_else(|| thread::available_parallelism().ok());
        let threads = if is_ordered { 1 } else { threads.map_or(1, NonZero::get) };
        // Two files are hardly worth a thread.
        threads.min(self.arguments.input.sources().len() / 2).max(1)
    }
}

impl Rewriting<'_> {
    pub(super) fn in_place(&mut self) -> Result<Status, Error> {
        let sources = self.arguments.input.sources();
        if sources.iter().any(|source| source.path().is_none()) {
            return Err(Error::Usage("invalid input '-' for --in-place: expected files".into()));
        }
        let in_place = InPlace::new(self.arguments.output.backup.clone());
        let threads = self.task.files_at_once();
        let done = Mutex::new(Done::default());
        if threads == 1 {
            for (number, source) in sources.iter().enumerate() {
                let errors = self.file(source, &in_place);
                let is_last = errors.iter().any(ends);
                // The reports stay here: the number of invalid records so far counts for the limit.
                lock(&done).add(number, Rewritten { errors, reports: Vec::new() }, &self.inputs.progress);
                if is_last {
                    break;
                }
            }
        } else {
            self.unmatched = Some(self.on_threads(threads, &in_place, &done)?);
        }
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.reports.extend(done.reports);
        Ok(done.status.max(report_all(&in_place.finish(), &self.inputs.progress)))
    }

    /// Rewrites files on several threads. Returns warnings about fields that no record had.
    fn on_threads(&self, threads: usize, in_place: &InPlace, done: &Mutex<Done>) -> Result<Vec<String>, Error> {
        let sources = self.arguments.input.sources();
        // What a format knows of the current file is known to its thread alone.
        let formats: Vec<_> = (0..threads).map(|_| self.task.format(Outputs::Each)).collect::<Result<_, _>>()?;
        let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        // A long file has all cores, and no other long file beside it.
        let long = Mutex::new(());
        let all_cores = self.threads;
        let had_records: Vec<_> = formats.iter().map(|_| AtomicBool::new(false)).collect();
        let work = |format: &dyn Format, had_records: &AtomicBool| {
            let mut rewriting = Rewriting::new(self.task, self.inputs, format);
            while !is_stopped.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(source) = sources.get(number) else { break };
                let is_long = source.path().and_then(|path| path.metadata().ok()).is_none_or(|file| file.len() > LONG);
                let alone = is_long.then(|| lock(&long));
                rewriting.threads = if is_long { all_cores } else { NonZero::new(1) };
                let errors = rewriting.file(source, in_place);
                drop(alone);
                let reports = std::mem::take(&mut rewriting.reports);
                is_stopped.fetch_or(errors.iter().any(ends), Ordering::Relaxed);
                had_records.fetch_or(reports.iter().any(|report| report.records() > 0), Ordering::Relaxed);
                lock(done).add(number, Rewritten { errors, reports }, &self.inputs.progress);
            }
        };
        thread::scope(|scope| {
            for (format, had_records) in formats.iter().zip(&had_records).skip(1) {
                // If spawning fails, the existing threads do all the work.
                if thread::Builder::new().spawn_scoped(scope, || work(&**format, had_records)).is_err() {
                    break;
                }
            }
            work(&*formats[0], &had_records[0]);
        });
        let known = formats.iter().zip(had_records).filter(|(_, had_records)| had_records.load(Ordering::Relaxed));
        Ok(known.map(|(format, _)| format.unmatched()).reduce(in_both).unwrap_or_default())
    }

    /// Rewrites a file. What is written may replace the old file later, so an error may be that of
    /// another file.
    fn file(&mut self, source: &Source, in_place: &InPlace) -> Vec<Error> {
        let result = self.open(source).and_then(|(opened, columnar)| self.beside(source, opened, columnar));
        match result {
            Ok(None) => Vec::new(),
            Ok(Some(written)) => in_place.add(written),
            Err(error) => vec![error],
        }
    }

    /// Rewrites a file beside the old one. `None` if nothing changes.
    fn beside(
        &mut self,
        source: &Source,
        opened: Opened,
        columnar: Option<Columnar>,
    ) -> Result<Option<Written>, Error> {
        let Some(path) = source.path() else { return Ok(None) };
        self.task.seen.iter().for_each(Seen::forget);
        let compression = self.arguments.output.output_compression;
        let mut sink = match columnar {
            Some(_) => Sink::file(path, compression.unwrap_or(opened.compression))?,
            None => Sink::in_place(source, path, !self.arguments.input.no_decompress, compression)?,
        };
        match self.one(source, opened, columnar, &mut sink)? {
            true => sink.finish_later(),
            false => Ok(None),
        }
    }
}

/// A file that is rewritten, or could not be.
struct Rewritten {
    reports: Vec<FileReport>,
    errors: Vec<Error>,
}

/// Whether an error ends the command. Each file is an output of its own, so one that cannot be
/// written does not.
fn ends(error: &Error) -> bool {
    !error.is_of_one_input() && !matches!(error, Error::Output(..))
}

/// The files that are rewritten so far: reported in their order.
struct Done {
    /// Number of the next file to report.
    next: usize,
    /// Files after it.
    later: BTreeMap<usize, Rewritten>,
    reports: Vec<FileReport>,
    status: Status,
}

impl Default for Done {
    fn default() -> Self {
        Self { next: 0, later: BTreeMap::new(), reports: Vec::new(), status: Status::Success }
    }
}

impl Done {
    fn add(&mut self, number: usize, rewritten: Rewritten, progress: &Progress) {
        self.later.insert(number, rewritten);
        while let Some(Rewritten { reports, errors, .. }) = self.later.remove(&self.next) {
            self.next += 1;
            self.status = self.status.max(report_all(&errors, progress));
            self.reports.extend(reports);
        }
    }
}

/// Reports errors; returns the worst status.
fn report_all(errors: &[Error], progress: &Progress) -> Status {
    let statuses = errors.iter().map(|error| progress.aside(|| error.report()));
    statuses.max().unwrap_or(Status::Success)
}

/// The warnings that two formats have.
fn in_both(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    one.into_iter().filter(|warning| other.contains(warning)).collect()
}
